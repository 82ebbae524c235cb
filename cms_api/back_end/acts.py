"""Acts on records: a button of a record, an action of a list, a page that asks, and a message that tells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cms_api.back_end.refusals import tell
from cms_api.rest.errors import Refusal

Text = str | Promise
# What `ngettext_lazy` makes of a text with %(count)d: it chooses the form when the number is put in.
Counted = Any
# Records at a time: a form has at most 1,000 fields, and whoever confirms should know what.
MOST = 500
# Records in one transaction: SQLite has one writer at a time, and others should not wait for long.
PORTION = 50
_TOLD = 5  # refusals in a message of their own


@dataclass(frozen=True)
class Act:
    """Something that may be done to records. `perform` goes through a service and may raise a Refusal."""

    name: str  # in the address
    label: Text  # of the button
    question: Counted
    done: Counted
    perform: Callable[[HttpRequest, Any], object]
    right: str = ""  # the permission that allows it: `<right>_<model>`; by default the name
    # Whether it makes sense for the record, as it is now.
    suits: Callable[[Any], bool] = field(default=lambda record: True)
    # What else happens, told before it does.
    consequence: Callable[[list[Any]], Text] = field(default=lambda records: "")
    is_grave: bool = False  # cannot be taken back
    asks_password: bool = False  # again, of who does it
    # Address by name of the act that takes it back.
    undo: str = ""

    @property
    def permission(self) -> str:
        """What groups are given: the first part of the codename."""
        return self.right or self.name


@dataclass
class Outcome:
    """The records that an act was done to, why it was not done to others, and how many an error kept it from."""

    done: list[Any] = field(default_factory=list)  # numbers
    refused: list[tuple[str, Refusal]] = field(default_factory=list)
    left: int = 0


def perform(act: Act, request: HttpRequest, records: Sequence[Model], outcome: Outcome) -> None:
    """Do the act to each record and fill in the outcome; a refusal concerns its record only.

    Each portion of the records is one transaction. An error takes back its portion and leaves the ones after it.
    """
    outcome.left = len(records)
    for start in range(0, len(records), PORTION):
        portion = records[start : start + PORTION]
        with transaction.atomic():
            found = _perform(act, request, portion)
        outcome.done += found.done
        outcome.refused += found.refused
        outcome.left -= len(portion)


def _perform(act: Act, request: HttpRequest, records: Sequence[Model]) -> Outcome:
    outcome = Outcome()
    for record in records:
        number, name = record.pk, str(record)  # a deleted one has no number
        try:
            with transaction.atomic():
                act.perform(request, record)
            outcome.done.append(number)
        except Refusal as refusal:
            outcome.refused.append((name, refusal))
    return outcome


def report(act: Act, request: HttpRequest, outcome: Outcome) -> None:
    """Leave messages that tell what happened, with a way back if there is one."""
    if outcome.done:
        done = act.done % {"count": len(outcome.done)}
        messages.success(request, _with_undo(act, done, outcome.done))
    for name, refusal in outcome.refused[:_TOLD]:
        messages.error(request, f"{name}: {tell(refusal)}")
    if (more := len(outcome.refused) - _TOLD) > 0:
        messages.error(request, _("The same or the like goes for %(count)d more.") % {"count": more})
    if outcome.left:
        told = ngettext("An error left %(count)d as it was.", "An error left %(count)d as they were.", outcome.left)
        messages.error(request, told % {"count": outcome.left})


def _with_undo(act: Act, done: str, numbers: list[Any]) -> str:
    if not act.undo:
        return done
    address, name = act.undo.split("#")
    query = urlencode({"ids": ",".join(map(str, numbers))})
    return format_html('{} <a class="undo" href="{}?{}">{}</a>', done, reverse(address, args=[name]), query, _("Undo"))
