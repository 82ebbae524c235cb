"""Answers to visitors who send a form: JSON for the script of the page, else pages."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from core.lib.errors import InvalidInput, LimitReached, ServiceError
from forms.models import MAX_CHARACTERS, Form
from forms.receiving import Problems, Sent, receive
from forms.records import record_of
from pages.engine.elements.forms import PAGE, PATH, in_form, own_fields
from pages.resolver import Addresses
from pages.site_lookup import Place

MAX_BYTES = 262_144  # of a request
_LAST_ID = 2**63 - 1
_JSON, _HTML = "application/json", "text/html; charset=utf-8"
_HEADERS = {
    # Pages on other hosts and in sandboxes send to it; it needs no cookie.
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Methods": "POST",
    "X-Robots-Tag": "noindex",
}


def entries(request: HttpRequest, place: Place, _addresses: Addresses, form_id: int) -> HttpResponse:
    """Store what a visitor sends, and answer with JSON if that is asked for, else with a page."""
    if request.method == "OPTIONS":
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers=_HEADERS)
    form = _find(place, form_id)
    if request.method != "POST":
        return _show(place, form, {}, _Refusal("", {}, HTTPStatus.OK))
    with translation.override(translation.get_language_from_request(request)):
        return _receive(request, place, form)


entries.takes_posts = True  # type: ignore[attr-defined]


def _receive(request: HttpRequest, place: Place, form: Form) -> HttpResponse:
    is_program = _JSON in request.headers.get("Accept", "") or request.content_type == _JSON
    sent: Sent = {}
    try:
        sent = _read(request)
        page = _local(next(iter(sent.get(PAGE, ())), ""))
        token = receive(form, sent, page, request)
    except (Problems, ServiceError) as error:
        refusal = _refusal_of(error)
        if is_program:
            response = _json({"message": refusal.told, "errors": refusal.errors}, refusal.status)
        else:
            response = _show(place, form, sent, refusal)
        if isinstance(error, LimitReached):
            response.headers["Retry-After"] = str(error.wait)
        return response
    if is_program:
        return _json({"id": str(token), "message": _success(form)}, HTTPStatus.OK)
    query = f"?{urlencode({'page': page})}" if page else ""
    return HttpResponseRedirect(f"{place.folder}/{PATH}{form.pk}/sent{query}", status=HTTPStatus.SEE_OTHER)


class _Refusal(NamedTuple):
    told: str
    errors: Mapping[str, str]
    status: HTTPStatus


def _refusal_of(error: Problems | ServiceError) -> _Refusal:
    if isinstance(error, Problems):
        return _Refusal(_("Please check what you entered."), error.texts, HTTPStatus.BAD_REQUEST)
    if isinstance(error, LimitReached):
        return _Refusal(error.message, {}, HTTPStatus.TOO_MANY_REQUESTS)
    is_large = error.code == "form_too_large"
    return _Refusal(error.message, {}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE if is_large else HTTPStatus.BAD_REQUEST)


def sent(request: HttpRequest, place: Place, _addresses: Addresses, form_id: int) -> HttpResponse:
    """Show the text after sending, and the way back."""
    form = _find(place, form_id)
    with translation.override(translation.get_language_from_request(request)):
        shown = {"text": _success(form), "back": _local(request.GET.get("page", "")) or f"{place.folder}/"}
        return _page(form, shown, HTTPStatus.OK)


def _find(place: Place, form_id: int) -> Form:
    form = Form.objects.filter(pk=form_id, site_id=place.site.pk).first() if form_id <= _LAST_ID else None
    if form is None:
        raise Http404
    return form


def _read(request: HttpRequest) -> Sent:
    """Return the values by name. Raises InvalidInput."""
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = MAX_BYTES + 1
    if length > MAX_BYTES:
        raise InvalidInput("form_too_large", _("This is too much text for the form."))
    try:
        if request.content_type != _JSON:
            return dict(request.POST.lists())
        members = orjson.loads(request.body)
    except (ValueError, MultiPartParserError, RequestDataTooBig, TooManyFieldsSent) as error:
        raise InvalidInput("form_unreadable", _("The form could not be read.")) from error
    if not isinstance(members, dict):
        raise InvalidInput("form_unreadable", _("The form could not be read."))
    return {name: _texts(value) for name, value in members.items()}


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for each in value[:MAX_CHARACTERS] if not isinstance(each, list) for text in _texts(each)]
    if value is None or isinstance(value, dict):
        return []
    return [str(value)]


def _local(path: str) -> str:
    """Return the path of a page of this host; empty for anything else."""
    is_path = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_path else ""


def _success(form: Form) -> str:
    return form.success_text or _("Thank you. We have received what you sent.")


def _json(body: Mapping[str, Any], status: HTTPStatus) -> HttpResponse:
    return HttpResponse(orjson.dumps(body), _JSON, status, headers=_HEADERS)


def _show(place: Place, form: Form, values: Sent, refusal: _Refusal) -> HttpResponse:
    """Show the form with what the visitor has entered and what is wrong, so that nothing has to be typed again."""
    record, page = record_of(form), _local(next(iter(values.get(PAGE, ())), ""))
    fields = own_fields(record, values or None, refusal.errors)
    written = in_form(record, f"{place.folder}/{PATH}{form.pk}", page, fields)
    # in_form has escaped it.
    shown = {"told": refusal.told, "form": mark_safe(written), "back": page}  # noqa: S308 # nosec B308 B703
    return _page(form, shown, refusal.status)


def _page(form: Form, shown: Mapping[str, Any], status: HTTPStatus) -> HttpResponse:
    context = {"title": form.title or form.name, "language": translation.get_language(), **shown}
    return HttpResponse(
        render_to_string("forms/sent.html", context), _HTML, status, headers={"X-Robots-Tag": "noindex"}
    )
