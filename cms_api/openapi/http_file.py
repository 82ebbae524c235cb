"""Writes the operations as requests in a .http file, which editors can send."""

from textwrap import wrap
from urllib.parse import quote, urlencode

from cms_api.openapi.calls import PICTURE, TO_DO, Call, calls
from cms_api.openapi.describing import Schema
from cms_api.openapi.examples import Examples

_HEAD = """\
# Every operation of the content management REST service, with one example each. Send them in order against the sample
# site: later requests use records from earlier ones. Made by `make openapi`.
#
# The REST Client extension of Visual Studio Code takes ids and tokens from earlier responses, in the lines that begin
# with @. JetBrains editors do not: put the value itself into such a line.

@address = http://127.0.0.1:8000
@key = put an API key here
"""
_WIDTH = 118


def http_file(document: Schema, examples: Examples) -> str:
    """Return the text of the file."""
    made = list(calls(document, examples))
    return "\n".join([_HEAD, *map(_request, made, _new_variables(made))])


def _new_variables(made: list[Call]) -> list[list[str]]:
    """Return, for each call, the lines that define the variables that no earlier call uses."""
    values = {
        name: f"{{{{{call.operation['operationId']}.response.body.$.{place}}}}}"
        for call in made
        for name, place in call.gives.items()
    }
    lines: list[list[str]] = []
    defined: set[str] = set()
    for call in made:
        lines.append([f"@{name} = {values.get(name, TO_DO)}" for name in call.needs if name not in defined])
        defined.update(call.needs)
    return lines


def _request(call: Call, variables: list[str]) -> str:
    lines = [f"### {call.operation['summary']}", *(f"# {line}" for line in wrap(call.note, _WIDTH)), *variables]
    lines += [f"# @name {call.operation['operationId']}", _first_line(call)]
    if call.needs_key:
        lines.append("X-SS-API-KEY: {{key}}")
    lines += [f"{name}: {value}" for name, value in call.headers.items()]
    if call.is_form:
        lines += _FORM
    elif call.body is not None:
        lines += ["Content-Type: application/json", "", call.body]
    return "\n".join(lines) + "\n"


_FORM = [
    "Content-Type: multipart/form-data; boundary=picture",
    "",
    "--picture",
    f'Content-Disposition: form-data; name="avatar"; filename="{PICTURE}"',
    "Content-Type: image/png",
    "",
    f"< ./{PICTURE}",
    "--picture--",
]


def _first_line(call: Call) -> str:
    path = call.path
    for name, value in call.path_values.items():
        path = path.replace(f"{{{name}}}", quote(value, safe="{}"))
    query = urlencode(call.query, quote_via=quote)
    return f"{call.method} {{{{address}}}}{path}" + (f"?{query}" if query else "")
