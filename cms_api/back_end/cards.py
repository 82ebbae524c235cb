"""The start page: what the administrator may do, with a sentence each."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.back_end.ranks import Rank, rank_of
from cms_api.back_end.registered import address_of, page_of

_Text = str | Promise


@dataclass(frozen=True)
class Card:
    """A link with a sentence; `icon` names a drawing of templates/back_end/icons.html."""

    icon: str
    title: _Text
    sentence: _Text
    url: str


# The model whose page it leads to, the drawing, the title and the sentence.
_CARDS = (
    (
        "contents.Content",
        "contents",
        _("Contents"),
        _("Look at what stands in your sites, approve it or take it away."),
    ),
    ("channels_app.Channel", "channels", _("Channels"), _("See how your sites are divided into channels.")),
    ("cms_sites.Site", "sites", _("Sites"), _("Set how the pages and addresses of a site are made.")),
    ("contents.TrashedContent", "trash", _("Trash"), _("Get back what was deleted.")),
    ("accounts.User", "users", _("Users"), _("Approve, lock and find the members of your sites.")),
    ("apikeys.ApiKey", "keys", _("API keys"), _("Issue keys for programs, renew them, and see which are used.")),
    ("cms_api.Node", "restart", _("Restart"), _("Start the service anew without an interruption.")),
    (
        "accounts.Administrator",
        "administrators",
        _("Administrators"),
        _("Say who may sign in here, and what they may do."),
    ),
    ("cms_api.AuditEntry", "audit", _("Audit"), _("Read who did what, and when.")),
)


def cards_of(site: AdminSite, request: HttpRequest) -> list[Card]:
    """A card for each page that the administrator may look at."""
    return [
        Card(icon, title, sentence, address_of(page))
        for label, icon, title, sentence in _CARDS
        if (page := page_of(site, request, label))
    ]


def first_steps_of(site: AdminSite, request: HttpRequest) -> list[Card]:
    """What somebody of the highest rank does first; nothing for the others."""
    return list(_first_steps(site, request)) if rank_of(request.user) is Rank.HIGHEST else []


def _first_steps(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    keys = page_of(site, request, "apikeys.ApiKey")
    if keys and keys.has_add_permission(request):
        sentence = _("A program needs a key to use the API. It is shown once, with a line to try it.")
        yield Card("keys", _("Issue an API key"), sentence, address_of(keys, "add"))
    if contents := page_of(site, request, "contents.Content"):
        sentence = _("What the API answers is what you find here.")
        yield Card("contents", _("Look at the contents"), sentence, address_of(contents))
    sentence = _("The first one was made for you; choose one that only you know.")
    yield Card("password", _("Choose your own password"), sentence, reverse("admin:password_change"))
