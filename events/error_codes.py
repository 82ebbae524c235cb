"""Error codes of the change feed; tools.openapi.error_codes collects them."""

from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "cursor_expired",
        (400,),
        "Changes after the cursor are no longer stored (CMS_EVENT_DAYS), or a backup was restored.",
        "Get a new cursor without after, read all records again, then follow the changes from that cursor.",
    ),
)
