"""Moves identical error responses of several operations into shared components of the document."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus

from core.openapi.describing import Schema
from tools.openapi.errors import OF_BODIES, OF_DATABASES, OF_OWNERS

# Codes that occur together, and the part of a name that represents them.
_FAMILIES = {"Body": {*OF_BODIES}, "Database": {*OF_DATABASES}, "TokenUser": {*OF_OWNERS}}
_MAX = 3  # parts of a name after the status; responses that would need more are not shared


def share_responses(document: Schema) -> None:
    """Move error responses that occur more than once to the components, and replace them with references.

    A name consists of the status and of the codes that not all responses with this status have, such as
    NotFoundUserNotFound.
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
        # If responses have the same codes but different examples, only the first is shared.
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
    """Return, by status, the codes that all its responses have."""
    usual: dict[str, set[str]] = {}
    for _, status, response in refusals:
        usual[status] = usual.get(status, _words(response)) & _words(response)
    return usual


def _words(response: Schema) -> set[str]:
    return set(response["x-codes"])


def _needs_key(response: Schema) -> bool:
    # Only operations that require a key have rate limit headers.
    return "RateLimit" in response.get("headers", {})


def _name(status: str, words: set[str]) -> str:
    """Return the name of a shared response, made of its distinguishing codes; empty if it would be too long."""
    parts = [family for family, members in _FAMILIES.items() if members <= words]
    words = words.difference(*(_FAMILIES[family] for family in parts))
    parts += [word.title().replace("_", "") for word in sorted(words)]
    phrase = re.sub(r"\W", "", HTTPStatus(int(status)).phrase)
    return f"{phrase}{''.join(parts)}" if len(parts) <= _MAX else ""
