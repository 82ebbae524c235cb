"""POST /api/v1/actions/restart where nobody can restart, and what an order for a restart leaves behind."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from django.core.checks import run_checks
from django.db import OperationalError, connection
from django.db.models import QuerySet

from apikeys.models import ApiKey
from core.audit.models import AuditEntry
from core.operation import nodes
from core.operation.models import Node, RestartRequest
from core.operation.start import Start, orders_so_far
from server.restarts import watching
from tests.assertions import assert_error
from tests.factories import SiteFactory

PATH = "/api/v1/actions/restart"


@pytest.mark.django_db
@pytest.mark.parametrize("body", [b"", b"{}", b"{", b"\xff" * 10])
def test_a_server_that_is_not_ours_answers_false_and_logs_why(api, caplog, body):
    with caplog.at_level(logging.WARNING):
        answer = api.send("POST", PATH, body)
    assert (answer.status_code, answer.json()) == (200, {"value": False})
    assert "No restart: this server was not started with `gunicorn -c python:server.configuration`." in caplog.text
    assert not RestartRequest.objects.exists()
    assert not AuditEntry.objects.filter(action="system.restart_asked").exists()


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_about_to_end_takes_orders_for_its_successor(api, monkeypatch):
    monkeypatch.setattr(nodes, "watched", threading.Event())
    watching.begin(SimpleNamespace(alive=False), start()).join()
    assert api.send("POST", PATH, b"").json() == {"value": True}
    assert orders_so_far() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("scopes", ["System:read", "Channels,Contents,Administrators,Users,STL,SQL", ""])
def test_a_key_without_the_scope_is_refused(client_with_key, scopes):
    assert_error(client_with_key(scopes=scopes).post(PATH), 401, "scope_missing")


@pytest.mark.django_db
def test_a_key_limited_to_sites_is_refused(client_with_key):
    client = client_with_key(scopes="System")
    ApiKey.objects.update(site_ids=str(SiteFactory().pk))  # none is issued so
    assert_error(client.post(PATH), 401, "scope_missing")


@pytest.mark.django_db(transaction=True)
def test_orders_at_once_are_all_counted_and_noted():
    def order(_):
        try:
            return nodes.record_order().number
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(order, range(16)))
    assert sorted(numbers) == list(range(1, 17))
    assert orders_so_far() == 16
    assert AuditEntry.objects.filter(action="system.restart_asked").count() == 16


@pytest.mark.django_db(transaction=True)
def test_without_an_order_none_is_told():
    assert orders_so_far() == 0


# seconds of the limit, seconds since the last restart began, whether another may begin
LIMITS = [(5, None, True), (5, 1, False), (5, 4.9, False), (5, 5.1, True), (0, 0, True), (5, -3600, True)]


@pytest.mark.parametrize(("limit", "passed", "allowed"), LIMITS)
def test_a_restart_may_begin_when_the_limit_has_passed(settings, limit, passed, allowed):
    settings.CMS_RESTART_MIN_SECONDS = limit
    began = None if passed is None else datetime.now() - timedelta(seconds=passed)
    assert nodes.may_restart(Node(restarted_at=began)) is allowed


def start(**fields):
    return Start(**{"covers": 0, "replaced_at": None, "name": "pier", "at": datetime.now()} | fields)


def pier():
    return Node.objects.get(name="pier")


@pytest.mark.django_db
def test_a_fresh_start_answers_what_was_asked_for_before():
    nodes.record_start(start())
    order = nodes.record_order()
    nodes.record_start(start(covers=1))
    assert (pier().answered, pier().restarted_by) == (1, order.asked_by)
    nodes.record_order()
    nodes.record_start(start(covers=1))
    assert nodes.waiting(nodes.last_order()).get() == pier()


@pytest.mark.django_db
def test_a_replaced_master_answers_what_it_was_signalled_for_and_nothing_that_came_later():
    node = nodes.record_start(start())
    nodes.record_restart(node, nodes.record_order())
    nodes.record_order()
    nodes.record_start(start(covers=2, replaced_at=pier().restarted_at))
    assert pier().answered == 1
    assert pier().restarted_by != nodes.BY_SIGNAL


@pytest.mark.django_db
def test_a_start_whose_orders_are_not_known_answers_none_of_a_known_server():
    nodes.record_start(start())
    nodes.record_order()
    nodes.record_start(start(covers=None))
    assert pier().answered == 0


@pytest.mark.django_db
def test_a_server_is_forgotten_only_when_it_is_silent():
    node = nodes.record_start(start())
    assert not nodes.forget(node)
    Node.objects.update(seen_at=datetime.now() - timedelta(seconds=31))
    assert nodes.forget(node)
    assert not nodes.beat(node)
    assert nodes.record_start(start()).pk


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("CMS_NODE_NAME", "x" * 256, "CMS_NODE_NAME must be a name of at most 255 characters."),
        ("CMS_NODE_NAME", "a\nb", "CMS_NODE_NAME must be"),
    ],
)
def test_a_wrong_setting_is_an_error(settings, name, value, said):
    setattr(settings, name, value)
    assert any(message.msg.startswith(said) for message in run_checks() if message.is_serious())


@pytest.mark.django_db(transaction=True)
def test_why_a_restart_failed_is_recorded_although_the_database_is_busy_at_first(monkeypatch):
    node = nodes.record_start(start())
    update, tries = QuerySet.update, []

    def busy_twice(rows, **values):
        tries.append(values)
        if len(tries) <= 2:
            raise OperationalError("database is locked")
        return update(rows, **values)

    monkeypatch.setattr(nodes, "_PAUSE", 0.0)
    monkeypatch.setattr(QuerySet, "update", busy_twice)
    nodes.record_problem(node.name, "It does not start.")
    node.refresh_from_db()
    assert node.problem == "It does not start."
