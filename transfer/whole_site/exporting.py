"""Writes a site into a file: its uploaded files first, then the rows of one moment, and with them the files since.

A file is stored before the row that names it and removed after it, so that each file which a row of that moment names
is either there when the files are read, or read after that moment (as in cms_api.operation.backup.writing).
"""

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, BinaryIO

from django.conf import settings
from django.db import connection
from django.db.models import Model, Q, QuerySet

from channels_app.models import Channel
from cms_api.lib import clock
from cms_api.operation.backup import snapshot
from cms_api.operation.backup.container import PACKING_LEVEL
from cms_api.operation.backup.faults import BackupFault
from cms_api.operation.backup.progress import Progress
from contents.models import Content
from contents.storing.batches import BODY_TEXT, LONG, portions
from sites.models import Site
from transfer.whole_site.files import FilesWriter
from transfer.whole_site.lines import FILE, FORMAT, HEADER, VERSION, LineWriter
from transfer.whole_site.members import CHANNEL, CONTENT, FIELD, GROUP, ROWS, SITE, TAG, RowKind

_AT_A_TIME = 500  # rows whose numbers are in memory
Row = dict[str, Any]


@dataclass(slots=True)
class Exported:
    """What was written, by the types of lines; and files that could not be, since none of ours is called so."""

    counts: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(self.counts[kind] for kind in ROWS)

    @property
    def files(self) -> int:
        return self.counts[FILE]


def export_site(site_id: int, file: BinaryIO, progress: Progress, *, packed: bool, with_trash: bool = True) -> Exported:
    """Write the site with all that belongs to it, while others go on writing. Raises BackupFault.

    The same state makes the same bytes on either engine, but for the time in the first line.
    """
    if not packed:
        return _export(site_id, LineWriter(file), progress, with_trash=with_trash)
    # Without a name and a time, so that the same lines make the same file.
    with gzip.GzipFile(filename="", mode="wb", compresslevel=PACKING_LEVEL, fileobj=file, mtime=0) as packing:
        return _export(site_id, LineWriter(packing), progress, with_trash=with_trash)


def _export(site_id: int, writer: LineWriter, progress: Progress, *, with_trash: bool) -> Exported:
    writer.write(HEADER, _header(_find(site_id)))
    files = FilesWriter(site_id, writer)
    progress.begin("files")
    _advance(progress, files.write_new())
    with snapshot.snapshot(connection):
        _find(site_id)  # the first look fixes the moment, after which files are read again
        _advance(progress, files.write_new())
        rows = _Rows(site_id, with_trash=with_trash)
        progress.begin("rows", rows.count())
        _advance(progress, rows.write(writer))
    progress.end()
    writer.end()
    return Exported(writer.counts, files.left_out)


def _find(site_id: int) -> Site:
    site = Site.objects.filter(pk=site_id).first()
    if site is None:
        known = ", ".join(f"{pk} ({name})" for pk, name in Site.objects.order_by("pk").values_list("pk", "site_name"))
        raise BackupFault(f"There is no site {site_id}. Sites are: {known or 'none'}.")
    return site


def _header(site: Site) -> Row:
    return {
        "format": FORMAT,
        "version": VERSION,
        "madeAt": clock.now().isoformat(),
        "timeZone": settings.TIME_ZONE,
        "site": {"id": site.pk, "siteName": site.site_name, "siteDir": site.site_dir},
    }


def _advance(progress: Progress, things: Iterable[object]) -> None:
    for _ in things:
        progress.advance(1)


class _Rows:
    """The rows of a site at one moment."""

    def __init__(self, site_id: int, *, with_trash: bool) -> None:
        self._site_id = site_id
        self._present = Q() if with_trash else Q(trashed_at=None)

    def count(self) -> int:
        return sum(self._of(kind).count() for kind in ROWS.values())

    def write(self, writer: LineWriter) -> Iterator[None]:
        """Write one after the other, in the order in which they can be brought in."""
        simple = ((SITE, ["pk"]), (FIELD, ["pk"]), (GROUP, ["taxis", "pk"]), (TAG, ["pk"]))
        found = chain.from_iterable(_read(kind, self._of(kind).order_by(*order)) for kind, order in simple)
        for kind, row in chain(found, self._channels(), self._contents()):
            writer.write(kind.name, row)
            yield

    def _of(self, kind: RowKind) -> QuerySet[Model]:
        rows = kind.model._default_manager.all()
        if kind is SITE:
            return rows.filter(pk=self._site_id)
        return rows.filter(self._present if kind in (CHANNEL, CONTENT) else Q(), site_id=self._site_id)

    def _channels(self) -> Iterator[tuple[RowKind, Row]]:
        # One by one: a tree is no order of the database's, and their texts may be long.
        for number in _walk(self._site_id, self._of(CHANNEL)):
            yield from _read(CHANNEL, Channel.objects.filter(pk=number))

    def _contents(self) -> Iterator[tuple[RowKind, Row]]:
        numbers = self._of(CONTENT).order_by("pk").values_list("pk", flat=True).iterator(chunk_size=_AT_A_TIME)
        while batch := list(islice(numbers, _AT_A_TIME)):
            for portion in portions(batch, (*LONG, BODY_TEXT)):
                yield from _read(CONTENT, Content.objects.filter(pk__in=portion).order_by("pk"))


def _walk(site_id: int, channels: QuerySet[Model]) -> list[int]:
    """The numbers of the channels from the home channel on, each parent before its children, siblings in their order.

    Raises BackupFault for a channel that does not reach the home channel.
    """
    children: dict[int | None, list[int]] = {}
    rows = list(channels.order_by("-taxis", "-pk").values_list("pk", "parent_id"))
    for pk, parent_id in rows:
        children.setdefault(parent_id, []).append(pk)
    waiting, found = [site_id], []
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], ())
    if sorted(found) != sorted(pk for pk, _ in rows):
        raise BackupFault(
            f"The channels of site {site_id} do not all reach its home channel; run `manage.py check_tree --repair`."
        )
    return found


def _read(kind: RowKind, rows: QuerySet[Model]) -> Iterator[tuple[RowKind, Row]]:
    names = [member.name for member in kind.members]
    for values in rows.values_list(*kind.lookups).iterator(chunk_size=_AT_A_TIME):
        yield kind, dict(zip(names, values, strict=True))
