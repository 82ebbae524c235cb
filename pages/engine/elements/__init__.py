"""The elements; importing the modules registers them."""

from pages.engine.elements import conditions, links, lists, navigation, pages, parts, records, search, values

__all__ = ["conditions", "links", "lists", "navigation", "pages", "parts", "records", "search", "values"]
