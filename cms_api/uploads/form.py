"""Reads the one file of a form (`multipart/form-data`)."""

import io
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.rest.errors import TooLarge, body_too_large


def read_file(request: HttpRequest, *, max_bytes: int) -> bytes:
    """The bytes of the form's only file, whatever the names of its part and of the file; other parts are ignored.

    No more than `max_bytes` of it are kept in memory, and none on disk. Raises InvalidInput (`file_expected`,
    `file_empty`, `body_unreadable`, and `one_file_expected`, also for a form with more than a thousand texts) and
    TooLarge (`file_too_large`, and `body_too_large` by CMS_MAX_BODY_BYTES).
    """
    content_type = _require_form(request)
    file = _OneFile(max_bytes)
    try:
        # Text in a form is not read, so that its charset does not matter.
        _Form(request.META | {"CONTENT_TYPE": content_type}, request, [file], "utf-8").parse()
    except MultiPartParserError as error:
        message = "The body is no form that can be read: its parts, or the boundary between them, are malformed."
        raise InvalidInput("body_unreadable", message) from error
    except TooManyFieldsSent as error:
        # As _OneFile: to the end.
        while request.read(65_536):
            pass
        message = "The form has too many parts; send one part, which is a file."
        raise InvalidInput("one_file_expected", message) from error
    return file.contents()


def _require_form(request: HttpRequest) -> str:
    """The media type of the body, in the letter case that Django's parser wants."""
    media_type, _, parameters = request.META.get("CONTENT_TYPE", "").partition(";")
    if media_type.strip().lower() != "multipart/form-data":
        raise _file_expected()
    limit: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    length = request.META.get("CONTENT_LENGTH") or ""
    if length.isdecimal() and int(length) > limit:
        raise body_too_large(limit)
    return f"multipart/form-data;{parameters}"


class _Form(MultiPartParser):
    """Django's parser, for which a part is a file even if the name of the file is odd."""

    def sanitize_file_name(self, file_name: str) -> str:
        return "file"


class _OneFile(FileUploadHandler):
    """Keeps one file in memory; what is wrong is told when the whole form has been read.

    Most clients look for the answer only when they have sent everything.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self._max_bytes = max_bytes
        self._file: io.BytesIO | None = None
        # Made when it is raised: kept here, it would be in a circle with the frame that raises it.
        self._refusal: Callable[[], ServiceError] | None = None

    def new_file(self, *description: Any, **more: Any) -> None:
        """Refuse a second file."""
        if self._file is not None:
            self._refuse(InvalidInput, "one_file_expected", "The form holds more than one file; send exactly one.")
        self._file = io.BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep the bytes, within the limit."""
        assert self._file is not None  # noqa: S101 - new_file comes first
        if self._file.tell() + len(raw_data) > self._max_bytes:
            self._file = io.BytesIO()
            self._refuse(TooLarge, "file_too_large", f"The file is larger than {self._max_bytes} bytes.")
        self._file.write(raw_data)

    def file_complete(self, file_size: int) -> None:
        """Nothing more; the parser's own collection of files stays empty."""

    def contents(self) -> bytes:
        """The bytes of the file. Raises what was wrong with it."""
        if self._refusal is not None:
            raise self._refusal()
        if self._file is None:
            raise _file_expected()
        if not (contents := self._file.getvalue()):
            raise InvalidInput("file_empty", "The file is empty.")
        return contents

    def _refuse(self, kind: type[ServiceError], code: str, message: str) -> None:
        self._refusal = partial(kind, code, message)
        raise StopUpload(connection_reset=False)


def _file_expected() -> InvalidInput:
    return InvalidInput("file_expected", "A form (multipart/form-data) with one part that is a file is expected.")
