"""Databases made for measuring: created, dropped and opened by all benchmarks alike."""

import argparse
import os
import sqlite3
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "cms_benchmark"  # nothing but databases of such names is ever created or dropped
FOLDER = Path(tempfile.gettempdir()) / "cms-benchmarks"
POSTGRESQL = "postgres:///"  # this machine's server, as the user who runs the benchmark


def add_folder_option(parser: argparse.ArgumentParser) -> None:
    """Let the caller say where SQLite files and the service's own data go."""
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="for SQLite files and other data (default: %(default)s)"
    )


def is_sqlite(url: str) -> bool:
    """Whether the address is that of an SQLite file."""
    return url.startswith("sqlite:")


def sqlite_path(url: str) -> Path:
    """The file of an SQLite address: sqlite:////absolute/path."""
    return Path("/" + urlsplit(url).path.lstrip("/"))


def name_of(url: str) -> str:
    """The database's name; ends the program unless it begins with the prefix."""
    name = sqlite_path(url).name if is_sqlite(url) else urlsplit(url).path.lstrip("/")
    if not name.startswith(PREFIX):
        sys.exit(f"A benchmark uses a database of its own, whose name begins with {PREFIX}, not {name!r}.")
    return name


def exists(url: str) -> bool:
    """Whether the database is there."""
    if is_sqlite(url):
        return sqlite_path(url).exists()
    with psycopg.connect(_maintenance(url), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name_of(url),))
        return found.fetchone() is not None


def create(url: str, *, replace: bool) -> None:
    """Make the database empty and ready for `migrate`."""
    name = name_of(url)
    if exists(url) and not replace:
        sys.exit(f"{name} is there already; --replace makes it anew.")
    drop(url)
    if is_sqlite(url):
        sqlite_path(url).parent.mkdir(parents=True, exist_ok=True)
        return
    with psycopg.connect(_maintenance(url), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))


def drop(url: str) -> None:
    """Remove the database, if it is there."""
    name = name_of(url)
    if is_sqlite(url):
        for suffix in ("", "-wal", "-shm"):
            Path(f"{sqlite_path(url)}{suffix}").unlink(missing_ok=True)
        return
    with psycopg.connect(_maintenance(url), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))


def set_environment(url: str, folder: Path) -> None:
    """Point the service, in this process and those it starts, to the database and the folder."""
    name_of(url)
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    os.environ |= {
        "CMS_DATABASE_URL": url,
        "CMS_DATA_DIR": str(data),
        "CMS_LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "cms_api.settings",
    }


def open_service(url: str, folder: Path) -> None:
    """Load Django in this process over the database."""
    set_environment(url, folder)
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()


def settle(url: str) -> None:
    """Bring statistics and the visibility map up to date, as a server at rest has them."""
    if is_sqlite(url):
        connection = sqlite3.connect(sqlite_path(url), isolation_level=None)
        connection.execute("ANALYZE")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


def _maintenance(url: str) -> str:
    return url.rpartition("/")[0] + "/postgres"
