"""Answers to visitors who send a form: JSON for the script of the page, else pages."""

from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

import orjson
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from core.lib.errors import InvalidInput, LimitReached, Unavailable
from forms import guard
from forms.models import MAX_CHARACTERS, Form
from forms.receiving import About, Sent, receive
from forms.records import record_of
from forms.rules import Problems
from forms.uploads import MAX_BODY, Spool, again, file_keys
from pages.engine.elements.forms import CAPTCHA, PAGE, PATH, in_form, own_fields
from pages.resolver import Addresses
from pages.site_lookup import Place

MAX_BYTES = 262_144  # of a request
_LAST_ID = 2**63 - 1
_JSON, _HTML, _MULTIPART = "application/json", "text/html; charset=utf-8", "multipart/form-data"
HEADERS = {
    # Pages on other hosts and in sandboxes send to it; it needs no cookie.
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Methods": "POST",
    "X-Robots-Tag": "noindex",
}


def entries(request: HttpRequest, place: Place, _addresses: Addresses, form_id: int) -> HttpResponse:
    """Store what a visitor sends, and answer with JSON if that is asked for, else with a page."""
    if request.method == "OPTIONS":
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers=HEADERS)
    form = _find(place, form_id)
    with translation.override(translation.get_language_from_request(request)):
        if request.method == "POST":
            return _receive(request, place, form)
        return _show(place, form, {}) if form.takes_entries else _page(form, {"text": _("This form is closed.")})


entries.takes_posts = True  # type: ignore[attr-defined]


def _receive(request: HttpRequest, place: Place, form: Form) -> HttpResponse:
    sent = read_values(request, form)
    outcome = store(request, form, sent)
    if wants_json(request):
        return as_json(outcome.body, outcome)
    page = local_path(next(iter((sent or {}).get(PAGE, ())), ""))
    if outcome.token is None:
        return _show(place, form, sent or {}, outcome if sent is None else _with_files(outcome, request))
    query = f"?{urlencode({'page': page})}" if page else ""
    return HttpResponseRedirect(f"{place.folder}/{PATH}{form.pk}/sent{query}", status=HTTPStatus.SEE_OTHER)


class Outcome(NamedTuple):
    """The result of sending a form: the token of the stored entry, or why nothing was stored."""

    status: HTTPStatus
    told: str
    code: str = ""  # of an error
    errors: Mapping[str, str] = {}  # by the keys of fields
    token: UUID | None = None
    wait: int = 0  # seconds until it may be sent again

    @property
    def body(self) -> dict[str, Any]:
        if self.token is not None:
            return {"id": str(self.token), "message": self.told}
        return {"code": self.code, "message": self.told, "errors": self.errors}

    @property
    def headers(self) -> dict[str, str]:
        return HEADERS | ({"Retry-After": str(self.wait)} if self.wait else {})


def store(request: HttpRequest, form: Form, sent: Sent | None, about: About = About()) -> Outcome:  # noqa: B008
    """Store what was sent, None if it could not be read. Texts are in the visitor's language."""
    try:
        if sent is None:
            raise InvalidInput("form_unreadable", _("The form could not be read, or is too large."))
        token = receive(form, sent, local_path(next(iter(sent.get(PAGE, ())), "")), request, about)
    except LimitReached as error:
        return Outcome(HTTPStatus.TOO_MANY_REQUESTS, error.message, error.code, wait=error.wait)
    except Unavailable as error:
        return Outcome(
            HTTPStatus.SERVICE_UNAVAILABLE, _("Files cannot be stored at present. Try again later."), error.code
        )
    except InvalidInput as error:
        errors = error.texts if isinstance(error, Problems) else {}
        return Outcome(HTTPStatus.BAD_REQUEST, error.message, error.code, errors)
    return Outcome(HTTPStatus.OK, success(form), token=token)


def sent(request: HttpRequest, place: Place, _addresses: Addresses, form_id: int) -> HttpResponse:
    """Show the text after sending, and the way back."""
    form = _find(place, form_id)
    with translation.override(translation.get_language_from_request(request)):
        shown = {"text": success(form), "back": local_path(request.GET.get("page", "")) or f"{place.folder}/"}
        return _page(form, shown)


def token(request: HttpRequest, place: Place, _addresses: Addresses, form_id: int) -> HttpResponse:
    """Return what a script needs before it can send the form."""
    form = _find(place, form_id)
    with translation.override(translation.get_language_from_request(request)):
        return HttpResponse(orjson.dumps(guard.offer(form), default=str), _JSON, headers=HEADERS)


def solver(_request: HttpRequest, _place: Place, _addresses: Addresses) -> HttpResponse:
    """Return the script that finds proofs of work."""
    headers = HEADERS | {"Cache-Control": "public, max-age=86400"}
    return HttpResponse(_solver(), "text/javascript; charset=utf-8", headers=headers)


@cache
def _solver() -> bytes:
    return Path(__file__).with_name("proof.js").read_bytes()


def _find(place: Place, form_id: int) -> Form:
    form = Form.objects.filter(pk=form_id, site_id=place.site.pk).first() if form_id <= _LAST_ID else None
    if form is None:
        raise Http404
    return form


def read_values(request: HttpRequest, form: Form | None = None) -> Sent | None:
    """Return the texts by name; None if the request cannot be read or is too large. Files are in `request.FILES`.

    Only for a form with fields for files, the body may be longer than MAX_BYTES.
    """
    keys = file_keys(form) if form and request.content_type == _MULTIPART else frozenset()
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > (MAX_BODY if keys else MAX_BYTES):
            return None
        if keys:
            request.upload_handlers = [Spool(request, keys)]
        if request.content_type != _JSON:
            texts = dict(request.POST.lists())
            return texts if sum(len(text) for each in texts.values() for text in each) <= MAX_BYTES else None
        members = orjson.loads(request.body)
    except (ValueError, OSError, MultiPartParserError, BadRequest, SuspiciousOperation):
        return None
    return {name: _texts(value) for name, value in members.items()} if isinstance(members, dict) else None


def wants_json(request: HttpRequest) -> bool:
    return _JSON in request.headers.get("Accept", "") or request.content_type == _JSON


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for each in value[:MAX_CHARACTERS] if not isinstance(each, list) for text in _texts(each)]
    if value is None or isinstance(value, dict):
        return []
    return [str(value)]


def local_path(path: str) -> str:
    """Return the path of a page of this host; empty for anything else."""
    is_path = path.startswith("/") and path.isprintable() and url_has_allowed_host_and_scheme(path, None)
    return path if is_path else ""


def success(form: Form) -> str:
    return form.success_text or _("Thank you. We have received what you sent.")


def _with_files(outcome: Outcome, request: HttpRequest) -> Outcome:
    """Add that files have to be chosen again: the page that shows the form again cannot hold them."""
    return outcome._replace(errors={name: again() for name in request.FILES} | dict(outcome.errors))


def as_json(body: Mapping[str, Any], outcome: Outcome) -> HttpResponse:
    return HttpResponse(orjson.dumps(body), _JSON, outcome.status, headers=outcome.headers)


def _show(place: Place, form: Form, values: Sent, outcome: Outcome | None = None) -> HttpResponse:
    """Show the form with what the visitor has entered and what is wrong, so that nothing has to be typed again."""
    record, page = record_of(form), local_path(next(iter(values.get(PAGE, ())), ""))
    is_refused = outcome is not None and outcome.code in guard.CODES
    problem = outcome.errors.get(CAPTCHA, "") if outcome else ""
    more = guard.inputs(form, values, problem, is_refused=is_refused)
    fields = own_fields(record, values or None, outcome.errors if outcome else None, more)
    written = in_form(record, f"{place.folder}/{PATH}{form.pk}", page, fields)
    is_asked = outcome is not None and outcome.code == guard.MISSING
    told = _("One more step: answer this question, and send the form again.") if is_asked else ""
    shown = {"told": told or (outcome.told if outcome else ""), "back": page}
    # in_form has escaped it.
    response = _page(form, shown | {"form": mark_safe(written)})  # noqa: S308 # nosec B308 B703
    if outcome:
        response.status_code = HTTPStatus.OK if is_asked else outcome.status
        for name, value in outcome.headers.items():
            response.headers[name] = value
    return response


def _page(form: Form, shown: Mapping[str, Any]) -> HttpResponse:
    context = {"title": form.title or form.name, "language": translation.get_language(), **shown}
    return HttpResponse(render_to_string("forms/sent.html", context), _HTML, headers={"X-Robots-Tag": "noindex"})
