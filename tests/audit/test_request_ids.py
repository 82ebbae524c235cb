"""Each request has a number: in the answer, the audit, and the line of the access log."""

import re

import pytest
from django.test import Client

from core.audit import current_actor
from tests.audit.noting import noted, only
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
GIVEN = "edge-1.2_A"
PATHS = ["/api/v1/ping", "/api/v1/contents/1/1/1", "/nowhere", "/admin/", "/admin/login/"]


def number_of(path="/api/v1/ping", **headers):
    return Client().get(path, **headers).headers["X-Request-Id"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_bears_a_number_of_its_own(path):
    numbers = {number_of(path) for _ in range(5)}
    assert len(numbers) == 5
    assert all(re.fullmatch("[0-9a-f]{24}", number) for number in numbers)


@pytest.mark.urls("tests.wire.probes")
def test_an_error_of_ours_bears_it_and_names_it_in_the_log(stranger, caplog):
    answer = stranger.get("/api/v1/probe/failing")
    assert answer.status_code == 500
    assert answer.headers["X-Request-Id"] in caplog.text


def test_a_number_is_taken_from_a_trusted_proxy_only(settings):
    assert number_of(HTTP_X_REQUEST_ID=GIVEN) != GIVEN
    settings.CMS_TRUSTED_PROXIES = ["127.0.0.1"]
    assert number_of(HTTP_X_REQUEST_ID=GIVEN) == GIVEN
    assert number_of(HTTP_X_REQUEST_ID=GIVEN, REMOTE_ADDR="192.0.2.7") != GIVEN
    settings.CMS_TRUSTED_PROXIES = ["unix"]
    assert number_of(HTTP_X_REQUEST_ID=GIVEN, REMOTE_ADDR="") == GIVEN


@pytest.mark.parametrize("wrong", ["", " ", "a b", "a\nb", "a/b", "é", "x" * 65, "a,b", "١", "a\n"], ids=repr)
def test_a_malformed_number_is_not_taken(settings, wrong):
    settings.CMS_TRUSTED_PROXIES = ["127.0.0.1"]
    assert re.fullmatch("[0-9a-f]{24}", number_of(HTTP_X_REQUEST_ID=wrong))


def test_pages_of_other_origins_may_read_it(stranger):
    answer = stranger.get("/api/v1/ping", headers={"Origin": "https://a.example"})
    assert "x-request-id" in answer.headers["Access-Control-Expose-Headers"].lower()


def test_nothing_of_a_request_stays_with_its_thread(api):
    user = UserFactory()
    with noted() as entries:
        number = api.delete(f"/api/v1/users/{user.pk}").headers["X-Request-Id"]
    assert only(entries).request_id == number
    assert current_actor().kind == "command"


@pytest.mark.urls("tests.wire.probes")
def test_nothing_of_a_request_stays_after_an_error(stranger):
    assert stranger.get("/api/v1/probe/failing").status_code == 500
    assert current_actor().kind == "command"


@pytest.mark.large
def test_the_access_log_has_it(server):
    numbers = [server.request("GET", "/api/v1/ping").headers["X-Request-Id"] for _ in range(2)]
    server.request("GET", "/api/v1/nothing", headers={"X-Request-Id": "made-up"})
    # A line is written when its answer is sent already.
    last = server.request("GET", "/api/v1/ping").headers["X-Request-Id"]
    while not all(f" {number}\n" in server.log for number in (*numbers, last)):
        server.request("GET", "/api/v1/ping")
    assert "made-up" not in server.log
