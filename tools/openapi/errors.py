"""Determines the error codes of an operation: of its kind, and additions of its description."""

from collections import defaultdict
from http import HTTPStatus

from core.openapi.describing import Codes, Described
from core.rest.operations import Operation
from tools.openapi.error_codes import ERROR_CODES
from tools.openapi.kinds import takes_idempotency_key, takes_if_match

_OF_KEYS = ("key_missing", "key_unknown", "key_revoked", "key_expired", "key_owner_locked")
OF_OWNERS = ("user_token_invalid", "user_token_of_another")
_OF_TOKENS = {"TokenUser": ("user_token_invalid",), "TokenAdministrator": ("administrator_token_invalid",)}
OF_BODIES = ("body_not_object", "body_too_deep", "body_unreadable", "duplicate_member", "invalid_value")
OF_DATABASES = (
    "database_busy",
    "database_damaged",
    "database_not_migrated",
    "database_unavailable",
    "storage_full",
)
_MEANINGS = {
    HTTPStatus.BAD_REQUEST: "The request is invalid; nothing was stored.",
    HTTPStatus.UNAUTHORIZED: "The API key is missing or invalid, or lacks access.",
    HTTPStatus.NOT_FOUND: "The path or record does not exist.",
    HTTPStatus.REQUEST_TIMEOUT: "The request took too long to arrive; nothing was done.",
    HTTPStatus.PRECONDITION_FAILED: "The record has changed since the ETag in If-Match; nothing was changed.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body or its file is too large.",
    HTTPStatus.REQUEST_URI_TOO_LONG: "The URL is too long; nothing was done.",
    HTTPStatus.UNPROCESSABLE_ENTITY: "The Idempotency-Key was used for another request; nothing was done.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests; Retry-After gives the time to wait.",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The headers are too large; nothing was done.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "An internal error; see the log.",
    HTTPStatus.SERVICE_UNAVAILABLE: "A dependency is unavailable, or the service is overloaded.",
}


def codes_of(operation: Operation, described: Described) -> dict[int, list[str]]:
    """Return the codes by status, both sorted and without duplicates."""
    found: dict[int, set[str]] = defaultdict(set)
    for codes in (_by_kind(operation, described), described.codes):
        for status, words in codes.items():
            found[status].update(words)
    return {status: sorted(found[status]) for status in sorted(found)}


def _by_kind(operation: Operation, described: Described) -> Codes:
    codes: dict[int, tuple[str, ...]] = {
        400: ("bad_request", "host_not_allowed"),
        408: ("request_timeout",),
        414: ("uri_too_long",),
        431: ("headers_too_large",),
        500: ("server_error",),
        503: ("overloaded",),
    }
    if operation.needs_key:
        codes |= {401: _of_key(operation), 429: ("rate_limited",)}
    if "{" in operation.path:
        codes[404] = ("route_not_found",)
    if described.body is not None:
        codes |= {400: (*codes[400], *OF_BODIES), 413: ("body_too_large",)}
    if described.uses_database:
        is_write = operation.needs_key and not operation.is_read
        codes[503] = (*codes[503], *OF_DATABASES, *(["outcome_unknown"] if is_write else []))
    if takes_idempotency_key(operation):
        codes |= {400: (*codes[400], "invalid_idempotency_key"), 422: ("idempotency_key_reused",)}
        codes[429] = (*codes[429], "too_many_stored_answers")
    if takes_if_match(operation):
        codes[412] = ("precondition_failed",)
    return codes


def _of_key(operation: Operation) -> tuple[str, ...]:
    scope = ("scope_missing",) if operation.scope else ()
    site = ("site_not_allowed",) if "{siteId}" in operation.path else ()
    return (*_OF_KEYS, *scope, *site, *_of_token(operation))


def _of_token(operation: Operation) -> tuple[str, ...]:
    if operation.owner_is_enough:
        return OF_OWNERS
    return _OF_TOKENS.get(operation.token_scheme, ())


def words_for_people(status: int, words: list[str]) -> str:
    """Return the meaning of the status and of each code, in Markdown."""
    lines = [f"- `{word}`: {ERROR_CODES[word].meaning} {ERROR_CODES[word].remedy}" for word in words]
    return "\n".join([_MEANINGS[HTTPStatus(status)], "", *lines])
