"""Serves the files that editors have uploaded to sites: whole, or the part of a film that a player asks for."""

import re
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from cms_api.lib.media_names import SHOWN, SITE_FILES
from cms_api.lib.media_storage import FOR_EVER, StorageBusy, StorageUnavailable

_BLOCK = 64 * 1024  # bytes that a server reads at a time if it does so itself
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
_POLICY = "default-src 'none'; sandbox"
# A browser's reader of PDF does not work in a sandbox, and is one itself.
_POLICIES = {"pdf": "default-src 'none'"}


@require_safe
def serve(request: HttpRequest, path: str) -> HttpResponseBase:
    """The file `<site>/<folders>/<name>`; 404 for a name that no file of ours can have, and one that none has."""
    return answer(request, path)


def answer(request: HttpRequest, path: str) -> HttpResponseBase:
    """The file, or the part of it that is asked for (206, 416). 503 while the storage does not answer."""
    name = f"{SITE_FILES.folder}/{path}"
    if not SITE_FILES.names.fullmatch(path):
        raise Http404
    try:
        size = default_storage.size_of(name)  # type: ignore[attr-defined]
        return _answer_part(request, name, size)
    except FileNotFoundError as error:
        raise Http404 from error
    except (StorageBusy, StorageUnavailable):
        return _unavailable()


def _answer_part(request: HttpRequest, name: str, size: int) -> HttpResponseBase:
    asked = _asked_part(request, size)
    if asked is None:
        headers = {"Content-Range": f"bytes */{size}", **_headers(name)}
        return HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers=headers)
    start, stop, is_part = asked
    headers = {"Content-Length": str(stop - start), **_headers(name), "Cache-Control": FOR_EVER}
    if is_part:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    status = HTTPStatus.PARTIAL_CONTENT if is_part else HTTPStatus.OK
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    storage: Any = default_storage
    response: Any = StreamingHttpResponse(iter(storage.parts(name, start, stop)), status=status, headers=headers)
    if hasattr(storage, "open_file"):
        # Lets the server send the bytes that the headers tell out of the file, as Django's FileResponse does.
        file = storage.open_file(name)
        file.seek(start)
        response._resource_closers.append(file.close)
        response.file_to_stream, response.block_size = file, _BLOCK
    return response  # type: ignore[no-any-return]


def _asked_part(request: HttpRequest, size: int) -> tuple[int, int, bool] | None:
    """From where to where, and whether that is a part; None for a part that there is not."""
    match = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    # We tell no mark of a version by which a client could say which file the part is to be of.
    if match is None or match[0] == "bytes=-" or "If-Range" in request.headers:
        return 0, size, False
    if not match[1]:
        start, stop = max(0, size - int(match[2])), size
    else:
        start, stop = int(match[1]), min(size, int(match[2]) + 1 if match[2] else size)
    return (start, stop, True) if start < stop else None


def _headers(name: str) -> dict[str, Any]:
    extension = PurePosixPath(name).suffix.lstrip(".").lower()
    is_kept = extension not in SHOWN
    return {
        "Accept-Ranges": "bytes",
        "Content-Type": SHOWN.get(extension, "application/octet-stream"),
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": _POLICIES.get(extension, _POLICY),
        "Content-Disposition": content_disposition_header(True, PurePosixPath(name).name) if is_kept else "inline",
    }


def _unavailable() -> HttpResponse:
    headers = {"Retry-After": "1", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    response = HttpResponse(
        b"The file cannot be read now; ask again later.\n",
        "text/plain; charset=utf-8",
        HTTPStatus.SERVICE_UNAVAILABLE,
        headers=headers,
    )
    # As cms_api.uploads.media: the store has logged its failure itself.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response
