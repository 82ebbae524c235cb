"""Settings from environment variables; each function raises ImproperlyConfigured with the variable's name."""

import logging
import math
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import environ
from django.core.exceptions import ImproperlyConfigured

from core.lib.private_files import read_or_create, withdraw

HINT = "Correct this environment variable and start again."
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
# Database options that Django uses itself; the others go to libpq.
_OF_DJANGO = {"assume_role", "isolation_level", "server_side_binding", "service", "passfile", "prepare_threshold"}


class Setting(NamedTuple):
    """A variable; `type` is str, bool, int, float or list. `help` is Markdown with links from the top folder.

    All nodes must have the same value, unless it is `per_node`. Numbers are from `least` to `most`, both included.
    """

    type: type
    default: Any
    help: str
    per_node: bool = False
    least: float | None = None
    most: float | None = None

    def read(self, text: str) -> Any:
        """Return the value. Raises ValueError with a description of the values that can be read."""
        read, expected = _READERS[self.type]
        with suppress(ValueError, KeyError):
            value = read(text)
            if (self.least is None or value >= self.least) and (self.most is None or value <= self.most):
                return value
        if self.most is not None:
            expected += f" from {self.least} to {self.most}"
        elif self.least is not None:
            expected += f" of at least {self.least}"
        raise ValueError(expected)


class Environment:
    """Reads declared variables. A blank value means the default; of a list, no entries: `CMS_SQL_TABLES=`."""

    def __init__(self, declared: Mapping[str, Setting], given: Mapping[str, str] = os.environ) -> None:
        self._declared, self._given = declared, given

    def __call__(self, name: str) -> Any:
        """Return the value or the default. Raises ImproperlyConfigured, which quotes only flags and numbers."""
        setting, text = self._declared[name], self._given.get(name)
        if text is None or (setting.type is not list and not text.strip()):
            return setting.default
        try:
            return setting.read(text)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name} must be {error}, not {text!r}.") from None


def read_list(text: str) -> list[str]:
    return [entry for entry in map(str.strip, text.split(",")) if entry]


def _read_finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(text)
    return number


# The reader of each type and its description; texts and lists can always be read.
_READERS: dict[type, tuple[Callable[[str], Any], str]] = {
    str: (str, "a text"),
    list: (read_list, "a list"),
    bool: (lambda text: _WORDS[text.strip().lower()], "true or false (or yes, no, on, off, 1, 0)"),
    int: (int, "a whole number"),
    float: (_read_finite, "a number"),
}


def read_peppers(text: str) -> dict[str, str]:
    """Parse CMS_PASSWORD_PEPPERS, `id:secret,id:secret`, newest first. Errors quote nothing: it may be a secret."""
    peppers: dict[str, str] = {}

    def wrong(problem: str) -> ImproperlyConfigured:
        return ImproperlyConfigured(f"CMS_PASSWORD_PEPPERS {problem}.")

    for entry in read_list(text):
        pepper_id, colon, secret = (part.strip() for part in entry.partition(":"))
        if not colon or not secret:
            raise wrong("must be a comma-separated list of id:secret, but has an entry without a colon or a secret")
        # Ids are stored in passwords, between $ characters and in a column of 255.
        if not re.fullmatch("[A-Za-z0-9_-]{1,64}", pepper_id):
            raise wrong("has an id that does not consist of 1 to 64 letters A to Z, digits, _ and -")
        if pepper_id in peppers:
            raise wrong("has the same id twice")
        peppers[pepper_id] = secret
    if not peppers:
        raise wrong("must have at least one id:secret")
    return peppers


def read_data_folder(name: str, base: Path, text: str) -> Path:
    """Return the folder, created only for the owner if it is missing; a relative one is below `base`."""
    folder = (base / text).resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name}: the folder {folder} cannot be created: {error.strerror}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):  # also false on a read-only disk
        raise ImproperlyConfigured(f"{name}: the account that runs this cannot write to {folder}.")
    withdraw(folder)
    return folder


def read_own_secret(name: str, path: Path) -> str:
    try:
        if secret := read_or_create(path):
            return secret
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ImproperlyConfigured(f"{name} is not set, and {path} cannot be read: {told}.") from None
    raise ImproperlyConfigured(f"{name} is not set, and {path} is empty: restore the file, or set {name}.")


def read_database(name: str, url: str) -> dict[str, Any]:
    """Return an entry of Django's DATABASES. Errors show no part of the URL, since it may hold a password."""
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in {"sqlite", "postgres", "postgresql", "pgsql"}:
        raise ImproperlyConfigured(f"{name} must begin with postgres:// or sqlite:///.")
    try:
        database: dict[str, Any] = environ.Env.db_url_config(url)
    except ValueError:
        hint = (
            "its port is not a number, or its password has a character such as / : @ # that is not written as "
            "%2F %3A %40 %23"
        )
        raise ImproperlyConfigured(f"{name} cannot be read: {hint}.") from None
    if database["NAME"] in ("", ":memory:") and "service" not in database.get("OPTIONS", {}):
        missing = "file" if scheme == "sqlite" else "database"
        raise ImproperlyConfigured(
            f"{name} names no {missing}; write it like postgres://user:password@host/name or sqlite:///path."
        )
    if scheme != "sqlite":
        import psycopg  # not needed with SQLite, and slow to import

        options = database.get("OPTIONS", {})
        try:
            psycopg.conninfo.make_conninfo("", **{key: str(options[key]) for key in options.keys() - _OF_DJANGO})
        except psycopg.ProgrammingError:
            raise ImproperlyConfigured(f"{name} has an option that PostgreSQL's library does not know.") from None
    return database


def read_mail_server(name: str, url: str) -> dict[str, Any]:
    """Return Django's settings EMAIL_*. Errors show no part of the URL, since it may hold a password."""
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in {"smtp", "smtp+tls", "smtp+ssl"}:
        raise ImproperlyConfigured(f"{name} must begin with smtp://, smtp+tls:// or smtp+ssl://.")
    try:
        found: dict[str, Any] = environ.Env.email_url_config(url)
    except ValueError:
        raise ImproperlyConfigured(f"{name} cannot be read: its port is not a number.") from None
    if not found["EMAIL_HOST"]:
        raise ImproperlyConfigured(f"{name} names no host; write it like smtp+tls://user:password@host:587.")
    port = {"smtp+tls": 587, "smtp+ssl": 465}.get(scheme, 25)
    return {"EMAIL_PORT": port} | {setting: value for setting, value in found.items() if value is not None}


def read_site_hosts(name: str, entries: list[str]) -> dict[str, str]:
    """Parse entries such as `museum.example.org=museum` into site by host name, in lower case."""
    hosts: dict[str, str] = {}
    for entry in entries:
        host, _, site = (part.strip() for part in entry.partition("="))
        if not re.fullmatch(r"(?!-)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*", host) or not site:
            raise ImproperlyConfigured(f"{name} must have entries such as museum.example.org=museum, not {entry!r}.")
        if host.lower() in hosts:
            raise ImproperlyConfigured(f"{name} has the host {host.lower()} twice.")
        hosts[host.lower()] = site
    return hosts


def read_hsts(name: str, directives: list[str]) -> tuple[bool, bool]:
    """Return whether HSTS includes subdomains, and whether browsers may know that beforehand."""
    if directives not in ([], ["includeSubDomains"], ["includeSubDomains", "preload"]):
        given = ",".join(directives)
        raise ImproperlyConfigured(
            f"{name} must be empty, includeSubDomains, or includeSubDomains,preload, not {given!r}."
        )
    return bool(directives), len(directives) > 1


def read_time_zone(name: str, text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError):  # unknown, a path outside the folder of zones, a folder in it
        raise ImproperlyConfigured(f"{name} must be a time zone such as Asia/Shanghai or UTC, not {text!r}.") from None


def read_log_level(name: str, text: str) -> str:
    levels = logging.getLevelNamesMapping()
    if (level := text.strip().upper()) not in levels:
        raise ImproperlyConfigured(f"{name} must be DEBUG, INFO, WARNING, ERROR or CRITICAL, not {text!r}.")
    return level


def is_dsn(text: str) -> bool:
    return bool(re.fullmatch(r"https?://[^\s/@:]+(:[^\s/@:]+)?@[^\s/@]+(/[^\s/]+)*/[0-9]+", text))
