"""Health: whether the process lives, and whether the server is ready, with details for whoever runs it."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from types import SimpleNamespace

import pytest
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from core.operation import health
from core.operation.health import Bounded, Finding, HealthState, NoAnswer, Probe
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory

LIVE, READY = "/api/v1/health/live", "/api/v1/health/ready"
ELSEWHERE = {"REMOTE_ADDR": "203.0.113.9"}
# What the probes ask stands in the database for other connections than the test's own, too.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def found_anew(monkeypatch):
    """Each request looks for itself, and has time for it on a machine that is busy with other tests."""
    monkeypatch.setattr(health, "KEPT", 0.0)
    monkeypatch.setattr(health, "PATIENCE", 30.0)
    health.forget()
    yield
    health.forget()


def probes(answer):
    """The details of an answer, by their names."""
    body = answer.json()
    return {probe["name"]: probe for probe in body.get("value", body)["probes"]}


def test_live_answers_without_a_database(stranger, settings, django_assert_num_queries):
    settings.TIME_ZONE = "Asia/Shanghai"
    with django_assert_num_queries(0):
        answer = stranger.get(LIVE)
    assert (answer.status_code, answer.json()) == (200, {"value": {"status": "live", "timeZone": "Asia/Shanghai"}})
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", [LIVE, READY])
def test_answers_without_a_key_with_a_good_and_with_a_bad_one(stranger, path):
    good = ApiKeyFactory(scopes="").token
    for token in (None, good, good[:-1] + "_", "nonsense", "\xe9", " "):
        assert ApiClient(token).get(path, **ELSEWHERE).status_code == 200
    for query in ("?apiKey=" + good, "?apikey=nonsense", "?apiKey=", "?APIKEY=%00"):
        assert stranger.get(path + query, **ELSEWHERE).status_code == 200


def test_ready_tells_a_caller_of_this_machine_what_it_has_found(stranger):
    answer = stranger.get(READY)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    value = answer.json()["value"]
    assert value["status"] == "ready"
    for probe in value["probes"]:
        assert set(probe) == {"name", "state", "milliseconds", "message"}
        assert probe["message"].endswith(".")
    states = {probe["name"]: probe["state"] for probe in value["probes"]}
    assert states.items() >= {"database": "ok", "migrations": "ok", "disk": "ok", "media": "ok"}.items()


# Who asks, and whether details are for them. A scope means a key with it.
CALLERS = [
    ({}, None, True),
    ({"REMOTE_ADDR": "::1"}, None, True),
    (ELSEWHERE, None, False),
    (ELSEWHERE, "System:read", True),
    (ELSEWHERE, "System:write", True),
    (ELSEWHERE, "Contents:write", False),
    (ELSEWHERE, "nonsense", False),
    # Through a proxy on this machine that the settings do not name.
    ({"headers": {"X-Forwarded-For": "127.0.0.1"}}, None, False),
    ({"headers": {"X-Forwarded-For": "203.0.113.9"}}, None, False),
    ({"headers": {"X-Real-IP": "203.0.113.9"}}, None, False),
]


@pytest.mark.parametrize(("caller", "scope", "sees"), CALLERS)
def test_details_are_for_this_machine_and_for_keys_of_the_scope_system(settings, caller, scope, sees):
    token = ApiKeyFactory(scopes=scope).token if scope and ":" in scope else scope
    answer = ApiClient(token).get(READY, **caller)
    assert answer.json()["value"]["status"] == "ready"
    assert ("probes" in answer.json()["value"]) is sees
    settings.CMS_MIN_FREE_DISK_PERCENT = 101
    assert ("probes" in assert_error(ApiClient(token).get(READY, **caller), 503, "not_ready")) is sees


@pytest.mark.parametrize(("before", "sees"), [("203.0.113.9", False), ("127.0.0.1", True)])
def test_the_client_before_a_known_proxy_counts(settings, stranger, before, sees):
    settings.CMS_TRUSTED_PROXIES = ["10.0.0.1"]
    answer = stranger.get(READY, REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": before})
    assert ("probes" in answer.json()["value"]) is sees


def test_a_full_disk_is_not_ready(settings, stranger):
    settings.CMS_MIN_FREE_DISK_PERCENT = 101
    answer = stranger.get(READY)
    assert_error(answer, 503, "not_ready")
    assert probes(answer)["disk"]["state"] == "failed"
    assert "CMS_MIN_FREE_DISK_PERCENT" in probes(answer)["disk"]["message"]


def test_media_that_cannot_be_written_are_not_ready(settings, stranger, tmp_path):
    (tmp_path / "file").write_text("no folder")
    settings.MEDIA_ROOT = str(tmp_path / "file" / "media")
    assert probes(stranger.get(READY))["media"]["state"] == "failed"


def test_a_missing_migration_is_not_ready_and_one_of_newer_code_is(stranger):
    rows = MigrationRecorder(connection).migration_qs
    newer = rows.create(app="contents", name="9999_of_newer_code")
    last = rows.filter(app="contents").exclude(pk=newer.pk).order_by("name").last()
    try:
        assert stranger.get(READY).status_code == 200
        last.delete()
        answer = stranger.get(READY)
        assert_error(answer, 503, "not_ready")
        assert f"contents.{last.name}" in probes(answer)["migrations"]["message"]
    finally:
        newer.delete()
        rows.create(app=last.app, name=last.name, applied=last.applied)
    assert stranger.get(READY).status_code == 200


def test_a_cache_that_is_gone_is_degraded_and_no_reason_to_leave(settings, stranger):
    settings.CMS_CACHE_URL = "redis://:secret@127.0.0.1:1/0"
    answer = stranger.get(READY)
    assert (answer.status_code, answer.json()["value"]["status"]) == (200, "degraded")
    assert probes(answer)["cache"]["state"] == "degraded"
    assert "secret" not in answer.content.decode()
    assert stranger.get(READY, **ELSEWHERE).json() == {"value": {"status": "ready"}}


def test_a_database_out_of_reach_is_not_ready_nor_a_way_to_wait(monkeypatch, tmp_path):
    token = ApiKeyFactory(scopes="System:read").token
    place = {"NAME": str(tmp_path / "none" / "db")} if connection.vendor == "sqlite" else {"PORT": "1"}
    for name, value in place.items():
        monkeypatch.setitem(connections.settings["default"], name, value)
    answer = ApiClient(token).get(READY)
    assert_error(answer, 503, "not_ready")
    assert [probes(answer)[name]["state"] for name in ("database", "migrations")] == ["failed", "failed"]
    # The key is not looked up in such a database.
    assert "probes" not in assert_error(ApiClient(token).get(READY, **ELSEWHERE), 503, "not_ready")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="a file answers, or cannot be opened")
def test_a_database_that_is_silent_is_waited_for_no_longer_than_the_others(monkeypatch, stranger):
    monkeypatch.setattr(health, "PATIENCE", 2.0)  # of the processor, the others need some milliseconds
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setitem(connections.settings["default"], "PORT", str(silent.getsockname()[1]))
        found = probes(stranger.get(READY))
    assert (found["database"]["state"], found["disk"]["state"]) == ("failed", "ok")
    assert found["database"]["message"] == "Timed out."


def test_many_callers_are_one_look(monkeypatch, stranger):
    looks, may_end = [], threading.Event()

    def look():
        looks.append(threading.current_thread().name)
        may_end.wait(30)
        return Finding(HealthState.OK, "It is well.")

    monkeypatch.setattr(health, "KEPT", 60.0)
    monkeypatch.setattr(health, "probes", lambda: (Probe("database", look),))
    health.forget()
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(stranger.get, READY) for _ in range(40)]
        may_end.set()
        assert {answer.result().status_code for answer in answers} == {200}
    assert looks == ["health-database"]


def test_a_question_that_is_not_answered_is_asked_once():
    asked, may_end = [], threading.Event()
    question = Bounded("silent", lambda: (asked.append(1), may_end.wait(30)))
    for _ in range(3):
        question.begin()
        with pytest.raises(NoAnswer):
            question.answer(deadline=0.0)
    assert len(asked) == 1
    may_end.set()
    assert question.answer(monotonic() + 30)[0] == (None, True)
    question.begin()
    question.answer(monotonic() + 30)
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("alive", "answered", "status"),
    [(True, 10, 200), (False, 10, 503), (False, 20_000, 200)],
    ids=["serves", "shutting down", "replaced after its number of requests"],
)
def test_a_worker_that_was_told_to_end_is_not_ready(monkeypatch, stranger, alive, answered, status):
    worker = SimpleNamespace(alive=alive, nr=answered, max_requests=20_000)  # as gunicorn's
    monkeypatch.setattr(health, "_worker", worker)
    answer = stranger.get(READY)
    assert answer.status_code == status
    assert ("draining" in probes(answer)) is (status == 503)


def test_https_is_not_asked_of_what_stands_beside_the_service(settings, stranger):
    settings.SECURE_SSL_REDIRECT = True
    client = ApiClient()  # the middleware reads the setting once
    for path in (LIVE, READY, LIVE + "/"):
        assert client.get(path).status_code == 200
    assert client.get("/api/v1/ping").status_code == 301


@pytest.mark.parametrize("path", [LIVE, READY])
def test_the_address_of_a_node_will_do_as_its_name(settings, stranger, path):
    settings.ALLOWED_HOSTS = ["cms.example.org"]
    assert stranger.get(path, HTTP_HOST="10.0.0.7:8000").status_code == 200
    assert_error(stranger.get("/api/v1/ping", HTTP_HOST="10.0.0.7:8000"), 400)


def test_a_real_server_is_ready(server):
    assert server.request("GET", LIVE).json() == {"value": {"status": "live", "timeZone": "UTC"}}
    answer = server.request("GET", READY)
    assert {*probes(answer)} >= {"database", "migrations", "disk", "media"}, answer.content
