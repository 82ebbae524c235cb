"""docs/reference/api.md and a page per resource, from the OpenAPI document."""

import json
import re
from collections import Counter, defaultdict

from tests.reference.markdown import page, plain, table
from tests.reference.schemas import DOCUMENT, SCHEMAS, bounds, kind, reached, resolved

PREFIX = "/api/v1"
_EXAMPLE_LENGTH = 160  # characters of a text
_FILTER = "Only contents with this value of "  # how the description of such a parameter begins
_CHANGES_DEFAULT = re.compile(r" Default: unchanged\.")
_INTRODUCTION = """All paths begin with `/api/v1` and may end with a slash. Send the API key in the header
`X-SS-API-KEY`, as `Authorization: Bearer`, or in the query parameter `apiKey`. Each operation names its required scope;
`write` includes `read`. Responses are JSON in UTF-8 with camelCase names. [Codes](codes.md) explains every error.

Names of members and parameters are read in any letter case. Booleans and numbers may be sent as strings, and dates in
their usual forms; null counts as not sent. Sending a member twice, even in different letter case, is an error. Integers
have at most 64 bits. The URL with its query, and each header, is limited to 8,190 bytes.

[openapi.json](../../cms_api/openapi/openapi.json) is the same reference for programs, with complete examples. A
running service returns it at `/api/v1/openapi.json`; try operations at `/api/docs/`. Examples on these pages shorten
long strings (…) and lists."""


def slug(tag):
    """The file name of a tag's page, without its ending."""
    return tag.lower().replace(" ", "-")


def operations_of(tag):
    """Method, path and description of the tag's operations."""
    return [
        (verb.upper(), path.removeprefix(PREFIX), operation)
        for path, verbs in DOCUMENT["paths"].items()
        for verb, operation in verbs.items()
        if operation["tags"][0] == tag
    ]


def api_page():
    """What all operations have in common, and the list of them."""
    errors = ((str(status), _code_links(codes)) for status, codes in sorted(_COMMON_CODES.items()))
    return page(
        "API",
        _INTRODUCTION,
        "## Common parameters",
        _parameter_table(list(_COMMON_PARAMETERS.values())),
        "## Common errors\n\nMost operations can return:",
        table(("Status", "Codes"), errors),
        "## Operations",
        *(
            f"### {tag['name']}\n\n{tag['description']}\n\n{_overview(tag['name'], slug(tag['name']) + '.md')}"
            for tag in DOCUMENT["tags"]
        ),
    )


def _overview(tag, address):
    rows = (
        (f"[`{verb} {path}`]({address}#{each['operationId']})", each["summary"], each.get("x-scope", "none"))
        for verb, path, each in operations_of(tag)
    )
    return table(("Operation", "Result", "Scope"), rows)


def resource_page(tag):
    """The operations of a tag, and the records that no page before has."""
    name, found = tag["name"], operations_of(tag["name"])
    shared = _shared_parameters(found)
    common = f"## Common parameters\n\n{_parameter_table(list(shared.values()))}" if shared else ""
    records = [each for each in _RECORDS if _PAGE_OF[each] == slug(name)]
    return page(
        name,
        tag["description"],
        _overview(name, ""),
        common,
        *(_operation(*each, shared) for each in found),
        "## Records" if records else "",
        *map(_record, records),
    )


def _operation(verb, path, operation, shared):
    own, others = [], []
    for parameter in map(resolved, operation.get("parameters", ())):
        if (key := _key_of(parameter)) in shared:
            others.append(f"[`{parameter['name']}`](#common-parameters)")
        elif key not in _COMMON_PARAMETERS:
            own.append(parameter)
        elif parameter["in"] == "header":
            others.append(f"[`{parameter['name']}`](api.md#common-parameters)")
    parts = (
        f'<a id="{operation["operationId"]}"></a>\n\n## {verb} {path}',
        operation["description"],
        _parameter_table(own),
        f"**Also:** {', '.join(others)}." if others else "",
        _body(operation.get("requestBody")),
        _response(operation["responses"]["200"]),
        _errors(operation["responses"]),
    )
    return "\n\n".join(filter(None, parts))


def _parameter_table(parameters):
    """The parameters as rows; those that filter by a member of a content are one row."""
    filters = [each for each in parameters if each["description"].startswith(_FILTER)]
    filters = filters if len(filters) > 1 else []
    rows = [
        (
            f"`{each['name']}`{', required' if each.get('required') and each['in'] != 'path' else ''}",
            each["in"],
            kind(each["schema"], is_sent=True, link=_link),
            _meaning(each["schema"], each["description"]),
        )
        for each in parameters
        if each not in filters
    ]
    if filters:
        names = ", ".join(f"`{each['name']}`" for each in filters)
        meaning = f"{_FILTER}the member of {_link('Content')}. Default: any value, but only approved contents."
        rows.insert(0, (names, "query", "as the member", meaning))
    return table(("Parameter", "In", "Type", "Meaning"), rows)


def _body(body):
    if not body:
        return ""
    parts = [f"**Body.** {_one_line(body.get('description', ''))}"]
    for name, media in body["content"].items():
        if name != "application/json":
            parts.append(f"As `{name}`:")
        parts += [_members(media["schema"], is_sent=True), _example(media)]
    return "\n\n".join(filter(None, parts))


def _response(response):
    parts = [f"**Response.** {_one_line(response['description'])}"]
    for name, media in response.get("content", {}).items():
        parts.append(f"As `{name}`." if name != "application/json" else _members(media["schema"], is_sent=False))
    return "\n\n".join(filter(None, parts))


def _members(schema, *, is_sent):
    """The members of an object, or a link to its record."""
    if "$ref" in schema:
        return f"{kind(schema, is_sent=is_sent, link=_link)}."
    required = schema.get("required", ()) if is_sent else ()
    rows = [
        (f"`{name}`{', required' if name in required else ''}", kind(each, is_sent=is_sent, link=_link), _meaning(each))
        for name, each in resolved(schema).get("properties", {}).items()
    ]
    return table(("Member", "Type", "Meaning"), rows)


def _example(media):
    """The first example, if it is a JSON object."""
    example = resolved(next(iter((media.get("examples") or {}).values()), {}))
    return _json(example["value"]) if isinstance(example.get("value"), dict) else ""


def _json(value):
    return f"```json\n{json.dumps(_shortened(value), ensure_ascii=False, indent=2)}\n```"


def _shortened(value):
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shortened(each) for each in (value[:1] if value and isinstance(value[0], dict) else value)]
    if isinstance(value, str) and len(value) > _EXAMPLE_LENGTH:
        return f"{value[:_EXAMPLE_LENGTH]}…"
    return value


def _errors(responses):
    """The other statuses in one line, each with its codes but for the common ones."""
    told = []
    for status, response in responses.items():
        codes = _codes(resolved(response))
        if status != "200" and (not codes or codes - _COMMON_CODES[status]):
            told.append(f"{status} {_code_links(codes - _COMMON_CODES[status])}".strip())
    return f"**Errors.** {'; '.join(told)}." if told else ""


def _code_links(codes):
    return ", ".join(f"[`{code}`](codes.md#{code})" for code in sorted(codes))


def _codes(response):
    return frozenset(response.get("x-codes", ()))


def _record(name):
    """A record with its members; those that can be sent to create or to change one are marked."""
    variants = {use: resolved(SCHEMAS[each]) for use, each in _variants(name) if each in SCHEMAS}
    record, is_sent = resolved(SCHEMAS[name]), name in _SENT
    members = dict(record.get("properties", {}))
    for variant in reversed(variants.values()):
        for member, schema in variant.get("properties", {}).items():
            # The bounds of a value are stated for requests.
            members[member] = schema | {"description": members.get(member, schema)["description"]}
    rows = []
    for member, schema in members.items():
        uses = [use for use, variant in variants.items() if member in variant.get("properties", {})]
        required = member in (variants.get("create") or (record if is_sent else {})).get("required", ())
        rows.append((f"`{member}`{', required' if required else ''}", schema, uses))
    others = record.get("additionalProperties")
    if isinstance(others, dict) and rows:
        rows.append(("any other", others, list(variants)))
    cells = (
        (
            member,
            kind(schema, is_sent=is_sent or bool(uses), link=_link),
            *([", ".join(uses) or "–"] if variants else []),
            _meaning(schema),
        )
        for member, schema, uses in rows
    )
    head = ("Member", "Type", *(["Send to"] if variants else []), "Meaning")
    parts = (
        f'<a id="{name}"></a>\n\n### {name}',
        _meaning(record),
        table(head, cells) if rows else f"{kind(record, is_sent=is_sent, link=_link)}.",
        _json(_RECORD_EXAMPLES[name]) if name in _RECORD_EXAMPLES else "",
    )
    return "\n\n".join(filter(None, parts))


def _variants(name):
    return (("create", f"New{name}"), ("change", f"{name}Changes"))


def _meaning(schema, description=None):
    """What a value stands for, and those of its bounds that the description does not state."""
    text = plain(schema.get("description", "") if description is None else description)
    found = ", ".join(words for words, number in bounds(schema) if f"{number:,}" not in text)
    return f"{_CHANGES_DEFAULT.sub('', text)} ({found})" if found else _CHANGES_DEFAULT.sub("", text)


def _one_line(text):
    return " ".join(text.split())


def _key_of(parameter):
    return parameter["name"], parameter["in"], parameter["description"]


def _shared_parameters(found):
    """The parameters that several of the operations have in common, by key."""
    parameters = [resolved(each) for _verb, _path, operation in found for each in operation.get("parameters", ())]
    counts = Counter(map(_key_of, parameters))
    return {key: each for each in parameters if counts[key := _key_of(each)] > 1 and key not in _COMMON_PARAMETERS}


def _link(name):
    base = _BASE_OF.get(name, name)
    return f"[{name}]({_PAGE_OF[base]}.md#{base})"


def _find_common_parameters():
    """Headers and numbers in paths that operations of several tags have."""
    tags, found = defaultdict(set), {}
    for tag in DOCUMENT["tags"]:
        for _verb, _path, operation in operations_of(tag["name"]):
            if "x-alias-of" in operation:  # it has the parameters of its original
                continue
            for parameter in map(resolved, operation.get("parameters", ())):
                if parameter["in"] in ("header", "path"):
                    tags[_key_of(parameter)].add(tag["name"])
                    found[_key_of(parameter)] = parameter
    return {key: each for key, each in found.items() if len(tags[key]) > 1}


def _find_common_codes():
    """The codes that more than half of the operations can answer, by status."""
    counted = [operation for operation in _OPERATIONS if "x-alias-of" not in operation]
    counts = Counter(
        (status, code)
        for operation in counted
        for status, response in operation["responses"].items()
        for code in _codes(resolved(response))
    )
    found = defaultdict(set)
    for (status, code), count in counts.items():
        if count > len(counted) / 2:
            found[status].add(code)
    return found


def _find_examples():
    """An example of each record, out of the responses."""
    found = {}
    for operation in _OPERATIONS:
        for media in operation["responses"]["200"].get("content", {}).values():
            value = media["schema"].get("properties", {}).get("value", media["schema"])
            items = value.get("items", value)
            example = resolved(next(iter((media.get("examples") or {}).values()), {})).get("value")
            name = items.get("$ref", "").rpartition("/")[2]
            shown = example.get("value", example) if isinstance(example, dict) else None
            shown = shown[0] if isinstance(shown, list) and shown else shown
            if name and isinstance(shown, dict):
                found.setdefault(name, shown)
    return found


_OPERATIONS = [operation for verbs in DOCUMENT["paths"].values() for operation in verbs.values()]
_SENT = reached([operation["requestBody"] for operation in _OPERATIONS if "requestBody" in operation])
_COMMON_PARAMETERS = _find_common_parameters()
_COMMON_CODES = _find_common_codes()
_RECORD_EXAMPLES = _find_examples()
# The record that a variant for creating or changing belongs to.
_BASE_OF = {variant: base for base in SCHEMAS for _use, variant in _variants(base) if variant in SCHEMAS}
_RECORDS = [name for name in SCHEMAS if name not in _BASE_OF]
_PAGE_OF = {}
for _tag in DOCUMENT["tags"]:
    for _name in sorted(reached([each for _verb, _path, each in operations_of(_tag["name"])])):
        _PAGE_OF.setdefault(_BASE_OF.get(_name, _name), slug(_tag["name"]))
