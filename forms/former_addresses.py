"""Addresses that pages of SiteServer send forms to; hand-written pages keep them, with the numbers of that time."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.lib import clock
from core.lib.errors import InvalidInput, NotFound, ServiceError
from forms import siteserver7
from forms.api.places import find_form as form_at
from forms.api.places import read_place
from forms.models import CHOICE_KINDS, Field, Form
from forms.public_lists import listed_fields
from forms.records import shown_fields
from forms.uploads import UPLOADS, file_keys
from forms.views import HEADERS, Outcome, as_json, read_values, store, success

# The page in the frame tells the page around it; scripts of both releases of version 5 are called.
_TOLD = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title></title></head><body><script>
const told = {told}, number = {number};
try {{ parent["stlInputCallback_" + number](JSON.stringify(told)); }} catch {{}}
parent.postMessage({{ containerId: "stl_input_" + number, isSuccess: told.isSuccess }}, "*");
</script></body></html>
"""


@require_http_methods(["GET", "HEAD", "POST"])
def plugin_entries(request: HttpRequest, site_id: int, form_id: int) -> HttpResponse:
    """Store an entry of SS.Form, whose members are named by the titles of the fields, or return its public list."""
    if request.method != "POST":
        return _rows(request, find_form(site_id, Form.Origin.PLUGIN, form_id), _plugin_rows)
    with translation.override(translation.get_language_from_request(request)):
        if (form := find_form(site_id, Form.Origin.PLUGIN, form_id)) is None:
            return unknown()
        keys = {field.label.casefold(): field.key for field in shown_fields(form)}
        sent = read_values(request, form)
        by_key = None if sent is None else {keys.get(name.casefold(), name): texts for name, texts in sent.items()}
        outcome = store(request, form, by_key)
        if outcome.token is None:
            return as_json(outcome.body, outcome)
        row = {"id": str(outcome.token), "guid": str(outcome.token), "formId": form_id, "isReplied": False}
        moment = clock.now().isoformat(timespec="seconds")
        given = {name: ",".join(texts) for name, texts in (sent or {}).items() if name.casefold() in keys}
        return as_json(given | row | {"addDate": moment, "message": outcome.told}, outcome)


@require_POST
def plugin_definition(request: HttpRequest, site_id: int, form_id: int) -> HttpResponse:
    """Return the fields of a form as SS.Form does."""
    if (form := find_form(site_id, Form.Origin.PLUGIN, form_id)) is None:
        return unknown()
    if not form.takes_entries:
        return refused(HTTPStatus.BAD_REQUEST, _("This form is closed."))
    fields = [_plugin_field(form_id, field) for field in shown_fields(form)]
    body = {"value": fields, "title": form.title or form.name, "description": form.description}
    upload_token = UPLOADS.sign(str(form.pk)) if file_keys(form) else ""
    return as_json(
        body | {"consentText": form.consent_text, "isCaptcha": False, "uploadToken": upload_token},
        Outcome(HTTPStatus.OK, ""),
    )


@require_POST
def input_entries(request: HttpRequest, site_id: int, form_id: int) -> HttpResponse:
    """Store an entry of `stl:input`, sent into a hidden frame, and tell the page around it."""
    with translation.override(translation.get_language_from_request(request)):
        if (form := find_form(site_id, Form.Origin.INPUT, form_id)) is None:
            return unknown()
        outcome = store(request, form, read_values(request, form))
        told = {"isSuccess": outcome.token is not None, "message": " ".join([outcome.told, *outcome.errors.values()])}
        # In a script, `<` could end it.
        text = orjson.dumps(told).decode().replace("<", "\\u003c")
        return HttpResponse(_TOLD.format(told=text, number=form_id), headers=outcome.headers)


@require_POST
def form_entry(request: HttpRequest) -> HttpResponse:
    """Store an entry of the plugin of SiteServer 7.0, whose body names site and form."""
    with translation.override(translation.get_language_from_request(request)):
        sent = read_values(request)
        try:
            place = read_place({}, sent)
            form = form_at(place)
        except ServiceError as refusal:
            status = HTTPStatus.NOT_FOUND if isinstance(refusal, NotFound) else HTTPStatus.BAD_REQUEST
            return refused(status, refusal.message)
        about = siteserver7.about(form.site_id, place.channel_id, place.content_id)
        outcome = store(request, form, sent, about)
        if outcome.token is None:
            return as_json(outcome.body, outcome)
        row = siteserver7.row_of(form, about, sent or {}, str(outcome.token), outcome.told)
        return as_json(row | {"formId": place.form_id or form.pk}, outcome)


@require_safe
def form_rows(request: HttpRequest, site_id: int, form_id: int) -> HttpResponse:
    return _rows(request, find_form(site_id, Form.Origin.FORM, form_id), siteserver7.public_rows)


@require_POST
def form_definition(request: HttpRequest, site_id: int, form_id: int) -> HttpResponse:
    """Return the fields of a form as the plugin of SiteServer 7.0 does."""
    with translation.override(translation.get_language_from_request(request)):
        if (form := find_form(site_id, Form.Origin.FORM, form_id)) is None:
            return unknown()
        if not form.takes_entries:
            return refused(HTTPStatus.BAD_REQUEST, _("This form is closed."))
        definition = siteserver7.definition_of(form, success(form))
        defaults = siteserver7.defaults_of(definition["styles"])
        return as_json(definition | {"dataInfo": defaults}, Outcome(HTTPStatus.OK, ""))


@require_POST
def form_sms(request: HttpRequest, site_id: int, form_id: int) -> HttpResponse:
    with translation.override(translation.get_language_from_request(request)):
        return refused(HTTPStatus.BAD_REQUEST, siteserver7.sms_refused().message)


def _rows(
    request: HttpRequest, form: Form | None, rows_of: Callable[[Form, QueryDict], Mapping[str, Any]]
) -> HttpResponse:
    """Return what everybody may read of the form's entries."""
    with translation.override(translation.get_language_from_request(request)):
        try:
            return unknown() if form is None else as_json(rows_of(form, request.GET), Outcome(HTTPStatus.OK, ""))
        except NotFound:
            return unknown()
        except InvalidInput as refusal:
            return refused(HTTPStatus.BAD_REQUEST, refusal.message)


def _plugin_rows(form: Form, query: Mapping[str, str]) -> dict[str, Any]:
    """Return a page of the public list as SS.Form does: members of rows are named by the labels of the fields."""
    found, total, size = siteserver7.read_public(form, query)
    fields = listed_fields(form)
    labels = [field.label for field in fields]
    rows: list[dict[str, Any]] = [
        {siteserver7.member(field.label): entry.values[field.key] for field in fields}
        | {
            "id": entry.id,
            "formId": form.origin_id or form.pk,
            "isReplied": bool(entry.reply),
            "replyDate": entry.replied_at.isoformat(" ", "seconds") if entry.replied_at else None,
            "replyContent": entry.reply,
            "addDate": entry.created_at.isoformat(" ", "seconds"),
        }
        for entry in found
    ]
    return {
        "value": rows,
        "count": total,
        "pages": -(-total // size),
        "page": max(siteserver7.number_in(query.get("page", "")), 1),
        "fieldInfoList": [_plugin_field(form.origin_id or form.pk, field) for field in fields],
        "allAttributeNames": labels,
        "listAttributeNames": labels,
        "isReply": form.public_list == Form.PublicList.REPLIED,
    }


def find_form(site_id: int, origin: str, number: int) -> Form | None:
    """Return the form that had the number in SiteServer, or that has it here."""
    forms = Form.objects.filter(site_id=site_id, site__trashed_at__isnull=True)
    return forms.filter(origin=origin, origin_id=number).first() or forms.filter(pk=number).first()


def _plugin_field(form_id: int, field: Field) -> Mapping[str, Any]:
    items = [
        {"id": number, "value": choice, "isSelected": choice == field.default, "isExtras": False}
        for number, choice in enumerate(field.choices, 1)
    ]
    return {
        "id": field.pk,
        "formId": form_id,
        "taxis": field.taxis,
        "title": field.label,
        "description": field.help_text,
        "placeHolder": "",
        "fieldType": siteserver7.input_type(field),
        "validate": "required" if field.is_required else "",
        "columns": 0,
        "height": 0,
        "items": items if field.kind in CHOICE_KINDS else [],
        "value": [] if field.kind == Field.Kind.CHECKBOXES else field.default,
    }


def unknown() -> HttpResponse:
    return refused(HTTPStatus.NOT_FOUND, _("There is no such form."))


def refused(status: HTTPStatus, told: str) -> HttpResponse:
    return HttpResponse(orjson.dumps({"message": told}), "application/json", status, headers=HEADERS)
