from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

from core.admin.menu import remember_site
from core.lib.media_storage import FOLDER

# Files of sites depend on neither language nor sign-in, and may be cached.
MEDIA = f"/{FOLDER}"
# The documentation has its own languages and may be cached.
DOCUMENTATION = "/docs/"
HEADERS = {
    "Cache-Control": "no-store, private",
    # Unused by our pages.
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class PageHeaders:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not request.path_info.startswith(MEDIA):
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
        remember_site(request, response)
        return response


class PlainQueries:
    """Responds 400 to a query with a NUL character, which no database accepts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("The query has a NUL character.")
        return self.get_response(request)


class AdminLanguage(LocaleMiddleware):
    """Sets the language from cookie or browser; resets it afterwards, since the API uses the same threads."""

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


def use_language(response: HttpResponseBase, language: str) -> None:
    """Store the administrator's language in the browser; without one, the browser's choice stays."""
    if language:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite=settings.LANGUAGE_COOKIE_SAMESITE,  # type: ignore[arg-type]
        )


def _in_language(language: str, parts: Iterator[Any]) -> Iterator[Any]:
    while True:
        with translation.override(language):
            part = next(parts, None)
        if part is None:
            return
        yield part
