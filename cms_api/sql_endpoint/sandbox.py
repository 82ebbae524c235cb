import os
import sys
import threading
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connections

from cms_api.sql_endpoint.catalogue import CONTENTS
from cms_api.sql_endpoint.checks import find_problems
from cms_api.sql_endpoint.reader_role import connection_parameters, open_tables
from cms_api.sql_endpoint.sqlite_log import LogPause
from core.lib import clock
from sites.models import Site
from sql_sandbox.compiled import Answer, Limits
from sql_sandbox.refusals import Refused, Unavailable
from sql_sandbox.running.messages import Configuration, Request
from sql_sandbox.running.process_pool import Box

_ENDED_SECONDS = 1.0  # from the deadline of a statement until it has certainly ended
_COMMAND = (sys.executable, "-m", "cms_api.sql_endpoint.child")


class Window(NamedTuple):
    """The rows to return: order by result columns, first row (from 1), number of rows; 0: all.

    With `only_approved`, the tables lack pending contents.
    """

    order: tuple[tuple[str, bool], ...] = ()
    start: int = 1
    total: int = 0
    only_approved: bool = False


def run_statement(
    text: str, site_ids: Iterable[int] | None, window: Window | None = None, key_id: int | None = None
) -> Answer:
    """Return the rows of a client's statement for a key of these sites; None: all sites. Raise a Refused."""
    # First of all, since the settings may close the endpoint.
    box = _process.box()
    if site_ids is not None:
        site_ids = tuple(sorted(site_ids))
    named = names_of_contents(site_ids)
    return box.run(Request(text, clock.now(), site_ids, named, *(window or Window())), key_id)


def names_of_contents(site_ids: Collection[int] | None) -> dict[str, tuple[int, ...]]:
    """Return the sites within a key's reach that use each name, casefolded, of a contents table."""
    sites = Site.objects.exclude(table_name="")
    if site_ids is not None:
        sites = sites.filter(pk__in=site_ids)
    named: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    for site_id, name in sites.order_by("pk").values_list("pk", "table_name"):
        named[name.casefold()] += (site_id,)
    return dict(named)


def start() -> None:
    with suppress(Refused):
        _process.box().start()


def close() -> None:
    """End the children of this process; the next statement starts new ones."""
    _process.close()


class _Process:
    """The box of this process, replaced if the settings or the database change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._box: Box | None = None
        self._described: tuple[Configuration, int] | None = None
        self._log = LogPause(0)

    def box(self) -> Box:
        """Return the box. Raise Unavailable if the settings close it, Busy while a log is emptied."""
        described = find_configuration(), settings.CMS_SQL_SLOTS
        with self._lock:
            if self._box is None or described != self._described:
                self._close()
                self._box, self._described = Box(_COMMAND, *described, settings.BASE_DIR), described
                self._log = LogPause(described[0].limits.seconds + _ENDED_SECONDS)
            if path := described[0].database.get("path"):
                self._log.check(path)
            return self._box

    def close(self) -> None:
        with self._lock:
            self._close()

    def renew_lock(self) -> None:
        """Replace the lock: another thread may have held it when this process was forked."""
        self._lock = threading.Lock()

    def _close(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.close()


_process = _Process()
os.register_at_fork(after_in_child=_process.renew_lock)


def find_configuration() -> Configuration:
    """Return database, open tables and limits for the children. Raise Unavailable if the endpoint is closed."""
    if settings.CMS_SQL_SLOTS == 0:
        raise Unavailable("The SQL endpoint is closed by its settings.")
    if problems := find_problems():
        raise Unavailable(f"The SQL endpoint is closed: {' '.join(problems)}")
    tables = tuple(table.name for table in open_tables())
    limits = Limits(settings.CMS_SQL_SECONDS, settings.CMS_SQL_MAX_ROWS, settings.CMS_SQL_MAX_BYTES)
    connection: Any = connections["default"]
    if connection.vendor == "postgresql":
        address = {name: value for name, value in connection_parameters().items() if isinstance(value, str | int)}
        database = {"engine": "postgresql", "address": address, "time_zone": settings.TIME_ZONE, "tables": tables}
    elif connection.vendor != "sqlite":
        raise Unavailable("The SQL endpoint is closed: it works on SQLite and PostgreSQL only.")
    elif connection.is_in_memory_db():
        reason = "the database is in the memory of one process, which other processes cannot read."
        raise Unavailable(f"The SQL endpoint is closed: {reason}")
    else:
        # The children run in another folder.
        database = {"engine": "sqlite", "path": os.path.abspath(connection.settings_dict["NAME"])}
    return Configuration(database, tables, CONTENTS, limits)
