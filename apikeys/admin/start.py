"""What the start page tells of API keys."""

from collections.abc import Iterator
from datetime import timedelta

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apikeys.models import ApiKey, State
from cms_api.admin.cards import Card, add_first_steps
from cms_api.admin.registered import address_of, page_of
from cms_api.admin.shown import shown_moment
from cms_api.admin.start.panels import Figure, Panel, Row, add_panel
from cms_api.lib import clock

_SOON = timedelta(days=14)
_ROWS = 5


def _keys(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, "apikeys.ApiKey")
    if page is None:
        return None
    address, valid = address_of(page), ApiKey.objects.in_state(State.VALID)
    ending = valid.filter(expires_at__lte=clock.now() + _SOON).order_by("expires_at")[:_ROWS]
    figures = [
        Figure(_("valid"), str(valid.count()), f"{address}?state={State.VALID.value}"),
        Figure(
            _("expired"),
            str(ApiKey.objects.in_state(State.EXPIRED).count()),
            f"{address}?state={State.EXPIRED.value}",
        ),
    ]
    rows = [Row(key.name, address_of(page, "change", key.pk), _ends(key), is_worrying=True) for key in ending]
    return Panel("keys", _("API keys"), address, figures=figures, rows=rows, nothing=_("None expires soon."))


def _ends(key: ApiKey) -> str:
    when = shown_moment(key.expires_at)
    return str(_("ends %(when)s")) % {"when": when}


def _first_key(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    page = page_of(site, request, "apikeys.ApiKey")
    if page and page.has_add_permission(request):
        sentence = _("A program needs a key to use the API. It is shown once, with a line to try it.")
        yield Card("keys", _("Issue an API key"), sentence, address_of(page, "add"))


add_first_steps(30, _first_key)
add_panel(70, "keys", _("API keys"), _keys)
