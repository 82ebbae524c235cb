"""Rows as wire records: one statement's columns, one pass per row, no serializer per record."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import orjson
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.date_text import date_text
from cms_api.rest.conditional import tag_of
from contents.wire.columns import STORED, Column
from sites.addresses import resolve

Record = dict[str, Any]
_NAMES = tuple(column.wire for column in STORED)
_FLAGS = tuple(column.wire for column in STORED if column.is_boolean)
_ADDRESSES = ("imageUrl", "videoUrl", "fileUrl")
_EMPTY: Record = dict.fromkeys(_NAMES)
WIDTH = len(_NAMES)


def tag_of_record(record: Record) -> str:
    """The tag of the whole record's answer. Names of further members follow from `settingsXml`."""
    return tag_of("content", tuple(record.values()))


def select_list(connection: BaseDatabaseWrapper, *, body: str = "COALESCE(b.text, '')") -> str:
    """The columns of a record, over `c` (content) and `b` (its body, unless `body` is another expression)."""
    key = (connection.vendor, body)
    if key not in _select_lists:
        columns = (replace(column, sql=body) if column.name == "content" else column for column in STORED)
        _select_lists[key] = ", ".join(_selected(column, connection) for column in columns)
    return _select_lists[key]


_select_lists: dict[tuple[str, str], str] = {}


def select_of(columns: Iterable[Column], connection: BaseDatabaseWrapper) -> str:
    """Some columns of a record, over `c` and `b`."""
    return "".join(f", {_selected(column, connection)}" for column in columns)[2:]


def _selected(column: Column, connection: BaseDatabaseWrapper) -> str:
    return date_text(column.sql, connection) if column.is_date else column.sql


def record_maker(connection: BaseDatabaseWrapper) -> Callable[[Sequence[Any], str], Record]:
    """The function that makes a record of a row and the site's web address."""
    return make_record if connection.vendor == "postgresql" else _make_record_of_numbers


def partial_record_maker(
    columns: Sequence[Column], connection: BaseDatabaseWrapper, *, has_custom: bool
) -> Callable[[Sequence[Any], str], Record]:
    """The same for rows of some columns, with or without the custom fields, for which `settingsXml` is among them."""
    names = [column.wire for column in columns]
    flags = [column.wire for column in columns if column.is_boolean and connection.vendor != "postgresql"]
    addresses = [name for name in _ADDRESSES if name in names]

    def make(row: Sequence[Any], web_url: str) -> Record:
        record = dict(zip(names, row, strict=False))
        for name in flags:
            record[name] = record[name] == 1
        for name in addresses:
            if record[name]:
                record[name] = resolve(record[name], web_url)
        if has_custom:
            for name, value in orjson.loads(record["settingsXml"]).items():
                record.setdefault(name, value)
        return record

    return make


def _make_record_of_numbers(row: Sequence[Any], web_url: str) -> Record:
    record = make_record(row, web_url)
    for name in _FLAGS:
        record[name] = record[name] == 1
    return record


def make_record(row: Sequence[Any], web_url: str) -> Record:
    """The record of values in the order of STORED: booleans real, dates in the wire form.

    Its `navigationUrl` comes last, from contents.navigation.addresses.
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
