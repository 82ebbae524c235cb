"""Converts the document to a Postman collection (v2.1)."""

from collections.abc import Collection
from itertools import groupby

from cms_api.openapi.calls import PICTURE, Call, as_json, calls
from cms_api.openapi.describing import Schema
from cms_api.openapi.examples import Examples

_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
_JSON = {"mode": "raw", "options": {"raw": {"language": "json"}}}


def collection(document: Schema, examples: Examples) -> Schema:
    """Return folders of calls in a working order; URL, key and values from responses are variables."""
    made = list(calls(document, examples))
    return {
        "info": {
            "name": document["info"]["title"],
            "description": document["info"]["description"],
            "schema": _SCHEMA,
        },
        "auth": {
            "type": "apikey",
            "apikey": [_pair("key", "X-SS-API-KEY"), _pair("value", "{{key}}"), _pair("in", "header")],
        },
        "variable": [*_OWN_VARIABLES, *_variables(made)],
        "item": _folders(made, {tag["name"]: tag["description"] for tag in document["tags"]}),
    }


_OWN_VARIABLES = [
    {"key": "address", "value": "http://127.0.0.1:8000", "description": "Scheme, host and port of the service."},
    {"key": "key", "value": "", "description": "An API key, as the admin shows it when it is issued."},
]


def _variables(made: list[Call]) -> list[Schema]:
    given = {name: call for call in made for name in call.gives}
    told = {name: f"Set by the request “{call.operation['summary']}”." for name, call in given.items()}
    told |= {name: call.note for call in reversed(made) for name in _by_hand(call, given.keys())}
    return [{"key": name, "value": "", "description": description} for name, description in told.items()]


def _by_hand(call: Call, given: Collection[str]) -> list[str]:
    """Return the variables that the user must set before the call can succeed."""
    return [name for name in filter(None, [*call.needs, call.switch]) if name not in given]


def _folders(made: list[Call], descriptions: dict[str, str]) -> list[Schema]:
    """Return a folder for each run of calls with the same tag.

    A tag can have several runs: accounts, for example, are deleted only after the calls that sign in.
    """
    folders: dict[str, Schema] = {}
    given = {name for call in made for name in call.gives}
    for tag, run in groupby(made, lambda call: str(call.operation["tags"][0])):
        name = f"{tag} (continued)" if tag in folders else tag
        folders[name] = {"name": name, "description": descriptions[tag], "item": [_item(call, given) for call in run]}
    return list(folders.values())


def _pair(key: str, value: str) -> Schema:
    return {"key": key, "value": value, "type": "string"}


def _item(call: Call, given: Collection[str]) -> Schema:
    by_hand = _by_hand(call, given)
    skipped = [f"Skipped until the variable `{name}` has a value." for name in by_hand]
    request: Schema = {
        "method": call.method,
        "description": "\n\n".join(filter(None, [call.operation["description"], call.note, *skipped])),
        "header": _headers(call),
        "url": _url(call),
    }
    if not call.needs_key:
        request["auth"] = {"type": "noauth"}
    if call.is_form:
        request["body"] = {"mode": "formdata", "formdata": [{"key": "avatar", "type": "file", "src": PICTURE}]}
    elif "requestBody" in call.operation:
        request["body"] = _JSON | {"raw": call.body or "{}"}
    item = {"name": call.operation["summary"], "request": request, "response": _answers(call, request)}
    skipping = [f'if (!pm.collectionVariables.get("{name}")) pm.execution.skipRequest();' for name in by_hand]
    keeping = [
        f'pm.collectionVariables.set("{name}", pm.response.json().{place});' for name, place in call.gives.items()
    ]
    events = [_script(when, lines) for when, lines in (("prerequest", skipping), ("test", keeping)) if lines]
    return item | ({"event": events} if events else {})


def _script(when: str, lines: list[str]) -> Schema:
    return {"listen": when, "script": {"type": "text/javascript", "exec": lines}}


def _headers(call: Call) -> list[Schema]:
    has_json = "requestBody" in call.operation and not call.is_form
    return ([{"key": "Content-Type", "value": "application/json"}] if has_json else []) + [
        _parameter(each, call.headers) for each in call.parameters("header")
    ]


def _parameter(each: Schema, sent: dict[str, str]) -> Schema:
    """Return a query or header parameter, disabled if the example does not use it."""
    name = each["name"]
    shown = {"key": name, "value": sent.get(name, ""), "description": each["description"]}
    return shown | ({} if name in sent else {"disabled": True})


def _url(call: Call) -> Schema:
    path = call.path.replace("{", ":").replace("}", "")
    query, sent = call.parameters("query"), call.query
    named = {each["name"] for each in query}
    shown = [_parameter(each, sent) for each in query if not each.get("explode")]
    shown += [{"key": name, "value": value} for name, value in sent.items() if name not in named]
    raw = "&".join(f"{name}={value}" for name, value in sent.items())
    return {
        "raw": "{{address}}" + path + (f"?{raw}" if raw else ""),
        "host": ["{{address}}"],
        "path": path.strip("/").split("/"),
        "query": shown,
        "variable": [
            {
                "key": each["name"],
                "value": call.path_values.get(each["name"], ""),
                "description": each["description"],
            }
            for each in call.parameters("path")
        ],
    }


def _answers(call: Call, request: Schema) -> list[Schema]:
    answer = call.example.get("answer")
    if answer is None:
        return []
    is_text = isinstance(answer, str)
    return [
        {
            "name": call.example["summary"],
            "originalRequest": {name: request[name] for name in ("method", "header", "url", "body") if name in request},
            "status": "OK",
            "code": 200,
            "_postman_previewlanguage": "text" if is_text else "json",
            "header": [{"key": "Content-Type", "value": "text/plain" if is_text else "application/json"}],
            "body": answer if is_text else as_json(answer),
        }
    ]
