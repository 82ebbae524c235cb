from collections.abc import Iterable
from difflib import get_close_matches

MAX_ECHO = 50  # characters
BUSY = "Other statements are running; try again in a second."
NO_FIT = "The database cannot run the statement: a value does not fit its function or operator."
NOT_OPEN = "The statement uses something that is not open to statements."
TOO_LONG = "The statement takes too long; narrow it, for example by ChannelId, or select fewer columns."


class Refused(Exception):
    """A stable code, and a sentence for the statement's author without the engine's own words."""

    code = "sql_not_allowed"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAllowed(Refused):
    """The statement uses a construct, function, table or column that the sandbox lacks."""


class BadSyntax(Refused):
    code = "sql_syntax"


class TooLarge(Refused):
    """The statement, or a row of its result, is over a limit of size or cost."""

    code = "sql_too_large"


class TimedOut(Refused):
    code = "sql_timeout"


class Failed(Refused):
    """The database failed: a value does not fit, or a limit of memory or disk is reached."""

    code = "sql_failed"


class Unavailable(Refused):
    """The sandbox is not set up, or its database account has too many rights."""

    code = "sql_unavailable"


class Busy(Refused):
    """All slots of the process are taken; retry in a second."""

    code = "sql_busy"


BY_CODE = {kind.code: kind for kind in (NotAllowed, BadSyntax, TooLarge, TimedOut, Failed, Unavailable, Busy)}


def nearest(name: str, names: Iterable[str], likeness: float = 0.7) -> str:
    """Return the known name most like an unknown one, in its own spelling; empty if there is none."""
    by_folded = {one.casefold(): one for one in names}
    matches = get_close_matches(name[:MAX_ECHO].casefold(), by_folded, n=1, cutoff=likeness)
    return by_folded[matches[0]] if matches else ""


def shown(text: str) -> str:
    """Return a piece of the statement for a message: one short line without control characters."""
    line = "".join(one for one in " ".join(text.split()) if one.isprintable())
    return line if len(line) <= MAX_ECHO else line[: MAX_ECHO - 1] + "…"
