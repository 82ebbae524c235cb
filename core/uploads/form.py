import io
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from core.lib.errors import InvalidInput, ServiceError
from core.rest.errors import TooLarge, body_too_large

_FILE_EXPECTED = "The body must be a form (multipart/form-data) with one part, which is a file."


def read_file(request: HttpRequest, *, max_bytes: int) -> bytes:
    """Return the bytes of the form's only file, with at most `max_bytes` in memory and nothing on disk.

    Raises `InvalidInput` (`file_expected`, `file_empty`, `body_unreadable`, `one_file_expected`) and `TooLarge`
    (`file_too_large`, `body_too_large`).
    """
    media_type, _, parameters = request.META.get("CONTENT_TYPE", "").partition(";")
    if media_type.strip().lower() != "multipart/form-data":
        raise InvalidInput("file_expected", _FILE_EXPECTED)
    limit: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    length = request.META.get("CONTENT_LENGTH") or ""
    if length.isdecimal() and int(length) > limit:
        raise body_too_large(limit)
    # In the letter case that Django's parser expects.
    content_type = f"multipart/form-data;{parameters}"
    file = _OneFile(max_bytes)
    try:
        # Texts are not read, so their charset does not matter.
        _Form(request.META | {"CONTENT_TYPE": content_type}, request, [file], "utf-8").parse()
    except MultiPartParserError as error:
        message = "The body is not a readable form: its parts, or the boundary between them, are malformed."
        raise InvalidInput("body_unreadable", message) from error
    except TooManyFieldsSent as error:
        # Reads to the end, as _OneFile does.
        while request.read(65_536):
            pass
        message = "The form has too many parts; send one part, which is a file."
        raise InvalidInput("one_file_expected", message) from error
    return file.contents()


class _Form(MultiPartParser):
    """Django's parser, but odd file names still make a part a file."""

    def sanitize_file_name(self, file_name: str) -> str:
        return "file"


class _OneFile(FileUploadHandler):
    """Holds one file in memory; errors are raised after the whole form is read, as most clients expect."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self._max_bytes = max_bytes
        self._file: io.BytesIO | None = None
        # Created when raised: an exception stored here would form a cycle with the frame raising it.
        self._refusal: Callable[[], ServiceError] | None = None

    def new_file(self, *description: Any, **more: Any) -> None:
        if self._file is not None:
            self._refuse(InvalidInput, "one_file_expected", "The form contains more than one file; send exactly one.")
        self._file = io.BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        assert self._file is not None  # noqa: S101 - new_file comes first
        if self._file.tell() + len(raw_data) > self._max_bytes:
            self._file = io.BytesIO()
            self._refuse(TooLarge, "file_too_large", f"The file is larger than {self._max_bytes} bytes.")
        self._file.write(raw_data)

    def file_complete(self, file_size: int) -> None:
        """Keep the parser's collection of files empty."""

    def contents(self) -> bytes:
        if self._refusal is not None:
            raise self._refusal()
        if self._file is None:
            raise InvalidInput("file_expected", _FILE_EXPECTED)
        if not (contents := self._file.getvalue()):
            raise InvalidInput("file_empty", "The file is empty.")
        return contents

    def _refuse(self, kind: type[ServiceError], code: str, message: str) -> None:
        self._refusal = partial(kind, code, message)
        raise StopUpload(connection_reset=False)
