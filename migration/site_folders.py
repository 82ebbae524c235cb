"""The folders of the chosen sites in the folder of the installation, and the files that come along."""

import os
import stat
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from django.core.files.storage import FileSystemStorage, default_storage

from core.archive import media
from core.lib.media_storage import SITE_FILES
from media_library.services import record_files
from migration.context import Context
from migration.private_files import is_private, may_be_secret
from migration.report import Outcome
from migration.sources.source import Row, SourceError
from migration.values import flag, number, text
from sites.models import Site
from transfer.archive import FolderArchive
from transfer.notes import printable
from transfer.page_paths import PagePaths, templates_of
from transfer.site_files import SiteFiles
from transfer.template_files import SiteFolder

_SHOWN = 10  # names of files at the top of the report
# Folders of the root site that are of the installation.
_NOT_OURS = frozenset({"siteserver", "sitefiles", "bin", "api", "home", "ss-admin", "sitetemplates", "node_modules"})


class _OwnFiles(FolderArchive):
    """The files of a site, except files of sites below it, of the installation, and hidden ones."""

    def __init__(self, path: Path, without: Collection[str]) -> None:
        super().__init__(path)
        self._top, self._without = path, {name.casefold() for name in without}

    def names(self) -> Collection[str]:
        return list(self._walk())

    def _walk(self) -> Iterator[str]:
        for folder, folders, files in os.walk(self._top):
            path = Path(folder)
            if path == self._top:
                folders[:] = [name for name in folders if name.casefold() not in self._without]
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                yield (path / name).relative_to(self._top).as_posix()


class InstalledFolder(SiteFolder):
    def __init__(self, top: Path, without: Collection[str], *, is_beside_programs: bool) -> None:
        super().__init__(_OwnFiles(top, without))
        self.top, self.is_beside_programs = top, is_beside_programs


def site_folders(context: Context, site_ids: frozenset[int]) -> dict[int, InstalledFolder]:
    """Return the folder of each chosen site that has one. Raises SourceError if there is no such installation."""
    top = context.options.files
    if top is None:
        return {}
    if not top.is_dir():
        raise SourceError(f"There is no folder {top}.")
    is_whole = not (top / "wwwroot").is_dir()
    top = top if is_whole else top / "wwwroot"
    rows = {number(row.get("id")): row for row in context.source.rows("siteserver_site")}
    folders: dict[int, InstalledFolder] = {}
    for site_id in sorted(site_ids):
        path = top.joinpath(*_path_of(rows, site_id))
        inner = {_path_of(rows, pk)[-1] for pk, row in rows.items() if pk != site_id and _path_of(rows, pk)}
        if not path.is_dir() or path.is_symlink():
            context.report.find(
                "The folder of a site is missing; its templates and files were left out.", f"site {site_id}", str(path)
            )
            continue
        is_root = flag(rows[site_id].get("isroot", rows[site_id].get("root")))
        without = inner | (_NOT_OURS if is_root else set())
        folders[site_id] = InstalledFolder(path, without, is_beside_programs=is_root and is_whole)
    return folders


def _path_of(rows: dict[int, Row], site_id: int) -> list[str]:
    """Return the parts of the path of a site's folder; none of the root site."""
    parts: list[str] = []
    met: set[int] = set()
    while site_id in rows and site_id not in met:
        met.add(site_id)
        row = rows[site_id]
        if flag(row.get("isroot", row.get("root"))):
            break
        parts.insert(0, Path(text(row.get("sitedir")).replace("\\", "/")).name)
        site_id = number(row.get("parentid"))
    return [part for part in parts if part not in {"", ".."}]


def migrate_files(context: Context, folders: dict[int, InstalledFolder]) -> None:
    """Copy uploads and assets; existing files of the same size and time stay."""
    found = {
        site_id: SiteFiles(folder, templates_of(site_id), PagePaths.of_site(site_id))
        for site_id, folder in folders.items()
    }
    context.progress.begin("files", sum(len(files.names) for files in found.values()))
    doubtful: list[str] = []
    for site_id, files in found.items():
        for reason, paths in files.left_out.items():
            context.report.add("files", Outcome.LEFT_OUT, len(paths))
            for path in paths:
                context.report.find(f"Left out, {reason}.", f"site {site_id}", printable(path))
        by_outcome: defaultdict[Outcome, list[str]] = defaultdict(list)
        for path, name in files.names.items():
            outcome = _migrate_file(context, folders[site_id], site_id, path, name)
            context.report.add("files", outcome)
            by_outcome[outcome].append(path)
            if outcome != Outcome.LEFT_OUT and may_be_secret(path):
                doubtful.append(f"site {site_id}: {path}")
            context.progress.advance(1)
        if not context.options.is_dry_run:
            site = Site.with_trash.get(pk=site_id)
            record_files(site, by_outcome[Outcome.NEW] + by_outcome[Outcome.UPDATED])
            # An earlier run may have been interrupted before it stored their rows.
            record_files(site, by_outcome[Outcome.UNCHANGED], only_missing=True)
    for place in doubtful:
        context.report.find("A text file or archive is public here; check that it contains nothing secret.", place)
    if doubtful:
        context.report.facts["Public text files and archives"] = f"{len(doubtful)}: {', '.join(doubtful[:_SHOWN])}"
    context.progress.end()


def _migrate_file(context: Context, folder: InstalledFolder, site_id: int, path: str, name: str) -> Outcome:
    source = folder.top / name
    if is_private(path, is_beside_programs=folder.is_beside_programs):
        told = "A file of configuration, plug-ins, logs or backups was left out; visitors must not get it."
        context.report.find(told, f"site {site_id}", path)
        return Outcome.LEFT_OUT
    if not stat.S_ISREG(source.lstat().st_mode) or not os.access(source, os.R_OK):
        context.report.find("A file is a link or cannot be read; it was left out.", f"site {site_id}", path)
        return Outcome.LEFT_OUT
    if context.options.is_dry_run:
        return Outcome.NEW
    return _store(source, f"{SITE_FILES.folder}/{site_id}/{path}")


def _store(source: Path, target: str) -> Outcome:
    wanted = source.stat()
    if not isinstance(default_storage, FileSystemStorage):
        if _size_of(target) == wanted.st_size:
            return Outcome.UNCHANGED
        _copy(source, target)
        return Outcome.NEW
    path = Path(default_storage.path(target))
    before = path.stat() if path.exists() else None
    # An earlier release made hard links, so the old installation could change the file.
    is_linked = before is not None and os.path.samestat(before, wanted)
    if before and not is_linked and (before.st_size, before.st_mtime_ns) == (wanted.st_size, wanted.st_mtime_ns):
        return Outcome.UNCHANGED
    _copy(source, target)
    os.utime(path, ns=(wanted.st_atime_ns, wanted.st_mtime_ns))
    return Outcome.UPDATED if before else Outcome.NEW


def _size_of(target: str) -> int:
    try:
        return media.size_of(target)
    except FileNotFoundError:
        return -1


def _copy(source: Path, target: str) -> None:
    handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as stream:
        media.store_file(target, stream)
