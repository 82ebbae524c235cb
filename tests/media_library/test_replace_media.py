"""`POST /media/{siteId}/{id}/file`: new bytes at the same address."""

import errno
import hashlib
from base64 import b64encode

import pytest

from core.audit.models import AuditEntry
from core.lib.media_storage import StorageUnavailable, WholeFiles
from media_library.models import MediaFile
from tests.accounts.forms import FORM, file_part, form, stored, stored_files
from tests.assertions import assert_error
from tests.factories import SiteFactory
from tests.media_library.uploads import address, picture, replace, uploaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


@pytest.fixture
def file(api):
    return uploaded(api, SiteFactory(), texts=[("title", "Harbour")])


def contents():
    return {name: stored(name) for name in stored_files()}


def test_the_bytes_change_and_the_address_stays(api, file):
    record = replace(api, file, "other.jpeg", picture((700, 500), (0, 0, 200))).json()["value"]
    data = stored(f"sites/{file.site_id}/{file.path}")
    assert (record["id"], record["path"], record["title"]) == (file.pk, file.path, "Harbour")
    assert (record["width"], record["height"], record["size"]) == (700, 500, len(data))
    assert record["sha256"] == hashlib.sha256(data).hexdigest() != file.sha256
    row = MediaFile.objects.get()
    assert row.version == file.version + 1
    assert AuditEntry.objects.get(action="media.replaced").object_id == str(file.pk)


def test_smaller_forms_are_those_of_the_new_picture(api, file):
    before = contents()
    small = f"sites/{file.site_id}/{file.path}".replace(".jpg", "_small.jpg")
    replace(api, file, "a.jpg", picture(color=(0, 0, 200)))
    after = contents()
    assert after.keys() == before.keys() and after[small] != before[small]
    replace(api, file, "a.jpg", picture((30, 20)))  # too small for the middle form
    assert f"sites/{file.site_id}/{file.path}".replace(".jpg", "_middle.jpg") not in stored_files()


def test_json_replaces_a_file(api):
    file = uploaded(api, SiteFactory(), "a.pdf", b"%PDF one")
    body = {"name": "b.pdf", "content": b64encode(b"%PDF two").decode()}
    assert api.post(f"{address(file.site, file.pk)}/file", body).status_code == 200
    assert stored(f"sites/{file.site_id}/{file.path}") == b"%PDF two"


def test_an_idempotency_key_replaces_once(api, file):
    for _ in range(2):
        replace(api, file, "a.jpg", picture((70, 50)), headers={"Idempotency-Key": "once"})
    assert MediaFile.objects.get().version == file.version + 1


def test_if_match_requires_the_version_that_was_read(api, file):
    tag = api.get(address(file.site, file.pk)).headers["ETag"]
    changed = replace(api, file, "a.jpg", picture((70, 50)), headers={"If-Match": tag})
    assert changed.headers["ETag"] == api.get(address(file.site, file.pk)).headers["ETag"] != tag
    before = contents()
    refused = replace(api, file, "a.jpg", picture((71, 50)), headers={"If-Match": tag})
    assert_error(refused, 412, "precondition_failed")
    assert contents() == before


def fail_at(monkeypatch, method, error, number):
    """Let a call of the storage fail."""
    original, calls = getattr(WholeFiles, method), []

    def fail(self, *args):
        calls.append(args)
        if len(calls) == number:
            raise error
        return original(self, *args)

    monkeypatch.setattr(WholeFiles, method, fail)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_full_disk_changes_nothing(api, file, monkeypatch, number):
    before = contents()
    fail_at(monkeypatch, "_write", OSError(errno.ENOSPC, "No space left on device"), number)
    assert_error(replace(api, file, "a.jpg", picture(color=(0, 0, 200))), 503, "storage_full")
    assert contents() == before and MediaFile.objects.get().sha256 == file.sha256


def test_a_storage_that_fails_before_the_first_file_changes_nothing(api, file, monkeypatch):
    before = contents()
    fail_at(monkeypatch, "move", StorageUnavailable("gone"), 1)
    assert_error(replace(api, file, "a.jpg", picture(color=(0, 0, 200))), 503, "storage_unavailable")
    assert contents() == before and MediaFile.objects.get().sha256 == file.sha256


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.png", picture((30, 20), kind="PNG"), "media_type_differs"),
        ("a.pdf", b"%PDF-1.7", "media_type_differs"),
        ("a.jpg", b"<svg/>", "not_a_picture"),
        ("a.jpg", b"", "file_empty"),
    ],
)
def test_other_types_are_refused(api, file, name, data, code):
    before = contents()
    assert_error(replace(api, file, name, data), 400, code)
    assert contents() == before


def test_one_file_is_expected(api, file):
    part = file_part(picture((30, 20)), filename="a.jpg")
    refused = api.send("POST", f"{address(file.site, file.pk)}/file", form(part, part), FORM)
    assert_error(refused, 400, "one_file_expected")


def test_files_of_other_sites_and_of_the_trash_are_404(api, file):
    other = SiteFactory()
    moved = MediaFile(site=other, pk=file.pk)
    assert_error(replace(api, moved, "a.jpg", picture()), 404, "media_not_found")
    api.delete(address(file.site, file.pk))
    assert_error(replace(api, file, "a.jpg", picture()), 404, "media_not_found")
