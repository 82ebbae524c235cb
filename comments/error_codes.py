from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "comment_not_found",
        (400,),
        "The comment that is replied to is not there, or is not approved.",
        "Comment without `parent`.",
    ),
    ErrorCode("comments_closed", (400,), "The content item no longer exists.", "Do not repeat the request."),
)
