"""Where the pages of contents are.

A content's address is that of the content it refers to, or its link, or its page, named by the rule of its
channel (original-behaviour §6). contents.navigation_sql gives the same text within the database.
"""

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from django.db import connection

from channels_app.links import NO_LINK
from channels_app.pages import Pages, content_pages
from cms_api.rest.errors import BadRequest
from contents.records import Record, record_maker, select_list
from sites.addresses import resolve
from sites.page_rules import MAX_VALUE, fill_wholly, lower

_MAX_REFERENCES = 8  # a reference to a reference to …; a longer chain leads nowhere
_MAX_REFERRING = 10_000  # contents whose addresses a rule may compare
_CHUNK = 500  # contents read at once
_SITE = itemgetter(4)  # of a row that begins with number, web address, id, channel and site


def add_addresses(records: list[Record], number: int | None, web_url: str) -> None:
    """Write `navigationUrl` into records of one site, without a statement per record.

    `number` is that of the site's TreeVersion and `web_url` its address, both read with the records.
    """
    _add_own_addresses(records, number, web_url)
    referring = [record for record in records if record["referenceId"] > 0 and not _is_copy(record)]
    if referring:
        found = _follow(referring)
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


def _is_copy(record: Record) -> bool:
    """Whether the content took over the text of what it refers to, and has a page of its own."""
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


def _follow(referring: list[Record]) -> dict[int, str]:
    """The address of what each content refers to; nothing where it is gone.

    A reference leads to a content of the same site, or to an approved one of another: whoever may write to
    one site learns nothing about what another has not published.
    """
    found: dict[int, str] = {}
    sought = {record["id"]: (record["siteId"], record["referenceId"]) for record in referring}
    for _ in range(_MAX_REFERENCES):
        records = read_for_addresses({target for _, target in sought.values()})
        further: dict[int, tuple[int, int]] = {}
        for pk, (site_id, target) in sought.items():
            record = records.get(target)
            if record is None or not (record["siteId"] == site_id or record["isChecked"]):
                found[pk] = NO_LINK
            elif record["referenceId"] > 0 and not _is_copy(record):
                further[pk] = (site_id, record["referenceId"])
            else:
                found[pk] = record["navigationUrl"]
        if not further:
            return found
        sought = further
    return found | dict.fromkeys(sought, NO_LINK)


def read_for_addresses(ids: set[int]) -> dict[int, Record]:
    """The present contents of the ids, each with the address of its own link or page; bodies are left out."""
    found: dict[int, Record] = {}
    make, wanted, columns = record_maker(connection), sorted(ids), select_list(connection, body="''")
    for start in range(0, len(wanted), _CHUNK):
        chunk = wanted[start : start + _CHUNK]
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT v.number, s.web_url, {columns} FROM contents_content c "
                "JOIN cms_sites_site s ON s.id = c.site_id "
                "LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
                f"WHERE c.trashed_at IS NULL AND c.id IN ({_marks(chunk)})",
                chunk,
            )
            rows = cursor.fetchall()
        for _, group in groupby(sorted(rows, key=_SITE), key=_SITE):
            of_site = list(group)
            records = [make(row[2:], row[1]) for row in of_site]
            _add_own_addresses(records, of_site[0][0], of_site[0][1])
            found |= {record["id"]: record for record in records}
    return found


def read_addresses(ids: set[int]) -> dict[int, str]:
    """The addresses of the contents that are there."""
    records = read_for_addresses(ids)
    addresses = {pk: str(record["navigationUrl"]) for pk, record in records.items()}
    return addresses | _follow([one for one in records.values() if one["referenceId"] > 0 and not _is_copy(one)])


def follow_all(site_id: int) -> dict[int, str]:
    """The addresses of the site's contents that refer to another content. Raises BadRequest for too many."""
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
        raise BadRequest("query_too_slow", message)
    records = read_for_addresses(referring).values()
    return _follow([record for record in records if not _is_copy(record)])
