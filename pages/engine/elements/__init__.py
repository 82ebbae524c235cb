"""The elements; importing the modules registers them."""

from pages.engine.elements import conditions, links, lists, navigation, pages, parts, search, values

__all__ = ["conditions", "links", "lists", "navigation", "pages", "parts", "search", "values"]
