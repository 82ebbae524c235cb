"""Files of a site template that contents refer to as `@/upload/…`."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

from cms_api.lib.media_storage import SITE_FILES
from sites.models import Site
from transfer.archive import LimitedStream
from transfer.site_template import TemplateFiles

# Types that browsers show or save, but never execute.
EXTENSIONS = frozenset(
    {"gif", "jpg", "jpeg", "png", "bmp", "webp"}
    | {"mp3", "mp4", "m4v", "webm", "ogg", "ogv", "wav", "avi", "flv", "mov", "wmv", "wma"}
    | {"pdf", "txt", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "zip", "rar", "7z"}
)
_FOLDER = "upload/"
_MAX_CHARACTERS = 200
_EVERY = 20  # files between progress reports


class SiteFiles:
    """The files below `upload/` with safe names and types; others are left out."""

    def __init__(self, files: TemplateFiles) -> None:
        self._files = files
        others = files.others()
        self.names = {path: name for name in others if (path := self._path(name))}
        self._folded = {path.casefold() for path in self.names}
        self.left_out = len(others) - len(self.names)

    def has(self, path: str) -> bool:
        """Return whether the package has the file `@/<path>`."""
        return path.casefold() in self._folded

    def store(self, site_id: int, tell: Callable[[str, int, int], object], note: Callable[[list[str]], object]) -> int:
        """Store the files, not transactionally, and return their number; calls `note` with all paths before.

        On failure the caller must call `remove_strays`.
        """
        targets = {path: f"{SITE_FILES.folder}/{site_id}/{path}" for path in self.names}
        note(list(targets.values()))
        for number, (path, name) in enumerate(self.names.items()):
            if number % _EVERY == 0:
                tell("files", number, len(self.names))
            with self._files.open(name) as stream:
                # A new site has no files, unless a killed import left some under the same id, which SQLite may reuse.
                default_storage.delete(targets[path])
                default_storage.save(targets[path], _Streamed(stream, name))
        return len(self.names)

    def _path(self, name: str) -> str:
        path = name.removeprefix(self._files.top) if name.startswith(self._files.top) else ""
        is_safe = len(path) <= _MAX_CHARACTERS and SITE_FILES.names.fullmatch(f"1/{path}")
        extension = path.rpartition(".")[2].casefold()
        return path if is_safe and path.startswith(_FOLDER) and extension in EXTENSIONS else ""


class _Streamed(File):  # type: ignore[type-arg]
    """A file of a package; only its total size is limited."""

    def __init__(self, stream: LimitedStream, name: str) -> None:
        super().__init__(None, name)
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        self._stream.start_record()
        return self._stream.read(size) if size >= 0 else b"".join(self.chunks())

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        while data := self.read(64 * 1024):
            yield data


def remove_strays(names: list[str]) -> None:
    """Delete files of missing sites, and partial files left beside them by a killed process."""
    sites = {name: int(name.split("/")[1]) for name in names}
    present = set(Site.objects.filter(pk__in=set(sites.values())).values_list("pk", flat=True))
    strays = [name for name, site_id in sites.items() if site_id not in present]
    for name in strays:
        default_storage.delete(name)
    # Only file systems can have partial files.
    if isinstance(default_storage, FileSystemStorage):
        for folder in {name.rpartition("/")[0] for name in strays}:
            with suppress(FileNotFoundError):
                for name in default_storage.listdir(folder)[1]:
                    default_storage.delete(f"{folder}/{name}")
