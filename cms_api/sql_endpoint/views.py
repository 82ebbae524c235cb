"""The stl elements `sqlContents` and `sqlContent`: the rows of a client's SELECT."""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any

import orjson
from django.db import connection

from cms_api.sql_endpoint.catalogue import CONTENTS
from cms_api.sql_endpoint.reader_role import open_tables
from cms_api.sql_endpoint.sandbox import Window, names_of_contents, run_statement
from core.lib import clock
from core.lib.errors import InvalidInput, LimitReached
from core.stl.attributes import Attributes
from core.stl.dates import format_date
from core.stl.text import TextShape
from core.stl.views import ElementView
from core.stl.where import parse_order
from sites.stl import find_site
from sql_sandbox.catalogue import Catalogue
from sql_sandbox.compiled import Answer
from sql_sandbox.refusals import Busy, Refused


class SqlElementView(ElementView):
    required_scope = "SQL"
    reads_replicas = False  # statements use their own connections, and are too expensive to run twice

    def run(self, attributes: Attributes, window: Window) -> Answer:
        """Run the statement; a header reports if a limit cut the rows short. Raise InvalidInput and LimitReached."""
        # A site does not affect the rows, but as in SiteServer v6 a named one must exist.
        if attributes.signed("siteId") > 0 or attributes.text("siteDir").strip():
            find_site(attributes, self.grant)
        answer = _run(attributes, self.grant.site_ids, window, self.grant.key_id)
        if answer.truncated:
            self.headers["X-SQL-Truncated"] = answer.truncated
        return answer


def _run(attributes: Attributes, site_ids: Iterable[int] | None, window: Window, key_id: int | None = None) -> Answer:
    if attributes.text("connectionString").strip():
        message = "connectionString is not supported: statements read only the tables of this service."
        raise InvalidInput("invalid_value", message, member="connectionString")
    try:
        return run_statement(attributes.text("queryString"), site_ids, window, key_id)
    except Busy as refused:
        raise LimitReached(refused.code, refused.message, wait=1) from refused
    except Refused as refused:
        raise InvalidInput(refused.code, refused.message) from refused


def rows_of_site(attributes: Attributes, site_id: int) -> list[dict[str, Any]]:
    """Return the rows of the element `sqlContents` on a page of the site. Raises InvalidInput and LimitReached.

    Without pending contents, unless `isChecked` is `all`.
    """
    only_approved = attributes.text("isChecked").strip().lower() != "all"
    window = _window(attributes)._replace(only_approved=only_approved)
    rows: list[dict[str, Any]] = orjson.loads(_run(attributes, [site_id], window).rows)
    return rows


# Names of version 5, which its templates have, and of later versions.
_FORMER_NAMES = {
    "siteserver_Node": "siteserver_Channel",
    "siteserver_PublishmentSystem": "siteserver_Site",
    "NodeID": "Id of a channel, and ChannelId of a content",
    "NodeName": "ChannelName",
    "NodeIndexName": "IndexName",
    "NodeGroupNameCollection": "GroupNameCollection",
    "ContentGroupNameCollection": "GroupNameCollection",
    "PublishmentSystemID": "Id of a site, else SiteId",
    "PublishmentSystemName": "SiteName",
    "PublishmentSystemDir": "SiteDir",
    "AuxiliaryTableForContent": "TableName",
}


def problem_of_statement(text: str, site_id: int) -> str:
    """Return why `rows_of_site` would refuse the statement, without running it; empty if it would not."""
    # Workers do without these, since children compile.
    from sql_sandbox.compiling.statement import compile_query
    from sql_sandbox.reading.statement import read_statement

    tables = [table.approved or table for table in open_tables()]
    catalogue = Catalogue.of(tables, [site_id], CONTENTS, names_of_contents([site_id]))
    try:
        compile_query(read_statement(text), catalogue, connection.vendor, now=clock.now(), max_rows=1)
    except Refused as refused:
        former = [name for name in _FORMER_NAMES if re.search(rf"\b{name}\b", text, re.IGNORECASE)]
        hint = "; ".join(f"{name} is now {_FORMER_NAMES[name]}" for name in former)
        return f"{refused.message} {hint}." if hint else refused.message
    except (RecursionError, MemoryError):
        return "The statement is too large."
    return ""


def _window(attributes: Attributes) -> Window:
    order = parse_order(attributes.text("order")) if attributes.text("order").strip() else []
    return Window(
        tuple((rule.column, rule.desc) for rule in order),
        attributes.integer("startNum", 1),
        attributes.integer("totalNum"),
    )


class SqlContentsView(SqlElementView):
    def evaluate(self, attributes: Attributes) -> orjson.Fragment:
        """Return a list of objects, limited by `startNum` and `totalNum` and sorted by `order`."""
        if not attributes.text("queryString").strip():
            message = "queryString is missing; send a SELECT statement, such as SELECT * FROM siteserver_Site."
            raise InvalidInput("missing_member", message, member="queryString")
        return orjson.Fragment(self.run(attributes, _window(attributes)).rows)


class SqlContentView(SqlElementView):
    def evaluate(self, attributes: Attributes) -> dict[str, Any] | str | None:
        """Return the first row or null; with `type` one of its values as a shaped text, empty if there is none."""
        kind = attributes.text("type").strip()
        row: dict[str, Any] | None = None
        if attributes.text("queryString").strip():
            row = next(iter(orjson.loads(self.run(attributes, Window(total=1)).rows)), None)
        if not kind:
            return row
        # As in SiteServer, the first value if no column is named like `type`.
        named = (value for name, value in (row or {}).items() if name.casefold() == kind.casefold())
        value = next(named, next(iter((row or {}).values()), None))
        text = "" if value is None else str(value)
        shape = TextShape.of(attributes)
        if shape.format_string:
            moment = None
            with suppress(ValueError):  # not a date
                moment = datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
            text = format_date(moment, shape.format_string, completed=False) if moment else text
        return shape.surround(shape.shape(text))
