"""Error codes of sites, for the documentation; cms_api.openapi.error_codes collects them."""

from cms_api.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "site_not_found",
        (400, 404),
        "There is no such site: 404 where the path names it, 400 where the body or the query does.",
        "List the sites.",
    ),
)
