from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.functional import Promise, cached_property
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts import avatars, services, user_log
from accounts.admin.account_pages import RECENT, AccountAdmin, recent_list
from accounts.admin.forms import NAMES, PERSON, STATES, WORK, PictureForm, UserForm
from accounts.admin.tables import UserTables
from accounts.models import User, UserLog
from core.admin.admin_actions import AdminAction
from core.admin.formatting import format_date_time, format_day, format_number
from core.admin.large_forms import takes_files
from core.admin.numbers import read_number
from core.admin.pages import BaseModelAdmin
from core.admin.start import Figure, Panel, Row, add_panel
from core.admin.views import address_of, page_of, render_page
from core.lib import clock

# Panel: users listed, and the limit of the count.
_ROWS, _ENOUGH = 5, 1000
_PERIODS: dict[str, tuple[str | Promise, timedelta]] = {
    "day": (_("in the last 24 hours"), timedelta(days=1)),
    "week": (_("in the last 7 days"), timedelta(days=7)),
    "month": (_("in the last 30 days"), timedelta(days=30)),
    "year": (_("in the last 365 days"), timedelta(days=365)),
}


class Joined(admin.SimpleListFilter):
    title = _("created")
    parameter_name = "joined"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, words) for name, (words, _period) in _PERIODS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        if self.value() not in _PERIODS:
            return queryset
        return queryset.filter(create_date__gte=clock.now() - _PERIODS[str(self.value())][1])


@admin.register(User)
class UserAdmin(AccountAdmin):
    by_groups = True
    admin_actions = (
        AdminAction(
            "approve",
            _("Approve"),
            ngettext_lazy("Approve %(count)d user?", "Approve %(count)d users?", "count"),
            ngettext_lazy("%(count)d user was approved.", "%(count)d users were approved.", "count"),
            lambda request, user: services.update_user(user.pk, {"is_checked": True}),
            suits=lambda user: not user.is_checked,
        ),
        AdminAction(
            "lock",
            _("Lock"),
            ngettext_lazy("Lock %(count)d user?", "Lock %(count)d users?", "count"),
            ngettext_lazy("%(count)d user was locked.", "%(count)d users were locked.", "count"),
            lambda request, user: services.update_user(user.pk, {"is_locked_out": True}),
            suits=lambda user: not user.is_locked_out,
        ),
        AdminAction(
            "unlock",
            _("Unlock"),
            ngettext_lazy("Unlock %(count)d user?", "Unlock %(count)d users?", "count"),
            ngettext_lazy("%(count)d user was unlocked.", "%(count)d users were unlocked.", "count"),
            lambda request, user: services.update_user(user.pk, {"is_locked_out": False}),
            right="lock",
            suits=lambda user: user.is_locked_out or user.is_shut_out,
        ),
        AdminAction(
            "delete",
            _("Delete"),
            ngettext_lazy("Delete %(count)d user?", "Delete %(count)d users?", "count"),
            ngettext_lazy("%(count)d user was deleted.", "%(count)d users were deleted.", "count"),
            lambda request, user: services.delete_user(user.pk),
            consequence=lambda some: _("Their pictures are deleted too; their log entries stay."),
            is_grave=True,
        ),
    )
    rights = {
        "view": _("See"),
        "lock": _("Lock and unlock"),
        "add": _("Add"),
        "change": _("Change"),
        "reset": _("Set a new password"),
        "export": _("Export"),
    }
    form = UserForm
    list_display = ["user_name", "display_name", "email", "mobile", "is_checked", "is_locked_out", "create_date"]
    list_filter = ["is_checked", "is_locked_out", Joined]
    search_fields = ["user_name"]  # shows the search field; get_search_results does the search
    search_help_text = _("Beginning of a name, display name, email address or mobile number")
    ordering = ["-id"]
    readonly_fields = [
        "picture",
        "create_date",
        "last_activity",
        "count_of_login",
        "count_of_failed_login",
        "last_reset_password_date",
        "count_of_writing",
        "recent",
    ]
    change_form_template = "accounts/user.html"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[User], search_term: str
    ) -> tuple[QuerySet[User], bool]:
        text = search_term.strip()
        return (User.objects.all().beginning(text) & queryset if text else queryset), False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        so_far = [(_("Activity"), {"fields": self.readonly_fields[1:]})] if obj else []
        return [
            (None, {"fields": ["picture", *NAMES] if obj else [*NAMES, "password", "is_drawn"]}),
            (_("State"), {"fields": list(STATES)}),
            (_("Employment"), {"fields": list(WORK)}),
            (_("Profile"), {"fields": list(PERSON), "classes": ["collapse"]}),
            *so_far,
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None and self.allows(request, "add"):
            return self.readonly_fields
        return [
            *self.readonly_fields,
            *(name for name, right in STATES.items() if not self.allows(request, right, obj)),
        ]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return any(self.allows(request, right, obj) for right in self.rights) or super().has_view_permission(
            request, obj
        )

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        if drawn := getattr(obj, "drawn_password", ""):
            return self.show_password(request, obj, drawn)
        return super().response_add(request, obj, post_url_continue)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        user = options.get("obj")
        context["may_reset"] = user is not None and self.allows(request, "reset", user)
        context["may_change"] = user is not None and self.allows(request, "change", user)
        return super().render_change_form(request, context, *args, **options)

    @cached_property
    def tables(self) -> UserTables:
        return UserTables(self)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, self.tables.tools(request) | (extra_context or {}))

    def get_urls(self) -> list[Any]:
        page = self.admin_site.admin_view(self.picture_view)
        return [
            path("<int:pk>/picture/", page, name="accounts_user_picture"),
            *self.tables.urls(),
            *super().get_urls(),
        ]

    @takes_files("CMS_AVATAR_MAX_BYTES")
    def picture_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        user: User | None = self.get_object(request, str(pk))
        if user is None or not self.allows(request, "change", user):
            raise Http404
        form = PictureForm(user, *((request.POST, request.FILES) if request.method == "POST" else ()))
        if request.method == "POST" and form.is_valid():
            self.message_user(request, _("The picture was changed."), messages.SUCCESS)
            return HttpResponseRedirect(address_of(self, "change", pk))
        title = _("Picture of %(name)s") % {"name": user}
        context = {"title": title, "form": form, "original": user, "picture": avatars.own_url(user)}
        return render_page(self, request, "accounts/picture.html", context)

    @admin.display(description=_("picture"))
    def picture(self, user: User) -> str:
        shown = format_html('<img class="avatar" src="{}" alt="" width="72" height="72">', avatars.own_url(user))
        # Pages of the admin load pictures from this service only.
        return format_html("{} {}", shown, user.avatar_url) if user.avatar_url and not user.avatar_file else shown

    @admin.display(description=_("user log"))
    def recent(self, user: User) -> str:
        rows = [
            (format_date_time(entry.add_date, exact=True), user_log.tell(entry.action), entry.ip_address)
            for entry in user.logs.order_by("-pk")[:RECENT]
        ]
        if not rows:
            return recent_list(rows)
        everything = f"{reverse('admin:accounts_userlog_changelist')}?{OfUser.parameter_name}={user.pk}"
        return format_html('{}<a href="{}">{}</a>', recent_list(rows), everything, gettext("All entries"))


class OwnActions(admin.SimpleListFilter):
    """Filters by the service's own actions; listing the actions of clients would require reading the whole log."""

    title = _("action")
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        own = (user_log.SIGN_IN, user_log.FAILED_SIGN_IN, user_log.NEW_PASSWORD)
        return [(name, user_log.tell(name)) for name in own]

    def queryset(self, request: HttpRequest, queryset: QuerySet[UserLog]) -> QuerySet[UserLog]:
        return queryset.filter(action=self.value()) if self.value() else queryset


class OfUser(admin.SimpleListFilter):
    title = _("user")
    parameter_name = "user"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        chosen = read_number(self.value()) or 0
        return [(str(pk), name) for pk, name in User.objects.filter(pk=chosen).values_list("pk", "user_name")]

    def has_output(self) -> bool:
        return self.value() is not None

    def queryset(self, request: HttpRequest, queryset: QuerySet[UserLog]) -> QuerySet[UserLog]:
        if self.value() is None:
            return queryset
        chosen = read_number(self.value())
        return queryset.none() if chosen is None else queryset.filter(user=chosen)


@admin.register(UserLog)
class UserLogAdmin(BaseModelAdmin):
    list_display = ["add_date", "user_name", "action_text", "ip_address"]
    list_filter = [OwnActions, OfUser]
    ordering = ["-id"]
    search_fields = ["user_name"]
    fields = ["user", "user_name", "ip_address", "add_date", "action_text", "summary_text"]
    readonly_fields = ["action_text", "summary_text"]

    @admin.display(description=_("action"), ordering="action")
    def action_text(self, entry: UserLog) -> str:
        return user_log.tell(entry.action)

    @admin.display(description=_("details"))
    def summary_text(self, entry: UserLog) -> str:
        return user_log.tell(entry.summary)


def _unchecked(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, User)
    if page is None or "approve" not in {action.name for action in page.actions_for(request)}:  # type: ignore[attr-defined]
        return None
    waiting = User.objects.filter(is_checked=False).order_by("pk")
    number = waiting.order_by()[: _ENOUGH + 1].count()
    if not number:
        return None  # most installations do not approve users
    address = f"{address_of(page)}?is_checked__exact=0"
    told = f"{format_number(_ENOUGH)}+" if number > _ENOUGH else format_number(number)
    rows = [
        Row(user.display_name or user.user_name, address_of(page, "change", user.pk), format_day(user.create_date))
        for user in waiting.only("user_name", "display_name", "create_date")[:_ROWS]
    ]
    figures = [Figure(_("cannot sign in until they are approved"), told, address)]
    return Panel("users", _("Users waiting for approval"), address, figures=figures, rows=rows)


add_panel(25, "users", _("Users waiting for approval"), _unchecked)
