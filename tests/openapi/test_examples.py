"""The examples of the document are what a fresh sample site answers, and are as the schemas say."""

import json
from copy import deepcopy
from functools import cache

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.openapi.documents import committed, operations, resolve
from tools.openapi.examples import FILE, chooses_members, filled
from tools.openapi.files import as_text
from tools.openapi.recording import record

# Pictures are no JSON, and figures are others each time.
WITHOUT_ANSWERS = {"getCaptcha", "getMetrics", "getOpenApiDocument", "getPreviewPage"}
KEPT = json.loads(FILE.read_text(encoding="utf-8"))
PLAYED = [(name, each["name"], each) for name, played in KEPT["operations"].items() for each in played]
IDS = [f"{name} {example}" for name, example, _ in PLAYED]


@pytest.mark.large
def test_a_fresh_sample_site_answers_the_same():
    assert as_text(record()) == FILE.read_text(encoding="utf-8"), "run make openapi"


def test_every_operation_has_a_success():
    for _, _, operation in operations():
        content = next(iter(operation["responses"]["200"]["content"].values()))
        assert content.get("examples") or operation["operationId"] in WITHOUT_ANSWERS, operation["operationId"]


def test_every_body_has_an_example():
    bodies = [
        (operation["operationId"], media_type, content)
        for _, _, operation in operations()
        for media_type, content in operation.get("requestBody", {"content": {}})["content"].items()
    ]
    assert bodies
    for name, media_type, content in bodies:
        assert content.get("examples") or media_type == "multipart/form-data", name


def test_every_status_of_an_error_has_an_example():
    shown = {each["status"] for _, _, each in PLAYED} | {each["status"] for each in KEPT["errors"].values()}
    declared = {int(status) for _, _, operation in operations() for status in operation["responses"]}
    assert declared - shown == {304}  # which has no body


@pytest.mark.parametrize("name,example,played", PLAYED, ids=IDS)
def test_is_as_the_schema_says(name, example, played):
    operation = _by_name()[name]
    response = resolve(operation["responses"][str(played["status"])])
    if played["answer"] is not None:
        (content,) = response["content"].values()
        _validator(content["schema"], are_required=not chooses_members(played)).validate(played["answer"])
    if played["body"] is not None and played["status"] == 200:
        _validator(operation["requestBody"]["content"]["application/json"]["schema"]).validate(
            filled(played["body"], KEPT["values"])
        )


def test_those_of_aliases_are_as_the_schema_says():
    """They are those of the originals, by other names."""
    aliases = [operation for _, _, operation in operations() if "x-alias-of" in operation]
    assert aliases
    for operation in aliases:
        for part in filter(None, [operation["responses"]["200"], operation.get("requestBody")]):
            content = part["content"]["application/json"]
            assert content["examples"]
            for example in content["examples"].values():
                _validator(content["schema"]).validate(example["value"])


@pytest.mark.parametrize("word", KEPT["errors"])
def test_errors_are_as_the_schema_says(word):
    _validator({"$ref": "#/components/schemas/Error"}).validate(KEPT["errors"][word]["answer"])
    assert KEPT["errors"][word]["answer"]["code"] == word


@cache
def _by_name():
    return {operation["operationId"]: operation for _, _, operation in operations()}


@cache
def _registry(*, are_required):
    document = deepcopy(committed())
    if not are_required:
        del document["components"]["schemas"]["Content"]["required"]
    return Registry().with_resource("urn:document", Resource.from_contents(document, DRAFT202012))


def _validator(schema, *, are_required=True):
    """A validator; `are_required` is whether contents must have all their members."""
    text = json.dumps(schema).replace('"#/components', '"urn:document#/components')
    return Draft202012Validator(json.loads(text), registry=_registry(are_required=are_required))
