"""Acts that give contents a flag or take it away."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from cms_api.back_end.acts import Act, Changed
from cms_api.rest.errors import Refusal
from contents.desk.act_results import changed, of_any_version, take_back_changes
from contents.flags import set_flag
from contents.models import Content


def _flag_act(name: str, flag: str, value: bool, *words: Any, **options: Any) -> Act:
    label, question, done, unsuited = words
    return Act(
        name,
        label,
        question,
        done,
        partial(_set, flag, value),
        right="change",
        suits=partial(_is_other, flag, value),
        unsuited=unsuited,
        take_back=take_back_changes,
        at_once=True,
        **options,
    )


def _set(flag: str, value: bool, request: HttpRequest, contents: Sequence[Content]) -> list[Changed | Refusal | None]:
    return changed(set_flag(of_any_version(contents), flag, value, request.user.get_username()))


def _is_other(flag: str, value: bool, content: Content) -> bool:
    return bool(getattr(content, flag)) is not value


FLAG_ACTS = (
    _flag_act(
        "pin",
        "is_top",
        True,
        _("Pin"),
        ngettext_lazy("Pin %(count)d content?", "Pin %(count)d contents?", "count"),
        ngettext_lazy("%(count)d content was pinned.", "%(count)d contents were pinned.", "count"),
        _("pinned already"),
        is_quick=True,
    ),
    _flag_act(
        "unpin",
        "is_top",
        False,
        _("Unpin"),
        ngettext_lazy("Unpin %(count)d content?", "Unpin %(count)d contents?", "count"),
        ngettext_lazy("%(count)d content was unpinned.", "%(count)d contents were unpinned.", "count"),
        _("not pinned"),
    ),
    _flag_act(
        "recommend",
        "is_recommend",
        True,
        _("Recommend"),
        ngettext_lazy("Recommend %(count)d content?", "Recommend %(count)d contents?", "count"),
        ngettext_lazy("%(count)d content was recommended.", "%(count)d contents were recommended.", "count"),
        _("recommended already"),
        is_quick=True,
    ),
    _flag_act(
        "unrecommend",
        "is_recommend",
        False,
        _("Recommend no more"),
        ngettext_lazy("Recommend %(count)d content no more?", "Recommend %(count)d contents no more?", "count"),
        ngettext_lazy(
            "%(count)d content is recommended no more.", "%(count)d contents are recommended no more.", "count"
        ),
        _("not recommended"),
    ),
    _flag_act(
        "mark-hot",
        "is_hot",
        True,
        _("Mark as hot"),
        ngettext_lazy("Mark %(count)d content as hot?", "Mark %(count)d contents as hot?", "count"),
        ngettext_lazy("%(count)d content was marked as hot.", "%(count)d contents were marked as hot.", "count"),
        _("hot already"),
    ),
    _flag_act(
        "unmark-hot",
        "is_hot",
        False,
        _("Hot no more"),
        ngettext_lazy("Mark %(count)d content as hot no more?", "Mark %(count)d contents as hot no more?", "count"),
        ngettext_lazy("%(count)d content is hot no more.", "%(count)d contents are hot no more.", "count"),
        _("not hot"),
    ),
    _flag_act(
        "colour",
        "is_color",
        True,
        _("Colour the title"),
        ngettext_lazy("Colour the title of %(count)d content?", "Colour the titles of %(count)d contents?", "count"),
        ngettext_lazy("%(count)d title was coloured.", "%(count)d titles were coloured.", "count"),
        _("coloured already"),
    ),
    _flag_act(
        "uncolour",
        "is_color",
        False,
        _("Colour no more"),
        ngettext_lazy(
            "Show the title of %(count)d content without colour?",
            "Show the titles of %(count)d contents without colour?",
            "count",
        ),
        ngettext_lazy("%(count)d title is coloured no more.", "%(count)d titles are coloured no more.", "count"),
        _("not coloured"),
    ),
)
