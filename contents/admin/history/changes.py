"""The changes of contents across sites: who changed which content, the latest first."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, F, Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from cms_api.admin.numbers import read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.ranks import sites_of
from cms_api.admin.shown import shown_moment
from cms_api.audit.admin import filters
from cms_api.audit.models import AuditEntry
from cms_api.lib.statement_limit import TooSlow
from contents.admin.history.words import KIND_LABELS, ChangeWords, names_changed, tell_author, tell_kind, tell_reasons
from contents.conditions import among
from contents.models import Content, ContentChange
from contents.search.query import newest_of
from contents.search.terms import read_words
from sites.admin.site_filter import SiteFilter

MOST_FOUND = 1000  # contents whose changes one search leads to


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
class ContentChangePages(RecordPages):
    """For whoever may see contents. A row leads to what the change did."""

    site_lookup = "site_id"
    rights = {}
    actions = None
    list_display = ["moment", "which", "who", "what", "members"]
    list_display_links = ["moment"]
    list_select_related = ["content"]
    list_filter = [filters.Period, SiteFilter, KindOfChange, OnePerson, OneKey]
    sortable_by = ()
    ordering = ["-at", "-id"]
    search_fields = ["content__title"]  # for the field to be there; see get_search_results
    search_help_text = _("Words of a content's title, its number, or the exact name of an administrator")

    class Media:
        css: ClassVar = {"all": ["contents/history.css"]}

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        page: Any = self.admin_site.get_model_admin(Content)
        return (obj is None or self.allows_site(request, obj)) and page.has_view_permission(request)

    def allows_site(self, request: HttpRequest, change: Model) -> bool:
        """Whether the change belongs to a site that the administrator sees."""
        return self.get_queryset(request).filter(pk=change.pk).exists()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The changes, without bodies and long texts of contents."""
        has_body = ExpressionWrapper(Q(body_before__isnull=False), output_field=BooleanField())
        rows: QuerySet[Any] = super().get_queryset(request).annotate(has_body=has_body)
        return rows.defer("body_before", "content__settings_xml", "content__summary")

    def of_own_sites(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        sites = sites_of(request.user)
        if sites is None or connection.vendor != "sqlite":
            return super().of_own_sites(request, queryset)
        # By the column itself SQLite would sort all changes of the sites, since it thinks that there are few.
        own: QuerySet[Any] = queryset.alias(own_site=F("site_id") + 0).filter(own_site__in=sites)
        return own

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
        """The contents that have the words, the newest where they are too many, which is told."""
        if not (words := read_words(text)):
            return []
        own = sites_of(request.user)
        others = [] if own is None else [among("contents_content.site_id", sorted(own))]
        try:
            found = newest_of(words, MOST_FOUND + 1, others)
        except TooSlow:
            messages.warning(request, _now("Finding these takes too long."))
            return []
        if len(found) > MOST_FOUND:
            told = _now(
                "More than %(count)d content items have these words. These are changes of the newest ones; add a word."
            )
            messages.warning(request, told % {"count": MOST_FOUND})
        return found[:MOST_FOUND]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        change = self.get_object(request, object_id)
        if request.method != "GET" or change is None or not self.has_view_permission(request, change):
            return super().change_view(request, object_id, form_url, extra_context)
        query = urlencode({"from": change.version - 1, "to": change.version})
        return HttpResponseRedirect(f"{_address(change.content, 'compare')}?{query}")

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Changes have no history but themselves."""
        raise Http404

    @admin.display(description=_("time"))
    def moment(self, change: ContentChange) -> str:
        return shown_moment(change.at, exact=True)

    @admin.display(description=_("content"))
    def which(self, change: ContentChange) -> str:
        """The content, with the way to its history."""
        return format_html('<a href="{}">{}</a>', _address(change.content, "history"), change.content.title)

    @admin.display(description=_("by"))
    def who(self, change: ContentChange) -> str:
        by_key = change.actor_kind == AuditEntry.ActorKind.KEY
        name, number = ("key", change.key_id) if by_key else ("actor", change.administrator_id)
        if number is None:
            return tell_author(change)
        address = reverse("admin:contents_contentchange_changelist")
        return format_html('<a href="{}?{}={}">{}</a>', address, name, number, tell_author(change))

    @admin.display(description=_("action"))
    def what(self, change: ContentChange) -> str:
        reasons = tell_reasons(change)
        return (
            format_html('{}<br><span class="quiet">{}</span>', tell_kind(change), reasons)
            if reasons
            else tell_kind(change)
        )

    @admin.display(description=_("changed"))
    def members(self, change: Any) -> str:
        """The names of what is other than before."""
        words = ChangeWords(change.site_id)
        found = [words.member(name) for name in names_changed(change)]
        listed: Iterable[tuple[str, str]] = [(member.wire, member.label) for member in found]
        body = [("content", _now("Body"))] if change.has_body else []
        return format_html_join(", ", '<span title="{}">{}</span>', [*listed, *body])


def _address(content: Content, view: str) -> str:
    model = "content" if content.trashed_at is None else "trashedcontent"
    return reverse(f"admin:contents_{model}_{view}", args=[content.pk])
