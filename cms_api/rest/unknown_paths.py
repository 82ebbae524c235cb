"""The answer to a path under /api/ where nothing is."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.urls import resolve

from cms_api.rest.errors import plain_answer
from cms_api.rest.fields import INT64_MAX

_API = "/api/v1/"
_MOST_SEGMENTS = 5  # of any endpoint after _API; longer paths are not worth the search


def route_not_found(request: HttpRequest) -> HttpResponse:
    """404; it needs no key and says that no record is meant, and which part of the path would have to be a number."""
    part = _part_for_an_id(request.path_info)
    hint = (
        f"In the place of {part} an id is expected, a whole number of at most {INT64_MAX}."
        if part
        else f"Paths begin with {_API} and are listed at /api/docs/."
    )
    return plain_answer(HTTPStatus.NOT_FOUND, "route_not_found", f"There is no endpoint {request.path}. {hint}")


def _part_for_an_id(path: str) -> str | None:
    """The one segment that makes an endpoint of the path when a number takes its place; None where none does."""
    segments = path.removeprefix(_API).split("/")
    if not path.startswith(_API) or len(segments) > _MOST_SEGMENTS:
        return None
    numbered = ((part, [*segments[:at], "1", *segments[at + 1 :]]) for at, part in enumerate(segments))
    return next((part for part, changed in numbered if _is_endpoint(changed)), None)


def _is_endpoint(segments: list[str]) -> bool:
    return resolve(_API + "/".join(segments)).func is not route_not_found
