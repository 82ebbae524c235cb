"""Patterns that administrators set for values of visitors, matched in time that is linear in the value."""

import re
from functools import lru_cache
from typing import Any

import re2

MAX_PATTERN = 500  # characters
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 1 << 20  # bytes; a larger pattern does not compile
# What browsers write as \u4e00.
_CHARACTER = re.compile(r"(?<!\\)((?:\\\\)*)\\u([0-9a-fA-F]{4})")


def compiles(pattern: str) -> bool:
    return _compile(pattern) is not None


def finds(pattern: str, text: str) -> bool:
    """Return true if the pattern is found in the text, as in browsers; also for one that does not compile."""
    compiled = _compile(pattern)
    return compiled is None or compiled.search(text) is not None


@lru_cache(maxsize=256)
def _compile(pattern: str) -> Any:
    if len(pattern) > MAX_PATTERN:
        return None
    try:
        return re2.compile(_CHARACTER.sub(r"\1\\x{\2}", pattern), _OPTIONS)
    except (re2.error, UnicodeEncodeError):
        return None
