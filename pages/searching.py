"""Turns a search of a visitor into words and conditions of a list of contents.

The index of words knows the words of titles, and those of all texts of a content. It answers for the fields of a search
if they are the title alone, or the title and the body; others are compared one by one.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from channels_app.stl import covered_channels
from channels_app.tree import Tree
from contents.rules.sql import Rules
from contents.sql_fragments import SqlFragment, among
from contents.stl.elements import moment_since
from core.lib.errors import InvalidInput
from core.rest.rules import AnyOf, Expression, Rule
from core.stl.attributes import Attributes
from pages.engine.elements.search import NO_FIELDS
from search.words import Words, read_words

Condition = Expression | SqlFragment
_MAX_FIELDS = 20  # that a search looks in
_MAX_WORD = 100  # characters; of words that the index answers, MAX_QUERY
_OPEN_FIELDS = frozenset({"title", "subtitle", "summary"})  # that every page shows
_OPEN_DATES = frozenset({"adddate", "lasteditdate"})
_OPERATORS = {"tags": "tag", "author": "author"}  # of a query, by the field that a search must look in
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Sought:
    """A search: the words that the index answers, if there are any, and conditions."""

    words: Words | None
    in_fields: list[Condition]  # the same as words, without the index
    others: list[Condition]

    def __bool__(self) -> bool:
        return bool(self.words is not None or self.in_fields or self.others)


def read_search(tree: Tree, asked: Attributes, given: Attributes) -> Sought:
    """Read a search; `given` are the attributes of the template, and only they may name any field.

    Parameters that name no custom field are ignored, and dates that are none.
    """
    rules = Rules(tree.site.pk)
    names = _allowed(asked.names("type"), given.names("type"), _OPEN_FIELDS)[:_MAX_FIELDS] or ["title"]
    dates = _allowed([asked.text("dateAttribute")], [given.text("dateAttribute")], _OPEN_DATES) or ["addDate"]
    others = [name for name in asked if name not in NO_FIELDS][:_MAX_FIELDS]
    rules.look_up([*names, *dates, *others])
    words, in_fields = None, list[Condition]()
    if text := asked.text("word").strip():
        words = _words_in(names, text)
        found = [column.wire for name in names if (column := rules.find(name)) and column.is_text]
        like = f"%{text[:_MAX_WORD]}%"
        in_fields.append(AnyOf(tuple(Rule(field, "Like", like) for field in found or ["title"])))
    return Sought(words, in_fields, list(_conditions(tree, asked, rules, dates[0], others)))


def _words_in(names: list[str], text: str) -> Words | None:
    """Return the words of the text for the index; None if it does not know the fields."""
    fields = {name.casefold() for name in names}
    if fields == {"title"}:
        return read_words(text, operators=()).of_titles
    if not fields >= {"title", "content"}:
        return None
    return read_words(text, operators=[each for field, each in _OPERATORS.items() if field in fields])


def _conditions(tree: Tree, asked: Attributes, rules: Rules, date: str, others: list[str]) -> Iterator[Condition]:
    if "channelIds" in asked:
        yield _in_channels(tree, asked)
    if (column := rules.find(date)) is not None:
        for operator, day in _times(asked):
            yield Rule(column.wire, operator, day)
    for name in others:
        column, text = rules.find(name), asked.text(name).strip()[:_MAX_WORD]
        if text and column is not None and column.is_custom:
            yield Rule(column.wire, "Like", f"%{text}%")


def _allowed(asked: list[str], given: list[str], always: frozenset[str]) -> list[str]:
    allowed = {name.strip().casefold() for name in given if name.strip()} | always
    return [name.strip() for name in asked if name.strip().casefold() in allowed]


def _in_channels(tree: Tree, asked: Attributes) -> SqlFragment:
    """Return the condition that a content is in one of the channels, or below."""
    chosen = map(tree.channels.get, asked.ids("channelIds"))
    covered = {each["id"] for channel in chosen if channel is not None for each in covered_channels(channel, "All")}
    return among("c.channel_id", sorted(covered))


def _times(asked: Attributes) -> Iterator[tuple[str, str]]:
    for name, operator, time in (("dateFrom", ">=", ""), ("dateTo", "<=", " 23:59:59")):
        if _DAY.fullmatch(day := asked.text(name).strip()):
            yield operator, day + time
    if since := asked.text("since").strip():
        with suppress(InvalidInput):
            yield ">=", moment_since(since).isoformat(" ", "seconds")
