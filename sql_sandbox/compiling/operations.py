"""Every operation of bound statements, in the SQL of each engine.

`{0}` is the first argument, `{list}` all of them, `{rest}` all but the first, `{joined}` all with `||`; `{over}` and
`{distinct}` belong to aggregates; other names are constants, bound like literals. An argument named twice counts
twice. Where that is cheap, no operation fails on a row's value: the error would reveal something about rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sql_sandbox.compiling import kinds

_BOTH = {
    **{sign: f"({{0}} {sign} {{1}})" for sign in ("=", "<>", "<", "<=", ">", ">=")},
    "and": "({0} AND {1})",
    "or": "({0} OR {1})",
    "not": "(NOT {0})",
    "is null": "({0} IS NULL)",
    "is not null": "({0} IS NOT NULL)",
    "between": "({0} BETWEEN {1} AND {2})",
    "in": "({0} IN ({rest}))",
    "in query": "({0} IN ({1}))",
    "exists": "(EXISTS ({0}))",
    "as text": "{0}",
    "condition as flag": "CASE WHEN {0} THEN {true} WHEN NOT {0} THEN {false} END",
    "flag as condition": "({0} = {true})",
    "flag as integer": "CASE {0} WHEN {true} THEN 1 WHEN {false} THEN 0 END",
    "integer as condition": "({0} <> 0)",
    "length": "LENGTH({0})",
    "ltrim": "LTRIM({0}, {blank})",
    "rtrim": "RTRIM({0}, {blank})",
    "replace": "REPLACE({0}, {1}, {2})",
    "joined": "({joined})",
    "coalesce": "COALESCE({list})",
    "nullif": "NULLIF({0}, {1})",
    # Engines fail on the smallest integer, which has no positive counterpart.
    "abs integer": "ABS(NULLIF({0}, {smallest}))",
    "abs number": "ABS({0})",
    "clamp": "CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END",
    "count": "COUNT({distinct}{0}){over}",
    "count rows": "COUNT(*){over}",
    "min": "MIN({distinct}{0}){over}",
    "max": "MAX({distinct}{0}){over}",
    **{name: f"{name.upper()}(){{over}}" for name in ("row_number", "rank", "dense_rank")},
    **{name: f"{name.upper()}({{0}}){{over}}" for name in ("first_value", "last_value")},
}

# The bounds are outside both engines' dates; a value that reaches one becomes NULL.
_WITHIN = (
    "NULLIF(NULLIF(GREATEST(LEAST({1} + MAKE_INTERVAL(%s), CAST({too_late} AS timestamp)),"
    " CAST({too_early} AS timestamp)), CAST({too_late} AS timestamp)), CAST({too_early} AS timestamp))"
)
_SECONDS = "0, 0, 0, 0, 0, 0, CAST({0} AS double precision)%s"
_ELAPSED = "(CAST(EXTRACT(EPOCH FROM DATE_TRUNC({%s}, {1}) - DATE_TRUNC({%s}, {0})) AS bigint)%s)"
_SHORT = "OCTET_LENGTH({0}) <= {longest_cast}"
_JSON = "CAST(NULLIF({0}, {empty}) AS json)"

# For each unit: its place in SQLite's text, and PostgreSQL's interval arguments and difference.
_UNITS = {
    "year": ("1, 4", "CAST({0} AS integer)", "CAST(EXTRACT(YEAR FROM {1}) - EXTRACT(YEAR FROM {0}) AS bigint)"),
    "month": (
        "6, 2",
        "0, CAST({0} AS integer)",
        "CAST((EXTRACT(YEAR FROM {1}) - EXTRACT(YEAR FROM {0})) * 12"
        " + EXTRACT(MONTH FROM {1}) - EXTRACT(MONTH FROM {0}) AS bigint)",
    ),
    "day": ("9, 2", "0, 0, 0, CAST({0} AS integer)", _ELAPSED % ("day", "day", " / 86400")),
    "hour": ("12, 2", _SECONDS % " * 3600", _ELAPSED % ("hour", "hour", " / 3600")),
    "minute": ("15, 2", _SECONDS % " * 60", _ELAPSED % ("minute", "minute", " / 60")),
    "second": ("18, 2", _SECONDS % "", _ELAPSED % ("second", "second", "")),
}

# SQL of SQLite and PostgreSQL.
_PAIRS = {
    # A query that is no join is read into a hash table without a bound of its own: the logarithm fails above ours.
    "in kept query": (
        "({0} IN ({1}))",
        '({0} IN (SELECT "c1" FROM (SELECT "t0"."c1" AS "c1", SUM(COALESCE(PG_COLUMN_SIZE("t0"."c1"), 0) + 64) OVER'
        ' (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "c2" FROM ({1}) AS "t0") AS "t0"'
        ' WHERE LN({hash_table} - "c2") IS NOT NULL))',
    ),
    # The offset prevents PostgreSQL from reading the query into such a table.
    "exists for each row": ("(EXISTS ({0}))", '(EXISTS (SELECT * FROM ({0}) AS "t0" OFFSET 0))'),
    "random": ("(CAST(RANDOM() AS REAL) / {random_span} + {half})", "RANDOM()"),
    # The compiler has folded all but ASCII, as SQLite needs it. Without a locale a third of the memory is enough.
    "like": ("({0} LIKE {1} ESCAPE {escape})", '(({0} COLLATE "C") ILIKE {1} ESCAPE {escape})'),
    # By code points, as in SQLite, regardless of the database's collation.
    "sorted": ("{0}", '({0} COLLATE "C")'),
    **{
        f"{sign} {kind}": (f"({{0}} {sign} {right})", f"(CAST({{0}} AS {type_name}) {sign} {right})")
        for kind, type_name in (("integer", "bigint"), ("number", "double precision"))
        for sign, right in (("+", "{1}"), ("-", "{1}"), ("*", "{1}"), ("/", "NULLIF({1}, 0)"))
    },
    "% integer": ("({0} % NULLIF({1}, 0))", "(CAST({0} AS bigint) %% NULLIF({1}, 0))"),
    "negative integer": ("(-{0})", "(- CAST({0} AS bigint))"),
    "negative number": ("(-{0})", "(- CAST({0} AS double precision))"),
    # The casts to TEXT also remove a column's affinity, which would turn texts into numbers.
    "integer as number": ("CAST({0} AS REAL)", "CAST({0} AS double precision)"),
    "integer as text": ("CAST({0} AS TEXT)", "CAST({0} AS text)"),
    "number as integer": (
        "CASE WHEN {0} BETWEEN {low} AND {high} THEN CAST({0} AS INTEGER) END",
        "CASE WHEN {0} BETWEEN {low} AND {high} THEN CAST(TRUNC({0}) AS bigint) END",
    ),
    "number as text": ("cms_number_text({0})", "CAST({0} AS text)"),
    "text as integer": (
        "cms_integer({0})",
        f"CASE WHEN {_SHORT} AND {{0}} ~ {{integer_pattern}} THEN CAST({{0}} AS bigint) END",
    ),
    "text as number": (
        "cms_number({0})",
        f"CASE WHEN {_SHORT} AND {{0}} ~ {{number_pattern}} THEN CAST({{0}} AS double precision) END",
    ),
    "text as date": (
        "cms_date({0})",
        f"CASE WHEN {_SHORT} AND {{0}} ~ {{date_pattern}} THEN CAST(LEFT({{0}}, 19) AS timestamp) END",
    ),
    "date as text": ("CAST({0} AS TEXT)", "TO_CHAR({0}, {moment})"),
    "condition as integer": ("{0}", "CAST({0} AS integer)"),
    "upper": ("cms_upper({0})", "UPPER({0})"),
    "lower": ("cms_lower({0})", "LOWER({0})"),
    "trim": ("TRIM({0}, {blank})", "BTRIM({0}, {blank})"),
    "substring": ("cms_substring({0}, {1}, {2})", "SUBSTRING({0}, CAST({1} AS integer), CAST({2} AS integer))"),
    "right": ("cms_right({0}, {1})", "RIGHT({0}, CAST({1} AS integer))"),
    "split_part": ("cms_split_part({0}, {1}, {2})", "SPLIT_PART({0}, {1}, CAST({2} AS integer))"),
    "position": ("INSTR({1}, {0})", "STRPOS({1}, {0})"),
    "round": ("cms_round({0}, {1})", "(SIGN({0}) * FLOOR(ABS({0}) * {1} + {half}) / {1})"),
    "floor": ("cms_floor({0})", "FLOOR({0})"),
    "ceiling": ("cms_ceiling({0})", "CEILING({0})"),
    "greatest": ("cms_greatest({list})", "GREATEST({list})"),
    "least": ("cms_least({list})", "LEAST({list})"),
    # jsonb would take a hundred times the memory of the text.
    "json_value": (
        "cms_json_value({0}, {1})",
        "CASE WHEN OCTET_LENGTH({0}) <= {longest_json} THEN"
        f" CASE JSON_TYPEOF({_JSON} #> {{1}}) WHEN {{object}} THEN NULL WHEN {{array}} THEN NULL"
        f" WHEN {{number}} THEN CAST(CAST({_JSON} #>> {{1}} AS numeric) AS text) ELSE {_JSON} #>> {{1}} END END",
    ),
    # Dates of SQLite are texts: YYYY-MM-DD HH:MM:SS.
    "midnight": ("(SUBSTR({0}, 1, 10) || {midnight})", "DATE_TRUNC({day}, {0})"),
    **{
        f"{unit} of": (
            f"CAST(SUBSTR({{0}}, {place}) AS INTEGER)",
            f"CAST(FLOOR(EXTRACT({unit.upper()} FROM {{0}})) AS bigint)",
        )
        for unit, (place, _, _) in _UNITS.items()
    },
    **{
        f"add {unit}": (f"cms_date_add({{{unit}}}, {{0}}, {{1}})", _WITHIN % added)
        for unit, (_, added, _) in _UNITS.items()
    },
    **{
        f"{unit}s between": (f"cms_date_diff({{{unit}}}, {{0}}, {{1}})", between)
        for unit, (_, _, between) in _UNITS.items()
    },
    "format_date": ("STRFTIME({1}, {0})", "TO_CHAR({0}, {1})"),
    # On SQLite an overflowing sum of integers fails; sums of doubles or of halves of integers do not. PostgreSQL's sums
    # of bigint are numeric, which must not be used in arithmetic: its cost has no bound.
    "sum integer": (
        "CASE WHEN SUM(CAST({0} AS REAL)){over} BETWEEN {low} AND {high}"
        " THEN SUM({0} >> 32){over} * 4294967296 + SUM({0} & 4294967295){over} END",
        "CASE WHEN SUM({0}){over} BETWEEN {smallest} AND {largest} THEN CAST(SUM({0}){over} AS bigint) END",
    ),
    "sum distinct integer": (
        "CAST(SUM(DISTINCT CAST({0} AS REAL)) AS INTEGER)",
        "CASE WHEN SUM(DISTINCT {0}) BETWEEN {smallest} AND {largest} THEN CAST(SUM(DISTINCT {0}) AS bigint) END",
    ),
    "sum number": ("SUM({distinct}CAST({0} AS REAL)){over}", "SUM({distinct}CAST({0} AS double precision)){over}"),
    "avg": ("AVG({distinct}CAST({0} AS REAL)){over}", "AVG({distinct}CAST({0} AS double precision)){over}"),
    "ntile": ("NTILE({0}){over}", "CAST(NTILE(CAST({0} AS integer)){over} AS bigint)"),
    "lag": ("LAG({0}, {1}, {2}){over}", "LAG({0}, CAST({1} AS integer), {2}){over}"),
    "lead": ("LEAD({0}, {1}, {2}){over}", "LEAD({0}, CAST({1} AS integer), {2}){over}"),
}

CONSTANTS: dict[str, str | int | float] = {
    "true": "True",
    "false": "False",
    "empty": "",
    "blank": " ",
    "escape": "!",
    "smallest": kinds.SMALLEST,
    "largest": kinds.LARGEST,
    # The doubles next to the ends of 64 bits.
    "low": -9223372036854774784.0,
    "high": 9223372036854774784.0,
    "half": 0.5,
    "random_span": 2.0**64,
    "integer_pattern": kinds.INTEGER_PATTERN,
    "number_pattern": kinds.NUMBER_PATTERN,
    "date_pattern": kinds.DATE_PATTERN,
    "moment": "YYYY-MM-DD HH24:MI:SS",
    "midnight": " 00:00:00",
    "too_late": "10000-01-01 00:00:00",
    "too_early": "0001-12-31 23:59:59 BC",
    "object": "object",
    "array": "array",
    "number": "number",
    "hash_table": 16 * 1024 * 1024,
    "longest_cast": kinds.LONGEST_CAST,
    "longest_json": kinds.LONGEST_JSON,
    **{unit: unit for unit in _UNITS},
}


@dataclass(frozen=True)
class Engine:
    name: str
    placeholder: str  # format for a parameter's name
    templates: Mapping[str, str]
    has_types: bool  # parameters and NULL need a type
    sorts_whole_rows: bool  # reads every column of a row before it sorts


_SQLITE, _POSTGRESQL = ({name: pair[place] for name, pair in _PAIRS.items()} for place in (0, 1))
ENGINES = {
    "sqlite": Engine("sqlite", ":{}", _BOTH | _SQLITE, has_types=False, sorts_whole_rows=True),
    "postgresql": Engine("postgresql", "%({})s", _BOTH | _POSTGRESQL, has_types=True, sorts_whole_rows=False),
}
