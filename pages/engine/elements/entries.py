"""Entries of forms that everybody may read: lists of them, and their values, which are texts of visitors."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from html import escape
from typing import NamedTuple

from core.stl.attributes import Attributes
from core.stl.dates import DATE, DATE_TIME, format_date
from core.stl.text import TextShape, return_to_br
from pages.engine.compiling import Compiler, Render, element
from pages.engine.elements.values import item_number
from pages.engine.html import encode_foreign
from pages.engine.nodes import TEXT, Element, Place
from pages.engine.scope import Kind, Scope, with_page
from pages.engine.source import EntryRecord, EntryValue, FormRecord, Listed, Source
from pages.engine.words import SHAPE, ElementWords, _, described

LISTS = frozenset({"inputcontents", "pageinputcontents"})
_HAN = re.compile(r"[\u3400-\u9fff]")
_NOTHING = Listed((), 0)
_DATES = {"date": DATE, "datetime": DATE_TIME}  # kinds of fields, and how their values are written


def find_list(source: Source, name: str) -> FormRecord | None:
    """Return the form of this name if it has a public list; without a name, the newest form of the site."""
    form = source.form(name)
    is_named = form is not None and (not name or form.name.casefold() == name.casefold())
    return form if form is not None and is_named and form.has_list else None


def read_entries(scope: Scope, attributes: Attributes, *, is_counted: bool = False) -> Listed:
    form = find_list(scope.source, attributes.text("inputName").strip())
    return scope.source.entries(form, attributes, is_counted=is_counted) if form else _NOTHING


def enter_entry(scope: Scope, record: EntryRecord, number: int) -> Scope:
    return scope.within(kind=Kind.INPUT_CONTENT, item=record, content_index=number)


@element(
    ElementWords(
        "inputContent",
        _("A value of the entry of a form; texts of visitors are shown as text, never as HTML."),
        SHAPE
        | described(
            type=(
                _("The value: one of these, or a field in the public list. Default: `Id`."),
                *("Id", "AddDate", "UserName", "Reply", "ReplyDate", "ItemIndex"),
            )
        ),
    )
)
def compile_entry_value(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        name, shape = attributes.text("type").strip().casefold() or "id", TextShape.of(attributes)
        return _encoded(entry_value(scope, name, shape.format_string, shape.separator), shape, node.place)

    return render


def entry_value(scope: Scope, name: str, format_string: str = "", separator: str = ",") -> str:
    """Return a value by its name in lower case, not encoded."""
    record = scope.item
    if not isinstance(record, EntryRecord):
        return ""
    if (number := item_number(name, scope.content_index)) is not None:
        return number
    if name == "id":
        return str(record.id)
    if name in {"adddate", "replydate"}:
        moment = record.added if name == "adddate" else record.replied
        return format_date(moment, format_string, completed=True)
    if name == "reply":
        return record.reply
    value = record.values.get(name)
    return _text(value, format_string, separator) if value else ""


def _text(value: EntryValue, format_string: str, separator: str) -> str:
    text = separator.join(value.texts)
    if format_string and value.kind in _DATES:
        try:
            return format_date(datetime.fromisoformat(text), format_string, completed=True)
        except ValueError:
            return text
    return text


def _encoded(text: str, shape: TextShape, place: Place) -> str:
    shaped = replace(shape, returns_to_br=False).shape(text)
    if place is not TEXT:
        return encode_foreign(shape.surround(shaped), place)
    html = escape(shaped)
    return shape.surround(return_to_br(html) if shape.returns_to_br else html)


# ---- lists in our own markup


class _Words(NamedTuple):
    reply: str
    pages: str
    previous: str
    next: str


_ENGLISH = _Words("Reply", "Pages", "Previous page", "Next page")
_CHINESE = _Words("回复", "分页", "上一页", "下一页")


def own_list(scope: Scope, name: str) -> str:
    """Return a page of the public list, whose number is in the query of the address, with links to the others."""
    form = find_list(scope.source, name)
    if form is None:
        return ""
    size, number = max(form.page_size, 1), 1
    listed = _page(scope, form, number, size)
    count = -(-listed.total // size)
    if count > 1:
        asked = Attributes([("page", scope.page.query.get("page", ""))]).integer("page")
        number = min(max(asked, 1), count)
        listed = listed if number == 1 else _page(scope, form, number, size)
    entries = []
    for record in listed.records:
        entries.append(_own_entry(record))
        scope.budget.take_item(entries[-1])
    return "".join(entries) + (_links(scope, form, number, count) if count > 1 else "")


def _page(scope: Scope, form: FormRecord, number: int, size: int) -> Listed:
    window = Attributes([("startNum", str((number - 1) * size + 1)), ("totalNum", str(size))])
    return scope.source.entries(form, window, is_counted=True)


def own_item(scope: Scope) -> str:
    return _own_entry(scope.item) if isinstance(scope.item, EntryRecord) else ""


def _own_entry(record: EntryRecord) -> str:
    words = _words_of(value.label for value in record.values.values())
    values = "".join(
        f"<dt>{escape(value.label)}</dt><dd>{_lines(', '.join(value.texts))}</dd>"
        for value in record.values.values()
        if value.texts
    )
    reply = f"<dt>{words.reply} {_time(record.replied)}</dt><dd>{_lines(record.reply)}</dd>" if record.reply else ""
    return f'<article class="cms-entry"><p>{_time(record.added)}</p><dl>{values}{reply}</dl></article>'


def _time(moment: datetime | None) -> str:
    return f'<time datetime="{moment:%Y-%m-%dT%H:%M:%S}">{moment:%Y-%m-%d %H:%M}</time>' if moment else ""


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _links(scope: Scope, form: FormRecord, number: int, count: int) -> str:
    words = _words_of(field.label for field in form.fields if field.is_listed)
    query = {name: value for name, value in scope.page.query.items() if name != "page"}

    def link(relation: str, text: str, target: int) -> str:
        if not 1 <= target <= count:
            return ""
        return f'<a rel="{relation}" href="{escape(with_page(scope.page.url, query, target))}">{text}</a> '

    before, after = link("prev", words.previous, number - 1), link("next", words.next, number + 1)
    return f'<nav aria-label="{words.pages}">{before}<span>{number} / {count}</span> {after}</nav>'


def _words_of(labels: Iterable[str]) -> _Words:
    """Return our texts in the language of the labels: a page is the same for all visitors."""
    return _CHINESE if any(map(_HAN.search, labels)) else _ENGLISH
