"""Writing the site and the channel tree of one import."""

from typing import Any

from django.db import DataError, IntegrityError
from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from channels_app.services import create_channel, create_site
from cms_api.rest.names import camelise, to_wire
from contents.models import ContentGroup
from sites.models import Site
from transfer.columns import MAX_NAME, Columns, check_length
from transfer.package import ChannelRecord, GroupRecord, PackageError, SiteRecord, filled
from transfer.placement import Placement

Position = tuple[int, ...]

# Unique within a site.
UNIQUE = ("index_name", "file_path")


class ChannelWriter:
    """Writes channels, each after its parent; the home channel comes first and brings the site."""

    def __init__(self, site: SiteRecord, placement: Placement) -> None:
        self._site, self._placement = site, placement
        self._columns = Columns(Channel)
        self._taken: set[tuple[str, str]] = set()
        self.site_id = 0
        self.ids_by_position: dict[Position, int] = {}
        self.ids_by_source: dict[int, int] = {}

    def write(self, record: ChannelRecord) -> int:
        """Write a channel and return its id."""
        name, fields = self._checked(record)
        try:
            pk = self._create(record.position, name, fields)
        except (DataError, IntegrityError) as error:
            told = filled(_("The database refuses the channel: %(error)s."), error=error)
            raise PackageError(told, file=record.origin) from error
        self.ids_by_position[record.position] = pk
        if record.source_id:
            self.ids_by_source[record.source_id] = pk
        return pk

    def _checked(self, record: ChannelRecord) -> tuple[str, dict[str, Any]]:
        self._columns.check(record.fields, record.origin)
        # The place in the tree decides the taxis; a date that never happened counts as not given.
        fields = {key: value for key, value in record.fields.items() if value is not None and key != "taxis"}
        name = fields.pop("channel_name", "")
        if not name.strip():
            raise PackageError(_("The channel has no name."), file=record.origin, element="field channelName")
        self._refuse_taken(fields, record.origin)
        return name, fields | {"settings": wire_settings(record.settings)}

    def _refuse_taken(self, fields: dict[str, Any], origin: str) -> None:
        for key in UNIQUE:
            value = fields.get(key)
            if value and (key, value) in self._taken:
                reason = filled(_('Another channel of the package has "%(value)s" too.'), value=value)
                raise PackageError(reason, file=origin, element=f"field {to_wire(key)}")
            self._taken.add((key, value or ""))

    def _create(self, position: Position, name: str, fields: dict[str, Any]) -> int:
        if position:
            parent = Channel(pk=self.ids_by_position[position[:-1]], site_id=self.site_id)
            return create_channel(parent, name, **fields).pk
        self.site_id = create_imported_site(self._site, self._placement, name, fields).pk
        return self.site_id


def create_imported_site(site: SiteRecord, placement: Placement, home_name: str, home: dict[str, Any]) -> Site:
    """Return the new site of a package with its home channel and its groups of contents."""
    fields = {"site_name": placement.site_name or site.site_name or home_name, "table_name": site.table_name}
    Columns(Site).check(fields, "The site")
    created = create_site(
        **fields,
        home_name=home_name,
        home=home,
        site_dir=placement.site_dir,
        is_root=placement.is_root,
        parent_id=placement.parent_id,
        taxis=(Site.objects.aggregate(last=Max("taxis"))["last"] or 0) + 1,
        settings=wire_settings(site.settings),
    )
    create_content_groups(created.pk, site.content_groups)
    return created


def wire_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with their names as they are answered."""
    return {camelise(name): value for name, value in settings.items()}


def create_content_groups(site_id: int, groups: tuple[GroupRecord, ...]) -> None:
    """Create the groups of a site in their order; of two of one name the first counts."""
    for group in groups:
        check_length(group.group_name, MAX_NAME, "groupName", "The site")
    ContentGroup.objects.bulk_create(
        (
            ContentGroup(site_id=site_id, group_name=group.group_name, description=group.description, taxis=taxis)
            for taxis, group in enumerate(groups, start=1)
        ),
        ignore_conflicts=True,
    )
