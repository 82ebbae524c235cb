"""`/media/{siteId}/folders`"""

import pytest

from core.audit.models import AuditEntry
from media_library import folders
from media_library.models import MediaFile, MediaFolder
from tests.assertions import assert_error
from tests.factories import SiteFactory
from tests.media_library.uploads import address

pytestmark = pytest.mark.django_db


@pytest.fixture
def site():
    return SiteFactory()


@pytest.fixture
def create(api, site):
    """Create a folder and return its id."""
    return lambda name, parent=0: api.post(address(site, "folders"), {"name": name, "parentId": parent}).json()[
        "value"
    ]["id"]


def listed(api, site):
    return [(each["name"], each["parentId"]) for each in api.get(address(site, "folders")).json()["value"]]


def test_folders_are_created_and_listed_as_a_tree(api, site, create):
    press = create("press")
    inner = create("2026", press)
    create("Archive")
    assert listed(api, site) == [("Archive", 0), ("press", 0), ("2026", press)]
    record = api.get(address(site, "folders", inner)).json()["value"]
    assert record == {"id": inner, "siteId": site.pk, "name": "2026", "parentId": press, "channelId": 0}
    assert listed(api, SiteFactory()) == []
    assert AuditEntry.objects.filter(action="media.folder_created").count() == 3


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "missing_member"),
        ({"name": "  "}, "media_folder_name_unfit"),
        ({"name": "x" * 256}, "invalid_value"),
        ({"name": " PRESS "}, "media_folder_name_taken"),
        ({"name": "New", "parentId": 10**9}, "media_folder_not_found"),
    ],
)
def test_a_folder_that_does_not_fit_is_not_created(api, site, create, body, code):
    create("Press")
    assert_error(api.post(address(site, "folders"), body), 400, code)
    assert listed(api, site) == [("Press", 0)]


def test_the_same_name_is_free_in_another_folder(api, site, create):
    press = create("Press")
    assert create("Press", press)
    assert_error(api.post(address(site, "folders"), {"name": "press", "parentId": press}), 400)


def test_a_folder_is_renamed_and_moved_with_the_folders_in_it(api, site, create):
    press, archive = create("Press"), create("Archive")
    create("2026", press)
    changed = api.put(address(site, "folders", press), {"name": "Pictures", "parentId": archive}).json()["value"]
    assert (changed["name"], changed["parentId"]) == ("Pictures", archive)
    assert listed(api, site) == [("Archive", 0), ("Pictures", archive), ("2026", press)]
    assert AuditEntry.objects.get(action="media.folder_changed").changed == ["name", "parentId"]


def test_a_folder_is_never_in_itself(api, site, create):
    press = create("Press")
    inner = create("2026", press)
    for target in (press, inner):
        refused = api.put(address(site, "folders", press), {"parentId": target})
        assert_error(refused, 400, "media_folder_place")


def test_depth_and_number_are_limited(api, site, create, monkeypatch):
    monkeypatch.setattr(folders, "MAX_DEPTH", 2)
    press = create("Press")
    inner, archive = create("2026", press), create("Archive")
    third = {"name": "Third", "parentId": inner}
    assert_error(api.post(address(site, "folders"), third), 400, "media_folder_too_deep")
    assert_error(api.put(address(site, "folders", press), {"parentId": archive}), 400, "media_folder_too_deep")
    monkeypatch.setattr(folders, "MAX_FOLDERS", 3)
    assert_error(api.post(address(site, "folders"), {"name": "More"}), 400, "too_many_media_folders")


def test_files_of_a_deleted_folder_go_to_the_folder_above(api, site, create):
    press = create("Press")
    inner = create("2026", press)
    file = MediaFile.objects.create(site=site, path="upload/a.txt", kind="document", bytes=1, folder_id=inner)
    assert_error(api.delete(address(site, "folders", press)), 400, "media_folder_not_empty")
    for folder, above in ((inner, press), (press, None)):
        assert api.delete(address(site, "folders", folder)).status_code == 200
        file.refresh_from_db()
        assert file.folder_id == above
    assert file.version == 3
    assert not MediaFolder.objects.exists()
    assert_error(api.delete(address(site, "folders", press)), 404, "media_folder_not_found")


def test_folders_of_other_sites_are_404(api, site, create):
    press, other = create("Press"), SiteFactory()
    for send in (api.get, lambda path: api.put(path, {"name": "x"}), api.delete):
        assert_error(send(address(other, "folders", press)), 404, "media_folder_not_found")
    assert_error(api.post(address(other, "folders"), {"name": "x", "parentId": press}), 400, "media_folder_not_found")


def test_a_change_of_a_folder_that_has_changed_since_is_412(api, site, create):
    path = address(site, "folders", create("Press"))
    seen = api.get(path).headers["ETag"]
    answer = api.put(path, {"name": "Mine"}, HTTP_IF_MATCH=seen)
    assert answer.headers["ETag"] == api.get(path).headers["ETag"]
    assert_error(api.put(path, {"name": "Theirs"}, HTTP_IF_MATCH=seen), 412)
    assert_error(api.delete(path, HTTP_IF_MATCH=seen), 412)
    assert listed(api, site) == [("Mine", 0)]
