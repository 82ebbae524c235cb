"""Reads the settings without which nothing can start: folder, database, time zone, level of the log, numbers.

Each raises ImproperlyConfigured, a sentence that begins with the name of the variable, where Django or gunicorn would
show a traceback.
"""

import logging
import os
import re
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import environ
from django.core.exceptions import ImproperlyConfigured

from cms_api.lib.private_files import withdraw
from cms_api.lib.secret_files import read_or_create

_POSTGRESQL = ("postgres", "postgresql", "pgsql")
_SCHEME = re.compile(r"([a-z]+)://")
# What Django takes out of the options; the others go to PostgreSQL's library.
_OF_DJANGO = {"assume_role", "isolation_level", "server_side_binding", "service", "passfile"}
_OF_PSYCOPG = {"prepare_threshold"}


def read_data_folder(name: str, base: Path, text: str) -> Path:
    """The folder, made if it is missing, for the owner alone; a relative one is below `base`."""
    folder = (base / text).resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name}: the folder {folder} cannot be made: {error.strerror}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):  # false on a disk that can only be read, too
        raise ImproperlyConfigured(f"{name}: nothing can be written into {folder} by the account that runs this.")
    withdraw(folder)
    return folder


def read_own_secret(name: str, path: Path) -> str:
    """The generated secret that stands in for a setting that is not given."""
    try:
        if secret := read_or_create(path):
            return secret
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ImproperlyConfigured(f"{name} is not set, and {path} cannot be read: {told}.") from None
    raise ImproperlyConfigured(f"{name} is not set, and {path} is empty: restore the file, or set {name}.")


def read_database(name: str, url: str) -> dict[str, Any]:
    """An entry of Django's DATABASES. No part of the address is ever told, since it may hold a password."""
    scheme = _SCHEME.match(url)
    if scheme is None or scheme[1] not in ("sqlite", *_POSTGRESQL):
        raise ImproperlyConfigured(f"{name} must begin with postgres:// or sqlite:///.")
    try:
        database: dict[str, Any] = environ.Env.db_url_config(url)
    except ValueError:
        hint = "its port is no number, or a character such as / : @ # of its password is not written as %2F %3A %40 %23"
        raise ImproperlyConfigured(f"{name} cannot be read: {hint}.") from None
    if database["NAME"] in ("", ":memory:") and "service" not in database.get("OPTIONS", {}):
        missing = "file" if scheme[1] == "sqlite" else "database"
        raise ImproperlyConfigured(
            f"{name} names no {missing}: it is like postgres://user:password@host/name or sqlite:///path."
        )
    if scheme[1] != "sqlite":
        _look_at_options(name, database.get("OPTIONS", {}))
    return database


def read_time_zone(name: str, text: str) -> str:
    """The text, if it is the name of a time zone."""
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError):  # unknown, a path out of the folder of zones, a folder in it
        raise ImproperlyConfigured(
            f"{name} must be a time zone such as Asia/Shanghai or UTC, and is {text!r}."
        ) from None


def read_log_level(name: str, text: str) -> str:
    """The name of a level of Python's logging, in capitals."""
    levels = logging.getLevelNamesMapping()
    if (level := text.strip().upper()) not in levels:
        raise ImproperlyConfigured(f"{name} must be DEBUG, INFO, WARNING, ERROR or CRITICAL, and is {text!r}.")
    return level


def read_number(name: str, text: str, least: int, most: int) -> int:
    """The whole number, if it is one of those."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, and is {text!r}.")
    return number


def _look_at_options(name: str, options: dict[str, Any]) -> None:
    import psycopg  # which SQLite has no use for, and which takes a while to load

    unknown = {key: str(value) for key, value in options.items() if key not in _OF_DJANGO | _OF_PSYCOPG}
    try:
        psycopg.conninfo.make_conninfo("", **unknown)
    except psycopg.ProgrammingError:
        raise ImproperlyConfigured(f"{name} has an option that PostgreSQL's library does not know.") from None
