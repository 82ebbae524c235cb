"""The folders of the chosen sites in the folder of the installation, and the files that come along."""

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from django.core.files.storage import FileSystemStorage, default_storage

from cms_api.archive import media
from cms_api.lib.media_storage import SITE_FILES
from migration.context import Context
from migration.report import Outcome
from migration.sources.source import Row, SourceError
from migration.values import flag, number, text
from transfer.archive import FolderArchive
from transfer.site_files import SiteFiles
from transfer.template_files import SiteFolder

# Folders of the root site that are of the installation.
_NOT_OURS = frozenset({"siteserver", "sitefiles", "bin", "api", "home", "ss-admin", "sitetemplates", "node_modules"})


class _OwnFiles(FolderArchive):
    """The files of a site without those of sites below it, of the installation, and hidden ones."""

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
    def __init__(self, top: Path, without: Collection[str]) -> None:
        super().__init__(_OwnFiles(top, without))
        self.top = top


def site_folders(context: Context, site_ids: frozenset[int]) -> dict[int, InstalledFolder]:
    """Return the folder of each chosen site that has one. Raises SourceError if there is no such installation."""
    top = context.options.files
    if top is None:
        return {}
    if not top.is_dir():
        raise SourceError(f"There is no folder {top}.")
    top = top / "wwwroot" if (top / "wwwroot").is_dir() else top
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
        folders[site_id] = InstalledFolder(path, inner | (_NOT_OURS if is_root else set()))
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
    """Link or copy uploads and assets; those that are here with the same size and time stay."""
    found = {site_id: SiteFiles(folder) for site_id, folder in folders.items()}
    context.progress.begin("files", sum(len(files.names) for files in found.values()))
    for site_id, files in found.items():
        for path, name in files.names.items():
            source = folders[site_id].top / name
            if not stat.S_ISREG(source.lstat().st_mode) or not os.access(source, os.R_OK):
                context.report.find("A file is a link or cannot be read; it was left out.", f"site {site_id}", path)
                context.report.add("files", Outcome.LEFT_OUT)
            elif context.options.is_dry_run:
                context.report.add("files", Outcome.NEW)
            else:
                context.report.add("files", _store(source, f"{SITE_FILES.folder}/{site_id}/{path}"))
            context.progress.advance(1)
    context.progress.end()


def _store(source: Path, target: str) -> Outcome:
    wanted = source.stat()
    if not isinstance(default_storage, FileSystemStorage):
        if _size_of(target) == wanted.st_size:
            return Outcome.UNCHANGED
        media.store(target, _pieces(source))
        return Outcome.NEW
    path = Path(default_storage.path(target))
    if path.exists() and (path.stat().st_size, path.stat().st_mtime_ns) == (wanted.st_size, wanted.st_mtime_ns):
        return Outcome.UNCHANGED
    outcome = Outcome.UPDATED if path.exists() else Outcome.NEW
    if not _link(source, path):
        media.store(target, _pieces(source))
        os.utime(path, ns=(wanted.st_atime_ns, wanted.st_mtime_ns))
    return outcome


def _link(source: Path, path: Path) -> bool:
    """Return whether the file system could make a hard link, which takes no space."""
    path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    linked = path.with_name(f".{path.name[:100]}.linked")
    linked.unlink(missing_ok=True)
    try:
        os.link(source, linked, follow_symlinks=False)
    except OSError:
        return False
    if not stat.S_ISREG(linked.lstat().st_mode):  # it has just become a link
        linked.unlink()
        return False
    linked.replace(path)
    return True


def _size_of(target: str) -> int:
    try:
        return media.size_of(target)
    except FileNotFoundError:
        return -1


def _pieces(source: Path) -> Iterator[bytes]:
    handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as stream:
        yield from iter(lambda: stream.read(256 * 1024), b"")
