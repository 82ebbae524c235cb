"""Settings that differ between nodes, and the time zone of the database."""

import logging
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from core.lib import clock
from core.operation import doctor_checks, shared_settings, time_zone
from core.operation.doctor import run_checks
from core.operation.models import Installation as Database
from core.operation.models import Node
from core.operation.nodes import record_start
from core.operation.start import Start
from server.serving import ENVIRONMENT as SERVER
from tests.factories import AdministratorFactory
from tools.servers import ROOT, Installation

PEPPERS = {"p1": "k3mq9x7w" * 8}


def make_node(name, seconds_ago=0):
    seen_at = clock.steady(-timedelta(seconds=seconds_ago))
    return Node.objects.create(name=name, seen_at=seen_at, settings=shared_settings.digests())


def told():
    return list(shared_settings.sentences(Node.objects.order_by("name")))


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "value"), [
    ("CMS_TIME_ZONE", "Asia/Shanghai"),
    ("CMS_MEDIA_STORAGE", "s3://other-bucket/media"),
    ("CMS_CACHE_URL", "redis://cache:6379/0"),
    ("CMS_SITE_HOSTS", "m.example=museum"),
    ("CMS_ALLOWED_HOSTS", "cms.example.org"),
    ("CMS_MAX_PER_PAGE", "7"),
    ("CMS_TRASH_DAYS", "7"),
    ("CMS_EMAIL_URL", "smtp://mail.example.org"),
    ("CMS_SECURE", "true"),
])  # fmt: skip
def test_a_setting_that_differs_is_named(monkeypatch, name, value):
    monkeypatch.delenv(name, raising=False)
    make_node("quay1")
    monkeypatch.setenv(name, value)
    make_node("quay2")
    assert told() == [f"The settings of quay2 differ from those of quay1: {name}."]


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "one", "other"), [
    ("CMS_SECURE", "true", "1"),
    ("CMS_MAX_PER_PAGE", "", "1000"),
    ("CMS_ALLOWED_HOSTS", "a.example, b.example", "b.example,a.example"),
    ("CMS_CACHE_URL", "redis://127.0.0.1", "redis://cache:6379/0"),
    ("CMS_DATABASE_URL", "postgres://cms@127.0.0.1/cms", "postgres://cms@db1/cms"),
    ("CMS_TRUSTED_PROXIES", "127.0.0.1", "10.0.0.1"),
    ("CMS_NODE_NAME", "quay1", "quay2"),
    ("CMS_WORKERS", "2", "16"),
])  # fmt: skip
def test_other_spellings_and_settings_of_a_node_do_not_differ(monkeypatch, name, one, other):
    for number, value in enumerate((one, other)):
        monkeypatch.setenv(name, value)
        make_node(f"quay{number}")
    assert told() == []


@pytest.mark.django_db
def test_another_secret_key_is_named_with_what_else_differs(settings, monkeypatch):
    settings.PASSWORD_PEPPERS = PEPPERS
    make_node("quay1")
    settings.SECRET_KEY = "w7x9qm3k" * 8
    monkeypatch.setenv("CMS_TRASH_DAYS", "7")
    make_node("quay2")
    assert told() == ["The settings of quay2 differ from those of quay1: CMS_SECRET_KEY, CMS_TRASH_DAYS."]
    settings.PASSWORD_PEPPERS = {"p1": "another"}
    make_node("quay3")
    assert told()[1] == "The settings of quay3 differ from those of quay1: CMS_SECRET_KEY, CMS_PASSWORD_PEPPERS."


@pytest.mark.django_db
def test_a_node_of_a_release_without_digests_is_left_out(monkeypatch):
    make_node("quay1")
    Node.objects.create(name="quay0", settings=None)
    assert told() == []


def test_nothing_can_be_learned_from_the_digests_without_the_secrets(settings):
    digests = []
    for secret in ("k3mq9x7w" * 8, "w7x9qm3k" * 8):
        settings.SECRET_KEY, settings.PASSWORD_PEPPERS = secret, {"p1": f"{secret}-pepper"}
        digests.append(shared_settings.digests())
    first, second = ({each for pair in found.values() for each in pair} for found in digests)
    assert not first & second
    assert len(first) == 2 * len(digests[0])  # equal values of two settings do not look equal
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in first)


@pytest.mark.django_db
def test_doctor_page_and_log_name_what_differs_between_nodes_that_run(client, monkeypatch, caplog):
    monkeypatch.setattr(doctor_checks, "_beating_again", dict)
    make_node("pier", seconds_ago=3600)
    monkeypatch.setenv("CMS_TRASH_DAYS", "7")
    make_node("quay1")
    monkeypatch.setenv("CMS_TRASH_DAYS", "8")
    with caplog.at_level(logging.WARNING):
        record_start(Start(covers=0, replaced_at=None, name="quay2", at=datetime.now()))
    said = "The settings of quay2 differ from those of quay1: CMS_TRASH_DAYS."
    assert [record.message.partition(" Give")[0] for record in caplog.records] == [said]
    (nodes,) = (result for result in run_checks() if result.subject == "Nodes")
    assert [(finding.grade, finding.told) for finding in nodes.findings if "settings" in finding.told] == [
        ("wrong", said)
    ]
    client.force_login(AdministratorFactory())
    page = client.get(reverse("admin:operation_node_changelist")).content.decode()
    assert page.count("Settings that differ from those of quay1:</strong> CMS_TRASH_DAYS") == 1


def test_the_document_lists_the_settings_that_may_differ(settings):
    text = (Path(ROOT) / "docs" / "operations.md").read_text(encoding="utf-8")
    section = text.partition("### Two nodes and more")[2].partition("\n###")[0]
    listed = section.partition("may differ:")[2].partition("\n\n")[0]
    per_node = {name for name, setting in settings.ENVIRONMENT.items() if setting.per_node}
    assert set(re.findall("`([A-Z_]+)`", listed)) == per_node | SERVER.keys()


# ---- The time zone of the database


def serve_once(installation, zone):
    """Start the server, which must not start."""
    command = [sys.executable, "-m", "gunicorn", "-c", "python:server.configuration", "cms_api.wsgi"]
    environment = installation.environment | {"PORT": "0", "CMS_TIME_ZONE": zone}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.large
def test_the_first_server_decides_and_another_time_zone_does_not_start(tmp_path):
    installation = Installation(tmp_path)
    with installation.serve(CMS_TIME_ZONE="Asia/Shanghai", CMS_WORKERS="1"):
        pass
    refused = serve_once(installation, "UTC")
    assert refused.returncode == 1
    assert "CMS_TIME_ZONE is UTC, but the times in the database are of Asia/Shanghai." in refused.stderr
    assert "Listening" not in refused.stderr and "Traceback" not in refused.stderr
    with installation.serve(CMS_TIME_ZONE="Asia/Shanghai", CMS_WORKERS="1") as running:
        assert running.request("GET", "/api/v1/ping").status_code == 200


@pytest.mark.django_db
def test_two_servers_at_once_record_one_time_zone(settings):
    assert time_zone.difference() == time_zone.problem() == ""
    settings.TIME_ZONE = "Asia/Shanghai"
    assert time_zone.problem().startswith("CMS_TIME_ZONE is Asia/Shanghai, but the times in the database are of UTC.")
    assert Database.objects.count() == 1
    (database,) = (result for result in run_checks() if result.subject == "Database")
    assert time_zone.problem() in [finding.told for finding in database.findings if finding.grade == "wrong"]


@pytest.mark.django_db
def test_a_time_zone_is_changed_by_a_command_once_no_server_runs(settings, capsys):
    assert time_zone.problem() == ""
    settings.TIME_ZONE = "Asia/Shanghai"
    node = make_node("quay1")
    with pytest.raises(CommandError, match="quay1"):
        call_command("change_time_zone")
    assert time_zone.problem()
    node.delete()
    call_command("change_time_zone")
    assert capsys.readouterr().out == "timeZone=Asia/Shanghai\n"
    assert time_zone.problem() == ""
