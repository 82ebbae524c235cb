"""Serves uploaded and default files outside the API: `/media/…` and below sites."""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from core.lib.errors import InvalidInput
from core.lib.media_storage import (
    ASSETS,
    AVATARS,
    DEFAULT_AVATAR,
    FOR_EVER,
    PICTURE_NAMES,
    RUNNABLE,
    SHOWN,
    SITE_FILES,
    StorageBusy,
    StorageUnavailable,
    extension_of,
)
from core.lib.registrations import VARIANTS

_FOR_A_DAY = "public, max-age=86400"
_BLOCK = 64 * 1024  # bytes that a server reads at a time
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
# Uploaded files must not run anything, even if opened as a page.
_POLICY = "default-src 'none'; sandbox"
# Browsers' PDF viewers do not work in a sandbox; they are sandboxes themselves.
_POLICIES = {"pdf": "default-src 'none'"}
_SAFE = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": _POLICY, "Content-Disposition": "inline"}
_UTF_8 = "; charset=utf-8"
_SAMPLE = 64 * 1024  # bytes of a text that determine its encoding
_UNAVAILABLE = b"The file cannot be read now; ask again later.\n"


# Folder → pattern of its file names and their content type, which files do not determine themselves.
FOLDERS = {AVATARS: (PICTURE_NAMES, "image/png")}
# Files shipped with the service: path among its media → file and content type.
OWN = {DEFAULT_AVATAR: (settings.BASE_DIR / "accounts" / "default_avatar.png", "image/png")}


@require_safe
def serve(request: HttpRequest, path: str) -> HttpResponse:
    """Return the file; 404 if there is none, 503 if the storage is unavailable or busy."""
    folder, _, name = path.partition("/")
    if path in OWN:
        file_path, content_type = OWN[path]
        return _answer(request, file_path.read_bytes(), content_type, _FOR_A_DAY)
    names, content_type = FOLDERS.get(folder, (None, ""))
    if names is not None and names.fullmatch(name):
        try:
            with default_storage.open(path) as file:
                return _answer(request, file.read(), content_type, FOR_EVER)
        except FileNotFoundError:
            pass
        except (StorageBusy, StorageUnavailable):
            return _unavailable(_plain(request, _UNAVAILABLE, HTTPStatus.SERVICE_UNAVAILABLE))
    return _plain(request, b"There is no such file.\n", HTTPStatus.NOT_FOUND)


@require_safe
def serve_of_site(request: HttpRequest, path: str) -> HttpResponseBase:
    """Return the file `<site>/<folders>/<name>` or the requested range (206, 416); 404 and 503 as in `serve`."""
    return _serve_stored(request, path, {})


# Pages in a sandbox read files and each other through CORS, even on their own host. All of them are public.
ALL_ORIGINS = "*"
# Of files that import_templates may replace.
_CHANGING = "public, max-age=600"


def serve_asset(request: HttpRequest, path: str, sandbox: str) -> HttpResponseBase:
    """As `serve_of_site`, with the types of a website's files; Raises Http404.

    A file that can run scripts gets the policy `sandbox`. If it is empty, as on a host of the site's own, no file has a
    policy.
    """
    extension = extension_of(path)
    headers = {"Access-Control-Allow-Origin": ALL_ORIGINS}
    if extension in ASSETS:
        headers |= {"Content-Type": ASSETS[extension], "Content-Disposition": "inline"}
    if extension in RUNNABLE:
        headers["Content-Security-Policy"] = sandbox
    if not path.partition("/")[2].startswith("upload/"):
        headers["Cache-Control"] = _CHANGING  # a style sheet has the same name after a change
    response = _serve_stored(request, path, headers)
    if not sandbox:
        del response.headers["Content-Security-Policy"]
    return response


def spelling_of(path: str) -> str | None:
    """Return the stored spelling of the path of a file that `serve_of_site` serves; None if there is none in any
    case."""
    if not SITE_FILES.names.fullmatch(path):
        return None
    site, _, inside = path.partition("/")
    storage: Any = default_storage
    with suppress(StorageBusy, StorageUnavailable):
        found = storage.spelling_of(f"{SITE_FILES.folder}/{site}", inside)
        return None if found is None else f"{site}/{found}"
    return None


class Variant(NamedTuple):
    """A stored file in place of another one, and its own headers."""

    name: str  # in the storage
    headers: dict[str, str]


def _serve_stored(request: HttpRequest, path: str, own_headers: dict[str, str]) -> HttpResponseBase:
    name = f"{SITE_FILES.folder}/{path}"
    if not SITE_FILES.names.fullmatch(path):
        raise Http404
    try:
        if query := request.META.get("QUERY_STRING"):
            name, more = _variant(path, query, request.headers.get("Accept", "")) or Variant(name, {})
            own_headers = own_headers | more
        size = default_storage.size_of(name)  # type: ignore[attr-defined]
        headers = _headers_of(name) | own_headers
        if headers["Content-Type"].endswith(_UTF_8):
            headers["Content-Type"] = headers["Content-Type"].removesuffix(_UTF_8) + _charset(name, size)
        return _answer_part(request, name, size, headers)
    except FileNotFoundError as error:
        raise Http404 from error
    except InvalidInput as refusal:
        return _plain(request, f"{refusal.message}\n".encode(), HTTPStatus.BAD_REQUEST)
    except (StorageBusy, StorageUnavailable):
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        status = HTTPStatus.SERVICE_UNAVAILABLE
        return _unavailable(HttpResponse(_UNAVAILABLE, "text/plain; charset=utf-8", status, headers=headers))


def _variant(path: str, query: str, accept: str) -> Variant | None:
    function: Callable[[str, str, str], Variant | None]
    for function in map(import_string, VARIANTS.entries.values()):
        if found := function(path, query, accept):
            return found
    return None


@lru_cache(10_000)
def _charset(name: str, size: int) -> str:
    """Return the parameter of the content type; none if the text is neither UTF-8 nor as Chinese Windows writes it."""
    storage: Any = default_storage
    sample = b"".join(storage.parts(name, 0, min(size, _SAMPLE)))
    for encoding in ("utf-8", "gb18030"):
        with suppress(UnicodeDecodeError):
            getincrementaldecoder(encoding)().decode(sample, final=size <= _SAMPLE)
            return f"; charset={encoding}"
    return ""


def _headers_of(name: str) -> dict[str, str]:
    extension = extension_of(name)
    headers: dict[str, Any] = {
        "Accept-Ranges": "bytes",
        "Content-Type": SHOWN.get(extension, "application/octet-stream"),
        **_SAFE,
        "Content-Security-Policy": _POLICIES.get(extension, _POLICY),
    }
    if extension not in SHOWN:
        headers["Content-Disposition"] = content_disposition_header(True, PurePosixPath(name).name)
    return headers


def _answer_part(request: HttpRequest, name: str, size: int, headers: dict[str, str]) -> HttpResponseBase:
    start, stop, status = 0, size, HTTPStatus.OK
    match = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    # Responses have no ETag, so a range with If-Range gets the whole file.
    if match is not None and match[0] != "bytes=-" and "If-Range" not in request.headers:
        status = HTTPStatus.PARTIAL_CONTENT
        if match[1]:
            start, stop = int(match[1]), min(size, int(match[2]) + 1 if match[2] else size)
        else:
            start = max(0, size - int(match[2]))
        if start >= stop:
            headers["Content-Range"] = f"bytes */{size}"
            return HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers=headers)
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    headers = {"Cache-Control": FOR_EVER} | headers | {"Content-Length": str(stop - start)}
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    storage: Any = default_storage
    response: Any = StreamingHttpResponse(iter(storage.parts(name, start, stop)), status=status, headers=headers)
    if hasattr(storage, "open_file"):
        # Lets the server send the range from the file, as with Django's FileResponse.
        file = storage.open_file(name)
        file.seek(start)
        response._resource_closers.append(file.close)
        response.file_to_stream, response.block_size = file, _BLOCK
    return response  # type: ignore[no-any-return]


def _unavailable(response: HttpResponse) -> HttpResponse:
    response.headers["Retry-After"] = "1"
    # Django would log each response, and strangers can cause many; the storage has logged its failure.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _plain(request: HttpRequest, message: bytes, status: int) -> HttpResponse:
    return _answer(request, message, "text/plain; charset=utf-8", "no-store", status)


def _answer(request: HttpRequest, content: bytes, content_type: str, cached: str, status: int = 200) -> HttpResponse:
    length = {"Cache-Control": cached, "Content-Length": str(len(content))}
    # The server would complain about a body.
    body = b"" if request.method == "HEAD" else content
    return HttpResponse(body, content_type=content_type, status=status, headers=_SAFE | length)
