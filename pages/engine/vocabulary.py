"""The words of all elements and entities, for completion and reference."""

from collections.abc import Mapping

import pages.engine.elements
import pages.engine.entities  # noqa: F401 - registers the entities
from pages.engine.compiling import ENTITY_WORDS, WORDS
from pages.engine.words import ElementWords, EntityWords, _, described

_BRANCHES = ("if", "navigation", "pageItem", "search", "searchOutput", "input", "form")
_LISTS = (
    *("contents", "channels", "sites", "sqlContents", "each", "inputContents"),
    *("pageContents", "pageChannels", "pageSqlContents", "pageInputContents"),
)
_CHILDREN = (
    ElementWords(
        "yes", _("Shown if the condition of its element is true, or if there is anything to list."), parents=_BRANCHES
    ),
    ElementWords(
        "no", _("Shown if the condition of its element is false, or if there is nothing to list."), parents=_BRANCHES
    ),
    ElementWords("successTemplate", _("The same as `yes`."), parents=_BRANCHES),
    ElementWords("failureTemplate", _("The same as `no`."), parents=_BRANCHES),
    ElementWords(
        "loading", _("Shows nothing, since nothing has to be loaded."), parents=("search", "input", "form", *_LISTS)
    ),
    ElementWords("template", _("The inputs of the form, if it has parts besides."), parents=("input", "form")),
    ElementWords(
        "queryString", _("The SELECT statement of the list."), parents=("sqlContent", "sqlContents", "pageSqlContents")
    ),
    ElementWords(
        "itemTemplate",
        _("The template of the items of a list, or of what is around or between them."),
        described(
            type=(
                _("Which items it is for."),
                *("item", "alternatingItem", "selectedItem", "header", "footer", "separator"),
            ),
            selected=(
                _("Which items are `selectedItem`: one of these, a number, numbers (`1,3`) or a range (`2-5`)."),
                *("current", "image", "video", "file", "isTop", "isRecommend", "isHot", "isColor", "channelName"),
                *("up", "up2", "top", "top2"),
            ),
            selectedValue=_("The channel name for `channelName`; the number of items between two separators."),
        ),
        parents=_LISTS,
    ),
)
ELEMENTS: Mapping[str, ElementWords] = {words.name: words for words in (*WORDS.values(), *_CHILDREN)}
ENTITIES: Mapping[str, EntityWords] = ENTITY_WORDS
