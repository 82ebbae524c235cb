"""Former addresses of pages: each redirects to the current address of its channel or content."""

from collections.abc import Iterable, Mapping
from itertools import islice
from urllib.parse import quote

import orjson
from django.db import connection

from contents.navigation.sql import path_sql
from contents.rules.sql import TABLES, Rules
from contents.sql_fragments import SqlFragment, among, fetch
from core.lib import clock
from pages import former_rules
from pages.content_resolver import find_among, pages_of
from pages.models import FormerAddress
from pages.resolver import INDEX, NUMBERED, Addresses, inside_paths
from sites.page_rules import Parts

MAX_PATH = FormerAddress._meta.get_field("path").max_length or 0  # characters; longer paths are not remembered
_BATCH = 5000  # rows in a statement
# The path below the site's web address, with a slash in front, and the id of a channel or of a content.
Row = tuple[str, int | None, int | None]
_ROWS = {
    "postgresql": "SELECT value ->> 0 AS path, CAST(value ->> 1 AS bigint) AS channel_id, "
    "CAST(value ->> 2 AS bigint) AS content_id FROM jsonb_array_elements(CAST(%s AS jsonb))",
    "sqlite": "SELECT value ->> 0 AS path, value ->> 1 AS channel_id, value ->> 2 AS content_id FROM json_each(%s)",
}


def remember(site_id: int, rows: Iterable[Row]) -> None:
    """Redirect the paths to these channels or contents from now on; of several rows of a path, the last one counts."""
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        found = {row[0]: row for row in batch if len(row[0]) <= MAX_PATH and "\0" not in row[0]}
        text = orjson.dumps(list(found.values())).decode()
        _store(site_id, SqlFragment(_ROWS[connection.vendor], (text,)))


def remember_pages(site_id: int, rules: Mapping[int, Parts]) -> None:
    """Remember the pages that the rules, by channel, gave the approved contents, those in the trash included."""
    chosen, path = among("c.channel_id", rules), path_sql(rules, Rules(site_id).find)
    pages = f"SELECT c.id, {path} AS path FROM {TABLES} WHERE c.site_id = %s AND c.is_checked AND {chosen.sql}"
    sql = (
        "SELECT path, CAST(NULL AS bigint) AS channel_id, MIN(id) AS content_id "
        f"FROM ({pages}) pages WHERE length(path) <= {MAX_PATH} GROUP BY path"
    )
    _store(site_id, SqlFragment(sql, (site_id, *chosen.params)))


def _store(site_id: int, rows: SqlFragment) -> None:
    now = connection.ops.adapt_datetimefield_value(clock.now())
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO pages_formeraddress (site_id, created_at, path, channel_id, content_id) "
            f"SELECT %s, %s, path, channel_id, content_id FROM ({rows.sql}) found WHERE TRUE "
            "ON CONFLICT (site_id, path) DO UPDATE SET channel_id = excluded.channel_id, "
            "content_id = excluded.content_id, created_at = excluded.created_at",
            (site_id, now, *rows.params),
        )


def find(addresses: Addresses, path: str) -> str | None:
    """Return the current address of the public page that had the path below the site's web address.

    Call it only if no page has the path. A statement, and one or two more if the page is of a content.
    """
    if len(path) > MAX_PATH or "\0" in path:
        return None
    forms, site_id = _forms(path), addresses.tree.site.pk
    chosen = f"path IN ({', '.join(['%s'] * len(forms))})"
    rows = fetch(
        f"SELECT path, channel_id, content_id FROM pages_formeraddress WHERE site_id = %s AND {chosen}",
        (site_id, *forms),
    )
    by_path = {row[0]: row[1:] for row in rows}
    for form in forms:
        if form in by_path:
            channel_id, content_id = by_path[form]
            found = _of_channel(addresses, channel_id) if channel_id else _of_content(addresses, {content_id})
            break
    else:
        rules = [*former_rules.rules_of(pages_of(addresses.tree)), *addresses.former_rules]
        found = _of_content(addresses, {pk for form in forms for pk in former_rules.ids_in(form, rules)})
    return None if found is None or found in forms else quote(f"{addresses.folder}{found}")


def _forms(path: str) -> list[str]:
    """Return the path, and the path of the page that it may be a page number or the folder of."""
    if path.endswith("/"):
        return [path, f"{path}index.html"]
    if match := NUMBERED.fullmatch(path):
        return [path, match[1] + match[3]]
    return [path] if "." in path.rpartition("/")[2] else [path, f"{path}{INDEX}"]


def _of_channel(addresses: Addresses, channel_id: int) -> str | None:
    if channel_id == addresses.tree.site.pk:
        return "/"
    inside = inside_paths(addresses.tree).get(channel_id)
    return inside if inside and addresses.find(f"{addresses.folder}{inside}") else None


def _of_content(addresses: Addresses, ids: set[int]) -> str | None:
    found = find_among(addresses.tree, ids, lambda _record, _path: True)
    if found is None or addresses.of_content(f"{addresses.folder}{found[1]}", found[0]) is None:
        return None
    return found[1]
