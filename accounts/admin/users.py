"""The pages of users and of their log."""

from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.functional import Promise, cached_property
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters

from accounts import avatars, services, user_log
from accounts.admin.account_pages import last_activity, password_page, show_password
from accounts.admin.tables import UserTables
from accounts.admin.user_forms import NAMES, PERSON, STATES, WORK, PictureForm, UserForm
from accounts.models import User, UserLog
from cms_api.admin.acts import Act
from cms_api.admin.large_forms import takes_files
from cms_api.admin.numbers import read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.registered import address_of
from cms_api.admin.shown import shown_moment
from cms_api.admin.views import render_page
from cms_api.lib import clock

_RECENT = 10  # entries of the log on the page of a user
_PERIODS: dict[str, tuple[str | Promise, timedelta]] = {
    "day": (_("in the last 24 hours"), timedelta(days=1)),
    "week": (_("in the last 7 days"), timedelta(days=7)),
    "month": (_("in the last 30 days"), timedelta(days=30)),
    "year": (_("in the last 365 days"), timedelta(days=365)),
}


class Joined(admin.SimpleListFilter):
    """Users who were made lately."""

    title = _("created")
    parameter_name = "joined"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, words) for name, (words, _period) in _PERIODS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        if self.value() not in _PERIODS:
            return queryset
        return queryset.filter(create_date__gte=clock.now() - _PERIODS[str(self.value())][1])


@admin.register(User)
class UserAdmin(RecordPages):
    """Users: found, made, changed, approved, locked, given another password, deleted, exported and imported."""

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
    rights = {
        "view": _("See"),
        "lock": _("Lock and unlock"),
        "add": _("Add"),
        "change": _("Change"),
        "reset": _("Give another password"),
        "export": _("Export"),
    }
    form = UserForm
    list_display = ["user_name", "display_name", "email", "mobile", "is_checked", "is_locked_out", "create_date"]
    list_filter = ["is_checked", "is_locked_out", Joined]
    search_fields = ["user_name"]  # for the field to be there; see get_search_results
    search_help_text = _("How a name, a display name, an e-mail address or a mobile begins")
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
    last_activity = last_activity

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[User], search_term: str
    ) -> tuple[QuerySet[User], bool]:
        text = search_term.strip()
        return (User.objects.all().beginning(text) & queryset if text else queryset), False

    # ---- forms

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Who it is; of a new one the password, of others what happened so far."""
        names = [*NAMES, *([] if obj else ["password", "is_drawn"])]
        so_far = [(_("Activity"), {"fields": self.readonly_fields[1:]})] if obj else []
        return [
            (None, {"fields": [*(["picture"] if obj else []), *names]}),
            (_("State"), {"fields": list(STATES)}),
            (_("Work"), {"fields": list(WORK)}),
            (_("Person"), {"fields": list(PERSON), "classes": ["collapse"]}),
            *so_far,
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """What nobody types, and states that the administrator may not change."""
        states = [
            name
            for name, right in STATES.items()
            if not self.allows(request, right, obj) and not (obj is None and self.allows(request, "add"))
        ]
        return [*self.readonly_fields, *states]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return any(self.allows(request, right, obj) for right in self.rights) or super().has_view_permission(
            request, obj
        )

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return bool(self.allows(request, "add"))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(self.allows(request, "change", obj))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing but to remember a drawn password for the next page: the form has acted."""
        request.drawn_password = getattr(form, "drawn", "")  # type: ignore[attr-defined]

    def save_related(self, *args: Any) -> None:
        """Nothing: the form has acted."""

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        """The next page, or the one that shows a drawn password once."""
        if drawn := getattr(request, "drawn_password", ""):
            return show_password(self, request, obj, drawn)
        return super().response_add(request, obj, post_url_continue)

    @method_decorator(sensitive_post_parameters("password"))
    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """The form of a user, whose password no report of an error tells."""
        return super().changeform_view(request, *args, **options)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        user = options.get("obj")
        context["may_reset"] = user is not None and self.allows(request, "reset", user)
        context["may_change"] = user is not None and self.allows(request, "change", user)
        return super().render_change_form(request, context, *args, **options)

    # ---- pages of their own

    @cached_property
    def tables(self) -> UserTables:
        """Export and import."""
        return UserTables(self)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, self.tables.tools(request) | (extra_context or {}))

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        return [
            path("<int:pk>/password/", view(self.password_view), name="accounts_user_password"),
            path("<int:pk>/picture/", view(self.picture_view), name="accounts_user_picture"),
            *self.tables.urls(),
            *super().get_urls(),
        ]

    @method_decorator(sensitive_post_parameters("password", "again", "own_password"))
    def password_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The page that gives a user another password."""
        return password_page(self, request, self._of_whom(request, pk, "reset"))

    @takes_files("CMS_AVATAR_MAX_BYTES")
    def picture_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The page of a user's picture."""
        user = self._of_whom(request, pk, "change")
        form = PictureForm(user, *((request.POST, request.FILES) if request.method == "POST" else ()))
        if request.method == "POST" and form.is_valid():
            self.message_user(request, _("The picture was changed."), messages.SUCCESS)
            return HttpResponseRedirect(address_of(self, "change", pk))
        title = _("Picture of %(name)s") % {"name": user}
        context = {"title": title, "form": form, "original": user, "picture": avatars.own_url(user)}
        return render_page(self, request, "accounts/picture.html", context)

    def _of_whom(self, request: HttpRequest, pk: int, right: str) -> User:
        user: User | None = self.get_object(request, str(pk))
        if user is None or not self.allows(request, right, user):
            raise Http404
        return user

    # ---- columns

    @admin.display(description=_("picture"))
    def picture(self, user: User) -> str:
        """The picture, as visitors see it."""
        shown = format_html('<img class="avatar" src="{}" alt="" width="72" height="72">', avatars.own_url(user))
        # Pages here load pictures of this service only.
        return format_html("{} {}", shown, user.avatar_url) if user.avatar_url and not user.avatar_file else shown

    @admin.display(description=_("user log"))
    def recent(self, user: User) -> str:
        """The latest entries of the user's log, with the way to the others."""
        entries = user.logs.order_by("-pk")[:_RECENT]
        rows = format_html_join(
            "",
            "<li>{} {} {}</li>",
            (
                (shown_moment(entry.add_date, exact=True), user_log.tell(entry.action), entry.ip_address)
                for entry in entries
            ),
        )
        if not rows:
            return gettext("There are no entries yet.")
        everything = f"{reverse('admin:accounts_userlog_changelist')}?{OfUser.parameter_name}={user.pk}"
        return format_html('<ul class="recent">{}</ul><a href="{}">{}</a>', rows, everything, gettext("All entries"))


def _update(user: User, **values: Any) -> None:
    services.update_user(user.pk, values)


class OwnActions(admin.SimpleListFilter):
    """The actions that the service itself notes; to list those of clients, the whole log would have to be read."""

    title = _("action")
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            (name, user_log.tell(name)) for name in (user_log.SIGN_IN, user_log.FAILED_SIGN_IN, user_log.NEW_PASSWORD)
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[UserLog]) -> QuerySet[UserLog]:
        return queryset.filter(action=self.value()) if self.value() else queryset


class OfUser(admin.SimpleListFilter):
    """Entries of one user, as the user's page asks for them."""

    title = _("user")
    parameter_name = "user"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        chosen = read_number(self.value()) or 0
        return [(str(pk), name) for pk, name in User.objects.filter(pk=chosen).values_list("pk", "user_name")]

    def has_output(self) -> bool:
        return self.value() is not None

    def queryset(self, request: HttpRequest, queryset: QuerySet[UserLog]) -> QuerySet[UserLog]:
        """Entries of the user; none for what is no number."""
        if self.value() is None:
            return queryset
        chosen = read_number(self.value())
        return queryset.none() if chosen is None else queryset.filter(user=chosen)


@admin.register(UserLog)
class UserLogAdmin(RecordPages):
    list_display = ["add_date", "user_name", "told_action", "ip_address"]
    list_filter = [OwnActions, OfUser]
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
