"""The stl elements `sqlContents` and `sqlContent`: a client's SELECT, its rows (template-tags §2.5, §3.4, §6)."""

from datetime import datetime
from typing import Any

import orjson

from cms_api.lib.errors import InvalidInput, LimitReached
from cms_api.lib.sql_sandbox.compiled import Answer
from cms_api.lib.sql_sandbox.refusals import Busy, Refused
from cms_api.sql_endpoint.sandbox import Window, run_statement
from cms_api.stl.attributes import Attributes
from cms_api.stl.dates import format_date
from cms_api.stl.order import parse_order
from cms_api.stl.text import TextShape
from cms_api.stl.views import ElementView
from sites.stl import find_site

TRUNCATED = "X-SQL-Truncated"
_RETRY_SECONDS = 1
_DATE_TIME = "%Y-%m-%d %H:%M:%S"


class SqlElementView(ElementView):
    """Runs the statement of `queryString`."""

    required_scope = "SQL"
    reads_replicas = False  # statements have connections of their own, and are too dear to be run twice

    def run(self, attributes: Attributes, window: Window) -> Answer:
        """The rows as JSON; a header says when a limit cut them short. Raises InvalidInput and LimitReached."""
        self._refuse_elsewhere(attributes)
        try:
            answer = run_statement(attributes.text("queryString"), self.grant.site_ids, window, self.grant.key_id)
        except Busy as refused:
            raise LimitReached(refused.code, refused.message, wait=_RETRY_SECONDS) from refused
        except Refused as refused:
            raise InvalidInput(refused.code, refused.message) from refused
        if answer.truncated:
            self.headers[TRUNCATED] = answer.truncated
        return answer

    def _refuse_elsewhere(self, attributes: Attributes) -> None:
        if attributes.text("connectionString").strip():
            message = "connectionString is not possible: statements read the tables of this service, no other database."
            raise InvalidInput("invalid_value", message, member="connectionString")
        # A site has no influence on the rows, but one that is named has to exist (template-tags §6.1).
        if attributes.signed("siteId") > 0 or attributes.text("siteDir").strip():
            find_site(attributes, self.grant)


class SqlContentsView(SqlElementView):
    """`/stl/sqlContents`: the rows of a statement."""

    def evaluate(self, attributes: Attributes) -> orjson.Fragment:
        """A list of objects, in the window of `startNum` and `totalNum` and in the `order` that is asked for."""
        if not attributes.text("queryString").strip():
            message = "queryString is missing; send a SELECT statement, such as SELECT * FROM siteserver_Site."
            raise InvalidInput("missing_member", message, member="queryString")
        order = parse_order(attributes.text("order")) if attributes.text("order").strip() else []
        window = Window(
            tuple((rule.column, rule.desc) for rule in order),
            attributes.integer("startNum", 1),
            attributes.integer("totalNum"),
        )
        return orjson.Fragment(self.run(attributes, window).rows)


class SqlContentView(SqlElementView):
    """`/stl/sqlContent`: the first row of a statement, or one of its values as a text."""

    def evaluate(self, attributes: Attributes) -> dict[str, Any] | str | None:
        """The row, null where there is none; with `type` a shaped text, empty where there is none."""
        kind = attributes.text("type").strip()
        row = self._first_row(attributes)
        if not kind:
            return row
        shape = TextShape.of(attributes)
        return shape.surround(shape.shape(_as_text(_choose(row or {}, kind), shape)))

    def _first_row(self, attributes: Attributes) -> dict[str, Any] | None:
        if not attributes.text("queryString").strip():
            return None
        rows = orjson.loads(self.run(attributes, Window(total=1)).rows)
        return rows[0] if rows else None


def _choose(row: dict[str, Any], kind: str) -> Any:
    """The value of the column that `type` names; of another `type` the first one, as in the original."""
    named = (value for name, value in row.items() if name.casefold() == kind.casefold())
    return next(named, next(iter(row.values()), None))


def _as_text(value: Any, shape: TextShape) -> str:
    if value is None:
        return ""
    text = str(value)
    moment = _moment(text) if shape.format_string else None
    return format_date(moment, shape.format_string, completed=False) if moment else text


def _moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, _DATE_TIME)
    except ValueError:
        return None
