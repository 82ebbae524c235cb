"""Rows of accounts as wire records (interface: Administrator, User): one pass per row, no model instance."""

import hashlib
from binascii import b2a_base64
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, ExpressionWrapper, F, Field, Func, QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.http import HttpRequest

from accounts.avatars import avatar_url
from accounts.models import Administrator, User, UserLog
from cms_api.lib.date_text import date_text
from cms_api.rest.conditional import tag_of
from cms_api.rest.names import to_wire

Record = dict[str, Any]
Row = tuple[Any, ...]

_DATES = {"creation_date", "create_date", "last_reset_password_date", "last_activity_date", "add_date"}
_FLAGS = {"is_checked", "is_locked_out"}
# Members in the interface's order, by column. What `password` and `password_salt` show is no column.
_ADMINISTRATOR = """
    id user_name password password_format password_salt creation_date last_activity_date count_of_login
    count_of_failed_login creator_user_name is_locked_out site_id_collection site_id department_id area_id
    display_name email mobile
"""
_USER = """
    id user_name password password_format password_salt create_date last_reset_password_date last_activity_date
    count_of_login count_of_failed_login count_of_writing is_checked is_locked_out display_name email mobile
    avatar_url organization department position gender birthday education graduation address wei_xin qq wei_bo
    interests signature
"""
_LOG = "id user_name ip_address add_date action summary"
_PASSWORD_BYTES, _SALT_BYTES = 32, 16


class _DateText(Func):
    """A date and time in the wire form, made by the database."""

    output_field = CharField()

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, *_: Any, **__: Any) -> tuple[str, Any]:
        sql, parameters = compiler.compile(self.source_expressions[0])
        return date_text(sql, connection), parameters


class _Shape:
    """The members of a record, and the columns that they are made of, the id first."""

    def __init__(self, text: str, *further: str) -> None:
        members = text.split()
        # The record before it is filled: a dict that has its size and order beforehand takes half the time.
        self.empty: Record = {to_wire(name): None for name in members} | {"passwordFormat": "Encrypted"}
        columns = [name for name in members if not name.startswith("password")]
        self.names = tuple(map(to_wire, columns))
        self.columns = (*columns, *further)
        self.flags = tuple(to_wire(name) for name in columns if name in _FLAGS)
        self._selected = [_select(name) for name in self.columns]

    def rows(self, accounts: QuerySet[Any]) -> QuerySet[Any, Row]:
        """The columns of each row, for `fill`."""
        return accounts.values_list(*self._selected)

    def row(self, instance: Any) -> Row:
        """The same of an instance."""
        values = (getattr(instance, name) for name in self.columns)
        return tuple(value.isoformat(" ", "seconds") if isinstance(value, datetime) else value for value in values)

    def fill(self, row: Row) -> Record:
        """The members that are columns."""
        record = self.empty.copy()
        record.update(zip(self.names, row, strict=False))
        for name in self.flags:
            record[name] = record[name] == 1
        return record


def _select(name: str) -> Any:
    if name in _DATES:
        return _DateText(name)
    # As the engine has it: Django turns each boolean of SQLite into a real one by a call.
    return ExpressionWrapper(F(name), Field()) if name in _FLAGS else name


_administrator = _Shape(_ADMINISTRATOR, "password_stamp")
_user = _Shape(_USER, "password_stamp", "avatar_file")
_log = _Shape(_LOG)


def tag_of_account(record: Record) -> str:
    """The tag of the record's answer."""
    return tag_of("account", tuple(record.values()))


# ---- Administrators


def administrator_rows(administrators: QuerySet[Administrator]) -> QuerySet[Administrator, Row]:
    """What `show_administrator` makes records of, the id first."""
    return _administrator.rows(administrators)


def show_administrator(row: Row) -> Record:
    """Every member of the interface, in its order."""
    record = _administrator.fill(row)
    record["password"], record["passwordSalt"] = stand_ins("administrator", row[0], row[-1])
    if not record["displayName"]:
        record["displayName"] = record["userName"]
    return record


def administrator_record(administrator: Administrator) -> Record:
    """The record of an instance."""
    return show_administrator(_administrator.row(administrator))


# ---- Users


def user_rows(users: QuerySet[User]) -> QuerySet[User, Row]:
    """What `show_user` makes records of, the id first."""
    return _user.rows(users)


def show_user(request: HttpRequest) -> Callable[[Row], Record]:
    """Makes the record of a row, with every member of the interface in its order.

    `avatarUrl` is absolute, by the request's host.
    """

    def show(row: Row) -> Record:
        record = _user.fill(row)
        record["password"], record["passwordSalt"] = stand_ins("user", row[0], row[-2])
        if row[-1] or record["avatarUrl"]:
            record["avatarUrl"] = avatar_url(row[-1], record["avatarUrl"], request)
        return record

    return show


def user_record(user: User, request: HttpRequest) -> Record:
    """The record of an instance."""
    return show_user(request)(_user.row(user))


# ---- Entries of the log


def log_rows(entries: QuerySet[UserLog]) -> QuerySet[UserLog, Row]:
    """What `show_log` makes records of, the id first."""
    return _log.rows(entries)


def show_log(row: Row) -> Record:
    """An entry of a user's log (original-behaviour A.29)."""
    return dict(zip(_log.names, row, strict=True))


def log_record(entry: UserLog) -> Record:
    """The record of an instance."""
    return show_log(_log.row(entry))


# ---- Placeholders for `password` and `passwordSalt`: answers show nothing that follows from a secret


def stand_ins(kind: str, account_id: int, password_stamp: str) -> tuple[str, str]:
    """The two members for an account: Base64 of 32 and of 16 bytes, stable until the password changes.

    `kind` is "user" or "administrator". Who knows them, and all the others, can tell neither passwords nor
    which of them are equal.
    """
    # BLAKE2b with a key is a message authentication code, and a list has one for every account.
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
