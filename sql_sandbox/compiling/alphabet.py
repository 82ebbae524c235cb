"""The last check of a compiled statement: it contains only text of the emitter."""

import re
from collections.abc import Collection

from sql_sandbox.compiling.operations import ENGINES, Engine

_CLAUSES = """
    SELECT DISTINCT AS FROM WHERE GROUP BY HAVING ORDER ASC DESC NULLS FIRST LAST LIMIT OFFSET WITH UNION ALL EXCEPT
    INTERSECT INNER LEFT RIGHT FULL JOIN ON EXISTS IN CASE WHEN THEN ELSE END NULL TRUE FALSE CAST
    OVER PARTITION ROWS RANGE BETWEEN AND UNBOUNDED PRECEDING CURRENT ROW FOLLOWING
    INTEGER REAL TEXT bigint double precision text timestamp boolean integer
"""
_FAULT = "A compiled statement has something outside its alphabet."
_GENERATED = re.compile("[vtqc][0-9]{1,4}")
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


# Words of a template are outside its placeholders and quoted names.
_WORDS = {
    name: {
        *_CLAUSES.split(),
        *(
            word
            for template in engine.templates.values()
            for word in re.findall("[A-Za-z_]+", re.sub(r'\{[^{}]*\}|"[^"]*"', " ", template))
        ),
    }
    for name, engine in ENGINES.items()
}
_FOREIGN = {"sqlite": {"%%", "~", "#>", "#>>", "[]"}, "postgresql": {"%", ">>", "&"}}


def check(sql: str, engine: Engine, columns: Collection[str]) -> None:
    """Raise AssertionError (an internal error) if the text contains any other character or word."""
    words, names = _WORDS[engine.name], {"C", *columns}
    place = 0
    while place < len(sql):
        match = _TOKEN.match(sql, place)
        if match is None or sql[place : place + 2] in ("--", "/*"):
            raise AssertionError(_FAULT)
        word, name, placeholder = match["word"], match["name"], match["placeholder"]
        if not (
            (word is None or word in words)
            and (name is None or name in names or _GENERATED.fullmatch(name))
            and (placeholder is None or placeholder.startswith(engine.placeholder[0]))
            and match["operator"] not in _FOREIGN[engine.name]
        ):
            raise AssertionError(_FAULT)
        place = match.end()
