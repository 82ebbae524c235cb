"""Page addresses as SQL for Where and Order rules, equal to contents.navigation.page_urls.

Refers to `c` (content), `b` (body) and `s` (site). Texts of rules are literals, since the expression occurs several
times in a statement.
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from channels_app.page_paths import content_pages
from contents.navigation.page_urls import DATE_PARTS, NO_TOKENS, SEQUENCE_SQL, SYNONYMS, follow_all
from contents.sql_fragments import custom_text, literal
from contents.wire.columns import BY_FOLDED_WIRE, Column
from sites.page_rules import (
    CONTENT_RULE,
    IN_ADDRESSES,
    LEFT_OUT,
    MAX_PATH,
    MAX_VALUE,
    Choice,
    Parts,
    Token,
    clean,
    collapse,
    parse_rule,
    quoted,
)

# A rule without its texts: their index (int), tokens (Token), options of choices (Shape).
Shape = tuple[Any, ...]
# Rules.find: the column of a name in any letter case.
Find = Callable[[str], Column | None]
_DATE_PARTS_SQL = {
    "year": "substr({date}, 1, 4)",
    "month": "substr({date}, 6, 2)",
    "day": "substr({date}, 9, 2)",
    "hour": "CAST(CAST(substr({date}, 12, 2) AS integer) AS text)",
    "minute": "CAST(CAST(substr({date}, 15, 2) AS integer) AS text)",
    "second": "CAST(CAST(substr({date}, 18, 2) AS integer) AS text)",
}
assert _DATE_PARTS_SQL.keys() == DATE_PARTS.keys()  # noqa: S101 - the two must agree


def navigation_sql(site_id: int, find: Find) -> str:
    pages = content_pages(site_id, None)
    rules = {0: parse_rule(CONTENT_RULE)}
    if pages is not None:
        rules = {channel_id: pages.content_parts(channel_id) for channel_id in pages.channel_ids}
    path = path_sql(rules, find)
    if any(_has_special(parts) for parts in set(rules.values())):
        for character, written in IN_ADDRESSES.items():
            path = f"replace({path}, {literal(character)}, {literal(written)})"
    own = f"CASE WHEN c.link_url = '' THEN s.web_url || {path} ELSE {_resolve('c.link_url')} END"
    referred = follow_all(site_id)
    return f"COALESCE({_entry(referred, 'c.id')}, {own})" if referred else f"({own})"


def _has_special(parts: Parts) -> bool:
    """Return whether a text of the rule has a character that an address writes otherwise; values have none."""
    return any(
        any(map(_has_special, part.options))
        if isinstance(part, Choice)
        else isinstance(part, str) and quoted(part) != part
        for part in parts
    )


def path_sql(rules: Mapping[int, Parts], find: Find) -> str:
    """The path of a content's own page; `rules` are the rules of all channels, or one that applies to every content."""
    path = _path(rules, find)
    if connection.vendor == "postgresql":
        return f"left(regexp_replace('/' || {path}, '//+', '/', 'g'), {MAX_PATH})"
    return f"{_PATH_FUNCTION}({path})"


def _path(parts: Mapping[int, Parts], find: Find) -> str:
    if len(set(parts.values())) == 1:
        return _with_texts(next(iter(parts.values())), find)
    # Rules of the same shape are written once, with their texts looked up by channel.
    shapes: dict[Shape, int] = {}
    entries: dict[int, list[Any]] = {}
    for channel_id, one in parts.items():
        texts: list[str] = []
        number = shapes.setdefault(_shape(one, texts), len(shapes))
        entries[channel_id] = [str(number), *texts]
    cases = " ".join(f"WHEN '{number}' THEN {_join(shape, None, find)}" for shape, number in shapes.items())
    entry = _entry(entries, "c.channel_id", as_json=True)
    return f"(SELECT CASE {_item(0)} {cases} END FROM (SELECT {entry} AS texts) rule)"


def _shape(parts: Parts, texts: list[str]) -> Shape:
    """Return the shape of the rule and append its texts to `texts`; indexes count from 1."""
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


def _with_texts(parts: Parts, find: Find) -> str:
    texts: list[str] = []
    shape = _shape(parts, texts)
    return _join(shape, texts, find)


def _join(shape: Shape, texts: list[str] | None, find: Find) -> str:
    written = []
    for part in shape:
        if isinstance(part, int):
            written.append(literal(texts[part - 1]) if texts is not None else _item(part))
        elif isinstance(part, Token):
            written.append(_token(part.name, find))
        else:
            options = ", ".join(f"NULLIF({_join(option, texts, find)}, '')" for option in part)
            written.append(f"COALESCE({options}, '')")
    return " || ".join(written) or "''"


def _token(name: str, find: Find) -> str:
    if name in _DATE_PARTS_SQL:
        return _DATE_PARTS_SQL[name].format(date=BY_FOLDED_WIRE["adddate"].text)
    if name == "sequence":
        return f"CAST({SEQUENCE_SQL} AS text)"
    if (column := find(SYNONYMS.get(name, name))) is not None:
        return _text(column)
    if (column := find(name.removeprefix("lower"))) is None:
        return "''"
    if connection.vendor == "sqlite":
        return f"lower({_text(column)})"
    # Lowers ASCII only, as page_rules does; ILIKE needs the default collation afterwards.
    return f'(lower({_text(column)} COLLATE "C") COLLATE "default")'


def _text(column: Column) -> str:
    if column.wire in NO_TOKENS:
        return "''"
    if not (column.is_text or column.is_date):
        return column.text
    if column.wire in {"imageUrl", "videoUrl", "fileUrl"}:  # resolved as in responses
        text = _resolve(column.sql)
    elif column.is_custom:
        text = custom_text(column.name, of_several="WHEN 'object' THEN '' WHEN 'array' THEN ''")
    else:
        text = f"COALESCE({column.text}, '')"
    if connection.vendor == "postgresql":
        return f"translate(substr({text}, 1, {MAX_VALUE}), {literal(LEFT_OUT)}, '')"
    return f"{_VALUE_FUNCTION}({text})"


def _resolve(text: str) -> str:
    return (
        f"CASE WHEN substr({text}, 1, 2) = '@/' THEN s.web_url || substr({text}, 2) "
        f"WHEN substr({text}, 1, 2) = '~/' THEN substr({text}, 2) ELSE {text} END"
    )


# SQLite's parser allows 100 nested calls and parentheses, so deep expressions are Python functions.
_VALUE_FUNCTION, _PATH_FUNCTION = "cms_page_value", "cms_page_path"


def add_functions(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if connection.vendor == "sqlite":
        create = connection.connection.create_function
        create(_VALUE_FUNCTION, 1, lambda text: text and clean(text[:MAX_VALUE]), deterministic=True)
        create(_PATH_FUNCTION, 1, lambda path: None if path is None else collapse(path), deterministic=True)


def _entry(entries: Mapping[int, Any], key: str, *, as_json: bool = False) -> str:
    table = literal(orjson.dumps({str(number): entry for number, entry in entries.items()}).decode())
    if connection.vendor == "postgresql":
        return f"({table}::jsonb {'->' if as_json else '->>'} {key}::text)"
    return f"""json_extract({table}, '$."' || {key} || '"')"""


def _item(place: int) -> str:
    if connection.vendor == "postgresql":
        return f"(rule.texts ->> {place})"
    return f"json_extract(rule.texts, '$[{place}]')"
