"""The list of API keys: its columns, its filters, and what the search does with a whole token."""

from typing import Any

from django.contrib import admin
from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from apikeys import tokens
from apikeys.models import ApiKey, State
from apikeys.scopes import WRITE, Scope
from cms_api.admin.pages import RecordPages
from cms_api.admin.shown import shown_moment


class StateFilter(admin.SimpleListFilter):
    """Keys by whether they open anything."""

    title, parameter_name = _("state"), "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """What can be chosen."""
        return [(state.value, str(state.label)) for state in State]

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[ApiKey]:
        """Keys in the chosen state."""
        value = self.value()
        chosen: QuerySet[ApiKey] = queryset.in_state(State(value)) if value in State.values else queryset
        return chosen


class KeyList(RecordPages):
    """Keys with their last use, without any act: each has a page of its own."""

    by_groups = False
    change_list_template = "apikeys/list.html"
    list_display = ["name", "owner", "shown_scopes", "shown_sites", "shown_state", "last_used_at"]
    list_filter = [StateFilter, ("administrator", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["administrator"]
    search_fields = ["name", "tokens__public_part"]
    ordering = ["name"]
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        """Keys with the time of their last use."""
        keys: QuerySet[ApiKey] = super().get_queryset(request)
        return keys.annotate(last_used_at=Max("tokens__last_used_at"))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list; a whole token that somebody pastes into the search leaves the address at once."""
        asked = request.GET.get("q", "")
        if match := tokens.PATTERN.search(asked):
            return HttpResponseRedirect(f"{request.path}?q={tokens.public_part(match[0])}")
        return super().changelist_view(request, extra_context)

    @admin.display(description=_("Owner"), ordering="administrator__user_name")
    def owner(self, key: ApiKey) -> str:
        """Whose key it is."""
        return key.administrator.user_name

    @admin.display(description=_("scopes"))
    def shown_scopes(self, key: ApiKey) -> str:
        """Scopes as on the command line."""
        if key.parse_scopes() == dict.fromkeys(Scope, WRITE):
            return str(_("all, for writing"))
        return key.scopes.replace(",", ", ") or "–"

    @admin.display(description=_("sites"))
    def shown_sites(self, key: ApiKey) -> str:
        """Numbers of sites."""
        return key.site_ids.replace(",", ", ") or str(_("the owner's"))

    @admin.display(description=_("state"))
    def shown_state(self, key: ApiKey) -> str:
        """Whether the key opens anything, and until when."""
        if key.state is State.VALID and key.expires_at is not None:
            return str(_("valid until %s")) % key.expires_at.date()
        return str(key.state.label)

    @admin.display(description=_("last use"), ordering="last_used_at")
    def last_used_at(self, key: Any) -> str:
        """When any of the key's tokens was last used; uses are noted to the minute."""
        return shown_moment(key.last_used_at) or pgettext("last use", "never")
