"""ETags: what tells one state of an answer from another, and 304 for a client that has this one (RFC 9110 §13).

A tag is strong: it changes whenever a byte of the answer could. It is made of what the answer is made of, before that
is written as JSON, or where nothing cheaper is right of the answer's bytes (`tag_of_bytes`).
"""

import hashlib
import marshal
import re
from collections.abc import Callable, Iterator
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

from cms_api.rest.errors import Ready

HEADER = "ETag"
_DIGITS = 32
_IN_MEMORY = 1024 * 1024  # bytes of a long list, whose others go to a temporary file
_CHUNK = 64 * 1024
_MOST_KEPT = 64 * 1024 * 1024  # bytes; a longer answer has no tag, or few requests would fill the disk
_PACKAGES = ("accounts", "apikeys", "channels_app", "cms_api", "contents", "sites")
# RFC 9110 §8.8.3: any characters but quotes, blanks and controls.
_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_LIST = re.compile(rf"[ \t,]*(?:{_TAG.pattern}[ \t]*(?:,[ \t,]*|$))*")


class NotModified(Ready):
    """304: the client has this very answer."""

    def answer(self) -> HttpResponse:
        """The answer without a body; `finish` gives it its headers."""
        response = HttpResponse(status=HTTPStatus.NOT_MODIFIED)
        del response.headers["Content-Type"]
        return response


def compare(request: Request, *parts: Any) -> str:
    """The tag of an answer made of these parts, which its header gets. Raises NotModified where the client has it.

    The parts are plain values (None, booleans, numbers, texts, bytes, dates; tuples, lists and dicts of them) and
    all that decides a byte of the answer: a name of its kind, rows as they are stored, which members are shown, and
    for links the address that was asked. Rows of different queries may have one tag only if their answers are equal.
    """
    tag = tag_of(*parts)
    use(request, tag)
    return tag


def tag_of(*parts: Any) -> str:
    """The tag of an answer made of these parts, the same in every process of this release and these settings."""
    try:
        plain = marshal.dumps(parts, 2)  # later versions write equal values in several ways
    except ValueError:  # something like a date
        plain = repr(parts).encode()
    return tag_of_bytes(plain)


def tag_of_bytes(content: bytes) -> str:
    """The tag of an answer that consists of these bytes."""
    return _quoted(_hash(content))


def _hash(content: bytes = b"") -> "hashlib._Hash":
    # Processors have SHA-256 built in: half as long as BLAKE2 for the same text.
    digest = hashlib.sha256(_salt(_deciding_settings()))
    digest.update(content)
    return digest


def _quoted(digest: "hashlib._Hash") -> str:
    return f'"{digest.hexdigest()[:_DIGITS]}"'


def keep(request: Request, tag: str) -> None:
    """Have the answer carry the tag."""
    request._request.etag = tag  # type: ignore[attr-defined]


def use(request: Request, tag: str) -> None:
    """Have the answer carry the tag. Raises NotModified where a read says that the client has it."""
    keep(request, tag)
    known = request.META.get("HTTP_IF_NONE_MATCH")
    if known is not None and is_read(request) and matches(known, tag):
        raise NotModified


def read_whole(request: Request, method: Callable[[], Any]) -> Any:
    """The method's answer; one that is written while it is sent is read to its end, for a client that asks for its tag.

    It waits in a file, so that the tag is that of the very bytes that are sent, and memory stays small. One that is
    longer than _MOST_KEPT is sent on from there without a tag. Raises NotModified.
    """
    response = method()
    if not response.streaming or response.status_code != HTTPStatus.OK:
        return response
    with ExitStack() as until_sent:
        digest, file = _hash(), until_sent.enter_context(SpooledTemporaryFile(_IN_MEMORY))
        parts = iter(response.streaming_content)
        while file.tell() <= _MOST_KEPT and (part := next(parts, None)) is not None:
            digest.update(part)
            file.write(part)
        if file.tell() <= _MOST_KEPT:
            use(request, _quoted(digest))
        file.seek(0)
        response.streaming_content = chain(iter(partial(file.read, _CHUNK), b""), parts)
        response._resource_closers.append(until_sent.pop_all().close)
    return response


def is_read(request: Request) -> bool:
    """Whether the request only reads: GET, HEAD, and the list that is asked for by POST."""
    return request.method in request.parser_context["view"].read_methods


def matches(known: str, tag: str, *, strongly: bool = False) -> bool:
    """Whether a header's list of tags, or `*`, holds the tag; one that cannot be read holds none.

    `strongly`: a weak tag (`W/"…"`) matches nothing.
    """
    if known == tag or known.strip(" \t") == "*":
        return True
    if not _LIST.fullmatch(known):
        return False
    return any(each == tag and not (weak and strongly) for weak, each in _TAG.findall(known))


def finish(request: Any, response: Any, *, is_read: bool) -> Any:
    """The answer of a view with its tag, or 304 where the client has it.

    The answer to a read that was given no tag gets that of its bytes. One that nobody may keep (`no-store`), an error
    and one that is written while it is sent have none.
    """
    tag = getattr(request, "etag", None)
    if response.status_code == HTTPStatus.OK:
        if tag is None and is_read and not response.streaming and not _is_never_kept(response):
            tag = tag_of_bytes(_content(response))
            if (known := request.META.get("HTTP_IF_NONE_MATCH")) is not None and matches(known, tag):
                response = _without_content(response)
    elif response.status_code not in _WITH_TAG:
        return response
    if tag is not None:
        response.headers[HEADER] = tag
    return response


# Besides successes: what the record is now, for a client that had it otherwise.
_WITH_TAG = frozenset({HTTPStatus.NOT_MODIFIED, HTTPStatus.PRECONDITION_FAILED})


def _is_never_kept(response: Any) -> bool:
    return "no-store" in response.headers.get("Cache-Control", "")


def _content(response: Any) -> bytes:
    if hasattr(response, "render"):
        response.render()
    return bytes(response.content)


def _without_content(response: Any) -> HttpResponse:
    short = NotModified().answer()
    for name, value in response.items():
        if name != "Content-Type":
            short.headers[name] = value
    short.cookies = response.cookies
    return short


# ---- what decides the bytes besides the parts


def _deciding_settings() -> tuple[str, ...]:
    # What stands for passwords in records of accounts follows from the secret.
    return (settings.TIME_ZONE, settings.MEDIA_URL, settings.SECRET_KEY)


@cache
def _salt(deciding: tuple[str, ...]) -> bytes:
    digest = hashlib.sha256(_RELEASE)
    digest.update(repr(deciding).encode())
    return digest.digest()


def _release() -> bytes:
    """A digest of the code, which decides how an answer is written."""
    digest = hashlib.sha256()
    for file in _code():
        digest.update(file.read_bytes())
    return digest.digest()


def _code() -> Iterator[Path]:
    root = Path(__file__).resolve().parents[2]
    for package in _PACKAGES:
        yield from sorted((root / package).rglob("*.py"))


# As the code is loaded: what is put in its place later counts with the next start.
_RELEASE = _release()
