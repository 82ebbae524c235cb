"""Admin pages of contents; contents.admin.trash.pages has the pages of the trash."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlencode

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

from channels_app.admin.linked import linked_view
from channels_app.admin.website import visit_context, visit_view
from channels_app.record_links import CONTENT
from contents.admin import approval
from contents.admin.actions.approval import APPROVAL_ACTS, APPROVE
from contents.admin.actions.flags import FLAG_ACTS
from contents.admin.actions.places import PLACE_ACTS
from contents.admin.actions.schedule import SCHEDULE_ACTS
from contents.admin.calendar import calendar_view, move_view
from contents.admin.dead_links import dead_links_view
from contents.admin.drafts import DRAFT, draft_view
from contents.admin.fields import LABELS, fields_view, label_of_field
from contents.admin.history.descriptions import DECISION, ChangeWords
from contents.admin.history.pages import history_urls, history_view
from contents.admin.link_targets import links_view
from contents.admin.list.change_list import ROW_CHOICES, ROWS_COOKIE, ContentList
from contents.admin.list.channels import chosen_channel, tree_context, tree_view
from contents.admin.list.filter_bar import FLAG_WORDS, filter_bar
from contents.admin.list.last_edits import last_edit_of
from contents.admin.list.params import CHANNEL, ROWS, SITE
from contents.admin.preview import body_view, page_view, share_view, shown_view
from contents.admin.tables import ContentTables
from contents.admin.writing.live_preview import preview_view
from contents.admin.writing.pages import WritingPage, version_view, written_content
from contents.admin.writing.quick import quick_view
from contents.admin.writing.schedule import describe, is_approved_for_time
from contents.admin.writing.unsaved import unsaved_view
from contents.flags import MARKS
from contents.lists.detail import read_record
from contents.models import MAX_LEVEL, Content
from contents.searching import SHOWN_TEXTS
from contents.services.approval import DRAFT as UNSUBMITTED
from contents.services.approval import WAITING, levels_of, may_decide, reach_of, state_of
from contents.services.fields import INTERNAL
from core.admin.admin_actions import AdminAction
from core.admin.formatting import format_number, moment_markup
from core.admin.numbers import read_number
from core.admin.pages import AskedRight, BaseModelAdmin
from core.admin.places import Places
from core.admin.ranks import Rank, rank_of
from core.admin.views import route
from media_library.admin import chooser
from media_library.admin.upload_view import store_by_kind, upload_view
from search.marking import marked
from search.words import Words, found_in

_APPROVE = "approve"


class BaseContentAdmin(BaseModelAdmin):
    site_lookup = "site_id"
    channel_lookup = "channel"
    labels = LABELS
    list_select_related = ["channel", "site"]
    search_fields = ["title"]
    fieldsets: ClassVar[Any] = [
        (None, {"fields": ["title", "sub_title", "site", "channel", "summary", "body_frame"]}),
        (_("State"), {"fields": ["state_label", *MARKS, "id", "taxis", "version"]}),
        (_("Files and links"), {"fields": ["link_url", "image_url", "video_url", "file_url"]}),
        (_("Origin"), {"fields": ["author", "source", "source_id", "reference_id", "add_user_name", "add_date"]}),
        (_("Changes"), {"fields": ["last_edit_user_name", "last_edit_date", "writing_user_name"]}),
        (_("Groups and custom fields"), {"fields": ["group_name_collection", "tags", "custom_fields"]}),
        (_("Views"), {"fields": ["hits", "hits_by_day", "hits_by_week", "hits_by_month", "last_hits_date"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("settings_xml", "summary", "channel__content", "site__settings")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        # Hide references to other contents if there are none.
        hidden = {name for name in ("source_id", "reference_id") if obj is not None and getattr(obj, name) <= 0}
        return [
            (title, {**options, "fields": [name for name in options["fields"] if name not in hidden]})
            for title, options in super().get_fieldsets(request, obj)
        ]

    def place_of(self, record: Any) -> str:
        return f"{record.site} › {record.channel}"

    def about(self, record: Any) -> list[str]:
        return [str(state_of(record)), *super().about(record)]

    def get_urls(self) -> list[URLPattern]:
        body = route(self, "<int:pk>/body/", "body", body_view)
        return [body, *history_urls(self), *super().get_urls()]

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        return history_view(self, request, object_id)

    @admin.display(description=_("state"))
    def state_label(self, content: Content) -> str:
        return str(state_of(content))

    @admin.display(description=LABELS["settings_xml"])
    def custom_fields(self, content: Content) -> str | SafeString:
        """One line per field, except fields that record decisions and title styles."""
        words = ChangeWords(content.site_id)
        texts = words.texts({"settings_xml": content.settings_xml})
        members = ((words.member(name), text) for name, text in texts.items() if name != DECISION and text)
        rows = ((label, _(": "), text) for (label, wire), text in members if wire.casefold() not in INTERNAL)
        return format_html_join(SafeString("<br>"), "{}{}{}", rows) or "-"

    @admin.display(description=_("body"))
    def body_frame(self, content: Content) -> str:
        # The empty sandbox forbids scripts, forms and navigation.
        address = self._address("body", content.pk)
        return format_html('<iframe class="body-frame" sandbox src="{}" title="{}"></iframe>', address, _("body"))


@admin.register(Content)
class ContentAdmin(BaseContentAdmin):
    change_list_template = "contents/list.html"
    list_display = ["headline", "location", "state", "written_by", "edited", "added", "hits_shown"]
    list_display_links = None  # the title is a link
    list_filter = ()  # contents.admin.list.params reads the filters
    ordering = ("-last_edit_date", "-id")
    admin_actions = (*APPROVAL_ACTS, *SCHEDULE_ACTS, *FLAG_ACTS, *PLACE_ACTS)
    origins = {"waiting": "waiting", "unfinished": "unfinished"}
    rights = {
        "view": _("See"),
        "add": _("Add and copy"),
        "change": _("Change, move and submit"),
        "delete": _("Move to the trash"),
        _APPROVE: _("Approve at every level"),
        **{
            f"{_APPROVE}{level}": format_lazy(_("Approve up to level {level}"), level=level)
            for level in range(1, MAX_LEVEL)
        },
    }

    def get_urls(self) -> list[URLPattern]:
        uploads = upload_view(
            self,
            self.may_write_in,
            partial(store_by_kind, self.writing_places),
            partial(chooser.listed, self.writing_places),
        )
        return [
            route(self, "tree/", "tree", tree_view),
            route(self, "calendar/", "calendar", calendar_view),
            route(self, "calendar/move/", "calendar_move", move_view),
            route(self, "waiting/", "waiting", partial(approval.list_view, origin=approval.WAITING)),
            route(self, "unfinished/", "unfinished", partial(approval.list_view, origin=approval.UNFINISHED)),
            route(self, "<int:pk>/review/", approval.REVIEW, approval.review_view),
            route(self, "<int:pk>/draft/", DRAFT, draft_view),
            route(self, "<int:pk>/quick/", "quick", quick_view),
            route(self, "<int:pk>/shown/", "shown", shown_view),
            route(self, "<int:pk>/page/", "page", page_view),
            route(self, "<int:pk>/share/", "share", share_view),
            route(self, "<int:pk>/visit/", "visit", visit_view),
            route(self, "<int:pk>/linked/", "linked", partial(linked_view, CONTENT)),
            # Outside `route`, since these report an ended session to scripts instead of redirecting to sign-in.
            path("upload/<int:site_id>/", uploads, name="contents_content_upload"),
            path("unsaved/", partial(unsaved_view, self), name="contents_content_unsaved"),
            path("<int:pk>/version/", partial(version_view, self), name="contents_content_version"),
            route(self, "preview/<int:site_id>/", "preview", preview_view),
            route(self, "dead-links/<int:site_id>/", "dead_links", dead_links_view),
            route(self, "links/<int:site_id>/", "links", links_view),
            route(self, "fields/<int:site_id>/", "fields", fields_view),
            *self.tables.urls(),
            *super().get_urls(),
        ]

    @cached_property
    def tables(self) -> ContentTables:
        return ContentTables(self)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.filter(trashed_at=None)

    # ---- rights

    def places(self, user: Any, *actions: str) -> Places:
        """Include the places of approval at some level among the places of approval."""
        levels = (f"{_APPROVE}{level}" for level in range(1, MAX_LEVEL))
        return super().places(user, *actions, *(levels if _APPROVE in actions else ()))

    def allows(self, request: HttpRequest, action: str, record: Model | None = None) -> bool:
        """Restrict approval to contents within the administrator's level."""
        if action != _APPROVE or not isinstance(record, Content) or rank_of(request.user) is not Rank.ORDINARY:
            return bool(super().allows(request, action, record))
        levels = levels_of([record.site_id])
        return may_decide(record, reach_of(request.user).at(record), levels[record.site_id])

    def may_take_back(self, request: HttpRequest, action: AdminAction, records: Sequence[Any]) -> set[int]:
        """Allow undoing one's own partial approval without the right to the next level."""
        if action.permission != _APPROVE or rank_of(request.user) is not Rank.ORDINARY:
            return super().may_take_back(request, action, records)
        reach, levels = reach_of(request.user, records), levels_of(record.site_id for record in records)
        return {
            record.pk
            for record in records
            if may_decide(record, reach.at(record), levels[record.site_id])
            or (action is APPROVE and not record.is_checked and 0 < record.checked_level <= reach.at(record))
        }

    def asked_rights(self, record: Model | None = None) -> dict[str, AskedRight]:
        """Count higher levels, too; a record has its state instead of levels."""
        found = super().asked_rights(record)
        upwards = (*(f"{_APPROVE}{level}" for level in range(1, MAX_LEVEL)), _APPROVE)
        for place, right in enumerate(upwards):
            found[right] = found[right]._replace(actions=upwards[place:])
        if record is None:
            return found
        return {right: asked for right, asked in found.items() if right not in upwards} | {
            _APPROVE: AskedRight(_now("Approve in the current state"), upwards)
        }

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.allows(request, "change", obj)

    def writing_places(self, user: Any) -> Places:
        return self.places(user, "add", "change")

    def may_write_in(self, request: HttpRequest, site_id: int) -> bool:
        return self.writing_places(request.user).touches_site(site_id)

    # ---- the form

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            return super().add_view(request, form_url, extra_context)
        return WritingPage(self, request).add()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        # Read-only users get the page that shows the content.
        content = written_content(self, request, object_id)
        if content is None or not self.has_change_permission(request, content):
            return super().change_view(request, object_id, form_url, extra_context)
        return WritingPage(self, request).change(content)

    # ---- acts from a review, and the way to the website

    def action_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """If the content was trashed during its review, redirect to the queue."""
        try:
            return super().action_view(request, name)
        except Http404:
            return approval.lead_back(self, request)

    def _perform(
        self,
        request: HttpRequest,
        action: AdminAction,
        records: list[Any],
        seen: Mapping[int, int | None],
        values: Mapping[str, Any],
        sent: QueryDict,
    ) -> str:
        is_reviewed = sent.get("from") == approval.REVIEW
        if is_reviewed:
            action = replace(action, is_decision=True)
        perform = partial(super()._perform, request, action, records, seen, values, sent)
        if not is_reviewed:
            return perform()
        return approval.decide(self, request, action, records[0], values.get("reasons", ""), perform)

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        content = next(iter(records), None) if sent.get("from") == approval.REVIEW else None
        if content is not None:
            return approval.review_address(self, content, sent.get("list", ""))
        return super()._back_address(sent, records)

    def actions_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        """Add a link to the website for approved contents."""
        is_shown = record is not None and record.is_checked
        return super().actions_context(request, record) | (visit_context(self, record) if is_shown else {})

    def address_on_website(self, record: Content) -> str:
        return str(read_record(record.site_id, record.channel_id, record.pk)["navigationUrl"])

    # ---- the list

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ContentList]:
        return ContentList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        channel = chosen_channel(self, request)
        site_id = read_number(request.GET.get(SITE)) or (channel.site_id if channel else None)
        request.menu_site = site_id  # type: ignore[attr-defined]  # for the menu
        answer = super().changelist_view(request, self.tables.tools(request) | (extra_context or {}))
        shown = getattr(answer, "context_data", {}) or {}
        if isinstance(shown.get("cl"), ContentList):
            shown["bar"] = filter_bar(request, shown["cl"])
            shown["tree"] = tree_context(self, request, channel)
        if (rows := read_number(request.GET.get(ROWS))) in ROW_CHOICES:
            answer.set_cookie(ROWS_COOKIE, str(rows), max_age=365 * 86400, samesite="Lax", httponly=True)
        return answer

    @admin.display(description=_("title"), ordering="title")
    def headline(self, content: Content) -> SafeString:
        flags = [(meaning, label) for flag, (label, meaning) in FLAG_WORDS.items() if getattr(content, flag)]
        badges = format_html_join("", ' <span class="badge" title="{}">{}</span>', flags)
        words = getattr(content, "sought", Words())
        title = marked(str(content), words)
        link = format_html('<a class="headline" href="{}">{}</a>', self._address("change", content.pk), title)
        query: str | None = getattr(content, "list_query", None)
        edit = "" if query is None else self._quick_edit(content, query)
        return format_html("{}{}{}{}{}", _cover(content), link, badges, edit, _other_matches(content, words))

    def _quick_edit(self, content: Content, list_query: str) -> SafeString:
        return format_html(
            ' <a class="row-edit" href="{}?{}" data-dialog="form.action" aria-label="{}">'
            '<svg class="icon" aria-hidden="true" focusable="false"><use href="#icon-drafts"/></svg></a>',
            self._address("quick", content.pk),
            urlencode({"_changelist_filters": list_query}),
            _now("Quick edit: %(title)s") % {"title": content},
        )

    @admin.display(description=_("channel"))
    def location(self, content: Content) -> SafeString:
        query = f"?{SITE}={content.site_id}&{CHANNEL}={content.channel_id}"
        link = format_html('<a href="{}{}">{}</a>', self._address("changelist"), query, content.channel)
        return format_html('{} <span class="of-site">{}</span>', link, content.site)

    @admin.display(description=_("state"))
    def state(self, content: Content) -> SafeString:
        state = state_of(content)
        shown = format_html('<span class="state state-{}">{}</span>', state.kind.value, str(state))
        planned = getattr(content, "planned", None)
        if (level := getattr(content, "draft_level", None)) is not None:
            told = _describe_draft(level, is_approved=is_approved_for_time(planned))
            address = self._address(DRAFT, content.pk)
            shown += format_html(' <a class="state state-draft" href="{}">{}</a>', address, told)
        if told := describe(planned):
            shown += format_html(' <span class="planned quiet">{}</span>', told)
        return shown

    @admin.display(description=_("author"))
    def written_by(self, content: Content) -> str:
        return content.author or content.add_user_name or "–"

    @admin.display(description=_("last edited"), ordering="last_edit_date")
    def edited(self, content: Content) -> SafeString:
        moment, name = last_edit_of(content)
        return format_html('{} <span class="quiet">{}</span>', moment_markup(moment), name)

    @admin.display(description=LABELS["add_date"], ordering="add_date")
    def added(self, content: Content) -> SafeString:
        return moment_markup(content.add_date)

    @admin.display(description=_("views"), ordering="hits")
    def hits_shown(self, content: Content) -> SafeString:
        # Phones show cards without column headings.
        return format_html(
            '<span class="card-label">{}{}</span>{}', _now("Views"), _now(": "), format_number(content.hits)
        )


def _describe_draft(level: int, *, is_approved: bool) -> str:
    if level == UNSUBMITTED or is_approved:
        return _now("Draft")
    return _now("Draft rejected") if level < WAITING else _now("Draft waiting")


def _cover(content: Content) -> SafeString:
    if url := getattr(content, "cover", ""):
        return format_html('<img class="cover" src="{}" alt="" width="32" height="32" loading="lazy"> ', url)
    return SafeString()


def _other_matches(content: Content, words: Words) -> SafeString:
    found = [
        (capfirst(str(label_of_field(column))), _now(": "), marked(text, words))
        for column in SHOWN_TEXTS[1:]
        if found_in(text := getattr(content, column), words)
    ]
    if piece := getattr(content, "found_piece", ""):
        found.append(("", "", marked(piece, words)))
    return format_html_join("", '<span class="match">{}{}{}</span>', found)
