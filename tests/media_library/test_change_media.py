"""`GET`, `PUT` and `DELETE /media/{siteId}/{id}`."""

import pytest

from core.audit.models import AuditEntry
from media_library.models import MediaFile, MediaFolder
from tests.assertions import assert_error
from tests.factories import SiteFactory
from tests.media_library.uploads import address, uploaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


@pytest.fixture
def file(api):
    return uploaded(api, SiteFactory(), texts=[("alternativeText", "Boats"), ("credit", "Ann")])


def get(client, file):
    return client.get(address(file.site, file.pk)).json()["value"]


def test_only_the_sent_members_change(api, file):
    folder, before = MediaFolder.objects.create(site=file.site, name="Press"), get(api, file)
    changes = {"title": "Harbour", "FocalPoint": {"X": 0, "y": 0.75}, "tags": "sea", "folderId": folder.pk}
    record = api.put(address(file.site, file.pk), changes).json()["value"]
    changed = {"title": "Harbour", "focalPoint": {"x": 0.0, "y": 0.75}, "tags": "sea", "folderId": folder.pk}
    assert record == before | changed | {"lastModifiedDate": record["lastModifiedDate"]} == get(api, file)
    assert MediaFile.objects.get().version == file.version + 1


def test_null_removes_the_focal_point_and_zero_the_folder(api, file):
    folder = MediaFolder.objects.create(site=file.site, name="Press")
    MediaFile.objects.update(focal_x=0.5, focal_y=0.5, folder=folder)
    changes = {"focalPoint": None, "folderId": 0, "credit": None}
    record = api.put(address(file.site, file.pk), changes).json()["value"]
    assert (record["focalPoint"], record["folderId"], record["credit"]) == (None, 0, "Ann")


def test_a_record_can_be_sent_back(api, file):
    MediaFile.objects.update(title="t" * 255)
    record = get(api, file)
    assert api.put(address(file.site, file.pk), record).json()["value"] == record
    assert MediaFile.objects.get().version == file.version


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"alternativeText": "a" * 2001}, "invalid_value"),
        ({"alternativeText": 7}, "invalid_value"),
        ({"focalPoint": [0, 1]}, "invalid_value"),
        ({"focalPoint": {"x": -0.1, "y": 0}}, "invalid_value"),
        ({"folderId": -1}, "invalid_value"),
        ({"folderId": 999}, "media_folder_not_found"),
        ({"title": "a", "Title": "b"}, "duplicate_member"),
    ],
)
def test_changes_that_cannot_be_read_change_nothing(api, file, changes, code):
    before = get(api, file)
    assert_error(api.put(address(file.site, file.pk), {"credit": "Bob"} | changes), 400, code)
    assert get(api, file) == before


def test_if_match_requires_the_version_that_was_read(api, file):
    path = address(file.site, file.pk)
    tag = api.get(path).headers["ETag"]
    assert api.get(path, headers={"If-None-Match": tag}).status_code == 304
    changed = api.put(path, {"title": "New"}, headers={"If-Match": tag})
    assert changed.headers["ETag"] == api.get(path).headers["ETag"] != tag
    for refused in (
        api.put(path, {"title": "Other"}, headers={"If-Match": tag}),
        api.delete(path, headers={"If-Match": tag}),
    ):
        assert assert_error(refused, 412, "precondition_failed")["value"]["title"] == "New"
    assert MediaFile.objects.listed().get().title == "New"
    assert api.delete(path, headers={"If-Match": changed.headers["ETag"]}).status_code == 200


def test_a_deleted_file_is_404(api, file):
    path = address(file.site, file.pk)
    assert api.delete(path).json()["value"]["path"] == file.path
    for response in (api.get(path), api.put(path, {"title": 7}), api.delete(path)):
        assert_error(response, 404, "media_not_found")
    assert AuditEntry.objects.filter(action="media.trashed").count() == 1


def test_files_of_other_sites_are_404_and_their_sites_401(client_with_key, file):
    other = SiteFactory()
    client = client_with_key(scopes="Media", site_ids=str(other.pk))
    for method, body in [("GET", None), ("PUT", {"title": "x"}), ("DELETE", None)]:
        assert_error(client._send(method, address(other, file.pk), body), 404, "media_not_found")
        assert_error(client._send(method, address(file.site, file.pk), body), 401, "site_not_allowed")
    assert MediaFile.objects.listed().get().version == file.version


def test_a_key_that_only_reads_changes_nothing(client_with_key, file):
    client = client_with_key(scopes="Media:read")
    assert client.get(address(file.site, file.pk)).status_code == 200
    for method in ("PUT", "DELETE"):
        assert_error(client._send(method, address(file.site, file.pk), {}), 401, "scope_missing")
