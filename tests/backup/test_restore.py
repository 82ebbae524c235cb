"""The command restore: when it refuses, what it leaves alone, and what is as before after it."""

import gzip
import hashlib
import io
import json
import re
import signal

import pytest
from cms_client import Unauthorized
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from accounts.models import User
from apikeys.models import ApiKey
from channels_app.models import Channel, TreeVersion
from cms_api.backup import comparing
from cms_api.backup.restoring import unfit
from cms_api.backup.stored import DERIVED, EMPTIED, LEFT_ALONE, stored_tables
from contents.models import Content
from core.archive.errors import ArchiveError
from core.audit.models import AuditEntry
from core.jobs.models import Job
from core.models import SharedCounter
from events.numbering import lock_numbering
from forms.models import Entry, Form
from sites.models import Site
from tests.archives import Silent, forged
from tests.backup.places import ENGINES, place
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory, ChannelFactory, ContentFactory, UserFactory
from tools.servers import ROOT, Installation
from webhooks.models import Webhook

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.large]


@pytest.fixture
def path(tmp_path):
    """A backup of a site with a content, a user, a key and a file, with the database as it was then."""
    key = ApiKeyFactory(name="robot")
    ContentFactory(title="Launch", channel=ChannelFactory(channel_name="News"), tags="sea")
    UserFactory(user_name="reader")
    form = Form.objects.create(site=Site.objects.first(), name="Contact")
    Entry.objects.create(form=form, values={"1": "Ada"})
    name = default_storage.save("sites/1/upload/page.txt", ContentFile(b"text of the page"))
    made = tmp_path / "backup.tar"
    call_command("backup", str(made), stdout=io.StringIO())
    tmp_path.joinpath("token").write_text(key.token)
    yield made
    default_storage.delete(name)


def run(path, *options):
    out, errors = io.StringIO(), io.StringIO()
    call_command("restore", str(path), *options, stdout=out, stderr=errors)
    return out.getvalue(), errors.getvalue()


def replace(path):
    return run(path, "--replace", "--no-input")


def change(path, act):
    data = forged(path.read_bytes(), act)
    path.write_bytes(data)


def test_needs_an_empty_database(path):
    with pytest.raises(CommandError, match="is not empty"):
        run(path)


def test_asks_for_the_word_before_it_replaces(path, monkeypatch):
    UserFactory(user_name="later")
    for answer in ("", "yes\n", "REPLACE\n"):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        with pytest.raises(CommandError, match="Nothing was changed"):
            run(path, "--replace")
    assert User.objects.filter(user_name="later").exists()
    monkeypatch.setattr("sys.stdin", io.StringIO("replace\n"))
    assert "made_at=" in run(path, "--replace")[0]
    assert not User.objects.filter(user_name="later").exists()


def test_refuses_a_backup_of_a_later_version(path):
    change(path, lambda manifest, members: manifest["migrations"].append("contents.9999_future"))
    with pytest.raises(CommandError, match=r"later version.*contents\.9999_future"):
        replace(path)


def test_tells_the_way_for_a_backup_of_an_earlier_version(path):
    names = []
    change(path, lambda manifest, members: names.append(manifest["migrations"].pop()))
    with pytest.raises(CommandError, match=rf"earlier version.*{re.escape(names[0])}.*Check out the code"):
        replace(path)


def test_brings_back_what_was_changed_deleted_and_added(path):
    Content.objects.update(title="Other")
    User.objects.all().delete()
    UserFactory(user_name="later")
    token = Entry.objects.get().token
    Form.objects.all().delete()
    replace(path)
    with path.open("rb") as file:
        assert list(comparing.differences(file, Silent())) == []
    assert [content.title for content in Content.objects.all()] == ["Launch"]
    assert [user.user_name for user in User.objects.all()] == ["reader"]
    assert (Entry.objects.get(token=token).values, Entry.objects.get().form.name) == ({"1": "Ada"}, "Contact")
    out = io.StringIO()
    call_command("check_lists", stdout=out)
    assert out.getvalue() == "The lists are correct.\n"


def test_triggers_are_back(path):
    replace(path)
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditEntry.objects.update(actor_name="nobody")
    content = ContentFactory(channel=Channel.objects.get(channel_name="News"))
    assert content.listings.count() == 2


def test_a_tree_gets_another_number(path):
    before = set(TreeVersion.objects.values_list("site_id", "number"))
    replace(path)
    after = set(TreeVersion.objects.values_list("site_id", "number"))
    assert {site for site, _ in before} == {site for site, _ in after}
    assert not before & after


def test_a_key_works_as_it_did_and_at_once(path):
    client = ApiClient(path.with_name("token").read_text())
    site = Channel.objects.get(channel_name="News").site_id
    ApiKey.objects.get(name="robot").revoke()
    Channel.objects.filter(channel_name="News").update(channel_name="Renamed")
    assert client.get(f"/api/v1/channels/{site}").status_code == 401
    replace(path)
    answer = client.get(f"/api/v1/channels/{site}")
    assert answer.status_code == 200
    assert "News" in answer.content.decode()


def test_leaves_what_belongs_to_the_moment(path):
    SharedCounter.objects.create(key="failures", number=3, ends_at=9e9)
    Job.objects.create(kind="contents.import", token="t", node="n")
    replace(path)
    assert SharedCounter.objects.get().number == 3
    assert not Job.objects.exists()


def test_no_number_is_given_out_again(path):
    later = UserFactory().pk
    replace(path)
    assert UserFactory().pk == later + 1


@pytest.mark.parametrize("table", ["accounts_user", "contents_content"])
def test_rows_that_do_not_fit_together_leave_everything_as_it_was(path, table):
    UserFactory(user_name="later")
    name = "sites/1/upload/page.txt"
    default_storage.delete(name)

    def twice(manifest, members):
        found = next(one for one in manifest["tables"] if one["name"] == table)
        part = f"tables/{table}/000001.jsonl.gz"
        row = json.loads(gzip.decompress(members[part]).splitlines()[0])
        if table == "accounts_user":
            row[0] += 1000  # another number, the same name
        else:
            row[list(found["columns"]).index("channel_id")] = 999_999
            row[0] += 1000
        members[part] = gzip.compress(gzip.decompress(members[part]) + json.dumps(row).encode() + b"\n")
        found |= {"rows": found["rows"] + 1, "sha256": hashlib.sha256(members[part]).hexdigest()}

    change(path, twice)
    with pytest.raises(CommandError, match="contradict each other"):
        replace(path)
    assert User.objects.filter(user_name="later").exists()
    assert Content.objects.get().listings.count() == 3
    assert not default_storage.exists(name)
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditEntry.objects.update(actor_name="nobody")


def test_a_file_that_is_there_stays_and_another_one_gives_way(path):
    name = "sites/1/upload/page.txt"
    assert " files=0 " in replace(path)[0]
    default_storage.delete(name)
    assert " files=1 " in replace(path)[0]
    default_storage._save(name, ContentFile(b"changed"))
    assert " files=0 " in run(path, "--replace", "--no-input", "--no-media")[0]
    assert " files=1 " in replace(path)[0]
    with default_storage.open(name) as file:
        assert file.read() == b"text of the page"


def test_what_fails_after_the_commit_leaves_the_files_of_the_rows(path, monkeypatch):
    name = "sites/1/upload/page.txt"
    default_storage.delete(name)
    User.objects.all().delete()

    def interrupt(*_):
        raise KeyboardInterrupt

    step = "cms_api.backup.restoring.write_derived"
    monkeypatch.setattr(step, lambda: transaction.on_commit(interrupt))
    with pytest.raises(KeyboardInterrupt):
        replace(path)
    assert User.objects.filter(user_name="reader").exists()
    assert default_storage.exists(name)


def test_rows_that_are_back_are_told_where_a_file_cannot_be_replaced(path, monkeypatch):
    name = "sites/1/upload/page.txt"
    default_storage.delete(name)
    default_storage._save(name, ContentFile(b"changed"))
    User.objects.all().delete()

    def refuse(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("core.archive.media.store", refuse)
    with pytest.raises(CommandError, match="The rows were restored, but 1 files were not replaced"):
        replace(path)
    assert User.objects.filter(user_name="reader").exists()


def test_another_file_of_the_name_is_told_where_nothing_is_to_be_replaced(path, tmp_path_factory):
    with place(tmp_path_factory.mktemp("empty"), "sqlite") as other:
        file = other.folder / "media" / "sites" / "1" / "upload" / "page.txt"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"changed")
        code, _, errors = other.run("manage.py", "restore", str(path))
        assert code == 1
        assert "different files with the same names: sites/1/upload/page.txt" in errors
        assert file.read_bytes() == b"changed"
        assert "accounts.user" not in {model for model, _ in other.rows()}


def test_tells_which_secrets_differ(path, settings):
    settings.PASSWORD_PEPPERS = {"p2": "other"}
    settings.SECRET_KEY = "x" * 50
    errors = replace(path)[1]
    assert "CMS_PASSWORD_PEPPERS lacks p1" in errors
    assert "CMS_SECRET_KEY differs from that of the backup" in errors
    settings.PASSWORD_PEPPERS = {"p1": "other"}
    assert "have different secrets for p1" in replace(path)[1]


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("user_name", "\0", "a NUL character"),
        ("user_name", "x" * 256, "256 characters; PostgreSQL can store 255"),
        ("folding_stamp", 2**31, "2147483648; the column can store"),
        ("count_of_login", -(2**63) - 1, "the column can store"),
        ("create_date", "2026-13-01T00:00:00", "no valid date"),
        ("create_date", "2026-01-01", "no valid date"),
    ],
)
def test_tells_what_a_database_cannot_hold(column, value, words):
    table = next(table for table in stored_tables() if table.name == "accounts_user")
    row = [None] * len(table.columns)
    row[0], row[table.place_of("email")] = 5, "灯" * 255
    unfit("postgresql", table)([row])
    row[table.place_of(column)] = value
    with pytest.raises(ArchiveError, match=f"accounts.user 5: {column} has .*{words}"):
        unfit("postgresql", table)([row])
    if column == "user_name":
        unfit("sqlite", table)([row])


def test_tells_which_json_has_a_nul_character():
    table = next(table for table in stored_tables() if table.name == "audit_auditentry")
    row, place = [None] * len(table.columns), table.place_of("details")
    row[0], row[place] = 5, '{"a": "\\\\u0000"}'
    unfit("postgresql", table)([row])
    row[place] = '{"a": "\\u0000"}'
    with pytest.raises(ArchiveError, match="NUL character"):
        unfit("postgresql", table)([row])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_kill_leaves_the_database_as_it_was(path, tmp_path_factory, engine):
    with place(tmp_path_factory.mktemp("killed"), engine) as other:
        other.manage("createsuperuser", "--noinput", "--user_name", "root")
        before = other.rows()
        for moment in ("database.load", "derived_tables.rebuild"):
            module, _, name = moment.partition(".")
            script = (
                "import os; from core.archive import database; from contents.lists import derived_tables;"
                f"act = {moment}; {module}.{name} = lambda *given: (act(*given), os.kill(os.getpid(), 9));"
                "from django.core.management import call_command;"
                f"call_command('restore', {str(path)!r}, '--replace', '--no-input')"
            )
            code, _, _ = other.run("manage.py", "shell", "--verbosity", "0", "--command", script)
            assert code == -signal.SIGKILL
            assert other.rows() == before
        trigger = "from core.audit.models import AuditEntry as a; a.objects.update(actor_name='x')"
        code, _, errors = other.run("manage.py", "shell", "--verbosity", "0", "--command", trigger)
        assert code == 1
        assert "never changed" in errors
        other.manage("restore", path, "--replace", "--no-input")
        assert other.manage("check_lists") == "The lists are correct."


def test_a_running_server_sees_it_at_once(tmp_path):
    installation = Installation(tmp_path / "data", sample_site=True)
    token = installation.manage("create_api_key", "robot", "--all-scopes")
    path = tmp_path / "backup.tar"
    installation.manage("backup", str(path))
    with installation.serve() as server, server.client(token) as robot:
        before = robot.channels.tree(1)
        robot.channels.update(1, 2, {"channelName": "Renamed"})
        with server.client(installation.manage("rotate_api_key", "robot", "--overlap", "0")) as rotated:
            with pytest.raises(Unauthorized):
                robot.channels.tree(1)
            assert rotated.channels.get(1, 2)["channelName"] == "Renamed"
            installation.manage("restore", str(path), "--replace", "--no-input")
            for _ in range(8):  # each of two workers, by chance
                assert robot.channels.tree(1) == before
                with pytest.raises(Unauthorized):
                    rotated.channels.tree(1)


def test_receivers_and_readers_of_changes_must_read_everything_again_if_there_are_any(path, tmp_path):
    told = "Receivers of webhooks and readers of the feed must read all records again."
    assert told not in replace(path)[1]
    lock_numbering()  # as the feed does
    assert told in replace(path)[1]
    assert told not in replace(path)[1]
    Webhook.objects.create(name="news", url="https://receiver.example/", secret="s")
    call_command("backup", str(tmp_path / "second.tar"), stdout=io.StringIO())
    Webhook.objects.all().delete()
    assert told in replace(tmp_path / "second.tar")[1]


# Table that a backup omits → its words in docs/backup.md.
LEFT_OUT = {
    "events.event": "the feed of changes",
    "events.numbering": "the feed of changes",
    "webhooks.delivery": "deliveries of webhooks",
    "jobs.job": "jobs",
    "cms_api.pendingimport": "spreadsheets between preview and import",
    "cms_api.sentform": "responses to forms",
    "mail.outgoingmail": "e-mails that wait",
    "notifications.notification": "notifications",
    "notifications.followedfeed": "positions of followed feeds",
    "contents.contentpreview": "previews",
    "accounts.passwordreset": "requests for a new password",
    "accounts.administratorsession": "sessions of the admin",
    "sessions.session": "sessions of the admin",
    "accounts.knownaddress": "recent sign-ins",
    "audit.auditretention": "",  # always empty
    "notifications.adminaddress": "running servers",
    "operation.installation": "running servers",
    "operation.node": "running servers",
    "operation.restartrequest": "running servers",
    "cms_api.sharedcounter": "recent sign-ins",
    "contents.listedcontent": "lists of contents",
    "contents.listedcount": "their counts",
    "channels_app.treeversion": "",  # numbers without a meaning
    "pages.contentsversion": "numbers of pages",
    "media_library.rendition": "renditions",
    "media_library.mediaupload": "unfinished uploads",
    "media_library.mediause": "uses of media",
    "search.searchentry": "the index of words",
    "search.searchprogress": "",  # how far it is
    "contents.externallink": "links to other websites",
    "contents.externallinkuse": "links to other websites",
    "contents.externalhost": "",  # of these links
    "contents.externallinkprogress": "",  # how far they are collected
    "media_library.mediausefill": "",  # empty when all are found
}


def test_the_document_names_all_that_a_backup_leaves_out():
    assert LEFT_OUT.keys() == EMPTIED.keys() | LEFT_ALONE.keys() | DERIVED.keys()
    table = (ROOT / "docs" / "backup.md").read_text(encoding="utf-8").partition("| Included | Not included |")[2]
    right = " ".join(row.split("|")[2] for row in table.partition("\n\n")[0].splitlines()[2:])
    assert [words for words in LEFT_OUT.values() if words not in right] == []
