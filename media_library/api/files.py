"""The files of a request: of a form, or one in JSON."""

import binascii
from base64 import b64decode
from collections.abc import Callable
from typing import Any, TypeAlias

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent, TooManyFilesSent
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http.multipartparser import MultiPartParserError
from rest_framework.request import Request

from core.lib.errors import InvalidInput
from core.rest.views import raise_if_body_too_large
from media_library.api.serializers import FileSerializer
from media_library.fetching import fetch
from media_library.uploads import most_bytes
from sites.models import Site

MAX_JSON = 1024 * 1024  # bytes of a body in JSON; a form may have more
Sent: TypeAlias = "UploadedFile[Any]"


def is_form(request: Request) -> bool:
    media_type: str = request.META.get("CONTENT_TYPE", "").partition(";")[0]
    return media_type.strip().lower() == "multipart/form-data"


def read_form(request: Request) -> tuple[dict[str, str], list[Sent]]:
    """Return the texts of the form, and its files, which end with the request.

    Raises InvalidInput (`body_unreadable`, `file_expected`, `too_many_entries`) and TooLarge (`body_too_large`).
    """
    raise_if_body_too_large(request, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    http = request._request
    http.upload_handlers = [TemporaryFileUploadHandler(http)]
    try:
        files = [file for name in http.FILES for file in http.FILES.getlist(name)]
        texts = {name: str(text) for name, text in http.POST.items()}
    except MultiPartParserError as error:
        message = "The body is not a readable form: its parts, or the boundary between them, are malformed."
        raise InvalidInput("body_unreadable", message) from error
    except (TooManyFieldsSent, TooManyFilesSent) as error:
        message = f"The form has too many parts; send at most {settings.DATA_UPLOAD_MAX_NUMBER_FILES} files."
        raise InvalidInput("too_many_entries", message, member="file") from error
    if not files:
        raise _file_expected()
    return texts, files


def read_json(body: dict[str, Any], site: Site) -> Sent:
    """Return the file of the body. Raises InvalidInput, and as `fetch`."""
    values = FileSerializer.read(body).values
    name = values.get("name", "").replace("\\", "/").rpartition("/")[2].strip(" .")
    if "source_url" in values and "content" in values:
        raise InvalidInput("file_expected", "Send content or sourceUrl, not both.")
    if "source_url" in values:
        return fetch(values["source_url"], most_bytes(site), name)
    if "content" not in values:
        raise _file_expected()
    if not name:
        raise InvalidInput("file_expected", "Send name with content.")
    try:
        content = b64decode(values["content"].translate(_LINE_ENDS), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("file_expected", "content must be Base64 (RFC 4648 §4).") from error
    return SimpleUploadedFile(name, content)


_LINE_ENDS = str.maketrans("", "", "\r\n")


def read_one(request: Request, body: Callable[[], dict[str, Any]], site: Site) -> Sent:
    """Return the only file of the form or of the body. Raises as `read_form` and `read_json`."""
    if not is_form(request):
        raise_if_body_too_large(request, MAX_JSON)
        return read_json(body(), site)
    files = read_form(request)[1]
    if len(files) > 1:
        raise InvalidInput("one_file_expected", "The form contains more than one file; send exactly one.")
    return files[0]


def _file_expected() -> InvalidInput:
    message = "Send a file: in a form (multipart/form-data), or in JSON with content or sourceUrl."
    return InvalidInput("file_expected", message)
