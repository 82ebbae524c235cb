"""`If-Match`: a write that is carried out only if the record is still what the client has seen (RFC 9110 §13.1.1)."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from rest_framework.request import Request

from cms_api.rest.conditional import keep, matches
from cms_api.rest.errors import Refusal

_MESSAGE = "The record has been changed since it was read; value is what it is now, and nothing was stored."


class PreconditionFailed(Refusal):
    """412: the record is not what the client has seen; nothing was changed."""

    status_code = HTTPStatus.PRECONDITION_FAILED


class Precondition:
    """The tags of which a request wants the record to have one."""

    def __init__(self, request: Request, known: str) -> None:
        self._request, self._known = request, known

    @classmethod
    def of(cls, request: Request) -> "Precondition | None":
        """That of the request; None where it has no `If-Match`."""
        known = request.META.get("HTTP_IF_MATCH")
        return None if known is None else cls(request, known)

    def require(self, tag: str, show: Callable[[], Any], version: int | None = None) -> None:
        """Raises PreconditionFailed, with the record as it is now, where its tag is none of those.

        To be called under the lock of the change, so that of two writers who have seen the same only one goes on.
        """
        if matches(self._known, tag, strongly=True):
            return
        keep(self._request, tag)
        members = {} if version is None else {"version": version}
        raise PreconditionFailed("precondition_failed", _MESSAGE, **members, value=show())
