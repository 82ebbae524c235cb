from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import ValidationError
from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from apikeys import tokens
from apikeys.admin.forms import KEY_ACTIONS, KeyAction, KeyActionForm, KeyForm
from apikeys.key_overview import allowed_operations, curl_line, reasons, site_names, usable_grant, with_access_token
from apikeys.models import LAST_USE, ApiKey, ApiKeyToken, KeyChanged, KeyState
from apikeys.scopes import WRITE, Scope
from core.admin.formatting import format_date_time, moment_markup
from core.admin.numbers import read_number
from core.admin.pages import BaseModelAdmin
from core.admin.sent_forms import once, shown_once
from core.admin.start import Card, Panel, Row, add_first_steps, add_panel
from core.admin.views import address_of, page_of, render_page
from core.lib import clock

_CHANGED = _("Someone else has changed this key. Nothing was done; review it and try again.")
_SOON = timedelta(days=14)
_ROWS = 5  # of the panel
hide_password = method_decorator(sensitive_post_parameters("own_password"))


class StateFilter(admin.SimpleListFilter):
    title, parameter_name = _("state"), "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state.value, str(state.label)) for state in KeyState]

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[ApiKey]:
        value = self.value()
        chosen: QuerySet[ApiKey] = queryset.in_state(KeyState(value)) if value in KeyState.values else queryset
        return chosen


@admin.register(ApiKey)
class ApiKeyAdmin(BaseModelAdmin):
    by_groups = False
    change_list_template = "apikeys/list.html"
    list_display = ["name", "owner", "scopes_text", "sites_text", "state_text", "last_used_at"]
    list_filter = [StateFilter, ("administrator", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["administrator"]
    search_fields = ["name", "tokens__public_part"]
    ordering = ["name"]
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        keys: QuerySet[ApiKey] = super().get_queryset(request)
        return keys.annotate(last_used_at=LAST_USE)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        asked = request.GET.get("q", "")
        if match := tokens.PATTERN.search(asked):
            return HttpResponseRedirect(f"{request.path}?q={tokens.public_part(match[0])}")
        return super().changelist_view(request, extra_context)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.has_view_permission(request)

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view
        admin_actions = [
            path(
                f"<int:key_id>/{action.name}/",
                page(self.key_action_view),
                {"action": action},
                name=f"apikeys_apikey_{action.name}",
            )
            for action in KEY_ACTIONS
        ]
        return [
            path("<int:key_id>/edit/", page(self.edit_view), name="apikeys_apikey_edit"),
            path("<int:key_id>/operations/", page(self.operations_view), name="apikeys_apikey_operations"),
            *admin_actions,
            *super().get_urls(),
        ]

    @admin.display(description=_("Owner"), ordering="administrator__user_name")
    def owner(self, key: ApiKey) -> str:
        return key.administrator.user_name

    @admin.display(description=_("scopes"))
    def scopes_text(self, key: ApiKey) -> str:
        if key.parse_scopes() == dict.fromkeys(Scope, WRITE):
            return str(_("all, with write access"))
        return key.scopes.replace(",", ", ") or "–"

    @admin.display(description=_("sites"))
    def sites_text(self, key: ApiKey) -> str:
        return key.site_ids.replace(",", ", ") or str(_("the owner's"))

    @admin.display(description=_("state"))
    def state_text(self, key: ApiKey) -> str:
        if key.state is KeyState.VALID and key.expires_at is not None:
            return str(_("valid until %s")) % key.expires_at.date()
        return str(key.state.label)

    @admin.display(description=_("last use"), ordering="last_used_at")
    def last_used_at(self, key: Any) -> str:
        return moment_markup(key.last_used_at) if key.last_used_at else pgettext("last use", "never")

    @hide_password
    @method_decorator(sensitive_variables("token"))
    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        form = KeyForm(request, request.POST or None)
        if request.method == "POST" and form.is_valid():
            values = dict(form.values)
            try:
                key, token = ApiKey.objects.issue(values.pop("name"), values.pop("administrator"), **values)
            except ValidationError as error:
                form.refuse(error)
            else:
                return self._show_token(request, key, token, _("The key has been issued."))
        return self._answer(request, "key_form", None, _("Add API key"), form=form)

    @method_decorator(sensitive_variables("token", "curl"))
    def _show_token(self, request: HttpRequest, key: ApiKey, token: str, done: Any) -> HttpResponse:
        # Rendered in response to the POST, so that the token passes through no session, message or address.
        grant = usable_grant(key)
        curl = curl_line(grant, token, request.build_absolute_uri("/").rstrip("/")) if grant else ""
        old = key.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).first()
        context = {"token": token, "curl": curl, "reasons": reasons(key), "old": old}
        return shown_once(self._answer(request, "token", key, done, **context))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        key = self._key(object_id)
        if request.method == "POST":
            raise Http404("Change keys on the pages of their actions.")
        site_ids = key.parse_site_ids()
        return self._answer(
            request,
            "key",
            key,
            key.name,
            slots=key.tokens.order_by("slot"),
            legacy=key.legacy_tokens.accepted().aggregate(last_used_at=Max("last_used_at"), ends_at=Max("ends_at")),
            reasons=reasons(key),
            sites=None if site_ids is None else site_names(site_ids),
            admin_actions=[
                (action, reverse(f"admin:apikeys_apikey_{action.name}", args=[key.pk]))
                for action in KEY_ACTIONS
                if action.is_possible(key)
            ],
        )

    @hide_password
    def edit_view(self, request: HttpRequest, key_id: int) -> HttpResponse:
        key = self._key(key_id)
        if key.revoked_at is not None:
            return self._back(request, key, _("A revoked key cannot be changed."), messages.ERROR)
        form = KeyForm(request, request.POST or None, key=key)
        if request.method == "POST" and form.is_valid():
            try:
                key.change(form.values, seen=form.cleaned_data["seen"])
            except KeyChanged:
                return self._back(request, key, _CHANGED, messages.ERROR)
            except ValidationError as error:
                form.refuse(error)
            else:
                return self._back(request, key, _("The key has been changed."))
        return self._answer(request, "key_form", key, _("Change API key"), form=form)

    @hide_password
    @method_decorator(sensitive_variables("token"))
    @once
    def key_action_view(self, request: HttpRequest, key_id: int, action: KeyAction) -> HttpResponse:
        key = self._key(key_id)
        if not action.is_possible(key):
            return self._back(request, key, _CHANGED, messages.ERROR)
        form: KeyActionForm = action.form(request, request.POST or None, initial={"seen": key.stamp})
        if request.method == "POST" and form.is_valid():
            try:
                token = action.perform(key, form.cleaned_data, form.cleaned_data["seen"])
            except KeyChanged:
                return self._back(request, key, _CHANGED, messages.ERROR)
            return (
                self._show_token(request, key, token, action.done) if token else self._back(request, key, action.done)
            )
        return self._answer(request, "action", key, action.title, form=form, action=action)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        raise Http404

    def operations_view(self, request: HttpRequest, key_id: int) -> HttpResponse:
        key = self._key(key_id)
        grant = usable_grant(key)
        return self._answer(
            request,
            "operations",
            key,
            _("What may this key do?"),
            reasons=reasons(key),
            grant=grant,
            operations=allowed_operations(grant) if grant else [],
            with_access_token=with_access_token(grant) if grant else [],
            sites=None if grant is None or grant.site_ids is None else site_names(grant.site_ids),
        )

    def _key(self, key_id: int | str) -> ApiKey:
        number = read_number(str(key_id)) or 0
        key = ApiKey.objects.select_related("administrator").filter(pk=number).first()
        if key is None:
            raise Http404("There is no such key.")
        return key

    def _back(self, request: HttpRequest, key: ApiKey, text: Any, level: int = messages.SUCCESS) -> HttpResponse:
        messages.add_message(request, level, text)
        is_there = ApiKey.objects.filter(pk=key.pk).exists()
        return HttpResponseRedirect(address_of(self, "change", key.pk) if is_there else address_of(self))

    def _answer(
        self, request: HttpRequest, template: str, key: ApiKey | None, title: Any, **context: Any
    ) -> HttpResponse:
        return render_page(self, request, f"apikeys/{template}.html", context | {"key": key, "title": title})


def _keys(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, ApiKey)
    if page is None:
        return None
    address, valid = address_of(page), ApiKey.objects.in_state(KeyState.VALID)
    rows = [
        Row(
            key.name,
            address_of(page, "change", key.pk),
            str(_("ends %(when)s")) % {"when": format_date_time(key.expires_at)},
            is_worrying=True,
        )
        for key in valid.filter(expires_at__lte=clock.now() + _SOON).order_by("expires_at")[:_ROWS]
    ]
    return Panel("keys", _("API keys"), address, rows=rows) if rows else None


def _first_key(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    page = page_of(site, request, ApiKey)
    if page and page.has_add_permission(request):
        sentence = _("A program needs a key to use the API. The key is shown once, with a command to try it.")
        yield Card("keys", _("Issue an API key"), sentence, address_of(page, "add"), ApiKey.objects.exists())


add_first_steps(30, _first_key)
add_panel(70, "keys", _("API keys"), _keys)
