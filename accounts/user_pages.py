"""The pages of users and of their log."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts import services, user_log
from accounts.models import User, UserLog
from cms_api.back_end.acts import Act
from cms_api.back_end.pages import RecordPages


@admin.register(User)
class UserAdmin(RecordPages):
    acts = (
        Act(
            "approve",
            _("Approve"),
            ngettext_lazy("Approve %(count)d user?", "Approve %(count)d users?", "count"),
            ngettext_lazy("%(count)d user was approved.", "%(count)d users were approved.", "count"),
            lambda request, user: _update(user, is_checked=True),
            suits=lambda user: not user.is_checked,
        ),
        Act(
            "lock",
            _("Lock"),
            ngettext_lazy("Lock %(count)d user?", "Lock %(count)d users?", "count"),
            ngettext_lazy("%(count)d user was locked.", "%(count)d users were locked.", "count"),
            lambda request, user: _update(user, is_locked_out=True),
            suits=lambda user: not user.is_locked_out,
        ),
        Act(
            "unlock",
            _("Unlock"),
            ngettext_lazy("Unlock %(count)d user?", "Unlock %(count)d users?", "count"),
            ngettext_lazy("%(count)d user was unlocked.", "%(count)d users were unlocked.", "count"),
            lambda request, user: _update(user, is_locked_out=False),
            right="lock",
            suits=lambda user: user.is_locked_out or user.is_shut_out,
        ),
        Act(
            "delete",
            _("Delete"),
            ngettext_lazy("Delete %(count)d user?", "Delete %(count)d users?", "count"),
            ngettext_lazy("%(count)d user was deleted.", "%(count)d users were deleted.", "count"),
            lambda request, user: services.delete_user(user.pk),
            consequence=lambda some: _("Their pictures go with them; entries of the log stay."),
            is_grave=True,
        ),
    )
    rights = {"view": _("See"), "lock": _("Lock and unlock")}
    list_display = ["user_name", "display_name", "email", "mobile", "is_checked", "is_locked_out", "create_date"]
    list_filter = ["is_checked", "is_locked_out"]
    search_fields = ["user_name", "display_name", "email", "mobile"]
    ordering = ["-id"]
    exclude = ["password"]


def _update(user: User, **values: Any) -> None:
    services.update_user(user.pk, values)


class OwnActions(admin.SimpleListFilter):
    """The actions that the service itself notes; to list those of clients, the whole log would have to be read."""

    title = _("action")
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """What can be chosen."""
        return [
            (name, user_log.tell(name)) for name in (user_log.SIGN_IN, user_log.FAILED_SIGN_IN, user_log.NEW_PASSWORD)
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[UserLog]) -> QuerySet[UserLog]:
        """Entries with the chosen action."""
        return queryset.filter(action=self.value()) if self.value() else queryset


@admin.register(UserLog)
class UserLogAdmin(RecordPages):
    list_display = ["add_date", "user_name", "told_action", "ip_address"]
    list_filter = [OwnActions]
    ordering = ["-id"]
    search_fields = ["user_name"]
    fields = ["user", "user_name", "ip_address", "add_date", "told_action", "told_summary"]
    readonly_fields = ["told_action", "told_summary"]

    @admin.display(description=_("action"), ordering="action")
    def told_action(self, entry: UserLog) -> str:
        """What was done."""
        return user_log.tell(entry.action)

    @admin.display(description=_("details"))
    def told_summary(self, entry: UserLog) -> str:
        """What was noted of it."""
        return user_log.tell(entry.summary)
