"""The start page: what the administrator may do, with a sentence each."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.registered import address_of, page_of
from cms_api.lib.registrations import registered

_Text = str | Promise


@dataclass(frozen=True)
class Card:
    """A link with a sentence; `icon` names a drawing of templates/cms_admin/icons.html."""

    icon: str
    title: _Text
    sentence: _Text
    url: str


def cards_of(site: AdminSite, request: HttpRequest) -> list[Card]:
    """A card for each page that the administrator may look at, in the order of their places; apps register them."""
    found = []
    for label, (_place, icon, title, *sentences) in sorted(registered("CARDS").items(), key=lambda card: card[1][0]):
        if page := cast(Any, page_of(site, request, label)):
            found.append(Card(icon, title, _sentence(request, page, *sentences), page.card_address(request)))
    return found


def _sentence(request: HttpRequest, page: Any, looking: _Text, adding: _Text = "", changing: _Text = "") -> _Text:
    if adding and page.has_add_permission(request):
        return adding
    return changing if changing and page.has_change_permission(request) else looking


Make = Callable[[AdminSite, HttpRequest], Iterable[Card]]
_steps: list[tuple[int, Make]] = []


def add_first_steps(place: int, make: Make) -> None:
    """Put first steps on the start page, lower places first; `make` yields those that the administrator can take."""
    _steps.append((place, make))


def first_steps_of(site: AdminSite, request: HttpRequest) -> list[Card]:
    """What somebody does first: editors write where nothing is written yet, the highest rank looks after the rest."""
    makers = [make for _place, make in sorted(_steps, key=lambda step: step[0])]
    return [card for make in makers for card in make(site, request)]


def _own_password(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    if rank_of(request.user) is Rank.HIGHEST:
        sentence = _("The first one was made for you; choose one that only you know.")
        yield Card("password", _("Choose your own password"), sentence, reverse("admin:password_change"))


add_first_steps(50, _own_password)


def ways_to_add(site: AdminSite, request: HttpRequest) -> list[tuple[_Text, str]]:
    """The buttons above the start page, as apps register them: words and address."""
    pages = ((words, page_of(site, request, label)) for label, words in registered("BUTTONS").items())
    return [(words, address_of(page, "add")) for words, page in pages if page and page.has_add_permission(request)]
