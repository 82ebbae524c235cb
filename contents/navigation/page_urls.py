"""Records of contents with page addresses: of the referenced content, the link, or the page by the channel's rule.

contents.navigation.sql computes the same in the database. A reference is followed only within its site: clients can
write any number, and an address in another site would reveal that content's existence, approval and target.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

import orjson

from channels_app.links import NO_LINK
from channels_app.page_paths import Pages, content_pages
from contents.models import Content
from contents.sql_fragments import NOTHING, SqlFragment, among, fetch
from contents.wire.columns import STORED
from contents.wire.records import Record, Selection, selection_of
from core.lib.errors import InvalidInput
from sites.addresses import resolve
from sites.page_rules import MAX_VALUE, fill_wholly, lower, quoted

_MAX_REFERENCES = 8  # longest chain of references that is followed
_MAX_REFERRING = 10_000  # contents whose addresses a rule may compare
_CHUNK = 500  # contents read at a time
_values_of = itemgetter(*("text" if column.name == "content" else column.name for column in STORED))
_DATES = [place for place, column in enumerate(STORED) if column.is_date]


def record_of(content: Content) -> Record:
    """The record of a content just locked or added, without a statement."""
    row = list(_values_of(vars(content)))
    for place in _DATES:
        if isinstance(row[place], datetime):
            row[place] = row[place].isoformat(" ", "seconds")
    return make_records([(content.tree_number, content.web_url, *row)], selection_of())[0]


def make_records(rows: Sequence[Sequence[Any]], selection: Selection, first: int = 2) -> list[Record]:
    """Records of one site; rows begin with TreeVersion's number and the site's URL, the selection's columns at `first`.

    They may have more members than the selected ones.
    """
    if not rows:
        return []
    number, web_url = rows[0][:2]
    records = selection.make_records(rows, web_url, first)
    if selection.has_addresses:
        add_addresses(records, number, web_url)
    return records


def add_addresses(records: list[Record], number: int | None, web_url: str) -> None:
    """Add `navigationUrl` to records of one site; `number` (of the TreeVersion) and `web_url` were read with them."""
    _add_own_addresses(records, number, web_url)
    if referring := _referring(records):
        found = _follow(referring[0]["siteId"], referring)
        for record in referring:
            record["navigationUrl"] = found[record["id"]]


def _add_own_addresses(records: list[Record], number: int | None, web_url: str) -> None:
    unlinked = []
    for record in records:
        if record["linkUrl"]:
            record["navigationUrl"] = resolve(record["linkUrl"], web_url)
        else:
            unlinked.append(record)
    if not unlinked:
        return
    pages = content_pages(unlinked[0]["siteId"], number)
    if pages is None:  # no path of the built-in rule needs quoting
        for record in unlinked:
            record["navigationUrl"] = web_url + _built_in_path(record)
        return
    for record, path in zip(unlinked, _paths_by_rules(unlinked, pages), strict=True):
        record["navigationUrl"] = web_url + quoted(path)


def page_paths(records: list[Record], number: int | None) -> list[str]:
    """Return the path of each record's own page below the site's web address, regardless of links and references."""
    pages = content_pages(records[0]["siteId"], number)
    return [_built_in_path(record) for record in records] if pages is None else _paths_by_rules(records, pages)


def own_addresses(site_id: int, ids: Collection[int], pages: Pages, web_url: str) -> dict[int, str]:
    """Return the addresses of contents' own pages by these rules; omit contents that lead elsewhere."""
    if not ids:
        return {}
    selection, chosen = selection_of(frozenset({"navigationUrl"})), among("c.id", ids)
    where = f"c.site_id = %s AND c.trashed_at IS NULL AND {chosen.sql}"
    rows = read_rows(selection.select, where, [site_id, *chosen.params], with_body=False)
    records = [
        record
        for record in selection.make_records(rows, web_url, 2)
        if not record["linkUrl"] and not is_reference(record)
    ]
    paths = _paths_by_rules(records, pages)
    return {record["id"]: web_url + quoted(path) for record, path in zip(records, paths, strict=True)}


def _built_in_path(record: Record) -> str:
    return f"/contents/{record['channelId']}/{record['id']}.html"


def _paths_by_rules(records: list[Record], pages: Pages) -> list[str]:
    places = _count_before(records) if pages.wants("sequence") else {}
    return [
        fill_wholly(pages.content_parts(record["channelId"]), _lookup(record, places.get(record["id"], 1)))
        for record in records
    ]


def _referring(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if is_reference(record)]


def is_reference(record: Record) -> bool:
    """Return whether the content links to another one; copies with a reference have pages of their own."""
    kind = record.get("translateContentType") or record.get("translatecontenttype") or ""
    return record["referenceId"] > 0 and str(kind).casefold() != "referencecontent"


# ---- values of tokens


def _lookup(record: Record, sequence: int) -> Callable[[str], str]:
    by_folded: dict[str, str] = {}
    for key in record:
        by_folded.setdefault(key.casefold(), key)  # standard members come first

    def text_of(name: str) -> str:
        if name in DATE_PARTS:
            return DATE_PARTS[name](record["addDate"])
        if name == "sequence":
            return str(sequence)
        if (key := by_folded.get(SYNONYMS.get(name, name))) is not None:
            return _as_text(key, record[key])
        key = by_folded.get(name.removeprefix("lower"))
        return lower(_as_text(key, record[key])) if key is not None else ""

    return text_of


SYNONYMS = {"contentid": "id"}
NO_TOKENS = {"content", "navigationUrl", "settingsXml"}  # never part of an address
# Month and day have two digits, times no leading zero, as in SiteServer v6.
DATE_PARTS: dict[str, Callable[[str], str]] = {
    "year": lambda date: date[:4],
    "month": lambda date: date[5:7],
    "day": lambda date: date[8:10],
    "hour": lambda date: str(int(date[11:13])),
    "minute": lambda date: str(int(date[14:16])),
    "second": lambda date: str(int(date[17:19])),
}


def _as_text(name: str, value: Any) -> str:
    if name in NO_TOKENS or value is None or isinstance(value, dict | list):
        return ""
    text = orjson.dumps(value).decode() if isinstance(value, float) else str(value)  # as stored
    return text[:MAX_VALUE]


def _count_before(records: list[Record]) -> dict[int, int]:
    """`{@sequence}` of each content: 1 plus the approved contents below its taxis, read without overlaps."""
    chosen = among("c.id", [record["id"] for record in records])
    sql = (
        "SELECT id, CAST(1 + SUM(found) OVER (PARTITION BY channel_id ORDER BY taxis) AS bigint) FROM ("
        "SELECT w.id, w.channel_id, w.taxis, (SELECT COUNT(*) FROM contents_content c WHERE c.channel_id = "
        "w.channel_id AND c.is_checked AND c.trashed_at IS NULL AND c.taxis >= w.previous AND c.taxis < w.taxis) "
        "AS found FROM (SELECT c.id, c.channel_id, c.taxis, COALESCE(LAG(c.taxis) OVER (PARTITION BY c.channel_id "
        "ORDER BY c.taxis), CAST('-9223372036854775808' AS bigint)) AS previous FROM contents_content c "
        f"WHERE {chosen.sql}) w) counted"
    )
    return dict(fetch(sql, chosen.params))


SEQUENCE_SQL = (
    "(SELECT COUNT(*) + 1 FROM contents_content before WHERE before.channel_id = c.channel_id "
    "AND before.is_checked AND before.trashed_at IS NULL AND before.taxis < c.taxis)"
)


# ---- references


def _follow(site_id: int, referring: list[Record]) -> dict[int, str]:
    found: dict[int, str] = {}
    sought: dict[int, int] = {record["id"]: record["referenceId"] for record in referring}
    for _ in range(_MAX_REFERENCES):
        records = _read_for_addresses(site_id, set(sought.values()))
        further = {record["id"]: record["referenceId"] for record in _referring(records.values())}
        for pk, target in sought.items():
            if target not in further:
                found[pk] = records[target]["navigationUrl"] if target in records else NO_LINK
        sought = {pk: further[target] for pk, target in sought.items() if target in further}
        if not sought:
            return found
    return found | dict.fromkeys(sought, NO_LINK)


def _read_for_addresses(site_id: int, ids: set[int]) -> dict[int, Record]:
    """Records by id, each with its own link or page as address and without body; ids of other sites are omitted."""
    found: dict[int, Record] = {}
    selection, wanted = selection_of(frozenset({"navigationUrl"})), sorted(ids)
    for start in range(0, len(wanted), _CHUNK):
        chosen = among("c.id", wanted[start : start + _CHUNK])
        where = f"c.site_id = %s AND c.trashed_at IS NULL AND {chosen.sql}"
        if rows := read_rows(selection.select, where, [site_id, *chosen.params], with_body=False):
            number, web_url = rows[0][:2]
            records = selection.make_records(rows, web_url, 2)
            _add_own_addresses(records, number, web_url)
            found |= {record["id"]: record for record in records}
    return found


def read_rows(
    columns: str,
    where: str,
    params: Sequence[Any],
    *,
    with_body: bool = True,
    page: SqlFragment = NOTHING,
    order: Sequence[str] = (),
) -> list[tuple[Any, ...]]:
    """Columns of contents, after the number of the site's TreeVersion and the site's address.

    `page` selects the ids, as `id`, and the columns of `order`.
    """
    listed = f"({page.sql}) page JOIN contents_content c ON c.id = page.id" if page.sql else "contents_content c"
    body = "LEFT JOIN contents_contentbody b ON b.content_id = c.id " if with_body else ""
    ordered = f" ORDER BY {', '.join([f'page.{key}' for key in order])}" if order else ""
    return fetch(
        f"SELECT v.number, s.web_url, {columns} FROM {listed} JOIN cms_sites_site s ON s.id = c.site_id "
        f"LEFT JOIN channels_app_treeversion v ON v.site_id = s.id {body}WHERE {where}{ordered}",
        (*page.params, *params),
    )


def read_addresses(site_id: int, ids: set[int]) -> dict[int, str]:
    records = _read_for_addresses(site_id, ids)
    addresses = {pk: str(record["navigationUrl"]) for pk, record in records.items()}
    return addresses | _follow(site_id, _referring(records.values()))


def follow_all(site_id: int) -> dict[int, str]:
    """Addresses of all contents of the site that refer to another. Raises InvalidInput if there are too many."""
    rows = fetch(
        "SELECT id FROM contents_content WHERE site_id = %s AND reference_id > 0 AND trashed_at IS NULL LIMIT %s",
        (site_id, _MAX_REFERRING + 1),
    )
    if len(rows) > _MAX_REFERRING:
        message = (
            f"More than {_MAX_REFERRING} contents of the site refer to others; navigationUrl cannot be used in a rule."
        )
        raise InvalidInput("query_too_slow", message)
    return _follow(site_id, _referring(_read_for_addresses(site_id, {pk for (pk,) in rows}).values()))
