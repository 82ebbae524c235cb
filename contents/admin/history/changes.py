from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import F, Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from contents.admin.history.descriptions import (
    KIND_LABELS,
    ChangeWords,
    describe_author,
    describe_kind,
    describe_reasons,
    names_changed,
)
from contents.admin.list.sources import ROW, within
from contents.lists.found import in_titles
from contents.models import Content, ContentChange
from contents.sql_fragments import SqlFragment, fetch, join
from core.admin.formatting import moment_markup
from core.admin.numbers import read_number
from core.admin.pages import AskedRight, BaseModelAdmin
from core.admin.places import Places
from core.audit.admin import filters
from core.audit.models import AuditEntry
from core.lib.statement_limit import TooSlow, statement_limit
from search.query import match
from search.words import Words, read_words
from sites.admin.site_filter import SiteFilter
from sites.models import trashed_site_ids

MAX_FOUND = 1000  # contents that a search covers


class OnePerson(filters.OneActor):
    latest = ("-at", "-id")


class OneKey(filters.OneKey):
    latest = ("-at", "-id")


class KindOfChange(admin.SimpleListFilter):
    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, str(label)) for value, label in KIND_LABELS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() in ContentChange.Kind.values else queryset


@admin.register(ContentChange)
class ContentChangeAdmin(BaseModelAdmin):
    """Changes across sites, for those who may see contents; rows link to the comparison."""

    site_lookup = "site_id"
    channel_lookup = "content__channel"
    rights = {}
    actions = None
    list_display = ["moment", "which", "who", "what", "members"]
    list_display_links = ["moment"]
    list_select_related = ["content"]
    list_filter = [filters.Period, SiteFilter, KindOfChange, OnePerson, OneKey]
    sortable_by = ()
    ordering = ["-at", "-id"]
    search_fields = ["content__title"]  # enables the field; see get_search_results
    search_help_text = _("Words in the title, the ID, or the exact name of an administrator")

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        page: Any = self.admin_site.get_model_admin(Content)
        is_seen = obj is None or self.get_queryset(request).filter(pk=obj.pk).exists()
        return is_seen and page.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).exclude(site_id__in=trashed_site_ids())
        rows = rows.annotate(has_body=Q(body_before__isnull=False))
        return rows.defer("body_before", "content__settings_xml", "content__summary")

    def codename(self, action: str) -> str:
        return f"contents.{action}_content"

    def asked_rights(self, record: Model | None = None) -> dict[str, AskedRight]:
        page: Any = self.admin_site.get_model_admin(Content)
        return {"view": page.asked_rights()["view"]}

    def seen_places(self, user: Any) -> Places:
        page: Any = self.admin_site.get_model_admin(Content)
        found: Places = page.seen_places(user)
        return found

    def in_seen_places(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        places = self.seen_places(request.user)
        if places.everywhere or connection.vendor != "sqlite":
            return super().in_seen_places(request, queryset)
        # The addition prevents SQLite from using the site index: it would sort all changes of the sites.
        return places.narrow(queryset.alias(own_site=F("site_id") + 0), "own_site", self.channel_lookup)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in {*filters.Period.parameters, SiteFilter.parameter_name, "kind", "actor", "key"}

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term.strip()
        if not text:
            return queryset, False
        people = get_user_model()._default_manager.filter(**{get_user_model().USERNAME_FIELD: text})
        numbers = self._numbers_by_words(request, text)
        if (number := read_number(text)) is not None:
            numbers.append(number)
        found = Q(administrator_id__in=list(people.values_list("pk", flat=True))) | Q(content_id__in=numbers)
        return queryset.filter(found), False

    def _numbers_by_words(self, request: HttpRequest, text: str) -> list[int]:
        if not (words := read_words(text)):
            return []
        try:
            found = self._newest(request, text, words)
        except TooSlow:
            messages.warning(request, _now("The search takes too long."))
            return []
        if len(found) > MAX_FOUND:
            told = _now(
                "More than %(count)d content items contain these words. Only changes of the newest ones are listed; "
                "add a word to narrow the search."
            )
            messages.warning(request, told % {"count": MAX_FOUND})
        return found[:MAX_FOUND]

    def _newest(self, request: HttpRequest, text: str, words: Words) -> list[int]:
        """Return ids of the newest contents with the words. Raises TooSlow."""
        if (found := match("content", words)) is None:
            having = in_titles(words, text, f"{ROW}.title")
        else:
            ids, params = found.ids()
            having = [SqlFragment(f"{ROW}.id IN ({ids})", params)]
        live = SqlFragment(f"{ROW}.trashed_at IS NULL")
        seen = join([live, *having, *within(self.seen_places(request.user))])
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            sql = f"SELECT {ROW}.id FROM {ROW} WHERE {seen.sql} ORDER BY {ROW}.id DESC LIMIT {MAX_FOUND + 1}"
            return [number for (number,) in fetch(sql, seen.params)]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        change = self.get_object(request, object_id)
        if request.method != "GET" or change is None or not self.has_view_permission(request, change):
            return super().change_view(request, object_id, form_url, extra_context)
        query = urlencode({"from": change.version - 1, "to": change.version})
        return HttpResponseRedirect(f"{_address(change.content, 'compare')}?{query}")

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        raise Http404  # changes have no history of their own

    @admin.display(description=_("time"))
    def moment(self, change: ContentChange) -> SafeString:
        return moment_markup(change.at)

    @admin.display(description=_("content"))
    def which(self, change: ContentChange) -> str:
        return format_html('<a href="{}">{}</a>', _address(change.content, "history"), change.content.title)

    @admin.display(description=_("by"))
    def who(self, change: ContentChange) -> str:
        by_key = change.actor_kind == AuditEntry.ActorKind.KEY
        name, number = ("key", change.key_id) if by_key else ("actor", change.administrator_id)
        if number is None:
            return describe_author(change)
        address = reverse("admin:contents_contentchange_changelist")
        return format_html('<a href="{}?{}={}">{}</a>', address, name, number, describe_author(change))

    @admin.display(description=_("action"))
    def what(self, change: ContentChange) -> str:
        kind, reasons = describe_kind(change), describe_reasons(change)
        return format_html('{}<br><span class="quiet">{}</span>', kind, reasons) if reasons else kind

    @admin.display(description=_("changed"))
    def members(self, change: Any) -> str:
        words = ChangeWords(change.site_id)
        found = [words.member(name) for name in names_changed(change)]
        listed = [(member.wire, member.label) for member in found]
        if change.has_body:
            listed.append(("content", _now("Body")))
        return format_html_join(", ", '<span title="{}">{}</span>', listed)


def _address(content: Content, view: str) -> str:
    model = "content" if content.trashed_at is None else "trashedcontent"
    return reverse(f"admin:contents_{model}_{view}", args=[content.pk])
