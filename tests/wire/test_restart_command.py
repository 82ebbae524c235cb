"""`manage.py restart` without a server; with servers: test_restart_server.py."""

import io
from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from core.audit.models import AuditEntry
from core.operation.models import Node, RestartRequest

pytestmark = pytest.mark.django_db


def run(*options):
    out, errors = io.StringIO(), io.StringIO()
    call_command("restart", *options, stdout=out, stderr=errors)
    return out.getvalue(), errors.getvalue()


def test_asks_every_server_that_was_lately_seen():
    Node.objects.create(name="pier")
    assert run() == ("Asked 1 server to restart.\n", "")
    assert RestartRequest.objects.get().number == 1
    assert AuditEntry.objects.get(action="system.restart_asked").actor_kind == "command"


def test_without_a_living_server_it_fails_with_the_reason():
    Node.objects.create(name="pier", seen_at=datetime.now() - timedelta(seconds=31))
    with pytest.raises(CommandError, match="There is no server to restart"):
        run()
    assert not RestartRequest.objects.exists()


def test_waiting_ends_with_an_error_when_the_time_is_up():
    Node.objects.create(name="pier")
    with pytest.raises(CommandError, match="Not every server has restarted"):
        run("--wait", "--timeout", "0")
