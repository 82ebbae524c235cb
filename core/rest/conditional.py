"""ETags and 304 (RFC 9110 §13).

Tags are strong and computed from the data before rendering or, if that is not cheaper, from the response's bytes.
"""

import hashlib
import marshal
import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, partial
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request

from core.rest.errors import ImmediateResponse

_IN_MEMORY = 1024 * 1024  # bytes of a long list; the rest goes to a temporary file
_CHUNK = 64 * 1024
_MAX_KEPT = 64 * 1024 * 1024  # bytes; longer responses get no tag, or a few requests would fill the disk
# RFC 9110 §8.8.3: any characters but quotes, blanks and controls.
_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_LIST = re.compile(rf"[ \t,]*(?:{_TAG.pattern}[ \t]*(?:,[ \t,]*|$))*")


class NotModified(ImmediateResponse):
    def answer(self) -> HttpResponse:
        response = HttpResponse(status=HTTPStatus.NOT_MODIFIED)
        del response.headers["Content-Type"]
        return response


def compare(request: Request, *parts: Any) -> None:
    """Set the response's tag from these parts. Raises `NotModified` if the client has it.

    The parts are plain values (None, booleans, numbers, texts, bytes, dates; tuples, lists, dicts) that determine every
    byte: kind, stored rows, members shown and, for links, the requested address.
    """
    use(request, tag_of(*parts))


def tag_of(*parts: Any) -> str:
    """Return the tag for these parts; the same in every process of this release with these settings."""
    try:
        plain = marshal.dumps(parts, 2)  # later versions serialise equal values differently
    except ValueError:  # e.g. a date
        plain = repr(parts).encode()
    return tag_of_bytes(plain)


def tag_of_bytes(content: bytes) -> str:
    digest = _new_digest()
    digest.update(content)
    return f'"{digest.hexdigest()[:32]}"'


def _new_digest() -> "hashlib._Hash":
    # These settings determine bytes, too (the placeholder of passwords derives from SECRET_KEY). SHA-256 has hardware
    # support: half the time of BLAKE2.
    return hashlib.sha256(_salt((settings.TIME_ZONE, settings.MEDIA_URL, settings.SECRET_KEY)))


def keep(request: Request, tag: str) -> None:
    request._request.etag = tag  # type: ignore[attr-defined]


def use(request: Request, tag: str) -> None:
    """Set the response's tag. Raises `NotModified` if the request is a read and the client has the tag."""
    keep(request, tag)
    if known := request.META.get("HTTP_IF_NONE_MATCH"):
        # GET, HEAD, and POST for the list of contents.
        reads = request.parser_context["view"].read_methods
        if request.method in reads and matches(known, tag):
            raise NotModified


def read_whole(request: Request, method: Callable[[], Any]) -> Any:
    """Read a streamed response into a file to compute its tag; beyond _MAX_KEPT it gets none. Raises `NotModified`."""
    response = method()
    if not response.streaming or response.status_code != HTTPStatus.OK:
        return response
    with ExitStack() as until_sent:
        digest, file = _new_digest(), until_sent.enter_context(SpooledTemporaryFile(_IN_MEMORY))
        parts = iter(response.streaming_content)
        while file.tell() <= _MAX_KEPT and (part := next(parts, None)) is not None:
            digest.update(part)
            file.write(part)
        if file.tell() <= _MAX_KEPT:
            use(request, f'"{digest.hexdigest()[:32]}"')
        file.seek(0)
        response.streaming_content = chain(iter(partial(file.read, _CHUNK), b""), parts)
        response._resource_closers.append(until_sent.pop_all().close)
    return response


def matches(known: str, tag: str, *, strongly: bool = False) -> bool:
    """Return true if a header's list of tags, or `*`, contains the tag; `strongly`: weak tags (`W/"…"`) never match."""
    if known == tag or known.strip(" \t") == "*":
        return True
    if not _LIST.fullmatch(known):
        return False
    return any(each == tag and not (weak and strongly) for weak, each in _TAG.findall(known))


def finish(request: Any, response: Any, *, is_read: bool) -> Any:
    """Set the tag, by default from the bytes (not of errors, streams, no-store), or return 304 if the client has it."""
    tag = getattr(request, "etag", None)
    if response.status_code == HTTPStatus.OK:
        may_be_kept = "no-store" not in response.headers.get("Cache-Control", "")
        if tag is None and is_read and not response.streaming and may_be_kept:
            if hasattr(response, "render"):
                response.render()
            tag = tag_of_bytes(bytes(response.content))
            if (known := request.META.get("HTTP_IF_NONE_MATCH")) is not None and matches(known, tag):
                full, response = response, NotModified().answer()
                for name, value in full.items():
                    if name != "Content-Type":
                        response.headers[name] = value
                response.cookies = full.cookies
    elif response.status_code not in _WITH_TAG:
        return response
    if tag is not None:
        response.headers["ETag"] = tag
    return response


# In addition to 200; a 412 carries the current record.
_WITH_TAG = frozenset({HTTPStatus.NOT_MODIFIED, HTTPStatus.PRECONDITION_FAILED})


@cache
def _salt(deciding: tuple[str, ...]) -> bytes:
    return hashlib.sha256(_RELEASE + repr(deciding).encode()).digest()


# The packages that affect responses and pages.
DECIDING = (
    *("accounts", "apikeys", "channels_app", "cms_api", "comments", "contents", "core"),
    *("events", "forms", "media_library", "members", "pages", "search", "sites", "sql_sandbox", "webhooks"),
)


def _release() -> bytes:
    digest, root = hashlib.sha256(), Path(__file__).resolve().parents[2]
    for package in DECIDING:
        for file in sorted((root / package).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.digest()


# Computed at start: later changes to files take effect with the next start, like the code.
_RELEASE = _release()
