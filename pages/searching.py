"""Turns a search of a visitor into conditions of a list of contents."""

import re
from collections.abc import Iterator
from contextlib import suppress

from channels_app.stl import covered_channels
from channels_app.tree import Tree
from contents.rules.sql import Rules
from contents.sql_fragments import SqlFragment, among
from contents.stl.elements import moment_since
from core.lib.errors import InvalidInput
from core.rest.rules import AnyOf, Expression, Rule
from core.stl.attributes import Attributes
from pages.engine.elements.search import NO_FIELDS

Condition = Expression | SqlFragment
_MAX_FIELDS = 20  # that a search looks in
_MAX_WORD = 100  # characters
_OPEN_FIELDS = frozenset({"title", "subtitle", "summary"})  # that every page shows
_OPEN_DATES = frozenset({"adddate", "lasteditdate"})
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def conditions(tree: Tree, asked: Attributes, given: Attributes) -> Iterator[Condition]:
    """Yield the search conditions; `given` are the attributes of the template, and only they may name any field.

    Parameters that name no custom field are ignored, and dates that are none.
    """
    rules = Rules(tree.site.pk)
    names = _allowed(asked.names("type"), given.names("type"), _OPEN_FIELDS)[:_MAX_FIELDS] or ["title"]
    dates = _allowed([asked.text("dateAttribute")], [given.text("dateAttribute")], _OPEN_DATES) or ["addDate"]
    others = [name for name in asked if name not in NO_FIELDS][:_MAX_FIELDS]
    rules.look_up([*names, *dates, *others])
    if "channelIds" in asked:
        yield _in_channels(tree, asked)
    if word := asked.text("word").strip()[:_MAX_WORD]:
        found = [column.wire for name in names if (column := rules.find(name)) and column.is_text]
        yield AnyOf(tuple(Rule(field, "Like", f"%{word}%") for field in found or ["title"]))
    if (column := rules.find(dates[0])) is not None:
        for operator, text in _times(asked):
            yield Rule(column.wire, operator, text)
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
