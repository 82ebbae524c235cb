"""Preconditions of a write: `If-Match` (RFC 9110 §13.1.1), or the version shown in a form.

Called with the record under the lock of the change, so that one of two writers fails with a `ServiceError`.
"""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from rest_framework.request import Request

from core.lib.errors import InvalidInput
from core.rest.conditional import keep, matches
from core.rest.errors import HttpError

Precondition = Callable[[Any], None]


class PreconditionFailed(HttpError):
    """412: the record has changed since the client read it; nothing was stored."""

    status_code = HTTPStatus.PRECONDITION_FAILED


def if_match(request: Request, represent: Callable[[Any], tuple[str, Any]]) -> Precondition:
    """Return the precondition of `If-Match`; `represent` gives tag and value. It raises `PreconditionFailed`."""

    def require_tag(record: Any) -> None:
        tag, shown = represent(record)
        if matches(request.META["HTTP_IF_MATCH"], tag, strongly=True):
            return
        keep(request, tag)
        message = "The record has changed since it was read; value is its current state, and nothing was stored."
        members = {"version": record.version} if hasattr(record, "version") else {}
        raise PreconditionFailed("precondition_failed", message, **members, value=shown)

    return require_tag


def if_version(version: int) -> Precondition:
    return partial(require_version, version)


def require_version(version: int, record: Any) -> None:
    """Raises `InvalidInput` if the record has another version."""
    if record.version != version:
        message = f"{record._meta.object_name} {record.pk} has changed since version {version} was read."
        raise InvalidInput("changed_meanwhile", message, version=record.version)
