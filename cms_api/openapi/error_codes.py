"""The words of `code` in the API's errors: each once, with its statuses, its meaning, and what a client can do.

A word never changes its meaning, and is never taken away while /api/v1 lasts; new words may come. The reference of the
documentation and the words in the OpenAPI document are made from this table.
"""

from collections.abc import Mapping
from typing import NamedTuple


class ErrorCode(NamedTuple):
    """One word."""

    word: str
    statuses: tuple[int, ...]
    meaning: str
    remedy: str


# ---- The request

_REQUEST = (
    ErrorCode("bad_request", (400,), "The request cannot be read.", "Look at its address and headers."),
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
        "duplicate_member",
        (400,),
        "A member or parameter stands twice in the request, in one spelling or in two.",
        "Send it once.",
    ),
    ErrorCode(
        "idempotency_key_reused",
        (422,),
        "The Idempotency-Key has been used for another request: another method, path or body.",
        "Take a new key for each new request.",
    ),
    ErrorCode(
        "invalid_cursor",
        (400,),
        "The cursor is none, belongs to another list, stands beside page, or the order of the list has none.",
        'Begin again with "" for a cursor, and change neither filters nor orders between the pages.',
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
        "missing_member",
        (400,),
        "A member or parameter that is required is missing, null or blank.",
        "Send it.",
    ),
    ErrorCode(
        "page_too_large",
        (400,),
        "The member perPage, or top, is more than CMS_MAX_PER_PAGE.",
        "Ask for smaller pages, and for more of them.",
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
        "route_not_found",
        (404,),
        "No endpoint has this path.",
        "Compare the path with the reference; it begins with /api/v1/.",
    ),
    ErrorCode(
        "too_many_entries",
        (400,),
        "A list in the request, or the custom members of a record, are more than the service takes at once.",
        "Send fewer, in several requests.",
    ),
    ErrorCode(
        "custom_field_too_large",
        (400,),
        "A custom field is larger than CMS_MAX_CUSTOM_FIELD_BYTES, or all of a record than eight times as much.",
        "Keep long texts in the body of a content or in a file; the operator can raise the setting.",
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

# ---- Keys, tokens and sign-in

_ACCESS = (
    ErrorCode(
        "captcha_expired",
        (400,),
        "The picture of the captcha is too old, has been answered already, or none was asked for.",
        "Show a new picture.",
    ),
    ErrorCode(
        "captcha_name_too_long",
        (400,),
        "The name of a captcha has more than 64 characters.",
        "Choose a shorter name.",
    ),
    ErrorCode(
        "captcha_wrong",
        (400,),
        "The characters are not those of the captcha's picture, which is used up.",
        "Show a new picture.",
    ),
    ErrorCode("key_expired", (401,), "The API key was valid up to a date that is past.", "Use another key."),
    ErrorCode(
        "key_missing",
        (401,),
        "No API key was sent.",
        "Send it in the header X-SS-API-KEY, as Authorization: Bearer ssk1_…, or in the parameter apiKey.",
    ),
    ErrorCode(
        "key_owner_locked",
        (401,),
        "The administrator to whom the API key belongs is locked.",
        "Have the administrator unlocked, or use another key.",
    ),
    ErrorCode("key_revoked", (401,), "The API key has been revoked.", "Use another key."),
    ErrorCode(
        "key_unknown",
        (401,),
        "The API key is none, or was reset or deleted.",
        "Compare it with what the back end showed when it was issued.",
    ),
    ErrorCode("not_allowed", (401,), "The API key does not allow this.", "Use a key that does."),
    ErrorCode(
        "password_too_weak",
        (400,),
        "The new password is too short, too long or too simple; message says which.",
        "Have another one chosen.",
    ),
    ErrorCode(
        "scope_missing",
        (401,),
        "The API key lacks the scope that scope names.",
        "Have the scope given to the key, or use another one.",
    ),
    ErrorCode(
        "sign_in_failed",
        (400,),
        "The account or the password is wrong, or the account is locked or not approved.",
        "Have both entered anew.",
    ),
    ErrorCode(
        "site_not_allowed",
        (401,),
        "The API key does not reach the site, whether there is one of this number or not.",
        "Use a key that reaches the site.",
    ),
    ErrorCode(
        "administrator_token_invalid",
        (401,),
        "The administrator's access token is not valid, has expired or has ended.",
        "Nothing needs to be ended; sign in again to go on.",
    ),
    ErrorCode(
        "user_token_invalid",
        (401,),
        "The user's access token is not valid, has expired or has ended.",
        "Have the user sign in again.",
    ),
    ErrorCode(
        "user_token_of_another",
        (401,),
        "The access token belongs to another user than the path names.",
        "Address the user who has signed in.",
    ),
)

# ---- Records

_RECORDS = (
    ErrorCode(
        "administrator_not_found",
        (404,),
        "No administrator has this id.",
        "List the administrators.",
    ),
    ErrorCode(
        "channel_below_itself",
        (400,),
        "A channel would stand below itself or below one of its own descendants.",
        "Choose another parent.",
    ),
    ErrorCode(
        "channel_not_found",
        (400, 404),
        "The site has no such channel: 404 where the path names it, 400 where the body does.",
        "List the channels of the site.",
    ),
    ErrorCode(
        "channel_takes_no_channels",
        (400,),
        "The settings of the channel take no channels below it.",
        "Choose another parent, or set isChannelAddable.",
    ),
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
        "data_picture",
        (400,),
        "A body that is cleaned (CMS_CLEAN_API_BODIES) has a picture written into the text itself.",
        "Lead to the picture by its address.",
    ),
    ErrorCode(
        "email_taken",
        (400,),
        "Another account of the kind has this e-mail address as address, name or mobile.",
        "Choose another one.",
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
        "picture_too_large_for_format",
        (400,),
        "Decoding a picture of so many pixels takes too much memory in this format, such as WebP.",
        "Save it as a JPEG that is not progressive or as a PNG that is not interlaced.",
    ),
    ErrorCode(
        "home_channel",
        (400,),
        "The home channel is the site itself and can be neither moved nor deleted.",
        "Address a channel below it.",
    ),
    ErrorCode(
        "last_administrator",
        (400,),
        "Nobody of the highest rank who may sign in would be left.",
        "Appoint another one first.",
    ),
    ErrorCode(
        "mobile_taken",
        (400,),
        "Another account of the kind has this mobile as mobile, name or e-mail address.",
        "Choose another one.",
    ),
    ErrorCode(
        "name_taken",
        (400,),
        "Another channel of the site has this indexName or filePath; message names the channel.",
        "Choose another one.",
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
    ErrorCode("not_found", (404,), "The record was not found.", "Compare the path with the reference."),
    ErrorCode(
        "one_file_expected",
        (400,),
        "The form has more than one file, or too many other parts.",
        "Send the picture alone.",
    ),
    ErrorCode(
        "picture_too_large",
        (400,),
        "The picture has more pixels than CMS_AVATAR_MAX_PIXELS, or more scans than are read.",
        "Send a smaller picture.",
    ),
    ErrorCode(
        "site_not_found",
        (400, 404),
        "There is no such site: 404 where the path names it, 400 where the body or the query does.",
        "List the sites.",
    ),
    ErrorCode(
        "too_much_markup",
        (400,),
        "A body that is cleaned (CMS_CLEAN_API_BODIES) has too many tags.",
        "Divide it into several contents.",
    ),
    ErrorCode("user_not_found", (404,), "No user has this id.", "List the users."),
    ErrorCode(
        "user_name_taken",
        (400,),
        "Another account of the kind has this name as name, e-mail address or mobile.",
        "Choose another one.",
    ),
)

# ---- Rules, values of templates, and statements

_QUERIES = (
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
    ErrorCode(
        "bad_where", (400,), "The parameter where cannot be read at the place that message names.", "Mend it there."
    ),
    ErrorCode(
        "pattern_too_slow",
        (400,),
        "The regular expression in replace takes too long on this text.",
        "Write a simpler one.",
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
        "result_too_large",
        (400,),
        "The text that replace would make has more than 16 million characters.",
        "Replace less, or in a shorter text.",
    ),
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

# ---- The service

_SERVICE = (
    ErrorCode(
        "busy",
        (429,),
        "The service has as much work of this kind as it takes at a time, such as sign-ins or pictures.",
        "Send the request again after the seconds of Retry-After.",
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
        "metrics_off",
        (404,),
        "The figures for Prometheus are switched off.",
        "The operator can set CMS_METRICS or CMS_METRICS_TOKEN.",
    ),
    ErrorCode(
        "not_ready",
        (503,),
        "This server should get no requests at present; only /health/ready says so.",
        "Send requests to another server.",
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
        "rate_limited",
        (429,),
        "The API key has sent as many requests as it may in a minute.",
        "Go on after the seconds of Retry-After; the header RateLimit tells what is left.",
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
        "too_many_stored_answers",
        (429,),
        "The API key has as many stored answers of 24 hours, or bytes of them, as it may have.",
        "Wait for the seconds of Retry-After, or send the request without an Idempotency-Key.",
    ),
    ErrorCode(
        "too_many_failures",
        (429,),
        "Too many sign-ins of this account, or from this address, have failed.",
        "Try again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "too_many_registrations",
        (429,),
        "Too many people have registered from this address.",
        "Try again after the seconds of Retry-After.",
    ),
)

ERROR_CODES: Mapping[str, ErrorCode] = {
    code.word: code
    for code in sorted((*_REQUEST, *_ACCESS, *_RECORDS, *_QUERIES, *_SERVICE), key=lambda code: code.word)
}


def words_of(status: int) -> list[str]:
    """The words that answers of the status can have."""
    return [code.word for code in ERROR_CODES.values() if status in code.statuses]


def rows() -> list[tuple[str, str, str, str]]:
    """The table of the documentation: word, statuses, meaning, and what to do, by the word."""
    return [(code.word, ", ".join(map(str, code.statuses)), code.meaning, code.remedy) for code in ERROR_CODES.values()]
