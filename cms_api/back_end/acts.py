"""Acts on records: a button of a record, a button above the list, a page that asks, and a message that tells."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cms_api.back_end.confirmation import ConfirmedForm
from cms_api.back_end.refusals import tell
from cms_api.rest.errors import BadRequest, Refusal

Text = str | Promise
# What `ngettext_lazy` makes of a text with %(count)d: it chooses the form when the number is put in.
Counted = Any
# Records at a time: a form has at most 1,000 fields, and whoever confirms should know what.
MOST = 500
# Records in one transaction: SQLite has one writer at a time, and others should not wait for long.
PORTION = 50
_TOLD = 5  # refusals in a message of their own


class Changed(NamedTuple):
    """A record that an act has changed or made, and the version that it has since."""

    number: int
    version: int


class Told(NamedTuple):
    """A record that an act has changed, where other words than its `done` tell of it; `words` takes how many."""

    changed: Changed
    words: Callable[[int], str]


@dataclass(frozen=True)
class Act:
    """Something that may be done to records.

    `perform` goes through a service and may raise a Refusal; values of the act's form reach it by their names. Of an
    act that can be taken back it returns Changed.
    """

    name: str  # in the address
    label: Text  # of the button
    question: Counted
    done: Counted
    perform: Callable[..., object]
    right: str = ""  # the permission that allows it: `<right>_<model>`; by default the name
    # Whether it makes sense for the record, as it is now.
    suits: Callable[[Any], bool] = field(default=lambda record: True)
    # Why it makes none for others: "is pinned already".
    unsuited: Text = ""
    # What else happens, told before it does.
    consequence: Callable[[list[Any]], Text] = field(default=lambda records: "")
    # What has to be known for it: a form made with the request, the records, and what was sent.
    form: Callable[..., Form] | None = None
    # The act as it is for these records and this administrator, where its label and question depend on them.
    worded: "Callable[[Act, HttpRequest, list[Any]], Act]" = field(default=lambda act, request, records: act)
    # Takes the locks of several records at once, in the order in which everybody takes them.
    lock: Callable[[Sequence[Any]], object] = field(default=lambda records: None)
    # Takes it back: of this record, which still has to be of the version that the act made.
    take_back: Callable[[HttpRequest, Any, int], object] | None = None
    is_decision: bool = False  # counts for the record as it was seen, not as somebody has changed it meanwhile
    is_grave: bool = False  # cannot be taken back
    is_quick: bool = False  # done often: a button of its own above the list
    asks_password: bool = False  # again, of who does it

    @property
    def permission(self) -> str:
        """What groups are given: the first part of the codename."""
        return self.right or self.name

    @property
    def can_be_undone(self) -> bool:
        """Whether a button takes it back."""
        return self.take_back is not None

    def make_form(self, request: HttpRequest, records: list[Any], data: Any = None) -> Form | None:
        """The form of the page that asks; None where there is nothing to fill in."""
        if self.form is not None:
            return self.form(request, records, data)
        return ConfirmedForm(request, data) if self.asks_password else None


@dataclass
class Outcome:
    """The records that an act was done to, why it was not done to others, and how many an error kept it from."""

    done: list[Any] = field(default_factory=list)  # numbers
    changed: list[Changed] = field(default_factory=list)
    # Of how many other words tell than those of the act.
    told: Counter[Callable[[int], str]] = field(default_factory=Counter)
    refused: list[tuple[str, Refusal]] = field(default_factory=list)
    left: int = 0


# One step of a portion: does something to the record and may tell what it changed.
Step = Callable[[Any], object]


def run(step: Step, records: Sequence[Any], outcome: Outcome, lock: Callable[[Sequence[Any]], object]) -> None:
    """Do the step to each record and fill in the outcome; a refusal concerns its record only.

    Each portion of the records is one transaction. An error takes back its portion and leaves the ones after it.
    """
    outcome.left = len(records)
    for start in range(0, len(records), PORTION):
        portion = records[start : start + PORTION]
        with transaction.atomic():
            lock(portion)
            found = _run(step, portion)
        outcome.done += found.done
        outcome.changed += found.changed
        outcome.told += found.told
        outcome.refused += found.refused
        outcome.left -= len(portion)


def _run(step: Step, records: Iterable[Any]) -> Outcome:
    outcome = Outcome()
    for record in records:
        number, name = record.pk, str(record)  # a deleted one has no number
        try:
            with transaction.atomic():
                result = step(record)
        except Refusal as refusal:
            outcome.refused.append((name, refusal))
        else:
            outcome.done.append(number)
            if isinstance(result, Told):
                outcome.told[result.words] += 1
                result = result.changed
            outcome.changed += [result] if isinstance(result, Changed) else []
    return outcome


def step_of(act: Act, request: HttpRequest, seen: Mapping[int, int | None], values: Mapping[str, Any]) -> Step:
    """The act as a step; `seen` tells the versions in which whoever decides has seen the records."""

    def step(record: Any) -> object:
        if act.is_decision and seen.get(record.pk) not in {None, record.version}:
            raise changed_meanwhile()
        return act.perform(request, record, **values)

    return step


def changed_meanwhile() -> BadRequest:
    """The refusal to act on a record that somebody else has changed."""
    return BadRequest("changed_meanwhile", "Somebody has changed it meanwhile.")


def report(act: Act, request: HttpRequest, outcome: Outcome, undo: Text = "") -> None:
    """Leave messages that tell what happened; `undo` is a button that takes it back."""
    told = [words(count) for words, count in outcome.told.items()]
    if (others := len(outcome.done) - outcome.told.total()) > 0:
        told.append(act.done % {"count": others})
    for number, words in enumerate(told, start=1):
        messages.success(request, format_html("{}{}", words, undo if number == len(told) else ""))
    tell_refusals(request, outcome)


def tell_refusals(request: HttpRequest, outcome: Outcome) -> None:
    """Leave messages that tell what was not done, and why."""
    for name, refusal in outcome.refused[:_TOLD]:
        messages.error(request, f"{name}: {tell(refusal)}")
    if (more := len(outcome.refused) - _TOLD) > 0:
        messages.error(request, _("The same or the like goes for %(count)d more.") % {"count": more})
    if outcome.left:
        told = ngettext("An error left %(count)d as it was.", "An error left %(count)d as they were.", outcome.left)
        messages.error(request, told % {"count": outcome.left})
