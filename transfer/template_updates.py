"""Templates and assets of a package for a site that exists already."""

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import F

from channels_app.models import Channel
from core import audit
from core.archive import media
from core.lib import clock
from core.lib.media_storage import SITE_FILES
from media_library.services import record_files
from pages.models import Template, TemplateKind
from pages.services import store
from sites.models import Site
from transfer.package import TemplateRecord, template_key
from transfer.site_files import SiteFiles
from transfer.site_template import SiteTemplate

# Members where version 1.0 left the names of a channel's templates.
_NAMES = {
    "channelTemplateName": ("channel_template_id", TemplateKind.CHANNEL),
    "contentTemplateName": ("content_template_id", TemplateKind.CONTENT),
}
ChannelPath = tuple[str, ...]  # names of channels below the home channel


@dataclass(slots=True)
class Updated:
    """Templates, as kind and name, channels, and paths of files."""

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
    count = len(updated.added) + len(updated.changed)
    _link_channels(site, package, updated)
    if updated.added or updated.changed:
        audit.record("site.templates_imported", site, site_id=site.pk, source=package.name, templates=count)
    _update_files(site, package.stored_files(with_uploads=False), updated, dry_run=dry_run)
    transaction.set_rollback(dry_run)
    return updated


def _update_rows(site: Site, records: tuple[TemplateRecord, ...], updated: Updated) -> None:
    now = clock.now()
    rows = list(Template.objects.select_for_update().filter(site=site).order_by("pk"))
    stored = {template_key(each.kind, each.name): each for each in rows}
    stored |= {(each.kind, each.name): each for each in rows}
    defaults = {each.fields["kind"]: each.fields["name"] for each in records if each.fields.get("is_default")}
    # First, since a kind has at most one default.
    for template in rows:
        default = defaults.get(template.kind, template.name)
        if template.is_default and template_key("", template.name) != template_key("", default):
            template.is_default, template.changed_at = False, now
            template.save(update_fields=["is_default", "changed_at"])
    for record in records:
        fields = dict(record.fields)
        if fields["kind"] not in defaults:
            fields.pop("is_default", None)  # the site's own default stays
        key = (fields["kind"], fields["name"])
        template = stored.get(key) or stored.get(template_key(*key)) or Template(site=site, kind="")
        different = [name for name, value in fields.items() if getattr(template, name) != value]
        updated.note(f"{fields['kind']} {fields['name']}", is_new=template.pk is None, is_changed=bool(different))
        for name in different:
            setattr(template, name, fields[name])
        if template.pk is None:
            template.changed_at = now
            template.save()
        elif different:
            store(template)


def _link_channels(site: Site, package: SiteTemplate, updated: Updated) -> None:
    """Give channels the templates that they name in their settings, once.

    Those without a template of their own get the one that the package names for the channel of the same path.
    """
    templates = Template.objects.filter(site=site).values_list("kind", "name", "pk")
    numbers = {template_key(kind, name): pk for kind, name, pk in templates}
    named = _templates_by_path(package)
    paths: dict[int, ChannelPath] = {}
    for channel in Channel.objects.filter(site=site).order_by("parents_count", "pk"):
        above = channel.parent_id
        paths[channel.pk] = () if above is None else _below(paths.get(above, ()), channel.channel_name)
        found = {
            member: (column, numbers.get(template_key(kind, str(channel.settings[member]))))
            for member, (column, kind) in _NAMES.items()
            if member in channel.settings
        }
        ids = {column: pk for column, pk in found.values() if pk}
        for column, template in named.get(paths[channel.pk], {}).items():
            if not getattr(channel, column) and column not in ids and (pk := numbers.get(template_key(*template))):
                ids[column] = pk
                updated.changed.append(f"channel {channel.pk} {channel.channel_name}: {' '.join(template)}")
        if ids:
            settings = {name: value for name, value in channel.settings.items() if not found.get(name, ("", None))[1]}
            Channel.objects.filter(pk=channel.pk).update(settings=settings, version=F("version") + 1, **ids)


def _templates_by_path(package: SiteTemplate) -> dict[ChannelPath, dict[str, tuple[str, str]]]:
    """Return the templates that channels of the package name; none for a path that several channels have."""
    paths: dict[tuple[int, ...], ChannelPath] = {}
    named: dict[ChannelPath, dict[str, tuple[str, str]]] = {}
    for channel in package.channels():
        position, name = channel.position, channel.fields.get("channel_name", "")
        paths[position] = path = _below(paths[position[:-1]], name) if position else ()
        named[path] = {} if path in named else channel.templates
    return named


def _below(path: ChannelPath, name: str) -> ChannelPath:
    return (*path, name.strip().casefold())


def _update_files(site: Site, files: SiteFiles, updated: Updated, *, dry_run: bool) -> None:
    stored = []
    for path in files.names:
        target = f"{SITE_FILES.folder}/{site.pk}/{path}"
        before, after = media.sum_of(target), media.digest(files.pieces(path))
        updated.note(path, is_new=before is None, is_changed=before != after)
        if before != after and not dry_run:
            media.store(target, files.pieces(path))
            stored.append(path)
    record_files(site, stored)
