"""Asks for the password again before actions that would outlive a stolen session."""

from typing import Any

from django import forms
from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth import BACKEND_SESSION_KEY, load_backend
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.debug import sensitive_variables

from cms_api.admin.error_messages import tell
from cms_api.lib.errors import ServiceError


class ConfirmedForm(forms.Form):
    """A form that requires the sender's password, checked only if everything else is valid."""

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

    def needs_password(self) -> bool:
        return True

    def _post_clean(self) -> None:
        # After all fields are clean, and before forms act in _post_clean (accounts.admin.forms).
        if not self.errors:
            # Removed, so that no code that handles the form's values handles the password.
            password = self.cleaned_data.pop("own_password")
            try:
                if self.needs_password():
                    confirm(self.request, password)
            except ServiceError as refusal:
                self.add_error("own_password", _tell(refusal))
        super()._post_clean()  # type: ignore[misc]


class OwnPasswordForm(AdminPasswordChangeForm):
    """Django's form for one's own password; wrong old passwords count as failed sign-ins."""

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        self.request = request
        super().__init__(*args, **options)

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
    backend.confirm_password(request, request.user, password)


def _tell(refusal: ServiceError) -> str:
    return gettext("This is not your password.") if refusal.code == "sign_in_failed" else tell(refusal)
