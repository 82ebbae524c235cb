"""The command sync_media: rows of files that others than this service have stored or removed."""

import hashlib
import io

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from PIL import Image

from core.archive import media
from core.lib import clock
from core.operation.doctor import run_checks
from media_library import syncing
from media_library.models import MediaFile, MediaFolder
from tests.accounts.picture_files import plain, saved
from tests.factories import SiteFactory
from tests.media_library.test_record import store

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


def sync(*options):
    out = io.StringIO()
    call_command("sync_media", *options, stdout=out, stderr=out)
    return out.getvalue().splitlines()


def line(site, **counts):
    known = {"added": 0, "changed": 0, "removed": 0, "missing": 0, "read": 0} | counts
    return f"siteId={site.pk} {' '.join(f'{name}={count}' for name, count in known.items())}"


def turned(size):
    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(plain(size, (200, 40, 30)), "JPEG", exif=exif)


def test_files_that_others_have_stored_are_added_and_read():
    site, other = SiteFactory(), SiteFactory()
    files = {
        "upload/2019/a.jpg": turned((30, 20)),
        "upload/2019/a_small.jpg": b"smaller",
        "broken.png": b"no picture",
        "files/plan.pdf": b"%PDF",
        "css/site.css": b"p {}",
        "upload/.partial.jpg": b"x",
    }
    for path, data in files.items():
        store(site, path, data)
    store(other, "a.txt")
    assert sync("--dry-run") == [line(site, added=3, read=3), line(other, added=1, read=1), "Nothing was written."]
    assert not MediaFile.objects.exists()
    assert sync(str(site.pk)) == [line(site, added=3, read=3)]
    rows = {row.path: row for row in MediaFile.objects.all()}
    assert rows.keys() == {"upload/2019/a.jpg", "broken.png", "files/plan.pdf"}
    picture = rows["upload/2019/a.jpg"]
    assert (picture.width, picture.height) == (20, 30)  # as browsers turn it
    assert picture.sha256 == hashlib.sha256(files["upload/2019/a.jpg"]).hexdigest()
    assert (rows["broken.png"].width, len(rows["broken.png"].sha256)) == (None, 64)
    assert sync(str(site.pk)) == [line(site)]


def test_a_file_of_another_size_is_read_again():
    site = SiteFactory()
    store(site, "a.txt", b"first")
    sync()
    MediaFile.objects.update(alternative_text="A plan")
    store(site, "a.txt", b"second")
    assert sync() == [line(site, changed=1, read=1)]
    row = MediaFile.objects.get()
    assert (row.bytes, row.sha256, row.alternative_text) == (6, hashlib.sha256(b"second").hexdigest(), "A plan")
    before = row.replaced_at
    sync()
    assert MediaFile.objects.get().replaced_at == before is not None


def test_an_interrupted_run_is_continued(monkeypatch):
    site = SiteFactory()
    for number in range(5):
        store(site, f"{number}.txt")
    monkeypatch.setattr(syncing, "_AT_A_TIME", 2)
    done, read = [], syncing.read

    def stop_after_three(row):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(row)
        return read(row)

    monkeypatch.setattr(syncing, "read", stop_after_three)
    with pytest.raises(KeyboardInterrupt):
        sync()
    assert MediaFile.objects.exclude(sha256="").count() == 3
    monkeypatch.setattr(syncing, "read", read)
    assert sync() == [line(site, read=2)]


def test_of_files_that_are_gone_only_rows_with_texts_stay():
    site = SiteFactory()
    names = ("titled", "in a folder", "without texts", "in the trash", "stays")
    for name in names:
        store(site, f"{name}.txt")
    sync()
    rows = MediaFile.objects.filter(site=site)
    rows.filter(path="titled.txt").update(title="The plan")
    rows.filter(path="in a folder.txt").update(folder=MediaFolder.objects.create(site=site, name="Plans"))
    rows.filter(path="in the trash.txt").update(trashed_at=clock.now())
    for name in names[:-1]:
        default_storage.delete(f"sites/{site.pk}/{name}.txt")
    told = ["in a folder.txt is missing; its texts stay.", "titled.txt is missing; its texts stay."]
    before = list(rows.order_by("pk").values())
    *missing, last, written = sync("--dry-run")
    assert (sorted(missing), last, written) == (told, line(site, removed=1, missing=2), "Nothing was written.")
    assert list(rows.order_by("pk").values()) == before
    *missing, last = sync()
    assert (sorted(missing), last) == (told, line(site, removed=1, missing=2))
    assert [row.path for row in rows.listed()] == ["stays.txt"]
    assert rows.count() == 4
    store(site, "titled.txt", b"back")
    assert sync() == [line(site, changed=1, read=1)]
    assert rows.listed().get(path="titled.txt").title == "The plan"


def test_a_storage_without_any_file_changes_nothing():
    site = SiteFactory()
    store(site, "a.txt")
    sync()
    default_storage.delete(f"sites/{site.pk}/a.txt")
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("sync_media", stdout=out, stderr=out)
    assert out.getvalue().startswith(f"The storage has no files of site {site.pk}. Check CMS_MEDIA_STORAGE.")
    assert MediaFile.objects.listed().count() == 1


def test_a_file_that_was_uploaded_after_the_listing_is_not_missing(monkeypatch):
    site = SiteFactory()
    store(site, "a.txt")
    listed, stored_in = [], syncing.stored_in

    def upload_meanwhile(site, folder):
        found = stored_in(site, folder)
        if not listed:
            listed.append(folder)
            store(site, "later.txt")
            syncing.store_rows(site, {"later.txt": stored_in(site, "")[1]["later.txt"]})
        return found

    monkeypatch.setattr(syncing, "stored_in", upload_meanwhile)
    assert sync() == [line(site, added=1, read=2)]


def test_a_failing_storage_is_told_in_a_sentence(monkeypatch):
    store(SiteFactory(), "a.txt")

    def fail(name, size):
        raise media.StorageUnavailable("it does not respond")

    monkeypatch.setattr(media, "pieces_of", fail)
    with pytest.raises(Exception, match="A file cannot be read or written: it does not respond"):
        sync()


def findings():
    return [finding.told for result in run_checks() if result.subject == "Media library" for finding in result.findings]


def test_the_doctor_names_a_file_on_either_side_only():
    site = SiteFactory()
    store(site, "css/site.css")
    store(site, "upload/a.txt")
    assert findings() == [f"The media library of site {site.pk} does not show all stored files, such as upload/a.txt."]
    sync()
    assert findings() == []
    default_storage.delete(f"sites/{site.pk}/upload/a.txt")
    assert findings() == ["The media library shows files that the storage does not have, such as upload/a.txt."]
