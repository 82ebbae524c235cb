"""Takes acts back by one click: what they changed travels in the button, sealed for who did it.

Nothing is kept on the server, so that a restart, another node or another window of the browser changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core import signing
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from cms_api.admin.acts import Changed

SECONDS = 60 * 60  # for which an act can be taken back
_SALT = "cms_api.admin.undo"


class NotToBeTakenBack(Exception):
    """The button is too old, or another's."""


@dataclass(frozen=True)
class Undo:
    """An act that may be taken back: its name, what it changed, and the page that its maker was led to."""

    act: str
    changed: Sequence[Changed]
    back: str

    def button(self, request: HttpRequest, page: str, address: str) -> SafeString:
        """A button that takes it back; it belongs to the form `undo` that stands below all messages."""
        # Side by side numbers are smaller than in pairs: the message travels in a cookie as long as it fits.
        numbers, versions = zip(*self.changed, strict=True)
        sealed = signing.dumps(
            [request.user.pk, page, self.act, numbers, versions, self.back], salt=_SALT, compress=True
        )
        markup = ' <button class="undo" form="undo" formaction="{}" name="undo" value="{}">{}</button>'
        return format_html(markup, address, sealed, _("Undo"))


def read(request: HttpRequest, page: str) -> Undo:
    """What the button that was pressed takes back. Raises NotToBeTakenBack."""
    try:
        sealed = signing.loads(request.POST.get("undo", ""), salt=_SALT, max_age=SECONDS)
        user, of_page, act, numbers, versions, back = sealed
    except (signing.BadSignature, TypeError, ValueError) as error:
        raise NotToBeTakenBack from error
    if (user, of_page) != (request.user.pk, page):
        raise NotToBeTakenBack
    return Undo(act, [Changed(*each) for each in zip(numbers, versions, strict=True)], back)
