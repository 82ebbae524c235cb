"""Figures for Prometheus: who may read them, what they tell, and that they outlive workers and restarts."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families

from contents.models import ContentSchedule
from core.lib import clock
from core.mail.models import OutgoingMail
from core.operation.models import Installation
from tests.assertions import assert_error
from tests.factories import ContentFactory
from tools.servers import ROOT
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.large

METRICS = "/api/v1/metrics"
TOKEN = "prometheus-reads-this-1"
NAME = "figures of the harbour"


def figures(server, **headers):
    """The figures by name and labels."""
    answer = server.request("GET", METRICS, headers=headers or {"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200, answer.content
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def await_figures(server, are_there):
    """The first figures that are as they should be; none tells when."""
    end, pause = time.monotonic() + 60, threading.Event()
    while not are_there(now := figures(server)):
        assert time.monotonic() < end, now
        pause.wait(0.05)
    return now


@pytest.fixture(scope="session")
def tokens(installation):
    """One key that may read figures, and one that may not."""
    return {
        scope: installation.manage("create_api_key", f"{NAME} {scope}", "--scope", scope)
        for scope in ("System:read", "Contents:read")
    }


@pytest.fixture(scope="module")
def measured(installation):
    """A server that counts."""
    with installation.serve(CMS_METRICS_TOKEN=TOKEN) as running:
        yield running


def test_metrics_are_closed_without_a_key(stranger):
    assert_error(stranger.get(METRICS), 401, "key_missing")
    assert_error(stranger.get(METRICS, headers={"Authorization": "Bearer "}), 401, "key_missing")


def test_metrics_that_are_off_are_404_for_a_key(client_with_key):
    assert_error(client_with_key(scopes="System:read").get(METRICS), 404, "metrics_off")
    assert_error(client_with_key(scopes="Contents").get(METRICS), 401, "scope_missing")


def test_nothing_is_loaded_that_was_not_asked_for(installation):
    script = (
        "import sys, cms_api.wsgi; named = ('prometheus_client', 'sentry_sdk', 'core.operation.logs.statements',"
        " 'core.operation.logs.middleware', 'core.operation.metrics.middleware');"
        " print([n for n in named if n in sys.modules])"
    )
    off = {"CMS_METRICS": "", "CMS_METRICS_TOKEN": "", "CMS_SENTRY_DSN": "", "CMS_LOG_FORMAT": ""}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=installation.environment | off,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer "},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": TOKEN},
        {"Authorization": f"Basic {TOKEN}"},
        {"X-SS-API-KEY": TOKEN},
    ],
)
def test_only_the_token_itself_opens_them(measured, headers):
    assert measured.request("GET", METRICS, headers=headers).status_code == 401


def test_the_token_and_a_key_of_the_scope_open_them(measured, tokens):
    by_token = measured.request("GET", METRICS, headers={"Authorization": f"bearer {TOKEN}"})
    assert by_token.status_code == 200
    assert by_token.headers["Content-Type"].startswith("text/plain; version=")
    assert by_token.headers["Cache-Control"] == "no-store"
    assert figures(measured, **{"X-SS-API-KEY": tokens["System:read"]})
    assert measured.request("GET", METRICS, headers={"X-SS-API-KEY": tokens["Contents:read"]}).status_code == 401
    assert measured.request("POST", METRICS).status_code == 405


def test_requests_are_counted_by_route_and_key_and_never_by_path(measured, tokens):
    key = tokens["Contents:read"]
    before = figures(measured)
    for number in range(20):  # over both workers
        answer = measured.request("GET", f"/api/v1/contents/77{number}/1/1?apiKey={key}")
        assert answer.status_code == 404
    measured.request("PURGE", "/api/v1/ping")
    after = figures(measured)
    route = "/api/v1/contents/{siteId}/{channelId}/{contentId}"

    def grown(*name):
        return after.get(name, 0) - before.get(name, 0)

    assert grown("cms_requests_total", "GET", route, "404") == 20
    assert grown("cms_request_seconds_count", "GET", route) == 20
    assert grown("cms_key_requests_total", f"{NAME} Contents:read", "4xx") == 20
    assert grown("cms_requests_total", "other", "/api/v1/ping", "405") == 1
    looked_up = grown("cms_cache_hits_total", "keys") + grown("cms_cache_misses_total", "keys")
    assert looked_up == 20
    assert grown("cms_database_statement_seconds_count", "SELECT") >= 20
    shown = repr(after)
    assert "77" not in {label for name in after for label in name[1:]}
    assert key not in shown and key[5:13] not in shown


def test_trees_that_were_kept_are_counted_and_those_that_were_read(measured, installation):
    site = installation.create_site("Metrics")
    key = installation.manage("create_api_key", "reader of trees", "--scope", "Channels:read")
    for _ in range(20):  # over both workers, each of which reads it once
        assert measured.request("GET", f"/api/v1/channels/{site}", headers={"X-SS-API-KEY": key}).status_code == 200
    hits, misses = ("cms_cache_hits_total", "trees"), ("cms_cache_misses_total", "trees")
    now = await_figures(measured, lambda now: now.get(hits, 0) + now.get(misses, 0) == 20)
    assert 1 <= now[misses] <= 2


def test_how_things_are_is_told(measured):
    # A machine that is busy with other tests may be too slow for the first time, and its second worker come later.
    now = await_figures(measured, lambda now: now["cms_health", "database"] == 1 and now["cms_workers",] == 2)
    assert now["cms_requests_in_flight",] == 1  # this one
    assert now["cms_workers",] == 2
    assert now["cms_workers_started_total",] >= 2
    assert now["cms_health", "database"] == 1
    assert now["cms_jobs", "waiting"] == 0
    # Beginning at 0, so that the first one is an increase.
    assert now["cms_workers_ended_total", "timeout"] == now["cms_workers_ended_total", "other"] == 0
    assert now["cms_webhook_deliveries_waiting",] == now["cms_mails_waiting",] == now["cms_schedules_overdue",] == 0
    assert now["cms_data_folder_free_bytes",] > 0
    assert now["cms_process_memory_bytes", "master"] > 10**6
    assert now["cms_process_cpu_seconds_total", "0"] > 0


def make_backlogs():
    """Three of each kind that wait, and some that do not."""
    now, hook = clock.now(), Webhook.create({"name": "a", "url": "https://a.example"}, 0)
    off = Webhook.create({"name": "b", "url": "https://b.example", "is_on": False}, 0)
    for number in range(5):
        is_waiting = number < 3
        Delivery.objects.create(
            webhook=hook if number < 4 else off,
            position=number,
            subject=str(number),
            occurred_at=now,
            next_at=now if number != 3 else None,
        )
        OutgoingMail.objects.create(recipient="a@example.org", next_attempt_at=now if is_waiting else None)
        content, late = ContentFactory(), timedelta(minutes=2 if is_waiting else 0)
        ContentSchedule.objects.create(content=content, site_id=content.site_id, publish_at=now - late)


@pytest.mark.django_db
@pytest.mark.parametrize(("most", "number"), [(10_000, 3), (2, 2)])
def test_what_waits_is_counted_up_to_a_bound(monkeypatch, most, number):
    from core.operation.metrics import figures as counted

    make_backlogs()
    monkeypatch.setattr(counted, "_MAX_COUNTED", most)
    with CaptureQueriesContext(connection) as captured:
        found = counted._read_stored()[1]
    assert found == dict.fromkeys(
        ("cms_webhook_deliveries_waiting", "cms_mails_waiting", "cms_schedules_overdue"), number
    )
    assert sum(f"LIMIT {most}" in query["sql"] for query in captured.captured_queries) == 3


@pytest.mark.django_db
def test_the_age_of_the_last_backup_is_told():
    from core.operation.metrics import figures as counted

    assert "cms_backup_age_seconds" not in counted._read_stored()[1]
    Installation.objects.create(pk=1, backed_up_at=clock.now() - timedelta(hours=30))
    assert counted._read_stored()[1]["cms_backup_age_seconds"] == pytest.approx(30 * 3600, abs=60)


def test_figures_outlive_a_worker_that_is_killed_and_a_restart(installation):
    with installation.serve(CMS_METRICS="true", CMS_METRICS_TOKEN=TOKEN) as server:
        folder = next(Path("/dev/shm").glob(f"cms-metrics-*-{server.pid}-*"), None)
        for _ in range(10):
            server.request("GET", "/api/v1/ping")
        pings = ("cms_requests_total", "GET", "/api/v1/ping", "200")
        assert figures(server)[pings] == 10

        os.kill(server.workers[0], signal.SIGKILL)
        server.await_lines("Booting worker", 3)
        server.request("GET", "/api/v1/ping")
        now = figures(server)
        assert (now[pings], now["cms_requests_in_flight",]) == (11, 1)
        assert now["cms_workers_ended_total", "other"] == 1

        os.kill(server.pid, signal.SIGHUP)
        server.await_lines("Worker exiting", 2)  # the two of before; a killed one says nothing
        server.request("GET", "/api/v1/ping")
        now = figures(server)
        assert (now[pings], now["cms_requests_in_flight",]) == (12, 1)
        assert now["cms_server_restarts_total",] == 1
        if folder is not None:
            # Places are taken again: there are no more than workers at a time, of before and after.
            assert len(list(folder.glob("counter_*.db"))) <= 1 + 4
            assert folder.stat().st_mode & 0o077 == 0
    assert folder is None or not folder.exists()


def test_a_worker_begins_though_the_folder_of_figures_has_been_removed(installation):
    with installation.serve(CMS_METRICS="true", CMS_METRICS_TOKEN=TOKEN) as server:
        server.await_lines("Booting worker", 2)
        server.request("GET", "/api/v1/ping")
        for top in (Path("/dev/shm"), Path(installation.environment["CMS_DATA_DIR"])):
            for folder in top.glob(f"cms-metrics-*-{server.pid}-*"):
                shutil.rmtree(folder.rename(folder.with_name(f"gone-{server.pid}")), ignore_errors=True)
        for worker in server.workers:
            os.kill(worker, signal.SIGKILL)
        server.await_lines("Booting worker", 4)
        server.request("GET", "/api/v1/ping")
        assert figures(server)["cms_requests_total", "GET", "/api/v1/ping", "200"] == 1
