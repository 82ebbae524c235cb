"""The half of the pages of contents that lists them: columns, filters, rows a page, and the tree at the side."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import sites_of
from cms_api.admin.shown import moment_markup, shown_number
from cms_api.lib import clock
from contents.admin.base import ContentPages
from contents.admin.list.change_list import ROW_CHOICES, ROWS_COOKIE, ContentList
from contents.admin.list.channel_tree import tree_view
from contents.admin.list.filter_bar import FLAG_LABELS, FLAG_MEANINGS, filter_bar
from contents.admin.list.matches import marked, other_matches
from contents.admin.list.params import CHANNEL, ROWS, SITE
from contents.models import Content
from contents.search.terms import Words
from contents.services.approval import state_of
from sites.admin.site_filter import SiteFilter

_ROWS_DAYS = 365


class ContentLists(ContentPages):
    """The list of contents."""

    change_list_template = "contents/list.html"
    list_display = ["headline", "location", "state", "written_by", "edited", "added", "hits_shown"]
    list_display_links = None  # the title leads to the content
    # Filters are read by contents.admin.list.params; these names let links to the list be kept.
    list_filter = ()
    search_fields = ["title"]
    ordering = ("-last_edit_date", "-id")

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ContentList]:
        """Our own list."""
        return ContentList

    def get_urls(self) -> list[URLPattern]:
        """The pages of contents, and the tree beside the list."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_tree"
        return [path("tree/", self.admin_site.admin_view(self.tree_view), name=name), *super().get_urls()]

    def tree_view(self, request: HttpRequest) -> HttpResponse:
        """The sites, or what lies below a channel, for the tree."""
        return tree_view(request)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list with its filters and the tree."""
        self._note_site(request)
        answer = super().changelist_view(request, extra_context)
        shown = getattr(answer, "context_data", {}) or {}
        if isinstance(shown.get("cl"), ContentList):
            shown["bar"] = filter_bar(request, shown["cl"])
            shown["tree"] = self._tree(request)
        if (rows := read_number(request.GET.get(ROWS))) in ROW_CHOICES:
            answer.set_cookie(ROWS_COOKIE, str(rows), max_age=_ROWS_DAYS * 86400, samesite="Lax", httponly=True)
        return answer

    # ---- columns

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
        title = marked(str(content), words)
        link = format_html('<a class="headline" href="{}">{}</a>', self._address("change", content.pk), title)
        return format_html("{}{}{}", link, badges, other_matches(content, words))

    @admin.display(description=_("channel"))
    def location(self, content: Content) -> SafeString:
        """The channel as a way to its contents, and the site it belongs to."""
        query = f"?{SITE}={content.site_id}&{CHANNEL}={content.channel_id}"
        link = format_html('<a href="{}{}">{}</a>', self._address("changelist"), query, content.channel)
        return format_html('{} <span class="of-site">{}</span>', link, content.site)

    @admin.display(description=_("state"))
    def state(self, content: Content) -> SafeString:
        """Where it stands on its way to approval."""
        state = state_of(content)
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

    # ---- the tree

    def _tree(self, request: HttpRequest) -> dict[str, Any]:
        """What the tree is told: where it is, and the way to add a content there."""
        channel = _chosen_channel(request)
        add = ""
        if channel is not None and self.allows(request, "add", Content(site_id=channel.site_id, channel=channel)):
            add = f"{self._address('add')}?channel={channel.pk}"
        above = [number for number in channel.parents_path.split(",") if number] if channel else []
        chosen = request.GET.get(SITE, "")
        return {
            "address": self._address("tree"),
            "channel": channel,
            "current": channel.pk if channel else (chosen if read_number(chosen) else ""),
            "path": ",".join(above or ([chosen] if read_number(chosen) else [])),
            "add": add,
        }

    def _note_site(self, request: HttpRequest) -> None:
        # For the menu, which marks the site in which one is.
        channel = _chosen_channel(request)
        site_id = read_number(request.GET.get(SiteFilter.parameter_name)) or (channel.site_id if channel else None)
        request.menu_site = site_id  # type: ignore[attr-defined]


def _chosen_channel(request: HttpRequest) -> Channel | None:
    number = read_number(request.GET.get(CHANNEL))
    if number is None:
        return None
    if not hasattr(request, "_chosen_channel"):
        own, rows = sites_of(request.user), Channel.objects.present().filter(pk=number)
        short = (rows if own is None else rows.filter(site__in=own)).only("site_id", "channel_name", "parents_path")
        request._chosen_channel = short.first()  # type: ignore[attr-defined]
    found: Channel | None = request._chosen_channel  # type: ignore[attr-defined]
    return found


def _moment(when: Any) -> SafeString:
    return moment_markup(when, _now("today") if when.date() == clock.now().date() else "")
