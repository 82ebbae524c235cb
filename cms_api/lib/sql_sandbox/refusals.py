"""Why a statement is not carried out; each refusal becomes an answer with its code."""


class Refused(Exception):
    """A stable code and a sentence for the person who wrote the statement, without an engine's words."""

    code = "sql_not_allowed"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAllowed(Refused):
    """The statement uses what the sandbox does not have: a construct, function, table or column."""


class BadSyntax(Refused):
    """The text cannot be read as SQL."""

    code = "sql_syntax"


class TooLarge(Refused):
    """The statement, or a single row of its result, is over a limit of size or cost."""

    code = "sql_too_large"


TOO_LONG = "The statement takes too long; narrow it, such as by ChannelId, or ask for fewer columns."


class TimedOut(Refused):
    """The statement was stopped at its deadline."""

    code = "sql_timeout"


class Failed(Refused):
    """The database could not carry the statement out: a value does not fit, or a limit of memory or disk."""

    code = "sql_failed"


class Unavailable(Refused):
    """The sandbox is not set up, or its database account sees more than it should."""

    code = "sql_unavailable"


class Busy(Refused):
    """All slots of the process are taken; the same statement may be sent again in a second."""

    code = "sql_busy"


BY_CODE = {kind.code: kind for kind in (NotAllowed, BadSyntax, TooLarge, TimedOut, Failed, Unavailable, Busy)}
