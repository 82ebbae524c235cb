"""The page of the back end that restarts the service."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from core.audit.models import AuditEntry
from core.operation import nodes
from core.operation.models import Node, RestartRequest
from tests.factories import AdministratorFactory

pytestmark = pytest.mark.django_db
NAMES = {"changelist": "get", "state": "get", "restart": "get", "forget": "post"}


def address(name, node=None):
    return reverse(f"admin:operation_node_{name}", args=[node.pk] if name == "forget" else [])


@pytest.fixture
def node():
    return Node.objects.create(name="pier <b>9</b>", problem="No module named 'lighthouse'")


@pytest.fixture
def signed_in(client):
    """A browser in which an administrator of the highest rank has signed in."""
    client.force_login(AdministratorFactory(user_name="harbourmaster"))
    return client


@pytest.fixture
def silent(node):
    Node.objects.update(seen_at=datetime.now() - timedelta(seconds=31))
    return node


def test_shows_each_server_and_what_is_wrong_with_it(signed_in, node):
    text = signed_in.get(address("changelist")).content.decode()
    assert "pier &lt;b&gt;9&lt;/b&gt;" in text
    assert "No module named &#x27;lighthouse&#x27;" in text
    assert "runs the old code" in text


def test_has_nothing_that_its_policy_forbids(signed_in, silent):
    for name in ("changelist", "restart"):
        text = signed_in.get(address(name)).content.decode()
        content = text[text.index('id="content"') :]
        assert not any(forbidden in content for forbidden in ("style=", "<script>", "onclick=", "onsubmit="))


@pytest.mark.parametrize("rank", [{}, {"site_id_collection": "1"}])
@pytest.mark.parametrize("name", NAMES)
def test_does_not_exist_for_other_ranks(client, silent, rank, name):
    client.force_login(AdministratorFactory(is_superuser=False, **rank))
    assert getattr(client, NAMES[name])(address(name, silent)).status_code == 404
    assert client.post(address("restart")).status_code == 404
    assert Node.objects.exists()


@pytest.mark.parametrize("name", NAMES)
def test_strangers_are_asked_to_sign_in(client, silent, name):
    answer = getattr(client, NAMES[name])(address(name, silent))
    assert answer.status_code == 302
    assert "login" in answer["Location"]


def test_a_server_that_is_not_ours_offers_no_restart_and_does_none(signed_in, node):
    assert "This server cannot restart" in signed_in.get(address("changelist")).content.decode()
    answer = signed_in.post(address("restart"), follow=True)
    assert "This server cannot restart." in answer.content.decode()
    assert not RestartRequest.objects.exists()


def test_a_restart_is_asked_for_after_a_question_and_followed(signed_in, node, monkeypatch):
    # What a worker of gunicorn says of itself; test_restart_server.py restarts one.
    monkeypatch.setattr(nodes, "obstacle", lambda: "")
    Node.objects.update(problem="")
    assert address("restart") in signed_in.get(address("changelist")).content.decode()
    assert "pier" in signed_in.get(address("restart")).content.decode()
    assert not RestartRequest.objects.exists()
    page = signed_in.post(address("restart"), follow=True).content.decode()
    assert "The restart has been requested." in page
    assert "data-under-way" in page
    state = signed_in.get(address("state")).json()
    assert state["isUnderWay"] is True
    assert "restarting" in state["table"]
    assert (RestartRequest.objects.get().asked_by, Node.objects.get().answered) == ("harbourmaster", 0)
    entry = AuditEntry.objects.get(action="system.restart_asked")
    assert (entry.actor_kind, entry.actor_name) == ("administrator", "harbourmaster")
    Node.objects.update(answered=1)
    assert signed_in.get(address("state")).json()["isUnderWay"] is False


def test_a_form_of_another_site_restarts_nothing(node):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(AdministratorFactory())
    assert browser.post(address("restart")).status_code == 403
    assert not RestartRequest.objects.exists()


def test_a_silent_server_can_be_removed_from_the_list_and_a_living_one_cannot(signed_in, node):
    assert "is running" in signed_in.post(address("forget", node), follow=True).content.decode()
    assert Node.objects.exists()
    Node.objects.update(seen_at=datetime.now() - timedelta(seconds=31))
    assert "silent" in signed_in.get(address("changelist")).content.decode()
    assert "is no longer listed" in signed_in.post(address("forget", node), follow=True).content.decode()
    assert not Node.objects.exists()
    assert AuditEntry.objects.get(action="system.server_forgotten").object_name == "pier <b>9</b>"


def test_a_removal_is_no_link(signed_in, silent):
    assert signed_in.get(address("forget", silent)).status_code == 405
    assert Node.objects.exists()
