"""What `manage.py doctor` says of an installation, and how it ends."""

import json
import re
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from accounts.models import Administrator
from contents.models import Content, ContentChange, ListedCount
from core.audit.models import AuditEntry
from core.jobs.models import Job
from core.lib import clock
from core.lib.media_storage import StorageUnavailable, WholeFiles
from core.operation import doctor_checks
from core.operation.models import Node
from events.models import Event
from events.numbering import number_new
from media_library.models import MediaFile
from search.following import follow
from search.models import SearchEntry
from tests.accounts.forms import keep_media_in
from tests.factories import AdministratorFactory, ApiKeyFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.redis_server import RedisServer
from tools.servers import ROOT, Installation

LONG_AGO = timedelta(days=1000)


@pytest.fixture(autouse=True)
def _short_wait(monkeypatch):
    monkeypatch.setattr(doctor_checks, "HEARTBEAT_SECONDS", 0)
    monkeypatch.setattr(doctor_checks, "_SKEW", timedelta(seconds=1))
    monkeypatch.setattr(doctor_checks, "_PAUSE", 0.1)


@pytest.fixture
def findings(capsys):
    """Calls the doctor and returns the messages with their grades by subject, and how it ended."""

    def examine(*arguments):
        code = 0
        try:
            call_command("doctor", "--json", *arguments)
        except SystemExit as end:
            code = end.code
        said = json.loads(capsys.readouterr().out)
        subjects = {
            each["subject"]: [(f["grade"], f["message"]) for f in each["findings"]] for each in said["subjects"]
        }
        assert said["wrong"] + said["risky"] == sum(map(len, subjects.values()))
        return subjects, code

    return examine


def has_wrong(subjects):
    return any(grade == "wrong" for found in subjects.values() for grade, _ in found)


@pytest.mark.django_db
def test_an_installation_that_is_well_has_nothing_wrong(findings):
    AdministratorFactory(is_superuser=True)
    ContentFactory(title="Harbour")
    subjects, code = findings("--thorough")
    unwell = {subject for subject, found in subjects.items() if found}
    assert unwell <= {"Settings", "Database"}  # this is no deployment, and a server for tests may write carelessly
    assert code == has_wrong(subjects)
    assert {"Readiness", "Triggers", "Nodes", "Administrators", "API keys", "Lists of contents"} <= subjects.keys()


@pytest.mark.django_db
def test_whole_tables_are_read_only_on_request(findings):
    subjects, _ = findings()
    assert not {"Lists of contents", "Channel trees", "SQLite file"} & subjects.keys()


def _silent_node():
    Node.objects.create(name="quay1", started_at=datetime.now(), seen_at=datetime.now() - timedelta(hours=1))


def _failed_node():
    Node.objects.create(name="quay1", started_at=datetime.now(), seen_at=datetime.now(), problem="No module x.")


def _early_node():
    Node.objects.create(name="quay1", started_at=datetime.now(), seen_at=datetime.now() + timedelta(minutes=2))


def _forgotten_job():
    Job.objects.create(kind="contents.import", node="quay1", asked_at=clock.now() - LONG_AGO)


def _old_entry():
    AuditEntry.objects.create(at=clock.now() - LONG_AGO, action="site.created", actor_kind="command")


def _old_trash():
    content = ContentFactory()
    Content.objects.filter(pk=content.pk).update(trashed_at=clock.now() - LONG_AGO)


def _old_change():
    content = ContentFactory()
    ContentChange.objects.create(
        content=content, site_id=content.site_id, version=2, at=clock.now() - LONG_AGO, actor_kind="command"
    )


def _idle_key():
    key = ApiKeyFactory(name="Forgotten")
    type(key).objects.filter(pk=key.pk).update(created_at=clock.now() - LONG_AGO)


def _ending_key():
    ApiKeyFactory(name="Almost over", expires_at=clock.now() + timedelta(days=3))


def _original_key():
    key = ApiKeyFactory(name="Old portal")
    key.legacy_tokens.create(digest="0" * 64, ends_at=clock.now() + timedelta(days=3))


def _nobody():
    Administrator.objects.update(is_superuser=False)


def _drop_trigger():
    table = " ON contents_content" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {_a_trigger()}{table}")


def _surplus_trigger():
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "CREATE TRIGGER contents_former AFTER DELETE ON contents_content "
                "REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION contents_content_removed()"
            )
        else:
            cursor.execute("CREATE TRIGGER contents_former AFTER DELETE ON contents_content BEGIN SELECT 1; END")


def _outdated_trigger():
    name = "contents_content_removed"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"COMMENT ON TRIGGER {name} ON contents_content IS 'former'")
        else:
            cursor.execute(f"DROP TRIGGER {name}")
            cursor.execute(f"CREATE TRIGGER {name} AFTER DELETE ON contents_content BEGIN SELECT 1; END")


def _a_trigger():
    statement = {
        "postgresql": "SELECT tgname FROM pg_trigger WHERE tgrelid = 'contents_content'::regclass AND NOT tgisinternal",
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'contents_content'",
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def _lost_entry():
    site = SiteFactory()
    MediaFile.objects.create(site=site, path="upload/a.jpg", kind="image", bytes=1)
    number_new()
    follow()
    SearchEntry.objects.filter(kind="media").delete()


def _late_index():
    follow()
    MediaFile.objects.create(site=SiteFactory(), path="upload/a.jpg", kind="image", bytes=1)
    number_new()
    Event.objects.update(at=clock.now() - timedelta(minutes=6))


def _wrong_count():
    ContentFactory()
    ListedCount.objects.update(contents=7)


def _wrong_tree():
    channel = ChannelFactory()
    type(channel).objects.filter(pk=channel.pk).update(parents_count=9)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("disturb", "subject", "grade", "part"),
    [
        (_silent_node, "Nodes", "risky", "quay1 has not been seen since"),
        (_failed_node, "Nodes", "wrong", "quay1 still runs the old code: No module x."),
        (_early_node, "Nodes", "risky", "The clock of quay1 is "),
        (_forgotten_job, "Jobs", "risky", "(contents.import) has been waiting since"),
        (_old_entry, "Audit", "risky", "CMS_AUDIT_DAYS (400)"),
        (_old_trash, "Trash and history", "risky", "CMS_TRASH_DAYS (30)"),
        (_old_change, "Trash and history", "risky", "CMS_HISTORY_DAYS (365)"),
        (_idle_key, "API keys", "risky", "1 API keys have not been used for 180 days: Forgotten"),
        (_ending_key, "API keys", "risky", 'The API key "Almost over" expires at'),
        (_original_key, "API keys", "risky", 'The API key "Old portal" still accepts its SiteServer form until'),
        (_nobody, "Administrators", "wrong", "No superuser can sign in."),
        (_drop_trigger, "Triggers", "wrong", "1 triggers are missing or switched off"),
        (_surplus_trigger, "Triggers", "wrong", "1 triggers are not part of this release: contents_former"),
        (
            _outdated_trigger,
            "Triggers",
            "wrong",
            ("1 triggers differ from those of this release: contents_content_removed"),
        ),
        (_lost_entry, "Index of words", "wrong", "The index of words lacks media "),
        (_late_index, "Index of words", "risky", "does not follow changes since"),
        (_wrong_count, "Lists of contents", "wrong", "Lists and counts differ"),
        (_wrong_tree, "Channel trees", "wrong", "is wrong in"),
    ],
)
def test_what_is_not_as_it_should_be_is_told(findings, disturb, subject, grade, part):
    AdministratorFactory(is_superuser=True)
    disturb()
    subjects, code = findings("--thorough")
    (found,) = subjects[subject]
    assert found[0] == grade
    assert part in found[1]
    assert code == has_wrong(subjects)
    if grade == "risky":
        assert findings("--thorough", "--strict")[1] == 1


@pytest.mark.django_db
@pytest.mark.parametrize("name", [".", "secret_key", "db.sqlite3"])
def test_a_data_folder_that_others_can_read_is_told(findings, tmp_path, monkeypatch, name):
    (tmp_path / "secret_key").touch(mode=0o600)
    (tmp_path / "db.sqlite3").touch(mode=0o600)
    (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    (found,) = findings()[0]["Secrets"]
    assert found == ("wrong", f"Others on this machine can read or write {tmp_path / name}.")


@pytest.mark.large
def test_permissions_that_it_closed_are_told(tmp_path):
    installation = Installation(tmp_path)
    for name in (".", "db.sqlite3"):
        (tmp_path / name).chmod(0o755)
    command = [sys.executable, "manage.py", "doctor", "--json"]

    def secrets():
        done = subprocess.run(
            command, cwd=ROOT, env=installation.environment, capture_output=True, text=True, timeout=60
        )
        (found,) = (each for each in json.loads(done.stdout)["subjects"] if each["subject"] == "Secrets")
        return [(finding["grade"], finding["message"]) for finding in found["findings"]]

    assert secrets() == [
        ("risky", f"Others on this machine could read or write {path} until this command closed it.")
        for path in (tmp_path, tmp_path / "db.sqlite3")
    ]
    assert [(tmp_path / name).stat().st_mode & 0o077 for name in (".", "db.sqlite3")] == [0, 0]
    assert secrets() == []


@pytest.mark.django_db
@pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")
def test_a_redis_that_drops_what_still_counts_is_told(findings, settings):
    with closing(RedisServer()) as server:
        settings.CMS_CACHE_URL = server.url
        assert findings()[0]["Redis"] == []
        server.client.config_set("maxmemory-policy", "volatile-ttl")
        ((grade, told),) = findings()[0]["Redis"]
    assert grade == "risky" and "volatile-ttl" in told


@pytest.mark.large
def test_without_its_database_the_rest_is_told_and_no_password(tmp_path):
    address = "postgres://cms:canary@127.0.0.1:9/cms"
    environment = Installation(tmp_path, administrator=False).environment | {"CMS_DATABASE_URL": address}
    command = [sys.executable, "manage.py", "doctor"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "Readiness: WRONG: Database: " in done.stdout
    assert "Nodes: skipped because the database cannot be used" in done.stdout
    assert "Secrets: OK" in done.stdout
    assert "canary" not in done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.large
def test_a_database_that_is_not_migrated_is_told_once(tmp_path):
    environment = Installation(tmp_path, administrator=False).environment
    command = [sys.executable, "manage.py", "doctor", "--json"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    subjects = {each["subject"]: each for each in json.loads(done.stdout)["subjects"]}
    told = [finding["message"] for each in subjects.values() for finding in each["findings"]]
    assert [each for each in told if "migrat" in each] == [
        each["message"] for each in subjects["Readiness"]["findings"]
    ]
    assert len(subjects["Readiness"]["findings"]) == 1
    assert not any(subjects[name]["wasMade"] for name in ("Triggers", "Nodes", "Administrators", "Replicas"))


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "value", "told"), [
    ("DEBUG", True, "CMS_DEBUG is on: "),
    ("ALLOWED_HOSTS", [], "CMS_ALLOWED_HOSTS is empty, so every request gets a 400."),
])  # fmt: skip
def test_settings_that_are_not_for_production_are_wrong_by_our_names(findings, settings, name, value, told):
    setattr(settings, name, value)
    found = findings()[0]["Settings"]
    assert [message.startswith(told) for grade, message in found if grade == "wrong"] == [True]
    assert not any(re.search(r"(?<!CMS_)(DEBUG|ALLOWED_HOSTS)", message) for _, message in found)


@pytest.mark.django_db
@pytest.mark.parametrize(("secret", "is_told"), [("k3mq9x7w" * 4, False), ("k3mq9x7w" * 5, False), ("k3mq9x7w", True)])
def test_a_secret_key_that_the_service_accepts_is_accepted(findings, settings, secret, is_told):
    settings.SECRET_KEY = secret
    assert [message for _, message in findings()[0]["Settings"] if "SECRET_KEY" in message] == (
        ["CMS_SECRET_KEY can be guessed; it should have at least 32 random characters."] if is_told else []
    )


# ---- Media store and mail server


@pytest.mark.django_db
@pytest.mark.parametrize(("broken", "told"), [
    ("save", "A file could not be stored in the media store: StorageUnavailable: gone"),
    ("open", "A file could not be read in the media store: StorageUnavailable: gone"),
    ("delete", "A file could not be deleted in the media store: StorageUnavailable: gone"),
])  # fmt: skip
def test_a_media_store_that_does_not_work_is_told(findings, settings, tmp_path, monkeypatch, broken, told):
    keep_media_in(settings, tmp_path / "media")
    assert findings()[0]["Media store"] == []
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

    def fail(*_):
        raise StorageUnavailable("gone")

    monkeypatch.setattr(WholeFiles, broken, fail)
    assert findings()[0]["Media store"] == [("wrong", told)]


@pytest.mark.django_db
def test_without_a_mail_server_the_doctor_says_so_and_finds_nothing_wrong(capsys, settings):
    settings.CMS_EMAIL_URL = ""
    with suppress(SystemExit):
        call_command("doctor")
    assert "E-mail: No mail server is set up (CMS_EMAIL_URL)" in capsys.readouterr().out


@pytest.mark.django_db
def test_the_mail_server_is_greeted_and_gets_no_message(findings, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.CMS_EMAIL_URL, settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "smtp://127.0.0.1", "127.0.0.1", 30
    settings.CMS_ADMIN_URL = "https://cms.example.org"
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as thread:
        settings.EMAIL_PORT = listening.getsockname()[1]
        heard = thread.submit(_greet, listening)
        assert findings()[0]["E-mail"] == []
        assert [line.split()[0].lower() for line in heard.result()] == ["ehlo", "quit"]
    ((grade, told),) = findings()[0]["E-mail"]
    assert grade == "wrong" and told.startswith("The mail server does not accept a connection: ConnectionRefused")


def _greet(listening):
    """The commands that a mail client sends."""
    connection, _ = listening.accept()
    lines = []
    with connection, connection.makefile("rw", newline="\r\n") as file:
        file.write("220 harbour\n")
        file.flush()
        while line := file.readline().strip():
            lines.append(line)
            file.write("221 bye\n" if line.lower() == "quit" else "250 harbour\n")
            file.flush()
            if line.lower() == "quit":
                break
    return lines


@pytest.mark.django_db
@pytest.mark.parametrize("behind", [timedelta(seconds=20), timedelta(hours=1)])
def test_a_node_that_is_seen_by_a_clock_that_is_behind_has_a_wrong_clock(findings, monkeypatch, behind):
    AdministratorFactory(is_superuser=True)
    for name in ("dead", "quay1"):
        Node.objects.create(name=name, seen_at=clock.now() - behind - timedelta(seconds=10 + 60 * (name == "dead")))
    sleep = doctor_checks.time.sleep

    def beat(seconds):
        Node.objects.filter(name="quay1").update(seen_at=clock.now() - behind)
        sleep(seconds)

    monkeypatch.setattr(doctor_checks.time, "sleep", beat)
    dead, wrong = (message for _grade, message in findings()[0]["Nodes"])
    assert dead.startswith("dead has not been seen since")
    seconds = round(behind.total_seconds())
    assert wrong in {f"The clock of quay1 is {number} seconds behind this one." for number in (seconds, seconds + 1)}
