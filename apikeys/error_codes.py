from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode("key_expired", (401,), "The API key has expired.", "Use another key."),
    ErrorCode(
        "key_missing",
        (401,),
        "No API key was sent.",
        "Send X-SS-API-KEY, Authorization: Bearer ssk1_…, or the parameter apiKey.",
    ),
    ErrorCode(
        "key_owner_locked",
        (401,),
        "The administrator who owns the API key is locked.",
        "Unlock the administrator, or use another key.",
    ),
    ErrorCode("key_revoked", (401,), "The API key is revoked.", "Use another key."),
    ErrorCode(
        "key_unknown",
        (401,),
        "The API key is unknown, reset or deleted.",
        "Compare it with the key that the admin showed.",
    ),
    ErrorCode(
        "rate_limited",
        (429,),
        "The API key has used up its requests per minute.",
        "Wait Retry-After seconds; RateLimit shows what is left.",
    ),
    ErrorCode(
        "scope_missing",
        (401,),
        "The API key lacks the scope named in scope.",
        "Add the scope to the key, or use another key.",
    ),
    ErrorCode(
        "site_not_allowed",
        (401,),
        "The API key has no access to the site, which may not exist.",
        "Use a key with access.",
    ),
    ErrorCode(
        "too_many_stored_answers",
        (429,),
        "The API key has too many stored responses of 24 hours, or bytes of them.",
        "Wait Retry-After seconds, or omit the Idempotency-Key.",
    ),
)
