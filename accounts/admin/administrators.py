"""The pages of administrators, for the highest rank alone."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters

from accounts import administrator_services
from accounts.admin.account_pages import last_activity, password_page
from accounts.admin.forms import COLUMNS, AdministratorForm
from accounts.models import Administrator
from cms_api.admin.acts import Act
from cms_api.admin.pages import ActingPages
from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.shown import shown_moment
from cms_api.audit.actions import label_of
from cms_api.audit.models import AuditEntry

_NOT_TO_ONESELF = {"lock", "delete"}
_RECENT = 10  # sign-ins on the page of an administrator
_SIGN_INS = ("administrator.signed_in", "administrator.sign_in_failed", "administrator.identity_not_confirmed")


def _own_id(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


def _sparing(act: Act, own_id: int) -> Act:
    """The act, which makes no sense for who does it."""
    return replace(
        act,
        suits=lambda one: one.pk != own_id and act.suits(one),
        unsuited=_("done already, or your own account"),
        nothing_to_do=_("There is nothing to do. Nobody can lock or delete themselves."),
    )


class RankFilter(admin.SimpleListFilter):
    """Administrators of a rank."""

    title = _("rank")
    parameter_name = "rank"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            (Rank.HIGHEST.value, _("highest")),
            (Rank.SITES.value, _("site administrator")),
            (Rank.ORDINARY.value, _("ordinary")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Administrator]) -> QuerySet[Administrator]:
        if self.value() is None:
            return queryset
        if self.value() == Rank.HIGHEST.value:
            return queryset.filter(is_superuser=True)
        others = queryset.filter(is_superuser=False)
        ordinary = Q(site_id_collection="")
        return others.filter(~ordinary if self.value() == Rank.SITES.value else ordinary)


@admin.register(Administrator)
class AdministratorAdmin(ActingPages):
    """Administrators of every rank: appointed, changed, locked and deleted by those of the highest."""

    acts = (
        Act(
            "lock",
            _("Lock"),
            ngettext_lazy("Lock %(count)d administrator?", "Lock %(count)d administrators?", "count"),
            ngettext_lazy("%(count)d administrator was locked.", "%(count)d administrators were locked.", "count"),
            lambda request, one: administrator_services.lock(one.pk, by=_own_id(request)),
            suits=lambda one: not one.is_locked_out,
            consequence=lambda some: _("Their sessions, access tokens and API keys end at once."),
        ),
        Act(
            "unlock",
            _("Unlock"),
            ngettext_lazy("Unlock %(count)d administrator?", "Unlock %(count)d administrators?", "count"),
            ngettext_lazy("%(count)d administrator was unlocked.", "%(count)d administrators were unlocked.", "count"),
            lambda request, one: administrator_services.unlock(one.pk),
            suits=lambda one: one.is_locked_out or one.is_shut_out,
        ),
        Act(
            "delete",
            _("Delete"),
            ngettext_lazy("Delete %(count)d administrator?", "Delete %(count)d administrators?", "count"),
            ngettext_lazy("%(count)d administrator was deleted.", "%(count)d administrators were deleted.", "count"),
            lambda request, one: administrator_services.remove(one.pk, by=_own_id(request)),
            consequence=lambda some: _("Their API keys are deleted with them."),
            is_grave=True,
            asks_password=True,
        ),
    )
    form = AdministratorForm
    list_display = ["user_name", "display_name", "email", "mobile", "rank", "locked", "last_activity"]
    list_filter = [RankFilter, "is_locked_out"]
    search_fields = ["user_name", "display_name", "email", "mobile"]
    ordering = ["user_name"]
    readonly_fields = [
        "locked",
        "keys",
        "signed_in",
        "count_of_login",
        "count_of_failed_login",
        "last_activity",
        "creation_date",
        "creator_user_name",
        "last_change_password_date",
    ]
    change_form_template = "accounts/administrator.html"
    last_activity = last_activity

    def acts_for(self, request: HttpRequest, record: Any = None) -> list[Act]:
        """The acts; those of which nobody may be the object and the subject leave out who does them."""
        own_id = _own_id(request)
        found = [
            _sparing(act, own_id) if act.name in _NOT_TO_ONESELF else act for act in super().acts_for(request, record)
        ]
        return [act for act in found if record is None or act.suits(record)]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        if shown := (getattr(answer, "context_data", None) or {}).get("cl"):
            _name_sites(shown.result_list)
        return answer

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Who it is and what the rank is; of a new one the password, of others what happened so far."""
        own = [*COLUMNS] if obj else [*COLUMNS, "password"]
        fieldsets = [(None, {"fields": own}), (_("Rank"), {"fields": ["rank", "sites", "groups"]})]
        so_far = [(_("Activity"), {"fields": self.readonly_fields})] if obj else []
        return [*fieldsets, *so_far, (None, {"fields": ["own_password"]})]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        form: Any = super().get_form(request, obj, change, **options)
        form.request = request
        return form

    def get_urls(self) -> list[Any]:
        page = self.admin_site.admin_view(self.password_view)
        return [path("<int:pk>/password/", page, name="accounts_administrator_password"), *super().get_urls()]

    @method_decorator(sensitive_post_parameters("password", "own_password"))
    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """The form of an administrator, whose passwords no report of an error tells."""
        return super().changeform_view(request, *args, **options)

    @method_decorator(sensitive_post_parameters("password", "again", "own_password"))
    def password_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The page that gives an administrator another password."""
        administrator = self.get_object(request, str(pk))
        if administrator is None:
            raise Http404
        return password_page(self, request, administrator)

    @admin.display(description=_("API keys"))
    def keys(self, administrator: Administrator) -> str:
        """How many keys belong to the administrator, with the way to them."""
        # By the reverse relation: accounts import no other app.
        count = administrator.api_keys.count()
        address = f"{reverse('admin:apikeys_apikey_changelist')}?administrator__id__exact={administrator.pk}"
        return format_html('<a href="{}">{}</a>', address, count) if count else "0"

    @admin.display(description=_("last sign-ins"))
    def signed_in(self, administrator: Administrator) -> str:
        """When and from where the administrator signed in lately, and what failed."""
        entries = AuditEntry.objects.filter(administrator_id=administrator.pk, action__in=_SIGN_INS).order_by("-id")
        rows = format_html_join(
            "",
            "<li>{} {} {}</li>",
            ((shown_moment(each.at, exact=True), label_of(each.action), each.address) for each in entries[:_RECENT]),
        )
        return format_html('<ul class="recent">{}</ul>', rows) if rows else gettext("There are no entries yet.")

    @admin.display(description=_("locked"), ordering="is_locked_out")
    def locked(self, administrator: Administrator) -> str:
        """Yes or no, in the reader's language."""
        return gettext("yes") if administrator.is_locked_out else gettext("no")

    @admin.display(description=_("rank"))
    def rank(self, administrator: Administrator) -> Any:
        """The rank in words, with the sites of a site administrator."""
        rank = rank_of(administrator)
        if rank is Rank.SITES:
            return administrator.site_names  # type: ignore[attr-defined]
        return _("highest") if rank is Rank.HIGHEST else _("ordinary")


def _name_sites(administrators: Iterable[Administrator]) -> None:
    """Give each one the names of the sites it looks after. One statement."""
    numbers = {number for administrator in administrators for number in administrator.reachable_site_ids}
    # By name, since this app imports no other one.
    sites = apps.get_model("cms_sites", "Site")._default_manager.filter(pk__in=numbers)
    names = dict(sites.values_list("pk", "site_name"))
    for administrator in administrators:
        known = (names.get(number, str(number)) for number in sorted(administrator.reachable_site_ids))
        administrator.site_names = ", ".join(known)  # type: ignore[attr-defined]
