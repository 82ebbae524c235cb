"""Answers that several operations have alike, told once in the document."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus

from cms_api.openapi.describing import Schema
from cms_api.openapi.errors import OF_BODIES, OF_DATABASES, OF_OWNERS

# Words that come together, and what stands for all of them in a name.
_FAMILIES = {"Body": {*OF_BODIES}, "Database": {*OF_DATABASES}, "TokenUser": {*OF_OWNERS}}
_MOST = 3  # parts of a name behind the status; what would need more stands with each operation


def share_responses(document: Schema) -> None:
    """Move refusals that stand twice or more among the components, and lead to them.

    The name is made of the status and of the words that not all of that status have, such as NotFoundUserNotFound.
    """
    refusals = list(_refusals(document))
    counts = Counter(json.dumps(response) for _, _, response in refusals)
    repeated = [each for each in refusals if counts[json.dumps(each[2])] > 1]
    usual = _usual_words(repeated)
    with_key = {status for _, status, response in repeated if _needs_key(response)}
    shared: Schema = {}
    for responses, status, response in repeated:
        name = _name(status, _words(response) - usual[status])
        if name and status in with_key and not _needs_key(response):
            name += "WithoutKey"
        # Of answers with the same words and other examples the first is shared.
        if name and shared.setdefault(name, response) == response:
            responses[status] = {"$ref": f"#/components/responses/{name}"}
    document["components"]["responses"] = shared


def _refusals(document: Schema) -> Iterator[tuple[Schema, str, Schema]]:
    for path in document["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if int(status) >= HTTPStatus.BAD_REQUEST:
                    yield operation["responses"], status, response


def _usual_words(refusals: list[tuple[Schema, str, Schema]]) -> dict[str, set[str]]:
    """By status, the words that all of its answers have."""
    usual: dict[str, set[str]] = {}
    for _, status, response in refusals:
        usual[status] = usual.get(status, _words(response)) & _words(response)
    return usual


def _words(response: Schema) -> set[str]:
    return set(response["x-codes"])


def _needs_key(response: Schema) -> bool:
    # Only what needs a key has the headers of its limit.
    return "RateLimit" in response.get("headers", {})


def _name(status: str, words: set[str]) -> str:
    """The name of a shared answer out of the words that tell it from others; empty where it would be too long."""
    parts = [family for family, members in _FAMILIES.items() if members <= words]
    words = words.difference(*(_FAMILIES[family] for family in parts))
    parts += [word.title().replace("_", "") for word in sorted(words)]
    phrase = re.sub(r"\W", "", HTTPStatus(int(status)).phrase)
    return f"{phrase}{''.join(parts)}" if len(parts) <= _MOST else ""
