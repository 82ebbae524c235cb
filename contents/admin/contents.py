"""Contents in the back end; those in the trash are shown by contents.admin.trash.pages."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import URLPattern, path
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from channels_app.admin.website import visit_context, visit_view
from cms_api.admin.acts import Act
from cms_api.admin.menu import Entry
from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import Rank, rank_of, sites_of
from cms_api.admin.shown import moment_markup, shown_number
from cms_api.admin.views import route
from cms_api.lib import clock
from contents.admin.actions.approval import APPROVAL_ACTS, APPROVE
from contents.admin.actions.flags import FLAG_ACTS
from contents.admin.actions.places import PLACE_ACTS
from contents.admin.approval import review, waiting
from contents.admin.base import ContentPages
from contents.admin.field_labels import label_of_field
from contents.admin.list.change_list import ROW_CHOICES, ROWS_COOKIE, ContentList
from contents.admin.list.channel_tree import chosen_channel, tree_context, tree_view
from contents.admin.list.filter_bar import FLAG_LABELS, FLAG_MEANINGS, filter_bar
from contents.admin.list.params import CHANNEL, ROWS, SITE
from contents.admin.table_pages import ContentTables
from contents.admin.writing import upload_view
from contents.admin.writing.field_pages import fields_view
from contents.admin.writing.pages import WritingPage, version_view, written_content
from contents.admin.writing.preview import preview_view
from contents.lists.one import read_content
from contents.models import MAX_LEVEL, Content
from contents.search.terms import COLUMNS, Words, found_in
from contents.services import approval

_APPROVE = "approve"
_ROWS_DAYS = 365


@admin.register(Content)
class ContentAdmin(ContentPages):
    """The list of contents, the pages on which they are written and reviewed, and the acts on them."""

    change_list_template = "contents/list.html"
    list_display = ["headline", "location", "state", "written_by", "edited", "added", "hits_shown"]
    list_display_links = None  # the title leads to the content
    # Filters are read by contents.admin.list.params; these names let links to the list be kept.
    list_filter = ()
    search_fields = ["title"]
    ordering = ("-last_edit_date", "-id")
    acts = (*APPROVAL_ACTS, *FLAG_ACTS, *PLACE_ACTS)
    origins = {"waiting": "waiting", "unfinished": "unfinished"}
    rights = {
        "view": _("See"),
        "add": _("Add and copy"),
        "change": _("Change, move and hand in"),
        "delete": _("Move to the trash"),
        _APPROVE: _("Approve at every level"),
        **{
            f"{_APPROVE}{level}": format_lazy(_("Approve up to level {level}"), level=level)
            for level in range(1, MAX_LEVEL)
        },
    }

    def get_urls(self) -> list[URLPattern]:
        upload = path("upload/<int:site_id>/", upload_view.view_of(self), name="contents_content_upload")
        # Scripts are told that the session has ended; they are not led to the sign-in.
        version = path("<int:pk>/version/", partial(version_view, self), name="contents_content_version")
        return [
            route(self, "tree/", "tree", tree_view),
            route(self, "waiting/", "waiting", waiting.waiting_view),
            route(self, "unfinished/", "unfinished", waiting.unfinished_view),
            route(self, "<int:pk>/review/", review.REVIEW, review.review_view),
            route(self, "<int:pk>/shown/", "shown", review.shown_view),
            route(self, "<int:pk>/visit/", "visit", visit_view),
            upload,
            version,
            route(self, "preview/<int:site_id>/", "preview", preview_view),
            route(self, "fields/<int:site_id>/", "fields", fields_view),
            *self.tables.urls(),
            *super().get_urls(),
        ]

    @cached_property
    def tables(self) -> ContentTables:
        """Export and import."""
        return ContentTables(self)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.filter(trashed_at=None)

    def menu_entries(self, request: HttpRequest) -> Iterator[Entry]:
        """What waits for the administrator, with how much it is."""
        return waiting.menu_entries(self, request)

    # ---- rights

    def allows(self, request: HttpRequest, act: str, record: Model | None = None) -> bool:
        """As everywhere; approval up to a level allows it for the contents that wait there."""
        if act != _APPROVE or rank_of(request.user) is not Rank.ORDINARY:
            return bool(super().allows(request, act, record))
        reach = approval.reach_of(request.user)
        if not reach or not isinstance(record, Content):
            return bool(reach)
        levels = approval.levels_of([record.site_id])
        return approval.may_decide(record, reach, levels[record.site_id])

    def may_take_back(self, request: HttpRequest, act: Act, records: Sequence[Any]) -> set[int]:
        """As for the act itself; who let a content pass a level takes that back, though the next is beyond them."""
        if act.permission != _APPROVE or rank_of(request.user) is not Rank.ORDINARY:
            return super().may_take_back(request, act, records)
        reach = approval.reach_of(request.user)
        levels = approval.levels_of(record.site_id for record in records)
        return {
            record.pk
            for record in records
            if approval.may_decide(record, reach, levels[record.site_id])
            or (act is APPROVE and not record.is_checked and 0 < record.checked_level <= reach)
        }

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.allows(request, "change", obj)

    def may_write_in(self, request: HttpRequest, site_id: int) -> bool:
        """Whether the administrator writes contents of the site, new ones or those that are there."""
        sites = sites_of(request.user)
        may: bool = self.allows(request, "add") or self.allows(request, "change")
        return may and (sites is None or site_id in sites)

    # ---- the form

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            return super().add_view(request, form_url, extra_context)
        return WritingPage(self, request).add()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The form of a content that is there; whoever may only look at it is shown it."""
        content = written_content(self, request, object_id)
        if content is None or not self.has_change_permission(request, content):
            return super().change_view(request, object_id, form_url, extra_context)
        return WritingPage(self, request).change(content)

    # ---- acts from a review, and the way to the website

    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """As everywhere; a content that went to the trash during its review leads back to the list."""
        try:
            return super().act_view(request, name)
        except Http404:
            return review.lead_back(self, request)

    def _perform(
        self,
        request: HttpRequest,
        act: Act,
        records: list[Any],
        seen: Mapping[int, int | None],
        values: Mapping[str, Any],
        sent: QueryDict,
    ) -> str:
        """As everywhere; from a review one comes to the next that waits."""
        perform = partial(super()._perform, request, act, records, seen, values, sent)
        if sent.get("from") != review.REVIEW:
            return perform()
        return review.decide(self, request, act, records[0], values.get("reasons", ""), perform)

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        """As everywhere; a review is begun from its content."""
        content = next(iter(records), None) if sent.get("from") == review.REVIEW else None
        if content is not None:
            return review.review_address(self, content, sent.get("list", ""))
        return super()._back_address(sent, records)

    def acts_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        """As everywhere, with the way to the website for what is approved."""
        is_shown = record is not None and record.is_checked
        return super().acts_context(request, record) | (visit_context(self, record) if is_shown else {})

    def address_on_website(self, record: Content) -> str:
        """Where the content's page is, or where its link leads."""
        return str(read_content(record.site_id, record.channel_id, record.pk)["navigationUrl"])

    # ---- the list

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ContentList]:
        return ContentList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        channel = chosen_channel(request)
        site_id = read_number(request.GET.get(SITE)) or (channel.site_id if channel else None)
        request.menu_site = site_id  # type: ignore[attr-defined]  # which the menu marks
        answer = super().changelist_view(request, self.tables.tools(request) | (extra_context or {}))
        shown = getattr(answer, "context_data", {}) or {}
        if isinstance(shown.get("cl"), ContentList):
            shown["bar"] = filter_bar(request, shown["cl"])
            shown["tree"] = tree_context(self, request)
        if (rows := read_number(request.GET.get(ROWS))) in ROW_CHOICES:
            answer.set_cookie(ROWS_COOKIE, str(rows), max_age=_ROWS_DAYS * 86400, samesite="Lax", httponly=True)
        return answer

    @admin.display(description=_("title"), ordering="title")
    def headline(self, content: Content) -> SafeString:
        """The title as the way to the content, with what stands out about it."""
        flags = [
            (FLAG_MEANINGS[name], label)
            for name, label in FLAG_LABELS.items()
            if getattr(content, name.removesuffix("__exact"))
        ]
        badges = format_html_join("", ' <span class="badge" title="{}">{}</span>', flags)
        words = getattr(content, "sought", Words())
        title = _marked(str(content), words)
        link = format_html('<a class="headline" href="{}">{}</a>', self._address("change", content.pk), title)
        return format_html("{}{}{}", link, badges, _other_matches(content, words))

    @admin.display(description=_("channel"))
    def location(self, content: Content) -> SafeString:
        """The channel as a way to its contents, and the site it belongs to."""
        query = f"?{SITE}={content.site_id}&{CHANNEL}={content.channel_id}"
        link = format_html('<a href="{}{}">{}</a>', self._address("changelist"), query, content.channel)
        return format_html('{} <span class="of-site">{}</span>', link, content.site)

    @admin.display(description=_("state"))
    def state(self, content: Content) -> SafeString:
        """Where it stands on its way to approval."""
        state = approval.state_of(content)
        return format_html('<span class="state state-{}">{}</span>', state.kind.value, str(state))

    @admin.display(description=_("author"))
    def written_by(self, content: Content) -> str:
        """Who wrote it: the author that it names, else who added it."""
        return content.author or content.add_user_name or "–"

    @admin.display(description=_("last edited"), ordering="last_edit_date")
    def edited(self, content: Content) -> SafeString:
        """When it was changed last, and by whom."""
        moment = _moment(content.last_edit_date)
        return format_html('{} <span class="quiet">{}</span>', moment, content.last_edit_user_name)

    @admin.display(description=_("added"), ordering="add_date")
    def added(self, content: Content) -> SafeString:
        """The date that stands on its page."""
        return _moment(content.add_date)

    @admin.display(description=_("hits"), ordering="hits")
    def hits_shown(self, content: Content) -> SafeString:
        """How often it was read; cards on phones have no heading above the number."""
        return format_html(
            '<span class="card-label">{}{}</span>{}', _now("Hits"), _now(": "), shown_number(content.hits)
        )


def _marked(text: str, words: Words) -> SafeString:
    """The text with a mark around each match."""
    pieces: list[str] = []
    done = 0
    for start, end in found_in(text, words):
        pieces += [text[done:start], format_html("<mark>{}</mark>", text[start:end])]
        done = end
    return format_html_join("", "{}", ((piece,) for piece in [*pieces, text[done:]]))


def _other_matches(content: Content, words: Words) -> SafeString:
    """The members besides the title that have a match, a line each: subtitle, tags and author."""
    found = [
        (capfirst(str(label_of_field(column))), _now(": "), _marked(text, words))
        for column in COLUMNS[1:]
        if found_in(text := getattr(content, column), words)
    ]
    return format_html_join("", '<span class="match">{}{}{}</span>', found)


def _moment(when: Any) -> SafeString:
    return moment_markup(when, _now("today") if when.date() == clock.now().date() else "")
