from core.openapi.describing import Described, Parameter, Schema, list_of, nullable, ref, value_of
from core.openapi.limits import limit_words
from core.openapi.schemas import TEXT
from core.stl.openapi import FORMAT, NOT_ALLOWED, ORDER, SHAPING, SHAPING_CODES, SITE, WINDOW

TAG = "SQL"
_STATEMENT = (
    "One SELECT in the dialect of SQL Server, MySQL, SQLite or PostgreSQL over the tables of SiteServer CMS, "
    "such as siteserver_Site, siteserver_Channel and siteserver_Content, with joins, subqueries, unions and "
    "common table expressions."
)
_CODES = ("sql_failed", "sql_not_allowed", "sql_syntax", "sql_timeout", "sql_too_large", "sql_unavailable")
_LIMITS = (
    f"A statement may take CMS_SQL_SECONDS; at most {limit_words('CMS_SQL_MAX_ROWS')} rows and "
    f"{limit_words('CMS_SQL_MAX_BYTES')} bytes are returned, and the header X-SQL-Truncated indicates more."
)
_NAMED_SITE = "siteId and siteDir do not affect the rows, but the site must exist and the key must have access to it."

SCHEMAS: dict[str, Schema] = {
    "SqlRow": {
        "type": "object",
        "description": "One row: a member per column, spelled as in the statement. Booleans are the texts True and "
        "False; dates look like 2026-11-20 09:30:00.",
        "additionalProperties": {
            "type": ["string", "number", "null"],
            "description": "Value of the column: a text, a number, or null.",
        },
    }
}

OPERATIONS = (
    Described(
        method="GET",
        path="/stl/sqlContents",
        id="listSqlRows",
        tag=TAG,
        description="Returns the rows of a SELECT. It runs in a read-only sandbox with the data of the key's sites. "
        f"{_LIMITS} {_NAMED_SITE}",
        success="The rows in order, possibly none.",
        answer=value_of(list_of(ref("SqlRow")), "The rows in order."),
        headers=("X-SQL-Truncated",),
        parameters=(
            Parameter("queryString", _STATEMENT, TEXT | {"minLength": 1}, is_required=True),
            *SITE,
            Parameter("order", f"Sort by {ORDER.removeprefix('or ')} Default: as in the statement.", TEXT),
            *WINDOW,
        ),
        codes={
            400: (*_CODES, "bad_order", "invalid_value", "missing_member", "site_not_found"),
            429: ("sql_busy",),
            **NOT_ALLOWED,
        },
    ),
    Described(
        method="GET",
        path="/stl/sqlContent",
        id="getSqlRow",
        tag=TAG,
        description="Returns the first row of a SELECT, or with `type` one value of it as shaped text; null if there "
        "is no row. The limits, siteId and siteDir are those of GET /stl/sqlContents.",
        success="The row, null, or with `type` a text.",
        answer=value_of(
            {"anyOf": [*nullable(ref("SqlRow"))["anyOf"], {"type": "string"}]},
            "The first row, null if there is none; with type a text.",
        ),
        headers=("X-SQL-Truncated",),
        parameters=(
            Parameter("queryString", f"{_STATEMENT} Without it the response is null.", TEXT),
            *SITE,
            Parameter(
                "type",
                "Column to return as text; an unknown name selects the first. Without it the whole row is returned.",
                TEXT,
            ),
            *SHAPING,
            FORMAT,
        ),
        codes={400: (*_CODES, *SHAPING_CODES, "bad_format"), 429: ("sql_busy",), **NOT_ALLOWED},
    ),
)
