"""The sandbox of this process, as the settings describe it."""

import os
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connections

from cms_api.lib import clock
from cms_api.lib.sql_sandbox.compiled import Answer
from cms_api.lib.sql_sandbox.limits import Limits
from cms_api.lib.sql_sandbox.refusals import Refused, Unavailable
from cms_api.lib.sql_sandbox.running.box import Box
from cms_api.lib.sql_sandbox.running.messages import Configuration, Request
from cms_api.sql_endpoint.catalogue import CONTENTS
from cms_api.sql_endpoint.reader_role import connection_parameters, open_tables
from cms_api.sql_endpoint.setting_problems import find_problems
from cms_api.sql_endpoint.sqlite_log import LogPause
from sites.models import Site

_ENDED_SECONDS = 1.0  # from the deadline of a statement until it has certainly ended
_COMMAND = (sys.executable, "-m", "cms_api.sql_endpoint.child")


@dataclass(frozen=True)
class Window:
    """Which rows of a statement are wanted: the order by result columns, the first one from 1, how many; 0: all."""

    order: tuple[tuple[str, bool], ...] = ()
    start: int = 1
    total: int = 0


def run_statement(
    text: str, site_ids: Iterable[int] | None, window: Window | None = None, key_id: int | None = None
) -> Answer:
    """The rows of a client's statement for a key of these sites; None: of every site. Raises a Refused."""
    window = window or Window()
    # Before anything is asked of the database, since the settings may close the endpoint.
    box = _process.box()
    request = Request(
        text,
        clock.now(),
        None if site_ids is None else tuple(sorted(site_ids)),
        _contents_tables(site_ids),
        window.order,
        window.start,
        window.total,
    )
    return box.run(request, key_id)


def start() -> None:
    """Begin to start the child of the first statement, unless the endpoint is closed."""
    with suppress(Refused):
        _process.box().start()


def close() -> None:
    """End the children of this process; the next statement starts new ones."""
    _process.close()


def _contents_tables(site_ids: Iterable[int] | None) -> dict[str, tuple[int, ...]]:
    """The sites that use each name of a contents table, as far as the key reaches them."""
    sites = Site.objects.exclude(table_name="")
    named: defaultdict[str, list[int]] = defaultdict(list)
    chosen = sites if site_ids is None else sites.filter(pk__in=site_ids)
    for site_id, name in chosen.order_by("pk").values_list("pk", "table_name"):
        named[name.casefold()].append(site_id)
    return {name: tuple(ids) for name, ids in named.items()}


class _Process:
    """The box of this process; another one as soon as the settings or the database are others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._box: Box | None = None
        self._described: tuple[Configuration, int] | None = None
        self._log = LogPause(0)

    def box(self) -> Box:
        """The box as the settings describe it now. Raises Unavailable when they close the endpoint.

        Raises Busy while the log of an SQLite database waits to be emptied.
        """
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
        """End the children."""
        with self._lock:
            self._close()

    def renew_lock(self) -> None:
        """Have a lock that is free: another thread may have held the former one when this process was forked."""
        self._lock = threading.Lock()

    def _close(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.close()


_process = _Process()
os.register_at_fork(after_in_child=_process.renew_lock)


def find_configuration() -> Configuration:
    """What children are told: the database, the open tables, the limits. Raises Unavailable for a closed endpoint."""
    if settings.CMS_SQL_SLOTS == 0:
        raise Unavailable("The SQL endpoint is closed by its settings.")
    if problems := find_problems():
        raise _closed(" ".join(problems))
    tables = tuple(table.name for table in open_tables())
    limits = Limits(settings.CMS_SQL_SECONDS, settings.CMS_SQL_MAX_ROWS, settings.CMS_SQL_MAX_BYTES)
    return Configuration(_database(tables), tables, CONTENTS, limits)


def _closed(reason: str) -> Unavailable:
    return Unavailable(f"The SQL endpoint is closed: {reason}")


# ---- Which database, for its reader


def _database(tables: tuple[str, ...]) -> dict[str, Any]:
    connection: Any = connections["default"]
    if connection.vendor == "postgresql":
        address = {name: value for name, value in connection_parameters().items() if isinstance(value, str | int)}
        return {"engine": "postgresql", "address": address, "time_zone": settings.TIME_ZONE, "tables": tables}
    if connection.vendor != "sqlite":
        raise _closed("it works on SQLite and PostgreSQL only.")
    if connection.is_in_memory_db():
        raise _closed("the database is in the memory of one process, where no other can read it.")
    # The children run in another folder.
    return {"engine": "sqlite", "path": os.path.abspath(connection.settings_dict["NAME"])}
