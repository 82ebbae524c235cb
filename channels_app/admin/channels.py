"""Channels in the back end; those in the trash are shown by contents.admin.trash.pages."""

import json
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern
from django.utils.html import format_html_join
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from channels_app import services
from channels_app.admin.addresses import TOKENS, address_view
from channels_app.admin.channel_filter import indented
from channels_app.admin.form_pages import changes_since, fieldsets_of
from channels_app.admin.forms import SettingsFields, TextAreaField, custom_others, custom_texts, form_of, inputs_of
from channels_app.admin.move_request import read_steps
from channels_app.admin.several_pages import several_view
from channels_app.admin.sites import tree_address
from channels_app.admin.tree_pages import move_view, rows_view, tree_view
from channels_app.admin.website import visit_context, visit_view
from channels_app.models import Channel
from channels_app.tree import contents, read_tree
from cms_api.admin.acts import Act, Changed, changed_meanwhile
from cms_api.admin.numbers import read_chosen, read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.ranks import sites_of
from cms_api.admin.registered import address_of, page_of
from cms_api.admin.views import route
from cms_api.lib.errors import ServiceError
from sites.admin.choosing import choose_site
from sites.admin.site_filter import SiteFilter
from sites.models import Site


def move_to_trash(request: HttpRequest, channel: Channel) -> Changed | None:
    """Move the channel to the trash, as a DELETE does, unless it went there with one above it."""
    if not Channel.objects.present().filter(pk=channel.pk).exists():
        return None
    services.trash_channel(channel.site_id, channel.pk)
    return Changed(channel.pk, Channel.objects.values_list("version", flat=True).get(pk=channel.pk))


def bring_back(request: HttpRequest, channel: Channel, version: int) -> None:
    """Restore the channel from the trash, with what went there with it, unless somebody did anything to it since."""
    services.lock_tree(channel.site_id)
    if Channel.objects.values_list("version", flat=True).get(pk=channel.pk) != version:
        raise changed_meanwhile()
    services.restore_channel(channel.site_id, channel.pk)


def tell_what_goes_along(channels: list[Channel]) -> str:
    """How many channels and contents go to the trash, those chosen included."""
    below = Channel.objects.present().filter(ancestor_links__ancestor__in=channels).order_by()
    contents = services.all_contents().filter(channel__in=below.values("pk"), trashed_at=None)
    return tell(below.values("pk").distinct().count(), contents.count())


def tell(channels: int, contents: int) -> str:
    """`In all: 2 channels and 7 contents.`"""
    return _now("In all: %(what)s.") % {"what": count_words(channels, contents)}


def count_words(channels: int, contents: int) -> str:
    """`2 channels and 7 contents`."""
    told = ngettext("%(count)d channel", "%(count)d channels", channels) % {"count": channels}
    with_contents = ngettext("%(count)d content item", "%(count)d content items", contents) % {"count": contents}
    return _now("%(channels)s and %(contents)s") % {"channels": told, "contents": with_contents}


TRASH = Act(
    "trash",
    _("Move to the trash"),
    ngettext_lazy("Move %(count)d channel to the trash?", "Move %(count)d channels to the trash?", "count"),
    ngettext_lazy("%(count)d channel was moved to the trash.", "%(count)d channels were moved to the trash.", "count"),
    move_to_trash,
    right="delete",
    suits=lambda channel: channel.parent_id is not None,
    consequence=tell_what_goes_along,
    take_back=bring_back,
)


class ChannelPages(RecordPages):
    """What channels and those in the trash have in common."""

    site_lookup = "site_id"
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
class ChannelAdmin(ChannelPages):
    """The tree of each site, the forms of its channels, and a list to search all of them."""

    acts = (TRASH,)
    rights = {"view": _("See"), "add": _("Add"), "change": _("Change and move")}
    list_display = ["indented_name", "id", "site", "index_name", "children_count", "link_type"]
    list_filter = [SiteFilter]
    ordering = ["site", "taxis"]
    change_form_template = add_form_template = "channels_app/form.html"

    def get_urls(self) -> list[URLPattern]:
        return [
            route(self, "site/<int:site_id>/", "tree", tree_view),
            route(self, "site/<int:site_id>/rows/", "rows", rows_view),
            route(self, "site/<int:site_id>/move/", "move", move_view),
            route(self, "site/<int:site_id>/several/", "several", several_view),
            route(self, "site/<int:site_id>/address/", "address", address_view),
            route(self, "<int:pk>/visit/", "visit", visit_view),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).filter(trashed_at=None)
        return rows.defer("content", "description", "settings", "site__settings")

    def card_address(self, request: HttpRequest) -> str:
        own = sites_of(request.user)
        sites = Site.objects.order_by("pk") if own is None else Site.objects.filter(pk__in=own).order_by("pk")
        first = sites.values_list("pk", flat=True).first()
        return super().card_address(request) if first is None else address_of(self, "tree", first)

    @admin.display(description=_("channel"))
    def indented_name(self, channel: Channel) -> str:
        return indented(channel)

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        """After an act the tree of its channels, unless it was begun elsewhere."""
        address = super()._back_address(sent, records)
        if address != address_of(self):
            return address
        chosen = read_chosen(",".join(sent.getlist("ids")))
        channel = Channel.objects.filter(pk__in=chosen).order_by("pk").first()
        return address_of(self, "tree", channel.site_id) if channel else address

    # ---- the way to the website

    def acts_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        """As everywhere, with the way to the website where there is one."""
        return super().acts_context(request, record) | (visit_context(self, record) if record is not None else {})

    def address_on_website(self, record: Channel) -> str:
        """Where the channel's page is, or where its link leads."""
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
        """All fields to who may change them; as they are stored to others."""
        if obj is not None and not self.has_change_permission(request, obj):
            return super().get_fieldsets(request, obj)
        return fieldsets_of(obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """What the form tells without asking for it."""
        return ["way", "other_members"] if obj is None or self.has_change_permission(request, obj) else []

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return super().get_form(request, obj, change, **options)
        parent, step = (None, None) if change else self._place(request)
        site_id = obj.site_id if parent is None else parent.site_id
        inputs = inputs_of(site_id, self._upload_address(request, site_id))
        made = form_of(custom_texts(obj), lambda name: TextAreaField(label=name), parent=parent, step=step, **inputs)
        return super().get_form(request, obj, change, form=made, **options)

    def _upload_address(self, request: HttpRequest, site_id: int) -> str:
        """Where files are sent by whoever may write contents of the site; the page of contents takes them."""
        page: Any = page_of(self.admin_site, request, "contents.Content")
        return address_of(page, "upload", site_id) if page and page.may_write_in(request, site_id) else ""

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Nothing from the address."""
        return {}

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """The form of a new channel; without a channel that it goes below, the sites to choose from."""
        if self.has_add_permission(request) and not request.GET.get("below"):
            # The number of a site is that of its home channel.
            return choose_site(self, request, _("Add channel"), "below")
        return super().add_view(request, form_url, extra_context)

    def _place(self, request: HttpRequest) -> tuple[Channel, Any]:
        """The channel that a new one goes below, and the step to its place there. Raises Http404."""
        below = self.get_object(request, str(read_number(request.GET.get("below")) or 0))
        if below is None:
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
        """The page: also where the channel stands, the preview of its address, and changes that got in between."""
        channel = options.get("obj")
        parent = self._place(request)[0] if channel is None else channel
        context |= {"site": parent.site, "below": parent, "tokens": TOKENS, "tree_address": tree_address(parent)}
        context |= {"title": channel or _("Add channel"), "subtitle": None}
        context |= {"show_save_and_continue": channel is not None, "show_save_and_add_another": False}
        form = context["adminform"].form
        if channel is not None and isinstance(form, SettingsFields):
            stored = Channel.objects.values_list("version", flat=True).get(pk=channel.pk)
            if not form.is_bound:
                form.initial["seen_version"] = stored
            context |= {"conflict": form.conflict, "stored_version": stored}
            context |= {"others": changes_since(channel)} if form.is_stale else {}
        return super().render_change_form(request, context, *args, **options)

    def way(self, channel: Channel | None) -> str:
        """The names of the channels above it."""
        if channel is None or not channel.pk:
            return ""
        names = dict(Channel.objects.filter(descendant_links__channel=channel).values_list("pk", "channel_name"))
        found = [names.get(int(pk), "") for pk in channel.parents_path.split(",") if pk]
        return " › ".join(found) or _now("The top of the site")

    way.short_description = _("stands below")  # type: ignore[attr-defined]

    def other_members(self, channel: Channel) -> str:
        """Custom members that are no texts, as they are stored."""
        rows = ((name, json.dumps(value, ensure_ascii=False)) for name, value in custom_others(channel).items())
        return format_html_join("", "<p>{}: <code>{}</code></p>", rows)

    other_members.short_description = _("other custom fields")  # type: ignore[attr-defined]

    # ---- after it

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing but a message of what the text lost: the form has acted."""
        if removed := getattr(form, "removed", ()):
            told = _now("The text was stored without what a page may not hold: %(names)s.")
            messages.warning(request, told % {"names": ", ".join(removed)})

    def save_related(self, *args: Any) -> None:
        """Nothing: the form has acted."""

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return HttpResponseRedirect(tree_address(obj))

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return HttpResponseRedirect(tree_address(obj))
