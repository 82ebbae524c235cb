"""manage.py migrate_siteserver on a backup folder."""

import json

import pytest
from django.core.management import CommandError, call_command

from contents.models import Content
from migration.management.commands import migrate_siteserver
from migration.models import MigratedRecord, MigrationRun
from sites.models import Site
from tests.cases import each_once
from tests.migration.installations.small import API_KEY, PASSWORD, small_tables
from tests.migration.installations.tables import listed
from tests.migration.installations.writers import write_backup_folder

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def backup(tmp_path):
    write_backup_folder(small_tables(), tmp_path / "backup")
    return tmp_path / "backup"


@pytest.fixture
def migrate(settings, tmp_path, capsys):
    settings.DATA_DIR = tmp_path

    def run(source, *arguments):
        call_command("migrate_siteserver", str(source), "--report", str(tmp_path / "report"), *arguments)
        return capsys.readouterr().out

    return run


def test_an_installation_comes_along_and_a_report_says_so(migrate, backup, tmp_path):
    told = migrate(backup)
    assert "contents: 8 new, 2 left out" in told
    assert "administrators: 2 new" in told
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert report["facts"]["Version"] == "6.15.51"
    assert all(check["is_right"] for check in report["checks"])
    page = (tmp_path / "report" / "report.html").read_text()
    assert "A preview of an unsaved content was left out." in page
    assert "siteserver_content_1 5" in (tmp_path / "report" / "findings.csv").read_text()
    assert MigrationRun.objects.get().finished_at


def test_the_first_line_and_a_file_say_which_contents_got_new_ids(migrate, backup, tmp_path):
    told = migrate(backup, "--dry-run").splitlines()[0]
    assert told.startswith("3 of 8 contents (38 %) get new ids")
    assert not (tmp_path / "report" / "content_ids.csv").exists()
    assert migrate(backup).splitlines()[0] == told
    assert told in (tmp_path / "report" / "report.html").read_text()
    new = [Content.objects.get(title=title).pk for title in ("同号的另一篇", "潮汐“早报”", "引用国内稿件")]
    assert (tmp_path / "report" / "content_ids.csv").read_text(encoding="utf-8-sig").splitlines() == [
        "table,channelId,formerId,id",
        f"siteserver_content_36,37,1,{new[0]}",
        f"siteserver_content_36,38,2,{new[1]}",
        f"siteserver_content_36,38,3,{new[2]}",
    ]
    assert migrate(backup, "--sites", "36").splitlines()[0] == told


def test_a_site_alone_keeps_its_ids(migrate, backup):
    assert migrate(backup, "--sites", "36").splitlines()[0] == "All 4 contents keep their ids."


def test_reports_have_no_passwords_and_keys(migrate, backup, tmp_path):
    (tmp_path / "key").write_text("vEnfkn16t8aeaZKG3a4Gl9UUlzf4vgqU9xwh8ZV5")
    migrate(backup, "--with-keys", "--secret-key-file", str(tmp_path / "key"))
    texts = [path.read_text() for path in (tmp_path / "report").iterdir()]
    assert not [text for text in texts if PASSWORD in text or API_KEY in text or "vEnfkn" in text]


def test_a_dry_run_finds_the_same_and_stores_nothing(migrate, backup, tmp_path):
    migrate(backup, "--dry-run")
    dry = json.loads((tmp_path / "report" / "report.json").read_text())
    assert not Site.objects.exists() and not MigratedRecord.objects.exists() and not MigrationRun.objects.exists()
    migrate(backup)
    real = json.loads((tmp_path / "report" / "report.json").read_text())
    assert dry["records"]["contents"] == real["records"]["contents"]
    assert {each["finding"] for each in dry["findings"]} == {each["finding"] for each in real["findings"]}


@each_once(
    ("step", ["migrate_members", "migrate_administrators", "migrate_files", "verify"]),
    ("arguments", [["--resume"], []]),
)
def test_an_interrupted_run_is_resumed_or_repeated(migrate, monkeypatch, tmp_path, step, arguments):
    tables, name, lost = small_tables(), "siteserver_Administrator", "The password of an account cannot be recovered"
    administrators = [administrator | {"PasswordFormat": "Hashed"} for administrator in tables[name].rows]
    write_backup_folder(tables | {name: listed(tables[name].columns, administrators)}, backup := tmp_path / "backup")

    def fail(*arguments):
        raise KeyboardInterrupt

    module = migrate_siteserver if step == "verify" else migrate_siteserver.steps
    monkeypatch.setattr(module, step, fail)
    with pytest.raises(KeyboardInterrupt):
        migrate(backup)
    monkeypatch.undo()
    told = migrate(backup, *arguments)
    assert "different" not in told
    assert Content.objects.count() == 8
    assert MigrationRun.objects.order_by("pk").last().finished_at
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert [each["count"] for each in report["findings"] if each["finding"].startswith(lost)] == [2]
    with pytest.raises(CommandError, match="no interrupted migration"):
        migrate(backup, "--resume")
    migrate(backup)
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert lost not in str(report["findings"])


def test_nothing_to_resume_and_another_installation_are_refused(migrate, backup, tmp_path):
    with pytest.raises(CommandError, match="no interrupted migration"):
        migrate(backup, "--resume")
    MigrationRun.objects.create(fingerprint="another", source="mysql://elsewhere")
    with pytest.raises(CommandError, match="mysql://elsewhere"):
        migrate(backup, "--resume")


def test_two_migrations_do_not_run_at_once(migrate, backup):
    with migrate_siteserver.alone(), pytest.raises(CommandError, match="Another migration is running"):
        migrate(backup)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--sites", "4711"], "no site 4711"),
        (["--files", "/nowhere"], "no folder /nowhere"),
        (["--secret-key-file", "/nowhere", "--with-keys"], "/nowhere cannot be read"),
    ],
)
def test_wrong_arguments_are_told(migrate, backup, arguments, told):
    with pytest.raises(CommandError, match=told):
        migrate(backup, *arguments)
    assert not Content.objects.exists()


def test_differences_without_a_finding_end_with_status_2(migrate, backup, monkeypatch):
    migrate(backup)
    Content.objects.filter(pk=1).update(title="Changed without a trace")
    with pytest.raises(CommandError) as refused:
        migrate(backup)
    assert refused.value.returncode == 2
