"""The start page: what the administrator may do, with a sentence each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.registered import address_of, page_of

_Text = str | Promise


@dataclass(frozen=True)
class Card:
    """A link with a sentence; `icon` names a drawing of templates/cms_admin/icons.html."""

    icon: str
    title: _Text
    sentence: _Text
    url: str


# The model whose page it leads to, the drawing, the title, and the sentence for who may add records and for others.
_CARDS: tuple[tuple[str, str, _Text, _Text, _Text], ...] = (
    (
        "contents.Content",
        "contents",
        _("Contents"),
        _("Add contents, find them, and change many at once."),
        _("Find contents, look at them, and follow how they are approved."),
    ),
    (
        "channels_app.Channel",
        "channels",
        _("Channels"),
        _("Add channels to your sites and put them in order."),
        _("See into which channels your sites are divided."),
    ),
    (
        "cms_sites.Site",
        "sites",
        _("Sites"),
        _("Make a site, bring in another one, and set how each of them works."),
        _("See how your sites are set up."),
    ),
    ("contents.TrashedContent", "trash", _("Trash"), "", _("Restore what was deleted.")),
    (
        "accounts.User",
        "users",
        _("Users"),
        _("Add members of your sites, check who has registered, and lock accounts."),
        _("Find the members of your sites."),
    ),
    (
        "jobs.Job",
        "jobs",
        _("Jobs"),
        "",
        _("See how far imports and other long work have come, and what came of them."),
    ),
    (
        "apikeys.ApiKey",
        "keys",
        _("API keys"),
        _("Issue keys for programs, renew them, and see which are used."),
        _("Issue keys for programs, renew them, and see which are used."),
    ),
    ("operation.Node", "restart", _("Restart"), "", _("Restart the service without interrupting it.")),
    (
        "accounts.Administrator",
        "administrators",
        _("Administrators"),
        _("Say who may sign in here, and what they may do."),
        _("Say who may sign in here, and what they may do."),
    ),
    ("audit.AuditEntry", "audit", _("Audit"), "", _("Read who did what, and when.")),
)


# For who may change records and add none.
_CHANGING: dict[str, _Text] = {"cms_sites.Site": _("Set how your sites work.")}


def cards_of(site: AdminSite, request: HttpRequest) -> list[Card]:
    """A card for each page that the administrator may look at."""
    return [
        Card(
            icon, title, _sentence(request, page, adding, _CHANGING.get(label, ""), looking), page.card_address(request)
        )
        for label, icon, title, adding, looking in _CARDS
        if (page := cast(Any, page_of(site, request, label)))
    ]


def _sentence(request: HttpRequest, page: Any, adding: _Text, changing: _Text, looking: _Text) -> _Text:
    if adding and page.has_add_permission(request):
        return adding
    return changing if changing and page.has_change_permission(request) else looking


def way_to_write(site: AdminSite, request: HttpRequest) -> str:
    """Where the administrator writes a new content; empty for who may not."""
    page = page_of(site, request, "contents.Content")
    return address_of(page, "add") if page and page.has_add_permission(request) else ""


def first_steps_of(site: AdminSite, request: HttpRequest) -> list[Card]:
    """What somebody does first: editors write where nothing is written yet, the highest rank looks after the rest."""
    return list(_first_steps(site, request))


def _first_steps(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    contents, sites = (page_of(site, request, label) for label in ("contents.Content", "cms_sites.Site"))
    has_sites = sites is None or sites.get_queryset(request).exists()
    if sites and not has_sites and sites.has_add_permission(request):
        sentence = _("Contents stand in the channels of a site. A few steps make one, empty or from a template.")
        yield Card("sites", _("Make the first site"), sentence, address_of(sites, "add"))
    may_write = contents is not None and has_sites and contents.has_add_permission(request)
    if contents and may_write and not contents.get_queryset(request).exists():
        sentence = _("Choose the channel it belongs to, then write. Keep it as a draft until it is done.")
        yield Card("contents", _("Add the first content"), sentence, address_of(contents, "add"))
    if rank_of(request.user) is Rank.HIGHEST:
        yield from _steps_of_the_highest_rank(site, request, contents)


def _steps_of_the_highest_rank(site: AdminSite, request: HttpRequest, contents: Any) -> Iterator[Card]:
    keys = page_of(site, request, "apikeys.ApiKey")
    if keys and keys.has_add_permission(request):
        sentence = _("A program needs a key to use the API. It is shown once, with a line to try it.")
        yield Card("keys", _("Issue an API key"), sentence, address_of(keys, "add"))
    if contents:
        sentence = _("What the API answers is what you find here.")
        yield Card("contents", _("Look at the contents"), sentence, address_of(contents))
    sentence = _("The first one was made for you; choose one that only you know.")
    yield Card("password", _("Choose your own password"), sentence, reverse("admin:password_change"))
