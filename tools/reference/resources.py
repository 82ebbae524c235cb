"""docs/reference/api.md and a page per resource, from the OpenAPI document."""

import re

from tools.reference.errors import common_errors, errors_of
from tools.reference.markdown import page, table
from tools.reference.parameters import common_parameters, parameters_of
from tools.reference.records import as_json, record
from tools.reference.schemas import (
    DOCUMENT,
    OPERATIONS,
    PAGE_OF,
    RECORDS,
    kind,
    link,
    meaning,
    operations_of,
    resolved,
    slug,
)

_PAGED = {"value", "count", "first", "prev", "next", "last"}
_PAGES = """Pages also return `count`, the number of matching records on all pages, and `first`, `prev`, `next` and
`last`, the URLs of other pages, if there are any. Lists that return all records have these members only with `top` or
`skip`."""
_ALIASES = """Each returns the record by its names in v7, without an envelope. A body may have the names of v7 or v6.
Scopes and errors are the same as of the original."""
# Types that say enough of a response.
_RECORD_TYPE = re.compile(r"(?:list of )?\[\w+\]\([^)]+\)")
_INTRODUCTION = """All paths begin with `/api/v1` and may end with a slash. Send the API key in the header
`X-SS-API-KEY`, as `Authorization: Bearer`, or in the query parameter `apiKey`. Each operation names its required scope;
`write` includes `read`. Responses are JSON in UTF-8 with camelCase names.

Names of members and parameters are read in any letter case. Parameters are in the query unless stated otherwise.
Booleans and numbers may be sent as strings, and dates in their usual forms; null counts as not sent. Sending a member
twice, even in different letter case, is an error. Integers have at most 64 bits. The URL with its query, and each
header, is limited to 8,190 bytes. If no default is named, filters allow any value, texts are empty, numbers are 0,
flags are false, and a change leaves the value.

[openapi.json](../../core/openapi/openapi.json), at `/api/v1/openapi.json` of a running service, is the same reference
for programs, with complete examples and samples in curl, Python, TypeScript and C#. Try operations at `/api/docs/`."""


def api_page():
    """The common parts of all operations, and the list of them."""
    return page(
        "API",
        _INTRODUCTION,
        "## Common parameters",
        common_parameters(),
        f"## Pages\n\n{_PAGES}",
        "## Common errors\n\n[Codes](codes.md) explains every error. Operations can return:",
        common_errors(),
        "## Operations",
        *(f"### {tag['name']}\n\n{_overview(tag['name'])}" for tag in DOCUMENT["tags"]),
    )


def _overview(tag):
    if all("x-alias-of" in each for _verb, _path, each in operations_of(tag)):
        return f"[Aliases]({slug(tag)}.md) of operations above."
    rows = (
        (f"[`{verb} {path}`]({slug(tag)}.md#{each['operationId']})", each["summary"])
        for verb, path, each in operations_of(tag)
    )
    return table(("Operation", "Result"), rows)


def resource_page(tag):
    """The operations of a tag, and the records that no page before has."""
    name = tag["name"]
    shared = common_parameters(name)
    records = [each for each in RECORDS if PAGE_OF[each] == slug(name)]
    return page(
        name,
        tag["description"],
        _ALIASES if all("x-alias-of" in each for _verb, _path, each in operations_of(name)) else "",
        f"## Common parameters\n\n{shared}" if shared else "",
        *(_operation(name, *each) for each in operations_of(name)),
        "## Records" if records else "",
        *map(record, records),
    )


def _operation(tag, verb, path, operation):
    parts = (
        f'<a id="{operation["operationId"]}"></a>\n\n## {verb} {path}',
        _alias(operation["x-alias-of"]) if "x-alias-of" in operation else operation["description"],
        parameters_of(tag, operation),
        _body(operation.get("requestBody"), with_example="x-alias-of" not in operation),
        _response(operation["responses"]["200"]),
        errors_of(verb, path, operation),
    )
    return "\n\n".join(filter(None, parts))


def _alias(original):
    """A link to the original operation of an alias."""
    for verb, path, each in OPERATIONS:
        if original == f"{verb} /api/v1{path}":
            return f"Alias of [`{verb} {path}`]({slug(each['tags'][0])}.md#{each['operationId']})."
    raise LookupError(original)


def _body(body, *, with_example):
    if not body:
        return ""
    parts = [f"**Body.** {_one_line(body.get('description', ''))}"]
    for name, media in body["content"].items():
        if name != "application/json":
            parts.append(f"As `{name}`:")
        parts += [_members(media["schema"], is_sent=True), _example(media) if with_example else ""]
    return "\n\n".join(filter(None, parts))


def _response(response):
    described = f"**Response.** {_one_line(response['description'])}"
    media = response.get("content", {})
    other = [f"As `{name}`." for name in media if name != "application/json"]
    if other or "application/json" not in media:
        return " ".join([described, *other])
    schema = media["application/json"]["schema"]
    members = resolved(schema).get("properties", {})
    if "$ref" in schema:
        return f"**Response.** {kind(schema, is_sent=False, link=link)}."
    if members.keys() == _PAGED:
        return f"**Response.** `value`, {kind(members['value'], is_sent=False, link=link)}, and [pages](api.md#pages)."
    if len(members) == 1:
        [(name, each)] = members.items()
        found = kind(each, is_sent=False, link=link)
        return f"**Response.** `{name}`, {found}{'.' if _RECORD_TYPE.fullmatch(found) else f': {meaning(each)}'}"
    return "\n\n".join([described, _members(schema, is_sent=False)])


def _members(schema, *, is_sent):
    """The members of an object, or a link to its record."""
    if "$ref" in schema:
        return f"{kind(schema, is_sent=is_sent, link=link)}."
    required = schema.get("required", ()) if is_sent else ()
    members = resolved(schema).get("properties", {})
    rows = [
        (f"`{name}`{', required' if name in required else ''}", kind(each, is_sent=is_sent, link=link), meaning(each))
        for name, each in members.items()
    ]
    return table(("Member", "Type", "Meaning"), rows)


def _example(media):
    """The first example, if it is a JSON object."""
    example = resolved(next(iter((media.get("examples") or {}).values()), {}))
    return as_json(example["value"]) if isinstance(example.get("value"), dict) else ""


def _one_line(text):
    return " ".join(text.split())
