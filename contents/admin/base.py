"""What the pages of contents and of those in the trash have in common."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from cms_api.admin.pages import RecordPages
from cms_api.admin.views import route
from contents.admin.bodies import body_view
from contents.admin.field_labels import LABELS
from contents.admin.history.pages import history_urls, history_view
from contents.admin.history.words import DECISION, ChangeWords
from contents.admin.writing.custom_inputs import INTERNAL
from contents.flags import MARKS
from contents.models import Content
from contents.services.approval import state_of

_OTHERS = ("source_id", "reference_id")
_HITS = ("hits", "hits_by_day", "hits_by_week", "hits_by_month", "last_hits_date")


class ContentPages(RecordPages):
    """What contents and those in the trash have in common."""

    site_lookup = "site_id"
    labels = LABELS
    list_select_related = ["channel", "site"]
    search_fields = ["title"]
    fieldsets: ClassVar[Any] = [
        (None, {"fields": ["title", "sub_title", "site", "channel", "summary", "body_frame"]}),
        (_("State"), {"fields": ["told_state", *MARKS, "id", "taxis", "version"]}),
        (_("Files and links"), {"fields": ["link_url", "image_url", "video_url", "file_url"]}),
        (_("Origin"), {"fields": ["author", "source", "source_id", "reference_id", "add_user_name", "add_date"]}),
        (_("Changes"), {"fields": ["last_edit_user_name", "last_edit_date", "writing_user_name"]}),
        (_("Groups and custom fields"), {"fields": ["group_name_collection", "tags", "custom_fields"]}),
        (_("Hits"), {"fields": _HITS}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Contents without texts that may be long; a record reads them when it shows them."""
        return super().get_queryset(request).defer("settings_xml", "summary", "channel__content", "site__settings")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Without numbers of other contents where there are none."""
        hidden = {name for name in _OTHERS if obj is not None and getattr(obj, name) <= 0}
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
    def told_state(self, content: Content) -> str:
        return str(state_of(content))

    @admin.display(description=LABELS["settings_xml"])
    def custom_fields(self, content: Content) -> str | SafeString:
        """The custom fields, a line each; without what is kept of decisions and of the title's look."""
        words = ChangeWords(content.site_id)
        texts = words.texts({"settings_xml": content.settings_xml})
        members = ((words.member(name), text) for name, text in texts.items() if name != DECISION and text)
        rows = ((label, _(": "), text) for (label, wire), text in members if wire.casefold() not in INTERNAL)
        return format_html_join(SafeString("<br>"), "{}{}{}", rows) or "-"

    @admin.display(description=_("body"))
    def body_frame(self, content: Content) -> str:
        """The body in a frame without any rights: no script, no form, no way out."""
        address = self._address("body", content.pk)
        return format_html('<iframe class="body-frame" sandbox src="{}" title="{}"></iframe>', address, _("body"))
