from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from contents.admin.actions.base import ContentAction, changed, of_any_version
from contents.services.approval import rule_of_public
from contents.services.single import set_flag
from core.admin.admin_actions import AdminAction, Counted, Text


def _flag_action(
    name: str, flag: str, value: bool, label: Text, question: Counted, done: Counted, unsuited: Text, **options: Any
) -> AdminAction:
    return ContentAction(
        name,
        label,
        question,
        done,
        lambda request, contents: changed(
            set_flag(
                of_any_version(contents),
                flag,
                value,
                request.user.get_username(),
                rule_of_public(request.user, contents),
            )
        ),
        right="change",
        suits=lambda content: bool(getattr(content, flag)) is not value,
        unsuited=unsuited,
        is_harmless=True,
        **options,
    )


FLAG_ACTS = (
    _flag_action(
        "pin",
        "is_top",
        True,
        _("Pin"),
        ngettext_lazy("Pin %(count)d content item?", "Pin %(count)d content items?", "count"),
        ngettext_lazy("%(count)d content item was pinned.", "%(count)d content items were pinned.", "count"),
        _("already pinned"),
        is_quick=True,
    ),
    _flag_action(
        "unpin",
        "is_top",
        False,
        _("Unpin"),
        ngettext_lazy("Unpin %(count)d content item?", "Unpin %(count)d content items?", "count"),
        ngettext_lazy("%(count)d content item was unpinned.", "%(count)d content items were unpinned.", "count"),
        _("not pinned"),
    ),
    _flag_action(
        "recommend",
        "is_recommend",
        True,
        _("Recommend"),
        ngettext_lazy("Recommend %(count)d content item?", "Recommend %(count)d content items?", "count"),
        ngettext_lazy("%(count)d content item was recommended.", "%(count)d content items were recommended.", "count"),
        _("already recommended"),
        is_quick=True,
    ),
    _flag_action(
        "unrecommend",
        "is_recommend",
        False,
        _("Stop recommending"),
        ngettext_lazy(
            "Stop recommending %(count)d content item?", "Stop recommending %(count)d content items?", "count"
        ),
        ngettext_lazy(
            "%(count)d content item is no longer recommended.",
            "%(count)d content items are no longer recommended.",
            "count",
        ),
        _("not recommended"),
    ),
    _flag_action(
        "mark-hot",
        "is_hot",
        True,
        _("Mark as hot"),
        ngettext_lazy("Mark %(count)d content item as hot?", "Mark %(count)d content items as hot?", "count"),
        ngettext_lazy(
            "%(count)d content item was marked as hot.", "%(count)d content items were marked as hot.", "count"
        ),
        _("already hot"),
    ),
    _flag_action(
        "unmark-hot",
        "is_hot",
        False,
        _("Unmark as hot"),
        ngettext_lazy(
            "Unmark %(count)d content item as hot?",
            "Unmark %(count)d content items as hot?",
            "count",
        ),
        ngettext_lazy(
            "%(count)d content item is no longer marked as hot.",
            "%(count)d content items are no longer marked as hot.",
            "count",
        ),
        _("not hot"),
    ),
    _flag_action(
        "colour",
        "is_color",
        True,
        _("Highlight the title"),
        ngettext_lazy(
            "Highlight the title of %(count)d content item?",
            "Highlight the titles of %(count)d content items?",
            "count",
        ),
        ngettext_lazy("%(count)d title was highlighted.", "%(count)d titles were highlighted.", "count"),
        _("already highlighted"),
    ),
    _flag_action(
        "uncolour",
        "is_color",
        False,
        _("Remove the highlight"),
        ngettext_lazy(
            "Remove the highlight from %(count)d title?", "Remove the highlight from %(count)d titles?", "count"
        ),
        ngettext_lazy(
            "%(count)d title is no longer highlighted.", "%(count)d titles are no longer highlighted.", "count"
        ),
        _("not highlighted"),
    ),
)
