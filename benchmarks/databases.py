"""Creates, opens and drops the databases of all benchmarks."""

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
PREFIX = "cms_benchmark"  # the benchmarks create and drop only databases with this prefix
FOLDER = Path(tempfile.gettempdir()) / "cms-benchmarks"
POSTGRESQL = "postgres:///"  # the local server, as the user who runs the benchmark


def add_folder_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the folder of SQLite files and the service's data."""
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="for SQLite files and other data (default: %(default)s)"
    )


def add_measuring_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a script that makes a database of each engine and measures it in a process of its own."""
    parser.add_argument("--engines", nargs="+", default=["postgresql", "sqlite"])
    parser.add_argument("--server", default=POSTGRESQL, help="PostgreSQL (default: %(default)s)")
    parser.add_argument("--keep", action="store_true", help="leave the databases for another run")
    parser.add_argument("--measure", help=argparse.SUPPRESS)  # one database, in a separate process
    add_folder_option(parser)


def is_sqlite(url: str) -> bool:
    return url.startswith("sqlite:")


def sqlite_path(url: str) -> Path:
    """Return the path in a SQLite URL: sqlite:////absolute/path."""
    return Path("/" + urlsplit(url).path.lstrip("/"))


def name_of(url: str) -> str:
    """Return the database's name. Exits unless it begins with the prefix."""
    name = sqlite_path(url).name if is_sqlite(url) else urlsplit(url).path.lstrip("/")
    if not name.startswith(PREFIX):
        sys.exit(f"A benchmark uses a database of its own, whose name begins with {PREFIX}, not {name!r}.")
    return name


def exists(url: str) -> bool:
    if is_sqlite(url):
        return sqlite_path(url).exists()
    with psycopg.connect(_maintenance(url), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name_of(url),))
        return found.fetchone() is not None


def create(url: str, *, replace: bool) -> None:
    """Create an empty database, ready for `migrate`. Exits if it exists, unless `replace` is True."""
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
    """Drop the database if it exists."""
    name = name_of(url)
    if is_sqlite(url):
        for suffix in ("", "-wal", "-shm"):
            Path(f"{sqlite_path(url)}{suffix}").unlink(missing_ok=True)
        return
    with psycopg.connect(_maintenance(url), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))


def set_environment(url: str, folder: Path) -> None:
    """Set the environment variables that make the service use the database and the folder, also in child processes."""
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
    """Set up Django in this process with the database."""
    set_environment(url, folder)
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()


def settle(url: str) -> None:
    """Update statistics and the visibility map, to match the state of an idle server."""
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
