"""Error codes of the SQL endpoint, for the documentation; cms_api.openapi.error_codes collects them."""

from cms_api.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "sql_busy",
        (429,),
        "As many statements as the service takes at a time are running (CMS_SQL_SLOTS).",
        "Send it again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "sql_failed",
        (400,),
        "The database could not carry the statement out, such as for a value that does not fit.",
        "Look at the values of the statement.",
    ),
    ErrorCode(
        "sql_not_allowed",
        (400,),
        "The statement uses something that is not open to statements; message says what.",
        "Leave it away; sql.md lists what there is.",
    ),
    ErrorCode("sql_syntax", (400,), "The text cannot be read as SQL.", "Mend it at the place that message names."),
    ErrorCode(
        "sql_timeout",
        (400,),
        "The statement takes longer than CMS_SQL_SECONDS.",
        "Narrow it, such as by ChannelId, or ask for fewer columns.",
    ),
    ErrorCode(
        "sql_too_large",
        (400,),
        "The statement, or a single row of its result, is larger than is possible.",
        "Write a shorter statement, or ask for fewer columns.",
    ),
    ErrorCode(
        "sql_unavailable",
        (400,),
        "Statements are closed by the settings, or not set up.",
        "The operator can open them; sql.md tells how.",
    ),
)
