"""Files of a site template: uploads, which contents name as `@/upload/…`, and assets of pages, beside them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from mimetypes import MimeTypes
from urllib.parse import unquote

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.utils.translation import gettext_noop

from core.lib.media_storage import ASSETS, SHOWN, SITE_FILES, extension_of
from media_library.services import record_files
from sites.models import Site
from sites.upload_kinds import PROGRAMS
from transfer.archive import LimitedStream
from transfer.package import PackageError, TemplateRecord
from transfer.page_paths import PagePaths
from transfer.page_templates import paths_read
from transfer.template_files import SiteFolder

# Types that web servers do not send: settings, sources, data, copies and keys.
_KEPT_BACK = """
    accdb bak browser compiled conf config cs csproj db env ini java key ldb ldf licx log master mdb mdf old orig p12
    pdb pem pfx resources resx sitemap skin sln sql sqlite sqlite3 suo user vbproj webinfo
"""
_NEVER = PROGRAMS.union(_KEPT_BACK.split())
# Types of documents, archives, media and data that visitors download, in addition to Python's; a file of any other
# type, such as `web.config.1`, may be a copy of a private file.
_DOWNLOADS = """
    3gp 7z aac ai amr ape apk ass avi azw3 bz2 caj cdr ceb csv djvu docm docx dot dotx dps dpt dwf dwg dxf eps epub et
    ett flac flv fon geojson gpx gz heic heif htc icc ics ipa jfif jp2 kml kmz lrc m3u8 m4r md mid midi mkv mobi msg odp
    ods odt ofd pdg pic pot potx pps ppsx pptm pptx psd rar rm rmvb rss rtf srt swf tgz tif tiff torrent ttc txz vcf vsd
    vsdx wma wmf wmv wps wpt xlsm xlsx xlt xltx xz
"""
_KNOWN = {*SHOWN, *ASSETS, *_DOWNLOADS.split(), *(name[1:] for name in MimeTypes(()).types_map[True])} - _NEVER
# Reasons to leave a file out.
HIDDEN = gettext_noop("hidden files")
SERVER = gettext_noop("programs, settings and data of servers")
UNTYPED = gettext_noop("files of no known type")
UNFIT = gettext_noop("files with a name that cannot be stored")
PAGES = gettext_noop("pages, which the service makes itself, and texts of templates")

_FOLDER = "upload/"
# Bytes of UTF-8; file systems and object stores permit no more, the name of the storage's folder included.
_MAX_NAME, _MAX_PATH = 255, 900
_TEMPLATE = re.compile(r"(?:template/(?:content/)?)?t_[^/]*", re.IGNORECASE)
_ELEMENT = re.compile(rb"<stl:|\{stl[.:]", re.IGNORECASE)
_LOOKED_AT = 1024**2  # bytes of a document
_MARK = re.compile(r"[^a-z0-9].*")  # of a size, such as photo.jpg!w160
_EVERY = 20  # files between progress reports


class SiteFiles:
    """The files that a site may have by path; `left_out` has the others by reason, but for templates and includes."""

    def __init__(
        self, files: SiteFolder, templates: Iterable[TemplateRecord], pages: PagePaths, *, with_uploads: bool = True
    ) -> None:
        self._files, self._pages = files, pages
        self.names: dict[str, str] = {}
        self.left_out: dict[str, list[str]] = defaultdict(list)
        read = paths_read(files, templates)
        for path, name in files.site_files.items():
            if path in read or (_is_upload(path) and not with_uploads):
                continue
            if reason := _reason_to_leave_out(path) or (PAGES if self._is_page(path, name) else ""):
                self.left_out[reason].append(path)
            else:
                self.names[path] = name
        self._folded = {path.casefold() for path in self.names}

    def has(self, path: str) -> bool:
        """Return whether the package has the file `@/<path>`."""
        return not self._folded.isdisjoint({path.casefold(), unquote(path).casefold()})

    def _is_page(self, path: str, name: str) -> bool:
        if self._pages.has(path):
            return True
        is_document = extension_of(path) in {"htm", "html"}
        return is_document and (bool(_TEMPLATE.fullmatch(path)) or self._has_elements(name))

    def _has_elements(self, name: str) -> bool:
        try:
            with self._files.open(name) as stream:
                return bool(_ELEMENT.search(stream.read(_LOOKED_AT)))
        except PackageError:  # such as a link
            return False

    def pieces(self, path: str) -> Iterator[bytes]:
        """The bytes of the file `@/<path>`."""
        with self._files.open(self.names[path]) as stream:
            yield from _Streamed(stream, path).chunks()

    def store(self, site_id: int, tell: Callable[[str, int, int], object], note: Callable[[list[str]], object]) -> int:
        """Store the files, not transactionally, and their rows; return their number. First calls `note` with all paths.

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
        record_files(Site.objects.get(pk=site_id), self.names)
        return len(self.names)


def _is_upload(path: str) -> bool:
    return path.casefold().startswith(_FOLDER)


def _reason_to_leave_out(path: str) -> str:
    if path.startswith(".") or "/." in path:
        return HIDDEN
    extension = extension_of(path)
    if extension in _NEVER:
        return SERVER
    if _MARK.sub("", extension) not in _KNOWN:
        return UNTYPED
    if not SITE_FILES.names.fullmatch(f"1/{path}") or len(path.encode()) > _MAX_PATH:
        return UNFIT
    return UNFIT if any(len(part.encode()) > _MAX_NAME for part in path.split("/")) else ""


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
