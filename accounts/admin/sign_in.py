"""The sign-in to the back end; the pages of accounts stand beside it."""

from django import forms
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.attempts import SignInFailed
from cms_api.admin.refusals import tell
from cms_api.lib.errors import ServiceError


class SignInForm(AdminAuthenticationForm):
    """The sign-in page, which says of a refusal what a login says."""

    # Not Django's own field, which changes letters that a name may have (NFKC).
    username = forms.CharField(
        label=_("Name, e-mail address or mobile"),
        widget=forms.TextInput(attrs={"autofocus": True, "autocapitalize": "none", "autocomplete": "username"}),
    )

    def get_invalid_login_error(self) -> ValidationError:
        """The refusal that accounts.backends left, or that of a wrong password."""
        refusal: ServiceError = getattr(self.request, "sign_in_refusal", None) or SignInFailed()
        return ValidationError(tell(refusal), code=refusal.code)


admin.site.login_form = SignInForm
