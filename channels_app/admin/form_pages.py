"""The pages that add and change channels."""

import json
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import URLPattern, path
from django.utils.html import format_html_join
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from channels_app.admin.addresses import TOKENS, Typed, preview
from channels_app.admin.custom_members import custom_name, custom_others, custom_texts
from channels_app.admin.form_fields import TextAreaField, inputs_of
from channels_app.admin.forms import NOT_OF_HOME, SettingsFields, form_of
from channels_app.admin.move_request import read_steps
from channels_app.admin.sites import site_of, tree_address
from channels_app.attributes import CHANNELS, CONTENTS, PAGES, REGISTRY, TRANSFER
from channels_app.models import Channel
from cms_api.admin.numbers import read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.registered import address_of, page_of
from cms_api.audit import actions
from cms_api.audit.models import AuditEntry
from cms_api.lib.errors import ServiceError
from sites.admin.choosing import choose_site

_TOLD = 5  # changes of others that a conflict names


def _members(group: str) -> list[str]:
    return [attribute.name for attribute in REGISTRY if attribute.group == group]


def fieldsets_of(channel: Channel | None) -> list[Any]:
    """The fields in groups, with everything that may be set of the channel, or of a new one."""
    is_home = channel is not None and channel.parent_id is None
    shut = {"classes": ["collapse"]}
    found: list[Any] = [
        (None, {"fields": ["channel_name", "index_name", "way", "group_name_collection", "image_url"]}),
        (_("Text"), {"fields": ["content"]}),
        (
            _("Link and pages"),
            {
                "fields": [
                    "link_type",
                    "link_url",
                    "file_path",
                    "channel_file_path_rule",
                    "content_file_path_rule",
                ]
            },
        ),
        (_("For search engines"), {"fields": ["keywords", "description"], **shut}),
        (_("Contents and channels below"), {"fields": [*_members(CHANNELS), *_members(CONTENTS)], **shut}),
        (_("Transfer of contents"), {"fields": _members(TRANSFER), **shut}),
        (_("Kept for programs that make pages"), {"fields": _members(PAGES), **shut}),
        (
            _("Templates and extensions"),
            {
                "fields": [
                    "channel_template_id",
                    "content_template_id",
                    "content_model_plugin_id",
                    "content_related_plugin_ids",
                ],
                **shut,
            },
        ),
    ]
    custom = [custom_name(name) for name in custom_texts(channel)]
    custom += ["other_members"] if custom_others(channel) else []
    found += [(_("Custom fields"), {"fields": custom, **shut})] if custom else []
    # Where a new one goes stands above its form.
    hidden = frozenset({"way"}) if channel is None else NOT_OF_HOME if is_home else frozenset()
    found[0][1]["fields"].append("seen_version")
    return [
        (title, {**options, "fields": [name for name in options["fields"] if name not in hidden]})
        for title, options in found
    ]


class FormPages(RecordPages):
    """The half of the pages of channels that adds and changes one."""

    change_form_template = add_form_template = "channels_app/form.html"

    def get_urls(self) -> list[URLPattern]:
        """That of the preview, before the others."""
        view = self.admin_site.admin_view(self.address_view)
        return [path("site/<int:site_id>/address/", view, name="channels_app_channel_address"), *super().get_urls()]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Who may add channels."""
        return self.allows(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who may change channels."""
        return self.allows(request, "change", obj)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may add channels looks at them, too."""
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
        """The form, with a field for each custom member that is a text."""
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
        """Back to the tree, at the new channel."""
        return HttpResponseRedirect(tree_address(obj))

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        """Back to the tree, at the channel."""
        return HttpResponseRedirect(tree_address(obj))

    # ---- the preview

    def address_view(self, request: HttpRequest, site_id: int) -> HttpResponse:
        """The addresses that the typed values would give, as JSON."""
        site = site_of(request, site_id)
        channels = Channel.objects.in_site(site.pk).select_related("parent")
        channel = channels.filter(pk=read_number(request.GET.get("channel")) or 0).first()
        below = channels.filter(pk=read_number(request.GET.get("below")) or 0).first()
        if channel is None and below is None:
            raise Http404
        parent = channel.parent if channel is not None else below
        return JsonResponse(preview(site, channel, parent, Typed.read(request.GET)))


def changes_since(channel: Channel) -> list[dict[str, Any]]:
    """The last changes of the channel: by whom, when, and of what."""
    entries = AuditEntry.objects.filter(object_type="channels_app.channel", object_id=str(channel.pk))
    # Others tell what came into the channel.
    entries = entries.filter(action__startswith="channel.")
    return [
        {"name": entry.actor_name, "at": entry.at, "what": actions.label_of(entry.action), "changed": entry.changed}
        for entry in entries.order_by("-pk")[:_TOLD]
    ]
