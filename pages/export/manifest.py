"""Records the files that exports have written, in a small database in their folder.

A path is claimed before its file is written, so that no file is ever there without being known, even after a kill.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from core.archive.errors import ArchiveError
from pages.export.renditions import FOLDER as RENDITIONS
from pages.export.targets import Target
from sites.page_rules import squeeze

_LAYOUT = 2
_SECONDS = 60.0  # to wait for another process
_TABLES = """
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
    key TEXT PRIMARY KEY, path TEXT NOT NULL,
    run INTEGER NOT NULL,  -- the last one that claimed it
    written INTEGER NOT NULL DEFAULT 0,  -- the last one that finished it
    channel INTEGER NOT NULL, content INTEGER NOT NULL, number INTEGER NOT NULL, template INTEGER NOT NULL,
    count INTEGER NOT NULL DEFAULT 1,  -- page numbers
    size INTEGER, mtime INTEGER, digest TEXT
);
CREATE TABLE link (target TEXT PRIMARY KEY, page TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE problem (path TEXT PRIMARY KEY, message TEXT NOT NULL) WITHOUT ROWID;
"""
# Uploads by their keys, and renditions by their paths.
_USED = "CREATE TABLE used (key TEXT PRIMARY KEY, page TEXT NOT NULL) WITHOUT ROWID;"
# A path belongs to the first that claims it in a run; after a kill, the same target may claim it once more.
_CLAIM = """
INSERT INTO file (key, path, run, channel, content, number, template) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET path = excluded.path, run = excluded.run, channel = excluded.channel,
    content = excluded.content, number = excluded.number, template = excluded.template
WHERE file.run <> excluded.run OR (file.written <> excluded.run AND file.path = excluded.path
    AND file.channel = excluded.channel AND file.content = excluded.content AND file.number = excluded.number)
RETURNING key
"""
_DEAD = """
SELECT target, page FROM link
WHERE NOT EXISTS (SELECT 1 FROM file WHERE key IN (target, target || '/index.html')) ORDER BY target
"""


class Finished(NamedTuple):
    path: str
    pages: int  # numbers of the page
    size: int
    mtime: int
    digest: str


class Manifest:
    def __init__(self, file: Path, *, folds: bool = False) -> None:
        self._folds = folds
        try:
            self._database = sqlite3.connect(file, timeout=_SECONDS, isolation_level=None)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            (layout,) = self._database.execute("PRAGMA user_version").fetchone()
            if layout == 0:
                self._database.executescript(f"BEGIN; {_TABLES} {_USED} PRAGMA user_version = {_LAYOUT}; COMMIT")
            elif layout == 1:  # has not noted what pages use, so all of them are rendered again
                again = f"{_USED} UPDATE state SET value = '' WHERE name = 'version';"
                self._database.executescript(f"BEGIN; {again} PRAGMA user_version = {_LAYOUT}; COMMIT")
            elif layout != _LAYOUT:
                raise ArchiveError(f"{file} was written by another release.")
        except sqlite3.DatabaseError as error:
            raise ArchiveError(f"{file} cannot be read: {error}. Remove it, and export with --force.") from error

    def close(self) -> None:
        self._database.close()

    def get(self, name: str) -> str:
        row = self._database.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def set(self, **values: object) -> None:
        self._many("INSERT OR REPLACE INTO state VALUES (?, ?)", [(name, str(value)) for name, value in values.items()])

    # ---- runs

    def begin(self, version: str, *, keeps_pages: bool) -> tuple[int, bool]:
        """Return the number of the run, and whether it continues one of the same version that was interrupted."""
        run = int(self.get("run") or 0)
        if run and self.get("version") == version and not self.get("complete"):
            self._database.execute("DELETE FROM problem")
            return run, True
        # First, since a kill between the two must not leave a run that seems to continue.
        self.set(run=run + 1, version=version, complete="")
        if not keeps_pages:  # otherwise the links of pages that are not rendered again stay
            self._database.execute("DELETE FROM link")
            self._database.execute("DELETE FROM used")
        self._database.execute("DELETE FROM problem")
        return run + 1, False

    def is_current(self, version: str) -> bool:
        """Return whether the last export was complete and of this version."""
        return bool(self.get("complete")) and self.get("version") == version

    def keep_pages(self, run: int) -> int:
        """Take over all pages from the last run; return their number."""
        kept = self._database.execute("UPDATE file SET run = ?, written = ? WHERE channel > 0", (run, run))
        return kept.rowcount

    def claim(self, run: int, targets: Iterable[Target]) -> list[Target]:
        """Return the targets that are still to be written; a target whose path is another's is left out."""
        found = []
        with self._transaction():
            for target in targets:
                row = (self._key(target.file), target.file, run, *target[1:5])
                if self._database.execute(_CLAIM, row).fetchone():
                    found.append(target)
                elif self._folds:
                    self._report_same_name(target.file)
        return found

    def _report_same_name(self, path: str) -> None:
        (other,) = self._database.execute("SELECT path FROM file WHERE key = ?", (self._key(path),)).fetchone()
        if other != path:
            self.report(path, f"The file system takes {other} as the same name.")

    def known(self, path: str) -> tuple[int, int, str] | None:
        """Return size, time and digest of the file when it was written."""
        row = self._database.execute("SELECT size, mtime, digest FROM file WHERE key = ?", (self._key(path),))
        found: tuple[int, int, str] | None = row.fetchone()
        return found

    def finish(self, run: int, finished: Iterable[Finished]) -> None:
        rows = [(run, *each[1:], self._key(each.path)) for each in finished]
        self._many("UPDATE file SET written = ?, count = ?, size = ?, mtime = ?, digest = ? WHERE key = ?", rows)

    def withdraw(self, path: str) -> None:
        """Let the file be removed at the end of the run."""
        self._database.execute("UPDATE file SET run = 0 WHERE key = ?", (self._key(path),))

    def outdated(self, run: int) -> Iterator[dict[str, bool]]:
        """Yield paths that the run has not claimed, and whether they were written, in portions.

        `forget` must have removed a portion before the next.
        """
        sql = "SELECT path, size IS NOT NULL FROM file WHERE run <> ? LIMIT 1000"
        while rows := self._database.execute(sql, (run,)).fetchall():
            yield {path: bool(was_written) for path, was_written in rows}

    def forget(self, paths: Iterable[str]) -> None:
        self._many("DELETE FROM file WHERE key = ?", [(self._key(path),) for path in paths])

    # ---- further pages

    def count_numbers(self, run: int) -> int:
        sql = "SELECT COALESCE(SUM(count - 1), 0) FROM file WHERE run = ? AND number = 1"
        return int(self._database.execute(sql, (run,)).fetchone()[0])

    def numbered(self, run: int) -> Iterator[tuple[Target, int]]:
        """Yield the targets that have several pages, with their number of pages."""
        key = ""
        sql = (
            "SELECT path, channel, content, number, template, count FROM file "
            "WHERE run = ? AND count > 1 AND number = 1 AND key > ? ORDER BY key LIMIT 500"
        )
        while rows := self._database.execute(sql, (run, key)).fetchall():
            for *target, count in rows:
                yield Target(*target), count
            key = self._key(rows[-1][0])

    # ---- uploads and renditions that pages use

    def add_used(self, used: Iterable[tuple[str, str]]) -> None:
        """Remember each upload or rendition with the first page that uses it."""
        self._many("INSERT OR IGNORE INTO used VALUES (?, ?)", used)

    def count_used(self) -> int:
        return int(self._database.execute("SELECT COUNT(*) FROM used").fetchone()[0])

    def is_used(self, keys: Iterable[str]) -> bool:
        sql = "SELECT 1 FROM used WHERE key = ?"
        return any(self._database.execute(sql, (key,)).fetchone() for key in keys)

    def user_of(self, key: str) -> str:
        row = self._database.execute("SELECT page FROM used WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def renditions(self) -> Iterator[Target]:
        key = f"{RENDITIONS}/"
        sql = "SELECT key FROM used WHERE key > ? AND key < ? ORDER BY key LIMIT 500"
        while rows := self._database.execute(sql, (key, f"{RENDITIONS}0")).fetchall():
            yield from (Target(path, channel_id=0) for (path,) in rows)
            ((key,),) = rows[-1:]

    def count_renditions(self) -> int:
        sql = "SELECT COUNT(*) FROM used WHERE key > ? AND key < ?"
        return int(self._database.execute(sql, (f"{RENDITIONS}/", f"{RENDITIONS}0")).fetchone()[0])

    # ---- problems and links

    def report(self, path: str, message: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO problem VALUES (?, ?)", (path, message[:500]))

    def problems(self, most: int) -> tuple[int, list[tuple[str, str]]]:
        """Return the number of problems, and the first of them: path and message."""
        (number,) = self._database.execute("SELECT COUNT(*) FROM problem").fetchone()
        return number, self._database.execute("SELECT * FROM problem ORDER BY path LIMIT ?", (most,)).fetchall()

    def add_links(self, links: Iterable[tuple[str, str]]) -> None:
        """Remember each target with the first page that links there."""
        rows = [(self._key(target), page) for target, page in links]
        self._many("INSERT OR IGNORE INTO link VALUES (?, ?)", rows)

    def dead_links(self, most: int) -> tuple[int, list[tuple[str, str, str]]]:
        """Return the number of targets that are no file, and the first of them with a page that links there.

        The last of the three is the file that has the path in another letter case or with fewer slashes, or empty.
        """
        (number,) = self._database.execute(f"SELECT COUNT(*) FROM ({_DEAD})").fetchone()
        rows = self._database.execute(f"{_DEAD} LIMIT ?", (most,)).fetchall()
        wanted = {squeeze(target).casefold() for target, _ in rows}
        files = self._database.execute("SELECT path FROM file") if wanted else ()
        found = {folded: path for (path,) in files if (folded := path.casefold()) in wanted}
        return number, [(target, page, found.get(squeeze(target).casefold(), "")) for target, page in rows]

    def _key(self, path: str) -> str:
        return path.casefold() if self._folds else path

    def _many(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        with self._transaction():
            self._database.executemany(sql, rows)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield
