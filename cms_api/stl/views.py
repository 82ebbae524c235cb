"""The base of the views under /stl/: one element, its attributes in the query."""

import random
from collections.abc import Sequence
from typing import Any, TypeVar

from django.urls import URLPattern, re_path
from rest_framework.request import Request
from rest_framework.response import Response

from cms_api.lib.errors import InvalidInput
from cms_api.rest.views import ApiView
from cms_api.stl.attributes import Attributes
from cms_api.stl.evaluation import Columns, Row, compile_expression, sort_rows
from cms_api.stl.order import parse_order
from cms_api.stl.where import parse_where

AnyRow = TypeVar("AnyRow", bound=Row)


class ElementView(ApiView):
    """Answers one element; a class says how in `evaluate`."""

    required_scope = "STL"

    def get(self, request: Request) -> Any:
        return self.answer(self.evaluate(Attributes.of(request.query_params)))

    def evaluate(self, attributes: Attributes) -> Any:
        """The value that the attributes ask for. Raises InvalidInput."""
        raise NotImplementedError

    def answer(self, value: Any) -> Any:
        """The answer with the value."""
        return Response(value)


def element(name: str, view: type[ElementView]) -> URLPattern:
    """The address of an element, in any letter case as in the original."""
    # Classes of characters, since Django cannot reverse any address beside a pattern with (?i:…).
    letters = "".join(f"[{letter}{letter.swapcase()}]" for letter in name)
    return re_path(rf"^stl/{letters}$", view.as_view())


def cut(items: Sequence[AnyRow], attributes: Attributes) -> Sequence[AnyRow]:
    """`totalNum` items (0: all) from `startNum` on, counted from 1."""
    start, total = first_and_count(attributes)
    return items[start:] if total == 0 else items[start : start + total]


def first_and_count(attributes: Attributes) -> tuple[int, int]:
    """How many items are left out at the beginning, and how many are wanted at most; 0: all."""
    return max(attributes.integer("startNum", 1) - 1, 0), attributes.integer("totalNum")


def filter_rows(rows: list[AnyRow], attributes: Attributes, columns: Columns) -> list[AnyRow]:
    """The rows for which `where` holds. Raises InvalidInput."""
    text = attributes.text("where").strip()
    if not text:
        return rows
    holds = compile_expression(parse_where(text), columns)
    return [row for row in rows if holds(row)]


def order_rows(
    rows: list[AnyRow], attributes: Attributes, columns: Columns, orders: dict[str, str]
) -> Sequence[AnyRow]:
    """The rows in the order that is asked for: a keyword of `orders`, or columns. Raises InvalidInput."""
    text = attributes.text("order").strip()
    keyword = text.casefold() or "default"
    if keyword == "random":
        return random.sample(rows, len(rows))
    text = orders.get(keyword, text)
    return sort_rows(rows, parse_order(text), columns) if text else rows


def unknown_value(name: str, expected: str) -> InvalidInput:
    """The refusal of an attribute's value."""
    return InvalidInput("invalid_value", f"{name} must be {expected}.", member=name)
