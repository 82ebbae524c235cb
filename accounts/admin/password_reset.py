"""Pages where an administrator who has forgotten the password sets another one. Without a mail server they are 404."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import path, reverse_lazy
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from django.views.generic import FormView

from accounts import password_reset
from core.admin.error_messages import tell
from core.lib.client_address import client_address
from core.lib.errors import LimitReached
from core.mail.messages import is_set_up


class _Page:
    """Context of pages that need no sign-in."""

    title: Any
    request: HttpRequest

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_set_up():
            raise Http404
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        return {**admin.site.each_context(self.request), **context, "title": self.title}


class _EmailForm(forms.Form):
    email = forms.EmailField(label=_("Your email address"), max_length=255)


class AskView(_Page, FormView):  # type: ignore[type-arg]
    form_class = _EmailForm
    template_name = "accounts/password_reset_ask.html"
    title = _("Forgotten password")

    def form_valid(self, form: _EmailForm) -> HttpResponse:
        request = self.request
        try:
            password_reset.ask(form.cleaned_data["email"], get_language() or "en", client_address(request))
        except LimitReached as refusal:
            form.add_error(None, tell(refusal))
            return self.form_invalid(form)
        told = gettext("If an account has this address, an email is on its way to it.")
        messages.info(request, told)
        return redirect("admin:login")


class _NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    def save(self, commit: bool = True) -> Any:
        self.user.count_of_failed_login = 0  # guesses of strangers no longer keep the owner out
        return super().save(commit)


class ConfirmView(_Page, PasswordResetConfirmView):
    form_class, token_generator = _NewPasswordForm, password_reset.tokens
    template_name = "accounts/password_reset_confirm.html"
    success_url = reverse_lazy("admin:login")
    title = _("New password")

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        messages.success(self.request, gettext("Your password has been changed. Sign in with it."))
        return response


urlpatterns = [
    path("", AskView.as_view(), name="password_reset"),
    path("<uidb64>/<token>/", ConfirmView.as_view(), name="password_reset_confirm"),
]
