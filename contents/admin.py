"""Contents in the back end; those in the trash are shown by contents.trash_pages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from channels_app.channel_filter import ChannelFilter
from cms_api.back_end.acts import Act
from contents import services, trash_pages
from contents.content_pages import FLAGS, ContentPages
from contents.models import Content
from sites.site_filter import SiteFilter


def approve(request: HttpRequest, content: Content) -> None:
    """Approve the content, as `POST /contents/check` does."""
    user_name = request.user.get_username()
    services.check_contents(content.site_id, [(content.channel_id, content.pk)], "", user_name)


def move_to_trash(request: HttpRequest, content: Content) -> None:
    """Move the content to the trash, as a DELETE does."""
    services.trash_content(content.site_id, content.channel_id, content.pk)


APPROVE = Act(
    "approve",
    _("Approve"),
    ngettext_lazy("Approve %(count)d content?", "Approve %(count)d contents?", "count"),
    ngettext_lazy("%(count)d content was approved.", "%(count)d contents were approved.", "count"),
    approve,
    suits=lambda content: not content.is_checked,
)
TRASH = Act(
    "trash",
    _("Move to the trash"),
    ngettext_lazy("Move %(count)d content to the trash?", "Move %(count)d contents to the trash?", "count"),
    ngettext_lazy("%(count)d content was moved to the trash.", "%(count)d contents were moved to the trash.", "count"),
    move_to_trash,
    right="delete",
    undo="admin:contents_trashedcontent_act#restore",
)


@admin.register(Content)
class ContentAdmin(ContentPages):
    acts = (APPROVE, TRASH)
    list_display = ["title", "id", "site", "channel", "is_checked", *FLAGS, "last_edit_date"]
    list_filter = [SiteFilter, ChannelFilter, "is_checked", *FLAGS]
    rights = {"view": _("See")}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Contents that are not in the trash."""
        return super().get_queryset(request).filter(trashed_at=None)

    def get_list_display(self, request: HttpRequest) -> Any:
        """The columns; of one site its name would stand in every row."""
        is_chosen = SiteFilter.parameter_name in request.GET
        return [name for name in self.list_display if not (is_chosen and name == "site")]

    def get_ordering(self, request: HttpRequest) -> Any:
        """Of a site or channel the last edited first, which an index holds; of all sites the newest first."""
        chosen = {SiteFilter.parameter_name, ChannelFilter.parameter_name}.intersection(request.GET)
        return ["-last_edit_date", "-id"] if chosen else ["-id"]


# The pages of the trash are registered by their module.
__all__ = ["ContentAdmin", "trash_pages"]
