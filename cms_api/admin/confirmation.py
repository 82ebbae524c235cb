"""Asks for the password again before something that a thief of a session must not do."""

from typing import Any

from django import forms
from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth import BACKEND_SESSION_KEY, load_backend
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.debug import sensitive_variables

from cms_api.admin.refusals import tell
from cms_api.lib.errors import ServiceError


class ConfirmedForm(forms.Form):
    """A form that counts only together with the password of who sends it.

    The password is looked at when everything else is right.
    """

    own_password = forms.CharField(
        label=gettext_lazy("Your own password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text=gettext_lazy("Asked for again, so that nobody does this at a screen that you have left."),
    )

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        self.request = request
        super().__init__(*args, **options)
        self.order_fields([name for name in self.fields if name != "own_password"])

    def _post_clean(self) -> None:
        # After all that is typed has been looked at, and before a form does what it is for (accounts.admin.forms).
        if not self.errors:
            self._confirm()
        super()._post_clean()  # type: ignore[misc]

    def _confirm(self) -> None:
        try:
            # Taken out, so that nothing that handles the form's values handles the password.
            confirm(self.request, self.cleaned_data.pop("own_password"))
        except ServiceError as refusal:
            self.add_error("own_password", _tell(refusal))


class OwnPasswordForm(AdminPasswordChangeForm):
    """Django's form for one's own password; the old one is asked for within the limits of sign-in."""

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        self.request = request
        super().__init__(*args, **options)

    def clean_old_password(self) -> str:
        """The old password. Raises ValidationError in the words of sign-in."""
        password = str(self.cleaned_data["old_password"])
        try:
            confirm(self.request, password)
        except ServiceError as refusal:
            raise ValidationError(_tell(refusal), code=refusal.code) from refusal
        return password


@sensitive_variables("password")
def confirm(request: HttpRequest, password: str) -> None:
    """Raises ServiceError unless this is the password of who has signed in.

    It is looked at by the backend of the sign-in: wrong ones are limited and noted in the audit as they are there.
    """
    backend: Any = load_backend(request.session[BACKEND_SESSION_KEY])
    backend.confirm_password(request, request.user, password)


def _tell(refusal: ServiceError) -> str:
    return gettext("This is not your password.") if refusal.code == "sign_in_failed" else tell(refusal)
