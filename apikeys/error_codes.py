"""Error codes of API keys, for the documentation; cms_api.openapi.error_codes collects them."""

from cms_api.openapi.error_code import ErrorCode

ERROR_CODES = (
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
    ErrorCode(
        "rate_limited",
        (429,),
        "The API key has sent as many requests as it may in a minute.",
        "Go on after the seconds of Retry-After; the header RateLimit tells what is left.",
    ),
    ErrorCode(
        "scope_missing",
        (401,),
        "The API key lacks the scope that scope names.",
        "Have the scope given to the key, or use another one.",
    ),
    ErrorCode(
        "site_not_allowed",
        (401,),
        "The API key does not reach the site, whether there is one of this number or not.",
        "Use a key that reaches the site.",
    ),
    ErrorCode(
        "too_many_stored_answers",
        (429,),
        "The API key has as many stored answers of 24 hours, or bytes of them, as it may have.",
        "Wait for the seconds of Retry-After, or send the request without an Idempotency-Key.",
    ),
)
