"""Records whose texts use files, and the SQL of each engine that finds the addresses in them.

A text uses a file by `@/path`, or by `/upload/…` after anything, whose path begins with `upload/`. The path ends before
the next address, a character of `ENDS`, or the end of the text. A percent-encoded path counts in both forms. Smaller
forms of a picture count as the picture, too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import CharField, F, Func

from media_library.kinds import MAX_PATH
from media_library.models import UseSource

MARKS = ("@/", "/upload/")
ENDS = "\"'()<>&?#\\,| \t\n\r\f\v"
_TABLE = "media_library_mediause"
_COLUMNS = "site_id, source, source_id, address"
_NEVER = "('', 'upload/')"  # a mark without a path
_ALL_ENDS = f"char({', '.join(str(ord(end)) for end in ENDS)})"
_END = r"""["''()<>&?#\\,| \t\n\r\f\v]"""


@dataclass(frozen=True, slots=True)
class Source:
    kind: UseSource
    table: str
    texts: tuple[str, ...] = ()
    json: tuple[str, ...] = ()  # JSON as text
    settings: tuple[str, ...] = ()  # columns of JSON
    key: str = "id"  # the id of the record
    row: str = ""  # the primary key, if a record has several rows
    site: str = "site_id"  # empty: of the content

    @property
    def name(self) -> str:
        return self.kind.rpartition(".")[2]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose changes can change uses."""
        numbers = dict.fromkeys([self.key, *([self.site] if self.site else ())])
        return (*numbers, *self.texts, *self.json, *self.settings)


SOURCES = (
    Source(UseSource.BODY, "contents_contentbody", ("text",), key="content_id", site=""),
    Source(
        UseSource.FIELDS,
        "contents_content",
        ("image_url", "video_url", "file_url", "link_url", "summary"),
        ("settings_xml",),
    ),
    Source(
        UseSource.PICTURES,
        "contents_contentpicture",
        ("small_url", "middle_url", "large_url", "description"),
        key="content_id",
        row="id",
        site="",
    ),
    Source(UseSource.DRAFT, "contents_contentdraft", ("draft_body",), ("draft_values",), key="content_id"),
    Source(
        UseSource.CHANNEL,
        "channels_app_channel",
        ("image_url", "link_url", "content", "description"),
        settings=("settings",),
    ),
    Source(UseSource.TEMPLATE, "pages_template", ("text",)),
    Source(UseSource.SITE, "cms_sites_site", settings=("settings",), site="id"),
)
TABLES = [_TABLE, "media_library_mediausefill", *(source.table for source in SOURCES)]


def storing(source: Source, vendor: str, condition: str) -> str:
    """Return the statement that stores the uses of the records whose row `s` meets the condition."""
    return f"INSERT INTO {_TABLE} ({_COLUMNS}) {finding(source, vendor, condition)} ON CONFLICT DO NOTHING"


def finding(source: Source, vendor: str, condition: str) -> str:
    """Return the query of these uses."""
    return (_find_in_postgresql if vendor == "postgresql" else _find_in_sqlite)(source, condition)


def _find_in_postgresql(source: Source, condition: str) -> str:
    rows, site = _rows(source)
    found = f"{rows}, media_library_addresses({_postgresql_text(source, 's')}) AS item (address)"
    return f"SELECT DISTINCT {site}, '{source.kind}', s.{source.key}, item.address FROM {found} WHERE {condition}"


def _find_in_sqlite(source: Source, condition: str) -> str:
    """Return the query; each inner one has a limit so that SQLite does not repeat its expressions in the outer one.

    JSON divides a text in one pass: quoted as one string, each address then begins a new string.
    """
    rows, site = _rows(source)
    quoted = f"json_quote({_sqlite_text(source, 's')})"
    for mark, replacement in (("@/upload/", "/upload/"), ("/upload/", '","upload/'), ("@/", '","')):
        quoted = f"replace({quoted}, '{mark}', '{replacement}')"
    # Most addresses end at a quotation mark.
    begun = f"substr(part.value, 1, min({MAX_PATH + 1}, instr(part.value || char(34), char(34)) - 1))"
    has = _sqlite_has(source, "s")
    parts = (
        f"SELECT {site} AS site_id, s.{source.key} AS source_id, {begun} AS raw "
        f"FROM {rows}, json_each('[' || {quoted} || ']') part WHERE ({condition}) AND {has} AND part.key > 0 LIMIT -1"
    )
    written = f"SELECT site_id, source_id, {_sqlite_cut('raw')} AS raw FROM ({parts}) LIMIT -1"
    decoded = (
        "SELECT site_id, source_id, raw, CASE WHEN instr(raw, '%') THEN "
        f"{_SQLITE_DECODED} ELSE raw END AS decoded FROM ({written}) LIMIT -1"
    )
    forms = ["raw", "decoded", _sqlite_cut("decoded")]
    every = f"json_array({', '.join([*forms, *map(_larger, forms)])})"
    chosen = f"CASE WHEN decoded = raw AND {_larger('raw')} = raw THEN json_array(raw) ELSE {every} END"
    return (
        f"SELECT DISTINCT site_id, '{source.kind}', source_id, form.value FROM ({decoded}), json_each({chosen}) form "
        f"WHERE length(CAST(form.value AS blob)) <= {MAX_PATH} AND form.value NOT IN {_NEVER}"
    )


def _rows(source: Source) -> tuple[str, str]:
    """Return the tables, and the column of the site."""
    if source.site:
        return f"{source.table} s", f"s.{source.site}"
    return f"{source.table} s JOIN contents_content c ON c.id = s.{source.key}", "c.site_id"


def _postgresql_text(source: Source, row: str, json: str = "media_library_json({})") -> str:
    columns = [f"{row}.{column}" for column in source.texts]
    columns += [json.format(f"{row}.{column}") for column in source.json]
    columns += [f"{row}.{column}::text" for column in source.settings]
    return f"concat_ws(E'\\n', {', '.join(columns)})" if len(columns) > 1 else columns[0]


def _postgresql_has(source: Source, row: str) -> str:
    text = _postgresql_text(source, row, "{}")
    conditions = [f"position('{mark}' IN {text}) > 0" for mark in MARKS]
    conditions += [f"position('\\' IN {row}.{column}) > 0" for column in source.json]
    return f"({' OR '.join(conditions)})"


def _sqlite_text(source: Source, row: str) -> str:
    columns = [f"coalesce({row}.{column}, '')" for column in source.texts]
    columns += [_sqlite_json(f"{row}.{column}") for column in (*source.json, *source.settings)]
    return " || char(10) || ".join(columns)


def _sqlite_json(column: str) -> str:
    """Return the expression for the texts in JSON; without a backslash, JSON has them as written."""
    values = (
        f"SELECT group_concat(coalesce(key, '') || char(34) || coalesce(atom, ''), char(34)) FROM json_tree({column})"
    )
    return f"CASE WHEN instr({column}, '\\') AND json_valid({column}) THEN ({values}) ELSE {column} END"


def _sqlite_has(source: Source, row: str) -> str:
    columns = [(f"{row}.{column}", False) for column in source.texts]
    columns += [(f"{row}.{column}", True) for column in (*source.json, *source.settings)]
    conditions = [
        f"instr({column}, '{mark}')" for column, is_json in columns for mark in (*MARKS, *(["\\"] if is_json else ()))
    ]
    return f"({' OR '.join(conditions)})"


def _sqlite_cut(text: str, marks: Sequence[str] = ()) -> str:
    """Return the expression for the text before its first end or mark."""
    found = [f"instr({text} || {_ALL_ENDS}, char({ord(end)}))" for end in ENDS]
    found += [f"instr({text} || '{mark}', '{mark}')" for mark in marks]
    return f"substr({text}, 1, min({', '.join(found)}) - 1)"


def _larger(path: str) -> str:
    return f"replace(replace({path}, '_small.', '.'), '_middle.', '.')"


# SQLite decodes `raw` by arithmetic: `b` is the byte that begins a part, `b1` to `b3` are the next ones.
_DIGITS = "(instr('0123456789ABCDEF', upper(substr(value, {}, 1))) - 1)"
_BYTES = (
    "SELECT key AS k, value AS v, CASE WHEN key > 0 AND substr(value, 1, 2) GLOB '[0-9A-Fa-f][0-9A-Fa-f]' "
    f"THEN {_DIGITS.format(1)} * 16 + {_DIGITS.format(2)} END AS b "
    "FROM json_each('[' || replace(json_quote(raw), '%', '\",\"') || ']')"
)
_NEXT = ", ".join(f"lead(b, {number}) OVER (ORDER BY k) & 63 AS b{number}" for number in (1, 2, 3))
_SQLITE_DECODED = (
    "(SELECT group_concat(CASE WHEN b IS NULL THEN iif(k = 0, '', '%') || v "
    "WHEN b < 128 THEN char(b) || r WHEN b < 192 THEN r "
    "WHEN b < 224 THEN char(((b & 31) << 6) | b1) || r "
    "WHEN b < 240 THEN char(((b & 15) << 12) | (b1 << 6) | b2) || r "
    "ELSE char(((b & 7) << 18) | (b1 << 12) | (b2 << 6) | b3) || r END, '') "
    f"FROM (SELECT k, v, b, substr(v, 3) AS r, {_NEXT} FROM ({_BYTES})))"
)


# In the files in media_library/sql, where rows are NEW and OLD on SQLite, new and old on PostgreSQL.


def _has(source: Source, row: str) -> str:
    return _sqlite_has(source, row) if row.isupper() else _postgresql_has(source, row)


def _changed(source: Source, row: str) -> str:
    old, differs = ("OLD", "IS NOT") if row.isupper() else ("old", "IS DISTINCT FROM")
    before, after = (", ".join(f"{each}.{column}" for column in source.columns) for each in (old, row))
    return f"({before}) {differs} ({after}) AND ({_has(source, old)} OR {_has(source, row)})"


def _columns(source: Source, _row: str) -> str:
    return ", ".join(source.columns)


def _store(source: Source, row: str) -> str:
    key = source.row or source.key
    return storing(source, _vendor(row), f"s.{key} = {row}.{key}")


def _renew(source: Source, row: str) -> str:
    old = "OLD" if row.isupper() else "old"
    keys = f"IN ({', '.join(dict.fromkeys([f'{old}.{source.key}', f'{row}.{source.key}']))})"
    stored = storing(source, _vendor(row), f"s.{source.key} {keys}")
    return f"DELETE FROM {_TABLE} WHERE source = '{source.kind}' AND source_id {keys};\n    {stored}"


def _vendor(row: str) -> str:
    return "sqlite" if row.isupper() else "postgresql"


def _expressions() -> Iterator[tuple[str, Callable[[str], str]]]:
    for source in SOURCES:
        for name, expression in (
            ("{}_has", _has),
            ("{}_changed", _changed),
            ("{}_columns", _columns),
            ("store_{}", _store),
            ("renew_{}", _renew),
        ):
            yield name.format(source.name), partial(expression, source)
    yield "end", lambda _row: _END
    yield "never", lambda _row: _NEVER
    yield "longest", lambda _row: str(MAX_PATH)


EXPRESSIONS = dict(_expressions())


class Cut(Func):
    """The path of a file before its first end or mark: the address of it in texts that do not encode these."""

    output_field = CharField()

    def __init__(self, path: str) -> None:
        super().__init__(F(path))

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        path, params = compiler.compile(self.source_expressions[0])
        return _sqlite_cut(path, MARKS), params * (1 + len(ENDS) + len(MARKS))

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        path, params = compiler.compile(self.source_expressions[0])
        return f"split_part(regexp_replace({path}, '{'|'.join([_END, *MARKS])}', E'\\n'), E'\\n', 1)", params
