"""Readers of SiteServer installations."""

from datetime import tzinfo
from pathlib import Path
from urllib.parse import unquote

from migration.sources.address import Address
from migration.sources.backup_folder import BackupFolder, OnProblem, refuse
from migration.sources.mysql import MySQL
from migration.sources.postgresql import PostgreSQL
from migration.sources.source import Source, SourceError
from migration.sources.sql_server import SQLServer
from migration.sources.sqlite import SQLite

_FORMS = (
    "Give a backup folder of SiteServer's command line, or the address of a database: mysql://user:password@host/name, "
    "postgres://user:password@host/name, mssql://user:password@host/name or sqlite:///path."
)


def open_source(text: str, time_zone: tzinfo, on_problem: OnProblem = refuse) -> Source:
    """Return the source that a text names; it is opened by a with statement. Raises SourceError.

    The time zone is the original server's. `on_problem` gets the problems of a backup folder that leave out
    or change single rows; by default, they raise SourceError.
    """
    scheme, separator, rest = text.partition("://")
    match scheme.lower() if separator else "":
        case "mysql" | "mariadb":
            return MySQL(Address.of_url(text, 3306))
        case "postgres" | "postgresql":
            return PostgreSQL(Address.of_url(text, 5432), time_zone)
        case "mssql" | "sqlserver":
            return SQLServer(Address.of_url(text, 1433))
        case "sqlite" if rest.startswith("/") and len(rest) > 1:
            return SQLite(Path(unquote(rest[1:])))
        case "" if text and Path(text).is_dir():
            return BackupFolder(Path(text), on_problem)
    raise SourceError(_FORMS)
