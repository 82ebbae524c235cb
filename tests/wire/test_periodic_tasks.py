"""Functions that apps have called again and again, in threads of a worker or of a command."""

import logging
import signal
import sys
import threading
from unittest.mock import Mock

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.module_loading import import_string

from accounts.models import PasswordReset
from contents.external_links.following import follow as collect_links
from contents.external_links.requests import Outcome as LinkOutcome
from core.lib.registrations import PERIODIC_TASKS, PeriodicTask
from core.notifications.models import FollowedFeed
from core.operation import periodic_tasks
from core.operation.periodic_tasks import PeriodicTasks
from events.numbering import number_new
from tests.factories import ContentFactory
from tools.programs import Program
from tools.servers import ROOT, Installation
from webhooks.delivery_attempts import send_all
from webhooks.http_client import Outcome
from webhooks.models import Webhook

_calls: "list[str]" = []
_enough = threading.Event()


def fails_twice():
    _calls.append(threading.current_thread().name)
    if len(_calls) <= 2:
        raise OSError("The disk is full.")
    if len(_calls) == 5:
        _enough.set()


def never_returns():
    _enough.wait()


@pytest.fixture
def tasks(monkeypatch):
    _calls.clear()
    _enough.clear()
    entries = {
        "test.slow": PeriodicTask(0.0, f"{__name__}.never_returns"),
        "test.failing": PeriodicTask(0.001, f"{__name__}.fails_twice"),
    }
    monkeypatch.setattr(PERIODIC_TASKS, "entries", entries)
    monkeypatch.setattr(periodic_tasks, "_PAUSE_AFTER_ERROR", 0.001)
    tasks = PeriodicTasks()
    yield tasks
    _enough.set()
    tasks.end()
    tasks.join()


@pytest.mark.parametrize(("pool", "closed"), [(None, 2), ("a pool", 4)])
def test_a_task_keeps_its_connection_unless_requests_share_it(tasks, monkeypatch, pool, closed):
    monkeypatch.setattr(periodic_tasks, "connection", connection := Mock(pool=pool))
    monkeypatch.setattr(periodic_tasks.schema, "raise_if_incomplete", lambda: None)
    closes = []  # before each call
    connection.close.side_effect = lambda: closes.append(len(_calls))
    tasks.start()
    assert _enough.wait(30)
    assert len([calls for calls in closes if calls < 5]) == closed


@pytest.mark.django_db(transaction=True)
@pytest.mark.any_database
def test_a_task_is_called_again_after_errors_while_another_one_waits(tasks, caplog):
    with caplog.at_level(logging.WARNING):
        tasks.start()
        assert _enough.wait(30)
    assert set(_calls) == {"task-test.failing"}
    assert caplog.messages == ["The task test.failing failed and is tried again: OSError."]


@pytest.mark.django_db(transaction=True)
@pytest.mark.any_database
def test_after_the_end_no_call_begins(tasks):
    tasks.end()
    tasks.start()
    tasks.join()
    assert not _calls


@pytest.mark.any_database
def test_every_registered_task_is_a_function_without_parameters():
    for seconds, path in PERIODIC_TASKS.entries.values():
        assert seconds > 0
        assert import_string(path).__code__.co_argcount == 0


# Tables with a few rows, however long the service has run.
_SMALL = {
    "accounts_administrator",
    "accounts_passwordreset",
    "apikeys_apikey",
    "contents_externallinkprogress",
    "events_numbering",
    "forms_form",
    "media_library_mediausefill",
    "notifications_followedfeed",
    "search_searchprogress",
    "webhooks_webhook",
}


@pytest.fixture
def something_due(settings, monkeypatch):
    """A row for each task that does nothing without one."""
    settings.CMS_CHECK_LINKS = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    monkeypatch.setattr("core.mail.sending.is_set_up", lambda: True)
    monkeypatch.setattr("core.notifications.mailing.is_set_up", lambda: True)
    monkeypatch.setattr("webhooks.delivery_attempts.post", lambda *message: Outcome(200, "", "", 1))
    PasswordReset.objects.create(email="nobody@example.org", base_url="https://cms.example.org", language="en")
    FollowedFeed.objects.create(pk="contents", position=0)
    Webhook.create({"name": "receiver", "url": "https://receiver.example.org/"}, position=0)
    monkeypatch.setattr("contents.external_links.checking.request", lambda *address: LinkOutcome(404, "gone"))
    ContentFactory(is_checked=True, link_url="https://www.example.org/")
    number_new()
    collect_links()


@pytest.fixture
def unknown_sizes():
    """Tables look as if they were never analyzed, so that plans do not depend on the tests before."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            own = "relkind = 'r' AND relnamespace = current_schema()::regnamespace"
            cursor.execute(f"DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE {own})")
            cursor.execute(f"UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE {own}")


def plan_of(statement):
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
            return [row[-1] for row in cursor.fetchall()]
        # In small tables the planner would read all rows instead of an index.
        cursor.execute("SET enable_seqscan = off")
        cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}")
        [[plan]] = cursor.fetchall()
        return list(_scans(plan[0]["Plan"]))


def _scans(node):
    """Write what reads all rows as SQLite does: SCAN table."""
    if "Relation Name" in node and node["Node Type"].endswith("Scan"):
        is_search = "Index Cond" in node or "Recheck Cond" in node
        yield f"{'SEARCH' if is_search else 'SCAN'} {node['Relation Name']} {node.get('Index Name', '')}"
    for inner in node.get("Plans", ()):
        yield from _scans(inner)


@pytest.mark.django_db(transaction=True)
@pytest.mark.filterwarnings("ignore:.*:ResourceWarning")
def test_no_task_reads_all_rows_of_a_table_that_grows(something_due, unknown_sizes):
    partial = {index.name for model in apps.get_models() for index in model._meta.indexes if index.condition}
    statements = {}
    for name, (_seconds, path) in PERIODIC_TASKS.entries.items():
        # Deliveries are sent in other threads.
        call = send_all if path == "webhooks.delivery_attempts.send_due" else import_string(path)
        with CaptureQueriesContext(connection) as queries:
            call()
        for query in queries.captured_queries:
            if query["sql"].lstrip().startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
                statements.setdefault(query["sql"], name)
    growing = {model._meta.db_table for model in apps.get_models(include_auto_created=True)} - _SMALL
    found = {
        f"{name}: {step} in {statement}"
        for statement, name in statements.items()
        for step in plan_of(statement)
        if step.startswith("SCAN ") and step.split()[1] in growing and not partial & set(step.split())
    }
    assert len(statements) > 30
    assert not found


@pytest.mark.large
@pytest.mark.any_database
def test_the_command_runs_until_it_is_ended(tmp_path):
    program = Program(
        [sys.executable, "manage.py", "run_periodic_tasks"], cwd=ROOT, env=Installation(tmp_path).environment
    )
    program.await_lines("Running: ")
    program.end(signal.SIGTERM)
    assert "jobs.waiting" in program.log
    assert program.is_running is False
