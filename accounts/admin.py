from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts import user_log
from accounts.attempts import SignInFailed
from accounts.models import Administrator, User, UserLog
from cms_api.back_end.pages import HighestRankPages, RecordPages
from cms_api.rest.errors import Refusal


class SignInForm(AdminAuthenticationForm):
    """The sign-in page, which says of a refusal what a login says."""

    # Not Django's own field, which changes letters that a name may have (NFKC).
    username = forms.CharField(
        label="Name, e-mail address or mobile",
        widget=forms.TextInput(attrs={"autofocus": True, "autocapitalize": "none", "autocomplete": "username"}),
    )

    def get_invalid_login_error(self) -> ValidationError:
        """The refusal that accounts.backends left, or that of a wrong password."""
        refusal: Refusal = getattr(self.request, "sign_in_refusal", None) or SignInFailed()
        return ValidationError(refusal.message, code=refusal.code)


admin.site.login_form = SignInForm


@admin.register(Administrator)
class AdministratorAdmin(HighestRankPages):
    list_display = [
        "user_name",
        "display_name",
        "email",
        "is_superuser",
        "is_locked_out",
        "last_activity_date",
    ]
    search_fields = ["user_name", "display_name", "email", "mobile"]
    exclude = ["password"]


@admin.register(User)
class UserAdmin(RecordPages):
    list_display = ["user_name", "display_name", "email", "is_checked", "is_locked_out", "create_date"]
    search_fields = ["user_name", "display_name", "email", "mobile"]
    exclude = ["password"]


class OwnActions(admin.SimpleListFilter):
    """The actions that the service itself notes; to list those of clients, the whole log would have to be read."""

    title = parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """What can be chosen."""
        return [(name, name) for name in (user_log.SIGN_IN, user_log.FAILED_SIGN_IN, user_log.NEW_PASSWORD)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[UserLog]) -> QuerySet[UserLog]:
        """Entries with the chosen action."""
        return queryset.filter(action=self.value()) if self.value() else queryset


@admin.register(UserLog)
class UserLogAdmin(RecordPages):
    list_display = ["add_date", "user_name", "action", "ip_address"]
    list_filter = [OwnActions]
    ordering = ["-id"]
    search_fields = ["user_name"]
