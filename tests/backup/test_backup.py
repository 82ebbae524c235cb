"""The command backup: what is in the file, and what is not."""

import errno
import gzip
import io
import json
import os
import shutil
import stat
import tarfile

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.utils import timezone

from cms_api.backup import stored, writing
from core.archive.errors import ArchiveError
from core.archive.new_file import new_file
from core.lib import clock
from core.operation.models import Installation
from media_library.models import MediaFile
from media_library.trash import restore_file, trash_file
from server.serving import ENVIRONMENT as SERVER_ENVIRONMENT
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def run(path, *options):
    out, errors = io.StringIO(), io.StringIO()
    call_command("backup", str(path), *options, stdout=out, stderr=errors)
    return out.getvalue(), errors.getvalue()


def unpacked(path):
    """All that is in the archive, by names."""
    found = {}
    with tarfile.open(path) as archive:
        for member in archive:
            data = archive.extractfile(member).read()
            found[member.name] = gzip.decompress(data) if member.name.endswith(".gz") else data
    return found


@pytest.fixture
def file():
    name = default_storage.save("sites/1/upload/page.txt", ContentFile(b"text of the page"))
    yield name
    default_storage.delete(name)


def test_every_table_is_stored_or_left_out_by_name():
    kept = {table.label for table in stored.stored_tables()}
    left_out = {*stored.DERIVED, *stored.LEFT_ALONE, *stored.EMPTIED}
    models = {m._meta.label_lower for m in apps.get_models(include_auto_created=True) if not m._meta.proxy}
    assert kept | left_out == models
    assert not kept & left_out


def test_a_table_comes_after_those_that_it_refers_to():
    order = [table.label for table in stored.stored_tables()]
    for later, earlier in (
        ("contents.content", "channels_app.channel"),
        ("contents.contentbody", "contents.content"),
        ("apikeys.apikeytoken", "apikeys.apikey"),
        ("apikeys.apikey", "accounts.administrator"),
        ("auth.permission", "contenttypes.contenttype"),
    ):
        assert order.index(earlier) < order.index(later)


def test_files_in_the_trash_are_stored_and_renditions_are_not(tmp_path):
    site = ContentFactory().channel.site
    row = MediaFile.objects.create(site=site, path="upload/deleted.txt", kind="document", bytes=7)
    default_storage.save(f"sites/{site.pk}/upload/deleted.txt", ContentFile(b"deleted"))
    default_storage.save(f"sites/{site.pk}/.renditions/upload/a.jpg/160x.webp", ContentFile(b"smaller"))
    trash_file(site.pk, row.pk)
    run(tmp_path / "b.tar")
    names = {name for name in unpacked(tmp_path / "b.tar") if name.startswith(f"media/sites/{site.pk}/")}
    assert names == {f"media/sites/{site.pk}/.trash/{row.pk}/deleted.txt"}
    restore_file(site.pk, row.pk)
    assert default_storage.exists(f"sites/{site.pk}/upload/deleted.txt")
    shutil.rmtree(default_storage.path(f"sites/{site.pk}"))


def test_tells_how_much_it_holds(tmp_path, file):
    ContentFactory()
    path = tmp_path / "backup.tar"
    out, errors = run(path)
    manifest = json.loads(unpacked(path)["manifest.json"])
    rows = sum(table["rows"] for table in manifest["tables"])
    assert out == f"rows={rows} files=1 bytes={path.stat().st_size} path={path}\n"
    assert errors == ""
    assert {table["label"]: table["rows"] for table in manifest["tables"]}["contents.content"] == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["backup.tar"]


def test_its_time_is_recorded_once_it_is_complete(tmp_path, stopped_clock):
    (tmp_path / "taken.tar").touch()
    with pytest.raises(CommandError):
        run(tmp_path / "taken.tar")
    assert not Installation.objects.exists()
    run(tmp_path / "backup.tar")
    assert Installation.objects.get().backed_up_at == clock.now()


def test_has_a_dated_name_by_default(tmp_path, monkeypatch, stopped_clock):
    monkeypatch.chdir(tmp_path)
    call_command("backup", stdout=io.StringIO())
    assert [one.name for one in tmp_path.iterdir()] == ["backup-20260301-093000.tar"]


def test_holds_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("CMS_CACHE_URL", "redis://:c4che-password@cache")
    monkeypatch.setenv("CMS_DATABASE_URL", "postgres://cms:d4tabase-password@host/cms")
    monkeypatch.setenv("CMS_MAX_PER_PAGE", "500")
    key = ApiKeyFactory()
    administrator = AdministratorFactory(user_name="root")
    administrator.set_password("harbour-21")
    administrator.save()
    Session.objects.create(session_key="5" * 32, session_data="signed-in", expire_date=timezone.now())
    run(tmp_path / "backup.tar")
    everything = b"".join(unpacked(tmp_path / "backup.tar").values()).decode()
    for secret in (
        *(settings.SECRET_KEY, *settings.PASSWORD_PEPPERS.values(), key.token, key.token[14:], "5" * 32),
        *("c4che-password", "d4tabase-password", "harbour-21"),
    ):
        assert secret not in everything
    # Digests are rows, and are needed.
    assert key.tokens.get().digest in everything
    assert administrator.password in everything
    manifest = json.loads(unpacked(tmp_path / "backup.tar")["manifest.json"])
    assert manifest["installation"]["settings"]["CMS_MAX_PER_PAGE"] == "500"
    assert {"CMS_CACHE_URL", "CMS_DATABASE_URL"} <= set(manifest["installation"]["settings_not_kept"])
    assert list(manifest["installation"]["peppers"]) == list(settings.PASSWORD_PEPPERS)


def test_tells_the_value_of_no_text_that_may_be_a_secret():
    kept, not_kept = writing.settings_of(dict.fromkeys([*settings.ENVIRONMENT, *SERVER_ENVIRONMENT], "7"))
    assert {"CMS_SECRET_KEY", "CMS_PASSWORD_PEPPERS", "CMS_SQL_READER_URL", "CMS_MEDIA_STORAGE"} <= set(not_kept)
    assert not [name for name in kept if name.endswith(("_URL", "_KEY", "_PEPPERS", "_STORAGE", "_TOKEN", "_PASSWORD"))]
    assert {"CMS_WORKERS", "CMS_MAX_QUEUE", "CMS_LOG_FORMAT"} <= set(kept)
    assert set(kept) | set(not_kept) == settings.ENVIRONMENT.keys() | SERVER_ENVIRONMENT


def test_overwrites_nothing(tmp_path):
    path = tmp_path / "backup.tar"
    path.write_text("precious")
    with pytest.raises(CommandError, match="is not overwritten"):
        run(path)
    assert path.read_text() == "precious"


def test_leaves_nothing_behind_where_it_fails(tmp_path):
    with pytest.raises(CommandError, match="cannot be read or written"):
        run(tmp_path / "no folder" / "backup.tar")
    assert list(tmp_path.iterdir()) == []


def test_can_leave_the_files_out(tmp_path, file):
    assert " files=0 " in run(tmp_path / "backup.tar", "--no-media")[0]
    assert not [name for name in unpacked(tmp_path / "backup.tar") if name.startswith("media/")]


def test_leaves_out_what_is_just_being_written(tmp_path, file):
    default_storage._save("sites/1/upload/.temporary", ContentFile(b"half"))
    try:
        names = unpacked_after_run(tmp_path)
    finally:
        default_storage.delete("sites/1/upload/.temporary")
    assert f"media/{file}" in names
    assert not [name for name in names if "temporary" in name]


def test_tells_once_of_a_file_that_cannot_be_called_so(tmp_path):
    name = "sites/1/upload/a\x01b.txt"
    default_storage._save(name, ContentFile(b"odd"))
    try:
        told = run(tmp_path / "backup.tar")[1]
    finally:
        default_storage.delete(name)
    assert told == f"{name!r} was skipped because it is not a valid name for an uploaded file.\n"


def test_tells_of_pictures_that_are_not_there(tmp_path):
    UserFactory(avatar_file="avatars/ab/gone.png")
    assert (
        run(tmp_path / "backup.tar")[1]
        == "'avatars/ab/gone.png' is a user's picture but is missing from the storage.\n"
    )


def unpacked_after_run(tmp_path):
    run(tmp_path / "backup.tar")
    return unpacked(tmp_path / "backup.tar")


def test_a_disk_without_links_gets_it_too_and_is_not_overwritten_either(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, "as on FAT, which only root can mount")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "backup.tar"
    run(path)
    assert "manifest.json" in unpacked(path)
    with pytest.raises(ArchiveError, match="by another process"), new_file(tmp_path / "other") as file:
        file.write(b"new")
        (tmp_path / "other").write_bytes(b"of somebody else")
    assert (tmp_path / "other").read_bytes() == b"of somebody else"
    assert {one.name for one in tmp_path.iterdir()} == {"backup.tar", "other"}
