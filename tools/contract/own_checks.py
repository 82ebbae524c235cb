"""Checks that Schemathesis does not have: errors by the table of codes, refusals, and their order."""

import re
from copy import deepcopy

import schemathesis
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from schemathesis.checks import negative_data_rejection, response_schema_conformance, use_after_free
from schemathesis.core.parameters import ParameterLocation

from tools.contract.aiming import PICTURE
from tools.contract.document import is_other_spelling
from tools.openapi.error_codes import ERROR_CODES

# It may begin with any name that the client has chosen.
_SENTENCE = re.compile(r".* .*[^\s.]\.", re.DOTALL)
# Before message and member of an error of a batch: which of its contents is meant.
_OF_ITEM = re.compile(r"^(contents|ids)\[\d+\](: |\.)")
# Words that say that a request has not the shape of the document.
MISSHAPEN = {"body_not_object", "body_unreadable", "missing_member", "bad_request", "invalid_value"}
# Members whose refusals no schema can describe, with the reason.
UNSAYABLE = {
    "wheres": "whether a rule has a value, and which, follows from its operator and its column",
    "filePath": "a path without an extension gets one, and is refused where that makes it too long",
    "settingsXml": "a JSON object or pairs of names and values, written into a text",
    "summary": "a text that the service itself writes into the log of a user is refused",
    "formId": "it or formName names the form",
    "action": "the service keeps its own words of the log, in any language and letter case",
}
_OF_EITHER = "siteId is required."  # in the query or in the body, where both may have it
# Members with a few choices, where an empty text counts as not sent.
_OF_WORDS = {"operator", "linktype"}


@schemathesis.check
def error_is_one_of_the_table(ctx, response, case):
    """An error has a sentence for people and a word of the table that may come with its status."""
    if response.status_code < 400 or response.request.method == "HEAD":
        return
    body = response.json()
    assert _SENTENCE.fullmatch(body["message"]), body["message"]
    assert "Traceback" not in body["message"]
    assert body["code"] in ERROR_CODES, body["code"]
    assert response.status_code in ERROR_CODES[body["code"]].statuses, body["code"]
    responses = case.operation.definition.raw["responses"]
    if response.request.method == case.method and str(response.status_code) in responses:
        declared = _resolved(case, responses[str(response.status_code)])["x-codes"]
        assert body["code"] in declared, f"{body['code']} is none of {', '.join(declared)}"


def _resolved(case, part):
    while "$ref" in part:
        found = case.operation.schema.raw_schema
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


@schemathesis.check
def answer_is_as_the_schema_says(ctx, response, case):
    """As Schemathesis has it; with `fields`, which no schema can heed, no member of a content need be there."""
    asked = case.body if isinstance(case.body, dict) else case.query or {}
    if response.status_code != 200 or "fields" not in asked:
        response_schema_conformance(ctx, response, case)
        return
    document = deepcopy(case.operation.schema.raw_schema)
    del document["components"]["schemas"]["Content"]["required"]
    path = case.operation.path.replace("/", "~1")
    place = f"/paths/{path}/{case.method.lower()}/responses/200/content/application~1json/schema"
    registry = Registry().with_resource("urn:document", Resource.from_contents(document, DRAFT202012))
    Draft202012Validator({"$ref": f"urn:document#{place}"}, registry=registry).validate(response.json())


@schemathesis.check
def wrong_verb_is_405(ctx, response, case):
    """A verb that the path does not have is 405 with or without a key, and says which ones there are."""
    declared = {method.upper() for method in case.operation.schema[case.operation.path]}
    if response.request.method in {*declared, "HEAD"} or response.status_code == 404:
        return
    assert response.status_code == 405, response.status_code
    assert response.headers.get("allow")


@schemathesis.check
def well_shaped_is_not_refused_for_its_shape(ctx, response, case):
    """A documented request may be refused for its values, never for its form."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    body = response.json()
    message, member = (_OF_ITEM.sub("", body.get(name, "")) for name in ("message", "member"))
    # Schemathesis spells some integers 5.0, which is one in JSON, and none in a query.
    is_excepted = isinstance((case.query or {}).get(member), float)
    is_excepted = (
        is_excepted or message == _OF_EITHER or message.startswith(tuple(UNSAYABLE)) or is_other_spelling(member)
    )
    assert body["code"] not in MISSHAPEN or is_excepted or not is_storable([case.query, case.body]), body


def is_storable(value):
    """Whether there is neither a NUL character nor a number beyond 64 bits, which the introduction excludes."""
    if isinstance(value, dict):
        return all(is_storable(name) and is_storable(member) for name, member in value.items())
    if isinstance(value, list):
        return all(map(is_storable, value))
    if isinstance(value, int | float):
        return -(2**63) <= value < 2**63
    return not isinstance(value, str) or "\0" not in value


@schemathesis.check
def every_answer_has_its_number(ctx, response, case):
    """Each response has its id in the log."""
    assert response.headers.get("x-request-id")


@schemathesis.check
def wrong_body_is_refused(ctx, response, case):
    """A body that the document does not allow is refused; elsewhere the service accepts requests of old clients."""
    # Schemathesis takes the bytes of our picture for something else than the document's text of bytes.
    is_picture = case.body == {"avatar": PICTURE}
    is_excepted = is_picture or has_blank_word(case.body)
    is_wrong = case.meta is not None and case.meta.is_negative_at(ParameterLocation.BODY)
    if is_wrong and not is_excepted and not has_refused_item(response):
        negative_data_rejection(ctx, response, case)


def has_refused_item(response):
    """Return whether a batch with `atomic: false` refuses one of its contents."""
    results = response.json().get("results") if response.status_code == 200 else None
    return any(result["status"] >= 400 for result in results or ())


def has_blank_word(value):
    """Whether a member of a few words, which the document lists without the empty text, is blank."""
    if isinstance(value, dict):
        blank = (name.casefold() in _OF_WORDS and member == "" for name, member in value.items())
        return any(blank) or any(map(has_blank_word, value.values()))
    return isinstance(value, list) and any(map(has_blank_word, value))


@schemathesis.check
def what_was_deleted_is_gone(ctx, response, case):
    """As Schemathesis has it, but for the avatar: an unknown user has the same picture as one without any."""
    if case.operation.path != "/api/v1/users/{id}/avatar":
        use_after_free(ctx, response, case)


@schemathesis.check
def what_was_made_is_there(ctx, response, case):
    """A record that was made is found under the number that was answered, until something is deleted."""
    if response.status_code != 404 or response.json()["code"] == "draft_not_found":
        return
    if (parent := ctx.internals.find_parent(case_id=case.id)) is None:
        return
    made = ctx.internals.find_response(case_id=parent.id)
    if parent.operation.method.upper() != "POST" or made is None or made.status_code != 200:
        return
    if _is_replay(made):  # the record of an earlier chain, which may have deleted it
        return
    if not _has_deleted(ctx) and leads_to(case.path_parameters, parent.operation.path, made.json().get("value")):
        raise AssertionError(f"{response.request.url} is not there, but was made before.")


def _is_replay(response):
    return "idempotency-replayed" in {name.lower() for name in response.headers}


def leads_to(path_parameters, source, record):
    """Whether a path belongs to the record that a request to `source` has created.

    Not only the number counts: content 61 of channel 11 is none of channel 12.
    """
    if not path_parameters or not isinstance(record, dict) or "id" not in record:
        return False
    names = {"siteId": "siteId", "channelId": "channelId", "id": "id"}
    if "/channels/" in source:
        names = {"siteId": "siteId", "channelId": "id"}
    return all(str(value) == str(record.get(names.get(name))) for name, value in path_parameters.items())


def _has_deleted(ctx):
    recorder = ctx.internals.recorder
    return any(
        case.operation.method.upper() == "DELETE" and recorder.find_response(case_id=case.id).status_code == 200
        for case in recorder.find_all_cases()
        if recorder.find_response(case_id=case.id) is not None
    )


OWN = tuple(
    check.__name__
    for check in (
        error_is_one_of_the_table,
        answer_is_as_the_schema_says,
        wrong_verb_is_405,
        well_shaped_is_not_refused_for_its_shape,
        every_answer_has_its_number,
        wrong_body_is_refused,
        what_was_deleted_is_gone,
        what_was_made_is_there,
    )
)
