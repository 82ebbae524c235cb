"""The lock by which changes of the addresses of sites follow one another."""

from django.db import connection

_LOCK = 7343  # an advisory lock's name, apart from those of other parts of the service


def hold_addresses() -> None:
    """Let nobody else make a site or change the address of one until the transaction ends.

    It locks no rows: who changes the channels or the fields of a site locks its row, and would wait for an import of
    another site until that ends. SQLite has one writer at a time anyway.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_LOCK])
