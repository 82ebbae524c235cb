"""The words of `code` in the API's errors: each once, with its statuses, its meaning, and what a client can do.

A word never changes its meaning, and is never taken away while /api/v1 lasts; new words may come. The reference of the
documentation and the words in the OpenAPI document are made from this table.
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
    "sites.error_codes",
)
# Codes of the service as a whole, and of several apps.
_SHARED = (
    ErrorCode(
        "bad_format",
        (400,),
        "The parameter formatString has a part that dates cannot be written with.",
        "Write it as the reference tells.",
    ),
    ErrorCode(
        "bad_order", (400,), "The parameter order cannot be read at the place that message names.", "Mend it there."
    ),
    ErrorCode(
        "bad_pattern",
        (400,),
        "The regular expression in replace cannot be read, or asks for too much.",
        "Write a simpler one.",
    ),
    ErrorCode("bad_request", (400,), "The request cannot be read.", "Look at its address and headers."),
    ErrorCode(
        "bad_where", (400,), "The parameter where cannot be read at the place that message names.", "Mend it there."
    ),
    ErrorCode(
        "body_not_object",
        (400,),
        "The body is no JSON object.",
        "Send an object in UTF-8, such as {}.",
    ),
    ErrorCode(
        "body_too_deep",
        (400,),
        "The JSON of the body is nested more than a hundred levels deep.",
        "Send it with fewer levels.",
    ),
    ErrorCode(
        "body_too_large",
        (413,),
        "The body has more bytes than the service takes: CMS_MAX_BODY_BYTES, at endpoints without a key 16 KiB.",
        "Send less.",
    ),
    ErrorCode(
        "body_unreadable",
        (400,),
        "The body broke off, or its chunks or the parts of its form are malformed.",
        "Send it again; if it happens again, look at what writes it.",
    ),
    ErrorCode(
        "busy",
        (429,),
        "The service has as much work of this kind as it takes at a time, such as sign-ins or pictures.",
        "Send the request again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "custom_field_too_large",
        (400,),
        "A custom field is larger than CMS_MAX_CUSTOM_FIELD_BYTES, or all of a record than eight times as much.",
        "Keep long texts in the body of a content or in a file; the operator can raise the setting.",
    ),
    ErrorCode(
        "data_picture",
        (400,),
        "A body that is cleaned (CMS_CLEAN_API_BODIES) has a picture written into the text itself.",
        "Lead to the picture by its address.",
    ),
    ErrorCode(
        "database_busy",
        (503,),
        "The database is busy with other changes; nothing was stored.",
        "Send the request again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "database_damaged",
        (503,),
        "The database file is damaged, or is no database; nothing was stored.",
        "The operator has to restore the database.",
    ),
    ErrorCode(
        "database_not_migrated",
        (503,),
        "The database lacks tables or columns of this release; nothing was stored.",
        "The operator has to run `manage.py migrate`.",
    ),
    ErrorCode(
        "database_unavailable",
        (503,),
        "The database does not answer; nothing was stored.",
        "Send the request again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "duplicate_member",
        (400,),
        "A member or parameter stands twice in the request, in one spelling or in two.",
        "Send it once.",
    ),
    ErrorCode("file_empty", (400,), "The file that was sent has no bytes.", "Send a picture."),
    ErrorCode(
        "file_expected",
        (400,),
        "The body is no form (multipart/form-data) with a file.",
        "Send the picture as a part of such a form.",
    ),
    ErrorCode(
        "file_too_large",
        (413,),
        "The file has more than CMS_AVATAR_MAX_BYTES.",
        "Send a smaller picture.",
    ),
    ErrorCode(
        "headers_too_large",
        (431,),
        "A header of the request has more than 8,190 bytes, or there are more than a hundred.",
        "Send fewer and shorter ones.",
    ),
    ErrorCode(
        "host_not_allowed",
        (400,),
        "The service does not answer under the host name of the request.",
        "The operator adds the name to CMS_ALLOWED_HOSTS.",
    ),
    ErrorCode(
        "idempotency_key_reused",
        (422,),
        "The Idempotency-Key has been used for another request: another method, path or body.",
        "Take a new key for each new request.",
    ),
    ErrorCode(
        "invalid_idempotency_key",
        (400,),
        "The Idempotency-Key is empty, longer than 255 characters, or not of printable ASCII.",
        "Send a UUID.",
    ),
    ErrorCode(
        "invalid_value",
        (400,),
        "The value of a member or parameter cannot be read, or is out of its range; message says what is expected.",
        "Send a value of the kind and range that the reference tells.",
    ),
    ErrorCode(
        "method_not_allowed",
        (405,),
        "The path does not know this verb.",
        "Use one of the verbs in the header Allow.",
    ),
    ErrorCode(
        "metrics_off",
        (404,),
        "The figures for Prometheus are switched off.",
        "The operator can set CMS_METRICS or CMS_METRICS_TOKEN.",
    ),
    ErrorCode(
        "missing_member",
        (400,),
        "A member or parameter that is required is missing, null or blank.",
        "Send it.",
    ),
    ErrorCode(
        "nested_too_deeply",
        (400,),
        "Elements of a body that is cleaned (CMS_CLEAN_API_BODIES) are nested too deeply.",
        "Send simpler markup.",
    ),
    ErrorCode(
        "not_a_picture",
        (400,),
        "The file is no whole picture in the format GIF, JPEG, PNG, WebP or BMP.",
        "Send one of these.",
    ),
    ErrorCode("not_allowed", (401,), "The API key does not allow this.", "Use a key that does."),
    ErrorCode("not_found", (404,), "The record was not found.", "Compare the path with the reference."),
    ErrorCode(
        "not_ready",
        (503,),
        "This server should get no requests at present; only /health/ready says so.",
        "Send requests to another server.",
    ),
    ErrorCode(
        "one_file_expected",
        (400,),
        "The form has more than one file, or too many other parts.",
        "Send the picture alone.",
    ),
    ErrorCode(
        "outcome_unknown",
        (503,),
        "The connection broke off while a change was being stored: it may have been stored, or not.",
        "Look whether it was before you send it again; with an Idempotency-Key it can be sent again as it is.",
    ),
    ErrorCode(
        "overloaded",
        (503,),
        "The service has more requests than it can answer; nothing was done.",
        "Send the request again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "page_too_large",
        (400,),
        "The member perPage, or top, is more than CMS_MAX_PER_PAGE.",
        "Ask for smaller pages, and for more of them.",
    ),
    ErrorCode(
        "pattern_too_slow",
        (400,),
        "The regular expression in replace takes too long on this text.",
        "Write a simpler one.",
    ),
    ErrorCode(
        "picture_too_large",
        (400,),
        "The picture has more pixels than CMS_AVATAR_MAX_PIXELS, or more scans than are read.",
        "Send a smaller picture.",
    ),
    ErrorCode(
        "precondition_failed",
        (412,),
        "The record is not any more what If-Match names: somebody has changed it; value is the record as it is now.",
        "Merge the change with value, and send it with the ETag of this answer.",
    ),
    ErrorCode(
        "request_timeout",
        (408,),
        "The request did not come within CMS_CLIENT_SECONDS; nothing was done.",
        "Send it again, without pauses.",
    ),
    ErrorCode(
        "result_too_large",
        (400,),
        "The text that replace would make has more than 16 million characters.",
        "Replace less, or in a shorter text.",
    ),
    ErrorCode(
        "route_not_found",
        (404,),
        "No endpoint has this path.",
        "Compare the path with the reference; it begins with /api/v1/.",
    ),
    ErrorCode(
        "server_error",
        (500,),
        "A fault of the service, which is in its log. Look whether a change was stored before sending it again.",
        "Tell the operator the time and the X-Request-Id.",
    ),
    ErrorCode(
        "service_unavailable",
        (503,),
        "No node behind the proxy answers.",
        "Send the request again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "storage_full",
        (503,),
        "There is no room left on the disk of the database or the media; nothing was stored.",
        "The operator has to make room.",
    ),
    ErrorCode(
        "storage_unavailable",
        (503,),
        "The store of files does not answer; nothing was changed.",
        "Send the request again later.",
    ),
    ErrorCode(
        "too_many_entries",
        (400,),
        "A list in the request, or the custom members of a record, are more than the service takes at once.",
        "Send fewer, in several requests.",
    ),
    ErrorCode(
        "too_much_markup",
        (400,),
        "A body that is cleaned (CMS_CLEAN_API_BODIES) has too many tags.",
        "Divide it into several contents.",
    ),
    ErrorCode(
        "unknown_member",
        (400,),
        "The body of a list has a member that is probably a typo of a known one, which message names.",
        "Correct the name.",
    ),
    ErrorCode(
        "uri_too_long",
        (414,),
        "The first line of the request, which has its address and query, has more than 8,190 bytes.",
        "Shorten the query, or list contents by POST /contents, whose body has room for long rules.",
    ),
)

ERROR_CODES: Mapping[str, ErrorCode] = {
    code.word: code
    for code in sorted((*_SHARED, *(code for name in _OF_APPS for code in import_module(name).ERROR_CODES)))
}


def words_of(status: int) -> list[str]:
    """The words that answers of the status can have."""
    return [code.word for code in ERROR_CODES.values() if status in code.statuses]


def rows() -> list[tuple[str, str, str, str]]:
    """The table of the documentation: word, statuses, meaning, and what to do, by the word."""
    return [(code.word, ", ".join(map(str, code.statuses)), code.meaning, code.remedy) for code in ERROR_CODES.values()]
