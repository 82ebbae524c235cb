"""Sends the requests of the Postman collection in its order, as Postman's runner would."""

import json
import re
from urllib.parse import quote

import httpx

from cms_api.openapi.files import POSTMAN
from tests.openapi.documents import operations
from tests.openapi.scenario import member_at
from tests.programs import SECONDS

_REFERENCE = re.compile(r"\{\{(\w+)\}\}")
_NEEDED = re.compile(r'if \(!pm\.collectionVariables\.get\("(\w+)"\)\) pm\.execution\.skipRequest\(\);')
_KEPT = re.compile(r'pm\.collectionVariables\.set\("(\w+)", pm\.response\.json\(\)\.([\w.\[\]]+)\);')


def play(address, key):
    """The operation of each request with its answer; None for one that its script skips."""
    collection = json.loads(POSTMAN.read_text(encoding="utf-8"))
    with httpx.Client(timeout=SECONDS, trust_env=False) as client:  # which keeps cookies, as Postman does
        player = _Player(client, collection, {"address": address, "key": key})
        for folder in collection["item"]:
            for item in folder["item"]:
                yield _operation(item["request"]), player.send(item)


def _operation(request):
    path = "/" + "/".join(request["url"]["path"])
    return next(
        operation["operationId"]
        for verb, template, operation in operations()
        if (verb, template.replace("{", ":").replace("}", "")) == (request["method"], path)
    )


def _kept(item, answer):
    for line in _lines(item, "test"):
        name, place = _KEPT.fullmatch(line).groups()
        yield name, member_at(place, answer.json())


def _lines(item, when):
    events = [event for event in item.get("event", []) if event["listen"] == when]
    return [line for event in events for line in event["script"]["exec"]]


class _Player:
    def __init__(self, client, collection, own):
        self._client, self._auth = client, collection["auth"]
        self._variables = {each["key"]: each["value"] for each in collection["variable"]} | own

    def send(self, item):
        request = item["request"]
        if not all(self._variables[_NEEDED.fullmatch(line)[1]] for line in _lines(item, "prerequest")):
            return None
        answer = self._client.request(
            request["method"], self._url(request["url"]), headers=self._headers(request), **self._body(request)
        )
        if answer.is_success:  # else the script breaks off, which stops nothing
            self._variables |= dict(_kept(item, answer))
        return answer

    def _url(self, url):
        values = {f":{each['key']}": quote(self._resolved(each["value"]), safe="") for each in url["variable"]}
        path = "/".join(values.get(part, part) for part in url["path"])
        return httpx.URL("/".join([*map(self._resolved, url["host"]), path]), params=self._enabled(url["query"]))

    def _headers(self, request):
        key = self._enabled(self._auth["apikey"])
        own = {} if "auth" in request else {key["key"]: key["value"]}  # Postman's names for a header's name and value
        return own | self._enabled(request["header"])

    def _body(self, request):
        body = request.get("body", {"mode": "none"})
        if body["mode"] == "formdata":
            files = {each["key"]: POSTMAN.parent / each["src"] for each in body["formdata"]}
            return {"files": {name: (file.name, file.read_bytes()) for name, file in files.items()}}
        return {"content": self._resolved(body["raw"])} if body["mode"] == "raw" else {}

    def _enabled(self, pairs):
        return {each["key"]: self._resolved(each["value"]) for each in pairs if not each.get("disabled")}

    def _resolved(self, text):
        return _REFERENCE.sub(lambda found: str(self._variables[found[1]]), text)
