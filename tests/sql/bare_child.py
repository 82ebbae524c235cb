"""A child for tests: `python -m tests.sql.bare_child`. It carries out any SQL without a limit of its own.

Nothing reads or compiles the statement, and the connection has no clock, authorizer or limit: what ends a bomb is
the process and its worker alone.
"""

import os
import re
import signal
import sqlite3

import orjson

from sql_sandbox.compiled import Answer, Compiled
from sql_sandbox.running.child import Parts, run_child

_kept = []


def forever():
    """Never comes back."""
    while True:
        pass


def deaf():
    """Never comes back, and the clock of the process does not end it."""
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    forever()


def catastrophe(text):
    """Matches a pattern whose time doubles with each character, inside of one call that nothing interrupts."""
    return bool(re.fullmatch("(a+)+", text))


def swallow(size):
    """Takes memory in one piece."""
    return len(bytearray(size))


def keep(value):
    """Takes memory piece by piece."""
    _kept.append(value)


def die():
    """Ends the process."""
    os._exit(1)


class BareReader:
    """An empty database in memory, and functions that harm."""

    def __init__(self):
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("PRAGMA temp_store = FILE")
        for function, arguments in ((forever, 0), (deaf, 0), (catastrophe, 1), (swallow, 1), (keep, 1), (die, 0)):
            self._connection.create_function(function.__name__, arguments, function)

    def run(self, compiled, site_ids, deadline, limits):
        """The rows, all of them."""
        cursor = self._connection.execute(compiled.sql)
        names = [column[0] for column in cursor.description]
        return Answer(orjson.dumps([dict(zip(names, row, strict=True)) for row in cursor]))


if __name__ == "__main__":
    run_child(
        Parts((), str, lambda query, *_, **__: Compiled(query, {}, {}, ()), {"bare": lambda database: BareReader()})
    )
