from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO

import orjson
from django.db.models import QuerySet

from contents.storing.batches import BODY_TEXT, LONG, portions
from core.archive.commands import Progress
from core.archive.errors import ArchiveError
from core.archive.manifest import Manifest, StoredSite
from core.archive.tables import Table
from core.archive.writing import ArchiveWriter
from sites.models import Site
from transfer.whole_site.tables import (
    BODY,
    CHANNEL,
    CONTENT,
    ENTRY,
    FOLDER,
    FORM_FIELD,
    SITE,
    STORED,
    TABLES,
    folder_of,
    is_file_of,
)

_AT_A_TIME = 500  # ids in memory
# Rows of trees singly: a tree has no database order, and texts of channels may be long. Entries may be long, too.
_FEWER = {CHANNEL: 1, FOLDER: 1, FORM_FIELD: 20, ENTRY: 20}


class SiteWriter(ArchiveWriter):
    """Writes a consistent copy of a site. Equal states give equal members on both engines, except the manifest.

    Entries of forms are personal data, and written only `with_entries`.
    """

    has_trashed_files = False  # their names have the ids of their rows

    def __init__(
        self,
        site_id: int,
        file: BinaryIO,
        progress: Progress,
        *,
        with_media: bool = True,
        with_trash: bool = True,
        with_entries: bool = False,
    ) -> None:
        site = find_site(site_id)
        stored = StoredSite(site.pk, site.site_name, site.site_dir)
        super().__init__(file, Manifest.begin(STORED, with_media=with_media, site=stored), progress)
        self.folder = folder_of(site_id)
        self._site_id, self._with_trash, self._with_entries = site_id, with_trash, with_entries

    def is_name(self, name: str) -> bool:
        return super().is_name(name) and is_file_of(self._site_id, name)

    def count(self, table: Table) -> int:
        return self._of(table).count()

    def last_number(self, table: Table) -> int:
        return 0

    def rows(self, table: Table) -> Iterator[Sequence[Sequence[Any]]]:
        each, found = TABLES[table.name], self._of(table)
        texts = {CONTENT: LONG, BODY: (BODY_TEXT,)}.get(each, ())
        json_places = [place for place, column in enumerate(table.columns) if column.kind == "json"]
        if each is SITE:
            find_site(self._site_id)  # may have been deleted since the first check
        numbers = found.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=_AT_A_TIME)
        if each is CHANNEL:
            numbers = iter(_walk_channels(self._site_id, found))
        elif each is FOLDER:
            numbers = iter(_walk(list(found.order_by("-pk").values_list("pk", "parent_id")), None))
        while batch := list(islice(numbers, _FEWER.get(each, _AT_A_TIME))):
            for portion in portions(batch, texts) if texts else [batch]:
                some = each.model._default_manager.filter(pk__in=portion).order_by("pk")
                rows = list(map(list, some.values_list(*each.names)))
                for row in rows:
                    for place in json_places:
                        # Sorted keys, since PostgreSQL does not preserve their order.
                        row[place] = orjson.dumps(row[place], option=orjson.OPT_SORT_KEYS).decode()
                yield rows

    def _of(self, table: Table) -> QuerySet[Any]:
        each = TABLES[table.name]
        found = each.model._default_manager.filter(**{each.site: self._site_id})
        if each is ENTRY and not self._with_entries:
            return found.none()
        return found if self._with_trash else found.filter(**dict.fromkeys(each.trash))


def find_site(site_id: int) -> Site:
    site = Site.objects.filter(pk=site_id).first()
    if site is None:
        known = ", ".join(f"{pk} ({name})" for pk, name in Site.objects.order_by("pk").values_list("pk", "site_name"))
        raise ArchiveError(f"There is no site {site_id}. Sites are: {known or 'none'}.")
    return site


def _walk_channels(site_id: int, channels: QuerySet[Any]) -> list[int]:
    """Ids of channels, parents before children and siblings in order. Raises ArchiveError for unreachable channels."""
    rows = list(channels.order_by("-taxis", "-pk").values_list("pk", "parent_id"))
    found = [site_id, *_walk(rows, site_id)]
    if sorted(found) != sorted(pk for pk, _ in rows):
        raise ArchiveError(
            f"Some channels of site {site_id} are not below its home channel; run `manage.py check_tree --repair`."
        )
    return found


def _walk(rows: list[tuple[int, int | None]], top: int | None) -> list[int]:
    """Return the ids of the rows below the top, parents before children; siblings in reverse order."""
    children: dict[int | None, list[int]] = {}
    for pk, parent_id in rows:
        children.setdefault(parent_id, []).append(pk)
    waiting, found = children.get(top, []), []
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], ())
    return found
