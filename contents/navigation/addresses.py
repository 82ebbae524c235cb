"""Where the pages of contents are.

A content's address is that of the content it refers to, or its link, or its page, named by the rule of its
channel. contents.navigation.sql gives the same text within the database.

A reference leads to a content of its own site only. Any client can write any number as a reference, and an address
from another site would tell it that the number exists there, that it is approved, and where it leads.
"""

from collections.abc import Callable, Sequence
from typing import Any

import orjson
from django.db import connection

from channels_app.links import NO_LINK
from channels_app.pages import Pages, content_pages
from cms_api.lib.errors import InvalidInput
from contents.wire.records import Record, record_maker, select_list
from sites.addresses import resolve
from sites.page_rules import MAX_VALUE, fill_wholly, lower

_MAX_REFERENCES = 8  # a reference to a reference to …; a longer chain leads nowhere
_MAX_REFERRING = 10_000  # contents whose addresses a rule may compare
_CHUNK = 500  # contents read at once


def add_addresses(records: list[Record], number: int | None, web_url: str) -> None:
    """Write `navigationUrl` into records of one site, without a statement per record.

    `number` is that of the site's TreeVersion and `web_url` its address, both read with the records.
    """
    _add_own_addresses(records, number, web_url)
    referring = [record for record in records if _refers(record)]
    if referring:
        found = _follow(referring[0]["siteId"], referring)
        for record in referring:
            record["navigationUrl"] = found[record["id"]]


def _add_own_addresses(records: list[Record], number: int | None, web_url: str) -> None:
    """Addresses by the contents' own links and pages."""
    unlinked = []
    for record in records:
        if record["linkUrl"]:
            record["navigationUrl"] = resolve(record["linkUrl"], web_url)
        else:
            unlinked.append(record)
    if unlinked:
        _name_pages(unlinked, content_pages(unlinked[0]["siteId"], number), web_url)


def _name_pages(records: list[Record], pages: Pages | None, web_url: str) -> None:
    if pages is None:
        for record in records:
            record["navigationUrl"] = f"{web_url}/contents/{record['channelId']}/{record['id']}.html"
        return
    places = _count_before(records) if pages.wants("sequence") else {}
    for record in records:
        parts = pages.content_parts(record["channelId"])
        record["navigationUrl"] = web_url + fill_wholly(parts, _lookup(record, places.get(record["id"], 1)))


def _refers(record: Record) -> bool:
    """Whether the address is that of another content. A copy of the other content has a page of its own."""
    return record["referenceId"] > 0 and not _is_copy(record)


def _is_copy(record: Record) -> bool:
    kind = record.get("translateContentType") or record.get("translatecontenttype") or ""
    return str(kind).casefold() == "referencecontent"


# ---- values of tokens


def _lookup(record: Record, sequence: int) -> Callable[[str], str]:
    by_folded: dict[str, str] = {}
    for key in record:
        by_folded.setdefault(key.casefold(), key)  # members of the interface come first

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
NO_TOKENS = {"content", "navigationUrl", "settingsXml"}  # no part of an address
# Month and day have two digits, the others none to spare (original-behaviour §6).
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
    text = orjson.dumps(value).decode() if isinstance(value, float) else str(value)  # as it is stored
    return text[:MAX_VALUE]


def _count_before(records: list[Record]) -> dict[int, int]:
    """The `{@sequence}` of each content: 1, and one for each approved content of its channel with a lower taxis.

    Each counts those between the one before it and itself, so that no part of a channel is read twice.
    """
    sql = (
        "SELECT id, CAST(1 + SUM(found) OVER (PARTITION BY channel_id ORDER BY taxis) AS bigint) FROM ("
        "SELECT w.id, w.channel_id, w.taxis, (SELECT COUNT(*) FROM contents_content c WHERE c.channel_id = "
        "w.channel_id AND c.is_checked AND c.trashed_at IS NULL AND c.taxis >= w.previous AND c.taxis < w.taxis) "
        "AS found FROM (SELECT c.id, c.channel_id, c.taxis, COALESCE(LAG(c.taxis) OVER (PARTITION BY c.channel_id "
        "ORDER BY c.taxis), CAST('-9223372036854775808' AS bigint)) AS previous FROM contents_content c "
        f"WHERE c.id IN ({_marks(records)})) w) counted"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [record["id"] for record in records])
        return dict(cursor.fetchall())


SEQUENCE_SQL = (
    "(SELECT COUNT(*) + 1 FROM contents_content before WHERE before.channel_id = c.channel_id "
    "AND before.is_checked AND before.trashed_at IS NULL AND before.taxis < c.taxis)"
)


def _marks(values: Any) -> str:
    return ", ".join(["%s"] * len(values))


# ---- references


def _follow(site_id: int, referring: list[Record]) -> dict[int, str]:
    """The addresses of what these contents of the site refer to; NO_LINK if the site has no such content."""
    found: dict[int, str] = {}
    sought: dict[int, int] = {record["id"]: record["referenceId"] for record in referring}
    for _ in range(_MAX_REFERENCES):
        records = _read_for_addresses(site_id, set(sought.values()))
        further: dict[int, int] = {}
        for pk, target in sought.items():
            record = records.get(target)
            if record is None:
                found[pk] = NO_LINK
            elif _refers(record):
                further[pk] = record["referenceId"]
            else:
                found[pk] = record["navigationUrl"]
        if not further:
            return found
        sought = further
    return found | dict.fromkeys(sought, NO_LINK)


def _read_for_addresses(site_id: int, ids: set[int]) -> dict[int, Record]:
    """Those of the ids that the site has, each with the address of its own link or page; bodies are left out."""
    found: dict[int, Record] = {}
    make, wanted, columns = record_maker(connection), sorted(ids), select_list(connection, body="''")
    for start in range(0, len(wanted), _CHUNK):
        chunk = wanted[start : start + _CHUNK]
        where = f"c.site_id = %s AND c.trashed_at IS NULL AND c.id IN ({_marks(chunk)})"
        rows = read_rows(columns, where, [site_id, *chunk], with_body=False)
        if rows:
            number, web_url = rows[0][:2]
            records = [make(row[2:], web_url) for row in rows]
            _add_own_addresses(records, number, web_url)
            found |= {record["id"]: record for record in records}
    return found


def read_rows(columns: str, where: str, params: Sequence[Any], *, with_body: bool = True) -> list[tuple[Any, ...]]:
    """Columns of contents, after the number of the site's TreeVersion and the site's address."""
    body = "LEFT JOIN contents_contentbody b ON b.content_id = c.id " if with_body else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT v.number, s.web_url, {columns} FROM contents_content c JOIN cms_sites_site s ON s.id = c.site_id "
            f"LEFT JOIN channels_app_treeversion v ON v.site_id = s.id {body}WHERE {where}",
            params,
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def read_addresses(site_id: int, ids: set[int]) -> dict[int, str]:
    """The addresses of those of the contents that the site has."""
    records = _read_for_addresses(site_id, ids)
    addresses = {pk: str(record["navigationUrl"]) for pk, record in records.items()}
    return addresses | _follow(site_id, [record for record in records.values() if _refers(record)])


def follow_all(site_id: int) -> dict[int, str]:
    """The addresses of the site's contents that refer to another content. Raises InvalidInput for too many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM contents_content WHERE site_id = %s AND reference_id > 0 AND trashed_at IS NULL LIMIT %s",
            (site_id, _MAX_REFERRING + 1),
        )
        referring = {pk for (pk,) in cursor.fetchall()}
    if len(referring) > _MAX_REFERRING:
        message = (
            f"More than {_MAX_REFERRING} contents of the site refer to others: no rule on navigationUrl is possible."
        )
        raise InvalidInput("query_too_slow", message)
    records = _read_for_addresses(site_id, referring).values()
    return _follow(site_id, [record for record in records if _refers(record)])
