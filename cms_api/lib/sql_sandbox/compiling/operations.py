"""Every operation of bound statements, in the SQL of each engine.

`{0}` is the first argument, `{list}` all of them with commas, `{rest}` all but the first, `{joined}` all with `||`;
`{over}` and `{distinct}` belong to aggregates; any other name is a constant of the engine, which is bound like a
literal. A template that names an argument twice makes it count twice. None fails on a value of a row where that can
be had cheaply: an error would tell something about rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from cms_api.lib.sql_sandbox.compiling import literals

_BOTH = {
    "=": "({0} = {1})",
    "<>": "({0} <> {1})",
    "<": "({0} < {1})",
    "<=": "({0} <= {1})",
    ">": "({0} > {1})",
    ">=": "({0} >= {1})",
    "and": "({0} AND {1})",
    "or": "({0} OR {1})",
    "not": "(NOT {0})",
    "is null": "({0} IS NULL)",
    "is not null": "({0} IS NOT NULL)",
    "between": "({0} BETWEEN {1} AND {2})",
    "in": "({0} IN ({rest}))",
    "in query": "({0} IN ({1}))",
    "exists": "(EXISTS ({0}))",
    # Conversions that are the same on both.
    "as text": "{0}",
    "condition as flag": "CASE WHEN {0} THEN {true} WHEN NOT {0} THEN {false} END",
    "flag as condition": "({0} = {true})",
    "flag as integer": "CASE {0} WHEN {true} THEN 1 WHEN {false} THEN 0 END",
    "integer as condition": "({0} <> 0)",
    # Functions
    "length": "LENGTH({0})",
    "ltrim": "LTRIM({0}, {blank})",
    "rtrim": "RTRIM({0}, {blank})",
    "replace": "REPLACE({0}, {1}, {2})",
    "joined": "({joined})",
    "coalesce": "COALESCE({list})",
    "nullif": "NULLIF({0}, {1})",
    # The smallest integer has no counterpart: engines fail on it.
    "abs integer": "ABS(NULLIF({0}, {smallest}))",
    "abs number": "ABS({0})",
    "clamp": "CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END",
    # Aggregates and window functions
    "count": "COUNT({distinct}{0}){over}",
    "count rows": "COUNT(*){over}",
    "min": "MIN({distinct}{0}){over}",
    "max": "MAX({distinct}{0}){over}",
    "row_number": "ROW_NUMBER(){over}",
    "rank": "RANK(){over}",
    "dense_rank": "DENSE_RANK(){over}",
    "first_value": "FIRST_VALUE({0}){over}",
    "last_value": "LAST_VALUE({0}){over}",
}

_SQLITE = {
    "in kept query": "({0} IN ({1}))",
    "exists for each row": "(EXISTS ({0}))",
    "random": "(CAST(RANDOM() AS REAL) / {random_span} + {half})",
    "like": "({0} LIKE {1} ESCAPE {escape})",
    "sorted": "{0}",
    "+ integer": "({0} + {1})",
    "- integer": "({0} - {1})",
    "* integer": "({0} * {1})",
    "/ integer": "({0} / NULLIF({1}, 0))",
    "% integer": "({0} % NULLIF({1}, 0))",
    "negative integer": "(-{0})",
    "+ number": "({0} + {1})",
    "- number": "({0} - {1})",
    "* number": "({0} * {1})",
    "/ number": "({0} / NULLIF({1}, 0))",
    "negative number": "(-{0})",
    # Conversions. The casts to TEXT also take a column's affinity away, which would turn texts to numbers.
    "integer as number": "CAST({0} AS REAL)",
    "integer as text": "CAST({0} AS TEXT)",
    "number as integer": "CASE WHEN {0} BETWEEN {low} AND {high} THEN CAST({0} AS INTEGER) END",
    "number as text": "cms_number_text({0})",
    "text as integer": "cms_integer({0})",
    "text as number": "cms_number({0})",
    "text as date": "cms_date({0})",
    "date as text": "CAST({0} AS TEXT)",
    "condition as integer": "{0}",
    # Functions
    "upper": "cms_upper({0})",
    "lower": "cms_lower({0})",
    "trim": "TRIM({0}, {blank})",
    "substring": "cms_substring({0}, {1}, {2})",
    "right": "cms_right({0}, {1})",
    "split_part": "cms_split_part({0}, {1}, {2})",
    "position": "INSTR({1}, {0})",
    "round": "cms_round({0}, {1})",
    "floor": "cms_floor({0})",
    "ceiling": "cms_ceiling({0})",
    "greatest": "cms_greatest({list})",
    "least": "cms_least({list})",
    "json_value": "cms_json_value({0}, {1})",
    # Dates are texts, YYYY-MM-DD HH:MM:SS.
    "midnight": "(SUBSTR({0}, 1, 10) || {midnight})",
    "year of": "CAST(SUBSTR({0}, 1, 4) AS INTEGER)",
    "month of": "CAST(SUBSTR({0}, 6, 2) AS INTEGER)",
    "day of": "CAST(SUBSTR({0}, 9, 2) AS INTEGER)",
    "hour of": "CAST(SUBSTR({0}, 12, 2) AS INTEGER)",
    "minute of": "CAST(SUBSTR({0}, 15, 2) AS INTEGER)",
    "second of": "CAST(SUBSTR({0}, 18, 2) AS INTEGER)",
    **{
        f"add {unit}": f"cms_date_add({{{unit}}}, {{0}}, {{1}})"
        for unit in ("year", "month", "day", "hour", "minute", "second")
    },
    **{
        f"{unit}s between": f"cms_date_diff({{{unit}}}, {{0}}, {{1}})"
        for unit in ("year", "month", "day", "hour", "minute", "second")
    },
    "format_date": "STRFTIME({1}, {0})",
    # A sum of integers fails when it overflows, one of doubles or of halves of integers does not.
    "sum integer": (
        "CASE WHEN SUM(CAST({0} AS REAL)){over} BETWEEN {low} AND {high}"
        " THEN SUM({0} >> 32){over} * 4294967296 + SUM({0} & 4294967295){over} END"
    ),
    "sum distinct integer": "CAST(SUM(DISTINCT CAST({0} AS REAL)) AS INTEGER)",
    "sum number": "SUM({distinct}CAST({0} AS REAL)){over}",
    "avg": "AVG({distinct}CAST({0} AS REAL)){over}",
    "ntile": "NTILE({0}){over}",
    "lag": "LAG({0}, {1}, {2}){over}",
    "lead": "LEAD({0}, {1}, {2}){over}",
}

# The two bounds lie outside of the dates that both engines have; what reaches one becomes NULL.
_WITHIN = (
    "NULLIF(NULLIF(GREATEST(LEAST(%s, CAST({too_late} AS timestamp)), CAST({too_early} AS timestamp)),"
    " CAST({too_late} AS timestamp)), CAST({too_early} AS timestamp))"
)
_SECONDS = "{1} + MAKE_INTERVAL(0, 0, 0, 0, 0, 0, CAST({0} AS double precision)%s)"
_CUT = "DATE_TRUNC({%s}, {1}) - DATE_TRUNC({%s}, {0})"
_SHORT = "OCTET_LENGTH({0}) <= {longest_cast}"
_JSON = "CAST(NULLIF({0}, {empty}) AS json)"


def _part(field: str) -> str:
    return f"CAST(FLOOR(EXTRACT({field} FROM {{0}})) AS bigint)"


def _elapsed(unit: str, divisor: str) -> str:
    return f"(CAST(EXTRACT(EPOCH FROM {_CUT % (unit, unit)}) AS bigint){divisor})"


_POSTGRESQL = {
    # A query that is no join is read into a hash table, which has no bound of its own: the logarithm fails above it.
    "in kept query": (
        '({0} IN (SELECT "c1" FROM (SELECT "t0"."c1" AS "c1", SUM(COALESCE(PG_COLUMN_SIZE("t0"."c1"), 0) + 64) OVER'
        ' (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "c2" FROM ({1}) AS "t0") AS "t0"'
        ' WHERE LN({hash_table} - "c2") IS NOT NULL))'
    ),
    # The offset keeps PostgreSQL from reading the query into such a table.
    "exists for each row": '(EXISTS (SELECT * FROM ({0}) AS "t0" OFFSET 0))',
    "random": "RANDOM()",
    # The compiler has folded all but ASCII, as SQLite needs it. Without a locale a third of the memory is enough.
    "like": '(({0} COLLATE "C") ILIKE {1} ESCAPE {escape})',
    # The order of code points, as SQLite has it, whatever the database's own.
    "sorted": '({0} COLLATE "C")',
    "+ integer": "(CAST({0} AS bigint) + {1})",
    "- integer": "(CAST({0} AS bigint) - {1})",
    "* integer": "(CAST({0} AS bigint) * {1})",
    "/ integer": "(CAST({0} AS bigint) / NULLIF({1}, 0))",
    "% integer": "(CAST({0} AS bigint) %% NULLIF({1}, 0))",
    "negative integer": "(- CAST({0} AS bigint))",
    "+ number": "(CAST({0} AS double precision) + {1})",
    "- number": "(CAST({0} AS double precision) - {1})",
    "* number": "(CAST({0} AS double precision) * {1})",
    "/ number": "(CAST({0} AS double precision) / NULLIF({1}, 0))",
    "negative number": "(- CAST({0} AS double precision))",
    "integer as number": "CAST({0} AS double precision)",
    "integer as text": "CAST({0} AS text)",
    "number as integer": "CASE WHEN {0} BETWEEN {low} AND {high} THEN CAST(TRUNC({0}) AS bigint) END",
    "number as text": "CAST({0} AS text)",
    "text as integer": f"CASE WHEN {_SHORT} AND {{0}} ~ {{integer_pattern}} THEN CAST({{0}} AS bigint) END",
    "text as number": f"CASE WHEN {_SHORT} AND {{0}} ~ {{number_pattern}} THEN CAST({{0}} AS double precision) END",
    "text as date": f"CASE WHEN {_SHORT} AND {{0}} ~ {{date_pattern}} THEN CAST(LEFT({{0}}, 19) AS timestamp) END",
    "date as text": "TO_CHAR({0}, {moment})",
    "condition as integer": "CAST({0} AS integer)",
    "upper": "UPPER({0})",
    "lower": "LOWER({0})",
    "trim": "BTRIM({0}, {blank})",
    "substring": "SUBSTRING({0}, CAST({1} AS integer), CAST({2} AS integer))",
    "right": "RIGHT({0}, CAST({1} AS integer))",
    "split_part": "SPLIT_PART({0}, {1}, CAST({2} AS integer))",
    "position": "STRPOS({1}, {0})",
    "round": "(SIGN({0}) * FLOOR(ABS({0}) * {1} + {half}) / {1})",
    "floor": "FLOOR({0})",
    "ceiling": "CEILING({0})",
    "greatest": "GREATEST({list})",
    "least": "LEAST({list})",
    # jsonb would take a hundred times the memory of the text.
    "json_value": (
        "CASE WHEN OCTET_LENGTH({0}) <= {longest_json} THEN"
        f" CASE JSON_TYPEOF({_JSON} #> {{1}}) WHEN {{object}} THEN NULL WHEN {{array}} THEN NULL"
        f" WHEN {{number}} THEN CAST(CAST({_JSON} #>> {{1}} AS numeric) AS text) ELSE {_JSON} #>> {{1}} END END"
    ),
    "midnight": "DATE_TRUNC({day}, {0})",
    "year of": _part("YEAR"),
    "month of": _part("MONTH"),
    "day of": _part("DAY"),
    "hour of": _part("HOUR"),
    "minute of": _part("MINUTE"),
    "second of": _part("SECOND"),
    "add year": _WITHIN % "{1} + MAKE_INTERVAL(CAST({0} AS integer))",
    "add month": _WITHIN % "{1} + MAKE_INTERVAL(0, CAST({0} AS integer))",
    "add day": _WITHIN % "{1} + MAKE_INTERVAL(0, 0, 0, CAST({0} AS integer))",
    "add hour": _WITHIN % (_SECONDS % " * 3600"),
    "add minute": _WITHIN % (_SECONDS % " * 60"),
    "add second": _WITHIN % (_SECONDS % ""),
    "years between": "CAST(EXTRACT(YEAR FROM {1}) - EXTRACT(YEAR FROM {0}) AS bigint)",
    "months between": (
        "CAST((EXTRACT(YEAR FROM {1}) - EXTRACT(YEAR FROM {0})) * 12"
        " + EXTRACT(MONTH FROM {1}) - EXTRACT(MONTH FROM {0}) AS bigint)"
    ),
    "days between": _elapsed("day", " / 86400"),
    "hours between": _elapsed("hour", " / 3600"),
    "minutes between": _elapsed("minute", " / 60"),
    "seconds between": _elapsed("second", ""),
    "format_date": "TO_CHAR({0}, {1})",
    # Sums of bigint are numeric, which must not go on into arithmetic: its cost has no bound.
    "sum integer": (
        "CASE WHEN SUM({0}){over} BETWEEN {smallest} AND {largest} THEN CAST(SUM({0}){over} AS bigint) END"
    ),
    "sum distinct integer": (
        "CASE WHEN SUM(DISTINCT {0}) BETWEEN {smallest} AND {largest} THEN CAST(SUM(DISTINCT {0}) AS bigint) END"
    ),
    "sum number": "SUM({distinct}CAST({0} AS double precision)){over}",
    "avg": "AVG({distinct}CAST({0} AS double precision)){over}",
    "ntile": "CAST(NTILE(CAST({0} AS integer)){over} AS bigint)",
    "lag": "LAG({0}, CAST({1} AS integer), {2}){over}",
    "lead": "LEAD({0}, CAST({1} AS integer), {2}){over}",
}

_CONSTANTS: dict[str, str | int | float] = {
    "true": "True",
    "false": "False",
    "empty": "",
    "blank": " ",
    "escape": "!",
    "smallest": literals.SMALLEST,
    "largest": literals.LARGEST,
    # The doubles next to the ends of 64 bits.
    "low": -9223372036854774784.0,
    "high": 9223372036854774784.0,
    "half": 0.5,
    "random_span": 2.0**64,
    "integer_pattern": literals.INTEGER_PATTERN,
    "number_pattern": literals.NUMBER_PATTERN,
    "date_pattern": literals.DATE_PATTERN,
    "moment": "YYYY-MM-DD HH24:MI:SS",
    "midnight": " 00:00:00",
    "too_late": "10000-01-01 00:00:00",
    "too_early": "0001-12-31 23:59:59 BC",
    "object": "object",
    "array": "array",
    "number": "number",
    "hash_table": 16 * 1024 * 1024,
    "longest_cast": literals.LONGEST_CAST,
    "longest_json": literals.LONGEST_JSON,
    **{unit: unit for unit in ("year", "month", "day", "hour", "minute", "second")},
}


@dataclass(frozen=True)
class Engine:
    """What differs between the engines beside their connections."""

    name: str
    placeholder: str  # of a parameter's name
    templates: Mapping[str, str]
    constants: Mapping[str, str | int | float]
    has_types: bool  # whether parameters and NULL need a type beside them
    sorts_whole_rows: bool  # whether it reads every column of a row before it sorts


ENGINES = {
    "sqlite": Engine("sqlite", ":{}", _BOTH | _SQLITE, _CONSTANTS, False, True),
    "postgresql": Engine("postgresql", "%({})s", _BOTH | _POSTGRESQL, _CONSTANTS, True, False),
}
