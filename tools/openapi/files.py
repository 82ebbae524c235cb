"""Generates the committed files; `make openapi` writes them, and tests check that they are up to date."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.openapi.views import FILE as DOCUMENT
from tools.openapi.examples import FILE as EXAMPLES
from tools.openapi.examples import Examples
from tools.openapi.generator import document


def made_files(recorded: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield each file and its text, generated from the recorded examples."""
    yield EXAMPLES, as_text(recorded)
    yield DOCUMENT, as_text(document(Examples.of(recorded)))


def as_text(value: Any) -> str:
    """Return JSON with one member per line, so that diffs are readable."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
