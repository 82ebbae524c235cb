"""The document as a Postman collection (v2.1)."""

import json
from typing import Any

from cms_api.openapi.calls import Call, calls
from cms_api.openapi.describing import Schema
from cms_api.openapi.examples import Examples

_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
_JSON = {"mode": "raw", "options": {"raw": {"language": "json"}}}


def collection(document: Schema, examples: Examples) -> Schema:
    """A folder for each tag; address and key are variables."""
    folders: dict[str, list[Schema]] = {tag["name"]: [] for tag in document["tags"]}
    for call in calls(document, examples):
        folders[call.operation["tags"][0]].append(_item(call))
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
        "variable": [
            {
                "key": "address",
                "value": "http://127.0.0.1:8000",
                "description": "Scheme, host and port of the service.",
            },
            {"key": "key", "value": "", "description": "An API key, as the back end shows it when it is issued."},
        ],
        "item": [
            {"name": tag["name"], "description": tag["description"], "item": folders[tag["name"]]}
            for tag in document["tags"]
        ],
    }


def _pair(key: str, value: str) -> Schema:
    return {"key": key, "value": value, "type": "string"}


def _item(call: Call) -> Schema:
    request: Schema = {
        "method": call.method,
        "description": call.operation["description"],
        "header": _headers(call),
        "url": _url(call),
    }
    if not call.needs_key:
        request["auth"] = {"type": "noauth"}
    if call.is_form:
        request["body"] = {"mode": "formdata", "formdata": [{"key": "avatar", "type": "file", "src": []}]}
    elif "requestBody" in call.operation:
        request["body"] = _JSON | {"raw": _text(call.body or {})}
    return {"name": call.operation["summary"], "request": request, "response": _answers(call, request)}


def _headers(call: Call) -> list[Schema]:
    further = [
        {"key": each["name"], "value": "", "description": each["description"], "disabled": True}
        for each in call.parameters("header")
    ]
    has_json = "requestBody" in call.operation and not call.is_form
    return ([{"key": "Content-Type", "value": "application/json"}] if has_json else []) + further


def _url(call: Call) -> Schema:
    path = call.path.replace("{", ":").replace("}", "")
    query, sent = call.parameters("query"), call.example.get("query", {})
    named = {each["name"] for each in query}
    shown = [
        {
            "key": each["name"],
            "value": sent.get(each["name"], ""),
            "description": each["description"],
            **({} if each["name"] in sent else {"disabled": True}),
        }
        for each in query
        if not each.get("explode")
    ]
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
                "value": str(call.example.get("path", {}).get(each["name"], "")),
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
            "body": answer if is_text else _text(answer),
        }
    ]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
