"""The Postman collection and the .http file are made of the document, and their requests work."""

import json
import re

import pytest

from cms_api.openapi.examples import Examples
from cms_api.openapi.files import HTTP, POSTMAN, as_text
from cms_api.openapi.generator import document
from cms_api.openapi.http_file import http_file
from cms_api.openapi.postman import collection
from tests.openapi.documents import operations
from tests.servers import Installation

FIRST_STEPS = 12
_REQUEST = re.compile(
    r"^(?P<verb>[A-Z]+) \{\{address\}\}(?P<path>\S+)\n(?P<headers>(?:[\w-]+: [^\n]*\n)*)\n?(?P<body>.*)", re.S
)


@pytest.fixture(scope="module")
def made():
    return document()


def test_the_collection_is_the_committed_one(made):
    assert as_text(collection(made, Examples.kept())) == POSTMAN.read_text(encoding="utf-8"), "run make openapi"


def test_the_http_file_is_the_committed_one(made):
    assert http_file(made, Examples.kept()) == HTTP.read_text(encoding="utf-8"), "run make openapi"


def test_the_collection_has_every_operation():
    items = [item for folder in _collection()["item"] for item in folder["item"]]
    assert len(items) == len(operations())
    for item in items:
        url = item["request"]["url"]
        variables = {f":{each['key']}" for each in url["variable"]}
        assert {part for part in url["path"] if part.startswith(":")} == variables
        assert url["raw"].startswith("{{address}}/api/v1/")
        assert all(each["value"] for each in url["variable"]), item["name"]


def test_the_collection_sends_bodies_that_are_json():
    bodies = [
        item["request"]["body"]["raw"]
        for folder in _collection()["item"]
        for item in folder["item"]
        if item["request"].get("body", {}).get("mode") == "raw"
    ]
    assert len(bodies) > 15 and all(isinstance(json.loads(body), dict) for body in bodies)


def test_the_collection_has_no_key():
    values = {each["key"]: each["value"] for each in _collection()["variable"]}
    assert values == {"address": "http://127.0.0.1:8000", "key": ""}


def _collection():
    return json.loads(POSTMAN.read_text(encoding="utf-8"))


def test_the_http_file_has_every_operation():
    assert sorted(re.findall(r"^# @name (\w+)$", HTTP.read_text(encoding="utf-8"), re.M)) == sorted(
        operation["operationId"] for _, _, operation in operations()
    )


@pytest.mark.large
def test_the_first_steps_of_the_http_file_work_against_a_server(tmp_path):
    installation = Installation(tmp_path)
    installation.manage("load_sample_site")
    key = installation.manage("create_api_key", "examples", "--all-scopes")
    with installation.serve() as server:
        for verb, path, headers, body in _steps()[:FIRST_STEPS]:
            sent = {name: value.replace("{{key}}", key) for name, value in headers.items()}
            answer = server.request(verb, path, body, sent)
            assert answer.status_code == 200, (verb, path, answer.content)


def _steps():
    steps = []
    for text in HTTP.read_text(encoding="utf-8").split("\n### ")[1:]:
        found = _REQUEST.match(text.split("\n", 2)[2])
        headers = dict(line.split(": ", 1) for line in found["headers"].splitlines())
        steps.append((found["verb"], found["path"], headers, (found["body"] or "").strip().encode() or None))
    return steps
