"""The trash in the back end: what was deleted comes back from here, or leaves for good."""

from typing import Any

from django.contrib import admin
from django.db.models import F, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from channels_app.admin.channels import ChannelPages, count_words
from channels_app.models import Channel, TrashedChannel
from cms_api.admin.acts import MOST
from cms_api.admin.numbers import read_chosen, read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.registered import address_of, page_of
from cms_api.admin.shown import moment_markup
from cms_api.admin.views import route
from contents.admin.base import ContentPages
from contents.admin.trash.actions import (
    PURGE_CHANNEL,
    PURGE_CONTENT,
    RESTORE_CHANNEL,
    RESTORE_CONTENT,
    WITHHELD,
    deleted_before,
)
from contents.admin.trash.empty import COUNTED, STEP, empty_view, go_on
from contents.admin.trash.list import DeletedFilter, TrashList, note_companions, note_size, note_who_deleted
from contents.models import Content, TrashedContent
from contents.services import trash
from sites.admin.site_filter import SiteFilter


class TrashPages(RecordPages):
    """What contents and channels in the trash have in common."""

    withheld = WITHHELD
    rights = {}
    present: type[Model]  # of the same record once it is restored
    change_list_template = "contents/trash/list.html"
    list_display_links = None  # the name leads to the record
    list_filter = [SiteFilter, DeletedFilter]
    ordering = ["-trashed_at", "-id"]

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[TrashList]:
        return TrashList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        shown = getattr(answer, "context_data", {}) or {}
        if isinstance(listed := shown.get("cl"), TrashList):
            self.note(request, listed.result_list)
            shown["kinds"] = [
                (page.opts.verbose_name_plural, address_of(page), page is self)
                for label in ("contents.TrashedContent", "channels_app.TrashedChannel")
                if (page := page_of(self.admin_site, request, label))
            ]
            shown["is_one_site"] = not any(isinstance(each, SiteFilter) for each in listed.filter_specs)
            if self.may_empty(request):
                site_id = read_number(request.GET.get(SiteFilter.parameter_name))
                address = reverse(f"{self.admin_site.name}:contents_trashedcontent_empty")
                shown["empty_address"] = f"{address}?site={site_id}" if site_id else address
        return answer

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **options: Any) -> HttpResponse:
        """The record in the trash; what has been restored meanwhile is shown where it is now."""
        page = self.admin_site.get_model_admin(self.present)
        record = None if self.get_object(request, object_id) else page.get_object(request, object_id)
        if record is not None and page.has_view_permission(request, record):
            name = f"{self.admin_site.name}:{page.opts.app_label}_{page.opts.model_name}_change"
            return HttpResponseRedirect(reverse(name, args=[record.pk]))
        return super().change_view(request, object_id, *args, **options)

    def get_object(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """The record, with who deleted it."""
        record = super().get_object(request, *args, **options)
        if record is not None:
            self.note(request, [record])
        return record

    def note(self, request: HttpRequest, records: list[Any]) -> None:
        """Give the records what their columns tell besides what is stored with them."""
        note_who_deleted(records, with_account=rank_of(request.user) is Rank.HIGHEST)

    @admin.display(description=_("deleted"), ordering="trashed_at")
    def deleted(self, record: Any) -> SafeString:
        return moment_markup(record.trashed_at)

    @admin.display(description=_("deleted by"))
    def who_deleted(self, record: Any) -> str:
        """Who moved it there; nothing where the audit has forgotten it."""
        return getattr(record, "deleted_by", "") or "–"

    def may_empty(self, request: HttpRequest) -> bool:
        """Whether the administrator may delete contents and channels for good."""
        pages = [self.admin_site.get_model_admin(model) for model in (TrashedContent, TrashedChannel)]
        return all(page.allows(request, PURGE_CONTENT.permission) for page in pages)  # type: ignore[attr-defined]


@admin.register(TrashedContent)
class TrashedContentAdmin(TrashPages, ContentPages):
    """What was deleted comes back from here, unless its channel is in the trash, too."""

    acts = (RESTORE_CONTENT, PURGE_CONTENT)
    present = Content
    list_display = ["headline", "location", "deleted", "who_deleted"]
    search_help_text = _("Words of the title")
    fieldsets = [*ContentPages.fieldsets, (_("Trash"), {"fields": ["trashed_at", "who_deleted", "along"]})]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(trashed_at__isnull=False)

    def get_urls(self) -> list[URLPattern]:
        return [route(self, "empty/", "empty", empty_view), *super().get_urls()]

    def note(self, request: HttpRequest, records: list[Any]) -> None:
        """Also the channels along with which they were deleted."""
        super().note(request, records)
        note_companions(records)

    @admin.display(description=_("title"))
    def headline(self, content: Content) -> SafeString:
        return format_html('<a class="headline" href="{}">{}</a>', self._address("change", content.pk), content)

    @admin.display(description=_("channel"))
    def location(self, content: Content) -> SafeString:
        """The channel to which it comes back, and whether that is in the trash itself."""
        kind, words = ("trashedchannel", _now("in the trash")) if content.channel.trashed_at else ("", "")
        shown: Any = content.channel
        if companion := getattr(content, "deleted_with", None):
            way = reverse(f"admin:channels_app_{kind or 'channel'}_change", args=[companion.pk])
            words = format_html(_now("deleted with the channel {}"), format_html('<a href="{}">{}</a>', way, companion))
        badge = format_html(' <span class="badge">{}</span>', words) if words else ""
        return format_html('{}{} <span class="of-site">{}</span>', shown, badge, content.site)

    @admin.display(description=_("deleted with"))
    def along(self, content: Content) -> str:
        """The channel along with which it was deleted; nothing where it was deleted itself."""
        companion = getattr(content, "deleted_with", None)
        return _now("the channel %(name)s") % {"name": companion} if companion else "–"


@admin.register(TrashedChannel)
class TrashedChannelAdmin(TrashPages, ChannelPages):
    """Channels that were deleted themselves; what is below them and their contents come back along with them."""

    acts = (RESTORE_CHANNEL, PURGE_CHANNEL)
    present = Channel
    list_display = ["headline", "location", "comes_along", "deleted", "who_deleted"]
    list_select_related = ["site", "parent"]
    search_help_text = _("A part of the name or index name")
    fieldsets = [*ChannelPages.fieldsets, (_("Trash"), {"fields": ["trashed_at", "who_deleted", "comes_along"]})]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).filter(trashed_at__isnull=False, trashed_with_id=F("pk"))
        return rows.defer("content", "description", "settings", "site__settings", "parent__content")

    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """As everywhere; but of channels with many contents these are deleted first, so that no transaction is long."""
        if request.method == "POST" and name == PURGE_CHANNEL.name and PURGE_CHANNEL in self.acts_for(request):
            chosen = list(read_chosen(",".join(request.POST.getlist("ids"))))[:MOST]
            numbers = list(self.get_queryset(request).filter(pk__in=chosen).values_list("pk", flat=True))
            if trash.count_below(numbers, STEP + 1) > STEP:
                return self._purge_some(request, numbers)
        return super().act_view(request, name)

    def _purge_some(self, request: HttpRequest, numbers: list[int]) -> HttpResponse:
        done = deleted_before(request) + trash.Purged(contents=trash.purge_below(numbers, STEP))
        left = trash.count_below(numbers, COUNTED + 1)
        sent = {name: request.POST.get(name, "") for name in ("list", "from")} | {"ids": ",".join(map(str, numbers))}
        return go_on(self, request, PURGE_CHANNEL.label, self._back_address(request.POST, []), sent, done, left)

    def note(self, request: HttpRequest, records: list[Any]) -> None:
        """Also how much comes back along with them."""
        super().note(request, records)
        note_size(records)

    def place_of(self, record: Any) -> str:
        return f"{record.site} › {record.parent}"

    @admin.display(description=pgettext_lazy("of a channel", "name"))
    def headline(self, channel: Channel) -> SafeString:
        return format_html('<a class="headline" href="{}">{}</a>', self._address("change", channel.pk), channel)

    @admin.display(description=_("below"))
    def location(self, channel: Channel) -> SafeString:
        """The channel below which it comes back, and whether that is in the trash itself."""
        is_gone = channel.parent is not None and channel.parent.trashed_at is not None
        badge = format_html(' <span class="badge">{}</span>', _now("in the trash")) if is_gone else ""
        return format_html('{}{} <span class="of-site">{}</span>', channel.parent or "", badge, channel.site)

    @admin.display(description=_("comes back with"))
    def comes_along(self, channel: Any) -> str:
        """How many channels and contents it is, itself included."""
        channels, contents = getattr(channel, "size", (0, 0))
        return count_words(channels, contents)
