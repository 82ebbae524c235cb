"""Acts that give contents a flag or take it away."""

from functools import partial
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from cms_api.back_end.acts import Act, Changed
from contents.flags import set_flag
from contents.models import Content
from contents.overwriting import lock_contents
from contents.undoing import take_back


def take_back_change(request: HttpRequest, content: Content, version: int) -> None:
    """Take back what the act changed of the content."""
    take_back(content.site_id, content.pk, version, request.user)


def changed(content: Content) -> Changed:
    """The content as an act has left it."""
    return Changed(content.pk, content.version)


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
        lock=lock_contents,
        take_back=take_back_change,
        **options,
    )


def _set(flag: str, value: bool, request: HttpRequest, content: Content) -> Changed:
    return changed(set_flag(content.site_id, content.pk, flag, value, request.user.get_username()))


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
