"""The forms of the pages of members. Each calls its service in `act`, whose refusals are shown at the fields."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from accounts import password_reset, services
from accounts.models import User, is_clear_name
from accounts.sign_in import Form, change_password, check_credentials, sign_in
from accounts.validators import help_text_of
from core.admin.error_messages import tell
from core.lib.client_address import client_address
from core.lib.errors import ServiceError

_FIELDS = {"userName": "user_name", "newPassword": "password"}  # other members have the name of their field
_ACCOUNT = {"autocapitalize": "none", "autocomplete": "username", "spellcheck": "false"}


def _password(label: Any, autocomplete: str, **options: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget, **options)


class _ActingForm(forms.BaseForm):
    """A form that acts once it is valid, and is invalid if the service refuses; `user` is the user since then."""

    user: User
    request: HttpRequest

    def act(self) -> User | None:
        raise NotImplementedError

    def is_valid(self) -> bool:
        if not super().is_valid():
            return False
        try:
            if (user := self.act()) is not None:
                self.user = user
        except ServiceError as refusal:
            member = str(refusal.members.get("member", ""))
            field = _FIELDS.get(member, member)
            self.add_error(field if field in self.fields else None, ValidationError(tell(refusal), refusal.code))
            return False
        return True

    @property
    def address(self) -> str:
        return client_address(self.request)


class SignInForm(_ActingForm, forms.Form):
    account = forms.CharField(
        label=_("Name, email address or mobile number"), max_length=255, widget=forms.TextInput(attrs=_ACCOUNT)
    )
    password = _password(_("Password"), "current-password")

    def act(self) -> User:
        sent = self.cleaned_data
        return sign_in(User, sent["account"], sent["password"], form=Form.PLAIN, address=self.address)


class _TwicePassword(_ActingForm):
    def clean(self) -> dict[str, Any]:
        sent: dict[str, Any] = super().clean() or self.cleaned_data
        if {"password", "again"} <= sent.keys() and sent["password"] != sent["again"]:
            self.add_error("again", _now("The two passwords differ."))
        return sent


class RegistrationForm(_TwicePassword, forms.ModelForm):  # type: ignore[type-arg]
    password = _password(_("Password"), "new-password", help_text=help_text_of(User))
    again = _password(_("Password again"), "new-password")

    class Meta:
        model = User
        fields = ("user_name", "display_name", "email", "mobile")
        widgets = {
            "user_name": forms.TextInput(attrs=_ACCOUNT),
            "email": forms.EmailInput(attrs={"autocomplete": "email"}),
            "mobile": forms.TextInput(attrs={"autocomplete": "tel", "type": "tel"}),
        }

    def clean_user_name(self) -> str:
        name = str(self.cleaned_data["user_name"])
        if not is_clear_name(name):
            raise ValidationError(_now("A name must not begin or end with a space or contain control characters."))
        return name

    def act(self) -> User:
        values = {name: text for name, text in self.cleaned_data.items() if name != "again"}
        return services.register(values, self.address)

    def _post_clean(self) -> None:
        """Do nothing: the service checks."""


class ProfileForm(_ActingForm, forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("display_name", "email", "mobile", "organization", "position", "address", "interests", "signature")
        widgets = {"email": forms.EmailInput(attrs={"autocomplete": "email"})}

    def act(self) -> User:
        # Only what was typed, so that a change by others in the meantime stays.
        return services.update_user(self.instance.pk, {name: self.cleaned_data[name] for name in self.changed_data})

    def _post_clean(self) -> None:
        """Do nothing: the service checks."""


class NewPasswordForm(_TwicePassword, forms.Form):
    """For a user whose identity is certain."""

    password = _password(_("New password"), "new-password", help_text=help_text_of(User))
    again = _password(_("New password again"), "new-password")

    def act(self) -> User:
        change_password(self.user, self.cleaned_data["password"], self.address)
        User.objects.filter(pk=self.user.pk).update(count_of_failed_login=0)  # of strangers, who kept the owner out
        return self.user


class PasswordForm(NewPasswordForm):
    current = _password(_("Current password"), "current-password")
    field_order = ("current", "password", "again")

    def act(self) -> User:
        current = self.cleaned_data["current"]
        check_credentials(User, self.user, current, form=Form.PLAIN, address=self.address)
        return super().act()


class ForgottenForm(_ActingForm, forms.Form):
    email = forms.EmailField(
        label=_("Your email address"), max_length=255, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    new_password_url: str

    def act(self) -> None:
        password_reset.ask(self.cleaned_data["email"], get_language() or "en", self.address, self.new_password_url)
