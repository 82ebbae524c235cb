"""Generates the committed files; `make openapi` writes them, and tests check that they are up to date."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cms_api.openapi.examples import FILE as EXAMPLES
from cms_api.openapi.examples import Examples
from cms_api.openapi.generator import document
from cms_api.openapi.http_file import http_file
from cms_api.openapi.postman import collection
from cms_api.openapi.views import FILE as DOCUMENT

_CLIENTS = Path(__file__).resolve().parents[2] / "docs" / "clients"
POSTMAN, HTTP = _CLIENTS / "cms.postman_collection.json", _CLIENTS / "cms.http"


def made_files(recorded: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield each file and its text, generated from the recorded examples."""
    examples = Examples.of(recorded)
    made = document(examples)
    yield EXAMPLES, as_text(recorded)
    yield DOCUMENT, as_text(made)
    yield POSTMAN, as_text(collection(made, examples))
    yield HTTP, http_file(made, examples)


def as_text(value: Any) -> str:
    """Return JSON with one member per line, so that diffs are readable."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
