"""Templates and assets of a package for a site that exists already."""

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import F

from channels_app.models import Channel
from cms_api import audit
from cms_api.archive import media
from cms_api.lib import clock
from cms_api.lib.media_storage import SITE_FILES
from pages.models import Template, TemplateKind
from pages.services import store
from sites.models import Site
from transfer.package import TemplateRecord
from transfer.site_files import SiteFiles
from transfer.site_template import SiteTemplate

# Members in which version 1.0 left the names of a channel's templates.
_NAMES = {
    "channelTemplateName": ("channel_template_id", TemplateKind.CHANNEL),
    "contentTemplateName": ("content_template_id", TemplateKind.CONTENT),
}


@dataclass(slots=True)
class Updated:
    """Templates, as kind and name, and paths of files."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: int = 0

    def note(self, name: str, *, is_new: bool, is_changed: bool) -> None:
        if is_new or is_changed:
            (self.added if is_new else self.changed).append(name)
        else:
            self.unchanged += 1


@transaction.atomic
def update_templates(site: Site, package: SiteTemplate, *, dry_run: bool = False) -> Updated:
    """Update templates and files of the same names, add others, delete none. Raises PackageError.

    Files are stored last; if one cannot be stored, those before it stay.
    """
    updated = Updated()
    _update_rows(site, package.site.templates, updated)
    _link_channels(site)
    if updated.added or updated.changed:
        count = len(updated.added) + len(updated.changed)
        audit.record("site.templates_imported", site, site_id=site.pk, source=package.name, templates=count)
    _update_files(site, SiteFiles(package.files, with_uploads=False), updated, dry_run=dry_run)
    transaction.set_rollback(dry_run)
    return updated


def _update_rows(site: Site, records: tuple[TemplateRecord, ...], updated: Updated) -> None:
    now = clock.now()
    rows = list(Template.objects.select_for_update().filter(site=site).order_by("pk"))
    stored = {_key(each.kind, each.name): each for each in rows} | {(each.kind, each.name): each for each in rows}
    defaults = {each.fields["kind"]: each.fields["name"] for each in records if each.fields.get("is_default")}
    # First, since a kind has at most one default.
    for template in rows:
        default = defaults.get(template.kind, template.name)
        if template.is_default and template.name.casefold() != default.casefold():
            template.is_default, template.changed_at = False, now
            template.save(update_fields=["is_default", "changed_at"])
    for record in records:
        fields = dict(record.fields)
        if fields["kind"] not in defaults:
            fields.pop("is_default", None)  # the site's own default stays
        key = (fields["kind"], fields["name"])
        template = stored.get(key) or stored.get(_key(*key)) or Template(site=site, kind="")
        different = [name for name, value in fields.items() if getattr(template, name) != value]
        updated.note(f"{fields['kind']} {fields['name']}", is_new=template.pk is None, is_changed=bool(different))
        for name in different:
            setattr(template, name, fields[name])
        if template.pk is None:
            template.changed_at = now
            template.save()
        elif different:
            store(template)


def _key(kind: str, name: str) -> tuple[str, str]:
    return kind, name.casefold()


def _link_channels(site: Site) -> None:
    """Give channels the templates that they name in their settings, once."""
    templates = Template.objects.filter(site=site).values_list("kind", "name", "pk")
    numbers = {_key(kind, name): pk for kind, name, pk in templates}
    for channel in Channel.objects.filter(site=site).order_by("pk"):
        found = {
            member: (column, numbers.get(_key(kind, str(channel.settings[member]))))
            for member, (column, kind) in _NAMES.items()
            if member in channel.settings
        }
        ids = {column: pk for column, pk in found.values() if pk}
        if ids:
            settings = {name: value for name, value in channel.settings.items() if not found.get(name, ("", None))[1]}
            Channel.objects.filter(pk=channel.pk).update(settings=settings, version=F("version") + 1, **ids)


def _update_files(site: Site, files: SiteFiles, updated: Updated, *, dry_run: bool) -> None:
    for path in files.names:
        target = f"{SITE_FILES.folder}/{site.pk}/{path}"
        before, after = media.sum_of(target), media.digest(files.pieces(path))
        updated.note(path, is_new=before is None, is_changed=before != after)
        if before != after and not dry_run:
            media.store(target, files.pieces(path))
