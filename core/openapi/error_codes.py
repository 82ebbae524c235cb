"""Lists the error codes of the API, the values of `code` in error responses, with statuses, meaning and remedy.

While /api/v1 exists, a code keeps its meaning and is never removed; new codes may be added. The reference documentation
and the error codes in the OpenAPI document are generated from this table.
"""

from collections.abc import Mapping
from importlib import import_module

from cms_api.openapi.error_code import ErrorCode

_OF_APPS = (
    "accounts.error_codes",
    "apikeys.error_codes",
    "channels_app.error_codes",
    "cms_api.sql_endpoint.error_codes",
    "contents.error_codes",
    "events.error_codes",
    "sites.error_codes",
    "webhooks.error_codes",
)
# Codes of the service as a whole and codes that several apps share.
_SHARED = (
    ErrorCode(
        "bad_format",
        (400,),
        "The formatString parameter is invalid.",
        "Use a format that the reference describes.",
    ),
    ErrorCode("bad_order", (400,), "The order parameter is invalid; message gives the position.", "Correct it."),
    ErrorCode(
        "bad_pattern",
        (400,),
        "The regular expression in replace is invalid or too complex.",
        "Simplify the expression.",
    ),
    ErrorCode("bad_request", (400,), "The request is malformed.", "Check the URL and the headers."),
    ErrorCode("bad_where", (400,), "The where parameter is invalid; message gives the position.", "Correct it."),
    ErrorCode(
        "body_not_object",
        (400,),
        "The body is not a JSON object.",
        "Send a UTF-8 object, such as {}.",
    ),
    ErrorCode(
        "body_too_deep",
        (400,),
        "The JSON of the body has more than 100 levels.",
        "Reduce the nesting.",
    ),
    ErrorCode(
        "body_too_large",
        (413,),
        "The body exceeds CMS_MAX_BODY_BYTES, or 16 KiB without a key.",
        "Send less data.",
    ),
    ErrorCode(
        "body_unreadable",
        (400,),
        "The body is incomplete, or its chunks or form parts are malformed.",
        "Send it again; if that fails, check the client.",
    ),
    ErrorCode(
        "busy",
        (429,),
        "Too many such requests (sign-ins, pictures) are in progress.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "custom_field_too_large",
        (400,),
        "A custom field exceeds CMS_MAX_CUSTOM_FIELD_BYTES, or those of a record exceed eight times that.",
        "Store long texts in the body or in a file; the operator can raise the limit.",
    ),
    ErrorCode(
        "data_picture",
        (400,),
        "A body to be cleaned (CMS_CLEAN_API_BODIES) has an embedded picture (data: URL).",
        "Link to the picture by URL.",
    ),
    ErrorCode(
        "database_busy",
        (503,),
        "The database is busy; nothing was stored.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "database_damaged",
        (503,),
        "The database file is damaged or not a database; nothing was stored.",
        "The operator must restore the database.",
    ),
    ErrorCode(
        "database_not_migrated",
        (503,),
        "The database lacks tables or columns of this release; nothing was stored.",
        "The operator must run `manage.py migrate`.",
    ),
    ErrorCode(
        "database_unavailable",
        (503,),
        "The database is unavailable; nothing was stored.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "duplicate_member",
        (400,),
        "A member or parameter is sent twice, perhaps in different letter case.",
        "Send it once.",
    ),
    ErrorCode("file_empty", (400,), "The file is empty.", "Send a picture."),
    ErrorCode(
        "file_expected",
        (400,),
        "The body is not a form (multipart/form-data) with a file.",
        "Send the picture as a form part.",
    ),
    ErrorCode(
        "file_too_large",
        (413,),
        "The file exceeds CMS_AVATAR_MAX_BYTES.",
        "Send a smaller picture.",
    ),
    ErrorCode(
        "headers_too_large",
        (431,),
        "A header exceeds 8,190 bytes, or there are more than 100.",
        "Send fewer or shorter headers.",
    ),
    ErrorCode(
        "host_not_allowed",
        (400,),
        "The service does not accept the host name of the request.",
        "The operator can add it to CMS_ALLOWED_HOSTS.",
    ),
    ErrorCode(
        "idempotency_key_reused",
        (422,),
        "The Idempotency-Key was used with another method, path or body.",
        "Use a new key for each request.",
    ),
    ErrorCode(
        "invalid_idempotency_key",
        (400,),
        "The Idempotency-Key is empty, longer than 255 characters, or not printable ASCII.",
        "Use a UUID.",
    ),
    ErrorCode(
        "invalid_value",
        (400,),
        "A value is invalid or out of range; message says what is valid.",
        "Send a valid value.",
    ),
    ErrorCode(
        "method_not_allowed",
        (405,),
        "The path does not support this method.",
        "Use a method from the Allow header.",
    ),
    ErrorCode(
        "metrics_off",
        (404,),
        "Prometheus metrics are disabled.",
        "The operator can set CMS_METRICS or CMS_METRICS_TOKEN.",
    ),
    ErrorCode(
        "missing_member",
        (400,),
        "A required member or parameter is missing, null or blank.",
        "Add it.",
    ),
    ErrorCode(
        "nested_too_deeply",
        (400,),
        "The markup of a body to be cleaned (CMS_CLEAN_API_BODIES) is nested too deeply.",
        "Simplify the markup.",
    ),
    ErrorCode(
        "not_a_picture",
        (400,),
        "The file is not a complete GIF, JPEG, PNG, WebP or BMP picture.",
        "Send a valid picture.",
    ),
    ErrorCode("not_allowed", (401,), "The API key does not permit this.", "Use another key."),
    ErrorCode("not_found", (404,), "The record does not exist.", "Check the path."),
    ErrorCode(
        "not_ready",
        (503,),
        "The server is not ready; only /health/ready returns this.",
        "Use another server.",
    ),
    ErrorCode(
        "one_file_expected",
        (400,),
        "The form has more than one file, or too many other parts.",
        "Send only the picture.",
    ),
    ErrorCode(
        "outcome_unknown",
        (503,),
        "The connection to the database failed during a write, which may have been stored.",
        "Check before you retry; with an Idempotency-Key, retry at once.",
    ),
    ErrorCode(
        "overloaded",
        (503,),
        "The service is overloaded; nothing was done.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "page_too_large",
        (400,),
        "The value of perPage or top exceeds CMS_MAX_PER_PAGE.",
        "Request smaller pages.",
    ),
    ErrorCode(
        "pattern_too_slow",
        (400,),
        "The regular expression in replace is too slow on this text.",
        "Simplify the expression.",
    ),
    ErrorCode(
        "picture_too_large",
        (400,),
        "The picture has more pixels than CMS_AVATAR_MAX_PIXELS, or too many scans.",
        "Send a smaller picture.",
    ),
    ErrorCode(
        "precondition_failed",
        (412,),
        "The record has changed; value is the current record.",
        "Merge your change into value and send it with the new ETag.",
    ),
    ErrorCode(
        "request_timeout",
        (408,),
        "The request was not received within CMS_CLIENT_SECONDS; nothing was done.",
        "Send it again without pauses.",
    ),
    ErrorCode(
        "result_too_large",
        (400,),
        "The text after replace would exceed 16 million characters.",
        "Replace less, or use a shorter text.",
    ),
    ErrorCode(
        "route_not_found",
        (404,),
        "No endpoint has this path.",
        "Check the path; it begins with /api/v1/.",
    ),
    ErrorCode(
        "server_error",
        (500,),
        "An internal error; see the log. A change may have been stored.",
        "Report the time and X-Request-Id to the operator.",
    ),
    ErrorCode(
        "service_unavailable",
        (503,),
        "No server behind the proxy responds.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "storage_full",
        (503,),
        "The disk of the database or the media is full; nothing was stored.",
        "The operator must free disk space.",
    ),
    ErrorCode(
        "storage_unavailable",
        (503,),
        "The file storage is unavailable; nothing was changed.",
        "Retry later.",
    ),
    ErrorCode(
        "too_many_entries",
        (400,),
        "A list in the request, or the custom members of a record, have too many entries.",
        "Split the request.",
    ),
    ErrorCode(
        "too_much_markup",
        (400,),
        "A body to be cleaned (CMS_CLEAN_API_BODIES) has too many tags.",
        "Split the content.",
    ),
    ErrorCode(
        "unknown_member",
        (400,),
        "A list request has an unknown member, probably a typo; message suggests a name.",
        "Correct the name.",
    ),
    ErrorCode(
        "uri_too_long",
        (414,),
        "The request line, with path and query, exceeds 8,190 bytes.",
        "Shorten the query, or use POST /contents, whose body may be longer.",
    ),
)

ERROR_CODES: Mapping[str, ErrorCode] = {
    code.word: code
    for code in sorted((*_SHARED, *(code for name in _OF_APPS for code in import_module(name).ERROR_CODES)))
}


def rows() -> list[tuple[str, str, str, str]]:
    """Return the rows of the table in the documentation (code, statuses, meaning, remedy), sorted by code."""
    return [(code.word, ", ".join(map(str, code.statuses)), code.meaning, code.remedy) for code in ERROR_CODES.values()]
