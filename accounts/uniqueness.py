"""A name, an e-mail address and a mobile belong to one account of a kind, and nobody signs in by another's."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from django.db import IntegrityError, connection, transaction

from accounts.models import Account, has_email, has_mobile, has_name
from cms_api.lib.errors import InvalidInput
from cms_api.rest.names import to_wire

# Of advisory locks on PostgreSQL, apart from those of other parts of the service.
_LOCK = 7342
# Held by whoever claims single values, and exclusively by whoever claims more than there are locks.
_ALL = 7344
_BATCH = 500  # values of one statement
# Worded so that the unique indexes are used, as has_name and the others.
_SAME = (
    "LOWER(user_name) IN (SELECT LOWER(value) FROM {values})",
    "LOWER(email) IN (SELECT LOWER(value) FROM {values}) AND email <> ''",
    "mobile IN (SELECT value FROM {values}) AND mobile <> ''",
)
# Whose account a text is, whatever column it is meant for: at sign-in one account would hide the other
# (original-behaviour §8.2).
_OWNERS = (has_name, has_email, has_mobile)


@contextmanager
def claimed(kind: type[Account], values: Mapping[str, str], own_id: int | None = None) -> Iterator[None]:
    """A transaction in which values of accounts are looked for and written, as if one after the other.

    The block calls `refuse_taken` before it writes. Of several requests that want one value the first to
    come gets it, also as another's name or address, of which the database's constraints know nothing.
    These decide where somebody writes without claiming; then InvalidInput is raised as well.
    """
    try:
        with transaction.atomic():
            _hold(kind, values.values())
            yield
    except IntegrityError:
        refuse_taken(kind, values, own_id)
        raise


def refuse_taken(kind: type[Account], values: Mapping[str, str], own_id: int | None = None) -> None:
    """Raises InvalidInput for the first of the values, by column, that belongs to another account of the kind."""
    others = kind._default_manager.exclude(pk=own_id).values_list("pk")
    for column, text in values.items():
        # A union and no OR: of that PostgreSQL would rather read the whole table than join three indexes.
        first, *further = (others.filter(has(text)) for has in _OWNERS)
        if text and first.union(*further, all=True):
            member = to_wire(column)
            message = f"{member} is taken: another {kind._meta.model_name} has it as name, e-mail address or mobile."
            raise InvalidInput(f"{column}_taken", message, member=member)


def claim_all(kind: type[Account]) -> None:
    """Let nobody else claim values of accounts of the kind until the transaction ends; to be called at its beginning.

    For whoever writes many accounts: a lock for each value would use up those that the database has.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_ALL, _number_of(kind._meta.label)])


def owners_of(kind: type[Account], texts: Sequence[str]) -> dict[str, set[int]]:
    """The accounts that have each text as name, e-mail address or mobile, by the text in folded letters."""
    owners: dict[str, set[int]] = {}
    with connection.cursor() as cursor:
        for start in range(0, len(texts), _BATCH):
            values, list_of = _listed(texts[start : start + _BATCH])
            # One statement for each index, instead of one that would read the whole table.
            for same in _SAME:
                columns = f'SELECT id, user_name, email, mobile FROM "{kind._meta.db_table}"'
                cursor.execute(f"{columns} WHERE {same.format(values=list_of)}", [values])
                for pk, *owned in cursor.fetchall():
                    for text in filter(None, owned):
                        owners.setdefault(text.casefold(), set()).add(pk)
    return owners


def _listed(texts: Sequence[str]) -> tuple[Any, str]:
    """One parameter that holds the texts, and the table that SQL makes of it: an ORM list costs 1 ms a text."""
    if connection.vendor == "postgresql":
        return list(texts), "UNNEST(%s::text[]) AS sought (value)"
    return json.dumps(texts), "json_each(%s)"


def _hold(kind: type[Account], texts: Iterable[str]) -> None:
    if connection.vendor != "postgresql":
        return  # SQLite has one writer at a time
    # In one order, so that two requests cannot wait in a circle.
    numbers = sorted({_number_of(f"{kind._meta.label}:{text.casefold()}") for text in texts if text})
    with connection.cursor() as cursor:
        if numbers:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [_ALL, _number_of(kind._meta.label)])
        for number in numbers:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, number])


def _number_of(text: str) -> int:
    return crc32(text.encode()) - 2**31
