"""The Postman collection and the .http file are made of the document, and their requests work."""

import json
import re

import pytest

from cms_api.openapi.calls import calls
from cms_api.openapi.examples import Examples
from cms_api.openapi.files import HTTP, POSTMAN, as_text
from cms_api.openapi.generator import document
from cms_api.openapi.http_file import http_file
from cms_api.openapi.postman import collection
from tests.openapi import http_player, postman_player
from tests.openapi.documents import operations
from tests.servers import Installation

pytestmark = pytest.mark.large

# What is answered to those that no machine can send right, or that a new installation refuses.
AS_PRINTED = {
    "checkCaptcha": (400, "captcha_wrong"),  # a person reads the picture and puts its characters there
    "getMetrics": (404, "metrics_off"),  # until a setting switches them on
}


@pytest.fixture(scope="module")
def made():
    return document()


def test_the_collection_is_the_committed_one(made):
    assert as_text(collection(made, Examples.kept())) == POSTMAN.read_text(encoding="utf-8"), "run make openapi"


def test_the_http_file_is_the_committed_one(made):
    assert http_file(made, Examples.kept()) == HTTP.read_text(encoding="utf-8"), "run make openapi"


def test_the_collection_has_every_operation():
    items = _items()
    assert len(items) == len(_called())
    for item in items:
        url = item["request"]["url"]
        variables = {f":{each['key']}" for each in url["variable"]}
        assert {part for part in url["path"] if part.startswith(":")} == variables
        assert url["raw"].startswith("{{address}}/api/v1/")
        assert all(each["value"] for each in url["variable"]), item["name"]


def test_the_collection_has_no_key():
    values = {each["key"]: each["value"] for each in _collection()["variable"]}
    assert (values["address"], values["key"]) == ("http://127.0.0.1:8000", "")


def test_the_collection_skips_what_a_person_has_to_prepare():
    scripts = {item["name"]: json.dumps(item.get("event", [])) for item in _items()}
    skipped = [name for name, script in scripts.items() if "skipRequest" in script]
    assert len(skipped) == len(AS_PRINTED)
    by_hand = {each["key"] for each in _collection()["variable"] if not each["value"]} - {"key"}
    assert all(name in by_hand for script in scripts.values() for name in re.findall(r'!pm.*?get\(\\"(\w+)', script))


def _collection():
    return json.loads(POSTMAN.read_text(encoding="utf-8"))


def test_the_http_file_has_every_operation():
    assert sorted(re.findall(r"^# @name (\w+)$", HTTP.read_text(encoding="utf-8"), re.M)) == sorted(_called())


def _called():
    """The names of all operations but the aliases, whose originals are called."""
    return [operation["operationId"] for _, _, operation in operations() if "x-alias-of" not in operation]


@pytest.mark.parametrize("name", sorted(AS_PRINTED))
def test_what_needs_a_person_says_so(name):
    comment = re.search(
        rf"^### .*\n# (?P<note>\w.*)\n(?:@.*\n)?# @name {name}$", HTTP.read_text(encoding="utf-8"), re.M
    )
    assert any(comment["note"] in item["request"]["description"] for item in _items())


def _items():
    return [item for folder in _collection()["item"] for item in folder["item"]]


@pytest.mark.large
def test_every_request_works_after_those_before_it_as_often_as_they_are_sent(tmp_path, made):
    installation = Installation(tmp_path, sample_site=True)
    key = installation.manage("create_api_key", "examples", "--all-scopes")
    names = [call.operation["operationId"] for call in calls(made, Examples.kept())]
    with installation.serve(CMS_RESTART_MIN_SECONDS="0") as server:
        # The second one finds other numbers than those that were recorded.
        for times, play in enumerate([http_player.play, postman_player.play], start=1):
            played = list(play(server.address, key))
            assert [_checked(*each) for each in played] == names
            assert {name for name, answer in played if answer is None} <= AS_PRINTED.keys()
            server.await_lines("Listening at: ", times + 1)  # after the restart, which comes last


def _checked(name, answer):
    if answer is None:  # skipped
        return name
    code = answer.json()["code"] if answer.is_error else None
    assert (answer.status_code, code) == AS_PRINTED.get(name, (200, None)), (name, answer.text)
    return name
