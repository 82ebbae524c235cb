"""Sends the requests of the .http file from top to bottom, as the extension REST Client would."""

import json
import re
from dataclasses import dataclass

import httpx

from cms_api.openapi.files import HTTP
from tests.openapi.scenario import member_at
from tests.programs import SECONDS

_REFERENCE = re.compile(r"\{\{(.+?)\}\}")
_OF_AN_ANSWER = re.compile(r"(\w+)\.response\.body\.\$\.([\w.\[\]]+)")
_FILE = re.compile(r"< (\S+)")


def play(address, key):
    """The name of each request with its answer."""
    text = HTTP.read_text(encoding="utf-8")
    definitions = dict(re.findall(r"^@(\w+) = (.*)$", text, re.M)) | {"address": address, "key": key}
    with httpx.Client(timeout=SECONDS, trust_env=False) as client:  # which keeps cookies, as the editors do
        player = _Player(client, definitions)
        for block in re.split(r"^###.*\n", text, flags=re.M)[1:]:
            request = _Request.read(block)
            yield request.name, player.send(request)


@dataclass
class _Request:
    name: str
    first_line: str
    headers: list[str]
    body: list[str]

    @classmethod
    def read(cls, block):
        """The request of a block, without comments and definitions."""
        (name,) = re.findall(r"^# @name (\w+)$", block, re.M)
        lines = [line for line in block.rstrip().split("\n") if not line.startswith(("#", "@"))]
        end = lines.index("") if "" in lines else len(lines)
        return cls(name, lines[0], lines[1:end], lines[end + 1 :])


class _Player:
    def __init__(self, client, definitions):
        self._client, self._definitions, self._answers = client, definitions, {}

    def send(self, request):
        verb, url = self._resolved(request.first_line).split(" ")
        headers = dict(self._resolved(line).split(": ", 1) for line in request.headers)
        answer = self._client.request(verb, url, headers=headers, content=self._body(request.body, headers))
        self._answers[request.name] = answer
        return answer

    def _body(self, lines, headers):
        is_form = headers.get("Content-Type", "").startswith("multipart/form-data")
        return (b"\r\n" if is_form else b"\n").join(map(self._line, lines))

    def _line(self, line):
        found = _FILE.fullmatch(line)
        return (HTTP.parent / found[1]).read_bytes() if found else self._resolved(line).encode()

    def _resolved(self, text):
        return _REFERENCE.sub(lambda found: self._value(found[1]), text)

    def _value(self, reference):
        if found := _OF_AN_ANSWER.fullmatch(reference):
            value = member_at(found[2], self._answers[found[1]].json())
            return value if isinstance(value, str) else json.dumps(value)
        return self._resolved(self._definitions[reference])
