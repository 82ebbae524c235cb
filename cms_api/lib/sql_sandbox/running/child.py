"""The process that runs statements: reads, compiles and runs each, and answers over a pipe."""

import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from cms_api.lib.sql_sandbox.catalogue import Catalogue, Table
from cms_api.lib.sql_sandbox.compiled import Answer, Compiled
from cms_api.lib.sql_sandbox.limits import Limits
from cms_api.lib.sql_sandbox.refusals import Refused, TooLarge
from cms_api.lib.sql_sandbox.running.messages import BUG, Configuration, Request, pack, read_frame
from cms_api.lib.sql_sandbox.running.process_limits import ending_at, limit_process, memory_peak
from cms_api.lib.sql_sandbox.tree import Query

_logger = logging.getLogger(__name__)

_LAST_SECONDS = 0.5  # from the deadline until the process ends itself, if nobody else has ended it


class Reader(Protocol):
    def run(self, compiled: Compiled, site_ids: Iterable[int] | None, deadline: float, limits: Limits) -> Answer:
        """The rows of a compiled statement. Raises a Refused."""


@dataclass(frozen=True)
class Parts:
    """What the process is put together from."""

    tables: Iterable[Table]  # of which the configuration opens some
    read_statement: Callable[[str], Query]
    compile_query: Callable[..., Compiled]
    readers: Mapping[str, Callable[[Mapping[str, Any]], Reader]]  # by engine, made from the configuration's database


class StatementRunner:
    """Runs requests one after the other, as one configuration says."""

    def __init__(self, parts: Parts, configuration: Configuration) -> None:
        self._parts = parts
        self._configuration = configuration
        self._engine = configuration.database["engine"]
        self._tables = [table for table in parts.tables if table.name in configuration.tables]
        self._reader = parts.readers[self._engine](configuration.database)

    def run(self, request: Request, deadline: float) -> Answer:
        """The rows of a request. Raises a Refused."""
        named = {name.casefold(): sites for name, sites in request.contents_tables.items()}
        compiled = self._parts.compile_query(
            self._parts.read_statement(request.text),
            Catalogue.of(self._tables, request.site_ids, self._configuration.contents, named),
            self._engine,
            now=request.now,
            max_rows=self._configuration.limits.rows,
            order=request.order,
            start=request.start,
            total=request.total,
        )
        return self._reader.run(compiled, request.site_ids, deadline, self._configuration.limits)


def run_child(parts: Parts) -> None:
    """Serve the process that started this one over the standard streams, under the limits of a process."""
    limit_process()
    # Nothing but frames may get into the answer: whatever else is printed goes where errors go.
    # Closing writes what a worker that is gone has not taken.
    with suppress(BrokenPipeError), os.fdopen(os.dup(sys.stdout.fileno()), "wb") as outgoing:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(parts, sys.stdin.buffer, outgoing)


def serve(parts: Parts, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer requests until the stream of them ends or nobody takes an answer."""
    first = read_frame(incoming)
    if first is None:
        return
    runner = StatementRunner(parts, Configuration.of(first[0]))
    try:
        _send(outgoing, pack({}))
        while frame := read_frame(incoming):
            _send(outgoing, _answer(runner, frame[0]))
    except BrokenPipeError:
        return


def _send(outgoing: BinaryIO, frame: bytes) -> None:
    outgoing.write(frame)
    outgoing.flush()


def _answer(runner: StatementRunner, header: Mapping[str, Any]) -> bytes:
    deadline = float(header["deadline"])
    with ending_at(deadline + _LAST_SECONDS):
        try:
            answer = runner.run(Request.of(header["request"]), deadline)
            return pack({"truncated": answer.truncated, "memory": memory_peak()}, answer.rows)
        except Refused as refused:
            return _refusal(refused.code, refused.message)
        except (RecursionError, MemoryError):
            return _refusal(TooLarge.code, "The statement is too large.")
        except Exception as error:  # noqa: BLE001 - one statement's bug must not end the others
            # The error's own words are left out, which may quote the statement.
            place = "".join(traceback.format_tb(error.__traceback__))
            _logger.error("A statement met a bug: %s\n%s", type(error).__name__, place)
            return _refusal(BUG, "")


def _refusal(code: str, message: str) -> bytes:
    return pack({"code": code, "message": message, "memory": memory_peak()})
