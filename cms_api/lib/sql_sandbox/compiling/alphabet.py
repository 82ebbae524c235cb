"""The last look at a compiled statement: nothing but the alphabet that the emitter writes with."""

import re
from collections.abc import Collection

from cms_api.lib.sql_sandbox.compiling.operations import ENGINES, Engine

_CLAUSES = """
    SELECT DISTINCT AS FROM WHERE GROUP BY HAVING ORDER ASC DESC NULLS FIRST LAST LIMIT OFFSET WITH UNION ALL EXCEPT
    INTERSECT INNER LEFT RIGHT FULL JOIN ON EXISTS IN CASE WHEN THEN ELSE END NULL TRUE FALSE CAST
    OVER PARTITION ROWS RANGE BETWEEN AND UNBOUNDED PRECEDING CURRENT ROW FOLLOWING
    INTEGER REAL TEXT bigint double precision text timestamp boolean integer
"""
_GENERATED = re.compile("[vtqc][0-9]{1,4}")
# A number has no letter before or behind it, a name none of the characters of a text.
_TOKEN = re.compile(
    r"""
    (?P<word>[A-Za-z_]+)
  | "(?P<name>[A-Za-z0-9_]{1,63})"
  | (?P<number>[0-9]{1,12})(?![A-Za-z0-9_.])
  | (?P<placeholder>:p[0-9]{1,4}|%\(p[0-9]{1,4}\)s)(?![A-Za-z0-9_])
  | (?P<operator>\[\]|\#>>|\#>|\|\||<>|<=|>=|>>|%%|&|[=<>+*/%~(),.-])
  | (?P<blank>[ ])
    """,
    re.VERBOSE | re.ASCII,
)


def _words(template: str) -> list[str]:
    return re.findall("[A-Za-z_]+", re.sub(r"\{[^{}]*\}|\"[^\"]*\"", " ", template))


_WORDS = {
    name: {*_CLAUSES.split(), *(word for template in engine.templates.values() for word in _words(template))}
    for name, engine in ENGINES.items()
}
_FOREIGN = {"sqlite": {"%%", "~", "#>", "#>>", "[]"}, "postgresql": {"%", ">>", "&"}}


def check(sql: str, engine: Engine, columns: Collection[str]) -> None:
    """Raises AssertionError, for a fault of ours and none of the client's, where anything else is in the text."""
    words, names = _WORDS[engine.name], {"C", *columns}
    place = 0
    while place < len(sql):
        match = _TOKEN.match(sql, place)
        _assert(match is not None and "--" not in sql[place : place + 2] and "/*" not in sql[place : place + 2])
        assert match is not None  # noqa: S101 - for mypy; the line above holds with -O too
        _assert(match["word"] is None or match["word"] in words)
        _assert(match["name"] is None or match["name"] in names or _GENERATED.fullmatch(match["name"]) is not None)
        _assert(match["placeholder"] is None or match["placeholder"].startswith(engine.placeholder[0]))
        _assert(match["operator"] not in _FOREIGN[engine.name])
        place = match.end()


def _assert(holds: bool) -> None:
    if not holds:
        raise AssertionError("A compiled statement has something outside its alphabet.")
