"""Multipart forms whose files are read while they are sent."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from mimetypes import guess_type
from pathlib import Path
from typing import BinaryIO

import httpx

from cms_client.wire import Members, text_of

File = str | os.PathLike[str] | BinaryIO | bytes
Progress = Callable[[int, int], object]
_CHUNK = 64 * 1024
_ENCODED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class Form(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A form with texts and one file, which a retry reads again from the same place.

    Raises OSError for a file that cannot be read, and ValueError for one without a name or without `seek`.
    """

    def __init__(
        self, file: File, name: str | None, texts: Members, progress: Progress | None = None, part: str = "file"
    ) -> None:
        self._file, self._progress = file, progress
        self._start = 0
        if not isinstance(file, str | bytes | os.PathLike):
            if not file.seekable():
                raise ValueError("The file cannot be read again for a retry; pass its path or its bytes.")
            self._start = file.tell()
        name = name or _name_of(file)
        if not name:
            raise ValueError("The file has no name; pass one, such as name='photo.jpg'.")
        size, digest = self._measure()
        # Derived from the content: the same call sends an identical body, as an Idempotency-Key needs, and no file can
        # contain its own boundary.
        self.boundary = sha256(repr((digest, name, sorted(texts.items()))).encode()).hexdigest()
        parts = [
            self._head(f'name="{member.translate(_ENCODED)}"') + text_of(value).encode() + b"\r\n"
            for member, value in texts.items()
        ]
        shown = name.translate(_ENCODED)
        kind = guess_type(name)[0] or "application/octet-stream"
        self._before = b"".join(parts) + self._head(f'name="{part}"; filename="{shown}"', f"Content-Type: {kind}\r\n")
        self._after = f"\r\n--{self.boundary}--\r\n".encode()
        self.length = len(self._before) + size + len(self._after)

    def _head(self, disposition: str, further: str = "") -> bytes:
        return f"--{self.boundary}\r\nContent-Disposition: form-data; {disposition}\r\n{further}\r\n".encode()

    def _measure(self) -> tuple[int, str]:
        size, digest = 0, sha256()
        with self._opened() as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                digest.update(chunk)
        return size, digest.hexdigest()

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """Open the file, or go to its start; the caller's file stays open."""
        if isinstance(self._file, bytes):
            yield BytesIO(self._file)
        elif isinstance(self._file, str | os.PathLike):
            with Path(self._file).open("rb") as file:
                yield file
        else:
            self._file.seek(self._start)
            yield self._file

    def __iter__(self) -> Iterator[bytes]:
        sent = 0
        for chunk in self._chunks():
            yield chunk
            sent = self._tell(sent + len(chunk))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        sent, chunks = 0, self._chunks()
        while chunk := await asyncio.to_thread(next, chunks, b""):
            yield chunk
            sent = self._tell(sent + len(chunk))

    def _chunks(self) -> Iterator[bytes]:
        yield self._before
        with self._opened() as file:
            while chunk := file.read(_CHUNK):
                yield chunk
        yield self._after

    def _tell(self, sent: int) -> int:
        if self._progress is not None:
            self._progress(sent, self.length)
        return sent


def _name_of(file: File) -> str:
    if isinstance(file, bytes):
        return ""
    place = file if isinstance(file, str | os.PathLike) else getattr(file, "name", "")
    return Path(place).name if isinstance(place, str | os.PathLike) else ""
