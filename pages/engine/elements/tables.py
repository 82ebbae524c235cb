"""Lists as HTML tables, as `layout="Table"`, `columns` or `direction` request."""

from collections.abc import Sequence
from dataclasses import replace

from core.stl.attributes import Attributes
from pages.engine.html import attribute_text
from pages.engine.nodes import Element
from pages.engine.words import TABLE

_NAMES = frozenset(map(str.lower, TABLE))
_OF_TABLE = ("width", "height", "align", "class", "cellPadding", "cellSpacing")
_OF_CELL = {
    "itemWidth": "width",
    "itemHeight": "height",
    "itemAlign": "align",
    "itemVerticalAlign": "valign",
    "itemClass": "class",
}


def is_table(node: Element) -> bool:
    given = dict(node.attributes)
    return given.get("layout", "").strip().casefold() == "table" or "columns" in given or "direction" in given


def without_table(node: Element) -> Element:
    """Return the list without attributes of the table, which a custom field might have the name of."""
    if not is_table(node):
        return node
    return replace(node, attributes=tuple(pair for pair in node.attributes if pair[0] not in _NAMES))


def table(attributes: Attributes, header: str | None, items: Sequence[str], footer: str | None) -> str:
    columns, rows = attributes.integer("columns"), _rows(attributes, items)
    cell = "".join(_attribute(name, attributes.text(given)) for given, name in _OF_CELL.items())
    head, foot = (f'<tr><td colspan="{columns or 1}">{text}</td></tr>' if text else "" for text in (header, footer))
    body = "".join(f"<tr>{''.join(f'<td{cell}>{text}</td>' for text in row)}</tr>" for row in rows)
    given = {name: attributes.text(name) for name in _OF_TABLE}
    marks = "".join(
        _attribute(name.lower(), text) for name, text in {**given, "width": given["width"] or "100%"}.items()
    )
    return f"<table{marks}>{head}{body}{foot}</table>"


def _rows(attributes: Attributes, items: Sequence[str]) -> list[Sequence[str]]:
    """Return the cells of each row; without `columns`, one row or one column."""
    columns = attributes.integer("columns")
    is_across = (
        attributes.text("direction").strip().casefold() or ("horizontal" if columns > 1 else "")
    ) == "horizontal"
    if is_across:
        columns = columns or len(items)
        return [items[start : start + columns] for start in range(0, len(items), columns)]
    columns = min(max(columns, 1), len(items))
    rows, full = divmod(len(items), columns)
    # As in SiteServer, the first columns have one item more if they cannot all be equally long.
    starts = [column * rows + min(column, full) for column in range(columns)]
    return [
        [items[start + row] for column, start in enumerate(starts) if row < rows or column < full]
        for row in range(rows + (full > 0))
    ]


def _attribute(name: str, text: str) -> str:
    return f' {name}="{attribute_text(text)}"' if text else ""
