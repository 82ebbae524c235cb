"""The trash of the library: files leave their addresses, come back, or are deleted."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import DatabaseError

from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound, Unavailable
from core.lib.media_storage import StorageUnavailable, WholeFiles
from media_library import trash
from media_library.models import MediaFile
from tests.accounts.forms import stored, stored_files
from tests.factories import SiteFactory
from tests.media_library.uploads import address, picture, uploaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


@pytest.fixture
def file(api):
    return uploaded(api, SiteFactory())


def status(client, path):
    return client.generic("HEAD", path).status_code  # a GET would leave the file open


def trashed(file):
    trash.trash_file(file.site_id, file.pk)
    return MediaFile.objects.get(pk=file.pk)


def test_a_trashed_file_leaves_its_address_and_keeps_its_bytes(api, file):
    shown, before = f"/media/sites/{file.site_id}/{file.path}", stored_files()
    assert status(api, shown) == 200 and len(before) == 3  # with the smaller forms
    assert api.delete(address(file.site, file.pk)).json()["value"]["id"] == file.pk
    assert status(api, shown) == 404
    hidden = f"sites/{file.site_id}/.trash/{file.pk}/{file.name}"
    assert status(api, f"/media/{hidden}") == 404
    assert len(stored_files()) == 3 and len(stored(hidden)) == file.bytes
    assert not MediaFile.objects.listed().exists()
    entry = AuditEntry.objects.get(action="media.trashed")
    assert (entry.object_id, entry.site_id, entry.object_name) == (str(file.pk), file.site_id, file.path)


def test_a_restored_file_is_as_before(api, file):
    before = stored_files()
    trashed(file)
    restored = trash.restore_file(file.site_id, file.pk)
    assert stored_files() == before and list(MediaFile.objects.listed()) == [restored]
    assert restored.version == file.version + 2
    assert AuditEntry.objects.filter(action="media.restored").count() == 1


def test_only_a_trashed_file_of_the_site_is_restored(file):
    with pytest.raises(NotFound):
        trash.restore_file(file.site_id, file.pk)
    trashed(file)
    with pytest.raises(NotFound):
        trash.restore_file(SiteFactory().pk, file.pk)


def test_a_taken_path_refuses_the_restoration_and_loses_no_bytes(file):
    trashed(file)
    name = f"sites/{file.site_id}/{file.path}"
    default_storage.save(name, ContentFile(b"another"))
    before = stored_files()
    with pytest.raises(InvalidInput) as refusal:
        trash.restore_file(file.site_id, file.pk)
    assert refusal.value.code == "media_path_taken"
    assert stored_files() == before and stored(name) == b"another"


def test_a_lost_file_is_not_restored(file):
    row = trashed(file)
    for _name, hidden in trash._places(row):
        default_storage.delete(hidden)
    with pytest.raises(InvalidInput) as refusal:
        trash.restore_file(file.site_id, file.pk)
    assert refusal.value.code == "media_file_missing"
    assert not MediaFile.objects.listed().exists()


def test_a_storage_that_fails_in_between_changes_nothing(file, monkeypatch):
    before, move = stored_files(), WholeFiles.move

    def fail(self, name, target):
        if "_middle" in name:
            raise StorageUnavailable
        move(self, name, target)

    monkeypatch.setattr(WholeFiles, "move", fail)
    with pytest.raises(Unavailable):
        trash.trash_file(file.site_id, file.pk)
    assert stored_files() == before and MediaFile.objects.listed().exists()
    assert not AuditEntry.objects.filter(action="media.trashed").exists()


def crash_before_the_commit(file):
    """Rename the files but not the row, as a process that is killed in between."""
    for name, hidden in trash._places(file):
        default_storage.move(name, hidden)


def test_after_a_crash_the_next_deletion_continues(file):
    crash_before_the_commit(file)
    assert trashed(file).trashed_at
    assert trash.restore_file(file.site_id, file.pk)
    assert len(stored(f"sites/{file.site_id}/{file.path}")) == file.bytes


def test_after_a_crash_the_files_can_be_put_back(file):
    before = stored_files()
    crash_before_the_commit(file)
    assert trash.put_back(file.site) == 1
    assert stored_files() == before
    trashed(file)
    assert trash.put_back(file.site) == 0


def test_after_a_crash_sync_media_keeps_the_row(file):
    before = stored_files()
    crash_before_the_commit(file)
    call_command("sync_media", stdout=StringIO())
    assert stored_files() == before and MediaFile.objects.listed().get() == file


def test_after_a_crash_of_a_restoration_the_next_one_continues(file):
    row = trashed(file)
    name, hidden = trash._places(row)[0]
    default_storage.move(hidden, name)
    trash.restore_file(file.site_id, file.pk)
    assert all("/.trash/" not in each for each in stored_files())


def test_a_picture_of_the_name_of_a_smaller_form_stays(api, file):
    own = file.path.replace(".jpg", "_small.jpg")
    MediaFile.objects.create(site=file.site, path=own, kind="image", bytes=1)
    trashed(file)
    assert f"sites/{file.site_id}/{own}" in stored_files()


def purge(*options):
    out = StringIO()
    call_command("purge", "trash", *options, stdout=out)
    return out.getvalue().strip()


def test_old_files_are_purged_and_others_stay(api, file, settings, media_folder):
    settings.CMS_TRASH_DAYS = 10
    young, listed = (uploaded(api, file.site, data=picture((30, side))) for side in (20, 25))
    trashed(young)
    trashed(file)
    MediaFile.objects.filter(pk=file.pk).update(trashed_at=clock.now() - timedelta(days=11))
    assert purge("--dry-run") == "Would be purged: contents=0 channels=0 sites=0 files=1"
    assert purge() == "Purged: contents=0 channels=0 sites=0 files=1"
    assert set(MediaFile.objects.all()) == {young, listed}
    folders = [each.name for each in (media_folder / f"sites/{file.site_id}/.trash").iterdir()]
    assert folders == [str(young.pk)]
    assert AuditEntry.objects.filter(action="media.purged").count() == 1


def test_an_interrupted_purge_continues(file, monkeypatch):
    trashed(file)
    with monkeypatch.context() as patch:
        patch.setattr(MediaFile, "delete", fail_at_database)
        with pytest.raises(DatabaseError):
            purge("--older-than", "0")
    assert MediaFile.objects.exists() and not stored_files()
    assert purge("--older-than", "0").endswith("files=1")
    assert not MediaFile.objects.exists()


def fail_at_database(*args, **options):
    raise DatabaseError
