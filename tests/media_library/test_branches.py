"""Folders of branches: what people whose rights end at a branch see and change, and that nothing of others is there."""

import re
from hashlib import sha256
from html import unescape

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Administrator, GroupPlace
from channels_app.moving import Position, Step, move_channels
from channels_app.services import trash_channel
from contents.services.trash import purge_channel
from core.admin.places import EVERYWHERE, Places
from core.audit.models import AuditEntry
from media_library import folders
from media_library.branches import MAX_DEPTH
from media_library.folders import channels_of, create_folder, upload_folder
from media_library.models import MediaFile, MediaFolder
from media_library.trash import trash_file
from tests.accounts.picture_files import plain, saved
from tests.admin.pages.browsing import act, listed, place, told, undo, unrendered
from tests.admin.world import administrator_with
from tests.assertions import assert_error
from tests.factories import ChannelFactory, SiteFactory
from tests.media_library.uploads import address

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
PAGE = "media_library_mediafile"
RIGHTS = [f"media_library.{right}_mediafile" for right in ("view", "add", "change", "delete")]
WRITING = ["contents.view_content", "contents.add_content", "contents.change_content"]


class World:
    """A site with channels News (Sports) and Culture, folders of them and others, and a file in each, named like it."""

    def __init__(self):
        self.site = site = SiteFactory()
        self.news = ChannelFactory(site=site, channel_name="News")
        self.sports = ChannelFactory(parent=self.news, channel_name="Sports")
        self.culture = ChannelFactory(site=site, channel_name="Culture")
        self.folders = {"none": None}
        for name, channel_id, above in (
            ("News", self.news.pk, None),
            ("Pictures", None, "News"),
            ("Sports", self.sports.pk, None),
            ("Culture", self.culture.pk, None),
            ("Music", None, "Culture"),
            ("News of Culture", self.news.pk, "Culture"),
            ("Shared", None, None),
            ("Home", site.pk, None),
            ("Deleted", 10**9, None),
        ):
            parent = self.folders[above] if above else None
            self.folders[name] = MediaFolder.objects.create(site=site, name=name, channel_id=channel_id, parent=parent)
        self.files = {name: self.file(name, folder) for name, folder in self.folders.items()}

    def file(self, name, folder):
        path, data = f"upload/{name}.txt", name.encode()
        default_storage.delete(f"sites/{self.site.pk}/{path}")
        default_storage.save(f"sites/{self.site.pk}/{path}", ContentFile(data))
        known = {"kind": "document", "bytes": len(data), "title": name, "sha256": sha256(data).hexdigest()}
        return MediaFile.objects.create(site=self.site, path=path, folder=folder, **known)

    def person(self, *rights, branch=None):
        made = administrator_with(*rights)
        channel = self.news if branch is None else branch
        GroupPlace.objects.create(group=made.groups.get(), site_id=channel.site_id, channel_id=channel.pk)
        return Administrator.objects.get(pk=made.pk)


OWN = {"News", "Pictures", "Sports", "News of Culture"}
SHARED = {"Shared", "none"}
OTHERS = {"Culture", "Music", "Home", "Deleted"}


@pytest.fixture
def world():
    return World()


@pytest.fixture
def editor(client, world):
    client.force_login(world.person(*RIGHTS))
    return client


def titles(files):
    return {file.title for file in files}


def folder_of(world, name):
    return MediaFile.objects.get(pk=world.files[name].pk).folder_id


def stored():
    return (
        list(MediaFile.objects.order_by("pk").values()),
        list(MediaFolder.objects.order_by("pk").values()),
        AuditEntry.objects.filter(action__startswith="media").count(),
    )


# ---- see


def test_the_list_has_files_of_the_branch_and_shared_ones(editor, world):
    assert titles(listed(editor, PAGE)) == OWN | SHARED
    assert titles(listed(editor, PAGE, site__id__exact=world.site.pk)) == OWN | SHARED
    assert titles(listed(editor, PAGE, q="upload")) == OWN | SHARED
    for name, folder in world.folders.items():
        found = titles(listed(editor, PAGE, site__id__exact=world.site.pk, folder=folder.pk if folder else 0))
        assert found == ({name} - OTHERS), name


def test_the_tree_has_no_folders_of_others_and_counts_visible_files(editor, world):
    chosen = {"site__id__exact": world.site.pk, "folder": world.folders["Culture"].pk}
    answer = unrendered(editor, place(PAGE), chosen)
    assert [(str(each.name), each.depth, each.files) for each in answer.context_data["folders"]] == [
        ("All files", 0, 6),
        ("No folder", 0, 1),
        ("News of Culture", 0, 1),  # its folder above is hidden
        ("News", 0, 1),
        ("Pictures", 1, 1),
        ("Shared", 0, 1),
        ("Sports", 0, 1),
    ]
    assert answer.context_data["current_folder_id"] is None
    assert "Culture" not in editor.get(place(PAGE), chosen).content.decode().replace("News of Culture", "")


def test_pages_of_files_of_others_are_not_there(editor, world):
    for name, file in world.files.items():
        views = {view: editor.get(place(PAGE, view, file.pk)).status_code for view in ("change", "history", "replace")}
        seen, own = 404 if name in OTHERS else 200, 200 if name in OWN else 404
        assert views == {"change": seen, "history": seen, "replace": own}, name
    page = editor.get(place(PAGE, "change", world.files["Shared"].pk)).content.decode()
    assert "Where it is used" in page and "Replace the file" not in page and 'name="title"' not in page


def test_a_moved_channel_takes_its_files_along_and_a_deleted_one_shows_them_to_nobody_else(editor, world):
    culture, news = world.culture.pk, world.news.pk
    move_channels(world.site.pk, [Step(culture, world.site.pk, Position.LAST, news, world.site.pk)])
    assert titles(listed(editor, PAGE)) == OWN | SHARED | {"Culture", "Music"}
    trash_channel(world.site.pk, culture)
    purge_channel(world.site.pk, culture)
    assert titles(listed(editor, PAGE)) == OWN | SHARED


# ---- choose


@pytest.mark.parametrize("rights", [[*WRITING, *RIGHTS], WRITING], ids=["with rights to files", "without"])
def test_dialogs_offer_files_of_the_branch_and_shared_ones(client, world, rights):
    client.force_login(world.person(*rights))
    dialog = place("contents_content", "upload", world.site.pk)
    assert {each["name"] for each in client.get(dialog, {"kind": "file"}).json()["files"]} == OWN | SHARED
    for name, file in world.files.items():
        found = client.get(dialog, {"address": file.address}).json()["files"]
        assert [each["name"] for each in found] == ([] if name in OTHERS else [name])


def test_dialogs_follow_rights_to_files_rather_than_to_contents(client, world):
    person, wide = world.person(*RIGHTS), administrator_with(*WRITING)
    person.groups.add(*wide.groups.all())
    client.force_login(person)
    dialog = place("contents_content", "upload", world.site.pk)
    assert {each["name"] for each in client.get(dialog, {"kind": "file"}).json()["files"]} == OWN | SHARED


# ---- upload


def upload(browser, world, data=b"new", name="new.txt", **query):
    sent = {"file": SimpleUploadedFile(name, data), "kind": "file"}
    return browser.post(place(PAGE, "upload", world.site.pk), sent, query_params=query)


def test_uploads_go_to_a_folder_of_the_branch(editor, world):
    assert "told" not in upload(editor, world, b"1").json()
    own = upload(editor, world, b"2", folder=world.folders["Pictures"].pk)
    assert own.status_code == 200 and "told" not in own.json()
    # The list shows files in no folder.
    assert upload(editor, world, b"3", folder=0).json()["told"].startswith("The file was stored in the folder")
    new = MediaFile.objects.filter(title="new").order_by("pk")
    assert [each.folder.name for each in new] == ["News of Culture", "Pictures", "News of Culture"]


@pytest.mark.parametrize("name", sorted(OTHERS | {"Shared"}))
def test_no_upload_goes_elsewhere(editor, world, name):
    before, folder = stored(), world.folders[name].pk
    assert upload(editor, world, folder=folder).status_code == 400
    sent = {"files": [SimpleUploadedFile("new.txt", b"new")]}
    answer = editor.post(f"{place(PAGE, 'add')}?site={world.site.pk}&folder={folder}", sent)
    assert told(answer) == ["new.txt: The folder is outside of your branch of the site."]
    assert stored() == before


def test_a_part_of_a_shared_picture_goes_to_a_folder_of_the_branch(editor, world):
    file = world.file("Photo", None)
    file.path, file.kind, file.width, file.height = "upload/photo.png", "image", 8, 8
    file.save()
    default_storage.save(f"sites/{world.site.pk}/{file.path}", ContentFile(saved(plain((8, 8), (9, 9, 9)), "PNG")))
    sent = {"x": 0, "y": 0, "width": 4, "height": 4, "seen_version": file.version}
    page = place(PAGE, "crop", file.pk)
    assert editor.post(page, sent | {"result": "replace"}).status_code == 404
    assert editor.post(page, sent | {"result": "copy"}).status_code == 302
    assert MediaFile.objects.get(width=4).folder.name == "News of Culture"


def test_the_list_offers_uploads_to_the_shown_folder_if_it_is_of_the_branch(editor, world):
    for name, expected in (("News", world.folders["News"].pk), ("Shared", 0)):
        chosen = {"site__id__exact": world.site.pk, "folder": world.folders[name].pk}
        page = editor.get(place(PAGE), chosen).content.decode()
        assert unescape(re.search('data-upload="(.*?)"', page)[1]).endswith(f"folder={expected}")
    sent = {"files": [SimpleUploadedFile("new.txt", b"new")]}
    answer = editor.post(f"{place(PAGE, 'add')}?site={world.site.pk}&folder=0", sent)
    assert answer.url.endswith(f"folder={MediaFile.objects.get(title='new').folder_id}")


@pytest.mark.parametrize("name", sorted(OWN | SHARED | OTHERS))
def test_the_same_bytes_are_an_existing_file_only_if_it_is_visible(editor, world, name):
    answer = upload(editor, world, name.encode()).json()
    is_new = name in OTHERS
    assert ("told" not in answer) == is_new
    assert (answer["address"] != world.files[name].address) == is_new
    assert MediaFile.objects.count() == len(world.files) + is_new


@pytest.mark.parametrize("rights", [[*WRITING, *RIGHTS], WRITING], ids=["with rights to files", "without"])
def test_the_first_upload_creates_a_folder_of_the_branch(client, world, rights):
    client.force_login(world.person(*rights, branch=world.culture))
    MediaFolder.objects.filter(channel_id=world.culture.pk).update(channel_id=None)  # its name is taken
    for number in range(2):
        sent = {"file": SimpleUploadedFile("new.txt", b"%d" % number), "kind": "file"}
        answer = client.post(place("contents_content", "upload", world.site.pk), sent)
        assert answer.status_code == 200, answer.content
    found = {file.folder for file in MediaFile.objects.filter(title="new")}
    assert [(each.name, each.channel_id, each.parent) for each in found] == [("Culture 2", world.culture.pk, None)]


def test_concurrent_first_uploads_use_one_folder(world, monkeypatch):
    places = Places.of_rows([(world.site.pk, world.culture.pk)])
    MediaFolder.objects.all().delete()
    first = []

    def others_first(*arguments, **options):
        monkeypatch.setattr(folders, "create_folder", create_folder)
        first.append(create_folder(*arguments, **options))
        return create_folder(*arguments, **options)

    monkeypatch.setattr(folders, "create_folder", others_first)
    assert upload_folder(world.site.pk, places) == first[0]
    assert MediaFolder.objects.get() == first[0]


def test_without_a_channel_nothing_is_uploaded(editor, world):
    MediaFolder.objects.all().delete()
    trash_channel(world.site.pk, world.news.pk)
    assert upload(editor, world).status_code == 400
    assert not MediaFolder.objects.exists()


# ---- change, replace, tag, delete, restore


def send_form(browser, file):
    sent = {"title": "Mine", "alternative_text": "", "credit": "", "tags": "", "seen_version": 1}
    return browser.post(place(PAGE, "change", file.pk), sent)


def send_bytes(browser, file):
    sent = {"file": SimpleUploadedFile("a.txt", b"mine"), "seen_version": 1}
    return browser.post(place(PAGE, "replace", file.pk), sent)


CHANGES = {
    "change": send_form,
    "replace": send_bytes,
    "tag": lambda browser, file: act(browser, PAGE, "add-tags", file, names="mine"),
    "untag": lambda browser, file: act(browser, PAGE, "remove-tags", file, names=["sea"]),
    "delete": lambda browser, file: act(browser, PAGE, "trash", file),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_only_files_of_the_branch_change(editor, world, change):
    MediaFile.objects.update(tags="sea")
    for name, file in world.files.items():
        before = stored()
        answer = change(editor, file)
        if name in OWN:
            assert answer.status_code == 302, name
            assert MediaFile.objects.get(pk=file.pk).version == 2
        else:
            assert answer.status_code in {403, 404}, name
            assert stored() == before


@pytest.mark.parametrize("name", ["trash", "add-tags", "into-folder"])
def test_acts_on_many_leave_out_what_is_not_of_the_branch(editor, world, name):
    sent = {"names": "mine", "folder_id": world.folders["Pictures"].pk}
    act(editor, PAGE, name, *world.files.values(), **sent)
    changed = titles(MediaFile.objects.filter(version__gt=1))
    assert changed == OWN - ({"Pictures"} if name == "into-folder" else set())
    across = {"action": name, "select_across": "1", "index": "0", "_selected_action": [world.files["Shared"].pk]}
    page = editor.post(place(PAGE), across).content.decode()
    assert "Shared" not in page and "Culture.txt" not in page.replace("News of Culture.txt", "")


def test_only_files_of_the_branch_come_back_from_the_trash(editor, world):
    for file in world.files.values():
        trash_file(file.site_id, file.pk)
    assert titles(listed(editor, PAGE, trashed="1")) == OWN | SHARED
    for name, file in world.files.items():
        assert act(editor, PAGE, "restore", file).status_code == (302 if name in OWN else 404), name
    assert titles(MediaFile.objects.listed()) == OWN


# ---- move


@pytest.mark.parametrize("target", [*sorted(OTHERS | {"Shared"}), "none"])
def test_no_file_moves_out_of_the_branch(editor, world, target):
    folder = world.folders[target]
    before = stored()
    answer = act(editor, PAGE, "into-folder", world.files["News"], folder_id=folder.pk if folder else 0)
    assert answer.status_code == 200 and answer.context["form"].errors
    assert stored() == before


def test_files_move_within_the_branch_and_none_into_it(editor, world):
    offered = editor.get(place(PAGE, "action", "into-folder"), {"ids": world.files["News"].pk}).context["form"]
    assert {name.rpartition(" / ")[2] for _number, name in offered.fields["folder_id"].choices} == OWN
    act(editor, PAGE, "into-folder", world.files["News"], folder_id=world.folders["Sports"].pk)
    assert folder_of(world, "News") == world.folders["Sports"].pk
    for name in OTHERS | SHARED:
        before = stored()
        assert (
            act(editor, PAGE, "into-folder", world.files[name], folder_id=world.folders["News"].pk).status_code == 404
        )
        assert stored() == before


def test_undo_needs_the_right_in_both_folders_and_belongs_to_its_person(client, world):
    person = world.person(*RIGHTS)
    client.force_login(person)
    answer = act(client, PAGE, "into-folder", world.files["News"], folder_id=world.folders["Sports"].pk)
    colleague = world.person(*RIGHTS)
    client.force_login(colleague)
    undo(client, answer)
    assert folder_of(world, "News") == world.folders["Sports"].pk
    # Another branch got the former folder since.
    client.force_login(person)
    answer = act(client, PAGE, "into-folder", world.files["Pictures"], folder_id=world.folders["Sports"].pk)
    MediaFolder.objects.filter(pk=world.folders["Pictures"].pk).update(channel_id=world.culture.pk)
    assert "The folder is outside of your branch of the site." in " ".join(told(undo(client, answer)))
    assert folder_of(world, "Pictures") == world.folders["Sports"].pk
    # Another branch got the file since.
    answer = act(client, PAGE, "add-tags", world.files["Sports"], names="mine")
    MediaFolder.objects.filter(pk=world.folders["Sports"].pk).update(channel_id=world.culture.pk)
    undo(client, answer)
    assert MediaFile.objects.get(pk=world.files["Sports"].pk).tags == "mine"


# ---- folders


def create(browser, world, name="Made", parent=0, channel=0):
    sent = {"name": name, "parent": parent, "channel": channel}
    return browser.post(f"{place(PAGE, 'add_folder')}?site={world.site.pk}", sent)


def change(browser, folder, **sent):
    shown = {"name": folder.name, "parent": folder.parent_id or 0, "channel": folder.channel_id or 0}
    return browser.post(place(PAGE, "folder", folder.pk), shown | {"seen_version": folder.version} | sent)


def test_folders_are_created_in_the_branch(editor, world):
    inside = {"parent": world.folders["News"].pk}, {"channel": world.news.pk}, {"channel": world.sports.pk}
    for number, sent in enumerate(inside):
        assert create(editor, world, f"Made {number}", **sent).status_code == 302, sent
    before = stored()
    for sent in (
        {},
        {"channel": world.culture.pk},
        {"channel": world.site.pk},
        *({"parent": world.folders[name].pk, "channel": world.news.pk} for name in OTHERS | {"Shared"}),
        {"parent": world.folders["News"].pk, "channel": world.culture.pk},
    ):
        assert create(editor, world, "Elsewhere", **sent).context["form"].errors, sent
    assert stored() == before


def test_the_form_of_a_new_folder_begins_in_the_branch(editor, world):
    form = editor.get(f"{place(PAGE, 'add_folder')}?site={world.site.pk}").context["form"]
    assert (form["parent"].value(), form["channel"].value()) == (0, world.news.pk)
    assert [name for _number, name in form.fields["channel"].choices[1:]] == ["— News", "— — Sports"]
    inside = f"{place(PAGE, 'add_folder')}?site={world.site.pk}&parent={world.folders['News'].pk}"
    assert editor.get(inside).context["form"]["channel"].value() == 0


def test_folders_of_the_branch_change_and_stay_in_it(editor, world):
    for name in OWN:
        assert change(editor, world.folders[name], name=f"{name} 2").status_code == 302, name
    for name in OTHERS | {"Shared"}:
        before, folder = stored(), world.folders[name]
        for view in ("folder", "delete_folder"):
            assert editor.get(place(PAGE, view, folder.pk)).status_code == 404
        assert change(editor, folder, name="Mine").status_code == 404
        assert editor.post(place(PAGE, "delete_folder", folder.pk)).status_code == 404
        assert stored() == before
    pictures = MediaFolder.objects.get(pk=world.folders["Pictures"].pk)
    before = stored()
    for sent in (
        {"parent": 0},
        {"parent": 0, "channel": world.culture.pk},
        *({"parent": world.folders[name].pk, "channel": world.news.pk} for name in OTHERS | {"Shared"}),
        {"channel": world.culture.pk},
    ):
        assert change(editor, pictures, **sent).context["form"].errors, sent
    assert stored() == before
    assert change(editor, pictures, parent=world.folders["Sports"].pk).status_code == 302


def test_a_deleted_folder_takes_no_files_out_of_the_branch(editor, world):
    assert editor.post(place(PAGE, "delete_folder", world.folders["Pictures"].pk)).status_code == 302
    assert folder_of(world, "Pictures") == world.folders["News"].pk
    for name in ("News", "News of Culture"):
        editor.post(place(PAGE, "delete_folder", world.folders[name].pk))
        assert MediaFolder.objects.filter(pk=world.folders[name].pk).exists()
    MediaFile.objects.filter(folder=world.folders["Sports"]).update(folder=world.folders["News"])
    editor.post(place(PAGE, "delete_folder", world.folders["Sports"].pk))
    assert not MediaFolder.objects.filter(pk=world.folders["Sports"].pk).exists()


def test_people_of_the_whole_site_choose_the_branch(highest, world):
    shared = world.folders["Shared"]
    form = highest.get(place(PAGE, "folder", shared.pk)).context["form"]
    assert form.fields["channel"].choices[1][0] == world.site.pk  # the home channel
    assert change(highest, shared, channel=world.culture.pk).status_code == 302
    entry = AuditEntry.objects.get(action="media.folder_changed")
    assert entry.changed == ["channelId"]
    assert MediaFolder.objects.get(pk=shared.pk).channel_id == world.culture.pk
    deleted = highest.get(place(PAGE, "folder", world.folders["Deleted"].pk))
    assert f"deleted channel {10**9}" in deleted.content.decode()
    assert change(highest, world.folders["Deleted"], name="Still").status_code == 302
    foreign = ChannelFactory().pk
    assert change(highest, world.folders["Home"], channel=foreign).context["form"].errors
    asked = highest.get(place(PAGE, "delete_folder", world.folders["News of Culture"].pk)).content.decode()
    assert "in “Culture”. They leave the branch" in asked


# ---- rights that differ, and people without a limit


def test_each_right_applies_in_its_own_places(client, world):
    person, other = world.person(RIGHTS[0], RIGHTS[2]), world.person(RIGHTS[0], branch=world.culture)
    person.groups.add(*other.groups.all())
    client.force_login(person)
    assert titles(listed(client, PAGE)) == OWN | SHARED | {"Culture", "Music"}
    assert send_form(client, world.files["Culture"]).status_code == 403
    assert send_form(client, world.files["News"]).status_code == 302
    assert client.get(place(PAGE, "add")).status_code == 403


def test_branches_of_other_sites_change_nothing(client, world):
    client.force_login(world.person(*RIGHTS, branch=ChannelFactory()))
    assert listed(client, PAGE) == []
    assert client.get(place(PAGE, "change", world.files["none"].pk)).status_code == 404
    assert upload(client, world).status_code == 404
    dialog = place("contents_content", "upload", world.site.pk)
    assert client.get(dialog, {"kind": "file"}).status_code == 404


def statements(browser, where, django_assert_max_num_queries):
    browser.get(where)
    with django_assert_max_num_queries(100) as counted:
        assert browser.get(where).status_code == 200
    return [each["sql"] for each in counted.captured_queries]


def test_people_without_a_branch_pay_no_statement(client, world, django_assert_max_num_queries):
    unlimited = administrator_with(*RIGHTS)
    whole = administrator_with(*RIGHTS)
    GroupPlace.objects.create(group=whole.groups.get(), site_id=world.site.pk, channel_id=0)
    shown = place(PAGE, "change", world.files["Pictures"].pk)
    query = f"?site__id__exact={world.site.pk}&folder={world.folders['Pictures'].pk}"
    for where in (place(PAGE) + query, shown):
        for person in (unlimited, whole):
            client.force_login(person)
            found = statements(client, where, django_assert_max_num_queries)
            assert not any("channelancestor" in each or "COALESCE" in each for each in found)


# ---- the API, and deep trees


def test_the_api_sets_the_channel_of_a_folder(api, world):
    made = api.post(address(world.site, "folders"), {"name": "Made", "channelId": world.news.pk}).json()["value"]
    assert made["channelId"] == world.news.pk
    path = address(world.site, "folders", made["id"])
    assert api.put(path, {"name": "Mine"}).json()["value"]["channelId"] == world.news.pk
    assert api.put(path, {"channelId": 0}).json()["value"]["channelId"] == 0
    for wrong in (ChannelFactory().pk, 10**9):
        assert_error(api.put(path, {"channelId": wrong}), 400, "channel_not_found")
    trash_channel(world.site.pk, world.news.pk)
    assert_error(api.put(path, {"channelId": world.news.pk}), 400, "channel_not_found")


def test_the_deepest_folder_belongs_to_the_branch_of_the_first(editor, world):
    folder = MediaFolder.objects.create(site=world.site, name="Deep", channel_id=world.culture.pk)
    for number in range(MAX_DEPTH - 1):
        folder = create_folder(world.site.pk, f"Deep {number}", folder.pk)
    MediaFile.objects.filter(pk=world.files["none"].pk).update(folder=folder)
    assert titles(listed(editor, PAGE)) == OWN | {"Shared"}


def test_channels_are_offered_in_the_order_of_the_tree(world):
    names = list(channels_of(world.site.pk, EVERYWHERE).values_list("channel_name", flat=True))
    assert names[1:] == ["News", "Sports", "Culture"]
