"""Acts on records: a button of a record, a button above the list, a page that asks, and a message that tells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from cms_api.admin.confirmation import ConfirmedForm
from cms_api.admin.refusals import tell
from cms_api.lib.errors import InvalidInput, ServiceError

Text = str | Promise
# What `ngettext_lazy` makes of a text with %(count)d: it chooses the form when the number is put in.
Counted = Any
# Records at a time: a form has at most 1,000 fields, and whoever confirms should know what.
MOST = 500
# Records in one transaction: SQLite has one writer at a time, and others should not wait for long.
PORTION = 50
_TOLD = 5  # refusals in a message of their own
_DONE_ALREADY = gettext_lazy("There is nothing to do: it has been done to all of them already.")


class Changed(NamedTuple):
    """A record that an act has changed or made, and the version that it has since."""

    number: int
    version: int


class Told(NamedTuple):
    """A record that an act has changed, where other words than its `done` tell of it.

    `words` takes how many records it tells of, then the sums of their `numbers`.
    """

    changed: Changed
    words: Callable[..., str]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Act:
    """Something that may be done to records.

    `perform` goes through a service and may raise a ServiceError; values of the act's form reach it by their names. For
    an act that can be undone it returns Changed. With `at_once` it gets the records of a portion instead of one, and
    returns for each of them its result or the ServiceError.
    """

    name: str  # in the address
    label: Text  # of the button
    question: Counted
    done: Counted
    perform: Callable[..., Any]
    right: str = ""  # the permission that allows it: `<right>_<model>`; by default the name
    # Whether it makes sense for the record, as it is now.
    suits: Callable[[Any], bool] = field(default=lambda record: True)
    # Why it makes none for others: "is pinned already".
    unsuited: Text = ""
    # What is told where all of them are such.
    nothing_to_do: Text = _DONE_ALREADY
    # What else happens, told before it does.
    consequence: Callable[[list[Any]], Text] = field(default=lambda records: "")
    # What has to be known for it: a form made with the request, the records, and what was sent.
    form: Callable[..., Form] | None = None
    # The act as it is for these records and this administrator, where its label and question depend on them.
    worded: "Callable[[Act, HttpRequest, list[Any]], Act]" = field(default=lambda act, request, records: act)
    # Takes it back: of this record, which still has to be of the version that the act made; with `at_once` of these
    # pairs of a record and a version.
    take_back: Callable[..., Any] | None = None
    at_once: bool = False  # whether both are done to the records of a portion together, by statements for all of them
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
    # Other words than those of the act: of how many they tell, and the sums of the numbers of these.
    told: dict[Callable[..., str], tuple[int, ...]] = field(default_factory=dict)
    refused: list[tuple[str, ServiceError]] = field(default_factory=list)
    left: int = 0

    def add(self, number: int, name: str, result: object) -> None:
        """Note what a step answered for one of the records that were left."""
        self.left -= 1
        if isinstance(result, ServiceError):
            self.refused.append((name, result))
            return
        self.done.append(number)
        if isinstance(result, Told):
            one = (1, *result.numbers)
            before = self.told.get(result.words, (0,) * len(one))
            self.told[result.words] = tuple(map(sum, zip(before, one, strict=True)))
            result = result.changed
        if isinstance(result, Changed):
            self.changed.append(result)


# Does something to the records of a portion, and returns for each what it changed, or the ServiceError.
Step = Callable[[Sequence[Any]], Sequence[object]]


def run(step: Step, records: Sequence[Any], outcome: Outcome) -> None:
    """Do the step to the records and fill in the outcome; a refusal concerns its record only.

    Each portion of the records is one transaction. An error takes back its portion and leaves the ones after it.
    """
    outcome.left = len(records)
    for start in range(0, len(records), PORTION):
        portion = records[start : start + PORTION]
        names = [(record.pk, str(record)) for record in portion]  # a deleted one has no number
        with transaction.atomic():
            results = step(portion)
        for (number, name), result in zip(names, results, strict=True):
            outcome.add(number, name, result)


def one_by_one(do: Callable[[Any], object]) -> Step:
    """The step that goes from record to record; what is done to one until it is refused is taken back."""

    def step(records: Sequence[Any]) -> list[object]:
        return [_try(do, record) for record in records]

    return step


def _try(do: Callable[[Any], object], record: Any) -> object:
    try:
        with transaction.atomic():
            return do(record)
    except ServiceError as refusal:
        return refusal


def step_of(act: Act, request: HttpRequest, seen: Mapping[int, int | None], values: Mapping[str, Any]) -> Step:
    """The act as a step; `seen` tells the versions in which whoever decides has seen the records."""

    def is_other(record: Any) -> bool:
        return act.is_decision and seen.get(record.pk) not in {None, record.version}

    perform = partial(act.perform, request, **values)
    return leaving_out(is_other, changed_meanwhile, perform if act.at_once else one_by_one(perform))


def step_back(act: Act, request: HttpRequest, versions: Mapping[int, int]) -> Step:
    """The way back as a step, for records that the act has brought to these versions."""
    take_back = act.take_back
    if take_back is None:
        raise ValueError(f"The act {act.name} cannot be taken back.")
    if act.at_once:
        return lambda records: take_back(request, [(record, versions[record.pk]) for record in records])
    return one_by_one(lambda record: take_back(request, record, versions[record.pk]))


def leaving_out(is_refused: Callable[[Any], bool], refuse: Callable[[], ServiceError], step: Step) -> Step:
    """The step without the records that are refused beforehand."""

    def narrowed(records: Sequence[Any]) -> list[object]:
        refused = [is_refused(record) for record in records]
        results = iter(step([record for record, out in zip(records, refused, strict=True) if not out]))
        return [refuse() if out else next(results) for out in refused]

    return narrowed


def changed_meanwhile() -> InvalidInput:
    """The refusal to act on a record that somebody else has changed."""
    return InvalidInput("changed_meanwhile", "Somebody has changed it meanwhile.")


def report(act: Act, request: HttpRequest, outcome: Outcome, undo: Text = "") -> None:
    """Leave messages that tell what happened; `undo` is a button that takes it back."""
    told = [words(*numbers) for words, numbers in outcome.told.items()]
    if (others := len(outcome.done) - sum(count for count, *_numbers in outcome.told.values())) > 0:
        told.append(act.done % {"count": others})
    for number, words in enumerate(told, start=1):
        messages.success(request, format_html("{}{}", words, undo if number == len(told) else ""))
    tell_refusals(request, outcome)


def tell_refusals(request: HttpRequest, outcome: Outcome) -> None:
    """Leave messages that tell what was not done, and why."""
    for name, refusal in outcome.refused[:_TOLD]:
        messages.error(request, _("%(name)s: %(text)s") % {"name": name, "text": tell(refusal)})
    if (more := len(outcome.refused) - _TOLD) > 0:
        messages.error(request, _("The same or the like goes for %(count)d more.") % {"count": more})
    if outcome.left:
        told = ngettext("An error left %(count)d as it was.", "An error left %(count)d as they were.", outcome.left)
        messages.error(request, told % {"count": outcome.left})
