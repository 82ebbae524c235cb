import sqlite3
from pathlib import Path
from typing import Any, ClassVar

from migration.sources.database import SECONDS, Database
from migration.sources.source import SourceError

# Of one text, or one row, in bytes.
_LONGEST = 256 * 1024 * 1024


class SQLite(Database):
    """A database file of version 7."""

    # Virtual tables are left out, because they can run code.
    catalogue: ClassVar[str] = """
        SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.rootpage > 0 ORDER BY t.name, c.cid"""
    errors = (sqlite3.Error, OverflowError)

    def __init__(self, path: Path) -> None:
        super().__init__(f"the SQLite file {path}")
        self._path = path

    def connect(self) -> Any:
        if not self._path.is_file():
            raise SourceError(f"There is no file {self._path}.")
        connection = sqlite3.connect(
            f"{self._path.resolve().as_uri()}?mode=ro", uri=True, timeout=SECONDS, isolation_level=None
        )
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        connection.text_factory = lambda text: text.decode(errors="replace")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        return connection
