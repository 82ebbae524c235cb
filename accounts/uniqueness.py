"""A name, an e-mail address and a mobile belong to one account of a kind, and nobody signs in by another's."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from zlib import crc32

from django.db import IntegrityError, connection, transaction

from accounts.models import Account, has_email, has_mobile, has_name
from cms_api.rest.errors import BadRequest
from cms_api.rest.names import to_wire

# Of advisory locks on PostgreSQL, apart from those of other parts of the service.
_LOCK = 7342
# Whose account a text is, whatever column it is meant for: at sign-in one account would hide the other
# (original-behaviour §8.2).
_OWNERS = (has_name, has_email, has_mobile)


@contextmanager
def claimed(kind: type[Account], values: Mapping[str, str], own_id: int | None = None) -> Iterator[None]:
    """A transaction in which values of accounts are looked for and written, as if one after the other.

    The block calls `refuse_taken` before it writes. Of several requests that want one value the first to
    come gets it, also as another's name or address, of which the database's constraints know nothing.
    These decide where somebody writes without claiming; then BadRequest is raised as well.
    """
    try:
        with transaction.atomic():
            _hold(kind, values.values())
            yield
    except IntegrityError:
        refuse_taken(kind, values, own_id)
        raise


def refuse_taken(kind: type[Account], values: Mapping[str, str], own_id: int | None = None) -> None:
    """Raises BadRequest for the first of the values, by column, that belongs to another account of the kind."""
    others = kind._default_manager.exclude(pk=own_id).values_list("pk")
    for column, text in values.items():
        # A union and no OR: of that PostgreSQL would rather read the whole table than join three indexes.
        first, *further = (others.filter(has(text)) for has in _OWNERS)
        if text and first.union(*further, all=True):
            member = to_wire(column)
            message = f"{member} is taken: another {kind._meta.model_name} has it as name, e-mail address or mobile."
            raise BadRequest(f"{column}_taken", message, member=member)


def _hold(kind: type[Account], texts: Iterable[str]) -> None:
    if connection.vendor != "postgresql":
        return  # SQLite has one writer at a time
    with connection.cursor() as cursor:
        # In one order, so that two requests cannot wait in a circle.
        for number in sorted({crc32(f"{kind._meta.label}:{text.casefold()}".encode()) for text in texts if text}):
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, number - 2**31])
