"""Forms of an administrator's own account; as in `forms`, they call their service in `_post_clean`."""

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts import second_factor, services
from accounts.admin.forms import ActingForm
from accounts.models import Administrator
from accounts.sign_in import confirm_code
from core.admin.confirmation import ConfirmedForm
from core.admin.error_messages import tell
from core.lib.client_address import client_address
from core.lib.errors import InvalidInput, ServiceError

_PROFILE = ("display_name", "email", "mobile", "language")
_OF_SIGN_IN = ("email", "mobile")  # a stolen session must not change them


def _seen(administrator: Administrator) -> str:
    shown = [getattr(administrator, name) for name in _PROFILE]
    return salted_hmac("accounts.profile", repr(shown), algorithm="sha256").hexdigest()


class ProfileForm(ConfirmedForm, ActingForm):
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("the language of the browser")), *settings.LANGUAGES],
        help_text=_("Of the admin, on every device, and of emails to you."),
    )
    seen = forms.CharField(widget=forms.HiddenInput)

    class Meta:
        model = Administrator
        fields = _PROFILE

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        super().__init__(request, *args, **options)
        self.fields["seen"].initial = _seen(self.instance)
        if password := self.fields.get("own_password"):
            password.required = False
            password.help_text = _("Only to change the email address or the mobile number.")

    def needs_password(self) -> bool:
        return any(self.cleaned_data[name] != getattr(self.instance, name) for name in _OF_SIGN_IN)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and self.needs_password() and not cleaned.get("own_password", self.skips_password()):
            self.add_error("own_password", _("Enter your password."))
        return cleaned

    def action(self) -> Administrator:
        def raise_if_changed(stored: Administrator) -> None:
            if _seen(stored) != self.cleaned_data["seen"]:
                raise InvalidInput("changed_meanwhile", "The account has changed since the form was loaded.")

        values = {name: self.cleaned_data[name] for name in _PROFILE if name in self.changed_data}
        return services.update_administrator(self.instance.pk, values, raise_if_changed)


def _code_field(**options: Any) -> forms.CharField:
    attributes = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
    return forms.CharField(
        max_length=64, widget=forms.TextInput(attrs=attributes | options.pop("attrs", {})), **options
    )


class SecondStepForm(forms.Form):
    code = _code_field(label=_("Code of your authenticator app, or a recovery code"), attrs={"autofocus": True})


class SetUpForm(ConfirmedForm):
    code = _code_field(label=_("Code that the app shows"))

    def __init__(self, request: HttpRequest, secret: str, *args: Any) -> None:
        super().__init__(request, *args)
        self._secret = secret
        self.recovery_codes: list[str] = []

    def _post_clean(self) -> None:
        super()._post_clean()
        if not self.errors:
            try:
                pk = int(self.request.user.pk or 0)
                self.recovery_codes = second_factor.set_up(pk, self._secret, self.cleaned_data["code"])
            except ServiceError as refusal:
                self.add_error("code", tell(refusal))


class ChangeSecondFactorForm(ConfirmedForm):
    code = _code_field(label=_("Code of your authenticator app, or a recovery code"))

    def skips_password(self) -> bool:
        user: Any = self.request.user
        return super().skips_password() and second_factor.recent_wrong_codes(user) < second_factor.ASK_AGAIN

    def _post_clean(self) -> None:
        super()._post_clean()
        if not self.errors:
            try:
                user: Any = self.request.user
                confirm_code(user, self.cleaned_data["code"], client_address(self.request))
            except ServiceError as refusal:
                self.add_error("code", tell_of_code(refusal))


def tell_of_code(refusal: ServiceError) -> Any:
    return _("The code is wrong or has been used.") if refusal.code == "sign_in_failed" else tell(refusal)
