"""Channels in the admin; contents.admin.trash.pages shows those in the trash."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from channels_app import services
from channels_app.admin.addresses import TOKENS, address_view
from channels_app.admin.channel_filter import indented
from channels_app.admin.forms import SettingsFields, custom_others, fieldsets_of, form_of
from channels_app.admin.linked import linked_view
from channels_app.admin.rows import picture_of, tree_address
from channels_app.admin.tree_pages import move_view, read_steps, rows_view, several_view, tree_view
from channels_app.admin.website import visit_context, visit_view
from channels_app.models import Channel
from channels_app.record_links import CHANNEL
from channels_app.tree import contents, read_tree
from core.admin.admin_actions import AdminAction, Changed, changed_meanwhile
from core.admin.numbers import read_chosen, read_number
from core.admin.pages import BaseModelAdmin
from core.admin.views import address_of, page_of, route
from core.audit import actions
from core.audit.models import AuditEntry
from core.lib.errors import ServiceError
from media_library.covers import covers_of
from search.rows import with_words
from sites.admin.address_change import confirmation_context
from sites.admin.choosing import choose_site, seen_sites, site_choices
from sites.admin.site_filter import SiteFilter

_TOLD = 5  # changes by others listed in a conflict


def move_to_trash(request: HttpRequest, channel: Channel) -> Changed | None:
    """Move the channel to the trash, like a DELETE, unless it went there with a channel above it."""
    if not Channel.objects.live().filter(pk=channel.pk).exists():
        return None
    services.trash_channel(channel.site_id, channel.pk)
    return Changed(channel.pk, Channel.objects.values_list("version", flat=True).get(pk=channel.pk))


def bring_back(request: HttpRequest, channel: Channel, version: int) -> None:
    """Restore the channel and all that was trashed with it, unless it has changed since."""
    services.lock_tree(channel.site_id)
    if Channel.objects.values_list("version", flat=True).get(pk=channel.pk) != version:
        raise changed_meanwhile()
    services.restore_channel(channel.site_id, channel.pk)


def describe_descendants(channels: list[Channel]) -> str:
    below = Channel.objects.live().filter(ancestor_links__ancestor__in=channels).order_by()
    contents = services.all_contents().filter(channel__in=below.values("pk"), trashed_at=None)
    return tell(below.values("pk").distinct().count(), contents.count())


def tell(channels: int, contents: int) -> str:
    return _now("Total: %(what)s.") % {"what": count_words(channels, contents)}


def count_words(channels: int, contents: int) -> str:
    told = {"channels": count_channels(channels), "contents": count_contents(contents)}
    return _now("%(channels)s and %(contents)s") % told


def count_channels(number: int) -> str:
    return ngettext("%(count)d channel", "%(count)d channels", number) % {"count": number}


def count_contents(number: int) -> str:
    return ngettext("%(count)d content item", "%(count)d content items", number) % {"count": number}


TRASH = AdminAction(
    "trash",
    _("Move to the trash"),
    ngettext_lazy("Move %(count)d channel to the trash?", "Move %(count)d channels to the trash?", "count"),
    ngettext_lazy("%(count)d channel was moved to the trash.", "%(count)d channels were moved to the trash.", "count"),
    move_to_trash,
    right="delete",
    suits=lambda channel: channel.parent_id is not None,
    consequence=describe_descendants,
    take_back=bring_back,
)


class BaseChannelAdmin(BaseModelAdmin):
    site_lookup = "site_id"
    channel_lookup = ""
    list_select_related = ["site"]
    search_fields = ["channel_name", "index_name"]
    fieldsets: ClassVar[Any] = [
        (None, {"fields": ["channel_name", "site", "parent", "index_name", "group_name_collection", "image_url"]}),
        (_("Place in the tree"), {"fields": ["id", "taxis", "parents_count", "children_count", "parents_path"]}),
        (_("Pages"), {"fields": ["link_type", "link_url", "file_path"]}),
        (_("Rules for pages"), {"fields": ["channel_file_path_rule", "content_file_path_rule"]}),
        (_("Templates"), {"fields": ["channel_template_id", "content_template_id"]}),
        (_("For search engines"), {"fields": ["keywords", "description"]}),
        (_("Text and settings"), {"fields": ["content", "settings"]}),
        (_("Changes"), {"fields": ["add_date", "version"]}),
    ]


@admin.register(Channel)
class ChannelAdmin(BaseChannelAdmin):
    admin_actions: Sequence[AdminAction] = (TRASH,)
    rights = {"view": _("See"), "add": _("Add"), "change": _("Change and move")}
    list_display = ["indented_name", "id", "site_tree", "index_name", "children_count", "link_type"]
    list_filter = [SiteFilter]
    ordering = ["site", "taxis"]
    change_form_template = add_form_template = "channels_app/form.html"
    # Fields that choose a channel's templates, by site and channel; set by the pages app.
    template_fields: ClassVar[Any] = staticmethod(lambda site_id, channel: {})
    # Shows what typed values do to addresses of pages; set by the transfer app.
    find_address_change: ClassVar[Any] = staticmethod(lambda channel, values: None)

    def get_urls(self) -> list[URLPattern]:
        return [
            route(self, "site/<int:site_id>/", "tree", tree_view),
            route(self, "site/<int:site_id>/rows/", "rows", rows_view),
            route(self, "site/<int:site_id>/move/", "move", move_view),
            route(self, "site/<int:site_id>/several/", "several", several_view),
            route(self, "site/<int:site_id>/address/", "address", address_view),
            route(self, "<int:pk>/visit/", "visit", visit_view),
            route(self, "<int:pk>/linked/", "linked", partial(linked_view, CHANNEL)),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).filter(trashed_at=None)
        return rows.defer("content", "description", "settings", "site__settings")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        search = super().get_search_results  # in names, while the index is built
        return with_words("channel", queryset, search_term, lambda rows: search(request, rows, search_term)[0]), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        if shown := (getattr(answer, "context_data", None) or {}).get("cl"):
            covers = covers_of(map(picture_of, shown.result_list))
            for channel in shown.result_list:
                channel.cover = covers.get(picture_of(channel), "")
        return answer

    def card_address(self, request: HttpRequest) -> str:
        sites = seen_sites(request, self.seen_places(request.user))
        first = sites.order_by("pk").values_list("pk", flat=True).first()
        return super().card_address(request) if first is None else address_of(self, "tree", first)

    @admin.display(description=_("channel"))
    def indented_name(self, channel: Channel) -> str:
        if not (cover := getattr(channel, "cover", "")):
            return indented(channel)
        markup = '<img class="cover" src="{}" alt="" width="32" height="32" loading="lazy"> {}'
        return format_html(markup, cover, indented(channel))

    @admin.display(description=_("site"), ordering="site")
    def site_tree(self, channel: Channel) -> SafeString:
        address = address_of(self, "tree", channel.site_id)
        return format_html('<a href="{}" title="{}">{}</a>', address, _now("Tree of channels"), channel.site)

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        # After an action, return to the tree of its channels, unless the action began elsewhere.
        address = super()._back_address(sent, records)
        if address != address_of(self):
            return address
        chosen = read_chosen(",".join(sent.getlist("ids")))
        channel = Channel.objects.filter(pk__in=chosen).order_by("pk").first()
        return address_of(self, "tree", channel.site_id) if channel else address

    def actions_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        return super().actions_context(request, record) | (visit_context(self, record) if record is not None else {})

    def address_on_website(self, record: Channel) -> str:
        tree = read_tree(record.site_id)
        with tree.lock:
            tree.renew_addresses(contents())
            return str(tree.find(record.pk)["navigationUrl"])

    # ---- rights

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.allows(request, "change", obj)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) or self.allows(request, "add", obj)

    # ---- the form

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return super().get_fieldsets(request, obj)
        return fieldsets_of(obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["way", "other_members"] if obj is None or self.has_change_permission(request, obj) else []

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return super().get_form(request, obj, change, **options)
        parent, step = (None, None) if change else self._place(request)
        site_id = obj.site_id if parent is None else parent.site_id
        # Administrators who may write the site's contents upload files through the page of contents.
        page: Any = page_of(self.admin_site, request, "contents.Content")
        may_write = page is not None and page.may_write_in(request, site_id)
        upload_url = address_of(page, "upload", site_id) if may_write else ""
        links_url = address_of(page, "links", site_id) if may_write else ""
        fields = self.template_fields(site_id, obj)
        fields["find_address_change"] = staticmethod(self.find_address_change)
        made = form_of(obj, site_id, upload_url, links_url, **fields, parent=parent, step=step)
        return super().get_form(request, obj, change, form=made, **options)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {}  # no values from the address

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if self.has_add_permission(request) and not request.GET.get("below"):
            return choose_site(self, request, _("Add channel"), "below", self._tops(request))
        return super().add_view(request, form_url, extra_context)

    def _tops(self, request: HttpRequest) -> list[tuple[int, str]]:
        """Return the sites, by the number of their home channel, and branches below which channels may be added."""
        places = self.places(request.user, "add")
        branches = Channel.objects.live().filter(pk__in=places.branch_ids).select_related("site")
        named = branches.order_by("site__site_name", "taxis").only("channel_name", "site__site_name")
        return [
            *site_choices(request, places if places.everywhere else places.whole_sites),
            *((branch.pk, f"{branch.site} › {branch}") for branch in named),
        ]

    def _place(self, request: HttpRequest) -> tuple[Channel, Any]:
        """Return the channel below which a new one goes, and the step to its place there. Raises Http404."""
        below = self.get_object(request, str(read_number(request.GET.get("below")) or 0))
        if below is None or not self.allows(request, "add", below):
            raise Http404
        place = request.GET.get("place")
        if not place:
            return below, None
        sent = request.GET.copy()
        sent["channels"], sent["place"] = f"0.{below.pk}", f"{place}.{below.pk}"
        try:
            [step] = read_steps(sent)
        except ServiceError as refusal:
            raise Http404 from refusal
        return below, step

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        channel = options.get("obj")
        parent = self._place(request)[0] if channel is None else channel
        context |= {"site": parent.site, "below": parent, "tokens": TOKENS, "tree_address": tree_address(parent)}
        context |= {"title": channel or _("Add channel"), "subtitle": None}
        context |= {"may_add_below": self.allows(request, "add", parent)}
        context |= {"may_copy": channel is not None and channel.parent_id and self.allows(request, "add")}
        context |= {"show_save_and_continue": channel is not None, "show_save_and_add_another": False}
        form = context["adminform"].form
        if channel is not None and isinstance(form, SettingsFields):
            stored = Channel.objects.values_list("version", flat=True).get(pk=channel.pk)
            if not form.is_bound:
                form.initial["seen_version"] = stored
            context |= {"conflict": form.conflict, "stored_version": stored}
            context |= confirmation_context(request, form)
            context |= {"others": _last_changes(channel)} if form.is_stale else {}
        return super().render_change_form(request, context, *args, **options)

    def way(self, channel: Channel | None) -> str:
        if channel is None or not channel.pk:
            return ""
        names = dict(Channel.objects.filter(descendant_links__channel=channel).values_list("pk", "channel_name"))
        return " › ".join(names.get(pk, "") for pk in channel.above_ids) or _now("The top of the site")

    way.short_description = _("is below")  # type: ignore[attr-defined]

    def other_members(self, channel: Channel) -> str:
        rows = ((name, json.dumps(value, ensure_ascii=False)) for name, value in custom_others(channel).items())
        return format_html_join("", "<p>{}: <code>{}</code></p>", rows)

    other_members.short_description = _("other custom fields")  # type: ignore[attr-defined]

    # ---- after the form, which has stored everything

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if removed := getattr(form, "removed", ()):
            told = _now("The text was stored without parts that a page may not contain: %(names)s.")
            messages.warning(request, told % {"names": ", ".join(removed)})

    def save_related(self, *args: Any) -> None:
        pass

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return HttpResponseRedirect(tree_address(obj))

    response_post_save_add = response_post_save_change


def _last_changes(channel: Channel) -> list[dict[str, Any]]:
    entries = AuditEntry.objects.filter(object_type="channels_app.channel", object_id=str(channel.pk))
    # Other entries concern contents moved into the channel.
    entries = entries.filter(action__startswith="channel.")
    return [
        {"name": entry.actor_name, "at": entry.at, "what": actions.label_of(entry.action), "changed": entry.changed}
        for entry in entries.order_by("-pk")[:_TOLD]
    ]
