import random
from collections.abc import Sequence
from typing import Any, TypeVar

from django.urls import URLPattern, re_path
from rest_framework.request import Request
from rest_framework.response import Response

from core.lib.errors import InvalidInput
from core.rest.views import ApiView
from core.stl.attributes import Attributes
from core.stl.evaluation import Columns, Row, compile_expression, sort_rows
from core.stl.where import parse_order, parse_where

AnyRow = TypeVar("AnyRow", bound=Row)


class ElementView(ApiView):
    """Serves one element under /stl/, whose attributes are the query; subclasses define `evaluate`."""

    required_scope = "STL"

    def get(self, request: Request) -> Any:
        return self.answer(self.evaluate(Attributes.of(request.query_params)))

    def evaluate(self, attributes: Attributes) -> Any:
        raise NotImplementedError

    def answer(self, value: Any) -> Any:
        return Response(value)


def element(name: str, view: type[ElementView]) -> URLPattern:
    """Return the address of an element in any letter case, as in SiteServer."""
    # Character classes, since Django cannot reverse any address beside a pattern with (?i:…).
    letters = "".join(f"[{letter}{letter.swapcase()}]" for letter in name)
    return re_path(rf"^stl/{letters}$", view.as_view())


def cut(items: Sequence[AnyRow], attributes: Attributes) -> Sequence[AnyRow]:
    """Return `totalNum` items (0: all) from `startNum` on, counted from 1."""
    start, total = first_and_count(attributes)
    return items[start:] if total == 0 else items[start : start + total]


def first_and_count(attributes: Attributes) -> tuple[int, int]:
    """Return the number of items to skip and the maximum number of items; 0: all."""
    return max(attributes.integer("startNum", 1) - 1, 0), attributes.integer("totalNum")


def filter_rows(rows: list[AnyRow], attributes: Attributes, columns: Columns) -> list[AnyRow]:
    text = attributes.text("where").strip()
    if not text:
        return rows
    holds = compile_expression(parse_where(text), columns)
    return [row for row in rows if holds(row)]


def order_rows(
    rows: list[AnyRow], attributes: Attributes, columns: Columns, orders: dict[str, str]
) -> Sequence[AnyRow]:
    """Sort by `order`: a keyword of `orders`, or columns. Raises InvalidInput."""
    text = attributes.text("order").strip()
    keyword = text.casefold() or "default"
    if keyword == "random":
        return random.sample(rows, len(rows))
    text = orders.get(keyword, text)
    return sort_rows(rows, parse_order(text), columns) if text else rows


def unknown_value(name: str, expected: str) -> InvalidInput:
    return InvalidInput("invalid_value", f"{name} must be {expected}.", member=name)
