"""Lists: an item template, rendered for each content, channel, site, row or picture."""

import json
import re
from collections.abc import Callable
from typing import Any

from cms_api.stl.attributes import INT32_MAX, Attributes
from pages.engine.compiling import TAG_ENTITIES, Compiler, Render, children, element, read_ahead
from pages.engine.html import encode
from pages.engine.nodes import Element, Encoding, Entity, Nodes
from pages.engine.scope import Kind, Paging, Scope, numbered
from pages.engine.source import Listed, Record, Source

Read = Callable[[Scope, Attributes], Listed]
Enter = Callable[[Scope, Any, int], Scope]
Selected = Callable[[Scope, Any, int], bool]
_LINK = (Element("a", (("target", "_blank"),), (), "", "", Encoding.TEXT, 0),)
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
        elif not text and not has_items:
            text = _LINK
        self.item = compiler.block(text)
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
    written = [templates.header(scope)] if templates.header else []
    last = len(records)
    for place, record in enumerate(records, 1):
        number = first + place
        within = enter(inside, record, number)
        text = templates.of(within, record, number)(within)
        scope.budget.take_item(text)
        written.append(text)
        if templates.separator and place < last and place % templates.every == 0:
            written.append(templates.separator(scope))
    if templates.footer:
        written.append(templates.footer(scope))
    return "".join(written)


def compile_list(compiler: Compiler, node: Element, read: Read, enter: Enter) -> Render:
    given, templates = compiler.given(node), ItemTemplates(compiler, node)

    def render(scope: Scope) -> str:
        return render_list(templates, scope, read(scope, given.read(scope)).records, enter)

    return render


# ---- what is listed


def read_contents(scope: Scope, attributes: Attributes, *, is_counted: bool = False) -> Listed:
    channel = scope.source.find_channel(scope.channel, attributes)
    content_id = scope.content["id"] if scope.content is not None else 0
    return scope.source.contents(channel, content_id, attributes, is_counted=is_counted)


def enter_content(scope: Scope, record: Record, number: int) -> Scope:
    channel = scope.source.channel(record["channelId"]) or scope.channel
    return scope.within(kind=Kind.CONTENT, channel=channel, content=record, content_index=number)


def read_channels(scope: Scope, attributes: Attributes) -> Listed:
    return scope.source.channels(scope.source.find_channel(scope.channel, attributes), attributes)


def enter_channel(scope: Scope, record: Record, number: int) -> Scope:
    return scope.within(kind=Kind.CHANNEL, channel=record, channel_index=number)


def _read_sites(scope: Scope, attributes: Attributes) -> Listed:
    sites = scope.source.sites(attributes)
    return Listed(sites, len(sites))  # type: ignore[arg-type]


def _enter_site(scope: Scope, source: Source, number: int) -> Scope:
    return scope.within(kind=Kind.SITE, source=source, channel=source.home(), content=None, channel_index=number)


def _enter_row(scope: Scope, record: Record, number: int) -> Scope:
    return scope.within(kind=Kind.SQL_CONTENT, item=record, content_index=number)


def _read_each(scope: Scope, attributes: Attributes) -> Listed:
    name = attributes.text("type").strip().casefold() or "imageurl"
    if scope.content is None:
        return Listed((), 0)
    if name == "photo":
        records: Any = [
            {**record, "itemIndex": number} for number, record in enumerate(scope.source.pictures(scope.content), 1)
        ]
    else:
        records = scope.source.addresses(scope.content, name)
    start, count = max(attributes.integer("startNum", 1) - 1, 0), attributes.integer("totalNum")
    chosen = records[start : start + count] if count else records[start:]
    return Listed(chosen, len(records))


def _enter_each(scope: Scope, item: Any, number: int) -> Scope:
    return scope.within(kind=Kind.EACH, item=item)


@element("contents")
def compile_contents(compiler: Compiler, node: Element) -> Render:
    given, templates = compiler.given(node), ItemTemplates(compiler, node)
    if compiler.around is not None and given.constant is not None:
        compiler.around.append(given.constant)
    return lambda scope: render_list(templates, scope, read_contents(scope, given.read(scope)).records, enter_content)


@element("channels")
def compile_channels(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    with compiler.part() as lists:
        templates = ItemTemplates(compiler, node)

    def render(scope: Scope) -> str:
        channels = read_channels(scope, given.read(scope)).records
        read_ahead(scope, channels, lists)
        return render_list(templates, scope, channels, enter_channel)

    return render


@element("sites")
def compile_sites(compiler: Compiler, node: Element) -> Render:
    return compile_list(compiler, node, _read_sites, _enter_site)


@element("site")
def compile_site(compiler: Compiler, node: Element) -> Render:
    given, inner = compiler.given(node), compiler.block(node.inner)

    def render(scope: Scope) -> str:
        found = scope.source.sites(given.read(scope))
        return inner(_enter_site(scope, found[0], 1)) if found else ""

    return render


@element("each")
def compile_each(compiler: Compiler, node: Element) -> Render:
    return compile_list(compiler, node, _read_each, _enter_each)


@element("sqlcontents")
def compile_rows(compiler: Compiler, node: Element) -> Render:
    given, templates = _given_of_list(compiler, node), ItemTemplates(compiler, node)
    return lambda scope: render_list(templates, scope, scope.source.rows(given(scope)).records, _enter_row)


def _given_of_list(compiler: Compiler, node: Element) -> Callable[[Scope], Attributes]:
    """Return what reads the attributes; a child `queryString` has the statement of a list of rows."""
    is_of_rows = node.name in {"sqlcontents", "pagesqlcontents"}
    given = compiler.given(node, statement="querystring" if is_of_rows else "")
    statement = children(node, "querystring").get("querystring") if is_of_rows else None
    if statement is None:
        return given.read
    text = compiler.statement(statement.inner)

    def read(scope: Scope) -> Attributes:
        return given.read(scope).replaced(queryString=text(scope))

    return read


# ---- lists with pages

ReadPage = Callable[..., Listed]  # with the keyword is_counted
_PAGED: dict[str, tuple[ReadPage, Enter]] = {
    "pagecontents": (read_contents, enter_content),
    "pagechannels": (lambda scope, attributes, is_counted: read_channels(scope, attributes), enter_channel),
    "pagesqlcontents": (lambda scope, attributes, is_counted: scope.source.rows(attributes), _enter_row),
}


def page_of_list(
    compiler: Compiler, node: Element, read: ReadPage | None = None, size_of: Callable[[Scope], int] | None = None
) -> Callable[[Scope, int], Paging]:
    """Return what reads a page of the list by its number; `size_of` is for a list that has no `pageNum`."""
    given, read = _given_of_list(compiler, node), read or _PAGED[node.name][0]

    def page(scope: Scope, number: int) -> Paging:
        attributes = given(scope)
        size, most = attributes.integer("pageNum"), attributes.integer("totalNum")
        size = size or (size_of(scope) if size_of else 0)
        first = max(attributes.integer("startNum", 1) - 1, 0)
        if size and first + number * size > INT32_MAX:  # as many numbers as attributes have
            number = max((INT32_MAX - first) // size, 1)
        skipped = (number - 1) * size
        taken = min(size, most - skipped) if size and most else size or most
        chosen = attributes.replaced(startNum=str(first + skipped + 1), totalNum=str(max(taken, 0)))
        listed = Listed((), most) if size and most and taken <= 0 else read(scope, chosen, is_counted=True)
        total = max(listed.total - first, 0)
        total = min(total, most) if most else total
        count = max(-(-total // size), 1) if size else 1
        return Paging(number, count, total, lambda n: numbered(scope.page.url, n), listed.records, skipped)

    return page


@element("pagecontents", "pagechannels", "pagesqlcontents")
def compile_paged(compiler: Compiler, node: Element) -> Render:
    read, enter = _PAGED[node.name]
    if id(node) not in compiler.paged:
        if not compiler.is_include:
            return lambda scope: ""
        # An include has no pages.
        return compile_list(compiler, node, lambda scope, attributes: read(scope, attributes, is_counted=False), enter)
    templates = ItemTemplates(compiler, node)

    def render(scope: Scope) -> str:
        if scope.paging is None:
            return ""
        return render_list(templates, scope, scope.paging.records, enter, scope.paging.first)

    return render


_HIDDEN = frozenset({"children", "settingsXml", "addUserName", "lastEditUserName", "writingUserName"})


def _compile_json(read: Read) -> Callable[[Compiler, Element], Render]:
    """`{stl:contents …}` in a script is the list as JSON."""

    def compile_json(compiler: Compiler, node: Element) -> Render:
        given = compiler.given(node)

        def render(scope: Scope) -> str:
            records = read(scope, given.read(scope)).records
            shown = [{name: value for name, value in record.items() if name not in _HIDDEN} for record in records]
            text = json.dumps(shown, ensure_ascii=False, default=str)
            if node.encoding not in (Encoding.SCRIPT, Encoding.TEXT):
                return encode(text, node.encoding)
            return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

        return render

    return compile_json


TAG_ENTITIES["contents"] = _compile_json(read_contents)
TAG_ENTITIES["channels"] = _compile_json(read_channels)
