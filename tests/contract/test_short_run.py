"""A short run of the contract tests; `make test-contract` makes the full one."""

import json
import re
import shutil
from collections import Counter

import pytest

from tests.contract.demands import LEAST_EXAMPLES, declared_links, shortcomings
from tests.contract.figures import BEGIN, END, PAGE
from tests.contract.own_checks import OWN, leads_to
from tests.contract.plan import HELD, LEFT_OUT, NEVER_200, SHORT
from tests.contract.running import DOCUMENT, Findings, Part, Sample, run

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


@pytest.mark.large
def test_every_answer_of_a_short_run_is_as_the_document_says(sample, document):
    findings = run(sample, SHORT, seed=1)
    assert not findings.errors
    assert not findings.failures, "\n\n".join(f"{key}\n{shown}" for key, shown in findings.failures.items())
    assert findings.examples.keys() == labels(document)
    assert findings.links.keys() & declared_links(document).keys()


@pytest.mark.large
def test_a_document_that_says_something_else_is_found_out(sample, document, tmp_path):
    ping = document["paths"]["/api/v1/ping"]["get"]["responses"]
    ping["201"] = ping.pop("200")
    login = document["paths"]["/api/v1/users/actions/login"]["post"]
    login["requestBody"]["content"]["application/json"]["schema"] = {"type": "object"}
    found = found_in(sample, document, tmp_path, "/(ping|login)$")
    assert found >= {"status_code_conformance", "well_shaped_is_not_refused_for_its_shape"}


def test_the_page_names_what_is_held_and_what_is_left_out():
    page = PAGE.read_text(encoding="utf-8")
    held = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| `[^|]+\|", page, re.MULTILINE))))
    assert {*HELD, *OWN} <= held
    assert set(re.findall(r"^- `(\w+)`:", page, re.MULTILINE)) == LEFT_OUT.keys()


def test_the_figures_on_the_page_are_those_of_a_full_run_without_findings():
    figures = PAGE.read_text(encoding="utf-8").split(BEGIN, 1)[1].split(END, 1)[0]
    examples = int(re.search(r"^([\d,]+) examples of", figures, re.MULTILINE)[1].replace(",", ""))
    assert examples >= LEAST_EXAMPLES
    assert "Findings: 0." in figures


def test_each_check_is_held_or_left_out_with_a_reason():
    assert not LEFT_OUT.keys() & set(HELD)
    assert all(len(reason.split()) > 5 for reason in LEFT_OUT.values())


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
