import json
import re
from collections.abc import Iterable, Mapping
from typing import IO, Any

import orjson
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from core.lib.errors import InvalidInput

MAX_DEPTH = 100  # levels of nesting
_BOM = b"\xef\xbb\xbf"
_NAME_END = re.compile(rb'"\s*:')
# Maps digits to zeros, so that a run of digits is found without a regular expression.
_TO_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 19
_INT64 = range(-(2**63), 2**63)


class Body(dict[str, Any]):
    """A response body sent without the `value` envelope."""


class AlwaysJson(BaseContentNegotiation):
    """Uses the view's first parser and renderer; never 406 or 415."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)

    def select_renderer(self, request: Request, renderers: Iterable[BaseRenderer], *_: Any) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class ObjectParser(BaseParser):
    """Parses a JSON object, regardless of Content-Type and charset; anything else is 400."""

    media_type = "*/*"

    def parse(self, stream: IO[Any], *_: Any) -> dict[str, Any]:
        # Django's `body` enforces CMS_MAX_BODY_BYTES.
        body = stream.body if hasattr(stream, "body") else stream.read()
        try:
            return load_object(body)
        except Unreadable as error:
            raise InvalidInput(error.code, str(error), **error.members) from error


class ValueRenderer(BaseRenderer):
    """Wraps every success as `{"value": …}`; a `Body` and errors are sent unchanged."""

    media_type = "application/json"
    format = "json"
    charset = "utf-8"

    def render(self, data: Any, _type: str | None = None, renderer_context: Mapping[str, Any] | None = None) -> bytes:
        failed = renderer_context is not None and renderer_context["response"].status_code >= 400
        return dump(data if failed or isinstance(data, Body) else {"value": data})


class Unreadable(ValueError):
    """JSON that cannot be accepted; the message is a sentence with the reason."""

    def __init__(self, message: str, code: str = "body_not_object", **members: str) -> None:
        super().__init__(message)
        self.code, self.members = code, members


def dump(value: Any) -> bytes:
    return orjson.dumps(value)


def load_object(text: bytes) -> dict[str, Any]:
    """Parse a body's JSON object; an empty body counts as `{}`.

    Raises `Unreadable` also for NUL characters, lone surrogates, numbers beyond 64 bits, deep nesting and duplicate
    members.
    """
    text = text.removeprefix(_BOM)
    if not text.strip(b" \t\r\n"):
        return {}
    has_long_number = _LONG_NUMBER in text.translate(_TO_ZEROS)
    value = _load(text, has_long_number)
    if not isinstance(value, dict):
        raise Unreadable("The body must be a JSON object.")
    if has_long_number or _has_many_levels(text) or b"\\u0000" in text:
        _check(value, 1)
    # orjson takes the last of equal members; as the pattern also matches inside texts, a surplus needs a closer look.
    if len(_NAME_END.findall(text)) > _count_members(value):
        json.loads(text, object_pairs_hook=_raise_if_repeated)
    return value


def _load(text: bytes, has_long_number: bool) -> Any:
    try:
        # orjson turns an integer beyond 64 bits into a float; json preserves it, so that it can be refused.
        return json.loads(text) if has_long_number and orjson.loads(text) else orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        # orjson has its own message for deep nesting, or fails at it.
        if _has_many_levels(text):
            _check_slowly(text)
        raise _no_object(error) from error


def _check_slowly(text: bytes) -> None:
    try:
        value = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise _no_object(error) from error
    except ValueError:  # a number with thousands of digits
        return
    _check(value, 1)


def _no_object(error: Exception) -> Unreadable:
    return Unreadable(f"The body must be a JSON object: {error}.")


def _too_deep() -> Unreadable:
    return Unreadable(f"The body is nested deeper than {MAX_DEPTH} levels.", "body_too_deep")


def _count_members(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_members, value.values()))
    return sum(map(_count_members, value)) if isinstance(value, list) else 0


def _raise_if_repeated(members: list[tuple[str, Any]]) -> None:
    names: set[str] = set()
    for name, _ in members:
        if name in names:
            raise Unreadable(f"{name} appears twice in one object; send it once.", "duplicate_member", member=name)
        names.add(name)


def _has_many_levels(text: bytes) -> bool:
    return text.count(b"[") + text.count(b"{") > MAX_DEPTH


def _check(value: Any, depth: int, name: str = "body") -> None:
    if depth > MAX_DEPTH:
        raise _too_deep()
    if isinstance(value, dict):
        for key, member in value.items():
            _check(key, depth, key)
            _check(member, depth + 1, key)
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1, name)
    elif isinstance(value, str) and "\0" in value:
        shown = name.replace("\0", "")
        message = f"{shown} contains a NUL character, which cannot be stored."
        raise Unreadable(message, "invalid_value", member=shown)
    elif isinstance(value, int) and value not in _INT64:
        raise Unreadable(f"{name} is a number beyond 64 bits.", "invalid_value", member=name)
