"""Error codes of contents, for the documentation; cms_api.openapi.error_codes collects them."""

from cms_api.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "channel_takes_no_contents",
        (400,),
        "The settings of the channel take no contents.",
        "Choose another channel, or set isContentAddable.",
    ),
    ErrorCode(
        "content_not_found",
        (404,),
        "The channel has no such content; it may have been deleted.",
        "List the contents of the channel.",
    ),
    ErrorCode(
        "invalid_cursor",
        (400,),
        "The cursor is none, belongs to another list, stands beside page, or the order of the list has none.",
        'Begin again with "" for a cursor, and change neither filters nor orders between the pages.',
    ),
    ErrorCode(
        "pattern_without_wildcard",
        (400,),
        "The value of a Like or NotLike rule has no %.",
        "Put a % where any text may stand, or use =.",
    ),
    ErrorCode(
        "query_too_slow",
        (400,),
        "The list takes more work than CMS_STATEMENT_SECONDS, or more than the service does for one list, allow.",
        "Narrow it: a channel, fewer rules, another order.",
    ),
    ErrorCode(
        "unknown_column",
        (400,),
        "A rule, order or field names a member that no content of the site has.",
        "Compare it with the members of a content.",
    ),
    ErrorCode(
        "unknown_operator",
        (400,),
        "A Where rule has an operator that does not exist.",
        "Use one of those that message lists.",
    ),
)
