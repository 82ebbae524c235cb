from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.utils import translation
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.lib.errors import NotPermitted
from core.rest.conditional import compare, keep, use
from core.rest.fields import TextField, invalid
from core.rest.json import Body
from core.rest.pagination import PagedList
from core.rest.serializers import WireSerializer
from core.rest.views import ApiView, OpenView
from forms import siteserver7
from forms.api import changes, records
from forms.api.places import find_form, read_place
from forms.api.query import read_page
from forms.models import MAX_CHARACTERS, Entry, Form
from forms.views import as_json, read_values, store, success
from sites.models import require_site


class StylesView(OpenView):
    """`/forms/styles`"""

    def get(self, request: Request) -> Response:
        form = find_form(read_place(dict(request.query_params.lists())))
        with translation.override(translation.get_language_from_request(request._request)):
            definition = siteserver7.definition_of(form, success(form))
        defaults = siteserver7.defaults_of(definition["styles"])
        body = Body(definition, formData=defaults, siteUrl=form.site.web_url)
        return Response(body)


class SmsView(OpenView):
    """`/forms/actions/sendSms` of SiteServer 7, which this service does not have."""

    is_described = False

    def post(self, request: Request) -> Response:
        with translation.override(translation.get_language_from_request(request._request)):
            raise siteserver7.sms_refused()


class EntriesView(ApiView):
    """`/forms`: everybody sends entries; those with a key read them."""

    required_scope = "Forms"
    key_is_optional = True

    def get_authenticators(self) -> list[Any]:
        return [] if self.request.method == "POST" else super().get_authenticators()

    def perform_authentication(self, request: Request) -> None:
        """Allow a request without a key. Raises NotPermitted."""
        try:
            super().perform_authentication(request)
        except NotPermitted as refusal:
            if refusal.code != "key_missing":
                raise

    def check_permissions(self, request: Request) -> None:
        if request.auth is not None:
            super().check_permissions(request)

    def get(self, request: Request) -> Response:
        place = read_place(dict(request.query_params.lists()))
        if request.auth is None:
            with translation.override(translation.get_language_from_request(request._request)):
                return Response(Body(siteserver7.public_rows(find_form(place), request.query_params)))
        self.grant.require_site(place.site_id)
        require_site(place.site_id, "siteId")
        form = find_form(place, is_own_first=True)
        entries, total, size = read_page(request, form)
        fields = list(form.fields.all())
        keys = {str(field.pk): field.key for field in fields}
        body = Body(
            items=[records.entry_record(entry, form, keys) for entry in entries],
            total=total,
            pageSize=size,
            styles=[siteserver7.style_of(field) for field in fields],
            allAttributeNames=[field.key for field in fields],
            listAttributeNames=[field.key for field in fields if field.is_listed],
            isReply=form.public_list == Form.PublicList.REPLIED,
            columns=siteserver7.columns_of(fields),
        )
        compare(request, "form_entries", body)
        return Response(body)

    def post(self, request: Request) -> HttpResponse:
        sent = read_values(request._request)
        place = read_place(dict(request.query_params.lists()), sent)
        form = find_form(place)
        with translation.override(translation.get_language_from_request(request._request)):
            about = siteserver7.about(form.site_id, place.channel_id, place.content_id)
            outcome = store(request._request, form, sent, about)
            body = outcome.body
            if outcome.token is not None:
                body = siteserver7.row_of(form, about, sent or {}, str(outcome.token), outcome.told)
            return as_json(body, outcome)


class FormsView(ApiView):
    """`/forms/{siteId}`"""

    required_scope = "Forms"

    def get(self, request: Request, site_id: int) -> HttpResponseBase:
        require_site(site_id)
        rows: QuerySet[Form, Any] = Form.objects.filter(site=site_id).values_list(*records.FORM.values())
        return PagedList(request, rows, records.show_form).answer()


class EntryStateField(serializers.ChoiceField):
    def read(self, value: Any, name: str) -> str:
        state = value.strip().casefold() if isinstance(value, str) else ""
        if state not in Entry.State.values:
            raise invalid(name, f"one of {', '.join(Entry.State.values)}")
        return state


class EntrySerializer(WireSerializer):
    state = EntryStateField(Entry.State.values, help_text="State: new, read, approved or spam.")
    reply_content = TextField(
        max_length=MAX_CHARACTERS,
        help_text="Reply to the sender, as plain text; empty: none. An entry that was new is read afterwards.",
    )


class EntryView(ApiView):
    """`/forms/{siteId}/entries/{id}`"""

    required_scope = "Forms"

    def get(self, request: Request, site_id: int, entry_id: int) -> Response:
        tag, record = records.represent(changes.find_entry(site_id, entry_id))
        use(request, tag)
        return Response(record)

    def put(self, request: Request, site_id: int, entry_id: int) -> Response:
        changes.find_entry(site_id, entry_id)  # 404 comes before the body
        values = EntrySerializer.read(self.body).values
        tag, record = records.represent(
            changes.change_entry(site_id, entry_id, values, self.if_match(records.represent))
        )
        keep(request, tag)
        return Response(record)

    def delete(self, request: Request, site_id: int, entry_id: int) -> Response:
        return Response(changes.delete_entry(site_id, entry_id, self.if_match(records.represent)))
