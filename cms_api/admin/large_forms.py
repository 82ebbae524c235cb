"""Forms with files: the pages that take more than CMS_MAX_BODY_BYTES, and from whom."""

import io
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import resolve, reverse
from django.utils.translation import gettext as _

from cms_api.rest.wsgi import drop_body, is_chunked, length_of

View = TypeVar("View", bound=Callable[..., Any])
_BESIDE = 1024 * 1024  # bytes of a form apart from its file
_ATTRIBUTE = "takes_files_of"


def takes_files(setting: str = "") -> Callable[[View], View]:
    """Let a view take a form with a file of as many bytes as the setting says; without one the view has a bound."""

    def mark(view: View) -> View:
        setattr(view, _ATTRIBUTE, setting)
        return view

    return mark


def signed_in(request: HttpRequest) -> HttpResponse:
    """Tell a proxy whether it may take a large form (204) or not (401)."""
    if admin.site.has_permission(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    refusal = HttpResponse(status=HTTPStatus.UNAUTHORIZED)
    refusal._has_been_logged = True  # type: ignore[attr-defined]  # in the access log
    return refusal


class LargeForms:
    """Refuses a body of more than CMS_MAX_BODY_BYTES before any of it is kept, unless the view takes files.

    Then the sender must be signed in. The check against forgery reads the form, so this must come before it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if length_of(request.META) <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return self.get_response(request)
        setting = _setting_of(request.path_info)
        if setting is None:
            return _refused(request, _too_large)
        if not admin.site.has_permission(request):
            return _refused(request, _signed_out)
        return (
            self._answer_within(request, getattr(settings, setting) + _BESIDE)
            if setting
            else self.get_response(request)
        )

    def _answer_within(self, request: HttpRequest, most: int) -> HttpResponse:
        if not is_chunked(request.META):
            return _refused(request, _too_large) if length_of(request.META) > most else self.get_response(request)
        stream = _Bounded(request.META["wsgi.input"], most)
        request._stream = stream  # type: ignore[assignment]
        response = self.get_response(request)
        return _refused(request, _too_large) if stream.is_too_large else response


class _Bounded(io.RawIOBase):
    """A body of unknown length, which may have so many bytes."""

    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._left = stream, most
        self.is_too_large = False

    def read(self, size: int = -1) -> bytes:
        """Raises RequestDataTooBig where more of them come."""
        data: bytes = self._stream.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            self.is_too_large = True
            raise RequestDataTooBig
        return data


def _refused(request: HttpRequest, answer: Callable[[HttpRequest], HttpResponse]) -> HttpResponse:
    drop_body(request.META)
    return answer(request)


def _setting_of(path: str) -> str | None:
    try:
        found: str | None = getattr(resolve(path).func, _ATTRIBUTE, None)
    except Http404:
        return None
    return found


def _too_large(request: HttpRequest) -> HttpResponse:
    if _wants_json(request):
        return JsonResponse({"message": _("The form is too large.")}, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return render(request, "413.html", status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)


def _signed_out(request: HttpRequest) -> HttpResponse:
    if _wants_json(request):
        message = _("Your session has ended; sign in again.")
        return JsonResponse({"message": message}, status=HTTPStatus.UNAUTHORIZED)
    return redirect_to_login(request.get_full_path(), reverse("admin:login"))


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")
