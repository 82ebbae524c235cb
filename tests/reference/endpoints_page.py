"""docs/reference/endpoints.md: the OpenAPI document for people."""

import json
from collections import Counter, defaultdict

from tests.reference.markdown import page, table
from tests.reference.schemas import DOCUMENT, SCHEMAS, kind, meaning, members, reached, resolved

PREFIX = "/api/v1"
_LONGEST = 160  # characters of a text in an example
_HEAD = """All paths begin with `/api/v1`, with or without a slash at the end. The key goes into the header
`X-SS-API-KEY` or the parameter `apiKey`; each operation says which scope it needs, and `write` includes `read`.

Names of members and parameters are read in any letter case, flags and numbers also as texts, dates in their usual
forms; null counts as not sent. A member that is sent twice, in one spelling or two, is an error. Whole numbers have at
most 64 bits, and the address with its query at most 8,190 bytes, as has each header. Answers are JSON in UTF-8 with
camelCase names. What the other statuses and their words mean: [codes](codes.md). In examples, long texts are cut (…)
and lists have one record. [openapi.json](../../cms_api/openapi/openapi.json) has the same for programs,
examples in full; a running service answers it at `/api/v1/openapi.json`, and `/api/docs/` lets you try each
operation."""


def endpoints_page():
    """The text of the page."""
    by_tag = {tag["name"]: [] for tag in DOCUMENT["tags"]}
    for path, verbs in DOCUMENT["paths"].items():
        for verb, operation in verbs.items():
            by_tag[operation["tags"][0]].append((verb.upper(), path.removeprefix(PREFIX), operation))
    parts = []
    for tag in DOCUMENT["tags"]:
        parts += [f"## {tag['name']}", tag.get("description", ""), _contents(by_tag[tag["name"]])]
        parts += [_told(*each) for each in by_tag[tag["name"]]]
    return page("Endpoints", _HEAD, _usual(), *parts, "## Records", *map(_record, SCHEMAS))


def _usual():
    rows = ((str(status), _linked(words)) for status, words in sorted(_USUAL.items()) if words)
    text = "Most operations can answer with these, which are not named with each of them:"
    return f"{text}\n\n{table(('Status', 'Words'), rows)}"


def _contents(found):
    rows = ((f"[`{verb} {path}`](#{each['operationId']})", each["summary"]) for verb, path, each in found)
    return table(("Operation", "What it does"), rows)


def _told(verb, path, operation):
    parts = (
        f'<a id="{operation["operationId"]}"></a>\n\n### {verb} {path}',
        operation["description"],
        _parameters(operation.get("parameters", ())),
        _body(operation.get("requestBody")),
        _answer(operation["responses"]["200"]),
        _others(operation["responses"]),
    )
    return "\n\n".join(filter(None, parts))


def _parameters(parameters):
    found = [resolved(each) for each in parameters]
    rows = (
        (f"`{each['name']}`{', required' if each.get('required') and each['in'] != 'path' else ''}", each["in"],
         kind(each["schema"], is_asked=True), meaning(each["schema"] | {"description": each["description"]}))
        for each in found
    )  # fmt: skip
    return table(("Parameter", "In", "Kind", "Meaning"), rows)


def _body(body):
    if not body:
        return ""
    kinds = ((name, each) for name, each in body["content"].items())
    parts = [f"**Body.** {_one_line(body.get('description', ''))}"]
    for name, each in kinds:
        if name != "application/json":
            parts.append(f"As `{name}`:")
        parts += [members(each["schema"], is_asked=True), _example(each)]
    return "\n\n".join(filter(None, parts))


def _answer(response):
    parts = [f"**Answer.** {_one_line(response['description'])}"]
    for name, each in response.get("content", {}).items():
        if name != "application/json":
            parts.append(f"As `{name}`.")
            continue
        shown = members(each["schema"], is_asked=False) if "$ref" not in each["schema"] else _kind_of(each["schema"])
        parts += [shown, _example(each)]
    return "\n\n".join(filter(None, parts))


def _kind_of(schema):
    return f"It is a record: {kind(schema, is_asked=False)}."


def _one_line(text):
    return " ".join(text.split())


def _example(media):
    """The first example, if it is JSON and of a length that somebody reads."""
    examples = media.get("examples") or {}
    if not examples:
        return ""
    example = resolved(next(iter(examples.values())))
    value = example.get("value")
    if not isinstance(value, dict):
        return ""
    shown = json.dumps(_shortened(value), ensure_ascii=False, indent=2)
    return f"{example.get('summary', 'Example')}:\n\n```json\n{shown}\n```"


def _shortened(value):
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shortened(each) for each in (value[:1] if value and isinstance(value[0], dict) else value)]
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}…"
    return value


def _others(responses):
    """The other statuses in one line, each with its words but for the usual ones."""
    told = []
    for status, response in responses.items():
        words = _words(resolved(response))
        if status != "200" and (not words or words - _USUAL[status]):
            told.append(f"{status} {_linked(words - _USUAL[status])}".strip())
    return f"**Other statuses.** {'; '.join(told)}." if told else ""


def _linked(words):
    return ", ".join(f"[`{word}`](codes.md#{word})" for word in sorted(words))


def _words(response):
    """The words of an error."""
    return frozenset(response.get("x-codes", ()))


def _record(name):
    schema = resolved(SCHEMAS[name])
    is_asked = name in _ASKED
    choices = "" if schema.get("properties") else f"It is {kind(schema, is_asked=is_asked)}."
    parts = (f'<a id="{name}"></a>\n\n### {name}', meaning(schema), members(schema, is_asked=is_asked) or choices)
    return "\n\n".join(filter(None, parts))


def _usual_words():
    """The words that more than half of the operations can answer, by the status."""
    counts = Counter(
        (status, word)
        for operation in _OPERATIONS
        for status, response in operation["responses"].items()
        for word in _words(resolved(response))
    )
    found = defaultdict(set)
    for (status, word), count in counts.items():
        if count > len(_OPERATIONS) / 2:
            found[status].add(word)
    return found


_OPERATIONS = [operation for verbs in DOCUMENT["paths"].values() for operation in verbs.values()]
_ASKED = reached([operation["requestBody"] for operation in _OPERATIONS if "requestBody" in operation])
_USUAL = _usual_words()
