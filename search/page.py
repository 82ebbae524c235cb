"""The search of the admin for everything: a page, and the part of it that the palette in the header shows."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.contrib import admin
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.admin.hits import MOST, THEME, Hit
from core.lib.registrations import SEARCHES
from core.lib.statement_limit import TooSlow
from search.marking import marked
from search.words import MAX, MAX_QUERY, Words, read_words

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found:
    hit: Hit
    icon: str
    title: SafeString
    piece: SafeString

    @property
    def is_for_scripts(self) -> bool:
        return self.hit.url.startswith(THEME)


@dataclass
class Group:
    title: str | Promise
    found: list[Found] = field(default_factory=list)
    is_missing: bool = False  # could not be searched


def search_view(request: HttpRequest) -> HttpResponse:
    """Show what has the words `q`; with `part`, only the results."""
    is_part = "part" in request.GET
    typed = request.GET.get("q", "")[:MAX_QUERY].split()[:MAX]
    text = " ".join(_finished(typed) if is_part else typed)
    groups = _groups(request, text, is_part=is_part) if text else []
    meant = _correction(request, text) if text and not groups else None
    context = {"text": text, "groups": groups, "count": sum(len(group.found) for group in groups), "meant": meant}
    if is_part:
        return TemplateResponse(request, "search/results.html", context)
    page = admin.site.each_context(request) | {"title": _("Search"), "max_length": MAX_QUERY}
    return TemplateResponse(request, "search/page.html", page | context)


def _finished(words: list[str]) -> list[str]:
    """Leave out a last letter that is the beginning of a word: the index finds beginnings of two letters."""
    return words[:-1] if len(words) > 1 and len(words[-1]) == 1 and words[-1].isascii() else words


def _groups(request: HttpRequest, text: str, *, is_part: bool) -> list[Group]:
    groups: dict[str, Group] = {}
    words = read_words(text)
    for name, kind in sorted(SEARCHES.entries.items(), key=lambda one: one[1].place):
        group = groups.setdefault(str(kind.title), Group(kind.title))
        find: Callable[[HttpRequest, str], Iterable[Hit]] = import_string(kind.find)
        try:
            found = [_show(hit, kind.icon, words) for hit in find(request, text)]
        except (DatabaseError, TooSlow):
            logger.exception("The search of the admin for %s failed.", name)
            group.is_missing = True
        else:
            # A theme is chosen by a script.
            group.found += [each for each in found if is_part or not each.is_for_scripts]
            del group.found[MOST:]
    return [group for group in groups.values() if group.found or group.is_missing]


def _correction(request: HttpRequest, text: str) -> str | None:
    """Return the text with corrected words if one of the kinds finds something by it."""
    for name, kind in SEARCHES.entries.items():
        if not kind.correct:
            continue
        correct: Callable[[HttpRequest, str], str | None] = import_string(kind.correct)
        try:
            if (corrected := correct(request, text)) is not None:
                return corrected
        except (DatabaseError, TooSlow):
            logger.exception("The search of the admin for %s failed.", name)
    return None


def _show(hit: Hit, icon: str, words: Words) -> Found:
    return Found(hit, hit.icon or icon, marked(str(hit.title), words), marked(hit.piece, words))
