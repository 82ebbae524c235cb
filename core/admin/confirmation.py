"""Requires the password again before actions that would outlive a stolen session, at most every ten minutes."""

import time
from typing import Any

from django import forms
from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth import BACKEND_SESSION_KEY, load_backend
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.debug import sensitive_variables

from core.admin.changed_fields_form import KeepingForm
from core.admin.error_messages import tell
from core.lib.errors import ServiceError

SECONDS = 10 * 60  # without a new confirmation in a session
_CONFIRMED = "_confirmed"  # in the session: the end of that time, and the stamp of the password


class ConfirmedForm(KeepingForm, forms.Form):
    """A form that requires the sender's password, unless the session has just confirmed it."""

    required_css_class = "required"
    own_password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text=gettext_lazy("Enter it again to confirm that it is really you."),
    )

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        self.request = request
        super().__init__(*args, **options)
        self.order_fields([name for name in self.fields if name != "own_password"])
        if self.skips_password() and not self.data.get("own_password"):
            del self.fields["own_password"]

    def needs_password(self) -> bool:
        """Return true if the valid values need it."""
        return True

    def skips_password(self) -> bool:
        return is_confirmed(self.request)

    def _post_clean(self) -> None:
        # After all fields are clean, and before forms act in _post_clean (accounts.admin.forms).
        # Removed, so that no code that handles the form's values handles the password.
        password = self.cleaned_data.pop("own_password", "")
        # If the form is refused for another reason, too, so that it is not lost.
        if password and (self.errors or self.needs_password()):
            try:
                confirm(self.request, password)
            except ServiceError as refusal:
                self.add_error("own_password", _tell(refusal))
            else:
                if self.skips_password():
                    del self.fields["own_password"]
        super()._post_clean()  # type: ignore[misc]


class OwnPasswordForm(AdminPasswordChangeForm):
    """Django's form for one's own password; wrong old passwords count as failed sign-ins."""

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        self.request = request
        super().__init__(*args, **options)
        if is_confirmed(request) and not self.data.get("old_password"):
            del self.fields["old_password"]

    def clean(self) -> dict[str, Any]:
        if "old_password" in self.cleaned_data:  # and right
            del self.fields["old_password"]
        return super().clean() or self.cleaned_data

    def clean_old_password(self) -> str:
        password = str(self.cleaned_data["old_password"])
        try:
            confirm(self.request, password)
        except ServiceError as refusal:
            raise ValidationError(_tell(refusal), code=refusal.code) from refusal
        return password


@sensitive_variables("password")
def confirm(request: HttpRequest, password: str) -> None:
    """Raises `ServiceError` unless this is the user's password; the backend limits and records failures."""
    backend: Any = load_backend(request.session[BACKEND_SESSION_KEY])
    request.session.pop(_CONFIRMED, None)  # a wrong password, sent from an older page, ends the time
    request.is_confirmed = False  # type: ignore[attr-defined]
    backend.confirm_password(request, request.user, password)
    request.session[_CONFIRMED] = [time.time() + SECONDS, _stamp(request)]


def is_confirmed(request: HttpRequest) -> bool:
    """Return true for SECONDS after the session confirmed the password, if it is still the same."""
    # A period that ends during a request lasts until its end: the form and its page must agree.
    if not getattr(request, "is_confirmed", False):
        until, stamp = request.session.get(_CONFIRMED, (0, ""))
        request.is_confirmed = time.time() < until and stamp == _stamp(request)  # type: ignore[attr-defined]
    return request.is_confirmed  # type: ignore[attr-defined,no-any-return]


def _stamp(request: HttpRequest) -> str:
    user: Any = request.user
    return str(user.get_session_auth_hash())


def _tell(refusal: ServiceError) -> str:
    return gettext("This is not your password.") if refusal.code == "sign_in_failed" else tell(refusal)
