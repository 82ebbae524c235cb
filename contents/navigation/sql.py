"""The address of a content's page as SQL, equal to what contents.navigation.addresses gives, for Where and Order rules.

The expression stands over `c` (content), `b` (its body) and `s` (its site). Texts of the site's own rules and
channels stand in it as literals, since the expression is used several times in one statement.
"""

from typing import Any, Protocol

import orjson
from django.db.backends.base.base import BaseDatabaseWrapper

from channels_app.pages import content_pages
from contents.conditions import custom_text
from contents.navigation.addresses import DATE_PARTS, NO_TOKENS, SEQUENCE_SQL, SYNONYMS, follow_all
from contents.wire.columns import BY_FOLDED_WIRE, Column
from sites.page_rules import (
    CONTENT_RULE,
    LEFT_OUT,
    MAX_PATH,
    MAX_VALUE,
    Choice,
    Parts,
    Token,
    clean,
    collapse,
    parse_rule,
)

# A rule whose texts stand elsewhere: their places (int), tokens (Token), the options of choices (Shape).
Shape = tuple[Any, ...]
_DATE_PARTS_SQL = {
    "year": "substr({date}, 1, 4)",
    "month": "substr({date}, 6, 2)",
    "day": "substr({date}, 9, 2)",
    "hour": "CAST(CAST(substr({date}, 12, 2) AS integer) AS text)",
    "minute": "CAST(CAST(substr({date}, 15, 2) AS integer) AS text)",
    "second": "CAST(CAST(substr({date}, 18, 2) AS integer) AS text)",
}
_ADDRESSES = {"imageUrl", "videoUrl", "fileUrl"}  # answered as addresses that a browser can follow
assert _DATE_PARTS_SQL.keys() == DATE_PARTS.keys()  # noqa: S101 - two halves of one rule


class Rules(Protocol):
    """What addresses need of contents.rules.writer."""

    is_postgresql: bool

    def find(self, name: str) -> Column | None:
        """The column of a name in any letter case, if there is one."""

    def text_of(self, column: Column) -> str:
        """SQL of the column's text form."""


def literal(text: str) -> str:
    """The text as SQL; % is doubled for the driver."""
    return "'" + text.replace("'", "''").replace("%", "%%") + "'"


def navigation_sql(rules: Rules, site_id: int) -> str:
    """The expression for contents of the site."""
    own = (
        f"CASE WHEN c.link_url = '' THEN s.web_url || {_collapse(rules, _path(rules, site_id))} "
        f"ELSE {_resolve('c.link_url')} END"
    )
    referred = follow_all(site_id)
    return f"COALESCE({_entry(rules, referred, 'c.id')}, {own})" if referred else f"({own})"


def _path(rules: Rules, site_id: int) -> str:
    pages = content_pages(site_id, None)
    if pages is None:
        return _Writer(rules).write(parse_rule(CONTENT_RULE))
    parts = {channel_id: pages.content_parts(channel_id) for channel_id in pages.channel_ids}
    if len(set(parts.values())) == 1:
        return _Writer(rules).write(next(iter(parts.values())))
    return _path_by_channel(rules, parts)


def _path_by_channel(rules: Rules, parts: dict[int, Parts]) -> str:
    """Rules of one shape are written once; the texts in them are looked up by the content's channel."""
    shapes: dict[Shape, int] = {}
    entries: dict[int, list[Any]] = {}
    for channel_id, one in parts.items():
        texts: list[str] = []
        number = shapes.setdefault(_shape(one, texts), len(shapes))
        entries[channel_id] = [str(number), *texts]
    write = _Writer(rules).write_shape
    cases = " ".join(f"WHEN '{number}' THEN {write(shape)}" for shape, number in shapes.items())
    entry = _entry(rules, entries, "c.channel_id", as_json=True)
    return f"(SELECT CASE {_item(rules, 0)} {cases} END FROM (SELECT {entry} AS texts) rule)"


def _shape(parts: Parts, texts: list[str]) -> Shape:
    shape: list[Any] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            shape.append(len(texts))
        elif isinstance(part, Choice):
            shape.append(tuple(_shape(option, texts) for option in part.options))
        else:
            shape.append(part)
    return tuple(shape)


class _Writer:
    """Writes rules as SQL."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def write(self, parts: Parts) -> str:
        """A rule with its texts in place."""
        texts: list[str] = []
        shape = _shape(parts, texts)
        return self._join(shape, [literal(text) for text in texts])

    def write_shape(self, shape: Shape) -> str:
        """A rule whose texts are looked up."""
        return self._join(shape, None)

    def _join(self, shape: Shape, texts: list[str] | None) -> str:
        return " || ".join(self._part(part, texts) for part in shape) or "''"

    def _part(self, part: Any, texts: list[str] | None) -> str:
        if isinstance(part, int):
            return texts[part - 1] if texts is not None else _item(self._rules, part)
        if isinstance(part, Token):
            return self._token(part.name)
        options = ", ".join(f"NULLIF({self._join(option, texts)}, '')" for option in part)
        return f"COALESCE({options}, '')"

    def _token(self, name: str) -> str:
        if name in _DATE_PARTS_SQL:
            return _DATE_PARTS_SQL[name].format(date=self._rules.text_of(BY_FOLDED_WIRE["adddate"]))
        if name == "sequence":
            return f"CAST({SEQUENCE_SQL} AS text)"
        if (column := self._rules.find(SYNONYMS.get(name, name))) is not None:
            return self._text(column)
        if (column := self._rules.find(name.removeprefix("lower"))) is None:
            return "''"
        if not self._rules.is_postgresql:
            return f"lower({self._text(column)})"
        # ASCII only, as in page_rules; the rest of the address keeps the language that ILIKE goes by.
        return f'(lower({self._text(column)} COLLATE "C") COLLATE "default")'

    def _text(self, column: Column) -> str:
        if column.wire in NO_TOKENS:
            return "''"
        if not (column.is_text or column.is_date):
            return self._rules.text_of(column)
        if column.wire in _ADDRESSES:
            return self._clean(_resolve(column.sql))
        if column.wire.casefold() not in BY_FOLDED_WIRE:
            return self._clean(_custom_text(self._rules, column.name))
        return self._clean(f"COALESCE({self._rules.text_of(column)}, '')")

    def _clean(self, text: str) -> str:
        if self._rules.is_postgresql:
            return f"translate(substr({text}, 1, {MAX_VALUE}), {literal(LEFT_OUT)}, '')"
        return f"{_VALUE_FUNCTION}({text})"


def _resolve(text: str) -> str:
    """sites.addresses.resolve."""
    return (
        f"CASE WHEN substr({text}, 1, 2) = '@/' THEN s.web_url || substr({text}, 2) "
        f"WHEN substr({text}, 1, 2) = '~/' THEN substr({text}, 2) ELSE {text} END"
    )


def _custom_text(rules: Rules, key: str) -> str:
    """A custom field as contents.navigation.addresses writes it: nothing for lists and objects."""
    nothing = "WHEN 'object' THEN '' WHEN 'array' THEN ''"
    return custom_text(literal(key), is_postgresql=rules.is_postgresql, of_several=nothing)


def _collapse(rules: Rules, path: str) -> str:
    """One slash at the beginning, and no two in a row."""
    if rules.is_postgresql:
        return f"left(regexp_replace('/' || {path}, '//+', '/', 'g'), {MAX_PATH})"
    return f"{_PATH_FUNCTION}({path})"


# SQLite's parser holds no more than 100 open calls and parentheses: what takes many is a function of ours there.
_VALUE_FUNCTION, _PATH_FUNCTION = "cms_page_value", "cms_page_path"


def add_functions(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Give a new connection to SQLite the functions that addresses are written with."""
    if connection.vendor == "sqlite":
        create = connection.connection.create_function
        create(_VALUE_FUNCTION, 1, lambda text: text and clean(text[:MAX_VALUE]), deterministic=True)
        create(_PATH_FUNCTION, 1, lambda path: None if path is None else collapse(path), deterministic=True)


def _entry(rules: Rules, entries: dict[int, Any], key: str, *, as_json: bool = False) -> str:
    """What a table of JSON has for the number, null where it has nothing."""
    table = literal(orjson.dumps({str(number): entry for number, entry in entries.items()}).decode())
    if rules.is_postgresql:
        return f"({table}::jsonb {'->' if as_json else '->>'} {key}::text)"
    return f"""json_extract({table}, '$."' || {key} || '"')"""


def _item(rules: Rules, place: int) -> str:
    return f"(rule.texts ->> {place})" if rules.is_postgresql else f"json_extract(rule.texts, '$[{place}]')"
