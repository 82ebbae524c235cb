"""The elements; importing the modules registers them."""

from pages.engine.elements import conditions, forms, json_lists, links, lists, navigation, pages, parts, search, values

__all__ = ["conditions", "forms", "json_lists", "links", "lists", "navigation", "pages", "parts", "search", "values"]
