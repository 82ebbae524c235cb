"""Results of the admin's search. Each app registers its kinds of results as SEARCHES."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.contrib import admin
from django.db import connection
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.admin.menu import Link, menu_of
from core.admin.start import ways_to_add
from core.lib.folding import fold
from core.lib.statement_limit import statement_limit

Row = TypeVar("Row")
MOST = 5  # of a kind that are shown
READ = 100  # records of which the best are shown
THEME = "#theme-"  # address of a colour scheme, which only a script can choose

_THEMES = (
    ("dark", _("Dark colours"), "moon"),
    ("light", _("Light colours"), "sun"),
    ("auto", _("Colours of the device"), "auto"),
)


class Hit(NamedTuple):
    title: str | Promise
    url: str
    where: str = ""
    icon: str = ""  # by default, that of its kind
    piece: str = ""  # of the text, with words that the title lacks
    state: str = ""  # class of the badge
    state_words: str = ""


def has_words(title: object, text: str) -> bool:
    """Return whether each word of the text begins a word of the title; those of other letters may be anywhere."""
    folded = fold(str(title))
    return all(
        re.search(rf"(?<![a-z0-9]){re.escape(word)}", folded) if word.isascii() else word in folded
        for word in fold(text).split()
    )


def best(rows: Iterable[Row], text: str, title_of: Callable[[Row], object], site: int | None = None) -> list[Row]:
    """Return the rows to show: those with all words in their title first, then those of the site. Raises TooSlow."""
    begun = fold(text.strip())
    with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
        read = list(rows)

    def rank(row: Row) -> tuple[bool, bool, bool]:
        title = fold(str(title_of(row)))
        is_elsewhere = site is not None and getattr(row, "site_id", site) != site
        return not has_words(title, text), is_elsewhere, not title.startswith(begun)

    return sorted(read, key=rank)[:MOST]


def where(*names: Any) -> str:
    return " · ".join(str(name) for name in names if name)


def pages(request: HttpRequest, text: str) -> Iterator[Hit]:
    """Find entries of the menu, and pages of one's own account."""
    menu = menu_of(admin.site, request)
    links = [("", link) for link in menu.work]
    links += [(menu.site.name, link) for link in menu.site.links] if menu.site else []
    links += [(str(section.title), link) for section in menu.administration for link in section.links]
    links += [
        ("", Link(_("My account"), reverse("admin:account"), "person")),
        ("", Link(_("Change password"), reverse("admin:password_change"), "password")),
    ]
    found = [Hit(link.title, link.url, place, link.icon) for place, link in links if has_words(link.title, text)]
    yield from best(found, text, lambda hit: hit.title)


def commands(request: HttpRequest, text: str) -> Iterator[Hit]:
    """Find ways to add records, and colour schemes."""
    found = [Hit(words, url, icon="plus") for words, url in ways_to_add(admin.site, request)]
    found += [Hit(words, THEME + name, icon=icon) for name, words, icon in _THEMES]
    yield from best([hit for hit in found if has_words(hit.title, text)], text, lambda hit: hit.title)
