"""Acts on chosen files, their folders in the admin, and files that replace others."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import GroupPlace
from core.audit.models import AuditEntry
from media_library.models import MediaFile, MediaFolder
from tests.accounts.picture_files import plain, saved
from tests.admin.pages.browsing import act, listed, place, told, undo, unrendered
from tests.admin.world import administrator_with
from tests.factories import SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
PAGE = "media_library_mediafile"


@pytest.fixture
def site():
    return SiteFactory()


@pytest.fixture
def files(site):
    return [
        MediaFile.objects.create(site=site, path=f"upload/{name}.txt", kind="document", bytes=1, tags=tags)
        for name, tags in (("a", "sea"), ("b", "sea,red"), ("c", ""))
    ]


@pytest.fixture
def folder(site):
    return MediaFolder.objects.create(site=site, name="Press")


def values(name):
    return list(MediaFile.objects.order_by("path").values_list(name, flat=True))


def test_files_move_to_a_folder_and_back(highest, files, folder):
    former = MediaFolder.objects.create(site=folder.site, name="Former")
    MediaFile.objects.filter(pk=files[0].pk).update(folder=former)
    answer = act(highest, PAGE, "into-folder", *files, folder_id=folder.pk)
    assert told(answer) == ["3 files were moved."]
    assert values("folder_id") == [folder.pk] * 3
    undo(highest, answer)
    assert values("folder_id") == [former.pk, None, None]
    act(highest, PAGE, "into-folder", *files, folder_id=0)
    assert values("folder_id") == [None] * 3


def test_a_file_that_has_changed_since_is_not_taken_back(highest, files, folder):
    answer = act(highest, PAGE, "into-folder", *files[:2], folder_id=folder.pk)
    MediaFile.objects.filter(pk=files[0].pk).update(version=9)
    undo(highest, answer)
    assert values("folder_id") == [folder.pk, None, None]


def test_tags_are_added_and_taken_back_one_by_one(highest, files):
    answer = act(highest, PAGE, "add-tags", *files, names="sea，new")
    assert values("tags") == ["sea,new", "sea,red,new", "sea,new"]
    undo(highest, answer)
    assert values("tags") == ["sea", "sea,red", ""]
    answer = act(highest, PAGE, "remove-tags", *files, names="sea")
    assert values("tags") == ["", "red", ""]
    undo(highest, answer)
    assert values("tags") == ["sea", "sea,red", ""]


def test_files_of_another_site_do_not_move_to_the_folder(highest, files, folder):
    other = MediaFile.objects.create(site=SiteFactory(), path="upload/z.txt", kind="document", bytes=1)
    answer = act(highest, PAGE, "into-folder", files[0], other, folder_id=folder.pk)
    assert told(answer) == ["1 file was moved.", "upload/z.txt: The folder no longer exists."]


def test_the_list_shows_one_folder_or_files_without_one(highest, files, folder):
    MediaFile.objects.filter(pk=files[0].pk).update(folder=folder)
    inner = MediaFolder.objects.create(site=folder.site, name="2026", parent=folder)
    chosen = {"site__id__exact": folder.site_id}
    assert listed(highest, PAGE, **chosen, folder=folder.pk) == files[:1]
    assert listed(highest, PAGE, **chosen, folder=inner.pk) == []
    assert listed(highest, PAGE, **chosen, folder=0) == [files[2], files[1]]
    assert listed(highest, PAGE, **chosen, folder="x") == []
    context = unrendered(highest, place(PAGE), chosen | {"folder": folder.pk}).context_data
    shown = [(str(each.name), each.depth, each.files, each.is_current) for each in context["folders"]]
    assert shown == [
        ("All files", 0, 3, False),
        ("No folder", 0, 2, False),
        ("Press", 0, 1, True),
        ("2026", 1, 0, False),
    ]


def test_folders_are_made_renamed_moved_and_deleted(highest, site, files):
    made = highest.post(f"{place(PAGE, 'add_folder')}?site={site.pk}", {"name": "Press", "parent": 0})
    folder = MediaFolder.objects.get(site=site, name="Press")
    assert made.url == f"{place(PAGE)}?site__id__exact={site.pk}&folder={folder.pk}"
    again = highest.post(f"{place(PAGE, 'add_folder')}?site={site.pk}", {"name": "PRESS"})
    assert again.context["form"].errors == {"name": ["There is a folder with this name already."]}
    sent = {"name": "Pictures", "parent": 0, "seen_version": 1}
    assert highest.post(place(PAGE, "folder", folder.pk), sent).status_code == 302
    assert highest.post(place(PAGE, "folder", folder.pk), sent | {"name": "Mine"}).context["form"].errors
    folder.refresh_from_db()
    assert folder.name == "Pictures"
    MediaFile.objects.update(folder=folder)
    asked = highest.get(place(PAGE, "delete_folder", folder.pk)).content.decode()
    assert "3 files stay in the library, in “No folder”." in asked
    highest.post(place(PAGE, "delete_folder", folder.pk))
    assert values("folder_id") == [None] * 3


def test_folders_need_the_right_to_change_files_of_the_site(client, site, folder):
    reader = administrator_with("media_library.view_mediafile")
    GroupPlace.objects.create(group=reader.groups.get(), site_id=site.pk, channel_id=0)
    client.force_login(reader)
    addresses = [f"{place(PAGE, 'add_folder')}?site={site.pk}", place(PAGE, "folder", folder.pk)]
    addresses.append(place(PAGE, "delete_folder", folder.pk))
    assert [client.post(address, {"name": "x"}).status_code for address in addresses] == [404] * 3
    foreign = administrator_with("media_library.change_mediafile")
    GroupPlace.objects.create(group=foreign.groups.get(), site_id=SiteFactory().pk, channel_id=0)
    client.force_login(foreign)
    assert [client.post(address, {"name": "x"}).status_code for address in addresses] == [404] * 3
    assert MediaFolder.objects.get().name == "Press"


def picture(colour):
    return SimpleUploadedFile("photo.jpg", saved(plain((90, 60), colour), "JPEG"))


def test_a_file_is_replaced_once_by_who_has_seen_it(highest, site):
    highest.post(f"{place(PAGE, 'add')}?site={site.pk}", {"files": [picture((200, 0, 0))]})
    file = MediaFile.objects.get()
    address = place(PAGE, "replace", file.pk)
    answer = highest.post(address, {"file": picture((0, 200, 0)), "seen_version": 1})
    assert answer.url == place(PAGE, "change", file.pk)
    replaced = MediaFile.objects.get()
    assert (replaced.version, replaced.path) == (2, file.path)
    assert replaced.sha256 != file.sha256
    assert AuditEntry.objects.filter(action="media.replaced").count() == 1
    late = highest.post(address, {"file": picture((0, 0, 200)), "seen_version": 1})
    other = highest.post(address, {"file": SimpleUploadedFile("a.txt", b"x"), "seen_version": 2})
    for refused in (late, other, highest.post(address, {"seen_version": 2})):
        assert refused.context["form"].errors["file"]
    assert MediaFile.objects.get().sha256 == replaced.sha256
