"""Resumable uploads by the protocol tus 1.0 (https://tus.io/protocols/resumable-upload)."""

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from http import HTTPStatus
from time import time
from typing import Any

from django.http import HttpResponse, UnreadablePostError
from django.utils.http import http_date
from rest_framework.request import Request
from rest_framework.response import Response

from core.lib import clock
from core.lib.errors import InvalidInput
from core.rest.errors import HttpError
from core.rest.fields import INT64_MAX, invalid
from core.rest.views import ApiView
from core.rest.wsgi import PORTION, is_chunked
from media_library import changes, resumable
from media_library.api.records import find_site, record_of
from media_library.api.serializers import MediaTextsSerializer
from media_library.models import MediaUpload
from media_library.resumable import ALGORITHMS, Checksum, NewFile
from media_library.uploads import most_bytes, require_taken
from sites.models import Site

VERSION = "1.0.0"
_EXTENSIONS = "creation,creation-with-upload,expiration,checksum,termination"
_PIECE = 64 * 1024  # bytes
_NUMBER = re.compile(r"\d{1,19}")


class VersionUnsupported(HttpError):
    status_code = HTTPStatus.PRECONDITION_FAILED


class NoPortion(HttpError):
    status_code = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class TusView(ApiView):
    required_scope = "Media"
    is_described = False
    reads_replicas = False  # a client continues at the number of bytes that it reads

    @property
    def default_response_headers(self) -> dict[str, str]:
        return super().default_response_headers | {"Tus-Resumable": VERSION, "Tus-Version": VERSION}

    def options(  # type: ignore[override]
        self, request: Request, site_id: int, upload_id: str = ""
    ) -> HttpResponse:
        return _bare(
            HTTPStatus.NO_CONTENT,
            {
                "Tus-Extension": _EXTENSIONS,
                "Tus-Max-Size": str(most_bytes(find_site(site_id))),
                "Tus-Checksum-Algorithm": ",".join(ALGORITHMS),
            },
        )

    def call_method(self, request: Request, **kwargs: Any) -> Any:
        """Unlike in other views, an Idempotency-Key has no effect: the protocol has its own way to repeat requests."""
        if request.method not in {"GET", "OPTIONS"} and request.headers.get("Tus-Resumable") != VERSION:
            message = f"The request must have the header Tus-Resumable: {VERSION}."
            raise VersionUnsupported("tus_version_unsupported", message)
        return getattr(self, (request.method or "").lower())(request, **kwargs)


class UploadsView(TusView):
    """`/media/{siteId}/uploads`"""

    http_method_names = ["post", "options"]

    def post(self, request: Request, site_id: int) -> HttpResponse:
        site = find_site(site_id)
        length, metadata = _number(request, "Upload-Length"), request.headers.get("Upload-Metadata", "")
        new = _new_file(metadata)
        require_taken(site, new.name, length)
        changes.require_folder(site_id, new.values.get("folder_id", 0))
        upload = resumable.begin(site, self.grant.key_id, length, metadata)
        if request.META.get("CONTENT_TYPE") == PORTION:
            try:
                _receive(request, site, upload)
            except BaseException:
                resumable.end(upload)  # the client does not know its address
                raise
        location = f"{request.path}/{upload.identifier}"  # relative, since a proxy may change host and scheme
        return _bare(HTTPStatus.CREATED, {"Location": location} | _state_of(upload))


class UploadView(TusView):
    """`/media/{siteId}/uploads/{uploadId}`"""

    http_method_names = ["get", "head", "patch", "delete", "options"]

    def get(self, request: Request, site_id: int, upload_id: str) -> Response:
        site, upload = find_site(site_id), self._find(site_id, upload_id)
        file = None
        if upload.media_id is not None and request.method == "GET":
            file = record_of(changes.find(site_id, upload.media_id), site.web_url)
        state = {
            "id": upload.identifier,
            "siteId": site_id,
            "size": upload.length,
            "received": upload.received,
            "file": file,
        }
        further = {"Upload-Length": str(upload.length), "Upload-Metadata": upload.metadata, "Cache-Control": "no-store"}
        return Response(state, headers=further | _state_of(upload))

    def patch(self, request: Request, site_id: int, upload_id: str) -> HttpResponse:
        site, upload = find_site(site_id), self._find(site_id, upload_id)
        if request.META.get("CONTENT_TYPE") != PORTION:
            raise NoPortion("upload_media_type", f"The content type must be {PORTION}.")
        if _number(request, "Upload-Offset") != upload.received:
            raise resumable.offset_differs()
        _receive(request, site, upload)
        return _bare(HTTPStatus.NO_CONTENT, _state_of(upload))

    def delete(self, request: Request, site_id: int, upload_id: str) -> HttpResponse:
        find_site(site_id)
        resumable.end(self._find(site_id, upload_id))
        return _bare(HTTPStatus.NO_CONTENT, {})

    def _find(self, site_id: int, upload_id: str) -> MediaUpload:
        return resumable.find(site_id, upload_id, self.grant.key_id)


def _bare(status: HTTPStatus, headers: dict[str, str]) -> HttpResponse:
    response = HttpResponse(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response


def _state_of(upload: MediaUpload) -> dict[str, str]:
    left = (upload.expires_at - clock.steady()).total_seconds()
    state = {"Upload-Offset": str(upload.received), "Upload-Expires": http_date(time() + left)}
    return state | ({} if upload.media_id is None else {"X-Media-Id": str(upload.media_id)})


def _number(request: Request, name: str) -> int:
    text = request.headers.get(name, "")
    if not _NUMBER.fullmatch(text) or (number := int(text)) > INT64_MAX:
        raise invalid(name, "a header with a whole number of bytes")
    return number


def _new_file(metadata: str) -> NewFile:
    """Return name and texts of Upload-Metadata; members of other names are ignored. Raises InvalidInput."""
    texts: dict[str, str] = {}
    for pair in filter(None, (each.strip(" ") for each in metadata.split(","))):
        name, _, value = pair.partition(" ")
        try:
            text = b64decode(value, validate=True).decode()
        except (binascii.Error, ValueError) as error:
            raise _unreadable(f"has a value of {name} that is not UTF-8 text in Base64") from error
        if name in texts:
            raise _unreadable(f"has {name} twice")
        texts[name] = text
    name = texts.pop("filename", "").replace("\\", "/").rpartition("/")[2].strip(" .")
    if not name:
        raise _unreadable("has no filename")
    sent = {name: text for name, text in texts.items() if text}  # forms of web pages send empty fields
    return NewFile(name, MediaTextsSerializer.read(sent).values)


def _unreadable(problem: str) -> InvalidInput:
    return InvalidInput("invalid_value", f"Upload-Metadata {problem}.", member="Upload-Metadata")


def _receive(request: Request, site: Site, upload: MediaUpload) -> None:
    left = upload.length - upload.received
    most = left + 1 if is_chunked(request.META) else int(request.META.get("CONTENT_LENGTH") or 0)
    if most > left and not is_chunked(request.META):
        raise _too_long(left)
    pieces = _pieces(request, left, most)
    resumable.receive(site, upload, pieces, _new_file(upload.metadata), _checksum(request))


def _pieces(request: Request, left: int, most: int) -> Iterator[bytes]:
    """Yield the body as it arrives. Raises InvalidInput for a longer one, and UnreadablePostError if it breaks off."""
    received = 0
    while received < most and (piece := request._request.read(min(_PIECE, most - received))):
        received += len(piece)
        if received > left:
            raise _too_long(left)
        yield piece
    if received < most and not is_chunked(request.META):
        raise UnreadablePostError("The connection has ended.")


def _too_long(left: int) -> InvalidInput:
    return invalid("Upload-Offset", f"followed by at most {left} bytes, which complete the Upload-Length")


def _checksum(request: Request) -> Checksum | None:
    if (text := request.headers.get("Upload-Checksum")) is None:
        return None
    algorithm, _, digest = text.partition(" ")
    try:
        if algorithm not in ALGORITHMS:
            raise ValueError(algorithm)
        return Checksum(algorithm, b64decode(digest, validate=True))
    except (binascii.Error, ValueError) as error:
        raise invalid(
            "Upload-Checksum", f"one of {', '.join(ALGORITHMS)}, a space, and the digest in Base64"
        ) from error
