"""Changes of templates: each is one transaction, stores the replaced text, and writes to the audit log."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from channels_app.models import Channel
from channels_app.services import lock_tree
from core import audit
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.rest.names import to_wire
from core.rest.preconditions import Precondition, if_version
from pages.models import Template, TemplateChange, TemplateKind
from pages.template_usage import included_paths

# Columns of channels that name a template, and the types that they may name.
COLUMNS = {"channel_template_id": TemplateKind.CHANNEL, "content_template_id": TemplateKind.CONTENT}
# The types with a default in every site.
WITH_DEFAULT = frozenset({TemplateKind.INDEX, TemplateKind.CHANNEL, TemplateKind.CONTENT})


@transaction.atomic
def add_template(site_id: int, kind: str, **values: Any) -> Template:
    """The first template of a type that needs a default becomes it. Raises InvalidInput for a name that is taken."""
    lock_tree(site_id)
    template = Template(site_id=site_id, kind=kind, **values)
    _raise_if_taken(template)
    others = Template.objects.filter(site_id=site_id, kind=kind)
    template.is_default = kind in WITH_DEFAULT and not others.filter(is_default=True).exists()
    template.save()
    audit.record("template.created", template, site_id=site_id)
    return template


@transaction.atomic
def change_template(template_id: int, values: Mapping[str, Any], precondition: Precondition) -> Template:
    """Raises NotFound, InvalidInput for a name that is taken, and errors of the precondition."""
    template = _hold(template_id)
    precondition(template)
    for name, value in values.items():
        setattr(template, name, value)
    _raise_if_taken(template)
    if changed := store(template):
        audit.record("template.changed", template, site_id=template.site_id, changed=map(to_wire, changed))
    return template


@transaction.atomic
def restore_template(template_id: int, version: int, seen_version: int) -> Template:
    """Bring back the text of an earlier version.

    Raises NotFound for a missing template or version, and InvalidInput if the template has changed since
    `seen_version` or has the same text.
    """
    template = _hold(template_id)
    if_version(seen_version)(template)
    try:
        template.text = text_of(template, version)
    except LookupError as error:
        raise NotFound("version_not_kept", str(error)) from error
    if not store(template, restored=version):
        raise InvalidInput("nothing_to_revert", f"Template {template_id} has the text of version {version}.")
    audit.record("template.changed", template, site_id=template.site_id, changed=["text"], version=version)
    return template


@transaction.atomic
def make_default(template_id: int) -> Template:
    """Make it the default of its type, in place of the present one."""
    template = _hold(template_id)
    others = Template.objects.filter(site_id=template.site_id, kind=template.kind, is_default=True)
    if template.is_default:
        return template
    others.update(is_default=False, changed_at=clock.now())
    template.is_default, template.changed_at = True, clock.now()
    template.save(update_fields=["is_default", "changed_at"])
    audit.record("template.changed", template, site_id=template.site_id, changed=["isDefault"])
    return template


@transaction.atomic
def delete_template(template_id: int) -> None:
    """Raises InvalidInput if the template is a default or in use."""
    template = _hold(template_id)
    if template.is_default and template.kind in WITH_DEFAULT:
        raise InvalidInput("template_is_default", f"Template {template_id} is the default of its type.")
    column = next((column for column, kind in COLUMNS.items() if kind == template.kind), None)
    channels = Channel.objects.filter(site_id=template.site_id)
    count = channels.filter(**{column: template.pk}).count() if column else 0
    if count:
        raise InvalidInput("template_of_channels", f"{count} channels use template {template_id}.", count=count)
    if names := _including(template):
        told = ", ".join(names[:5])
        raise InvalidInput("template_included", f"Templates include template {template_id}: {told}.", names=told)
    audit.record("template.deleted", template, site_id=template.site_id)
    template.delete()


@transaction.atomic
def assign_templates(
    site_id: int, channel_ids: Collection[int], values: Mapping[str, int], *, with_below: bool = False
) -> list[Channel]:
    """Assign these templates (`COLUMNS`; 0: the default) to channels, or also to all below them; return the changed
    ones.

    Raises NotFound for a template that the site does not have.
    """
    lock_tree(site_id)
    for column, number in values.items():
        if number and not Template.objects.filter(pk=number, site_id=site_id, kind=COLUMNS[column]).exists():
            raise NotFound("template_not_found", f"Template {number} was not found.")
    chosen = {"ancestor_links__ancestor_id__in" if with_below else "pk__in": channel_ids}
    channels = (
        Channel.objects.in_site(site_id).filter(**chosen).order_by("pk").distinct().only("pk", *values, "version")
    )
    differing = [one for one in channels if any(getattr(one, name) != value for name, value in values.items())]
    Channel.objects.filter(pk__in=[one.pk for one in differing]).update(version=F("version") + 1, **values)
    names = {one.pk: [to_wire(name) for name in values] for one in differing}
    audit.record_each("channel.changed", differing, site_id=site_id, changed=names)
    return differing


def store(template: Template, *, restored: int | None = None) -> list[str]:
    """Store a locked template under its next version; return the names of its changed columns.

    Keeps the replaced text, and of the earlier ones as many as CMS_HISTORY_VERSIONS says.
    """
    before = Template.objects.get(pk=template.pk)
    changed = [name for name in _STORED if getattr(before, name) != getattr(template, name)]
    if not changed:
        return []
    template.version, template.changed_at = before.version + 1, clock.now()
    template.save()
    actor = audit.current_actor()
    TemplateChange.objects.create(
        template=template,
        version=template.version,
        at=template.changed_at,
        restored=restored,
        actor_kind=actor.kind,
        actor_name=actor.name[:255],
        text_before=before.text if "text" in changed else None,
    )
    if most := settings.CMS_HISTORY_VERSIONS:
        for last in template.changes.order_by("-version").values_list("version", flat=True)[most : most + 1]:
            template.changes.filter(version__lte=last).delete()
    return changed


_STORED = ("name", "file_name", "page_path", "extension", "is_default", "text")


def oldest_version(template: Template) -> int:
    first = template.changes.order_by("version").values_list("version", flat=True).first()
    return template.version if first is None else first - 1


def text_of(template: Template, version: int) -> str:
    """Return the text at the version. Raises LookupError if it is not stored."""
    if not oldest_version(template) <= version <= template.version:
        raise LookupError(f"Version {version} of template {template.pk} is not stored.")
    later = template.changes.filter(version__gt=version, text_before__isnull=False).order_by("version")
    text = later.values_list("text_before", flat=True).first()
    return template.text if text is None else text


def _hold(template_id: int) -> Template:
    """Lock the template and the tree of its site, which names templates. Raises NotFound."""
    site_id = Template.objects.filter(pk=template_id).values_list("site_id", flat=True).first()
    if site_id is not None:
        lock_tree(site_id)
        for template in Template.objects.select_for_update().filter(pk=template_id):
            return template
    raise NotFound("template_not_found", f"Template {template_id} was not found.")


def _raise_if_taken(template: Template) -> None:
    others = Template.objects.filter(site_id=template.site_id, kind=template.kind).exclude(pk=template.pk)
    if template.name.casefold() in {name.casefold() for name in others.values_list("name", flat=True)}:
        raise InvalidInput("template_name_taken", "The site has a template of this type and name.", member="name")
    if template.kind == TemplateKind.FILE and others.filter(page_path=template.page_path).exists():
        raise InvalidInput("template_path_taken", "Another template has this path.", member="page_path")


def _including(template: Template) -> list[str]:
    if template.kind != TemplateKind.INCLUDE:
        return []
    others: Iterable[Template] = Template.objects.filter(site_id=template.site_id).exclude(pk=template.pk)
    return [other.name for other in others if template.name.casefold() in included_paths(other.text)]
