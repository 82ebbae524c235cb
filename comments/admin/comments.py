"""Comments: their list, in which they are approved, and one of them."""

from functools import partial
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from comments import services
from comments.models import Comment
from core.admin.admin_actions import AdminAction, Changed
from core.admin.formatting import moment_markup
from core.admin.pages import BaseModelAdmin
from sites.admin.site_filter import SiteFilter
from sites.models import trashed_site_ids

_SHOWN = 300  # characters of a text in the list
State = Comment.State


def _set(state: State, request: HttpRequest, comment: Comment) -> Changed:
    services.change_state(comment, state, was=comment.state)
    return Changed(comment.pk, 0, comment.state)  # comments have no version: the state says whether they have changed


def _put_back(state: State, request: HttpRequest, comment: Comment, version: int, former: str) -> None:
    services.change_state(comment, former, was=state)


APPROVE = AdminAction(
    "show",
    _("Approve"),
    ngettext_lazy("Approve %(count)d comment?", "Approve %(count)d comments?", "count"),
    ngettext_lazy("%(count)d comment was approved.", "%(count)d comments were approved.", "count"),
    partial(_set, State.APPROVED),
    right="change",
    suits=lambda comment: comment.state != State.APPROVED,
    unsuited=_("is approved already"),
    take_back=partial(_put_back, State.APPROVED),
    is_harmless=True,
    is_quick=True,
)
HIDE = AdminAction(
    "hide",
    _("Take back the approval"),
    ngettext_lazy("Take back the approval of %(count)d comment?", "Take it back of %(count)d comments?", "count"),
    ngettext_lazy("%(count)d comment is waiting again.", "%(count)d comments are waiting again.", "count"),
    partial(_set, State.NEW),
    right="change",
    suits=lambda comment: comment.state == State.APPROVED,
    unsuited=_("is not approved"),
    take_back=partial(_put_back, State.NEW),
    is_harmless=True,
)
SPAM = AdminAction(
    "spam",
    _("Mark as spam"),
    ngettext_lazy("Mark %(count)d comment as spam?", "Mark %(count)d comments as spam?", "count"),
    ngettext_lazy("%(count)d comment was marked as spam.", "%(count)d comments were marked as spam.", "count"),
    partial(_set, State.SPAM),
    right="change",
    suits=lambda comment: comment.state != State.SPAM,
    unsuited=_("is spam already"),
    take_back=partial(_put_back, State.SPAM),
    is_harmless=True,
    is_quick=True,
)
DELETE = AdminAction(
    "delete",
    _("Delete"),
    ngettext_lazy("Delete %(count)d comment permanently?", "Delete %(count)d comments permanently?", "count"),
    ngettext_lazy("%(count)d comment was deleted.", "%(count)d comments were deleted.", "count"),
    lambda request, comment: services.delete(comment),
    consequence=lambda comments: _now("Replies to them are deleted, too."),
    is_grave=True,
)

ACTIONS = (APPROVE, HIDE, SPAM, DELETE)


@admin.register(Comment)
class CommentAdmin(BaseModelAdmin):
    site_lookup = "site_id"
    channel_lookup = "content__channel"
    admin_actions = ACTIONS
    rights = {"view": _("See"), "change": _("Approve and mark as spam")}
    list_display = ["beginning", "of_content", "sent", "state"]
    list_filter = [SiteFilter, "state"]
    list_select_related = ["content"]
    search_fields = ["name", "text"]
    ordering: ClassVar[Any] = ["-created_at", "-pk"]
    sortable_by = ()
    fields = ("name", "text", "of_content", "created_at", "state", "user", "parent")

    def get_queryset(self, request: HttpRequest) -> Any:
        shown = super().get_queryset(request).exclude(site_id__in=trashed_site_ids())
        return shown.filter(content__trashed_at=None)

    @admin.display(description=_("comment"))
    def beginning(self, comment: Comment) -> str:
        text = comment.text if len(comment.text) <= _SHOWN else f"{comment.text[:_SHOWN]}…"
        return format_html("<b>{}</b> {}", comment.name, text)

    @admin.display(description=_("content item"))
    def of_content(self, comment: Comment) -> str:
        address = reverse("admin:contents_content_change", args=[comment.content_id])
        return format_html('<a href="{}">{}</a>', address, comment.content.title)

    @admin.display(description=_("sent"))
    def sent(self, comment: Comment) -> str:
        return moment_markup(comment.created_at)
