"""The SQL endpoint in the OpenAPI document."""

from cms_api.openapi.describing import Described, Parameter, Schema, list_of, nullable, ref, value_of
from cms_api.openapi.limits import limit_words
from cms_api.openapi.schemas import TEXT
from cms_api.stl.openapi import FORMAT, NOT_ALLOWED, ORDER, SHAPING, SHAPING_CODES, SITE, WINDOW

TAG = "SQL"
_STATEMENT = (
    "One SELECT in the words of SQL Server, MySQL, SQLite or PostgreSQL, over the tables of the original such as "
    "siteserver_Site, siteserver_Channel and siteserver_Content, with joins, sub-queries, unions and common tables."
)
_CODES = ("sql_failed", "sql_not_allowed", "sql_syntax", "sql_timeout", "sql_too_large", "sql_unavailable")
_LIMITS = (
    f"A statement may take the seconds of CMS_SQL_SECONDS; at most {limit_words('CMS_SQL_MAX_ROWS')} rows and "
    f"{limit_words('CMS_SQL_MAX_BYTES')} bytes are answered, and the header X-SQL-Truncated tells that there are more."
)
_NAMED_SITE = "It has no influence on the rows, but one that is named has to exist, and the key has to reach it."

SCHEMAS: dict[str, Schema] = {
    "SqlRow": {
        "type": "object",
        "description": "One row: a member for each column of the statement, in its spelling. Flags are the texts "
        "True and False, dates are 2026-11-20 09:30:00.",
        "additionalProperties": {
            "type": ["string", "number", "null"],
            "description": "The value of the column: a text, a number, or null.",
        },
    }
}

OPERATIONS = (
    Described(
        method="GET",
        path="/stl/sqlContents",
        id="listSqlRows",
        tag=TAG,
        description="Answers the rows of a SELECT. It runs in a sandbox that can only read, and only what the key's "
        f"sites have. {_LIMITS} {_NAMED_SITE}",
        success="The rows in their order; an empty list where there are none.",
        answer=value_of(list_of(ref("SqlRow")), "The rows in their order."),
        headers=("X-SQL-Truncated",),
        parameters=(
            Parameter("queryString", f"{_STATEMENT} It is required.", TEXT | {"minLength": 1}, is_required=True),
            *SITE,
            Parameter("order", f"How the rows are sorted: {ORDER} Default: as the statement says.", TEXT),
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
        description="Answers the first row of a SELECT, null where there is none. With `type` the answer is one "
        f"value of that row as a text, shaped as the text parameters say. {_LIMITS} {_NAMED_SITE}",
        success="The row, null, or with `type` a text.",
        answer=value_of(
            {"anyOf": [*nullable(ref("SqlRow"))["anyOf"], {"type": "string"}]},
            "The first row, or null where there is none; with type a text.",
        ),
        headers=("X-SQL-Truncated",),
        parameters=(
            Parameter("queryString", f"{_STATEMENT} Without it the answer is null.", TEXT),
            *SITE,
            Parameter(
                "type",
                "The column whose value is wanted, as one text; of a name that no column has, the first. Without it "
                "the answer is the whole row.",
                TEXT,
            ),
            *SHAPING,
            FORMAT,
        ),
        codes={400: (*_CODES, *SHAPING_CODES, "bad_format"), 429: ("sql_busy",), **NOT_ALLOWED},
    ),
)
