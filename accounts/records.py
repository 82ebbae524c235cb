"""Rows of accounts as wire records: one pass per row, no model instance."""

import hashlib
from binascii import b2a_base64
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, ExpressionWrapper, F, Field, Func, QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.http import HttpRequest

from accounts.avatars import avatar_url
from accounts.models import Administrator, User
from core.lib.clock import date_text
from core.rest.names import to_wire

Record = dict[str, Any]
Row = tuple[Any, ...]

_DATES = {"creation_date", "create_date", "last_reset_password_date", "last_activity_date", "add_date"}
_FLAGS = {"is_checked", "is_locked_out"}
_PASSWORD_BYTES, _SALT_BYTES = 32, 16


class _DateText(Func):
    output_field = CharField()

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, *_: Any, **__: Any) -> tuple[str, Any]:
        sql, parameters = compiler.compile(self.source_expressions[0])
        return date_text(sql, connection), parameters


class Shape:
    """The columns and members of a record in wire order, the id first; `further` columns have no own member."""

    def __init__(self, text: str, *further: str) -> None:
        members = text.split()
        # Copied for each record: a dict with its size and order preset takes half the time.
        self._empty: Record = {to_wire(name): None for name in members}
        if "password_format" in members:
            self._empty["passwordFormat"] = "Encrypted"
        columns = [name for name in members if not name.startswith("password")]
        self._names = tuple(map(to_wire, columns))
        self._columns = (*columns, *further)
        self._flags = tuple(to_wire(name) for name in columns if name in _FLAGS)
        self._selected = [_select(name) for name in self._columns]

    def rows(self, queryset: QuerySet[Any]) -> QuerySet[Any, Row]:
        return queryset.values_list(*self._selected)

    def row(self, instance: Any) -> Row:
        values = (getattr(instance, name) for name in self._columns)
        return tuple(value.isoformat(" ", "seconds") if isinstance(value, datetime) else value for value in values)

    def fill(self, row: Row) -> Record:
        record = self._empty.copy()
        record.update(zip(self._names, row, strict=False))
        for name in self._flags:
            record[name] = record[name] == 1
        return record


def _select(name: str) -> Any:
    if name in _DATES:
        return _DateText(name)
    # The engine's own value: on SQLite Django would convert each boolean by a call.
    return ExpressionWrapper(F(name), Field()) if name in _FLAGS else name


ADMINISTRATOR = Shape(
    """
    id user_name password password_format password_salt creation_date last_activity_date count_of_login
    count_of_failed_login creator_user_name is_locked_out site_id_collection site_id department_id area_id
    display_name email mobile
    """,
    "password_stamp",
)
USER = Shape(
    """
    id user_name password password_format password_salt create_date last_reset_password_date last_activity_date
    count_of_login count_of_failed_login count_of_writing is_checked is_locked_out display_name email mobile
    avatar_url organization department position gender birthday education graduation address wei_xin qq wei_bo
    interests signature
    """,
    "password_stamp",
    "avatar_file",
)
LOG_ENTRY = Shape("id user_name ip_address add_date action summary")


def show_administrator(row: Row) -> Record:
    record = ADMINISTRATOR.fill(row)
    record["password"], record["passwordSalt"] = placeholder_credentials("administrator", row[0], row[-1])
    if not record["displayName"]:
        record["displayName"] = record["userName"]
    return record


def show_user(request: HttpRequest, row: Row) -> Record:
    record = USER.fill(row)
    record["password"], record["passwordSalt"] = placeholder_credentials("user", row[0], row[-2])
    if row[-1] or record["avatarUrl"]:
        record["avatarUrl"] = avatar_url(row[-1], record["avatarUrl"], request)
    return record


def administrator_record(administrator: Administrator) -> Record:
    return show_administrator(ADMINISTRATOR.row(administrator))


def user_record(user: User, request: HttpRequest) -> Record:
    return show_user(request, USER.row(user))


def placeholder_credentials(kind: str, account_id: int, password_stamp: str) -> tuple[str, str]:
    """Return stand-ins: Base64 of 32 and 16 bytes, stable until the password changes; equal passwords differ."""
    # Keyed BLAKE2b is a message authentication code, and fast: a list computes one for every account.
    digest = hashlib.blake2b(
        f"{kind}|{account_id}|{password_stamp}".encode(),
        key=_key(settings.SECRET_KEY),
        digest_size=_PASSWORD_BYTES + _SALT_BYTES,
    ).digest()
    password, salt = digest[:_PASSWORD_BYTES], digest[_PASSWORD_BYTES:]
    return b2a_base64(password, newline=False).decode(), b2a_base64(salt, newline=False).decode()


@lru_cache(maxsize=1)
def _key(secret: str) -> bytes:
    return hashlib.blake2b(secret.encode(), person=b"accounts shown").digest()
