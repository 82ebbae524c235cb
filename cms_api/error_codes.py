from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "sql_busy",
        (429,),
        "The maximum number of concurrent statements (CMS_SQL_SLOTS) is running.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "sql_failed",
        (400,),
        "The database could not execute the statement, perhaps because of a value.",
        "Check the values in the statement.",
    ),
    ErrorCode(
        "sql_not_allowed",
        (400,),
        "The statement uses something that is not allowed, as message explains.",
        "Remove it; sql.md lists what is allowed.",
    ),
    ErrorCode("sql_syntax", (400,), "The statement is not valid SQL.", "Correct it at the position in message."),
    ErrorCode(
        "sql_timeout",
        (400,),
        "The statement takes longer than CMS_SQL_SECONDS.",
        "Narrow it, for example by ChannelId, or select fewer columns.",
    ),
    ErrorCode(
        "sql_too_large",
        (400,),
        "The statement or a row of its result is too large.",
        "Shorten the statement or select fewer columns.",
    ),
    ErrorCode(
        "sql_unavailable",
        (400,),
        "SQL statements are disabled or not set up.",
        "The operator can enable them; see sql.md.",
    ),
)
