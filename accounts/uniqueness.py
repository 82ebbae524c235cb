"""Names, e-mail addresses and mobiles share one namespace per kind of account, since each can be used to sign in."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from django.db import IntegrityError, connection, transaction

from accounts.models import UNIQUE, Account, has_email, has_mobile, has_name
from core.lib.errors import InvalidInput
from core.lib.folding import doubled, fold
from core.rest.names import to_wire

# Key of advisory locks on PostgreSQL, different from all others of the service.
_LOCK = 7342
# Held shared to claim single values, and exclusively to claim more values than there are locks.
_ALL = 7344
_BATCH = 500  # values of one statement
# A text is taken in any column: at sign-in one account would hide the other.
_OWNERS = (has_name, has_email, has_mobile)


@contextmanager
def claimed(kind: type[Account], values: Mapping[str, str], own_id: int | None = None) -> Iterator[None]:
    """Open a transaction that serializes claims of values, also across columns; call `raise_if_taken` first."""
    try:
        with transaction.atomic():
            if connection.vendor == "postgresql":  # SQLite has one writer at a time
                _lock(kind, values.values())
            yield
    except IntegrityError:  # another request wrote without claiming
        raise_if_taken(kind, values, own_id)
        raise


def raise_if_taken(kind: type[Account], values: Mapping[str, str], own_id: int | None = None) -> None:
    """Raises InvalidInput for the first value that belongs to another account of the kind."""
    others = kind._default_manager.exclude(pk=own_id).values_list("pk")
    for column, text in values.items():
        # A union, since PostgreSQL scans the table for OR instead of combining three indexes.
        first, *further = (others.filter(has(text)) for has in _OWNERS)
        if text and first.union(*further, all=True):
            member = to_wire(column)
            message = (
                f"{member} is taken: another {kind._meta.model_name} has it as a name, e-mail address or mobile number."
            )
            raise InvalidInput(f"{column}_taken", message, member=member)


def claim_all(kind: type[Account]) -> None:
    """Block other claims of values of the kind until commit; call it first in the transaction."""
    # One lock per value would exhaust the database's lock table.
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_ALL, _number_of(kind._meta.label)])


def owners_of(kind: type[Account], texts: Sequence[str]) -> dict[str, set[int]]:
    """Return the accounts that have each text as name, e-mail address or mobile, by the folded text."""
    owners: dict[str, set[int]] = {}
    sought = sorted({form for text in texts for form in (fold(text), doubled(text))})
    with connection.cursor() as cursor:
        for start in range(0, len(sought), _BATCH):
            # One parameter holds all texts, and SQL expands it to a table: an ORM list costs 1 ms per text.
            values: Any = sought[start : start + _BATCH]
            list_of = "UNNEST(%s::text[]) AS sought (value)"
            if connection.vendor != "postgresql":
                values, list_of = json.dumps(values), "json_each(%s)"
            # One statement per index, instead of one that would scan the table.
            for column in UNIQUE:
                columns = f'SELECT id, user_name, email, mobile FROM "{kind._meta.db_table}"'
                # Worded so that the unique index is used, like has_name and the others.
                found = f"folded_{column} IN (SELECT value FROM {list_of}) AND NOT (folded_{column} = '')"
                cursor.execute(f"{columns} WHERE {found}", [values])
                for pk, *owned in cursor.fetchall():
                    for text in filter(None, owned):
                        owners.setdefault(fold(text), set()).add(pk)
    return owners


def _lock(kind: type[Account], texts: Iterable[str]) -> None:
    # Sorted, to prevent deadlocks.
    numbers = sorted({_number_of(f"{kind._meta.label}:{fold(text)}") for text in texts if text})
    with connection.cursor() as cursor:
        if numbers:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [_ALL, _number_of(kind._meta.label)])
        for number in numbers:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, number])


def _number_of(text: str) -> int:
    return crc32(text.encode()) - 2**31
