"""Defines the common parts of operations: the error schema, headers, authentication schemes, header parameters and
tags."""

from core.openapi.describing import Parameter, Schema, Tag, ref
from core.openapi.schemas import COUNT, HEADER_TEXT, ID
from tools.openapi.error_codes import ERROR_CODES

ERROR_CODE: Schema = {
    "type": "string",
    "enum": sorted(ERROR_CODES),
    "description": "All error codes of this release. Each response lists its own.",
}
ERROR: Schema = {
    "type": "object",
    "description": "An error. Some errors have further members.",
    "required": ["message", "code"],
    "properties": {
        "message": {
            "type": "string",
            "minLength": 1,
            "description": "Message for people. Programs should use code.",
        },
        "code": {
            "anyOf": [ref("ErrorCode"), {"type": "string", "pattern": "^[a-z0-9_]+$"}],
            "description": "Stable error code. New ones may be added.",
        },
        "member": {"type": "string", "description": "The invalid member or parameter, if only one is."},
        "position": {
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "description": "In a batch: the place of the content in the list, from 0.",
        },
        "scope": {
            "type": "string",
            "description": "With scope_missing: the scope required, such as Contents:write.",
        },
        "members": {
            "type": "array",
            "items": {"type": "string"},
            "description": "With draft_conflict: the members changed both publicly and in the draft.",
        },
        "version": ID | {"description": "With precondition_failed: the current version of the content or channel."},
        "value": {"description": "With precondition_failed: the current record, as GET returns it."},
        "probes": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/Probe"},
            "description": "With not_ready, and only for authorized clients: the checks.",
        },
    },
    "additionalProperties": True,
}

# For deprecated operations; the document includes them only if there is such an operation.
DEPRECATION_HEADERS: dict[str, Schema] = {
    "Deprecation": {
        "description": "Time since which the operation is deprecated (RFC 9745): `@` and Unix time in seconds.",
        "schema": {"type": "string", "pattern": "^@[0-9]+$"},
    },
    "Sunset": {
        "description": "Date from which the operation may be missing (RFC 8594).",
        "schema": {"type": "string"},
    },
    "Link": {
        "description": "Page that names the replacement.",
        "schema": {"type": "string"},
    },
}
HEADERS: dict[str, Schema] = {
    "ETag": {
        "description": "Identifies this version of the response; changes whenever a byte of it could.",
        "schema": {"type": "string", "pattern": '^"[0-9a-f]+"$'},
    },
    "Cache-Control": {
        "description": "Caching policy: `private, no-cache` with an ETag, `no-store` if caching is forbidden.",
        "schema": {"type": "string"},
    },
    "X-Request-Id": {
        "description": "Id of this request, as in the server's log and the audit log.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    },
    "RateLimit-Policy": {
        "description": 'Rate limit of the API key: requests per seconds, such as `"key";q=100;w=60`. Absent if the key '
        "has no limit.",
        "schema": {"type": "string"},
    },
    "RateLimit": {
        "description": 'Requests left, and seconds until the window resets: `"key";r=99;t=60`. Absent if the key has '
        "no limit.",
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "Seconds to wait before sending the request again.",
        "schema": COUNT | {"minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "Challenge that HTTP requires with 401: `ApiKey`.",
        "schema": {"type": "string"},
    },
    "X-SQL-Truncated": {
        "description": "Limit that cut the rows short. Absent if all rows are returned.",
        "schema": {"type": "string", "enum": ["rows", "bytes"]},
    },
    "Idempotency-Replayed": {
        "description": "`true` if this is the stored response to an earlier request with the same Idempotency-Key; "
        "absent otherwise.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Set-Cookie": {
        "description": "The cookie SS-{name}, which identifies the picture without revealing its text.",
        "schema": {"type": "string"},
    },
}

IF_NONE_MATCH = Parameter(
    "If-None-Match",
    "ETags of responses that the client has, comma-separated, or `*`. If one matches, the response is 304 "
    "without a body. Default: the full response.",
    HEADER_TEXT,
    "header",
)
IF_MATCH = Parameter(
    "If-Match",
    "ETag of the record as GET returned it, several comma-separated, or `*` for any. If the record has "
    "changed, the response is 412 and nothing is stored. Without it the last write wins.",
    HEADER_TEXT,
    "header",
)
IDEMPOTENCY_KEY = Parameter(
    "Idempotency-Key",
    "A unique value for each request of the API key within 24 hours, such as a UUID: 1 to 255 printable ASCII "
    "characters. A repeated request returns the stored response and has no further effect. Without it a "
    "repeated request is executed again.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    "header",
)

SECURITY: dict[str, Schema] = {
    "ApiKeyHeader": {
        "type": "apiKey",
        "in": "header",
        "name": "X-SS-API-KEY",
        "description": "The API key as a header, the preferred way: proxies log URLs. Superusers issue keys in the "
        "admin, under Administration, API keys.",
    },
    "BearerApiKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "ssk1_…",
        "description": "The API key as a bearer token. X-SS-API-KEY takes precedence.",
    },
    "ApiKeyQuery": {
        "type": "apiKey",
        "in": "query",
        "name": "apiKey",
        "description": "The API key as a query parameter. The header takes precedence, even if invalid.",
    },
    "TokenUser": {
        "type": "apiKey",
        "in": "header",
        "name": "X-SS-USER-TOKEN",
        "description": "Access token of a signed-in user. Gives access to that user's own data, with or without an API "
        "key. The query parameter userToken is equivalent.",
    },
    "TokenAdministrator": {
        "type": "apiKey",
        "in": "header",
        "name": "X-SS-ADMIN-TOKEN",
        "description": "Access token of a signed-in administrator. It can only end its own session. The query "
        "parameter adminToken is equivalent.",
    },
}

TAGS = (
    Tag("Contents", "Contents of a site: lists, single contents, changes and approval."),
    Tag("Channels", "The channel tree of a site and the settings of each channel."),
    Tag("Media", "Files of a site: lists, uploads, records, replacement and deletion."),
    Tag("Forms", "Forms of sites, and what visitors send by them."),
    Tag("Template values", "Sites, channels and contents through the attributes of SiteServer CMS template tags."),
    Tag("SQL", "Rows of a SELECT over the tables of SiteServer CMS, run in a sandbox."),
    Tag("Users", "Members of the sites: records, pictures, log and passwords."),
    Tag("Administrators", "Accounts that manage the system and its sites."),
    Tag("Sign-in", "Signing in and out, and captchas for sign-in forms."),
    Tag("Changes", "Changes of records, in order, for programs that keep a copy."),
    Tag("Webhooks", "Receivers of events, and deliveries to them."),
    Tag("Service", "Availability, health, metrics, restart, and this document."),
    Tag("SSCMS v7", "Aliases of operations of the other groups, at paths of SSCMS v7."),
)
