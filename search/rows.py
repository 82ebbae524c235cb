"""Querysets narrowed to the records that have the words of a text."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from search.query import match
from search.words import read_words

Rows = TypeVar("Rows", bound=QuerySet[Any])


def with_words(
    kind: str, rows: Rows, text: str, fallback: Callable[[Rows], Rows], site_ids: Collection[int] | None = None
) -> Rows:
    """Return those of the rows that have all words of the text; all rows if it is empty.

    `fallback` narrows the rows while the index is being built.
    """
    if not text.strip():
        return rows
    if not (words := read_words(text)):
        return rows.none()
    found = match(kind, words, site_ids)
    return fallback(rows) if found is None else rows.filter(pk__in=RawSQL(*found.ids()))  # noqa: S611 - our own SQL
