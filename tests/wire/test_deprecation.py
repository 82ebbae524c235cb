"""Operations that will be withdrawn say so in every response (RFC 9745, RFC 8594)."""

from datetime import date

import pytest

from core.openapi.describing import Described
from core.rest.deprecation import deprecated
from core.rest.operations import Operation
from tools.openapi.examples import Examples
from tools.openapi.operation import operation_object

HEADERS = {
    "Deprecation": "@1801353600",
    "Sunset": "Wed, 31 Jan 2029 00:00:00 GMT",
    "Link": '<https://cms.example/docs/compatibility/>; rel="deprecation"; type="text/html"',
}


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize(("method", "status"), [("GET", 200), ("HEAD", 200), ("POST", 400)])
def test_responses_of_a_deprecated_operation_carry_the_headers(stranger, method, status):
    response = stranger.send(method, "/api/v1/probe/withdrawn")
    assert response.status_code == status
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize(("method", "status"), [("PUT", 200), ("DELETE", 405)])
def test_other_methods_of_the_same_view_carry_none(stranger, method, status):
    response = stranger.send(method, "/api/v1/probe/withdrawn")
    assert response.status_code == status
    assert not HEADERS.keys() & {name.title() for name in response.headers}


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize("method", ["BODY", "GRANT"])
def test_a_method_named_like_an_attribute_of_the_view_is_405(stranger, method):
    assert stranger.send(method, "/api/v1/probe/withdrawn", b"{").status_code == 405


def test_the_document_marks_a_deprecated_operation():
    described = Described(
        method="GET", path="/ping", id="ping", tag="Service", description="Ping.", success="Pong.", answer={}
    )
    kept, withdrawn = (
        operation_object(Operation("GET", "/ping", needs_key=False, is_deprecated=marked), described, Examples())
        for marked in (False, True)
    )
    assert "deprecated" not in kept
    assert withdrawn["deprecated"] is True
    for response in withdrawn["responses"].values():
        assert "headers" not in response or HEADERS.keys() <= response["headers"].keys()


def test_two_years_must_lie_between_deprecation_and_sunset():
    with pytest.raises(ValueError, match="2 years"):
        deprecated(date(2027, 1, 31), date(2029, 1, 30), "https://cms.example/")
