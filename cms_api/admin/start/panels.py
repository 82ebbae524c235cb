"""What a panel of the start page is, and which there are."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.contrib.admin import AdminSite
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.start.charts import Chart

_Text = str | Promise
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Figure:
    """A number, or a few words, that leads to what it counts."""

    label: _Text
    value: _Text
    url: str = ""
    is_worrying: bool = False
    note: _Text = ""  # what it counts, where the label is too short to say it


@dataclass(frozen=True)
class Row:
    """A record that leads to its page, with what makes it stand here."""

    title: _Text
    url: str
    note: _Text = ""
    is_worrying: bool = False


@dataclass(frozen=True)
class Panel:
    """A box of the start page. `name` is its place in the page's style sheet; `url` the whole list."""

    name: str
    title: _Text
    url: str = ""
    figures: Sequence[Figure] = ()
    rows: Sequence[Row] = ()
    chart: Chart | None = None
    nothing: _Text = field(default="")  # said where there are no rows
    verdict: _Text = ""  # what follows from the figures, said first
    is_worrying: bool = False  # whether the verdict is bad


Make = Callable[[AdminSite, HttpRequest], Panel | None]


class _Place(NamedTuple):
    order: int
    name: str
    title: _Text
    make: Make


_places: dict[str, _Place] = {}


def add_panel(order: int, name: str, title: _Text, make: Make) -> None:
    """Put a panel on the start page: lower orders first. `make` answers None for who may not see it."""
    _places[name] = _Place(order, name, title, make)


def panels_of(site: AdminSite, request: HttpRequest) -> list[Panel]:
    """The panels that the administrator may see; one that cannot be read says so and keeps none of the others away."""
    made = (_make(place, site, request) for place in sorted(_places.values(), key=lambda place: place.order))
    return [panel for panel in made if panel is not None]


def _make(place: _Place, site: AdminSite, request: HttpRequest) -> Panel | None:
    try:
        return place.make(site, request)
    except DatabaseError:
        logger.exception("The panel %s of the start page could not be read.", place.name)
        return Panel(place.name, place.title, nothing=_("This cannot be read now."))
