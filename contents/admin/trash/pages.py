"""The admin pages of the trash."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import CharField, Count, F, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from channels_app.admin.channels import BaseChannelAdmin, count_words
from channels_app.models import Channel, TrashedChannel
from contents.admin.contents import BaseContentAdmin
from contents.admin.trash import actions as trash_actions
from contents.models import Content, TrashedContent
from core.admin.formatting import moment_markup
from core.admin.numbers import read_number
from core.admin.pages import BaseModelAdmin
from core.admin.paging import LimitedChangeList
from core.admin.places import Places
from core.admin.ranks import Rank, rank_of
from core.admin.views import address_of, page_of, route
from core.audit.admin.descriptions import describe_actor
from core.audit.models import AuditEntry
from core.lib import clock
from sites.admin.site_filter import SiteFilter
from sites.models import TrashedSite, trashed_site_ids

_ACTS: dict[type[Model], str] = {Channel: "channel.trashed", Content: "content.trashed"}
_PERIODS: dict[str, tuple[str | Promise, timedelta]] = {
    "day": (_("in the last 24 hours"), timedelta(days=1)),
    "week": (_("in the last 7 days"), timedelta(days=7)),
    "month": (_("in the last 30 days"), timedelta(days=30)),
}


class DeletedFilter(admin.SimpleListFilter):
    title = _("deleted")
    parameter_name = "deleted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, words) for name, (words, _period) in _PERIODS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in _PERIODS:
            return queryset
        return queryset.filter(trashed_at__gte=clock.now() - _PERIODS[str(self.value())][1])


def kinds_of_trash(shown: Any, request: HttpRequest, query: str = "") -> list[tuple[Any, str, bool]]:
    """Return the lists of the trash that the administrator sees: name, address, and whether it is the shown one."""
    queries = {TrashedContent: query, TrashedChannel: query, TrashedSite: ""}
    pages = ((page_of(shown.admin_site, request, model), own) for model, own in queries.items())
    return [(page.opts.verbose_name_plural, f"{address_of(page)}{own}", page is shown) for page, own in pages if page]


class BaseTrashAdmin(BaseModelAdmin):
    # Not for site administrators: purging is left to the retention settings.
    withheld = frozenset({trash_actions.PURGE_CONTENT.permission})
    rights = {}
    present: type[Model]  # the model after restoring
    change_list_template = "contents/trash/list.html"
    list_display_links = None  # the name is a link
    list_filter = [SiteFilter, DeletedFilter]
    ordering = ["-trashed_at", "-id"]

    def of_present_sites(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.exclude(site_id__in=trashed_site_ids())

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[LimitedChangeList]:
        return LimitedChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        shown = getattr(answer, "context_data", {}) or {}
        if isinstance(listed := shown.get("cl"), LimitedChangeList):
            self.note(request, listed.result_list)
            site_id = read_number(request.GET.get(SiteFilter.parameter_name))
            query = f"?{SiteFilter.parameter_name}={site_id}" if site_id else ""
            shown["kinds"] = kinds_of_trash(self, request, query)
            shown["is_one_site"] = not any(isinstance(each, SiteFilter) for each in listed.filter_specs)
            if self.emptied_places(request):
                address = reverse(f"{self.admin_site.name}:contents_trashedcontent_empty")
                shown["empty_address"] = f"{address}?site={site_id}" if site_id else address
        return answer

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **options: Any) -> HttpResponse:
        page = self.admin_site.get_model_admin(self.present)
        record = None if self.get_object(request, object_id) else page.get_object(request, object_id)
        if record is not None and page.has_view_permission(request, record):
            name = f"{self.admin_site.name}:{page.opts.app_label}_{page.opts.model_name}_change"
            return HttpResponseRedirect(reverse(name, args=[record.pk]))
        return super().change_view(request, object_id, *args, **options)

    def get_object(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        record = super().get_object(request, *args, **options)
        if record is not None:
            self.note(request, [record])
        return record

    def note(self, request: HttpRequest, records: list[Any]) -> None:
        """Annotate records with derived columns; one statement finds who deleted them."""
        deleted: dict[Any, tuple[type[Model], int]] = {}
        for record in records:
            # The action deleted the record itself, or the channel it was trashed with.
            own = (Content if isinstance(record, Content) else Channel), record.pk
            deleted[record] = own if record.trashed_with_id is None else (Channel, record.trashed_with_id)
        contents, channels = (
            _last_deletions(model, {pk for of_model, pk in deleted.values() if of_model is model})
            for model in (Content, Channel)
        )
        with_account = rank_of(request.user) is Rank.HIGHEST
        names = {
            (entry.object_type, entry.object_id): describe_actor(entry, with_account=with_account)
            for entry in AuditEntry.objects.filter(pk__in=contents.union(channels, all=True))
        }
        for record, (model, pk) in deleted.items():
            # Empty if the audit entry was purged.
            record.deleted_by = names.get((model._meta.label_lower, str(pk)), "")

    @admin.display(description=_("deleted"), ordering="trashed_at")
    def deleted(self, record: Any) -> SafeString:
        return moment_markup(record.trashed_at)

    @admin.display(description=_("deleted by"))
    def who_deleted(self, record: Any) -> str:
        return getattr(record, "deleted_by", "") or "–"

    def emptied_places(self, request: HttpRequest) -> Places:
        """Return the sites whose whole trash the administrator may empty, of contents and of channels."""
        pages: list[Any] = [self.admin_site.get_model_admin(model) for model in (TrashedContent, TrashedChannel)]
        found: list[Places] = [page.places(request.user, trash_actions.PURGE_CONTENT.permission) for page in pages]
        return found[0] & found[1]


@admin.register(TrashedContent)
class TrashedContentAdmin(BaseTrashAdmin, BaseContentAdmin):
    admin_actions = (trash_actions.RESTORE_CONTENT, trash_actions.PURGE_CONTENT)
    present = Content
    list_display = ["headline", "location", "deleted", "who_deleted"]
    search_help_text = _("Words in the title")
    fieldsets = [*BaseContentAdmin.fieldsets, (_("Trash"), {"fields": ["trashed_at", "who_deleted", "along"]})]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.of_present_sites(super().get_queryset(request)).filter(trashed_at__isnull=False)

    def get_urls(self) -> list[URLPattern]:
        return [route(self, "empty/", "empty", trash_actions.empty_view), *super().get_urls()]

    def note(self, request: HttpRequest, records: list[Any]) -> None:
        super().note(request, records)
        numbers = {content.trashed_with_id for content in records if content.trashed_with_id}
        channels = Channel.objects.only("channel_name").in_bulk(numbers)
        for content in records:
            content.deleted_with = channels.get(content.trashed_with_id)  # the channel it was trashed with

    @admin.display(description=_("title"))
    def headline(self, content: Content) -> SafeString:
        return format_html('<a class="headline" href="{}">{}</a>', self._address("change", content.pk), content)

    @admin.display(description=_("channel"))
    def location(self, content: Content) -> SafeString:
        kind, words = ("trashedchannel", _now("in the trash")) if content.channel.trashed_at else ("", "")
        shown: Any = content.channel
        if companion := getattr(content, "deleted_with", None):
            way = reverse(f"admin:channels_app_{kind or 'channel'}_change", args=[companion.pk])
            words = format_html(_now("deleted with the channel {}"), format_html('<a href="{}">{}</a>', way, companion))
        badge = format_html(' <span class="badge">{}</span>', words) if words else ""
        return format_html('{}{} <span class="of-site">{}</span>', shown, badge, content.site)

    @admin.display(description=_("deleted with"))
    def along(self, content: Content) -> str:
        companion = getattr(content, "deleted_with", None)
        return _now("the channel %(name)s") % {"name": companion} if companion else "–"


@admin.register(TrashedChannel)
class TrashedChannelAdmin(BaseTrashAdmin, BaseChannelAdmin):
    """Channels that were deleted themselves; restoring them restores everything trashed with them."""

    admin_actions = (trash_actions.RESTORE_CHANNEL, trash_actions.PURGE_CHANNEL)
    present = Channel
    list_display = ["headline", "location", "comes_along", "deleted", "who_deleted"]
    list_select_related = ["site", "parent"]
    search_help_text = _("Name or index contains")
    fieldsets = [*BaseChannelAdmin.fieldsets, (_("Trash"), {"fields": ["trashed_at", "who_deleted", "comes_along"]})]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = self.of_present_sites(super().get_queryset(request))
        rows = rows.filter(trashed_at__isnull=False, trashed_with_id=F("pk"))
        return rows.defer("content", "description", "settings", "site__settings", "parent__content")

    def action_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """Delete contents of full channels in steps first, to keep transactions short."""
        purge = trash_actions.PURGE_CHANNEL
        is_purge = request.method == "POST" and name == purge.name and purge in self.actions_for(request)
        step = trash_actions.purge_some(self, request) if is_purge else None
        return step or super().action_view(request, name)

    def note(self, request: HttpRequest, records: list[Any]) -> None:
        super().note(request, records)
        sizes = []
        for model in (Channel, Content):
            gone = model.objects.filter(trashed_with_id__in=[each.pk for each in records], trashed_at__isnull=False)
            sizes.append(dict(gone.order_by().values_list("trashed_with_id").annotate(number=Count("pk"))))
        for channel in records:
            channel.size = tuple(size.get(channel.pk, 0) for size in sizes)  # (channels, contents) trashed with it

    def place_of(self, record: Any) -> str:
        return f"{record.site} › {record.parent}"

    @admin.display(description=pgettext_lazy("of a channel", "name"))
    def headline(self, channel: Channel) -> SafeString:
        return format_html('<a class="headline" href="{}">{}</a>', self._address("change", channel.pk), channel)

    @admin.display(description=_("below"))
    def location(self, channel: Channel) -> SafeString:
        is_gone = channel.parent is not None and channel.parent.trashed_at is not None
        badge = format_html(' <span class="badge">{}</span>', _now("in the trash")) if is_gone else ""
        return format_html('{}{} <span class="of-site">{}</span>', channel.parent or "", badge, channel.site)

    @admin.display(description=_("restored with it"))
    def comes_along(self, channel: Any) -> str:
        channels, contents = getattr(channel, "size", (0, 0))
        return count_words(channels, contents)


def _last_deletions(model: type[Model], numbers: set[int]) -> QuerySet[Any]:
    # One index lookup per record, even if it was deleted several times.
    of_record = {"object_type": model._meta.label_lower, "object_id": Cast(OuterRef("pk"), CharField())}
    entries = AuditEntry.objects.filter(**of_record, action=_ACTS[model]).order_by("-pk")
    rows = model._default_manager.filter(pk__in=numbers).order_by()
    last: QuerySet[Any] = rows.annotate(entry=Subquery(entries.values("pk")[:1])).values_list("entry", flat=True)
    return last
