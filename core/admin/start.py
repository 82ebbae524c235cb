import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple, cast

from django.contrib.admin import AdminSite
from django.db import DatabaseError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.admin.ranks import Rank, rank_of
from core.admin.views import address_of, page_of
from core.lib.registrations import BUTTONS, CARDS

_Text = str | Promise
logger = logging.getLogger(__name__)


class Bar(NamedTuple):
    label: str
    value: int
    url: str


class DrawnBar(NamedTuple):
    bar: Bar
    x: int
    y: int
    height: int


@dataclass(frozen=True)
class Chart:
    """A bar chart drawn without scripts and styles; sizes in units of the drawing."""

    title: _Text
    bars: Sequence[Bar]
    column = 28  # width of a bar
    gap = 6
    height = 72

    @property
    def width(self) -> int:
        return len(self.bars) * (self.column + self.gap)

    @property
    def total(self) -> int:
        return sum(bar.value for bar in self.bars)

    @property
    def ends(self) -> tuple[str, str]:
        return (self.bars[0].label, self.bars[-1].label) if self.bars else ("", "")

    @property
    def most(self) -> int:
        return max((bar.value for bar in self.bars), default=0)

    @property
    def drawn(self) -> list[DrawnBar]:
        """The bars, scaled to the highest; non-zero ones are at least 2 high, to be visible and clickable."""
        drawn = []
        for number, bar in enumerate(self.bars):
            height = max(round(self.height * bar.value / self.most), 2) if bar.value else 0
            drawn.append(DrawnBar(bar, number * (self.column + self.gap), self.height - height, height))
        return drawn


@dataclass(frozen=True)
class Figure:
    """A number or a few words, linked to the list behind it."""

    label: _Text
    value: _Text
    url: str = ""
    is_worrying: bool = False
    note: _Text = ""  # explains a label that is too short


@dataclass(frozen=True)
class Row:
    title: _Text
    url: str
    note: _Text = ""
    is_worrying: bool = False
    cover: str = ""  # URL of a small picture


@dataclass(frozen=True)
class Panel:
    """A box of the start page. `name` places it in the style sheet; `url` is the address of the whole list."""

    name: str
    title: _Text
    url: str = ""
    figures: Sequence[Figure] = ()
    rows: Sequence[Row] = ()
    chart: Chart | None = None
    nothing: _Text = ""  # shown if there are no rows
    verdict: _Text = ""  # conclusion from the figures, shown first
    is_worrying: bool = False  # the verdict is bad
    buttons: Sequence[tuple[_Text, str]] = ()  # words and address
    template: str = ""  # of a part of its own, which gets `context`
    context: Any = None


class _RegisteredPanel(NamedTuple):
    order: int
    title: _Text
    make: Callable[[AdminSite, HttpRequest], Panel | None]


_places: dict[str, _RegisteredPanel] = {}


def add_panel(order: int, name: str, title: _Text, make: Callable[[AdminSite, HttpRequest], Panel | None]) -> None:
    """Add a panel to the start page, lower orders first; `make` returns None if the administrator may not see it."""
    _places[name] = _RegisteredPanel(order, title, make)


def panels_of(site: AdminSite, request: HttpRequest) -> list[Panel]:
    """Return the administrator's panels; one that cannot be read says so and leaves the others intact."""
    panels = []
    for name, place in sorted(_places.items(), key=lambda panel: panel[1].order):
        try:
            panels.append(place.make(site, request))
        except DatabaseError:
            logger.exception("The panel %s of the start page could not be loaded.", name)
            panels.append(Panel(name, place.title, nothing=_("This cannot be loaded right now.")))
    return [panel for panel in panels if panel is not None]


@dataclass(frozen=True)
class Card:
    """A link with a sentence; `icon` names a drawing of templates/cms_admin/icons.html."""

    icon: str
    title: _Text
    sentence: _Text
    url: str
    is_done: bool = False  # of a first step


def cards_of(site: AdminSite, request: HttpRequest) -> list[Card]:
    """Return a card for each page the administrator may view; its sentence depends on the right to add or change."""
    found = []
    for label, card in sorted(CARDS.entries.items(), key=lambda one: one[1].place):
        if page := cast(Any, page_of(site, request, label)):
            sentence = card.changing if card.changing and page.has_change_permission(request) else card.viewing
            sentence = card.adding if card.adding and page.has_add_permission(request) else sentence
            found.append(Card(card.icon, card.title, sentence, page.card_address(request)))
    return found


_steps: list[tuple[int, Callable[[AdminSite, HttpRequest], Iterable[Card]]]] = []


def add_first_steps(place: int, make: Callable[[AdminSite, HttpRequest], Iterable[Card]]) -> None:
    """Add first steps to the start page, lower places first; `make` yields those the administrator can take or took."""
    _steps.append((place, make))


def first_steps_of(site: AdminSite, request: HttpRequest) -> list[Card]:
    """Return the administrator's first steps, until all are done."""
    steps = [card for _place, make in sorted(_steps, key=lambda step: step[0]) for card in make(site, request)]
    return steps if any(not step.is_done for step in steps) else []


def _own_password(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    user: Any = request.user
    if rank_of(user) is Rank.HIGHEST:
        sentence = _("Your first password was generated; choose one that only you know.")
        is_done = user.last_change_password_date - user.creation_date > timedelta(minutes=1)  # creating takes a moment
        yield Card("password", _("Choose your own password"), sentence, reverse("admin:password_change"), is_done)


add_first_steps(50, _own_password)


def ways_to_add(site: AdminSite, request: HttpRequest) -> list[tuple[_Text, str]]:
    pages = ((words, page_of(site, request, label)) for label, words in BUTTONS.entries.items())
    return [(words, address_of(page, "add")) for words, page in pages if page and page.has_add_permission(request)]
