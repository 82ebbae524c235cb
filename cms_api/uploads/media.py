"""Serves uploaded files, and those that stand in for them, outside of the API: `/media/…`."""

import re
from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from cms_api.lib.media_names import AVATARS, DEFAULT_AVATAR, PICTURE_NAMES
from cms_api.lib.media_storage import FOR_EVER, StorageBusy, StorageUnavailable

_FOR_A_DAY = "public, max-age=86400"
# Nothing of what strangers have sent may act, even if somebody opens it as a page.
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Content-Disposition": "inline",
}


@dataclass(frozen=True, slots=True)
class Folder:
    """Files of one kind: which names they bear, and their type, which no file decides for itself."""

    names: re.Pattern[str]
    content_type: str


FOLDERS = {AVATARS: Folder(PICTURE_NAMES, "image/png")}
# Files that come with the service, by their path among its media, each with its type.
OWN = {DEFAULT_AVATAR: (settings.BASE_DIR / "accounts" / "default_avatar.png", "image/png")}


@require_safe
def serve(request: HttpRequest, path: str) -> HttpResponse:
    """The file of that path; 404 for a path that no file of ours can have, and one that none has.

    503 while the storage does not answer, or is waited for by as many as may wait.
    """
    folder, _, name = path.partition("/")
    if path in OWN:
        file_path, content_type = OWN[path]
        return _answer(request, file_path.read_bytes(), content_type, _FOR_A_DAY)
    if folder in FOLDERS and FOLDERS[folder].names.fullmatch(name):
        try:
            with default_storage.open(path) as file:
                return _answer(request, file.read(), FOLDERS[folder].content_type, FOR_EVER)
        except FileNotFoundError:
            pass
        except (StorageBusy, StorageUnavailable):
            return _unavailable(request)
    return _plain(request, b"There is no such file.\n", HTTPStatus.NOT_FOUND)


def _unavailable(request: HttpRequest) -> HttpResponse:
    response = _plain(request, b"The file cannot be read now; ask again later.\n", HTTPStatus.SERVICE_UNAVAILABLE)
    response.headers["Retry-After"] = "1"
    # Django would log each of them, of which strangers can cause many; the store has logged its failure itself.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _plain(request: HttpRequest, message: bytes, status: int) -> HttpResponse:
    return _answer(request, message, "text/plain; charset=utf-8", "no-store", status)


def _answer(request: HttpRequest, content: bytes, content_type: str, cached: str, status: int = 200) -> HttpResponse:
    length = {"Cache-Control": cached, "Content-Length": str(len(content))}
    # The server would complain of a body that it may not send.
    body = b"" if request.method == "HEAD" else content
    return HttpResponse(body, content_type=content_type, status=status, headers=_SAFE | length)
