"""Reads the files of a package, a folder or a zip, within limits and without writing to disk.

Packages are untrusted: paths outside, links, encrypted members and excessive sizes are refused up front. Sizes are
also counted while reading, because declared sizes may be false.
"""

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from django.utils.translation import gettext_lazy as _

from transfer.package import PackageError, filled

MAX_MEMBER_BYTES = 1024**3
MAX_TOTAL_BYTES = 4 * 1024**3
MAX_RECORD_BYTES = 32 * 1024**2
MAX_MEMBERS = 200_000
# Compression methods with bounded memory.
COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_IS_UTF8 = 0x800  # flag of a zip member
# Exceptions of zipfile for damaged or unsupported archives.
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError)


class LimitedStream:
    """A binary stream with limits on the bytes of a file and of each record in it."""

    def __init__(self, stream: IO[bytes], file: str) -> None:
        self._stream, self._file = stream, file
        self._total = self._record = 0

    def read(self, size: int = 64 * 1024, /) -> bytes:
        try:
            data = self._stream.read(size)
        except ZIP_ERRORS as error:
            raise damaged(self._file, error) from error
        self._total += len(data)
        self._record += len(data)
        check_size(self._file, self._total)
        if self._record > MAX_RECORD_BYTES:
            raise PackageError(
                filled(_("A record has more than %(count)d bytes."), count=MAX_RECORD_BYTES), file=self._file
            )
        return data

    def start_record(self) -> None:
        self._record = 0


class FolderArchive:
    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self) -> Collection[str]:
        """Paths of all files below the folder; lists links without following them."""
        paths = (Path(folder, file) for folder, _, files in os.walk(self._path) for file in files)
        return [path.relative_to(self._path).as_posix() for path in paths]

    @contextmanager
    def open(self, name: str) -> Iterator[LimitedStream]:
        path = self._path / name
        try:
            # A link may point anywhere, and reading a pipe or device may never end.
            if not stat.S_ISREG(path.lstat().st_mode):
                raise PackageError(_("This is a link or a device; only ordinary files are read."), file=name)
            stream = path.open("rb")
        except OSError as error:
            raise damaged(name, error) from error
        with stream:
            yield LimitedStream(stream, name)

    def close(self) -> None:
        """Do nothing; a folder is not held open."""


class ZipArchive:
    """A package in a zip file; all members are checked on opening."""

    def __init__(self, file: Path | IO[bytes], name: str = "") -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except ZIP_ERRORS as error:
            told = filled(_("This is not a readable zip file (%(error)s)."), error=error)
            raise PackageError(told, file=name) from error
        try:
            self._members = checked_members(self._zip.infolist())
        except PackageError:
            self._zip.close()
            raise

    def names(self) -> Collection[str]:
        return self._members

    def size(self) -> int:
        """Return the bytes of all files, as the zip declares them."""
        return sum(member.file_size for member in self._members.values())

    @contextmanager
    def open(self, name: str) -> Iterator[LimitedStream]:
        try:
            stream = self._zip.open(self._members[name])
        except ZIP_ERRORS as error:
            raise damaged(name, error) from error
        with stream:
            yield LimitedStream(stream, name)

    def close(self) -> None:
        self._zip.close()


Archive = FolderArchive | ZipArchive  # paths are relative, with `/`


def open_archive(path: Path) -> Archive:
    if os.path.isdir(path):
        return FolderArchive(path)
    if os.path.isfile(path):
        return ZipArchive(path, path.name)
    raise PackageError(_("There is no folder or zip file at this path."), file=str(path))


def checked_members(found: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Map paths to members. Raises PackageError if the zip is unsafe to read."""
    if len(found) > MAX_MEMBERS:
        told = _("The zip has %(count)d members; at most %(most)d are allowed.")
        raise PackageError(filled(told, count=len(found), most=MAX_MEMBERS))
    total = sum(member.file_size for member in found)
    if total > MAX_TOTAL_BYTES:
        told = _("The zip unpacks to %(count)d bytes; at most %(most)d are allowed.")
        raise PackageError(filled(told, count=total, most=MAX_TOTAL_BYTES))
    members: dict[str, zipfile.ZipInfo] = {}
    for member, written in zip(found, _names_of(found), strict=True):
        # Old Windows programs write backslashes.
        name = written.replace("\\", "/")
        if name.startswith("/") or re.match("[A-Za-z]:", name) or ".." in name.split("/"):
            raise PackageError(_("The name of this zip member points outside the package."), file=name)
        if stat.S_ISLNK(member.external_attr >> 16):
            raise PackageError(_("This zip member is a symbolic link; links are not followed."), file=name)
        if member.flag_bits & 0x1:
            raise PackageError(_("This zip member is encrypted; pack the files without a password."), file=name)
        if member.compress_type not in COMPRESSIONS:
            raise PackageError(_("This zip member is not compressed with Deflate; pack the files again."), file=name)
        check_size(name, member.file_size)
        if name in members:
            raise PackageError(_("The zip has two members with this name."), file=name)
        members[name] = member
    return {name: member for name, member in members.items() if not name.endswith("/")}


def _names_of(members: list[zipfile.ZipInfo]) -> list[str]:
    """Return the names; without a flag for UTF-8 they may still have it, or the encoding of Chinese Windows."""
    written = [b"" if each.flag_bits & _IS_UTF8 else _bytes_of(each.filename) for each in members]
    encoding = "gb18030"
    with suppress(UnicodeDecodeError):
        # Short names may be right in both, but one in UTF-8 hardly has a Chinese letter by chance.
        encoding = "utf-8" if max(b"/".join(written).decode(), default="") >= "\u2e80" else encoding
    names = []
    for each, data in zip(members, written, strict=True):
        try:
            names.append(data.decode(encoding) or each.filename)
        except UnicodeDecodeError:
            names.append(each.filename)
    return names


def _bytes_of(name: str) -> bytes:
    """Return the original name; the library decodes it as DOS does. Empty for one that it has read otherwise."""
    try:
        return name.encode("cp437")
    except UnicodeEncodeError:
        return b""


def check_size(name: str, size: int) -> None:
    """Raise PackageError if a file's actual or declared size exceeds the limit."""
    if size > MAX_MEMBER_BYTES:
        told = _("The file has at least %(count)d bytes; at most %(most)d are allowed.")
        raise PackageError(filled(told, count=size, most=MAX_MEMBER_BYTES), file=name)


def damaged(name: str, error: Exception) -> PackageError:
    return PackageError(filled(_("The file cannot be read (%(error)s)."), error=error), file=name)
