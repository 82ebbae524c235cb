"""The files of a package, in a folder or a zip, read with limits and without writing anything to disk.

A package comes from strangers. Names that lead outside it, links, encrypted members and sizes that
no site has are refused before anything is read; sizes are also counted while reading, because a
file need not be as large as it says.
"""

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.utils.translation import gettext_lazy as _

from transfer.package import PackageError, filled

MAX_MEMBER_BYTES = 1024**3
MAX_TOTAL_BYTES = 4 * 1024**3
MAX_RECORD_BYTES = 32 * 1024**2
MAX_MEMBERS = 200_000
# Methods whose memory does not depend on what the zip asks for.
COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# What zipfile raises for damaged or unsupported archives, depending on where the damage is.
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError)


class LimitedStream:
    """A binary stream that refuses to yield more bytes than a file, or one record in it, may have."""

    def __init__(self, stream: IO[bytes], file: str) -> None:
        self._stream, self._file = stream, file
        self._total = self._record = 0

    def read(self, size: int = 64 * 1024, /) -> bytes:
        data = self._read(size)
        self._total += len(data)
        self._record += len(data)
        check_size(self._file, self._total)
        if self._record > MAX_RECORD_BYTES:
            raise PackageError(
                filled(_("A record has more than %(count)d bytes."), count=MAX_RECORD_BYTES), file=self._file
            )
        return data

    def start_record(self) -> None:
        """Count the bytes of the next record from here."""
        self._record = 0

    def _read(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except ZIP_ERRORS as error:
            raise damaged(self._file, error) from error


class FolderArchive:
    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self) -> Collection[str]:
        """Return the path of every file below the folder; links are named but not followed."""
        paths = (Path(folder, file) for folder, _, files in os.walk(self._path) for file in files)
        return [path.relative_to(self._path).as_posix() for path in paths]

    @contextmanager
    def open(self, name: str) -> Iterator[LimitedStream]:
        with self._opened(name) as stream:
            yield LimitedStream(stream, name)

    def _opened(self, name: str) -> IO[bytes]:
        path = self._path / name
        try:
            # A link may lead anywhere; reading a pipe or a device may never end.
            if stat.S_ISREG(path.lstat().st_mode):
                return path.open("rb")
        except OSError as error:
            raise damaged(name, error) from error
        raise PackageError(_("This is a link or a device; only ordinary files are read."), file=name)

    def close(self) -> None:
        """Do nothing: a folder is not held open."""


class ZipArchive:
    """A package in a zip file; every member is checked when the zip is opened."""

    def __init__(self, path: Path) -> None:
        self._zip = open_zip(path)
        try:
            self._members = checked_members(self._zip)
        except PackageError:
            self._zip.close()
            raise

    def names(self) -> Collection[str]:
        return self._members

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


Archive = FolderArchive | ZipArchive  # the files of a package by their path inside it, `/` between its parts


def open_archive(path: Path) -> Archive:
    """Return the files at the path, which is a folder or a zip file."""
    if os.path.isdir(path):
        return FolderArchive(path)
    if os.path.isfile(path):
        return ZipArchive(path)
    raise PackageError(_("There is no folder or zip file at this path."), file=str(path))


def open_zip(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except ZIP_ERRORS as error:
        raise PackageError(
            filled(_("This is not a readable zip file (%(error)s)."), error=error), file=path.name
        ) from error


def checked_members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files of the zip by path; raise if the zip is not one that can be read safely."""
    check_totals(archive.infolist())
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        # Zips made on Windows by older programs have backslashes.
        name = member.filename.replace("\\", "/")
        check_member(name, member)
        if name in members:
            raise PackageError(_("The zip holds two members of this name."), file=name)
        members[name] = member
    return {name: member for name, member in members.items() if not name.endswith("/")}


def check_totals(members: list[zipfile.ZipInfo]) -> None:
    """Raise if there are more members, or more bytes in them, than a package may have."""
    if len(members) > MAX_MEMBERS:
        told = _("The zip holds %(count)d members; %(most)d are allowed.")
        raise PackageError(filled(told, count=len(members), most=MAX_MEMBERS))
    total = sum(member.file_size for member in members)
    if total > MAX_TOTAL_BYTES:
        told = _("The zip unpacks to %(count)d bytes; %(most)d are allowed.")
        raise PackageError(filled(told, count=total, most=MAX_TOTAL_BYTES))


def check_member(name: str, member: zipfile.ZipInfo) -> None:
    """Raise if the member leads outside the package, is a link, is encrypted or is too large."""
    if name.startswith("/") or re.match("[A-Za-z]:", name) or ".." in name.split("/"):
        raise PackageError(_("The name of this zip member leads outside the package."), file=name)
    if stat.S_ISLNK(member.external_attr >> 16):
        raise PackageError(_("This zip member is a symbolic link; links are not followed."), file=name)
    if member.flag_bits & 0x1:
        raise PackageError(_("This zip member is encrypted; pack the files without a password."), file=name)
    if member.compress_type not in COMPRESSIONS:
        raise PackageError(_("This zip member is not compressed with Deflate; pack the files again."), file=name)
    check_size(name, member.file_size)


def check_size(name: str, size: int) -> None:
    """Raise if a file has, or says to have, more bytes than allowed."""
    if size > MAX_MEMBER_BYTES:
        told = _("The file has at least %(count)d bytes; %(most)d are allowed.")
        raise PackageError(filled(told, count=size, most=MAX_MEMBER_BYTES), file=name)


def damaged(name: str, error: Exception) -> PackageError:
    """Return the error that says that a file of the package cannot be read."""
    return PackageError(filled(_("The file cannot be read (%(error)s)."), error=error), file=name)
