import errno
import fcntl
import logging
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from time import time_ns
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage
from django.utils.crypto import get_random_string

from core.lib.folded_names import FoldedNames

# The path of files that this service serves itself, regardless of CMS_MEDIA_URL.
FOLDER = "media/"
AVATARS = "avatars"
# The avatar of users without one; the file comes with the service.
DEFAULT_AVATAR = f"{AVATARS}/default.png"
# A new name in a folder of pictures; its first two letters spread the files over subfolders.
PICTURE_NAMES = re.compile(r"[a-z0-9]{2}/[a-z0-9]{30}\.png")


class SiteFiles(NamedTuple):
    """A folder and the permitted names in it: `<site>/<folders>/<name>.<extension>`."""

    folder: str
    names: re.Pattern[str]


# No control characters, halves of surrogate pairs, and marks that let a name look like another one.
_UNFIT = r"/\\\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
# The type may have a suffix of picture services: photo.jpg!w200.
_TYPE = rf"\.[A-Za-z0-9]{{1,16}}(?:[^A-Za-z0-9.{_UNFIT}][^.{_UNFIT}]{{0,60}})?"
# Names that begin with a dot are never shown.
SITE_FILES = SiteFiles("sites", re.compile(rf"[1-9]\d{{0,18}}(?:/(?!\.)[^{_UNFIT}]{{1,255}}){{1,12}}{_TYPE}"))


class StoredFile(NamedTuple):
    size: int  # bytes
    stored_at: float  # seconds since 1970


TRASH = ".trash"  # folder of a site; no address shows files in it, since its name begins with a dot
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def new_picture_name(folder: str) -> str:
    name = get_random_string(30, _LETTERS)
    return f"{folder}/{name[:2]}/{name}.png"


def new_letters(count: int) -> str:
    return get_random_string(count, _LETTERS)


def extension_of(path: str) -> str:
    """Return the type of a file in lower case, without the dot: `jpg` also of `a.JPG!w200`; empty if there is none."""
    stem, _, end = path.rpartition("/")[2].rpartition(".")
    found = re.match("[A-Za-z0-9]{1,16}(?![A-Za-z0-9])", end) if stem else None
    return found[0].lower() if found else ""


# Files that browsers show without running anything, with their types; all others are sent as downloads.
SHOWN = {
    "avif": "image/avif",
    "bmp": "image/bmp",
    "gif": "image/gif",
    "jfif": "image/jpeg",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "m4a": "audio/mp4",
    "m4v": "video/mp4",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "txt": "text/plain; charset=utf-8",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
}

# Further files of sites with pages; stored ones may run scripts if a browser opens them as documents (RUNNABLE).
ASSETS = {
    "css": "text/css; charset=utf-8",
    "cur": "image/vnd.microsoft.icon",
    "eot": "application/vnd.ms-fontobject",
    "htm": "text/html; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/vnd.microsoft.icon",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "less": "text/plain; charset=utf-8",
    "map": "application/json",
    "mjs": "text/javascript; charset=utf-8",
    "otf": "font/otf",
    "svg": "image/svg+xml",
    "ttf": "font/ttf",
    "vtt": "text/vtt; charset=utf-8",
    "webmanifest": "application/manifest+json",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xml": "application/xml",
}
RUNNABLE = frozenset({"htm", "html", "svg", "xml"})

# For files whose names are never reused.
FOR_EVER = "public, max-age=31536000, immutable"
# Caches may store a page but revalidate it for each request, since an edit changes an unknown set of pages. With the
# ETag, the
# question costs no body.
REVALIDATED = "public, max-age=0, must-revalidate"
# Query parameters of the address; the credentials come from the usual AWS_… variables.
_S3_OPTIONS = ("endpoint_url", "region_name", "addressing_style", "timeout")
_ADDRESSING_STYLES = ("auto", "path", "virtual")
_TIMEOUT = "3"  # seconds
_PIECE = 256 * 1024  # bytes of a file in memory at a time
_FICLONE = 0x40049409  # of Linux
_COARSE = 2_000_000_000  # nanoseconds, the resolution of some file systems


# Permissions, a read-only or failing disk, a lost network share. A full disk is an error of its own.
_BROKEN = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.ENOTDIR, errno.ESTALE, errno.ENOTCONN}
logger = logging.getLogger(__name__)


class StorageBusy(Exception):
    """Too many threads already wait for the storage; a retry may soon succeed."""


class StorageUnavailable(Exception):
    """The storage is unreachable, does not respond in time, or refuses the request."""


def read_storage(address: str, folder: Path) -> dict[str, Any]:
    """Return an entry of STORAGES for CMS_MEDIA_STORAGE; raises ImproperlyConfigured.

    Empty: the folder. `s3://bucket/folder?endpoint_url=…&region_name=…&addressing_style=…&timeout=…`: that folder of
    the bucket; `timeout` is in seconds, for connecting and for each read.
    """
    if not address:
        return {"BACKEND": "core.lib.media_storage.WholeFiles", "OPTIONS": {"location": str(folder)}}
    parts = urlsplit(address)
    if parts.scheme != "s3" or not parts.netloc:
        raise _wrong("must be empty or begin with s3:// and the name of a bucket")
    if "@" in parts.netloc or ":" in parts.netloc:
        raise _wrong("must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    if parts.fragment:
        raise _wrong("must not contain the character #")
    options = _read_options(parts.query)
    # Imported here: it costs 15 MB of memory, needed only with an object store.
    from boto3.s3.transfer import TransferConfig  # type: ignore[import-untyped]
    from botocore.config import Config  # type: ignore[import-untyped]

    # By default, a store that does not respond would hold a thread for minutes.
    timeout = float(options.pop("timeout", _TIMEOUT))
    config = Config(
        s3={"addressing_style": options.pop("addressing_style", "auto")},
        connect_timeout=timeout,
        read_timeout=timeout,
        retries={"mode": "standard", "total_max_attempts": 1},
    )
    store = {
        "bucket_name": parts.netloc,
        "location": parts.path.strip("/"),
        **options,
        "file_overwrite": False,
        "object_parameters": {"CacheControl": FOR_EVER},  # ObjectStore derives the type from the name
        "default_acl": None,  # the bucket decides whether it is public
        "client_config": config,
        "transfer_config": TransferConfig(use_threads=False),
    }
    return {"BACKEND": "core.lib.object_store.ObjectStore", "OPTIONS": store}


def read_media_url(address: str) -> str:
    """Return MEDIA_URL for CMS_MEDIA_URL; empty: this service. Raises ImproperlyConfigured."""
    if not address:
        return FOLDER
    if not urlsplit(address).netloc or not address.startswith(("https://", "http://")):
        raise ImproperlyConfigured("CMS_MEDIA_URL must be empty or a full URL that begins with https:// or http://.")
    return address.rstrip("/") + "/"


def media_sources(media_url: str) -> list[str]:
    """Return the CSP sources that pictures of that MEDIA_URL need; none if this service serves them."""
    parts = urlsplit(media_url)
    return [f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"] if parts.netloc else []


def _read_options(query: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _S3_OPTIONS or name in options:
            raise _wrong(f"has {name} in its query; allowed, once each: {', '.join(_S3_OPTIONS)}")
        options[name] = value
    if options.get("addressing_style", "auto") not in _ADDRESSING_STYLES:
        raise _wrong(f"must have one of {', '.join(_ADDRESSING_STYLES)} as its addressing_style")
    if not re.fullmatch(r"[1-9]|[1-5][0-9]|60|0\.[1-9]", options.get("timeout", _TIMEOUT)):
        raise _wrong("must have a timeout of 1 to 60 seconds, or 0.1 to 0.9")
    if not options.get("endpoint_url", "https://").startswith(("http://", "https://")):
        raise _wrong("must have an endpoint_url that begins with https:// or http://")
    return options


def _wrong(problem: str) -> ImproperlyConfigured:
    # Not the value itself: it may contain a secret.
    return ImproperlyConfigured(f"CMS_MEDIA_STORAGE {problem}.")


@contextmanager
def _written() -> Iterator[None]:
    """Turn errors of a broken disk into StorageUnavailable."""
    try:
        yield
    except OSError as error:
        if error.errno not in _BROKEN:
            raise
        logger.error("The media folder cannot be written: %s", error)
        raise StorageUnavailable(str(error)) from error


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class FileOfDisk(File):  # type: ignore[type-arg]
    """An open file whose copies share its blocks on file systems that can do so, such as Btrfs and XFS."""

    def clone_to(self, handle: int) -> bool:
        """Return whether the open file has the bytes of this one now."""
        try:
            fcntl.ioctl(handle, _FICLONE, self.fileno())
        except OSError:
            return False
        return True


class WholeFiles(FoldedNames, FileSystemStorage):
    """Files appear only when complete, and survive a power cut. Mode 0640 lets a proxy of the group serve them."""

    _file_mode, _folder_mode = 0o640, 0o750

    def _save(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        with _written():
            return self._write(name, content)

    def move(self, name: str, target: str) -> None:
        """Rename the file, replacing any other. Raises FileNotFoundError."""
        old, new = Path(self.path(name)), Path(self.path(target))
        with _written():
            if not old.is_file():  # no folder for a file that does not exist
                raise FileNotFoundError(f"There is no file {name}.")
            new.parent.mkdir(mode=self._folder_mode, parents=True, exist_ok=True)
            os.rename(old, new)
            for folder in (new.parent, new.parent.parent, old.parent):
                _sync(folder)

    def _write(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        path = Path(self.path(name))
        path.parent.mkdir(mode=self._folder_mode, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                if not (isinstance(content, FileOfDisk) and content.clone_to(handle)):
                    for chunk in content.chunks():
                        file.write(chunk)
                file.flush()
                os.fchmod(handle, self._file_mode)
                os.fsync(handle)
            os.rename(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        for folder in (path.parent, path.parent.parent):  # both may be new
            _sync(folder)
        return name

    def size_of(self, name: str) -> int:
        """Return the size in bytes. Raises FileNotFoundError."""
        path = self.path(name)
        # Unlike Path.is_file, it accepts names that are too long for the disk.
        if not os.path.isfile(path):
            raise FileNotFoundError(f"There is no file {name}.")
        return os.path.getsize(path)

    def stamp_of(self, name: str) -> str:
        """Return a text that changes with the file. Raises FileNotFoundError."""
        found = os.stat(self.path(name))
        return f"{found.st_size}-{found.st_mtime_ns}"

    def entries(self, folder: str) -> tuple[list[str], dict[str, StoredFile]]:
        """Return the names of the folders in it, and its files."""
        try:
            found = list(os.scandir(self.path(folder)))
        except (FileNotFoundError, NotADirectoryError):
            return [], {}
        known = [(each.name, each.stat()) for each in found if each.is_file()]
        files = {name: StoredFile(stat.st_size, stat.st_mtime) for name, stat in known}
        return [each.name for each in found if each.is_dir()], files

    def names_in(self, folder: str) -> list[str]:
        try:
            return os.listdir(self.path(folder))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def mark_of(self, folder: str) -> object:
        try:
            changed_at = os.stat(self.path(folder)).st_mtime_ns
        except FileNotFoundError:
            return None
        return changed_at if time_ns() - changed_at > _COARSE else None

    def open_file(self, name: str) -> BinaryIO:
        return open(self.path(name), "rb")

    def parts(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        with open(self.path(name), "rb") as file:
            file.seek(start)
            while start < stop and (piece := file.read(min(_PIECE, stop - start))):
                start += len(piece)
                yield piece


class PrivateFiles(WholeFiles):
    """Files for the account of the service alone; no address shows them."""

    _file_mode, _folder_mode = 0o600, 0o700

    def _write(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        folder = Path(self.location)
        for part in ("", *PurePath(name).parent.parts):  # one by one: `parents` would have the modes of the process
            folder = folder / part
            folder.mkdir(mode=self._folder_mode, exist_ok=True)
        return super()._write(name, content)
