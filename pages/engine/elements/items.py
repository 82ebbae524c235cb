"""The item templates of a list."""

import re
from collections.abc import Callable
from typing import Any

from pages.engine.compiling import Compiler, Render, trimmed
from pages.engine.elements.entries import LISTS, own_item
from pages.engine.elements.tables import is_table, table
from pages.engine.nodes import TEXT, Element, Entity, Nodes
from pages.engine.scope import Scope
from pages.engine.source import Record

Enter = Callable[[Scope, Any, int], Scope]
Selected = Callable[[Scope, Any, int], bool]
_LINK = (Element("a", (("target", "_blank"),), (), "", "", TEXT, 0),)
_RANGE = re.compile(r"(\d{1,9})(?:[-_](\d{1,9}))?")


class ItemTemplates:
    """The `itemTemplate` children of a list, or its inner text as the only item."""

    def __init__(self, compiler: Compiler, node: Element) -> None:
        found: dict[str, Element] = {}
        self._selected: list[tuple[Selected, Render]] = []
        rest: list[Any] = []
        for child in node.inner:
            if not isinstance(child, Element) or child.name != "itemtemplate":
                if not isinstance(child, Element) or child.name not in {"loading", "querystring"}:
                    rest.append(child)
                continue
            kind = dict(child.attributes).get("type", "").casefold()
            if kind == "selecteditem":
                given = dict(child.attributes)
                self._selected.append((_selection(given), compiler.block(child.inner)))
            else:
                found.setdefault(kind, child)
        has_items = bool(found or self._selected)
        text: Nodes = tuple(rest)
        if "item" in found:
            text = found["item"].inner
        elif not text and not has_items and node.name not in LISTS:
            text = _LINK
        self.given = compiler.given(node) if is_table(node) else None  # of the table
        is_own = node.name in LISTS and not has_items and not trimmed(text)
        self.item = own_item if is_own else compiler.block(text)
        alternating = found.get("alternatingitem")
        self._alternating = compiler.block(alternating.inner) if alternating else self.item
        # Elements in these are not evaluated, entities are.
        self.header, self.footer, self.separator = (
            compiler.block(_without_elements(found[name].inner)) if name in found else None
            for name in ("header", "footer", "separator")
        )
        every = dict(found["separator"].attributes).get("selectedvalue", "") if "separator" in found else ""
        self.every = int(every) if every.isdecimal() and int(every) > 1 else 1

    def of(self, scope: Scope, record: Any, number: int) -> Render:
        """Return the template of an item, whose number in the list counts from 1."""
        for is_selected, render in self._selected:
            if is_selected(scope, record, number):
                return render
        return self._alternating if number % 2 == 0 else self.item


def _without_elements(nodes: Nodes) -> Nodes:
    return tuple(
        node if isinstance(node, str | Entity) else node.start + "".join(_raw(each) for each in node.inner) + node.end
        for node in nodes
    )


def _raw(node: str | Entity | Element) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, Entity):
        return node.raw
    return node.start + "".join(map(_raw, node.inner)) + node.end


def _selection(given: dict[str, str]) -> Selected:
    wanted, value = given.get("selected", "current").strip().casefold(), given.get("selectedvalue", "")
    if wanted in _SELECTED:
        return _SELECTED[wanted]
    if wanted == "channelname":
        return lambda scope, record, number: bool(record.get("channelName", scope.channel["channelName"]) == value)
    ranges = [(int(first), int(last or first)) for first, last in _RANGE.findall(wanted)]
    return lambda scope, record, number: any(first <= number <= last for first, last in ranges)


def _is_current(scope: Scope, record: Record, number: int) -> bool:
    if "channelId" in record:  # a content
        return scope.page.content is not None and record["id"] == scope.page.content["id"]
    return bool(record.get("id") == scope.page.channel["id"])


def _is_above(levels: int) -> Selected:
    """The channel so many levels above the page's."""

    def is_above(scope: Scope, record: Record, number: int) -> bool:
        way = scope.source.above(scope.page.channel)
        return len(way) >= levels and bool(way[-levels]["id"] == record.get("id"))

    return is_above


def _is_at_top(depth: int) -> Selected:
    def is_at_top(scope: Scope, record: Record, number: int) -> bool:
        way = [*scope.source.above(scope.page.channel), scope.page.channel]
        return bool(way[min(depth, len(way) - 1)]["id"] == record.get("id"))

    return is_at_top


_SELECTED: dict[str, Selected] = {
    "current": _is_current,
    "image": lambda scope, record, number: bool(record.get("imageUrl")),
    "video": lambda scope, record, number: bool(record.get("videoUrl")),
    "file": lambda scope, record, number: bool(record.get("fileUrl")),
    "istop": lambda scope, record, number: record.get("isTop") is True,
    "isrecommend": lambda scope, record, number: record.get("isRecommend") is True,
    "ishot": lambda scope, record, number: record.get("isHot") is True,
    "iscolor": lambda scope, record, number: record.get("isColor") is True,
    "up": _is_above(1),
    "up2": _is_above(2),
    "top": _is_at_top(1),
    "top2": _is_at_top(2),
}


def render_list(templates: ItemTemplates, scope: Scope, records: Any, enter: Enter, first: int = 0) -> str:
    """Render the items; `first` items are on the pages before."""
    if not records:
        return ""
    scope.budget.check_depth(scope.depth + 1, "Lists")
    inside = scope.within(depth=scope.depth + 1)
    header = templates.header(scope) if templates.header else ""
    footer = templates.footer(scope) if templates.footer else ""
    last = len(records)
    written = []
    for place, record in enumerate(records, 1):
        number = first + place
        within = enter(inside, record, number)
        text = templates.of(within, record, number)(within)
        scope.budget.take_item(text)
        written.append(text)
        if templates.separator and not templates.given and place < last and place % templates.every == 0:
            written.append(templates.separator(scope))
    if templates.given is not None:
        return table(templates.given.read(scope), header, written, footer)
    return "".join([header, *written, footer])
