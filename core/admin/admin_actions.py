from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.admin.confirmation import ConfirmedForm
from core.admin.error_messages import tell
from core.lib.errors import InvalidInput, ServiceError

Text = str | Promise
Counted = Any
# Records at a time: a form has at most 1,000 fields, and the administrator should see all confirmed records.
MAX = 500
# Records per transaction: SQLite has one writer, and others should not wait long.
BATCH_SIZE = 50
_DONE_ALREADY = gettext_lazy("Nothing to do: this has already been done to all of them.")
_TOLD = 5  # refusals with a message each


class Changed(NamedTuple):
    number: int
    version: int
    # A short value for `take_back`, for records without a history.
    former: Any = None


class OtherOutcome(NamedTuple):
    """A changed record with a message of its own; `words` takes the number of records and the sums of `numbers`."""

    changed: Changed
    words: Callable[..., str]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class AdminAction:
    """Something that can be done to records.

    `perform` calls a service with the form's values, may raise `ServiceError` and, if undoable, returns `Changed`. With
    `at_once` it gets a portion of records and returns a result or `ServiceError` for each.
    """

    name: str  # in the address
    label: Text  # of the button
    question: Counted
    done: Counted
    perform: Callable[..., Any]
    right: str = ""  # the permission `<right>_<model>`; the name by default
    suits: Callable[[Any], bool] = field(default=lambda record: True)
    # Reason shown for records that it does not suit: "is pinned already".
    unsuited: Text = ""
    nothing_to_do: Text = _DONE_ALREADY
    # Side effects, shown before confirmation.
    consequence: Callable[[list[Any]], Text] = field(default=lambda records: "")
    form: Callable[..., Form] | None = None
    # The action with label and question for these records and this administrator.
    worded: "Callable[[AdminAction, HttpRequest, list[Any]], AdminAction]" = field(
        default=lambda action, request, records: action
    )
    # Undoes it: gets a record and the version it must still have, and `former` of its `Changed` if that is set; or
    # with `at_once` a list of such pairs.
    take_back: Callable[..., Any] | None = None
    at_once: bool = False  # both process the records of a portion together
    is_decision: bool = False  # valid only for the version that was shown
    is_grave: bool = False  # cannot be undone
    is_quick: bool = False  # frequent: its own button above the list
    asks_password: bool = False  # the administrator's own, again
    creates: bool = False  # done twice, it would create twice
    is_harmless: bool = False  # done without a question for rows that were selected one by one

    @property
    def permission(self) -> str:
        return self.right or self.name

    @property
    def can_be_undone(self) -> bool:
        return self.take_back is not None

    def make_form(self, request: HttpRequest, records: list[Any], data: Any = None) -> Form | None:
        if self.form is not None:
            return self.form(request, records, data)
        return ConfirmedForm(request, data) if self.asks_password else None


@dataclass
class Outcome:
    """Records done, records refused with reasons, and the number left by an error."""

    done: list[Any] = field(default_factory=list)  # ids
    changed: list[Changed] = field(default_factory=list)
    # Messages other than the action's: their number of records, and the sums of their `numbers`.
    told: dict[Callable[..., str], tuple[int, ...]] = field(default_factory=dict)
    refused: list[tuple[str, ServiceError]] = field(default_factory=list)
    left: int = 0

    def add(self, number: int, name: str, result: object) -> None:
        self.left -= 1
        if isinstance(result, ServiceError):
            self.refused.append((name, result))
            return
        self.done.append(number)
        if isinstance(result, OtherOutcome):
            one = (1, *result.numbers)
            before = self.told.get(result.words, (0,) * len(one))
            self.told[result.words] = tuple(map(sum, zip(before, one, strict=True)))
            result = result.changed
        if isinstance(result, Changed):
            self.changed.append(result)


def run(
    do: Callable[[Any], Any],
    records: Sequence[Any],
    outcome: Outcome,
    *,
    at_once: bool,
    refuse: Callable[[Any], ServiceError | None],
) -> None:
    """Call `do` per record, or `at_once` per portion; each portion is one transaction, and an error ends the run."""
    outcome.left = len(records)
    for start in range(0, len(records), BATCH_SIZE):
        portion = records[start : start + BATCH_SIZE]
        names = [(record.pk, str(record)) for record in portion]  # a deleted record has no pk
        with transaction.atomic():
            refused = [refuse(record) for record in portion]
            allowed = [record for record, refusal in zip(portion, refused, strict=True) if refusal is None]
            done = iter(do(allowed) if at_once else [_try(do, record) for record in allowed])
            results = [refusal or next(done) for refusal in refused]
        for (number, name), result in zip(names, results, strict=True):
            outcome.add(number, name, result)


def _try(do: Callable[[Any], object], record: Any) -> object:
    try:
        with transaction.atomic():
            return do(record)
    except ServiceError as refusal:
        return refusal


def changed_meanwhile() -> InvalidInput:
    return InvalidInput("changed_meanwhile", "It has changed since you opened it.")


def report(action: AdminAction, request: HttpRequest, outcome: Outcome, undo: Text = "") -> None:
    told = [words(*numbers) for words, numbers in outcome.told.items()]
    if (others := len(outcome.done) - sum(count for count, *_numbers in outcome.told.values())) > 0:
        told.append(action.done % {"count": others})
    for number, words in enumerate(told, start=1):
        messages.success(request, format_html("{}{}", words, undo if number == len(told) else ""))
    report_errors(request, outcome)


def report_errors(request: HttpRequest, outcome: Outcome) -> None:
    for name, refusal in outcome.refused[:_TOLD]:
        messages.error(request, _("%(name)s: %(text)s") % {"name": name, "text": tell(refusal)})
    if (more := len(outcome.refused) - _TOLD) > 0:
        messages.error(request, _("%(count)d more failed for similar reasons.") % {"count": more})
    if outcome.left:
        told = ngettext(
            "Because of an error, %(count)d was not changed.",
            "Because of an error, %(count)d were not changed.",
            outcome.left,
        )
        messages.error(request, told % {"count": outcome.left})
