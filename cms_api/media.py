"""Serves uploaded files, and those that stand in for them, outside of the API: `/media/…`."""

import re
from dataclasses import dataclass

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from cms_api.lib.media_storage import FOR_EVER

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


FOLDERS = {"avatars": Folder(re.compile(r"[a-z0-9]{2}/[a-z0-9]{30}\.png"), "image/png")}
# Files that come with the service, by their path among its media, each with its type.
OWN = {"avatars/default.png": (settings.BASE_DIR / "accounts" / "default_avatar.png", "image/png")}


@require_safe
def serve(request: HttpRequest, path: str) -> HttpResponse:
    """The file of that path; 404 for a path that no file of ours can have, and one that none has."""
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
    return _answer(request, b"There is no such file.\n", "text/plain; charset=utf-8", "no-store", status=404)


def _answer(request: HttpRequest, content: bytes, content_type: str, cached: str, status: int = 200) -> HttpResponse:
    length = {"Cache-Control": cached, "Content-Length": str(len(content))}
    # The server would complain of a body that it may not send.
    body = b"" if request.method == "HEAD" else content
    return HttpResponse(body, content_type=content_type, status=status, headers=_SAFE | length)
