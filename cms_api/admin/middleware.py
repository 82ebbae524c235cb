"""What every page of the back end goes through: its language, and headers that keep it to itself."""

from collections.abc import Callable, Iterator
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

from cms_api.lib.media_names import FOLDER

# Files of sites are no pages: they know no language and no sign-in, and browsers may keep them.
MEDIA = f"/{FOLDER}"
# The documentation is written in its own languages, whoever reads it, and may be kept.
DOCUMENTATION = "/docs/"
HEADERS = {
    "Cache-Control": "no-store, private",
    # What a page of ours never asks for.
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class PageHeaders:
    """Lets no browser or proxy keep a page, and no page use the devices of whoever reads it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not request.path_info.startswith(MEDIA):
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
        return response


class PlainQueries:
    """Refuses an address with a NUL character in its query, which no database takes (400)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("The query has a NUL character.")
        return self.get_response(request)


class AdminLanguage(LocaleMiddleware):
    """The language of the cookie, else of the browser; of nothing after the answer.

    The API speaks English. It never comes here, but its requests run in the same threads.
    """

    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith((MEDIA, DOCUMENTATION)):
            return self.get_response(request)
        try:
            response: Any = super().__call__(request)
            if response.streaming:
                language = translation.get_language() or ""
                response.streaming_content = _in_language(language, response.streaming_content)
            return response
        finally:
            translation.deactivate()


def _in_language(language: str, parts: Iterator[Any]) -> Iterator[Any]:
    """The parts of an answer that is written while it is sent, each made in that language."""
    while True:
        with translation.override(language):
            part = next(parts, None)
        if part is None:
            return
        yield part
