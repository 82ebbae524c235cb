"""Old addresses of contents that got new ids."""

from collections.abc import Iterator

from contents.navigation.page_urls import page_paths, read_rows
from contents.sql_fragments import among
from contents.wire.records import selection_of
from pages.former_addresses import Row, remember


def remember_old_addresses(site_id: int, old_ids: dict[int, int]) -> None:
    """Redirect the addresses with the ids of the source to the contents; `old_ids` has these by the ids here."""
    remember(site_id, _old_paths(site_id, old_ids))


def _old_paths(site_id: int, old_ids: dict[int, int]) -> Iterator[Row]:
    selection, chosen = selection_of(frozenset({"navigationUrl"})), among("c.id", old_ids)
    rows = read_rows(selection.select, f"c.site_id = %s AND {chosen.sql}", [site_id, *chosen.params], with_body=False)
    if not rows:
        return
    number, web_url = rows[0][:2]
    records = selection.make_records(rows, web_url, 2)
    ids = [record["id"] for record in records]
    renamed = [record | {"id": old_ids[record["id"]]} for record in records]
    for pk, path, current in zip(ids, page_paths(renamed, number), page_paths(records, number), strict=True):
        if path != current:
            yield path, None, pk
