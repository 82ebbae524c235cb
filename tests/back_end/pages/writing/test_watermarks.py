"""Watermarks: uploaded pictures get what the settings of their site say, seen in their pixels."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image, ImageChops

from sites import watermark_fonts
from tests.accounts.forms import keep_media_in
from tests.accounts.picture_files import opened, plain, saved
from tests.back_end.pages.writing.test_uploads import kept, read, upload
from tests.factories import SiteFactory
from tests.sites.test_site_admin import save, stored

pytestmark = pytest.mark.django_db
GREY = (128, 128, 128)
MARK = "upload/images/mark.png"
TEXT = {"isWaterMark": True, "waterMarkFormatString": "Harbour", "waterMarkFontSize": 40, "waterMarkTransparency": 10}
PICTURE = {"isWaterMark": True, "isImageWaterMark": True, "waterMarkImagePath": f"@/{MARK}"}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """Where the files go."""
    keep_media_in(settings, tmp_path / "media")
    return tmp_path / "media"


@pytest.fixture
def no_fonts(monkeypatch):
    """A machine without fonts of its own."""
    monkeypatch.setattr(watermark_fonts, "_FOLDERS", ())
    watermark_fonts.find_face.cache_clear()
    yield
    watermark_fonts.find_face.cache_clear()


def site_with(**settings):
    """A site with these settings, and with a red picture of 60 by 30 pixels among its files."""
    site = SiteFactory(settings=settings)
    default_storage.save(f"sites/{site.pk}/{MARK}", ContentFile(saved(plain((60, 30), (255, 0, 0)), "PNG")))
    return site


def shown(highest, site, picture, kind="PNG", **options):
    """The picture as it is served after it was uploaded."""
    answer = upload(highest, site, f"a.{kind.lower()}", saved(picture, kind, **options))
    assert answer.status_code == 200, answer.json()
    return opened(read(highest.get(answer.json()["shown"])))


def changed_box(picture, colour=GREY):
    """The box of all that is not of that colour."""
    rgb = picture.convert("RGB")
    return (
        ImageChops.difference(rgb, Image.new("RGB", rgb.size, colour))
        .convert("L")
        .point(lambda each: each > 8)
        .getbbox()
    )


@pytest.mark.parametrize("position", range(1, 10))
def test_a_picture_stands_at_its_place_of_nine(highest, position):
    site = site_with(**PICTURE, waterMarkPosition=position, waterMarkTransparency=10)
    box = changed_box(shown(highest, site, plain((600, 300), GREY)))
    row, column = divmod(position - 1, 3)
    left, top = (6, 270, 600 - 60 - 6)[column], (3, 135, 300 - 30 - 3)[row]
    assert box == (left, top, left + 60, top + 30)


@pytest.mark.parametrize(("transparency", "red"), [(1, 141), (5, 192), (10, 255)])
def test_it_is_as_opaque_as_it_shall_be(highest, transparency, red):
    site = site_with(**PICTURE, waterMarkPosition=5, waterMarkTransparency=transparency)
    pixel = shown(highest, site, plain((600, 300), GREY)).getpixel((300, 150))
    assert abs(pixel[0] - red) <= 1


def test_a_text_is_written_in_white_with_a_dark_edge(highest):
    drawn = shown(highest, site_with(**TEXT), plain((600, 300), GREY))
    left, top, right, bottom = changed_box(drawn)
    assert 590 <= right <= 594
    assert bottom == 297
    assert 100 < right - left < 250
    assert 25 < bottom - top < 60
    colours = {colour for _, colour in drawn.getcolors(100_000)}
    assert {(255, 255, 255), (0, 0, 0)} <= colours


def test_a_text_that_is_too_wide_is_written_smaller_and_at_last_cut_off(highest):
    wide = TEXT | {"waterMarkFormatString": "Harbour " * 20}
    left, top, right, bottom = changed_box(shown(highest, site_with(**wide), plain((600, 300), GREY)))
    assert left >= 6
    assert right <= 594
    assert bottom - top < 15
    endless = TEXT | {"waterMarkFormatString": "W" * 2000, "waterMarkFontSize": 1000}
    box = changed_box(shown(highest, site_with(**endless), plain((600, 300), GREY)))
    assert (box[0], box[2]) == (6, 594)


def test_date_and_time_stand_in_the_text_and_nothing_else_is_filled_in(highest, monkeypatch):
    drawn = []
    monkeypatch.setattr("sites.watermarks.ImageDraw.Draw", lambda mark: Noting(drawn))
    site = site_with(**TEXT | {"waterMarkFormatString": "{0} {1} {0.__class__} {2}"})
    upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert len(drawn) == 1
    date, time, *others = drawn[0].split()
    assert (len(date.split("-")), len(time.split(":")), others) == (3, 3, ["{0.__class__}", "{2}"])


class Noting:
    """Draws nothing, and notes which texts it is to draw."""

    def __init__(self, texts):
        self.texts = texts

    def text(self, place, text, **options):
        self.texts.append(text)


@pytest.mark.parametrize(
    ("size", "limits", "is_marked"),
    [
        ((199, 300), {}, False),
        ((300, 199), {}, False),
        ((200, 200), {}, True),
        ((40, 30), {"waterMarkMinWidth": 0, "waterMarkMinHeight": 0}, True),
        ((500, 500), {"waterMarkMinWidth": 501}, False),
    ],
)
def test_small_pictures_get_none(highest, size, limits, is_marked):
    drawn = shown(highest, site_with(**PICTURE, **limits), plain(size, GREY))
    assert (changed_box(drawn) is not None) == is_marked


def test_a_large_mark_covers_half_of_a_side_at_most(highest):
    site = SiteFactory(settings=PICTURE | {"waterMarkTransparency": 10})
    default_storage.save(f"sites/{site.pk}/{MARK}", ContentFile(saved(plain((2000, 500), (255, 0, 0)), "PNG")))
    left, top, right, bottom = changed_box(shown(highest, site, plain((600, 300), GREY)))
    assert 285 <= right - left <= 300
    assert 70 <= bottom - top <= 75


@pytest.mark.parametrize(
    ("mode", "colour", "kind"),
    [
        ("1", 0, "PNG"),
        ("L", 128, "PNG"),
        ("L", 128, "JPEG"),
        ("LA", (128, 255), "PNG"),
        ("P", 0, "PNG"),
        ("P", 0, "GIF"),
        ("RGB", GREY, "JPEG"),
        ("RGB", GREY, "WEBP"),
        ("RGB", GREY, "BMP"),
        ("RGBA", (*GREY, 0), "PNG"),
        ("RGBA", (*GREY, 0), "WEBP"),
        ("CMYK", (90, 90, 90, 0), "JPEG"),
    ],
)
def test_pictures_of_every_kind_get_it_and_keep_what_is_transparent(highest, mode, colour, kind):
    site = site_with(**TEXT, waterMarkPosition=5, imageUploadTypeCollection="png|jpg|gif|webp|bmp")
    drawn = shown(highest, site, plain((300, 300), colour, mode), kind)
    middle = drawn.convert("RGBA").crop((60, 120, 240, 180)).getcolors(100_000)
    assert any(min(pixel) > 230 for _, pixel in middle)
    assert (drawn.convert("RGBA").getpixel((0, 0))[3] == 0) == (mode == "RGBA")


def test_animations_get_none(highest):
    frames = [plain((300, 300), GREY), plain((300, 300), (20, 20, 20))]
    drawn = shown(highest, site_with(**PICTURE), frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert drawn.n_frames == 2
    assert changed_box(drawn) is None


def test_smaller_forms_show_it_too(highest, folder):
    site = site_with(**PICTURE, waterMarkTransparency=10, photoMiddleWidth=300)
    upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    (middle,) = [name for name in kept(folder) if "_middle" in name]
    box = changed_box(opened((folder / middle).read_bytes()))
    assert abs(box[2] - box[0] - 30) <= 4


def test_a_site_that_wants_none_or_says_nothing_leaves_pictures_as_they_are(highest):
    for settings in (
        TEXT | {"isWaterMark": False},
        {"isWaterMark": True},
        {"isWaterMark": True, "isImageWaterMark": True},
    ):
        assert changed_box(shown(highest, site_with(**settings), plain((300, 300), GREY))) is None


# ---- Fonts


def test_a_text_in_chinese_is_written_in_a_font_that_has_it(highest):
    try:
        watermark_fonts.find_face("", frozenset("港口"))
    except Exception:  # noqa: BLE001
        pytest.skip("No font of this machine has Chinese characters.")
    boxes = [
        shown(highest, site_with(**TEXT | {"waterMarkFormatString": text}), plain((600, 300), GREY)).tobytes()
        for text in ("港口", "港湾")
    ]
    assert boxes[0] != boxes[1]


def test_a_font_is_found_by_its_family_or_its_file():
    installed = [each for each in watermark_fonts._installed() if each.family == "dejavusans"]
    if not installed:
        pytest.skip("The font DejaVu Sans is not installed.")
    letters = frozenset("Harbour")
    for name in ("DejaVu Sans", "dejavu sans", "DejaVuSans"):
        assert "DejaVuSans" in watermark_fonts.find_face(name, letters).path
    assert watermark_fonts.find_face("No such font", letters) == watermark_fonts.PILLOWS_OWN


def test_no_picture_is_kept_whose_mark_cannot_be_drawn(highest, folder, no_fonts):
    site = site_with(**TEXT | {"waterMarkFormatString": "港口"})
    answer = upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert answer.status_code == 400
    assert "“口” of the watermark" in answer.json()["message"]
    assert kept(folder) == [f"sites/{site.pk}/{MARK}"]


@pytest.mark.parametrize(
    "path", ["@/upload/none.png", "../1/a.png", "@/../../secret_key.txt", "/etc/passwd", "https://a.example/a.png"]
)
def test_a_mark_that_is_no_file_of_the_site_is_told(highest, path):
    site = site_with(**PICTURE | {"waterMarkImagePath": path})
    answer = upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert answer.status_code == 400
    assert f"The site has no file {path}" in answer.json()["message"]


@pytest.mark.parametrize("data", [b"", b"x" * 100, b"x" * 6_000_000, saved(plain((2001, 2000)), "PNG")])
def test_a_mark_that_is_no_picture_or_too_large_is_told(highest, data):
    site = SiteFactory(settings=PICTURE)
    default_storage.save(f"sites/{site.pk}/{MARK}", ContentFile(data))
    answer = upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert answer.status_code == 400
    assert "name as watermark is none" in answer.json()["message"]


# ---- The settings


def test_settings_of_which_nothing_could_be_drawn_are_refused(highest, no_fonts):
    site = site_with()
    refused = save(highest, site, isWaterMark="on", waterMarkFormatString="港口")
    assert "waterMarkFormatString" in refused.context["adminform"].form.errors
    refused = save(highest, site, isWaterMark="on", isImageWaterMark="on", waterMarkImagePath="@/upload/none.png")
    assert "waterMarkImagePath" in refused.context["adminform"].form.errors
    assert stored(site).settings == {}
    assert (
        save(highest, site, isWaterMark="on", isImageWaterMark="on", waterMarkImagePath=f"@/{MARK}").status_code == 302
    )
    assert stored(site).settings == PICTURE


def test_settings_that_say_nothing_of_the_mark_do_not_look_at_it(highest, no_fonts):
    site = site_with(isWaterMark=True, waterMarkFormatString="港口")
    assert save(highest, site, pageSize="20").status_code == 302
