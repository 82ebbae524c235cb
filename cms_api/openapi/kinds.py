"""What an operation has by its kind: conditional reads and writes, and keys that make it safe to send twice."""

from cms_api.rest.operations import Operation

# Answers that nobody keeps, and that are another one each time.
_NEVER_KEPT = ("/captcha/", "/metrics", "/health/")
_WITH_VERSIONS = {
    "/contents/{siteId}/{channelId}/{id}",
    "/channels/{siteId}/{channelId}",
    "/users/{id}",
    "/administrators/{id}",
}
_MOVE = "/channels/{siteId}/{channelId}/actions/move"


def has_tag(operation: Operation) -> bool:
    """Whether a success has an ETag, and the request may have If-None-Match."""
    is_list_by_post = operation.method == "POST" and operation.is_read
    return is_list_by_post or (operation.method == "GET" and not operation.path.startswith(_NEVER_KEPT))


def takes_if_match(operation: Operation) -> bool:
    """Whether the request may name the state of the record that it changes."""
    changes_record = operation.method in {"PUT", "DELETE"} and operation.path in _WITH_VERSIONS
    return changes_record or (operation.method == "POST" and operation.path == _MOVE)


def takes_idempotency_key(operation: Operation) -> bool:
    """Whether the request may have an Idempotency-Key."""
    return operation.method == "POST" and operation.needs_key and not operation.is_read
