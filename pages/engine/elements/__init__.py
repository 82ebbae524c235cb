"""The elements; importing the modules registers them."""

from pages.engine.elements import (
    comments,
    conditions,
    forms,
    json_lists,
    links,
    lists,
    navigation,
    pages,
    parts,
    search,
    values,
)

__all__ = [
    "comments",
    "conditions",
    "forms",
    "json_lists",
    "links",
    "lists",
    "navigation",
    "pages",
    "parts",
    "search",
    "values",
]
