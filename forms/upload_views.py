"""Takes files before their entry, as scripts of SiteServer 6 and 7 send them; the entry then has their tokens."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from core.lib.errors import InvalidInput, LimitReached, Unavailable
from forms.former_addresses import find_form, refused, unknown
from forms.models import Field, Form
from forms.receiving import receive_file
from forms.uploads import MAX_BODY, UPLOADS, Spool
from forms.views import Outcome, as_json
from pages.engine.elements.forms import FILE_TYPES

_UPLOADS_LAST = 86_400  # seconds of a token for uploads


@require_POST
def plugin_upload(request: HttpRequest, site_id: int, form_id: int) -> HttpResponse:
    """Take a file of SS.Form for the field `fieldId`, with the token that the definition of the form has."""
    with translation.override(translation.get_language_from_request(request)):
        if (form := find_form(site_id, Form.Origin.PLUGIN, form_id)) is None:
            return unknown()
        try:
            is_right = UPLOADS.unsign(request.GET.get("uploadToken", ""), max_age=_UPLOADS_LAST) == str(form.pk)
        except BadSignature:
            is_right = False
        number = request.GET.get("fieldId", "")
        field = _field_of(form, pk=int(number)) if number.isascii() and number.isdigit() and len(number) < 19 else None
        if not is_right or field is None:
            return refused(HTTPStatus.UNAUTHORIZED, _("This page is too old. Load it again."))
        return _take(request, form, field, lambda token: {"value": token, "fieldId": field.pk})


@require_POST
def form_upload(request: HttpRequest) -> HttpResponse:
    """Take a file for the form `formId` of SiteServer 7, and the field `attributeName`."""
    numbers = [request.GET.get(name, "") for name in ("siteId", "formId")]
    with translation.override(translation.get_language_from_request(request)):
        if not all(text.isascii() and text.isdigit() and len(text) < 19 for text in numbers):
            return unknown()
        if (form := find_form(int(numbers[0]), Form.Origin.FORM, int(numbers[1]))) is None:
            return unknown()
        key = request.GET.get("attributeName", "")
        if (field := _field_of(form, folded_key=key.casefold())) is None:
            return refused(HTTPStatus.BAD_REQUEST, _("The form has no such field for files."))
        return _take(request, form, field, lambda token: {"attributeName": key, "virtualUrl": token, "fileUrl": token})


def _field_of(form: Form, **which: object) -> Field | None:
    return form.fields.filter(is_visible=True, kind__in=FILE_TYPES, **which).first()


def _take(request: HttpRequest, form: Form, field: Field, body_of: Callable[[str], Mapping[str, Any]]) -> HttpResponse:
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY:
            raise InvalidInput("form_unreadable", _("The form could not be read, or is too large."))
        request.upload_handlers = [Spool(request, None, 1)]
        token = receive_file(form, field, request)
    except LimitReached as error:
        told = Outcome(HTTPStatus.TOO_MANY_REQUESTS, error.message, error.code, wait=error.wait)
        return as_json({"code": told.code, "message": told.told}, told)
    except Unavailable:
        return refused(HTTPStatus.SERVICE_UNAVAILABLE, _("Files cannot be stored at present. Try again later."))
    except InvalidInput as error:
        return refused(HTTPStatus.BAD_REQUEST, error.message)
    except (OSError, MultiPartParserError, BadRequest, SuspiciousOperation):
        return refused(HTTPStatus.BAD_REQUEST, _("The form could not be read, or is too large."))
    return as_json(body_of(str(token)), Outcome(HTTPStatus.OK, ""))
