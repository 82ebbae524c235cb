"""Files of a site template: uploads, which contents name as `@/upload/…`, and assets of pages, beside them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

from cms_api.lib.media_storage import SITE_FILES
from sites.models import Site
from transfer.archive import LimitedStream
from transfer.template_files import SiteFolder

# Types that browsers show or save, but never execute.
EXTENSIONS = frozenset(
    {"gif", "jpg", "jpeg", "png", "bmp", "webp"}
    | {"mp3", "mp4", "m4v", "webm", "ogg", "ogv", "wav", "avi", "flv", "mov", "wmv", "wma"}
    | {"pdf", "txt", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "zip", "rar", "7z"}
)
# Types that pages load; only packages bring them, never an upload of an editor.
ASSETS = (
    EXTENSIONS
    | {"css", "js", "mjs", "map", "json", "xml", "svg", "ico", "avif"}
    | {"woff", "woff2", "ttf", "otf", "eot"}
)
_FOLDER = "upload/"
_MAX_CHARACTERS = 200
_EVERY = 20  # files between progress reports


class SiteFiles:
    """The files with safe names and types; others are left out, such as generated pages."""

    def __init__(self, files: SiteFolder, *, with_uploads: bool = True) -> None:
        self._files = files
        self.names = {
            path: name
            for path, name in files.site_files.items()
            if _is_stored(path) and (with_uploads or not _is_upload(path))
        }
        self._folded = {path.casefold() for path in self.names}

    def has(self, path: str) -> bool:
        """Return whether the package has the file `@/<path>`."""
        return path.casefold() in self._folded

    def pieces(self, path: str) -> Iterator[bytes]:
        """The bytes of the file `@/<path>`."""
        with self._files.open(self.names[path]) as stream:
            yield from _Streamed(stream, path).chunks()

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


def _is_upload(path: str) -> bool:
    return path.casefold().startswith(_FOLDER)


def _is_stored(path: str) -> bool:
    if len(path) > _MAX_CHARACTERS or not SITE_FILES.names.fullmatch(f"1/{path}"):
        return False
    return path.rpartition(".")[2].casefold() in (EXTENSIONS if _is_upload(path) else ASSETS)


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


@contextmanager
def removing_strays() -> Iterator[list[str]]:
    """Collect paths of files to be stored for a new site; a failure of the block removes them."""
    noted: list[str] = []
    try:
        yield noted
    except BaseException:
        remove_strays(noted)
        raise


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
