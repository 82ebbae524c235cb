"""Decides from the kind of an operation whether it supports conditional requests and idempotency keys."""

from core.rest.operations import Operation

# Responses that differ each time and are never cached.
_NEVER_KEPT = ("/captcha/", "/metrics", "/health/")
_WITH_VERSIONS = {
    "/contents/{siteId}/{channelId}/{id}",
    "/channels/{siteId}/{channelId}",
    "/users/{id}",
    "/administrators/{id}",
    "/webhooks/{id}",
    "/media/{siteId}/{id}",
    "/media/{siteId}/folders/{id}",
    "/forms/{siteId}/entries/{id}",
}
_CHANGING_POSTS = {"/channels/{siteId}/{channelId}/actions/move", "/media/{siteId}/{id}/file"}


def has_tag(operation: Operation) -> bool:
    """Return true if successful responses have an ETag and requests may have If-None-Match."""
    is_list_by_post = operation.method == "POST" and operation.is_read
    return is_list_by_post or (operation.method == "GET" and not operation.path.startswith(_NEVER_KEPT))


def takes_if_match(operation: Operation) -> bool:
    """Return true if the request may have If-Match with the ETag of the record that it changes."""
    method, path = operation.original
    changes_record = method in {"PUT", "DELETE"} and path in _WITH_VERSIONS
    return changes_record or (operation.method == "POST" and operation.path in _CHANGING_POSTS)


def takes_idempotency_key(operation: Operation) -> bool:
    """Return true if the request may have an Idempotency-Key."""
    return operation.method == "POST" and operation.needs_key and not operation.is_read
