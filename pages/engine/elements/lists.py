"""Lists: an item template, rendered for each content, channel, site, row or picture."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from core.stl.attributes import INT32_MAX, Attributes
from core.stl.text import TextShape
from pages.engine.compiling import Compiler, Render, children, element, read_ahead
from pages.engine.elements.entries import enter_entry, read_entries
from pages.engine.elements.items import Enter, ItemTemplates, render_list
from pages.engine.elements.tables import without_table
from pages.engine.html import encode
from pages.engine.nodes import Element
from pages.engine.scope import Kind, Paging, Scope, numbered
from pages.engine.source import Listed, Record, Source
from pages.engine.words import (
    CHANNEL_LIST,
    CONTENT_LIST,
    ENTRY_LIST,
    PAGES,
    SHAPE,
    SITES,
    TABLE,
    WINDOW,
    ElementWords,
    _,
    described,
)

Read = Callable[[Scope, Attributes], Listed]
OF_ROWS = frozenset({"sqlcontent", "sqlcontents", "pagesqlcontents"})


def compile_list(compiler: Compiler, node: Element, read: Read, enter: Enter) -> Render:
    given, templates = _given_of_list(compiler, node), ItemTemplates(compiler, node)
    return lambda scope: render_list(templates, scope, read(scope, given(scope)).records, enter)


# ---- listed records


def read_contents(scope: Scope, attributes: Attributes, *, is_counted: bool = False) -> Listed:
    channel = scope.source.find_channel(scope.channel, attributes)
    content_id = scope.content["id"] if scope.content is not None else 0
    return scope.source.contents(channel, content_id, attributes, is_counted=is_counted)


def enter_content(scope: Scope, record: Record, number: int) -> Scope:
    source = scope.source.of_site(record["siteId"])
    channel = source.channel(record["channelId"]) or scope.channel
    return scope.within(kind=Kind.CONTENT, source=source, channel=channel, content=record, content_index=number)


def read_channels(scope: Scope, attributes: Attributes) -> Listed:
    return scope.source.channels(scope.source.find_channel(scope.channel, attributes), attributes)


def enter_channel(scope: Scope, record: Record, number: int) -> Scope:
    return scope.within(kind=Kind.CHANNEL, channel=record, channel_index=number)


def _read_sites(scope: Scope, attributes: Attributes) -> Listed:
    sites = scope.source.sites(attributes)
    return Listed(sites, len(sites))


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


@element(
    ElementWords("contents", _("A list of content items, with its inner text for each."), CONTENT_LIST, filters=True)
)
def compile_contents(compiler: Compiler, node: Element) -> Render:
    given, templates = compiler.given(without_table(node)), ItemTemplates(compiler, node)
    if compiler.around is not None and given.constant is not None:
        compiler.around.append(given.constant)
    return lambda scope: render_list(templates, scope, read_contents(scope, given.read(scope)).records, enter_content)


@element(ElementWords("channels", _("A list of channels, with its inner text for each."), CHANNEL_LIST))
def compile_channels(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(without_table(node))
    with compiler.part() as lists:
        templates = ItemTemplates(compiler, node)

    def render(scope: Scope) -> str:
        channels = read_channels(scope, given.read(scope)).records
        read_ahead(scope, channels, lists)
        return render_list(templates, scope, channels, enter_channel)

    return render


@element(
    ElementWords(
        "sites", _("A list of the sites that have templates, with its inner text for each."), SITES | WINDOW | TABLE
    )
)
def compile_sites(compiler: Compiler, node: Element) -> Render:
    return compile_list(compiler, node, _read_sites, _enter_site)


@element(ElementWords("site", _("Its inner text, for another site."), SITES))
def compile_site(compiler: Compiler, node: Element) -> Render:
    given, inner = compiler.given(node), compiler.block(node.inner)

    def render(scope: Scope) -> str:
        found = scope.source.sites(given.read(scope))
        return inner(_enter_site(scope, found[0], 1)) if found else ""

    return render


@element(
    ElementWords(
        "each",
        _("The pictures, videos or files of a content item in one field, with its inner text for each."),
        WINDOW
        | TABLE
        | described(
            type=(
                _("The field; `photo` means the extra pictures. Default: `imageUrl`."),
                "imageUrl",
                "videoUrl",
                "fileUrl",
                "photo",
            )
        ),
    )
)
def compile_each(compiler: Compiler, node: Element) -> Render:
    return compile_list(compiler, node, _read_each, _enter_each)


_PAGED_CONTENTS = (
    CONTENT_LIST
    | PAGES
    | described(
        order=(
            _(
                "The order: a keyword, or columns as in an ORDER BY clause. `Relevance`, for a search for words, shows "
                "the best results first. Default: the order in the admin."
            ),
            *CONTENT_LIST["order"].values,
            "Relevance",
        )
    )
)
_STATEMENT = described(
    queryString=_("The SELECT statement; a child `queryString` may have it instead."),
    order=_("The order: columns as in an ORDER BY clause."),
    isChecked=(_("With `all`, also what waits for approval. Default: `true`."), "true", "all"),
)
_ROWS = WINDOW | TABLE | _STATEMENT


@element(ElementWords("sqlContents", _("A list of the rows of a SELECT, with its inner text for each."), _ROWS))
def compile_rows(compiler: Compiler, node: Element) -> Render:
    return compile_list(compiler, node, lambda scope, attributes: scope.source.rows(attributes), _enter_row)


@element(
    ElementWords(
        "sqlContent",
        _("A value of the first row of a SELECT; without one, of the row of the list around it."),
        SHAPE | _STATEMENT | described(type=_("The column. Default: the first one.")),
    )
)
def compile_row(compiler: Compiler, node: Element) -> Render:
    given = _given_of_list(compiler, node)

    def render(scope: Scope) -> str:
        attributes = given(scope)
        row = scope.item if isinstance(scope.item, dict) else {}
        if attributes.text("queryString").strip():
            row = next(iter(scope.source.rows(attributes).records), {})
        name = attributes.text("type").strip().casefold()
        value = next((each for key, each in row.items() if not name or key.casefold() == name), None)
        shape = TextShape.of(attributes)
        return encode(shape.surround(shape.shape("" if value is None else str(value))), node.place)

    return render


@element(
    ElementWords(
        "inputContents",
        _(
            "A list of the entries of a form that everybody may read, with its inner text for each. Attributes with "
            "the names of fields in the public list choose entries."
        ),
        ENTRY_LIST,
    )
)
def compile_entries(compiler: Compiler, node: Element) -> Render:
    return compile_list(compiler, node, read_entries, enter_entry)


def _given_of_list(compiler: Compiler, node: Element) -> Callable[[Scope], Attributes]:
    """Return a reader of the attributes; a child `queryString` has the statement of a list of rows."""
    is_of_rows = node.name in OF_ROWS
    plain = without_table(node)
    if is_of_rows:  # no visitor decides whether to see pending contents
        fixed = tuple(pair for pair in plain.attributes if pair[0] != "ischecked" or "{" not in pair[1])
        plain = replace(plain, attributes=fixed)
    given = compiler.given(plain, statement="querystring" if is_of_rows else "")
    statement = children(node, "querystring").get("querystring") if is_of_rows else None
    if statement is None:
        return given.read
    text = compiler.statement(statement.inner, statement)

    def read(scope: Scope) -> Attributes:
        return given.read(scope).replaced(queryString=text(scope))

    return read


# ---- lists with pages

ReadPage = Callable[..., Listed]  # with the keyword is_counted
_PAGED: dict[str, tuple[ReadPage, Enter]] = {
    "pagecontents": (read_contents, enter_content),
    "pagechannels": (lambda scope, attributes, is_counted: read_channels(scope, attributes), enter_channel),
    "pagesqlcontents": (lambda scope, attributes, is_counted: scope.source.rows(attributes), _enter_row),
    "pageinputcontents": (read_entries, enter_entry),
}


def page_of_list(
    compiler: Compiler, node: Element, read: ReadPage | None = None, size_of: Callable[[Scope], int] | None = None
) -> Callable[[Scope, int], Paging]:
    """Return a reader of a page of the list by its number; `size_of` is for a list that has no `pageNum`."""
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


@element(
    ElementWords("pageContents", _("A list of content items over several pages."), _PAGED_CONTENTS, filters=True),
    ElementWords("pageChannels", _("A list of channels over several pages."), CHANNEL_LIST | PAGES),
    ElementWords("pageSqlContents", _("A list of the rows of a SELECT over several pages."), _ROWS | PAGES),
    ElementWords(
        "pageInputContents",
        _("A list of the entries of a form that everybody may read, over several pages."),
        ENTRY_LIST | PAGES,
    ),
)
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
