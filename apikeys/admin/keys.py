"""The pages of API keys, for the highest rank alone: `System management › Utilities › API keys`."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from apikeys.admin import start
from apikeys.admin.actions import KEY_ACTS, KeyAct
from apikeys.admin.examples import curl_line
from apikeys.admin.forms import ActForm, KeyForm
from apikeys.admin.key_list import KeyList
from apikeys.allowed import allowed_operations, reasons, site_names, usable_grant, with_access_token
from apikeys.models import ApiKey, ApiKeyToken, KeyChanged
from cms_api.admin.numbers import read_number

_CHANGED = _("Somebody else has changed this key meanwhile. Look at it again; nothing was done.")
hide_password = method_decorator(sensitive_post_parameters("own_password"))


@admin.register(ApiKey)
class ApiKeyAdmin(KeyList):
    """Lists, issues and looks after keys. Each act has a page of its own that asks for the password."""

    # ---- Who, and where

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Whoever sees keys, which is the highest rank, issues them."""
        return self.has_view_permission(request)

    def get_urls(self) -> list[URLPattern]:
        """The pages, one for each act besides Django's own."""
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

    # ---- A new key, and its token

    @hide_password
    @method_decorator(sensitive_variables("token"))
    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Issue a key and show its token, this once."""
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
            request, "token", key, done, token=token, curl=curl, reasons=reasons(key), old=_previous_token(key)
        )

    # ---- One key

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """What is known of the key, and what can be done with it."""
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
        """Never reached: the act of that name comes before."""
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
        if ApiKey.objects.filter(pk=key.pk).exists():
            return HttpResponseRedirect(reverse("admin:apikeys_apikey_change", args=[key.pk]))
        return HttpResponseRedirect(reverse("admin:apikeys_apikey_changelist"))

    def _answer(
        self, request: HttpRequest, template: str, key: ApiKey | None, title: Any, **context: Any
    ) -> HttpResponse:
        context |= self.admin_site.each_context(request) | {"opts": self.opts, "key": key, "title": title}
        return TemplateResponse(request, f"apikeys/{template}.html", context)


def _previous_token(key: ApiKey) -> ApiKeyToken | None:
    return key.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).first()


# Puts its panel on the start page.
__all__ = ["ApiKeyAdmin", "start"]
