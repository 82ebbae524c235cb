import io
from collections.abc import Callable
from contextlib import suppress
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

from core.rest.wsgi import drop_body, is_chunked, length_of

View = TypeVar("View", bound=Callable[..., Any])
_ATTRIBUTE = "takes_files_of"


def takes_files(limit: str | int = "") -> Callable[[View], View]:
    """Let a view accept a form with a file of up to `limit` bytes, a number or a setting; "": the view checks it."""

    def mark(view: View) -> View:
        setattr(view, _ATTRIBUTE, limit)
        return view

    return mark


def signed_in(request: HttpRequest) -> HttpResponse:
    if admin.site.has_permission(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    refusal = HttpResponse(status=HTTPStatus.UNAUTHORIZED)
    refusal._has_been_logged = True  # type: ignore[attr-defined]  # in the access log
    return refusal


class LargeForms:
    """Refuses bodies over CMS_MAX_BODY_BYTES unread, unless the view takes files. Must come before the CSRF check."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length, limit, refuse = length_of(request.META), None, _too_large
        if length <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return self.get_response(request)
        with suppress(Http404):
            limit = getattr(resolve(request.path_info).func, _ATTRIBUTE, None)
        if limit is not None and not admin.site.has_permission(request):
            refuse = _signed_out
        elif limit == "":
            return self.get_response(request)
        elif limit is not None:
            file_bytes = limit if isinstance(limit, int) else getattr(settings, limit)
            most = file_bytes + 1024 * 1024  # for the form without its file
            if is_chunked(request.META):
                stream = _Bounded(request.META["wsgi.input"], most)
                request._stream = stream  # type: ignore[assignment]
                response = self.get_response(request)
                if not stream.is_too_large:
                    return response
            elif length <= most:
                return self.get_response(request)
        drop_body(request.META)
        return refuse(request)


class _Bounded(io.RawIOBase):
    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._left = stream, most
        self.is_too_large = False

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            self.is_too_large = True
            raise RequestDataTooBig
        return data


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
