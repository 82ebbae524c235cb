"""Rows as wire records: one statement's columns, one pass per row, no serializer per record."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import orjson
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.date_text import date_text
from contents.columns import STORED, Column
from sites.addresses import resolve

Record = dict[str, Any]
_NAMES = tuple(column.wire for column in STORED)
_FLAGS = tuple(column.wire for column in STORED if column.is_boolean)
_ADDRESSES = ("imageUrl", "videoUrl", "fileUrl")
_EMPTY: Record = dict.fromkeys(_NAMES)
WIDTH = len(_NAMES)


def select_list(connection: BaseDatabaseWrapper, *, body: str = "COALESCE(b.text, '')") -> str:
    """The columns of a record, over `c` (content) and `b` (its body, unless `body` is another expression)."""
    key = (connection.vendor, body)
    if key not in _select_lists:
        columns = (replace(column, sql=body) if column.name == "content" else column for column in STORED)
        _select_lists[key] = ", ".join(_selected(column, connection) for column in columns)
    return _select_lists[key]


_select_lists: dict[tuple[str, str], str] = {}


def _selected(column: Column, connection: BaseDatabaseWrapper) -> str:
    return date_text(column.sql, connection) if column.is_date else column.sql


def record_maker(connection: BaseDatabaseWrapper) -> Callable[[Sequence[Any], str], Record]:
    """The function that makes a record of a row and the site's web address."""
    return make_record if connection.vendor == "postgresql" else _make_record_of_numbers


def _make_record_of_numbers(row: Sequence[Any], web_url: str) -> Record:
    record = make_record(row, web_url)
    for name in _FLAGS:
        record[name] = record[name] == 1
    return record


def make_record(row: Sequence[Any], web_url: str) -> Record:
    """The record of values in the order of STORED: booleans real, dates in the wire form.

    Its `navigationUrl` comes last, from contents.navigation.
    """
    record = _EMPTY.copy()  # a dict that has its size beforehand is filled in half the time
    record.update(zip(_NAMES, row, strict=False))
    for name in _ADDRESSES:
        if record[name]:
            record[name] = resolve(record[name], web_url)
    settings = record["settingsXml"]
    if settings != "{}":
        for name, value in orjson.loads(settings).items():
            record.setdefault(name, value)  # a setting never hides a member of the interface
    return record
