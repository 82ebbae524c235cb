"""The channel trees of the chosen sites, with the ids that they have in the source."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import F

from channels_app.models import Channel
from channels_app.serializers import raise_if_unfit
from channels_app.services import lock_tree, trash_channel
from channels_app.tree_fields import mend
from core.archive import database
from core.lib.errors import InvalidInput
from core.lib.folding import is_blank
from core.rest.names import to_wire
from migration import records
from migration.columns import ColumnReader, Fields, typed
from migration.context import Context
from migration.layout import CHANNELS
from migration.report import Outcome
from migration.sources.source import Row, SourceError
from migration.values import NO_DATE, number
from transfer import names
from transfer.site_template import CHANNEL_MEMBERS
from transfer.values import read_plain
from transfer.whole_site.tables import CHANNEL

_NAMES = names.CHANNEL | names.name_table((names.LEFT_OUT, read_plain, "TableName ContentNum LastModifiedDate"))
_PATHS = ("file_path", "channel_file_path_rule", "content_file_path_rule")
_UNIQUE = ("index_name", "file_path")  # in a site


@dataclass(frozen=True)
class _Place:
    parent_id: int | None
    taxis: int


def migrate_channels(context: Context, site_ids: frozenset[int], templates: dict[int, int]) -> dict[int, int]:
    """Store the channels of the sites, and return the site of each by its id.

    `templates` has ids here by ids of the source. Raises SourceError for an id that another channel has.
    """
    rows: dict[int, dict[int, Row]] = {site_id: {} for site_id in site_ids}
    found = {number(row.get("id")): row for row in context.rows(CHANNELS, "channels")}
    for pk, row in found.items():
        site_id = _site_of(pk, found, site_ids)
        if site_id in rows and pk > 0:
            rows[site_id][pk] = row
        elif context.options.asks_for(site_id):
            context.report.find("A channel of no site that is here was left out.", f"siteserver_Channel {pk}")
            context.report.add("channels", Outcome.LEFT_OUT)
    _require_free([pk for found in rows.values() for pk in found])
    _leave_out_deleted(context, rows)
    for site_id, of_site in rows.items():
        _SiteChannels(context, site_id, of_site, templates).store()
    return {pk: site_id for site_id, of_site in rows.items() for pk in of_site}


def _site_of(pk: int, rows: dict[int, Row], site_ids: frozenset[int]) -> int:
    """Return the site that the channel names, or else one from the channels above it; 0 if none names one."""
    met: set[int] = set()
    while pk in rows and pk not in met:
        met.add(pk)
        if (named := number(rows[pk].get("siteid"))) > 0:
            return named
        if pk in site_ids:  # the home channel has the number of its site
            return pk
        pk = number(rows[pk].get("parentid"))
    return 0


def _require_free(ids: list[int]) -> None:
    known = records.target_ids(CHANNELS)
    new = [pk for pk in ids if pk not in known]
    for start in range(0, len(new), 500):
        if taken := Channel.objects.filter(pk__in=new[start : start + 500]).first():
            raise SourceError(
                f"Channel {taken.pk} of the source cannot keep its id: site {taken.site_id} here has a channel "
                f"{taken.pk}, {taken.channel_name}. Migrate into an installation that does not use these ids."
            )


def _leave_out_deleted(context: Context, rows: dict[int, dict[int, Row]]) -> None:
    known = records.target_ids(CHANNELS)
    here = set(Channel.objects.filter(site_id__in=rows).values_list("pk", flat=True))
    for found in rows.values():
        for pk in [pk for pk in found if pk in known and pk not in here]:
            told = "A channel has been deleted here for good; it is not created again."
            context.report.find(told, f"siteserver_Channel {pk}")
            context.report.add("channels", Outcome.LEFT_OUT)
            del found[pk]


class _SiteChannels:
    def __init__(self, context: Context, site_id: int, rows: dict[int, Row], templates: dict[int, int]) -> None:
        self._context, self._site_id, self._rows, self._templates = context, site_id, rows, templates
        self._reader = ColumnReader(Channel, _NAMES, context)
        self._taken: set[tuple[str, str]] = set()
        if site_id not in rows:
            context.report.find(
                "The home channel of a site is missing; an empty one was made.", f"siteserver_Site {site_id}"
            )
            rows[site_id] = {"id": site_id, "siteid": site_id, "parentid": 0, "channelname": ""}

    @transaction.atomic
    def store(self) -> None:
        lock_tree(self._site_id)
        known = records.find(CHANNELS, self._rows)
        done: list[tuple[int, int, str]] = []
        for pk, place in self._places():
            row = self._rows[pk]
            # Its place in the tree is not only of its own columns.
            digest = records.digest_of(row | {"parent": place.parent_id, "place": place.taxis})
            fields = self._fields(pk, row)
            if pk in known and known[pk].digest == digest:
                self._context.report.add("channels", Outcome.UNCHANGED)
                continue
            self._write(pk, place, fields, is_new=pk not in known)
            done.append((pk, pk, digest))
        if done:
            self._context.store(CHANNELS, done)
            mend(self._site_id)
            last = database.last_number(connection, CHANNEL.table)
            database.go_on_after(connection, CHANNEL.table, max(last, *self._rows))
        self._trash_missing()

    def _places(self) -> Iterator[tuple[int, _Place]]:
        """Yield channels in tree order; those without a path to the home channel come directly below it."""
        children: dict[int, list[int]] = defaultdict(list)
        for pk, row in self._rows.items():
            children[number(row.get("parentid"))].append(pk)
        for found in children.values():
            found.sort(key=lambda pk: (number(self._rows[pk].get("taxis")), pk))
        met: dict[int, int | None] = {}
        self._walk(children, self._site_id, None, met)
        for pk in sorted(
            self._rows.keys() - met.keys(), key=lambda pk: (number(self._rows[pk].get("parentid")) in self._rows, pk)
        ):
            if pk not in met:
                told = "A channel had no way up to the home channel; it is directly below it now."
                self._context.report.find(told, f"siteserver_Channel {pk}")
                self._walk(children, pk, self._site_id, met)
        yield from ((pk, _Place(parent_id, taxis)) for taxis, (pk, parent_id) in enumerate(met.items(), start=1))

    @staticmethod
    def _walk(children: dict[int, list[int]], start: int, parent: int | None, met: dict[int, int | None]) -> None:
        waiting: list[tuple[int, int | None]] = [(start, parent)]
        while waiting:
            pk, parent_id = waiting.pop()
            if pk not in met:
                met[pk] = parent_id
                waiting += [(below, pk) for below in reversed(children[pk])]

    def _fields(self, pk: int, row: Row) -> Fields:
        place = f"siteserver_Channel {pk}"
        fields, settings = self._reader.read(row, place)
        fields.pop("taxis", None)
        fields["settings"] = typed(settings, CHANNEL_MEMBERS, self._context, place)
        if is_blank(fields.get("channel_name", "")):
            self._context.report.find("A channel had no name; it got its number as name.", place)
            fields["channel_name"] = f"#{pk}"
        if "add_date" not in fields:
            self._context.report.find(f"A channel had no date; it got {NO_DATE:%Y-%m-%d}.", place)
            fields["add_date"] = NO_DATE
        for name in _PATHS:
            self._give_path(name, fields, place)
        for name in _UNIQUE:
            value = fields.get(name, "")
            if value and (name, value.casefold()) in self._taken:
                told = f"Two channels of a site had the same {to_wire(name)}; the later one lost it."
                self._context.report.find(told, place, value)
                fields[name] = ""
            self._taken.add((name, value.casefold()))
        for column, name in (
            ("channeltemplateid", "channel_template_id"),
            ("contenttemplateid", "content_template_id"),
        ):
            fields[name] = self._templates.get(number(row.get(column)), 0)
        return fields

    def _give_path(self, name: str, fields: Fields, place: str) -> None:
        path = fields.get(name, "")
        try:
            raise_if_unfit(path if name == "file_path" else path.replace("|", ""), name)
        except InvalidInput:
            told = f"The {to_wire(name)} of a channel is impossible here; the channel follows the rule above it."
            self._context.report.find(told, place, path[:100])
            fields[name] = ""

    def _write(self, pk: int, place: _Place, fields: Fields, *, is_new: bool) -> None:
        placed = {"parent_id": place.parent_id, "taxis": place.taxis}
        if is_new:
            Channel.objects.create(pk=pk, site_id=self._site_id, **placed, **fields)
        else:
            Channel.objects.filter(pk=pk).update(version=F("version") + 1, **placed, **fields)
        self._context.report.add("channels", Outcome.NEW if is_new else Outcome.UPDATED)

    def _trash_missing(self) -> None:
        """Move channels to the trash that an earlier run brought and that the source has no more."""
        live = set(Channel.objects.in_site(self._site_id).values_list("pk", flat=True))
        for pk in sorted((records.target_ids(CHANNELS).keys() & live) - self._rows.keys()):
            if Channel.objects.live().filter(pk=pk).exists():  # not below one that was just moved
                trash_channel(self._site_id, pk)
                self._context.report.add("channels", Outcome.DELETED)
