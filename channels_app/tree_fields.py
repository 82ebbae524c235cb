"""Checks and repairs the figures of channels, after writes by other means than services or a partial restore."""

import secrets
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.models import F, Q

from channels_app.models import Channel, ChannelAncestor, TreeVersion
from channels_app.services import hold_contents, lock_tree
from core import audit
from core.rest.names import to_wire
from sites.models import Site

T = TypeVar("T")
_BATCH = 1000  # rows of one statement


class TreeFields(NamedTuple):
    """The columns derived from the parents and the order of a site's channels."""

    parents_path: str
    parents_count: int
    children_count: int
    is_last_node: bool
    taxis: int


class _Row(NamedTuple):
    """A stored channel; `parent_site_id` is None if the parent does not exist."""

    site_id: int
    trashed_at: Any
    parent_id: int | None
    parent_site_id: int | None
    parent_trashed_at: Any
    figures: TreeFields


class Survey:
    """The differences between a site's channels and a correct tree, with the right values."""

    def __init__(self, site_id: int) -> None:
        self.site_id = site_id
        self.problems: list[str] = []
        # Channels with a wrong parent → the right one.
        self.new_parents: dict[int, int | None] = {}
        self.wrong_figures: dict[int, TreeFields] = {}
        self._rows = _read_rows(site_id)
        home = self._rows.get(site_id)
        self.is_home_missing = home is None
        self.is_home_elsewhere = home is not None and home.site_id != site_id
        self.has_number = TreeVersion.objects.filter(pk=site_id).exists()
        if home is None:
            self.problems.append(f"Site {site_id} has no home channel; there is no channel {site_id}.")
        elif self.is_home_elsewhere:
            told = f"channel {site_id} belongs to site {home.site_id}"
            self.problems.append(f"Site {site_id} has no home channel; {told}.")
        else:
            told = f"Channel {site_id}, the home channel of its site, is"
            if home.trashed_at is not None:
                self.problems.append(f"{told} in the trash.")
            if home.parent_id is not None:
                self.problems.append(f"{told} below channel {home.parent_id}.")
                self.new_parents[site_id] = None
        if not self.is_home_elsewhere:
            self._compare_figures(self._find_children())
        if not self.has_number:
            self.problems.append(f"Site {site_id} has no version number of its tree.")

    def _find_children(self) -> dict[int, list[int]]:
        children: dict[int, list[int]] = {}
        astray: list[int] = []
        for pk, row in self._rows.items():
            if pk == self.site_id:
                continue
            if row.parent_id is not None and (row.parent_id == self.site_id or row.parent_id in self._rows):
                children.setdefault(row.parent_id, []).append(pk)
            else:
                self.problems.append(f"Channel {pk} is below {_describe_parent(row)}.")
                astray.append(pk)
        waiting = dict.fromkeys(self._rows)
        for pk in _walk(children, self.site_id, *astray):
            waiting.pop(pk, None)
        for pk in list(waiting):  # in a cycle, or below one
            if pk in waiting:
                first = self._first_of_circle(pk)
                parent_id = self._rows[first].parent_id or 0
                self.problems.append(f"Channel {first} is below itself, through channel {parent_id}.")
                children[parent_id].remove(first)
                astray.append(first)
                for below in _walk(children, first):
                    waiting.pop(below)
        self.new_parents |= dict.fromkeys(astray, self.site_id)
        children.setdefault(self.site_id, []).extend(astray)
        return children

    def _first_of_circle(self, pk: int) -> int:
        met: dict[int, None] = {}
        while pk not in met:
            met[pk] = None
            pk = self._rows[pk].parent_id or 0
        way = list(met)
        circle = way[way.index(pk) :]
        return min(circle, key=lambda one: (self._rows[one].figures.taxis, one))

    def _compare_figures(self, children: dict[int, list[int]]) -> None:
        places: dict[int, tuple[str, int, bool]] = {self.site_id: ("", 0, True)}
        for taxis, pk in enumerate(_walk(children, self.site_id), start=1):
            path, depth, is_last = places.pop(pk)
            below = children.get(pk, [])
            path_below = f"{path},{pk}" if path else str(pk)
            places |= {child: (path_below, depth + 1, child == below[-1]) for child in below}
            right = TreeFields(path, depth, len(below), is_last, taxis)
            stored = self._rows[pk].figures if pk in self._rows else None  # None: a missing home channel
            if stored == right:
                continue
            self.wrong_figures[pk] = right
            for name, found, expected in zip(TreeFields._fields, stored or right, right, strict=True):
                if found != expected:
                    told = f"{_show(found)} as {to_wire(name)}; it should be {_show(expected)}"
                    self.problems.append(f"Channel {pk} has {told}.")


def _walk(children: dict[int, list[int]], *starts: int) -> Iterator[int]:
    waiting = [*reversed(starts)]
    while waiting:
        pk = waiting.pop()
        yield pk
        waiting += reversed(children.get(pk, ()))


def _read_rows(site_id: int) -> dict[int, _Row]:
    place = ("id", "site_id", "trashed_at", "parent_id", "parent__site_id", "parent__trashed_at")
    present = Channel.objects.filter(Q(site_id=site_id, trashed_at=None) | Q(pk=site_id)).order_by("taxis", "id")
    # One statement, so that the tree cannot change between two reads.
    rows = present.values_list(*place, *TreeFields._fields).iterator(chunk_size=10 * _BATCH)
    return {row[0]: _Row._make((*row[1:6], TreeFields._make(row[6:]))) for row in rows}


def _describe_parent(row: _Row) -> str:
    if row.parent_id is None:
        return f"no channel, though it is not the home channel of site {row.site_id}"
    if row.parent_site_id is None:
        return f"channel {row.parent_id}, which does not exist"
    if row.parent_site_id != row.site_id:
        return f"channel {row.parent_id}, which belongs to site {row.parent_site_id}"
    return f"channel {row.parent_id}, which is in the trash"


def _show(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


# ---- repair


@transaction.atomic
def mend(site_id: int) -> None:
    """Write the right figures; stray channels go below the home channel. Raises IntegrityError for wrong ancestors."""
    lock_tree(site_id)
    survey = Survey(site_id)
    if not survey.has_number:
        TreeVersion.objects.get_or_create(pk=site_id, defaults={"number": secrets.randbits(53)})
    if survey.is_home_elsewhere:
        return
    if survey.is_home_missing or survey.new_parents:
        _replant(survey)
    Channel.objects.filter(pk=site_id).exclude(trashed_at=None).update(trashed_at=None, trashed_with_id=None)
    table, columns = Channel._meta.db_table, TreeFields._fields
    changes = ", ".join(f"{name} = figures.{name}" for name in columns)
    for batch in _batches(survey.wrong_figures.items()):
        values = ", ".join([f"({', '.join(['%s'] * (1 + len(columns)))})"] * len(batch))
        with connection.cursor() as cursor:
            cursor.execute(
                f"WITH figures (id, {', '.join(columns)}) AS (VALUES {values}) "
                f"UPDATE {table} SET {changes} FROM figures WHERE {table}.id = figures.id",
                [value for pk, figures in batch for value in (pk, *figures)],
            )
    site = Site.objects.get(pk=site_id)
    audit.record("site.tree_mended", site, site_id=site_id, differences=len(survey.problems))


def _replant(survey: Survey) -> None:
    site_id = survey.site_id
    hold_contents(site_id, exclusive=True)
    # Each channel that gets other ancestors, with them and itself; including channels in the trash.
    rows = Channel.objects.filter(site_id=site_id).values_list("id", "parent_id")
    parents = dict(rows) | {site_id: None} | survey.new_parents
    children: dict[int, list[int]] = {}
    for pk, parent_id in parents.items():
        children.setdefault(parent_id or 0, []).append(pk)
    moved = [site_id] if survey.is_home_missing or site_id in survey.new_parents else survey.new_parents
    above = {pk: list(_way_up(parents, pk)) for start in moved for pk in _walk(children, start)}
    # The triggers rely on the previous ancestors, which may be wrong here, so rewrite the ancestors of every moved
    # channel.
    for batch in _batches(above):
        ChannelAncestor.objects.filter(Q(channel_id__in=batch) | Q(ancestor_id__in=batch)).delete()
    # The home channel comes last: a site has only one channel without a parent.
    for pk, parent_id in sorted(survey.new_parents.items(), key=lambda item: item[0] == site_id):
        Channel.objects.filter(pk=pk).update(parent_id=parent_id, version=F("version") + 1)
    if survey.is_home_missing:
        name = Site.objects.values_list("site_name", flat=True).get(pk=site_id)
        Channel.objects.create(pk=site_id, site_id=site_id, channel_name=name)
        del above[site_id]  # the trigger wrote it
    pairs = (ChannelAncestor(channel_id=pk, ancestor_id=one) for pk, ancestors in above.items() for one in ancestors)
    for new in _batches(pairs):
        ChannelAncestor.objects.bulk_create(new)


def _way_up(parents: dict[int, int | None], pk: int | None) -> Iterator[int]:
    while pk is not None:
        yield pk
        pk = parents[pk]


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    return iter(lambda: list(islice(iterator, _BATCH)), [])
