"""A hook of mkdocs: each operation of the reference has samples in several languages, from the OpenAPI document."""

import json
import re
from functools import cache
from pathlib import Path
from textwrap import indent

from mkdocs.structure.pages import Page

DOCUMENT = Path(__file__).resolve().parents[2] / "core" / "openapi" / "openapi.json"
# An operation begins with its anchor and ends before the next heading.
_OPERATION = re.compile(r'(<a id="(\w+)"></a>\n\n## .*\n(?:(?!<a id=|## ).*\n)*)')
_FENCES = {"Shell": "sh", "C#": "csharp"}


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """The page with the samples below each operation."""
    if not page.file.src_uri.startswith("reference/"):
        return markdown
    return _OPERATION.sub(lambda found: f"{found[1]}\n{_tabs(samples().get(found[2], []))}", markdown)


@cache
def samples() -> dict[str, list[dict[str, str]]]:
    """The samples of each operation, by its id."""
    paths = json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"]
    operations = (operation for item in paths.values() for operation in item.values() if "x-codeSamples" in operation)
    return {operation["operationId"]: operation["x-codeSamples"] for operation in operations}


def _tabs(of_operation: list[dict[str, str]]) -> str:
    tabs = []
    for sample in of_operation:
        fence = _FENCES.get(sample["lang"], sample["lang"].lower())
        code = f"```{fence}\n{sample['source'].rstrip()}\n```"
        tabs.append(f'=== "{sample["label"]}"\n\n{indent(code, "    ")}\n\n')
    return "".join(tabs)
