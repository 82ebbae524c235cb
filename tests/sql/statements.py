"""Random statements: written out of a grammar, mostly sensible, and changed from the written ones, mostly not."""

import re

from cms_api.sql_endpoint.catalogue import OPEN_BY_DEFAULT, choose_tables
from tests.sql import corpus
from tests.sql.honest import HONEST, PAGING

_COLUMNS = {
    table.name: {column.name: column.kind.value for column in table.columns} for table in choose_tables(OPEN_BY_DEFAULT)
}
_COLUMNS["siteserver_Content_1"] = _COLUMNS["model_Content"] = _COLUMNS["siteserver_Content"]
_QUOTES = ['"{}"', "[{}]", "{}", "{}", "{}"]
_ALIASES = [
    "a",
    "b",
    "s",
    "c",
    "t",
    "x",
    "accounts_user",
    "sqlite_master",
    "t1",
    "c1",
    "q1",
    "v1",
    "名",
    "Id",
    "select_",
]
_CLOSED_TABLES = [
    "accounts_user", "accounts_administrator", "main.contents_content", "sqlite_master", "pg_class", "pg_shadow",
    "information_schema.tables", "apikeys_apikeytoken", "cms_sql.siteserver_site", "siteserver_User", "temp.x", "t1",
    "q1", "v1", "json_each('[1]')", "generate_series(1, 9)", "(VALUES (1))", "#x",
    "contents_content AS siteserver_Site",
]  # fmt: skip
_CLOSED = [
    "password", "version", "trashed_at", "rowid", "ctid", "oid", "xmin", "s.password", "x.*", "t1.c1", "v1.id",
    "@@version",
    "load_extension('x')", "readfile('/etc/passwd')", "pg_read_file('/etc/passwd')",
    "current_setting('cms_sql.site_ids')",
    "set_config('cms_sql.site_ids', '*', false)", "hex(randomblob(9))", "repeat('x', 999999)", "version()",
    "row_to_json(s)", "cms_integer('1')", "(SELECT password FROM accounts_user)", "'a'::regclass", "ARRAY[1]", "?",
    ":p1",
    "$1", "%(p1)s", "title ~ 'a'", "1 & 2", "CURRENT_USER", "x'00'", "E'a'", "1; DELETE FROM contents_content", "1 --",
    "CAST(1 AS xml)", "EXISTS (TABLE accounts_user)", "COUNT(*) FILTER (WHERE 1=1)", "ROW(1, 2)", "INTERVAL '1 day'",
]  # fmt: skip
_LITERALS = {
    "integer": [
        "0",
        "1",
        "-1",
        "2",
        "7",
        "101",
        "880001",
        "9223372036854775807",
        "-9223372036854775807",
        "'5'",
        "NULL",
    ],
    "number": ["0.5", "1.5", "1e308", "1e-300", "-2.25", "NULL", "3.0"],
    "text": [
        "''",
        "'a'",
        "N'港口'",
        "''''",
        "'%(p1)s'",
        "':p1'",
        "'--'",
        "'/*'",
        "'a b'",
        "'x'';--'",
        "'5'",
        "NULL",
        "'\"'",
    ],
    "date": ["'2020-01-05'", "'2020-03-15 20:15:30'", "GETDATE()", "NOW()", "'2020-12-31T00:00'", "NULL"],
    "flag": ["'True'", "'false'", "1", "TRUE"],
    "boolean": ["1 = 1", "TRUE", "1 = 0"],
    "json": ["NULL"],
}
_PATTERNS = ["'%a%'", "'_'", "'a%'", "'%'", "'%100[%]%'", "'\\_%'", "''", "'%''%'", "N'%日%'"]
_UNITS = ["year", "month", "day", "hour", "minute", "second"]
# What gives a value of the kind: `{kind}` stands for an expression of it.
_SHAPES = {
    "integer": [
        "{integer} + {integer}", "({integer} - {integer})", "{integer} * {integer}", "{integer} / {integer}",
        "{integer} % {integer}", "-({integer})", "LEN({text})", "CHARINDEX({text}, {text})", "ABS({integer})",
        "YEAR({date})", "DATEDIFF({unit}, {date}, {date})", "COALESCE({integer}, {integer})",
        "NULLIF({integer}, {integer})",
        "CASE WHEN {boolean} THEN {integer} ELSE {integer} END", "IIF({boolean}, {integer}, {integer})",
        "CAST({text} AS int)", "CAST({number} AS bigint)", "GREATEST({integer}, {integer})", "({scalar integer})",
        "ISNULL({integer}, 0)", "DATEPART(month, {date})", "EXTRACT(DAY FROM {date})", "POSITION({text} IN {text})",
    ],
    "number": [
        "{number} + {number}", "{number} * {integer}", "{number} / {number}", "ROUND({number}, 2)",
        "CAST({text} AS float)",
        "FLOOR({number})", "CEILING({number})", "ABS({number})", "COALESCE({number}, {integer})", "{integer} * 1.0",
    ],
    "text": [
        "{text} + {text}", "{text} || {text}", "CONCAT({text}, {integer}, {text})", "UPPER({text})", "LOWER({text})",
        "TRIM({text})", "LTRIM(RTRIM({text}))", "LEFT({text}, {integer})", "RIGHT({text}, 3)",
        "REPLACE({text}, {text}, 'b')",
        "SUBSTRING({text}, {integer}, {integer})", "ISNULL({text}, '')", "CAST({integer} AS varchar(10))",
        "{integer}::text",
        "CONVERT(varchar(19), {date}, 120)", "CONVERT(varchar(10), {date}, 23)", "JSON_VALUE({json}, '$.price')",
        "JSON_VALUE({json}, 'lax $.a.b')", "CASE WHEN {boolean} THEN {text} END", "COALESCE({text}, {text})",
        "({scalar text})", "CASE {integer} WHEN 1 THEN {text} ELSE {text} END", "CAST({date} AS varchar(19))",
    ],
    "date": [
        "DATEADD({unit}, {integer}, {date})", "CAST({text} AS datetime)", "ISNULL({date}, {date})",
        "CASE WHEN {boolean} THEN {date} ELSE {date} END", "CAST({date} AS date)",
    ],
    "boolean": [
        "{integer} = {integer}", "{integer} > {integer}", "{text} = {text}", "{text} < {text}", "{date} <= {date}",
        "{text} LIKE {pattern}", "{text} NOT LIKE {pattern}", "{integer} IN ({integer}, {integer})",
        "{text} IN ({text})",
        "{integer} NOT IN ({scalar integer})", "EXISTS ({any query})", "NOT EXISTS ({any query})",
        "{boolean} AND {boolean}",
        "({boolean} OR {boolean})", "NOT ({boolean})", "{integer} BETWEEN {integer} AND {integer}",
        "{text} IS NOT NULL",
        "{date} IS NULL", "{flag} = 'True'", "{flag} <> 'false'", "{number} >= {integer}",
    ],
    "flag": [],
    "json": [],
}  # fmt: skip
_WINDOWED = [
    "ROW_NUMBER()", "RANK()", "DENSE_RANK()", "COUNT(*)", "SUM({integer})", "MAX({text})", "LAG({integer})",
    "LEAD({text}, 1)", "FIRST_VALUE({text})", "LAST_VALUE({integer})", "AVG({number})",
]  # fmt: skip
_FRAMES = ["", "", " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", " RANGE UNBOUNDED PRECEDING"]
_AGGREGATES = [
    "COUNT(*)", "COUNT({text})", "COUNT(DISTINCT {integer})", "SUM({integer})", "AVG({number})", "MIN({text})",
    "MAX({date})", "MAX({integer})", "SUM({number})", "MIN({integer})",
]  # fmt: skip
_TAILS = [""] * 30 + [
    ";", " -- x", " /* x */", " FOR UPDATE", "; DELETE FROM contents_content", " INTO stolen", " LIMIT -1",
    " OPTION (RECOMPILE)", " LIMIT (SELECT 1)", " WITH ROLLUP", " UNION SELECT password FROM accounts_user",
]  # fmt: skip
_HOLE = re.compile(r"\{([a-z ]+)\}")


class Writer:
    """Writes one statement after the other, as the random numbers lead it."""

    def __init__(self, random, closed=0.01):
        """`closed` tells how often a word stands where nobody may put it."""
        self._random, self._closed = random, closed
        self._scope = []  # the relations that columns can be taken from: (alias, {column: kind})
        self._selects = 0

    def statement(self):
        """A statement, with what may stand behind it."""
        self._selects = 0
        return self._query(3) + self._one(_TAILS)

    def _query(self, room):
        kind = self._random.random()
        if kind < 0.08:
            return (
                f"{self._select(1, ['integer'])[0]} {self._one(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT'])} "
                + (self._select(1, ["integer"])[0])
            )
        if kind < 0.18:
            return self._with(room)
        ordered, columns = self._select(room)
        if kind < 0.25 and not ordered.startswith("SELECT DISTINCT"):
            return ordered.replace("SELECT ", "SELECT TOP 5 ", 1)
        return ordered + self._end(columns)

    def _with(self, room):
        name = self._one(_ALIASES)
        inner, columns = self._select(room - 1)
        outer, shown = self._select(room, tables={name: columns})
        return f"WITH {name} AS ({inner}) {outer}{self._end(shown)}"

    def _end(self, columns):
        name = self._one(list(columns) or ["1"])
        return self._one([
            "", "", f" ORDER BY {name}", f" ORDER BY 1 DESC, {name}", " ORDER BY 1 LIMIT 5", " LIMIT 3 OFFSET 1",
            f" ORDER BY {name} OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY",
        ])  # fmt: skip

    def _select(self, room, kinds=None, tables=None):
        """A SELECT, and its columns with their kinds."""
        outer, self._scope = self._scope, [] if self._random.random() < 0.7 else self._scope
        self._selects += 1
        source = self._from(room, tables or {})
        kinds = kinds or [self._one(["integer", "text", "date", "number"]) for _ in range(self._random.randint(1, 4))]
        condition = f" WHERE {self._expression('boolean', 2)}" if self._random.random() < 0.5 else ""
        grouped = self._random.random()
        if grouped < 0.12:
            items, tail = self._grouped(kinds)
        elif grouped < 0.3:
            items, tail = [self._windowed(), *(self._expression(kind, 2) for kind in kinds[1:])], ""
        else:
            items, tail = [self._expression(kind, 3) for kind in kinds], ""
        names = self._random.sample(["n", "m", "k", "Id", "标题", "c2", '"a b"'], len(kinds))
        listed = ", ".join(f"{item} AS {name}" for item, name in zip(items, names, strict=True))
        self._scope = outer
        start = self._one(["SELECT ", "SELECT ", "SELECT ", "SELECT DISTINCT "])
        return f"{start}{listed}{source}{condition}{tail}", dict(zip(names, kinds, strict=True))

    def _grouped(self, kinds):
        key = self._expression(kinds[0], 1)
        return [key, *(self._filled(self._one(_AGGREGATES), 1) for _ in kinds[1:])], f" GROUP BY {key}"

    def _windowed(self):
        over = f"PARTITION BY {self._expression('integer', 1)} " if self._random.random() < 0.3 else ""
        order = f"ORDER BY {self._expression('integer', 1)}"
        return f"{self._filled(self._one(_WINDOWED), 1)} OVER ({over}{order}{self._one(_FRAMES)})"

    def _from(self, room, tables):
        first = self._relation(room, tables)
        if self._random.random() < 0.65:
            return f" FROM {first}"
        kind = self._one(["JOIN", "LEFT JOIN", "RIGHT JOIN", "INNER JOIN", "CROSS JOIN", "FULL JOIN"])
        second = self._relation(room, tables)
        on = "" if kind == "CROSS JOIN" else f" ON {self._expression('boolean', 1)}"
        return f" FROM {first} {kind} {second}{on}"

    def _relation(self, room, tables):
        alias = self._one([name for name in _ALIASES if name not in dict(self._scope)] or _ALIASES)
        if self._is_closed():
            self._scope.append((alias, {"password": "text"}))
            return f"{self._one(_CLOSED_TABLES)} AS {alias}"
        if room > 1 and self._random.random() < 0.2 and self._selects < 5:
            inner, columns = self._select(room - 1)
            self._scope = [*self._scope, (alias, columns)]
            return f"({inner}) AS {alias}"
        name = self._one([*_COLUMNS, *tables, *tables])
        self._scope = [*self._scope, (alias, tables.get(name) or _COLUMNS[name])]
        written = name if name in tables else self._one(_QUOTES).format(name)
        return (
            f"{self._one(['', '', '', 'dbo.']) if name in _COLUMNS and name not in tables else ''}{written} AS {alias}"
        )

    def _expression(self, kind, room):
        if self._is_closed():
            return self._one(_CLOSED)
        if room <= 0 or not _SHAPES[kind] or self._random.random() < 0.4:
            return self._leaf(kind)
        return self._filled(self._one(_SHAPES[kind]), room - 1)

    def _filled(self, shape, room):
        return _HOLE.sub(lambda hole: self._part(hole[1], room), shape)

    def _part(self, hole, room):
        if hole == "unit":
            return self._one(_UNITS)
        if hole == "pattern":
            return self._one(_PATTERNS)
        if " " in hole:
            if self._selects > 4:
                return "SELECT 1"
            kind = hole.split()[-1]
            return self._select(1, [kind] if kind in _LITERALS else None)[0]
        return self._expression(hole, room)

    def _leaf(self, kind):
        fitting = [
            f"{alias}.{column}" for alias, columns in self._scope for column, found in columns.items() if found == kind
        ]
        if fitting and self._random.random() < 0.75:
            return self._one(fitting)
        return self._one(_LITERALS[kind])

    def _is_closed(self):
        return self._random.random() < self._closed

    def _one(self, words):
        return self._random.choice(words)


_WRITTEN = [*(case.statement for case in HONEST), PAGING]
_HOSTILE = [one.statement for one in corpus.read_attacks(corpus.OWN) if len(one.statement) < 400]
_PARTS = re.compile(r"\s+|\w+|'(?:[^']|'')*'|--|/\*|\*/|.", re.DOTALL)
_WORDS = sorted({part for text in _WRITTEN + _HOSTILE for part in _PARTS.findall(text) if len(part) < 40})


def change(random):
    """A written statement with some of its words taken out, added, replaced, doubled or exchanged."""
    parts = _PARTS.findall(random.choice(_WRITTEN if random.random() < 0.7 else _HOSTILE))
    for _ in range(random.randint(1, 3)):
        place, other = random.randrange(len(parts) + 1), random.randrange(len(parts) + 1)
        random.choice(_CHANGES)(parts, place, other, random.choice(_WORDS))
    return "".join(parts)


def _exchange(parts, place, other, _):
    if max(place, other) < len(parts):
        parts[place], parts[other] = parts[other], parts[place]


def _take_out(parts, place, *_):
    parts[place : place + 1] = []


def _add(parts, place, _, word):
    parts[place:place] = [" ", word, " "]


def _replace(parts, place, _, word):
    parts[place : place + 1] = [word]


def _double(parts, place, other, _):
    parts[place:place] = parts[other : other + 5]


_CHANGES = [_exchange, _take_out, _add, _replace, _double]
