"""The media library in the admin."""

import io
import re
from datetime import timedelta
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from accounts.models import GroupPlace
from core.audit.models import AuditEntry
from media_library.models import MediaFile, MediaFolder
from tests.accounts.picture_files import plain, saved
from tests.admin.pages.browsing import act, listed, place, told, undo, unrendered
from tests.admin.world import administrator_with
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
PAGE = "media_library_mediafile"


def jpeg(size=(900, 600), colour=(200, 40, 30)):
    return saved(plain(size, colour), "JPEG")


def upload(browser, site, *files):
    sent = {"files": [SimpleUploadedFile(name, data) for name, data in files]}
    return browser.post(f"{place(PAGE, 'add')}?site={site.pk}", sent)


@pytest.fixture
def site():
    return SiteFactory()


@pytest.fixture
def picture(highest, site):
    upload(highest, site, ("harbour.jpg", jpeg()))
    return MediaFile.objects.get()


def change(browser, row, **values):
    """The answer to the form with these values instead of those that it shows."""
    shown = browser.get(place(PAGE, "change", row.pk)).context["adminform"].form
    sent = {name: shown[name].value() for name in shown.fields}
    sent = {name: "" if value is None else value for name, value in sent.items()}
    return browser.post(place(PAGE, "change", row.pk), sent | values)


def test_several_files_are_uploaded_at_once_and_each_refusal_names_its_file(highest, site):
    answer = upload(highest, site, ("a.jpg", jpeg()), ("b.exe", b"MZ"), ("c.png", b"no picture"))
    assert answer.status_code == 302
    assert MediaFile.objects.get().title == "a"
    success, *errors = told(answer)
    assert success == "1 file was uploaded."
    assert [error.partition(":")[0] for error in errors] == ["b.exe", "c.png"]


def test_the_same_file_is_not_stored_again(highest, site, picture):
    assert told(upload(highest, site, ("again.jpg", jpeg())))[-1].startswith("1 file is in the library already")
    assert MediaFile.objects.get() == picture


def test_files_are_uploaded_to_the_folder_that_is_shown(highest, site):
    folder, other = (MediaFolder.objects.create(site=each, name="Press") for each in (site, SiteFactory()))
    page = highest.get(f"{place(PAGE)}?site__id__exact={site.pk}&folder={folder.pk}").content.decode()
    by_script, by_form = (
        unescape(re.search(pattern, page)[1]) for pattern in (r'data-upload="(.*?)"', r'"(/[^"]*/add/\?.*?)"')
    )

    def send(address, member, name):
        return highest.post(address, {member: SimpleUploadedFile(name, name.encode())})

    assert send(by_script, "file", "a.txt").status_code == 200
    assert f"folder={folder.pk}" in send(by_form, "files", "b.txt").url
    assert list(MediaFile.objects.values_list("folder", flat=True)) == [folder.pk, folder.pk]
    refused = send(by_script.replace(f"folder={folder.pk}", f"folder={other.pk}"), "file", "c.txt")
    assert (refused.status_code, MediaFile.objects.count()) == (400, 2)


def test_files_are_found_by_words_kind_and_missing_text(highest, site, picture):
    upload(highest, site, ("notes.txt", b"Notes of the meeting"))
    notes = MediaFile.objects.get(kind="document")
    assert listed(highest, PAGE) == [notes, picture]
    assert listed(highest, PAGE, q="HARBOUR") == [picture]
    assert listed(highest, PAGE, kind__exact="document") == [notes]
    assert listed(highest, PAGE, without_text="1") == [picture]
    change(highest, picture, alternative_text="A red square")
    assert listed(highest, PAGE, without_text="1") == []
    assert listed(highest, PAGE, q="square") == [picture]


@pytest.mark.parametrize(("layout", "size"), [("grid", (320, 240)), ("table", (64, 64))])
def test_the_list_shows_small_pictures_in_the_layout_that_the_person_chose(highest, client, picture, layout, size):
    chosen = highest.post(place(PAGE, "layout"), {"layout": layout, "query": "q=harbour"})
    assert chosen.url == f"{place(PAGE)}?q=harbour"
    page = highest.get(place(PAGE)).content.decode()
    assert ("as-grid" in page) == (layout == "grid")
    address = unescape(re.search('<img class="cover" src="([^"]+)"', page)[1])
    answer = client.get(address, headers={"Accept": "image/webp"})
    with Image.open(io.BytesIO(b"".join(answer.streaming_content))) as shown:
        assert (shown.format, shown.size) == ("WEBP", size)


def test_cards_are_sorted_by_a_menu_instead_of_heads_of_columns(highest, site, picture):
    upload(highest, site, ("agenda.txt", b"Agenda"))
    notes = MediaFile.objects.get(kind="document")
    MediaFile.objects.filter(pk=picture.pk).update(created_at=picture.created_at - timedelta(days=1))

    def orders():
        found = unrendered(highest, place(PAGE), {"p": 1, "q": "a"}).context_data["orders"]
        return {str(order.name): order for order in found}

    assert [name for name, order in orders().items() if order.is_current] == ["Newest first"]
    addresses = {name: place(PAGE) + order.address for name, order in orders().items()}
    shown = {name: unrendered(highest, each).context_data["cl"].result_list[0] for name, each in addresses.items()}
    first = dict.fromkeys(("Newest first", "Title from A to Z", "Smallest first"), notes)
    assert shown == dict.fromkeys(("Oldest first", "Title from Z to A", "Largest first"), picture) | first
    page = highest.get(addresses["Oldest first"]).content.decode()
    assert "Sort by: Oldest first" in page
    highest.post(place(PAGE, "layout"), {"layout": "table"})
    assert orders() == {}


def test_the_form_changes_texts_and_the_focal_point(highest, picture):
    answer = change(highest, picture, title="Dawn", credit="Own", tags="sea,red", focal_left=25, focal_top=80)
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    picture.refresh_from_db()
    assert (picture.title, picture.credit, picture.tags) == ("Dawn", "Own", "sea,red")
    assert (picture.focal_x, picture.focal_y, picture.version) == (0.25, 0.8, 2)
    page = highest.get(place(PAGE, "change", picture.pk)).content.decode()
    assert picture.address in page
    assert "?w=640&amp;format=auto" in page
    change(highest, picture, focal_left="", focal_top="")
    picture.refresh_from_db()
    assert picture.focal_x is None


@pytest.mark.parametrize("values", [{"focal_left": 25}, {"focal_left": 101, "focal_top": 1}, {"title": "x" * 300}])
def test_a_wrong_value_is_shown_in_the_form_and_changes_nothing(highest, picture, values):
    assert change(highest, picture, **values).context["errors"]
    picture.refresh_from_db()
    assert (picture.version, picture.focal_x) == (1, None)


def test_a_form_that_is_older_than_the_record_changes_nothing(highest, picture):
    change(highest, picture, title="First")
    assert change(highest, picture, title="Second", seen_version=1).context["errors"]
    picture.refresh_from_db()
    assert picture.title == "First"


def test_a_file_goes_to_the_trash_and_comes_back(highest, client, picture):
    address = f"/media/sites/{picture.site_id}/{picture.path}"
    answer = act(highest, PAGE, "trash", picture)
    assert client.head(address).status_code == 404
    assert listed(highest, PAGE) == []
    assert listed(highest, PAGE, trashed="1") == [picture]
    assert "answers “not found”" in highest.get(place(PAGE, "change", picture.pk)).content.decode()
    undo(highest, answer)
    assert client.head(address).status_code == 200
    act(highest, PAGE, "trash", picture)
    act(highest, PAGE, "restore", picture)
    assert listed(highest, PAGE) == [picture]
    assert AuditEntry.objects.filter(action="media.restored").count() == 2


def test_a_file_says_where_it_is_used_before_it_is_deleted(highest, picture):
    channel = ChannelFactory(site=picture.site)
    content = ContentFactory(channel=channel, title="Harbour at dawn", image_url=picture.address)
    page = highest.get(place(PAGE, "change", picture.pk)).content.decode()
    assert f'<a href="{place("contents_content", "change", content.pk)}">Harbour at dawn</a>' in page
    asked = highest.get(place(PAGE, "action", "trash"), {"ids": picture.pk}).content.decode()
    assert "“harbour” is used in 1 place." in asked
    assert listed(highest, PAGE, unused="1") == []
    content.delete()
    assert listed(highest, PAGE, unused="1") == [picture]


def test_names_of_records_are_shown_to_those_who_may_see_them(site, picture, client):
    ContentFactory(channel=ChannelFactory(site=site), title="Secret", image_url=picture.address)
    reader = administrator_with("media_library.view_mediafile")
    client.force_login(reader)
    page = client.get(place(PAGE, "change", picture.pk)).content.decode()
    assert "Where it is used" in page
    assert "Secret" not in page


def test_rights_are_those_of_the_site(site, picture, client):
    reader = administrator_with("media_library.view_mediafile")
    GroupPlace.objects.create(group=reader.groups.get(), site_id=site.pk, channel_id=0)
    client.force_login(reader)
    assert listed(client, PAGE) == [picture]
    assert client.post(place(PAGE, "change", picture.pk), {"title": "x"}).status_code == 403
    assert client.get(place(PAGE, "add")).status_code == 403
    foreign = administrator_with("media_library.view_mediafile", "media_library.add_mediafile")
    GroupPlace.objects.create(group=foreign.groups.get(), site_id=SiteFactory().pk, channel_id=0)
    client.force_login(foreign)
    assert listed(client, PAGE) == []
    assert client.get(f"{place(PAGE, 'add')}?site={site.pk}").status_code == 404
    assert client.get(place(PAGE, "change", picture.pk)).status_code == 404
