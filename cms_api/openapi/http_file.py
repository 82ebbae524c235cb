"""The document as requests in a .http file, which editors can send."""

import json
from urllib.parse import quote, urlencode

from cms_api.openapi.calls import Call, calls
from cms_api.openapi.describing import Schema
from cms_api.openapi.examples import Examples

_HEAD = """\
# Every operation of the content management REST service, with an example each.
# Editors send the requests: that of JetBrains as it is, Visual Studio Code with the extension REST Client. Sent one
# after the other against a fresh sample site, each finds what the ones before have made. Made by `make openapi`.

@address = http://127.0.0.1:8000
@key = put an API key here
"""


def http_file(document: Schema, examples: Examples) -> str:
    """The text of the file."""
    return "\n".join([_HEAD, *(_request(call) for call in calls(document, examples))])


def _request(call: Call) -> str:
    lines = [f"### {call.operation['summary']}", f"# @name {call.operation['operationId']}", _first_line(call)]
    if call.needs_key:
        lines.append("X-SS-API-KEY: {{key}}")
    if call.is_form:
        lines += _FORM
    elif call.body is not None:
        lines += ["Content-Type: application/json", "", json.dumps(call.body, ensure_ascii=False, indent=2)]
    return "\n".join(lines) + "\n"


_FORM = [
    "Content-Type: multipart/form-data; boundary=picture",
    "",
    "--picture",
    'Content-Disposition: form-data; name="avatar"; filename="picture.png"',
    "Content-Type: image/png",
    "",
    "< ../../accounts/default_avatar.png",
    "--picture--",
]


def _first_line(call: Call) -> str:
    path = call.path
    for name, value in call.example.get("path", {}).items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    query = urlencode(call.example.get("query", {}), quote_via=quote)
    return f"{call.method} {{{{address}}}}{path}" + (f"?{query}" if query else "")
