"""Finds stored files by their names in another letter case, as on Windows."""

from threading import Lock
from typing import Any

from cachetools import LRUCache

_MAX_IN_FOLDER = 100_000  # names; in a larger folder they are found only as written
_MAX_NAMES = 2 * _MAX_IN_FOLDER + 1  # of all folders that a storage keeps in memory

# Names by their folded form; of several that differ in letter case only, each by itself.
Names = dict[str, str]


class FoldedNames:
    """For a storage: a folder is listed when a name in it is sought, and again when its names may have changed.

    Never requests folders that do not exist, regardless of the paths that strangers send.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._kept: LRUCache[str, tuple[object, Names]] = LRUCache(_MAX_NAMES, lambda entry: 1 + len(entry[1]))
        self._keeping = Lock()

    def names_in(self, folder: str) -> list[str]:
        """Return the names of the files and folders in it; none if there is no such folder."""
        raise NotImplementedError

    def mark_of(self, folder: str) -> object:
        """Return a value that differs once the names in the folder may have changed; None if they may be changing
        now."""
        raise NotImplementedError

    def spelling_of(self, folder: str, path: str) -> str | None:
        """Return the stored spelling of the path below the folder, or None if nothing has it in any letter case."""
        found: list[str] = []
        for part in path.split("/"):
            names = self._names_in("/".join([folder, *found]))
            if (name := names.get(part) or names.get(part.casefold())) is None:
                return None
            found.append(name)
        return "/".join(found)

    def _names_in(self, folder: str) -> Names:
        mark = self.mark_of(folder)
        with self._keeping:
            kept = self._kept.get(folder)
        if kept is not None and mark is not None and kept[0] == mark:
            return kept[1]
        listed = self.names_in(folder)
        names: Names = {}
        for name in listed if len(listed) < _MAX_IN_FOLDER else ():
            if (other := names.setdefault(name.casefold(), name)) != name:
                names |= {other: other, name: name}
        with self._keeping:
            self._kept[folder] = mark, names
        return names
