"""What operations share: the error, headers, ways to show a key, and parameters of headers."""

from cms_api.openapi.describing import Parameter, Schema, Tag, ref
from cms_api.openapi.error_codes import ERROR_CODES
from cms_api.openapi.schemas import COUNT, HEADER_TEXT, ID

ERROR_CODE: Schema = {
    "type": "string",
    "enum": sorted(ERROR_CODES),
    "description": "The words of all errors in this release. Each response of an operation explains its own.",
}
ERROR: Schema = {
    "type": "object",
    "description": "What is wrong. Besides the two members there may be further ones that name places and values.",
    "required": ["message", "code"],
    "properties": {
        "message": {
            "type": "string",
            "minLength": 1,
            "description": "A sentence for people that names the member or the record. Programs should read code "
            "instead.",
        },
        "code": {
            "anyOf": [ref("ErrorCode"), {"type": "string", "pattern": "^[a-z0-9_]+$"}],
            "description": "One stable word for programs, which always means the same. New words may be added.",
        },
        "member": {"type": "string", "description": "The member or parameter that is wrong, where it is a single one."},
        "scope": {
            "type": "string",
            "description": "With scope_missing: the scope that the key would need, such as Contents:write.",
        },
        "version": ID
        | {"description": "With precondition_failed: the version of the content or channel as it is now."},
        "value": {"description": "With precondition_failed: the record as it is now, as its GET answers it."},
        "probes": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/Probe"},
            "description": "With not_ready, and only for those who may see details: what was looked at.",
        },
    },
    "additionalProperties": True,
}

HEADERS: dict[str, Schema] = {
    "ETag": {
        "description": "Tells this answer from any other of this address: it changes whenever a byte of it could.",
        "schema": {"type": "string", "pattern": '^"[0-9a-f]+"$'},
    },
    "Cache-Control": {
        "description": "How long the answer may be kept: `private, no-cache` with an ETag, `no-store` where never.",
        "schema": {"type": "string"},
    },
    "X-Request-Id": {
        "description": "The number of this request, which also stands in the server's log and in the audit.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    },
    "RateLimit-Policy": {
        "description": 'How many requests of this key may come in how many seconds, such as `"key";q=100;w=60`. '
        "Only where the key has a limit.",
        "schema": {"type": "string"},
    },
    "RateLimit": {
        "description": 'How many requests are left, and after how many seconds there are more: `"key";r=99;t=60`. '
        "Only where the key has a limit.",
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "After how many seconds the same request may be sent again.",
        "schema": COUNT | {"minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "The challenge that HTTP wants with every 401: `ApiKey`.",
        "schema": {"type": "string"},
    },
    "X-SQL-Truncated": {
        "description": "Which limit cut the rows short: there are more than were answered. Missing where all are "
        "there.",
        "schema": {"type": "string", "enum": ["rows", "bytes"]},
    },
    "Idempotency-Replayed": {
        "description": "`true` where this is the stored answer to an earlier request with the same Idempotency-Key; "
        "else missing.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Set-Cookie": {
        "description": "The cookie SS-{name}, which says which picture was drawn, and tells nothing about what it "
        "shows.",
        "schema": {"type": "string"},
    },
}

IF_NONE_MATCH = Parameter(
    "If-None-Match",
    "ETags of answers that the client has, comma-separated, or `*`. If the answer is one of them, it is 304 without "
    "a body. Without it the answer is always there.",
    HEADER_TEXT,
    "header",
)
IF_MATCH = Parameter(
    "If-Match",
    "The ETag of the record that is meant, as its GET answered it; several are comma-separated, `*` is any. If the "
    "record is another one by now, the answer is 412 and nothing changes. Without it the last writer wins.",
    HEADER_TEXT,
    "header",
)
IDEMPOTENCY_KEY = Parameter(
    "Idempotency-Key",
    "A text that no other request of the API key has had in 24 hours, such as a UUID: 1 to 255 printable ASCII "
    "characters. The same request sent again with it gets the stored answer, and nothing happens twice. Without it, "
    "what is sent twice happens twice.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    "header",
)

SECURITY: dict[str, Schema] = {
    "ApiKeyHeader": {
        "type": "apiKey",
        "in": "header",
        "name": "X-SS-API-KEY",
        "description": "The API key in a header, which is the better way: addresses end up in logs of proxies. An "
        "administrator of the highest rank issues keys in the back end, under System management, Utilities, API keys.",
    },
    "BearerApiKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "ssk1_…",
        "description": "The same API key as a bearer token. X-SS-API-KEY comes first if a request has both.",
    },
    "ApiKeyQuery": {
        "type": "apiKey",
        "in": "query",
        "name": "apiKey",
        "description": "The same API key as a query parameter. The header counts where both are sent, even a bad one.",
    },
    "TokenUser": {
        "type": "apiKey",
        "in": "header",
        "name": "X-SS-USER-TOKEN",
        "description": "The accessToken of a user who has signed in. It opens what belongs to that user, without an "
        "API key or with any. The query parameter userToken does the same.",
    },
    "TokenAdministrator": {
        "type": "apiKey",
        "in": "header",
        "name": "X-SS-ADMIN-TOKEN",
        "description": "The accessToken of an administrator who has signed in. It ends its own session and opens "
        "nothing else. The query parameter adminToken does the same.",
    },
}

TAGS = (
    Tag("Contents", "The items of a site: lists with rules, one content, its changes, its approval."),
    Tag("Channels", "The sections of a site, which are a tree, and what is set for each."),
    Tag("Template values", "Sites, channels and contents by the attributes of the template tags of the original."),
    Tag("SQL", "Rows of a SELECT statement over the tables that the original has, read in a sandbox."),
    Tag("Users", "The members of the sites: records, pictures, log, passwords."),
    Tag("Administrators", "Those who look after the system and its sites."),
    Tag("Sign-in", "Signing in and out, and captchas for the forms where people do."),
    Tag("Service", "Whether the service is there, how it is, its restart, and this document."),
)
