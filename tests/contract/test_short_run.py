"""A short run of the contract tests; `make test-contract` makes the full one."""

import json
import re
import shutil
from collections import Counter

import pytest

from tools.contract.demands import LEAST_EXAMPLES, declared_links, shortcomings
from tools.contract.document import DOCUMENT, is_other_spelling
from tools.contract.figures import BEGIN, END, PAGE, shape_of
from tools.contract.own_checks import MISSHAPEN, UNSAYABLE, is_storable, leads_to
from tools.contract.plan import HELD, LEFT_OUT, NEVER_200, SHORT
from tools.contract.running import Findings, Part, Sample, run
from tools.openapi.error_codes import ERROR_CODES

pytestmark = pytest.mark.large

VERBS = {"get", "post", "put", "delete"}
# One part is enough to see whether something is found.
ONE_PART = {"reading": Part(("fuzzing",), ("GET", "POST"))}


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample site, to be copied for each part of a run."""
    folder = tmp_path_factory.mktemp("contract")
    yield Sample(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def document():
    """The document, to be changed."""
    return json.loads(DOCUMENT.read_text(encoding="utf-8"))


def labels(document):
    paths = document["paths"].items()
    return {f"{verb.upper()} {path}" for path, operations in paths for verb in VERBS & operations.keys()}


def found_in(sample, document, folder, only):
    """The names of the checks that fail with this document."""
    path = folder / "openapi.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    findings = run(sample, SHORT, seed=1, document=path, parts=ONE_PART, only=only)
    return {name for _, name, _, _ in findings.failures}


def test_every_answer_of_a_short_run_is_as_the_document_says(sample, document):
    findings = run(sample, SHORT, seed=1)
    assert not findings.errors
    assert not findings.failures, "\n\n".join(f"{key}\n{shown}" for key, shown in findings.failures.items())
    assert findings.examples.keys() == labels(document)
    assert findings.links.keys() & declared_links(document).keys()


def test_a_document_that_says_something_else_is_found_out(sample, document, tmp_path):
    ping = document["paths"]["/api/v1/ping"]["get"]["responses"]
    ping["201"] = ping.pop("200")
    login = document["paths"]["/api/v1/users/actions/login"]["post"]
    login["requestBody"]["content"]["application/json"]["schema"] = {"type": "object"}
    found = found_in(sample, document, tmp_path, "/(ping|login)$")
    assert found >= {"status_code_conformance", "well_shaped_is_not_refused_for_its_shape"}


def test_the_figures_on_the_page_are_those_of_a_full_run_without_findings():
    figures = PAGE.read_text(encoding="utf-8").split(BEGIN, 1)[1].split(END, 1)[0]
    examples = int(re.search(r"^([\d,]+) examples of", figures, re.MULTILINE)[1].replace(",", ""))
    assert examples >= LEAST_EXAMPLES
    assert "Findings: 0." in figures
    assert f"`{shape_of(DOCUMENT)}`" in figures, "run make test-contract CONTRACT_ARGUMENTS=--write"


def test_the_figures_are_those_of_the_shape_of_a_document_and_not_of_its_words(document, tmp_path):
    path = tmp_path / "openapi.json"
    document["paths"]["/api/v1/ping"]["get"] |= {"summary": "Another word", "description": "And others."}
    path.write_text(json.dumps(document), encoding="utf-8")
    assert shape_of(path) == shape_of(DOCUMENT)
    del document["components"]["schemas"]["ChannelChanges"]["properties"]["description"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert shape_of(path) != shape_of(DOCUMENT)


def test_each_check_is_held_or_left_out_with_a_reason():
    assert not LEFT_OUT.keys() & set(HELD)
    assert all(len(reason.split()) > 5 for reason in LEFT_OUT.values())


@pytest.mark.parametrize(
    ("request_parts", "expected"),
    [
        ({"title": "harbour", "hits": 2**63 - 1, "sum": 1.5, "flags": [True, None]}, True),
        ({"title": "har\0bour"}, False),
        ({"har\0bour": 1}, False),
        ([{"deep": [{"hits": 2**63}]}], False),
        ({"sum": 1e30}, False),
    ],
)
def test_knows_what_no_request_may_hold(request_parts, expected):
    assert is_storable(request_parts) is expected


@pytest.mark.parametrize(("name", "expected"), [("Page", True), ("TOP", True), ("page", False), ("pages", False)])
def test_knows_other_spellings_of_what_the_document_names(name, expected):
    assert is_other_spelling(name) is expected


def test_each_member_beyond_schemas_is_one_of_the_document_and_has_a_reason(document):
    schemas = document["components"]["schemas"].values()
    members = {name for schema in schemas for name in schema.get("properties", ())}
    assert members >= UNSAYABLE.keys()
    assert all(len(reason.split()) > 5 for reason in UNSAYABLE.values())
    assert ERROR_CODES.keys() >= MISSHAPEN


def test_a_full_run_has_to_reach_each_operation_and_link(document):
    sentences = list(shortcomings(Findings(seed=1), DOCUMENT))
    assert sentences[0] == "0 examples are fewer than 10,000."
    assert len(sentences) == 1 + len(labels(document) - NEVER_200.keys()) + len(declared_links(document))
    full = Findings(seed=1, examples=Counter(all=LEAST_EXAMPLES), links=Counter(declared_links(document).keys()))
    full.statuses.update({label: Counter({200: 1}) for label in labels(document) - NEVER_200.keys()})
    assert not list(shortcomings(full, DOCUMENT))
    assert NEVER_200.keys() <= labels(document)


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ({"siteId": 1, "channelId": 11, "id": 61}, "/contents/{siteId}/{channelId}", True),
        ({"siteId": "1", "channelId": "11", "id": "61"}, "/contents/{siteId}/{channelId}", True),
        ({"siteId": 1, "channelId": 64, "id": 61}, "/contents/{siteId}/{channelId}", False),
        ({"siteId": 2, "channelId": 11, "id": 61}, "/contents/{siteId}/{channelId}", False),
        ({"siteId": 1, "channelId": 61}, "/channels/{siteId}", True),
        ({"siteId": 1, "channelId": 11}, "/channels/{siteId}", False),
        ({"id": 61}, "/users", True),
        ({"id": 62}, "/users", False),
        ({}, "/users", False),
    ],
)
def test_a_path_leads_to_a_record_by_all_its_numbers(path, source, expected):
    assert leads_to(path, f"/api/v1{source}", {"id": 61, "siteId": 1, "channelId": 11}) is expected
