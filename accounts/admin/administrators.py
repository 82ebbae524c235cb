from dataclasses import replace
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts import administrator_services, second_factor, sessions
from accounts.admin.account_pages import RECENT, AccountAdmin, recent_list, sign_ins_of
from accounts.admin.branch_choices import find_view
from accounts.admin.forms import NAMES, AdministratorForm, GroupForm
from accounts.admin.people import people_view
from accounts.admin.permissions import permissions_view
from accounts.models import Administrator, SecondFactor
from accounts.place_names import place_names
from accounts.roles import shown_name
from core.admin.admin_actions import AdminAction
from core.admin.confirmation import is_confirmed
from core.admin.formatting import format_date_time
from core.admin.pages import ActionModelAdmin, offered_rights
from core.admin.ranks import Rank, rank_of
from core.admin.views import address_of, route
from core.audit.actions import label_of
from sites.models import Site

_TOLD = 5  # places of a group in the list
# One's own sessions and second factor are on the page of one's own account, where the latter takes a code.
_NOT_TO_ONESELF = {"lock", "delete", "end-sessions", "reset-second-factor"}


def _own_id(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


def _sparing(action: AdminAction, own_id: int) -> AdminAction:
    return replace(
        action,
        suits=lambda one: one.pk != own_id and action.suits(one),
        unsuited=_("already done, or your own account"),
        nothing_to_do=_("There is nothing to do. Your own account is left out."),
    )


class RankFilter(admin.SimpleListFilter):
    title = _("rank")
    parameter_name = "rank"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            (Rank.HIGHEST.value, _("superuser")),
            (Rank.SITES.value, _("site administrator")),
            (Rank.ORDINARY.value, _("ordinary")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Administrator]) -> QuerySet[Administrator]:
        highest, ordinary = Q(is_superuser=True), Q(is_superuser=False, site_id_collection="")
        chosen = {None: Q(), Rank.HIGHEST.value: highest, Rank.SITES.value: ~highest & ~ordinary}
        return queryset.filter(chosen.get(self.value(), ordinary))


@admin.register(Administrator)
class AdministratorAdmin(AccountAdmin):
    admin_actions = (
        AdminAction(
            "lock",
            _("Lock"),
            ngettext_lazy("Lock %(count)d administrator?", "Lock %(count)d administrators?", "count"),
            ngettext_lazy("%(count)d administrator was locked.", "%(count)d administrators were locked.", "count"),
            lambda request, one: administrator_services.lock(one.pk, by=_own_id(request)),
            suits=lambda one: not one.is_locked_out,
            consequence=lambda some: _("Their sessions, access tokens and API keys end at once."),
        ),
        AdminAction(
            "unlock",
            _("Unlock"),
            ngettext_lazy("Unlock %(count)d administrator?", "Unlock %(count)d administrators?", "count"),
            ngettext_lazy("%(count)d administrator was unlocked.", "%(count)d administrators were unlocked.", "count"),
            lambda request, one: administrator_services.unlock(one.pk),
            suits=lambda one: one.is_locked_out or one.is_shut_out,
        ),
        AdminAction(
            "delete",
            _("Delete"),
            ngettext_lazy("Delete %(count)d administrator?", "Delete %(count)d administrators?", "count"),
            ngettext_lazy("%(count)d administrator was deleted.", "%(count)d administrators were deleted.", "count"),
            lambda request, one: administrator_services.remove(one.pk, by=_own_id(request)),
            consequence=lambda some: _("Their API keys are deleted with them."),
            is_grave=True,
            asks_password=True,
        ),
        AdminAction(
            "end-sessions",
            _("End all sessions"),
            ngettext_lazy(
                "End all sessions of %(count)d administrator?", "End all sessions of %(count)d administrators?", "count"
            ),
            ngettext_lazy(
                "The sessions of %(count)d administrator were ended.",
                "The sessions of %(count)d administrators were ended.",
                "count",
            ),
            lambda request, one: sessions.end_all(one.pk),
            consequence=lambda some: _("Their access tokens end too; API keys stay."),
        ),
        AdminAction(
            "reset-second-factor",
            _("Remove the second factor"),
            ngettext_lazy(
                "Remove the second factor of %(count)d administrator?",
                "Remove the second factor of %(count)d administrators?",
                "count",
            ),
            ngettext_lazy(
                "The second factor of %(count)d administrator was removed.",
                "The second factor of %(count)d administrators was removed.",
                "count",
            ),
            lambda request, one: second_factor.reset(one.pk),
            suits=lambda one: one.has_second_factor,
            unsuited=_("has no second factor"),
            consequence=lambda some: _("Their password is then enough to sign in."),
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

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        has_second_factor = Exists(SecondFactor.objects.filter(pk=OuterRef("pk")))
        administrators: QuerySet[Any] = super().get_queryset(request).annotate(has_second_factor=has_second_factor)
        return administrators

    def get_urls(self) -> list[Any]:
        return [route(self, "<int:pk>/permissions/", "permissions", permissions_view), *super().get_urls()]

    def actions_for(self, request: HttpRequest, record: Any = None) -> list[AdminAction]:
        own_id = _own_id(request)
        found = [
            _sparing(action, own_id) if action.name in _NOT_TO_ONESELF else action
            for action in super().actions_for(request, record)
        ]
        return [action for action in found if record is None or action.suits(record)]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        if shown := (getattr(answer, "context_data", None) or {}).get("cl"):
            numbers = {number for administrator in shown.result_list for number in administrator.reachable_site_ids}
            names = dict(Site.objects.filter(pk__in=numbers).values_list("pk", "site_name"))
            for administrator in shown.result_list:
                own = sorted(administrator.reachable_site_ids)
                administrator.site_names = ", ".join(names.get(number, str(number)) for number in own)
        return answer

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        own = [*NAMES] if obj else [*NAMES, "password"]
        fieldsets = [(None, {"fields": own}), (_("Rank"), {"fields": ["rank", "sites", "groups"]})]
        so_far = [(_("Activity"), {"fields": self.readonly_fields})] if obj else []
        confirmation = [] if is_confirmed(request) else [(None, {"fields": ["own_password"]})]
        return [*fieldsets, *so_far, *confirmation]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        # The sent form may have confirmed the password, which removes its field.
        context["adminform"].fieldsets = self.get_fieldsets(request, options.get("obj"))
        return super().render_change_form(request, context, *args, **options)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        form: Any = super().get_form(request, obj, change, **options)
        form.request = request
        return form

    @admin.display(description=_("API keys"))
    def keys(self, administrator: Administrator) -> str:
        count = administrator.api_keys.count()
        address = f"{reverse('admin:apikeys_apikey_changelist')}?administrator__id__exact={administrator.pk}"
        return format_html('<a href="{}">{}</a>', address, count) if count else "0"

    @admin.display(description=_("last sign-ins"))
    def signed_in(self, administrator: Administrator) -> str:
        entries = sign_ins_of(administrator)
        return recent_list(
            (format_date_time(each.at, exact=True), label_of(each.action), each.address) for each in entries[:RECENT]
        )

    @admin.display(description=_("locked"), ordering="is_locked_out")
    def locked(self, administrator: Administrator) -> str:
        return gettext("yes") if administrator.is_locked_out else gettext("no")

    @admin.display(description=_("rank"))
    def rank(self, administrator: Administrator) -> Any:
        rank = rank_of(administrator)
        if rank is Rank.SITES:
            return administrator.site_names  # type: ignore[attr-defined]
        return _("superuser") if rank is Rank.HIGHEST else _("ordinary")


# Django's own page of groups would offer rights that have no effect here.
admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(ActionModelAdmin):
    admin_actions = (
        AdminAction(
            "delete",
            _("Delete"),
            ngettext_lazy("Delete %(count)d group?", "Delete %(count)d groups?", "count"),
            ngettext_lazy("%(count)d group was deleted.", "%(count)d groups were deleted.", "count"),
            lambda request, group: administrator_services.delete_group(group.pk),
            consequence=lambda some: _("Administrators lose the rights that only these groups gave them."),
            is_grave=True,
        ),
    )
    form = GroupForm
    fieldsets: ClassVar[Any] = [
        (None, {"fields": ["name", "permissions"]}),
        (_("Where"), {"fields": ["is_limited", "sites", "branches", "more_branches"]}),
    ]
    change_form_template = add_form_template = "accounts/group.html"
    list_display = ["name", "where", "administrators"]
    search_fields = ["name"]
    ordering = ["name"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        groups: QuerySet[Any] = super().get_queryset(request).annotate(number=Count("user"))
        return groups.prefetch_related("places")

    def get_urls(self) -> list[URLPattern]:
        places = route(self, "places/", "places", find_view)
        return [places, route(self, "people/<int:pk>/", "people", people_view), *super().get_urls()]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        form: Any = super().get_form(request, obj, change, **options)
        form.rights = offered_rights(self.admin_site)
        form.find_address = address_of(self, "places")
        form.copied = None if obj else self.get_object(request, request.GET.get("copy", ""))
        return form

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        if shown := (getattr(answer, "context_data", None) or {}).get("cl"):
            pairs = {
                group: [(one.site_id, one.channel_id) for one in group.places.all()] for group in shown.result_list
            }
            names = place_names({pair for of_group in pairs.values() for pair in of_group})
            for group, of_group in pairs.items():
                group.place_names = sorted(names[pair] for pair in of_group)
                group.name = shown_name(group.name)
        return answer

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        if context.get("original"):
            context["subtitle"] = shown_name(context["original"].name)
        return super().render_change_form(request, context, *args, **options)

    @admin.display(description=_("rights apply"))
    def where(self, group: Any) -> str:
        names: list[str] = group.place_names
        more = f" + {len(names) - _TOLD}" if len(names) > _TOLD else ""
        return ", ".join(names[:_TOLD]) + more if names else gettext("everywhere")

    @admin.display(description=_("administrators"))
    def administrators(self, group: Any) -> int:
        return int(group.number)
