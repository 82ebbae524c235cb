"""The folder that the original's command line writes: a list of tables, and for each a folder of rows in JSON."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import orjson

from migration.sources.fingerprint import fingerprint_of
from migration.sources.json_files import JsonFiles
from migration.sources.source import Row, SourceError, Value

OnProblem = Callable[[str, str], None]  # gets a sentence and a place, such as "siteserver_Site/1.json row 3"

_TABLES, _METADATA = "_tables.json", "_metadata.json"
_ROW_FILES = ("rowfiles", "rows")  # in versions 6 and 7
# Tables that the command line leaves out.
_LEFT_OUT = {"siteserver_log", "siteserver_errorlog", "siteserver_tracking", "siteserver_sitelog"}
_EMPTY = "_EMPTY_"  # of Oracle, which has no empty texts


def refuse(sentence: str, place: str) -> None:
    raise SourceError(f"{place}: {sentence}")


class BackupFolder:
    """A Source. `on_problem` gets problems that leave out or change single rows; by default they raise SourceError.

    Dates are texts, as in the files.
    """

    def __init__(self, folder: Path, on_problem: OnProblem = refuse) -> None:
        self.description = f"the backup folder {folder}"
        self.fingerprint = ""
        self._folder, self._on_problem = folder, on_problem
        self._files = JsonFiles(folder, on_problem)
        self._folders: dict[str, str] = {}  # of tables, by casefolded names
        self._metadata: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Self:
        present = _by_folded_name(path.name for path in self._folder.iterdir() if path.is_dir())
        if (self._folder / _TABLES).exists():
            for name in self._names(self._files.read(_TABLES), _TABLES):
                if found := present.get(name.casefold()):
                    self._folders[name.casefold()] = found
                elif name.casefold() not in _LEFT_OUT:
                    self._on_problem("The backup lists a table without a folder.", name)
        else:
            self._folders = {
                table: name for table, name in present.items() if (self._folder / name / _METADATA).exists()
            }
        if not self._folders:
            raise SourceError(f"The folder {self._folder} has no tables of a SiteServer backup.")
        self.fingerprint = fingerprint_of(self)
        return self

    def __exit__(self, *error: object) -> None: ...

    def tables(self) -> list[str]:
        return list(self._folders)

    def columns(self, table: str) -> list[str]:
        """Return the columns in the metadata or, without any, of the first row."""
        columns = self._metadata_of(table).get("columns") or []
        if not isinstance(columns, list):
            raise SourceError(f"{table}/{_METADATA}: The columns are not a list.")
        names = [_folded(column).get("attributename") for column in columns if isinstance(column, dict)]
        if not names:
            names = next((list(row) for _, row in self._contents(table) if isinstance(row, dict)), [])
        return list(dict.fromkeys(name.casefold() for name in names if isinstance(name, str)))

    def count(self, table: str) -> int:
        """Return the number in the metadata, which may differ from the number of rows."""
        count = self._metadata_of(table).get("totalcount")
        return count if isinstance(count, int) else sum(1 for _ in self._contents(table))

    def highest_id(self, table: str) -> int:
        rows = (_folded(row) for _, row in self._contents(table) if isinstance(row, dict))
        return max((row["id"] for row in rows if isinstance(row.get("id"), int)), default=0)

    def rows(self, table: str) -> Iterator[Row]:
        empty: Row = dict.fromkeys(self.columns(table))
        number = 0
        for place, row in self._contents(table):
            number += 1
            if (read := self._row_of(row, place)) is not None:
                yield empty | read
        if number != self.count(table):
            self._on_problem("A table has another number of rows than its metadata says.", table)

    def _contents(self, table: str) -> Iterator[tuple[str, Any]]:
        """Yield each unchanged row of the file, with its place."""
        metadata = self._metadata_of(table)
        files: Any = next((metadata[name] for name in _ROW_FILES if metadata.get(name)), [])
        for file in self._names(files, f"{table}/{_METADATA}"):
            place = f"{table}/{file}"
            rows = self._files.read(self._folders[table.casefold()], file)
            if not isinstance(rows, list):
                raise SourceError(f"{place}: The file does not contain a list of rows.")
            yield from ((f"{place} row {number}", row) for number, row in enumerate(rows, 1))

    def _metadata_of(self, table: str) -> dict[str, Any]:
        folder = self._folders.get(table.casefold())
        if folder is None:
            return {}
        if folder not in self._metadata:
            found = self._files.read(folder, _METADATA)
            if not isinstance(found, dict):
                raise SourceError(f"{folder}/{_METADATA}: The file does not contain an object.")
            self._metadata[folder] = _folded(found)
        return self._metadata[folder]

    def _row_of(self, row: Any, place: str) -> Row | None:
        if not isinstance(row, dict):
            self._on_problem("A row is not an object and was left out.", place)
            return None
        read = {name.casefold(): _value_of(value) for name, value in row.items()}
        if len(read) < len(row):
            self._on_problem("A row has two values of one column and was left out.", place)
            return None
        return read

    def _names(self, value: Any, place: str) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise SourceError(f"{place}: The file does not contain a list of names.")
        return value


def _by_folded_name(names: Iterator[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names:
        if other := found.get(name.casefold()):
            raise SourceError(f"The folders {other} and {name} have the same name but for the letter case.")
        found[name.casefold()] = name
    return found


def _folded(value: dict[str, Any]) -> dict[str, Any]:
    return {name.casefold(): member for name, member in value.items()}


def _value_of(value: Any) -> Value:
    if value == _EMPTY:
        return ""
    if value is None or isinstance(value, str | int | float):
        return value
    return orjson.dumps(value).decode()
