"""Folded names of accounts: guesses of the triggers, and accounts that share one."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import FOLDED, UNIQUE, Account, Administrator, User
from core.lib.folding import DOUBLED, doubled, fold

KINDS: tuple[type[Account], ...] = (Administrator, User)
_AT_ONCE = 500
_COLUMNS = [*(f"folded_{column}" for column in FOLDED), "folding_stamp"]


class Twin(NamedTuple):
    """An account that is found by its exact text only, because another had its folded form first."""

    kind: str
    column: str
    pk: int
    text: str
    other: int
    other_text: str

    def __str__(self) -> str:
        of = f"{self.kind} {self.other} ({self.other_text})"
        return f"{self.kind} {self.pk} ({self.text}) has nearly the same {self.column.replace('_', ' ')} as {of}."


def fold_guessed() -> None:
    """Fold the names that the release before this one stored; every server calls it again and again."""
    for kind in KINDS:
        if (guessed := kind._default_manager.filter(folding_stamp=None)).exists():
            fold_again(kind, guessed)


def fold_again(kind: type[Account], chosen: QuerySet[Any], *, store: bool = True) -> int:
    """Return how many of these accounts have wrong folded names, and store the right ones."""
    found, last = 0, 0
    while numbers := list(chosen.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]):
        last = numbers[-1]
        with transaction.atomic():
            for account in kind._default_manager.filter(pk__in=numbers).order_by("pk").select_for_update():
                before = {column: getattr(account, column) for column in _COLUMNS}
                after: dict[str, Any] = {f"folded_{column}": _form(account, column) for column in FOLDED}
                for column, form in after.items():
                    setattr(account, column, form)
                after["folding_stamp"] = kind._meta.get_field("folding_stamp").pre_save(account, add=False)
                if before != after:
                    found += 1
                    if store:
                        kind._default_manager.filter(pk=account.pk).update(**after)
    return found


def _form(account: Account, column: str) -> str:
    text, name = getattr(account, column), f"folded_{column}"
    form = fold(text)
    if column not in UNIQUE or not text or getattr(account, name) == form:
        return form
    is_taken = type(account)._default_manager.exclude(pk=account.pk).filter((name, form)).exists()
    return doubled(text) if is_taken else form


def twins() -> Iterator[Twin]:
    """Yield the accounts whose name, e-mail address or mobile differs only in letter case or the like from another
    account's."""
    for kind in KINDS:
        accounts, model_name = kind._default_manager, str(kind._meta.model_name)
        for column in UNIQUE:
            doubles = accounts.filter((f"folded_{column}__contains", DOUBLED)).order_by("pk")
            for pk, text in doubles.values_list("pk", column):
                for other in accounts.filter((f"folded_{column}", fold(text))).values_list("pk", column):
                    yield Twin(model_name, column, pk, text, *other)
