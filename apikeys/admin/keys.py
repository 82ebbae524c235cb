"""The pages of API keys, for the highest rank alone: `System management › Utilities › API keys`."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from apikeys import tokens
from apikeys.admin import start
from apikeys.admin.actions import KEY_ACTS, KeyAct
from apikeys.admin.examples import curl_line
from apikeys.admin.forms import ActForm, KeyForm
from apikeys.allowed import allowed_operations, reasons, site_names, usable_grant, with_access_token
from apikeys.models import ApiKey, ApiKeyToken, KeyChanged, State
from apikeys.scopes import WRITE, Scope
from cms_api.admin.numbers import read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.registered import address_of
from cms_api.admin.shown import shown_moment
from cms_api.admin.views import render_page

_CHANGED = _("Somebody else has changed this key meanwhile. Look at it again; nothing was done.")
hide_password = method_decorator(sensitive_post_parameters("own_password"))


class StateFilter(admin.SimpleListFilter):
    """Keys by whether they open anything."""

    title, parameter_name = _("state"), "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state.value, str(state.label)) for state in State]

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[ApiKey]:
        value = self.value()
        chosen: QuerySet[ApiKey] = queryset.in_state(State(value)) if value in State.values else queryset
        return chosen


@admin.register(ApiKey)
class ApiKeyAdmin(RecordPages):
    """Lists, issues and looks after keys. Each act has a page of its own that asks for the password."""

    by_groups = False
    change_list_template = "apikeys/list.html"
    list_display = ["name", "owner", "shown_scopes", "shown_sites", "shown_state", "last_used_at"]
    list_filter = [StateFilter, ("administrator", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["administrator"]
    search_fields = ["name", "tokens__public_part"]
    ordering = ["name"]
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        keys: QuerySet[ApiKey] = super().get_queryset(request)
        return keys.annotate(last_used_at=Max("tokens__last_used_at"))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list; a whole token that somebody pastes into the search leaves the address at once."""
        asked = request.GET.get("q", "")
        if match := tokens.PATTERN.search(asked):
            return HttpResponseRedirect(f"{request.path}?q={tokens.public_part(match[0])}")
        return super().changelist_view(request, extra_context)

    # ---- Who, and where

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.has_view_permission(request)

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view
        own = [
            path("<int:key_id>/edit/", page(self.edit_view), name="apikeys_apikey_edit"),
            path("<int:key_id>/operations/", page(self.operations_view), name="apikeys_apikey_operations"),
        ]
        own += [
            path(f"<int:key_id>/{act.name}/", page(self.key_act_view), {"act": act}, name=f"apikeys_apikey_{act.name}")
            for act in KEY_ACTS
        ]
        return own + super().get_urls()

    # ---- Columns of the list

    @admin.display(description=_("Owner"), ordering="administrator__user_name")
    def owner(self, key: ApiKey) -> str:
        """Whose key it is."""
        return key.administrator.user_name

    @admin.display(description=_("scopes"))
    def shown_scopes(self, key: ApiKey) -> str:
        """Scopes as on the command line."""
        if key.parse_scopes() == dict.fromkeys(Scope, WRITE):
            return str(_("all, for writing"))
        return key.scopes.replace(",", ", ") or "–"

    @admin.display(description=_("sites"))
    def shown_sites(self, key: ApiKey) -> str:
        """Numbers of sites."""
        return key.site_ids.replace(",", ", ") or str(_("the owner's"))

    @admin.display(description=_("state"))
    def shown_state(self, key: ApiKey) -> str:
        """Whether the key opens anything, and until when."""
        if key.state is State.VALID and key.expires_at is not None:
            return str(_("valid until %s")) % key.expires_at.date()
        return str(key.state.label)

    @admin.display(description=_("last use"), ordering="last_used_at")
    def last_used_at(self, key: Any) -> str:
        """When any of the key's tokens was last used; uses are noted to the minute."""
        return shown_moment(key.last_used_at) or pgettext("last use", "never")

    # ---- A new key, and its token

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
        # The answer to the POST itself: the token passes through no session, message or address.
        grant = usable_grant(key)
        curl = curl_line(grant, token, request.build_absolute_uri("/").rstrip("/")) if grant else ""
        return self._answer(
            request,
            "token",
            key,
            done,
            token=token,
            curl=curl,
            reasons=reasons(key),
            old=key.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).first(),
        )

    # ---- One key

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        key = self._key(object_id)
        if request.method == "POST":
            raise Http404("Keys are changed on the pages of their acts.")
        site_ids = key.parse_site_ids()
        return self._answer(
            request,
            "key",
            key,
            key.name,
            slots=key.tokens.order_by("slot"),
            reasons=reasons(key),
            sites=None if site_ids is None else site_names(site_ids),
            acts=[
                (act, reverse(f"admin:apikeys_apikey_{act.name}", args=[key.pk]))
                for act in KEY_ACTS
                if act.is_possible(key)
            ],
        )

    @hide_password
    def edit_view(self, request: HttpRequest, key_id: int) -> HttpResponse:
        """Change what the key is for, whose it is, and what it opens."""
        key = self._key(key_id)
        if key.revoked_at is not None:
            return self._back(request, key, _("A revoked key is not changed."), messages.ERROR)
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
    def key_act_view(self, request: HttpRequest, key_id: int, act: KeyAct) -> HttpResponse:
        """Ask whether the act is meant, and do it."""
        key = self._key(key_id)
        if not act.is_possible(key):
            return self._back(request, key, _CHANGED, messages.ERROR)
        form: ActForm = act.form(request, request.POST or None, initial={"seen": key.stamp})
        if request.method == "POST" and form.is_valid():
            try:
                token = act.perform(key, form.cleaned_data, form.cleaned_data["seen"])
            except KeyChanged:
                return self._back(request, key, _CHANGED, messages.ERROR)
            return self._show_token(request, key, token, act.done) if token else self._back(request, key, act.done)
        return self._answer(request, "act", key, act.title, form=form, act=act)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        raise Http404

    def operations_view(self, request: HttpRequest, key_id: int) -> HttpResponse:
        """What the key may do: operations, and sites."""
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

    # ---- Common to all

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


# Puts its panel on the start page.
__all__ = ["ApiKeyAdmin", "start"]
