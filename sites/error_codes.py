from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "site_not_found",
        (400, 404),
        "The site does not exist: 404 for the path, 400 for the body or query.",
        "List the sites.",
    ),
)
