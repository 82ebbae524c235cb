"""The document that the service is held against, and the names that it has."""

import re
from functools import cache
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "core" / "openapi" / "openapi.json"


def is_other_spelling(name):
    """Whether this is a name of the document in another letter case, which the service accepts."""
    return name not in _names() and name.casefold() in {each.casefold() for each in _names()}


@cache
def _names():
    """The names of all members and parameters."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return {*re.findall(r'"(\w+)": \{', text), *re.findall(r'"name": "([\w-]+)"', text)}
