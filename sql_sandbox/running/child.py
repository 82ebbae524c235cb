"""The process that reads, compiles and runs statements, and responds over a pipe."""

import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from sql_sandbox.catalogue import Catalogue, Table
from sql_sandbox.compiled import Answer, Compiled, Limits
from sql_sandbox.refusals import Refused, TooLarge
from sql_sandbox.running.messages import BUG, Configuration, Request, pack, read_frame
from sql_sandbox.running.process_limits import ending_at, limit_process, memory_peak
from sql_sandbox.tree import Query

_logger = logging.getLogger(__name__)

_LAST_SECONDS = 0.5  # from the deadline until the process ends itself


class Reader(Protocol):
    def run(self, compiled: Compiled, site_ids: Iterable[int] | None, deadline: float, limits: Limits) -> Answer: ...


@dataclass(frozen=True)
class Parts:
    tables: Iterable[Table]  # of which the configuration opens some
    read_statement: Callable[[str], Query]
    compile_query: Callable[..., Compiled]
    readers: Mapping[str, Callable[[Mapping[str, Any]], Reader]]  # by engine, made from the configuration's database


def run_child(parts: Parts) -> None:
    """Serve the parent process over the standard streams, under process limits."""
    limit_process()
    # Only frames may get into the output; prints go to standard error. Closing may write to a lost worker.
    with suppress(BrokenPipeError), os.fdopen(os.dup(sys.stdout.fileno()), "wb") as outgoing:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(parts, sys.stdin.buffer, outgoing)


def serve(parts: Parts, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    first = read_frame(incoming)
    if first is None:
        return
    configuration = Configuration.of(first[0])
    reader = parts.readers[configuration.database["engine"]](configuration.database)
    answer = pack({})
    with suppress(BrokenPipeError):
        while True:
            outgoing.write(answer)
            outgoing.flush()
            frame = read_frame(incoming)
            if frame is None:
                return
            answer = _answer(parts, configuration, reader, frame[0])


def _answer(parts: Parts, configuration: Configuration, reader: Reader, header: Mapping[str, Any]) -> bytes:
    deadline, limits = float(header["deadline"]), configuration.limits
    with ending_at(deadline + _LAST_SECONDS):
        try:
            request = Request.of(header["request"])
            tables = [table for table in parts.tables if table.name in configuration.tables]
            if request.only_approved:
                tables = [table.approved or table for table in tables]
            named = {name.casefold(): sites for name, sites in request.contents_tables.items()}
            compiled = parts.compile_query(
                parts.read_statement(request.text),
                Catalogue.of(tables, request.site_ids, configuration.contents, named),
                configuration.database["engine"],
                now=request.now,
                max_rows=limits.rows,
                order=request.order,
                start=request.start,
                total=request.total,
            )
            answer = reader.run(compiled, request.site_ids, deadline, limits)
            return pack({"truncated": answer.truncated, "memory": memory_peak()}, answer.rows)
        except Refused as refused:
            return _refusal(refused.code, refused.message)
        except (RecursionError, MemoryError):
            return _refusal(TooLarge.code, "The statement is too large.")
        except Exception as error:  # noqa: BLE001 - one statement's bug must not end the others
            # Without the error's own words, which may quote the statement.
            place = "".join(traceback.format_tb(error.__traceback__))
            _logger.error("A statement hit a bug: %s\n%s", type(error).__name__, place)
            return _refusal(BUG, "")


def _refusal(code: str, message: str) -> bytes:
    return pack({"code": code, "message": message, "memory": memory_peak()})
