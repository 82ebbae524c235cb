"""Stores unsaved text of the content form for its author; responds with JSON to the script of the form."""

import re
from http import HTTPStatus
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from channels_app.models import Channel
from contents.admin.writing.pages import written_content
from contents.services import unsaved_texts
from contents.services.unsaved_texts import Place
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.lib import clock
from core.lib.errors import InvalidInput
from core.rest.errors import status_of

_PAGE = re.compile(r"[\w-]{8,40}", re.ASCII)


def unsaved_view(page: Any, request: HttpRequest) -> HttpResponse:
    """List the administrator's own texts for the form, or keep or drop one; only for who may store the form."""
    if not page.admin_site.has_permission(request):
        return _told(_("Your session has ended."), HTTPStatus.UNAUTHORIZED)
    place = _place(page, request)
    if place is None:
        return _told(_("The content item no longer exists."), HTTPStatus.NOT_FOUND)
    if request.method != "POST":
        return JsonResponse({"texts": _listed(request.user, place)})
    sent = request.POST
    name = sent.get("page", "")
    if not _PAGE.fullmatch(name):
        return _told(_("The form could not be read."), HTTPStatus.BAD_REQUEST)
    if "drop" in sent:
        unsaved_texts.drop(request.user, name)
        return JsonResponse({})
    try:
        fields, version = _fields(sent.get("fields", "")), read_number(sent.get("version", "")) or 0
        unsaved_texts.keep(request.user, name, place, fields, version)
    except InvalidInput as refusal:
        return _told(tell(refusal), status_of(refusal))
    return JsonResponse({})


def _place(page: Any, request: HttpRequest) -> Place | None:
    """Return the place of the form; None if the administrator may not store it."""
    if number := read_number(request.GET.get("content", "")):
        content = written_content(page, request, str(number))
        is_allowed = content is not None and page.has_change_permission(request, content)
        return {"content": content, "channel": None} if is_allowed else None
    channels = Channel.objects.live().filter(pk=read_number(request.GET.get("channel", "")) or 0)
    channel = page.places(request.user, "add").narrow(channels, "site", "").first()
    return {"content": None, "channel": channel} if channel else None


def _listed(user: Any, place: Place) -> list[dict[str, Any]]:
    return [
        {
            "page": text.page,
            "age": max(0, round((clock.now() - text.kept_at).total_seconds())),
            "version": str(text.version or ""),
            "fields": orjson.loads(text.fields),
        }
        for text in unsaved_texts.texts_of(user, place)
    ]


def _fields(text: str) -> dict[str, list[str]]:
    try:
        fields = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _unreadable() from error
    if not isinstance(fields, dict) or not all(_are_texts(values) for values in fields.values()):
        raise _unreadable()
    return fields


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _unreadable() -> InvalidInput:
    return InvalidInput("invalid_value", _("The form could not be read."))


def _told(message: str, status: int) -> HttpResponse:
    return JsonResponse({"message": message}, status=status)
