"""Answers that several operations have alike, told once in the document."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus

from cms_api.openapi.describing import Schema


def share_responses(document: Schema) -> None:
    """Move refusals that stand twice or more among the components, and lead to them."""
    found = Counter(json.dumps(response) for _, _, response in _refusals(document))
    names: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    shared: Schema = {}
    for responses, status, response in list(_refusals(document)):
        text = json.dumps(response)
        if found[text] < 2:
            continue
        if text not in names:
            names[text] = _name(status, numbers)
            shared[names[text]] = response
        responses[status] = {"$ref": f"#/components/responses/{names[text]}"}
    document["components"]["responses"] = shared


def _refusals(document: Schema) -> Iterator[tuple[Schema, str, Schema]]:
    for path in document["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if int(status) >= HTTPStatus.BAD_REQUEST:
                    yield operation["responses"], status, response


def _name(status: str, numbers: Counter[str]) -> str:
    name = re.sub(r"\W", "", HTTPStatus(int(status)).phrase)
    numbers[name] += 1
    return name if numbers[name] == 1 else f"{name}{numbers[name]}"
