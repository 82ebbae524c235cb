"""The kinds of records that are found by words, which apps register."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.apps import apps
from django.db.models import Model
from django.utils.module_loading import import_string

from core.lib.registrations import Registry


class SearchSource(NamedTuple):
    """A kind of records whose changes are events with its name before the dot."""

    model: str
    entries: str  # dotted name of a function: ids of records → Entry of each that can be found


@dataclass(frozen=True, slots=True)
class Entry:
    subject_id: int
    site_id: int  # 0: of no site
    texts: tuple[str, ...]  # the first is the title; words of different texts are not adjacent
    tags: tuple[str, ...] = ()
    author: str = ""
    is_public: bool = False


SEARCH_SOURCES = Registry[str, SearchSource]("SEARCH_SOURCES", SearchSource)


def kinds() -> list[str]:
    return sorted(SEARCH_SOURCES.entries)


def model_of(kind: str) -> type[Model]:
    return apps.get_model(SEARCH_SOURCES.entries[kind].model)


def read_entries(kind: str, ids: Collection[int]) -> list[Entry]:
    reading: Callable[[Collection[int]], Iterable[Entry]] = import_string(SEARCH_SOURCES.entries[kind].entries)
    return list(reading(ids))
