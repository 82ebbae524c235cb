"""Acts that give contents a flag or take it away."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from cms_api.admin.acts import Act
from contents.admin.actions.results import ContentAct, changed, of_any_version
from contents.services.flags import set_flag


def _flag_act(name: str, flag: str, value: bool, *words: Any, **options: Any) -> Act:
    label, question, done, unsuited = words
    return ContentAct(
        name,
        label,
        question,
        done,
        lambda request, contents: changed(set_flag(of_any_version(contents), flag, value, request.user.get_username())),
        right="change",
        suits=lambda content: bool(getattr(content, flag)) is not value,
        unsuited=unsuited,
        **options,
    )


FLAG_ACTS = (
    _flag_act(
        "pin",
        "is_top",
        True,
        _("Pin"),
        ngettext_lazy("Pin %(count)d content item?", "Pin %(count)d content items?", "count"),
        ngettext_lazy("%(count)d content item was pinned.", "%(count)d content items were pinned.", "count"),
        _("pinned already"),
        is_quick=True,
    ),
    _flag_act(
        "unpin",
        "is_top",
        False,
        _("Unpin"),
        ngettext_lazy("Unpin %(count)d content item?", "Unpin %(count)d content items?", "count"),
        ngettext_lazy("%(count)d content item was unpinned.", "%(count)d content items were unpinned.", "count"),
        _("not pinned"),
    ),
    _flag_act(
        "recommend",
        "is_recommend",
        True,
        _("Recommend"),
        ngettext_lazy("Recommend %(count)d content item?", "Recommend %(count)d content items?", "count"),
        ngettext_lazy("%(count)d content item was recommended.", "%(count)d content items were recommended.", "count"),
        _("recommended already"),
        is_quick=True,
    ),
    _flag_act(
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
    _flag_act(
        "mark-hot",
        "is_hot",
        True,
        _("Mark as hot"),
        ngettext_lazy("Mark %(count)d content item as hot?", "Mark %(count)d content items as hot?", "count"),
        ngettext_lazy(
            "%(count)d content item was marked as hot.", "%(count)d content items were marked as hot.", "count"
        ),
        _("hot already"),
    ),
    _flag_act(
        "unmark-hot",
        "is_hot",
        False,
        _("Remove the hot mark"),
        ngettext_lazy(
            "Remove the hot mark of %(count)d content item?", "Remove the hot mark of %(count)d content items?", "count"
        ),
        ngettext_lazy(
            "%(count)d content item is no longer marked as hot.",
            "%(count)d content items are no longer marked as hot.",
            "count",
        ),
        _("not hot"),
    ),
    _flag_act(
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
        _("highlighted already"),
    ),
    _flag_act(
        "uncolour",
        "is_color",
        False,
        _("Remove the highlight"),
        ngettext_lazy(
            "Remove the highlight of %(count)d title?",
            "Remove the highlight of %(count)d titles?",
            "count",
        ),
        ngettext_lazy(
            "%(count)d title is no longer highlighted.", "%(count)d titles are no longer highlighted.", "count"
        ),
        _("not highlighted"),
    ),
)
