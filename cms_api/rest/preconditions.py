"""What a writer demands of the record it changes: `If-Match` (RFC 9110 §13.1.1), or the version that a form has shown.

A precondition is called with the record under the lock of the change, so that of two writers who have seen the same
only one goes on. It raises a ServiceError, and then nothing is changed.
"""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from rest_framework.request import Request

from cms_api.lib.errors import InvalidInput
from cms_api.rest.conditional import keep, matches
from cms_api.rest.errors import HttpError

Precondition = Callable[[Any], None]
_MESSAGE = "The record has been changed since it was read; value is what it is now, and nothing was stored."


class PreconditionFailed(HttpError):
    """412: the record is not what the client has seen; nothing was changed."""

    status_code = HTTPStatus.PRECONDITION_FAILED


def if_match(request: Request, represent: Callable[[Any], tuple[str, Any]]) -> Precondition:
    """What the request's `If-Match` demands; `represent` gives a record's tag and what answers show of it.

    It raises PreconditionFailed, with the record as it is now, where its tag is none of those.
    """
    return partial(_require_tag, request, request.META["HTTP_IF_MATCH"], represent)


def _require_tag(request: Request, known: str, represent: Callable[[Any], tuple[str, Any]], record: Any) -> None:
    tag, shown = represent(record)
    if matches(known, tag, strongly=True):
        return
    keep(request, tag)
    members = {"version": record.version} if hasattr(record, "version") else {}
    raise PreconditionFailed("precondition_failed", _MESSAGE, **members, value=shown)


def if_version(version: int) -> Precondition:
    """Demands that the record still has the version. It raises InvalidInput."""
    return partial(require_version, version)


def require_version(version: int, record: Any) -> None:
    """Raises InvalidInput where the record no longer has the version."""
    if record.version != version:
        message = f"{record._meta.object_name} {record.pk} has been changed since version {version} was read."
        raise InvalidInput("changed_meanwhile", message, version=record.version)
