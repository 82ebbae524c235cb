"""A part of a picture, as a copy or at the address of the picture."""

import io
import re

import pytest
from PIL import Image, ImageChops

from accounts.models import GroupPlace
from core.archive import media
from core.audit.models import AuditEntry
from core.lib.media_storage import StorageUnavailable, WholeFiles
from events.models import Event
from media_library.models import MediaFile, MediaFolder
from media_library.upload_pictures import Box, draw
from tests.accounts.forms import stored, stored_files
from tests.accounts.picture_files import opened, plain, saved
from tests.admin.pages.browsing import act, place, told
from tests.admin.world import administrator_with
from tests.factories import SiteFactory
from tests.media_library.test_library_pages import PAGE, change, upload

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]

LEFT, RIGHT = (200, 40, 30), (30, 40, 200)
BOX = {"x": 300, "y": 100, "width": 200, "height": 120}


def halves(kind="PNG", **options):
    """The file of a picture of 600 × 400 pixels: red at the left, blue at the right."""
    picture = plain((600, 400), LEFT)
    picture.paste(RIGHT, (300, 0, 600, 400))
    return saved(picture, kind, **options)


@pytest.fixture
def site():
    return SiteFactory()


@pytest.fixture
def picture(highest, site):
    upload(highest, site, ("harbour.png", halves()))
    row = MediaFile.objects.get()
    change(
        highest,
        row,
        title="Harbour",
        alternative_text="Two halves",
        credit="Own",
        tags="sea",
        focal_left=75,
        focal_top=50,
    )
    row.refresh_from_db()
    return row


def crop(browser, row, result="copy", **values):
    sent = BOX | {"seen_version": row.version, "result": result} | values
    return browser.post(place(PAGE, "crop", row.pk), sent)


def shown(row):
    return Image.open(io.BytesIO(stored(f"sites/{row.site_id}/{row.path}")))


def put(site, row, data):
    """Store the bytes there as imports do, which redraw nothing."""
    media.store(f"sites/{site.pk}/{row.path}", [data])


def test_a_part_becomes_a_file_of_its_own_with_texts_and_folder(highest, site, picture):
    folder = MediaFolder.objects.create(site=site, name="Press")
    MediaFile.objects.update(folder=folder)
    before = stored(f"sites/{site.pk}/{picture.path}")
    answer = crop(highest, picture)
    copy = MediaFile.objects.exclude(pk=picture.pk).get()
    assert answer.url == place(PAGE, "change", copy.pk)
    assert told(answer)[-1] == "The part was stored as another file."
    assert (copy.width, copy.height, copy.bytes) == (200, 120, len(stored(f"sites/{site.pk}/{copy.path}")))
    assert (copy.title, copy.alternative_text, copy.credit, copy.tags) == ("Harbour", "Two halves", "Own", "sea")
    assert (copy.folder, copy.uploader, copy.path.startswith("upload/images/")) == (folder, picture.uploader, True)
    assert (copy.focal_x, copy.focal_y) == (0.75, pytest.approx(100 / 120))
    with shown(copy) as part:
        assert (part.format, part.size, part.getcolors()) == ("PNG", (200, 120), [(200 * 120, RIGHT)])
    assert stored(f"sites/{site.pk}/{picture.path}") == before


def test_a_part_takes_the_address_of_the_picture(highest, site, picture):
    names = stored_files()
    answer = crop(highest, picture, "replace", width=60)
    row = MediaFile.objects.get()
    assert answer.url == place(PAGE, "change", row.pk)
    assert (row.path, row.version, row.width, row.height) == (picture.path, picture.version + 1, 60, 120)
    assert row.replaced_at and (row.focal_x, row.focal_y) == (None, None)  # it was at 450 × 200
    assert stored_files() == {name for name in names if "_" not in name.rpartition("/")[2]}  # none is smaller
    with shown(row) as part:
        assert part.getcolors() == [(60 * 120, RIGHT)]
    assert AuditEntry.objects.get(action="media.replaced").object_id == str(row.pk)


def test_copies_and_replacements_are_events_like_uploads(highest, picture):
    before = Event.objects.count()
    crop(highest, picture)
    crop(highest, picture, "replace")
    types = list(Event.objects.order_by("pk").values_list("name", flat=True)[before:])
    assert types == ["media.created", "media.changed"]


def test_the_same_part_is_stored_once(highest, picture):
    crop(highest, picture)
    again = crop(highest, picture)
    assert told(again)[-1] == "This part is in the library already and was not stored again."
    assert MediaFile.objects.count() == 2


def test_pixels_are_those_that_browsers_show(highest, site, picture):
    turned = Image.Exif()
    turned[0x0112] = 6  # a quarter to the right: red above, blue below
    put(site, picture, halves(exif=turned))
    crop(highest, picture, x=0, y=300, width=400, height=300)
    with shown(MediaFile.objects.exclude(pk=picture.pk).get()) as part:
        assert (part.size, part.getcolors()) == ((400, 300), [(400 * 300, RIGHT)])


@pytest.mark.parametrize("turned", range(1, 9))
@pytest.mark.parametrize("side", [200, 20])
def test_a_part_is_that_of_the_turned_picture(turned, side):
    tag = Image.Exif()
    tag[0x0112] = turned
    down = Image.linear_gradient("L")
    picture = Image.merge("RGB", [down, down.rotate(90), Image.radial_gradient("L")]).resize((120, 90))
    data = saved(picture, "PNG", exif=tag)
    limits = {"max_pixels": 100_000, "side": 200}
    whole = opened(draw(data, **limits).data)
    size = (min(40, side), min(30, side * 3 // 4))
    part = whole.crop((10, 20, 10 + 40, 20 + 30)).resize(size, Image.Resampling.LANCZOS)
    found = opened(draw(data, **limits | {"side": side}, box=Box(10, 20, 40, 30)).data)
    assert found.size == part.size
    assert max(high for _low, high in ImageChops.difference(found, part).getextrema()) <= 12


@pytest.mark.parametrize("kind", ["JPEG", "GIF", "WEBP"])
def test_the_format_stays(highest, kind):
    site = SiteFactory(settings={"imageUploadTypeCollection": "jpg|gif|webp"})
    upload(highest, site, (f"a.{kind.lower()}", halves(kind)))
    row = MediaFile.objects.get()
    assert crop(highest, row, "replace").status_code == 302
    with shown(row) as part:
        assert (part.format, part.size) == (kind, (200, 120))


@pytest.mark.parametrize(
    ("values", "member", "message"),
    [
        ({"x": "-1"}, "x", "greater than or equal to 0"),
        ({"x": "NaN"}, "x", "Enter a whole number"),
        ({"y": "1e3"}, "y", "Enter a whole number"),
        ({"width": "0"}, "width", "greater than or equal to 1"),
        ({"height": ""}, "height", "required"),
        ({"height": "9" * 5000}, "height", "Enter a whole number"),
        ({"width": "99999999999999999999"}, "width", "less than or equal to 16000"),
        ({"width": "301"}, "__all__", "within the picture, which has 600 × 400 pixels"),
        ({"y": "281"}, "__all__", "within the picture, which has 600 × 400 pixels"),
    ],
)
@pytest.mark.parametrize("result", ["copy", "replace"])
def test_numbers_outside_the_picture_are_refused_in_the_form(highest, picture, values, member, message, result):
    before = stored_files()
    (refusal,) = crop(highest, picture, result, **values).context["form"].errors[member]
    assert message in refusal
    assert (stored_files(), MediaFile.objects.get().version) == (before, picture.version)


def test_animations_are_refused(highest, site):
    frames = [plain((60, 40), colour) for colour in (LEFT, RIGHT)]
    upload(highest, site, ("a.gif", saved(frames[0], "GIF", save_all=True, append_images=frames[1:])))
    answer = crop(highest, MediaFile.objects.get(), x=0, y=0, width=10, height=10)
    assert answer.context["form"].non_field_errors() == ["Animated pictures cannot be cropped."]


@pytest.mark.parametrize("result", ["copy", "replace"])
def test_a_picture_that_has_changed_meanwhile_is_not_cropped(highest, picture, result):
    crop(highest, picture, "replace")
    before = stored_files()
    answer = crop(highest, picture, result, x=0, y=0, width=10, height=10)
    assert answer.context["form"].non_field_errors() == ["It has changed since you opened it; check it again."]
    assert stored_files() == before


@pytest.mark.parametrize("result", ["copy", "replace"])
def test_a_picture_that_changes_while_it_is_drawn_is_not_mixed(highest, picture, result, monkeypatch):
    from media_library import cropping

    original = cropping.drawn_upload

    def draw(*arguments):
        upload = original(*arguments)
        MediaFile.objects.filter(pk=picture.pk).update(version=picture.version + 1)
        return upload

    before = stored_files()
    monkeypatch.setattr(cropping, "drawn_upload", draw)
    assert crop(highest, picture, result).context["form"].errors
    assert stored_files() == before


def test_lost_files_unknown_formats_and_a_failing_storage_are_said(highest, site, picture, monkeypatch):
    put(site, picture, b"no picture")
    assert "not a complete" in str(crop(highest, picture).context["form"].errors)
    for name in stored_files():
        media.remove(name)
    assert "The storage has lost the file" in str(crop(highest, picture).context["form"].errors)

    def fail(*arguments):
        raise StorageUnavailable("gone")

    monkeypatch.setattr(WholeFiles, "size_of", fail)
    assert "not responding" in str(crop(highest, picture).context["form"].errors)


def test_copies_need_the_right_to_upload_and_replacements_the_right_to_change(picture, site, client):
    def sign_in(*rights, site_id=site.pk):
        person = administrator_with(
            "media_library.view_mediafile", *(f"media_library.{each}_mediafile" for each in rights)
        )
        GroupPlace.objects.create(group=person.groups.get(), site_id=site_id, channel_id=0)
        client.force_login(person)

    def answers():
        page = client.get(place(PAGE, "crop", picture.pk))
        offered = re.findall('name="result" value="([a-z]+)"', page.content.decode())
        return (
            page.status_code,
            offered,
            [crop(client, picture, each, width=0).status_code for each in ("copy", "replace")],
        )

    sign_in()
    assert answers() == (404, [], [404, 404])
    sign_in("add")
    assert answers() == (200, ["copy"], [200, 404])
    sign_in("change")
    assert answers() == (200, ["replace"], [404, 200])
    sign_in("add", "change", site_id=SiteFactory().pk)
    assert answers() == (404, [], [404, 404])
    assert MediaFile.objects.get().version == picture.version


def test_other_files_and_the_trash_have_nothing_to_crop(highest, site, picture):
    page = highest.get(place(PAGE, "change", picture.pk)).content.decode()
    assert place(PAGE, "crop", picture.pk) in page
    upload(highest, site, ("notes.txt", b"Notes"))
    notes = MediaFile.objects.get(kind="document")
    act(highest, PAGE, "trash", picture)
    for row in (notes, picture):
        assert crop(highest, row).status_code == 404
        assert place(PAGE, "crop", row.pk) not in highest.get(place(PAGE, "change", row.pk)).content.decode()
