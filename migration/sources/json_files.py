"""Reads JSON files that others wrote, from one folder and its subfolders."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from migration.sources.source import SourceError

_LARGEST = 256 * 1024 * 1024  # bytes of one file; parsed, it needs a few times as much memory
_BOM = b"\xef\xbb\xbf"


class JsonFiles:
    """The files of a folder, by names that come from files in it."""

    def __init__(self, root: Path, on_problem: Callable[[str, str], None]) -> None:
        self._root = root.resolve()
        self._on_problem = on_problem
        self._mended: set[str] = set()

    def place_of(self, *names: str) -> Path:
        """Return the path of a name in the folder. Raises SourceError for names outside the folder."""
        path = self._root
        for name in names:
            if not name or name in {".", ".."} or set(name) & set("/\\:\0\n\r"):
                raise SourceError(f"{name!r} is not the name of a file or folder in {self._root}.")
            path /= name
        if not path.resolve().is_relative_to(self._root):
            raise SourceError(f"{path} is a link to a file outside the folder.")
        return path

    def read(self, *names: str) -> Any:
        """Return the value in the file. Raises SourceError."""
        path = self.place_of(*names)
        try:
            if not path.is_file():
                raise SourceError(f"The file {path} is missing.")
            if path.stat().st_size > _LARGEST:
                raise SourceError(f"The file {path} is larger than {_LARGEST // 1024**2} MiB.")
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            raise SourceError(f"The file {path} cannot be read: {error}") from error
        try:
            return orjson.loads(self._as_utf8(data.removeprefix(_BOM), "/".join(names)))
        except orjson.JSONDecodeError as error:
            raise SourceError(f"The file {path} is not valid JSON: {error.msg} in line {error.lineno}.") from error

    def _as_utf8(self, data: bytes, place: str) -> bytes | str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            if place not in self._mended:
                self._mended.add(place)
                self._on_problem("The file is not valid UTF-8; invalid characters were replaced.", place)
            return data.decode(errors="replace")
