"""Watermarks: uploaded pictures get what the settings of their site say, seen in their pixels."""

import io
import os
import threading
from contextlib import nullcontext
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from PIL import Image, ImageChops

from core.lib.errors import InvalidInput
from core.lib.media_storage import StorageUnavailable, WholeFiles
from sites import watermark_checks, watermarks
from tests.accounts.forms import keep_media_in
from tests.accounts.picture_files import opened, plain, saved
from tests.admin.pages.writing.test_uploads import kept, read, upload
from tests.factories import SiteFactory
from tests.sites.test_site_admin import save, stored
from tests.sites.test_watermark_fonts import install

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


def test_a_text_in_chinese_is_written_in_a_font_that_has_it(highest, font_folder):
    install(font_folder, "NotoSansCJK-Regular.ttc", "0123456789港口湾")
    boxes = [
        shown(highest, site_with(**TEXT | {"waterMarkFormatString": text}), plain((600, 300), GREY)).tobytes()
        for text in ("港口", "港湾")
    ]
    assert boxes[0] != boxes[1]


def test_fonts_are_looked_for_in_the_lane_of_pictures(highest, monkeypatch):
    threads = []

    def noted(name):
        threads.append(threading.current_thread().name)

    monkeypatch.setattr(watermarks, "installed_font", noted)
    monkeypatch.setattr(watermark_checks, "installed_font", noted)
    shown(highest, site_with(**TEXT), plain((600, 300), GREY))
    drawn = len(threads)
    save(highest, site_with(), isWaterMark="on", waterMarkFormatString="Harbour", waterMarkFontName="bars")
    assert 0 < drawn < len(threads)
    assert all(name.startswith("lane pictures") for name in threads)


# ---- What cannot be drawn


def test_no_picture_is_kept_whose_mark_cannot_be_drawn(highest, folder, font_folder):
    site = site_with(**TEXT | {"waterMarkFormatString": "港口"})
    answer = upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert answer.status_code == 400
    assert "such as “港”. Change “Text of the watermark” in the settings of the site" in answer.json()["message"]
    assert kept(folder) == [f"sites/{site.pk}/{MARK}"]


BROKEN = [TEXT | {"waterMarkFormatString": "港口"}, PICTURE | {"waterMarkImagePath": "@/upload/none.png"}]


@pytest.mark.parametrize("broken", BROKEN)
def test_pictures_that_would_not_be_marked_are_kept_all_the_same(highest, font_folder, broken):
    site, large = site_with(**broken), plain((600, 300), GREY)
    assert upload(highest, site, "large.png", saved(large, "PNG")).status_code == 400
    assert changed_box(shown(highest, site, plain((199, 199), GREY))) is None
    animation = shown(highest, site, large, "GIF", save_all=True, append_images=[plain((600, 300), (9, 9, 9))])
    assert animation.n_frames == 2


def refused_mark(highest, site, path):
    """What is said of a picture on a site whose mark has that path."""
    site.settings = PICTURE | {"waterMarkImagePath": path}
    site.save()
    answer = upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert answer.status_code == 400
    return answer.json()["message"]


@pytest.mark.parametrize(
    "path",
    [
        "@/upload/none.png",
        "../1/a.png",
        "@/../../secret_key.txt",
        "@/upload/images/../images/mark.png",
        "@\\upload\\..\\a.png",
        "/etc/passwd",
        "/dev/zero",
        "https://a.example/a.png",
        "@/upload/images",
        f"@/upload/{'港' * 86}.png",  # more bytes than a name may have on a disk
    ],
)
def test_a_mark_that_is_no_file_of_the_site_is_told(highest, path):
    told = refused_mark(highest, site_with(), path)
    assert f"the site has no file {path}. Change “Picture of the watermark” in its settings." in told


def test_a_path_that_no_database_would_keep_is_told_too():
    with pytest.raises(InvalidInput) as refused:
        watermarks.drawn_picture(1, "@/upload/a\x00.png", (60, 30))
    assert refused.value.code == "watermark_missing"


def test_a_path_of_five_thousand_letters_is_told_by_its_beginning(highest):
    told = refused_mark(highest, site_with(), f"@/upload/{'a' * 5000}.png")
    assert f"the site has no file @/upload/{'a' * 91}…." in told


def test_what_stands_there_as_folder_pipe_or_link_out_of_the_media_is_no_file(highest, folder, tmp_path):
    site, picture = site_with(), tmp_path / "outside.png"
    picture.write_bytes(saved(plain((60, 30)), "PNG"))
    images = folder / "sites" / str(site.pk) / "upload" / "images"
    (images / "folder.png").mkdir()
    os.mkfifo(images / "pipe.png")
    (images / "out.png").symlink_to(picture)
    (images / "round.png").symlink_to(images / "round.png")
    for name in ("folder", "pipe", "out", "round"):
        path = f"@/upload/images/{name}.png"
        assert f"the site has no file {path}" in refused_mark(highest, site, path)


@pytest.mark.parametrize("data", [b"", b"x" * 100, b"x" * 6_000_000, saved(plain((2001, 2000)), "PNG")])
def test_a_mark_that_is_no_picture_or_too_large_is_told(highest, data):
    site = SiteFactory(settings=PICTURE)
    default_storage.save(f"sites/{site.pk}/{MARK}", ContentFile(data))
    answer = upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert answer.status_code == 400
    assert "its picture is not a valid picture" in answer.json()["message"]


def test_a_store_of_files_that_does_not_answer_is_told_as_such(highest, monkeypatch):
    def silent(self, name):
        raise StorageUnavailable

    site = site_with(**PICTURE)
    monkeypatch.setattr(WholeFiles, "size_of", silent)
    answer = upload(highest, site, "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert (answer.status_code, "file storage is not responding" in answer.json()["message"]) == (503, True)


def test_a_font_that_goes_away_while_it_is_written_in_is_not_blamed_on_the_picture(highest, monkeypatch, font_folder):
    path = Path(install(font_folder, "DejaVuSans.ttf", "0123456789Harbour"))
    font = watermarks.find_font("", "Harbour")
    path.unlink()
    monkeypatch.setattr(watermarks, "find_font", lambda *of: font)
    answer = upload(highest, site_with(**TEXT), "a.png", saved(plain((600, 300), GREY), "PNG"))
    assert "Change “Font of the watermark” in the settings of the site." in answer.json()["message"]


def told_by_the_command(ends_with):
    """The lines that `check_watermarks` prints."""
    out = io.StringIO()
    with pytest.raises(SystemExit) if ends_with else nullcontext() as ended:
        call_command("check_watermarks", stdout=out)
    assert not ends_with or ended.value.code == ends_with
    return out.getvalue().splitlines()


def test_a_command_names_the_sites_whose_mark_cannot_be_drawn(font_folder):
    site_with(**TEXT)
    assert told_by_the_command(0) == ["Every watermark can be drawn."]
    broken = [site_with(**settings) for settings in BROKEN]
    site_with(**BROKEN[0] | {"isWaterMark": False})
    lines = told_by_the_command(1)
    assert [line.partition(":")[0] for line in lines] == [f"Site {each.pk} ({each.site_name})" for each in broken]
    assert ("waterMarkFormatString" in lines[0], "waterMarkImagePath" in lines[1]) == (True, True)


# ---- The settings


def test_settings_of_which_nothing_could_be_drawn_are_refused(highest, font_folder):
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


def test_settings_that_say_nothing_of_the_mark_do_not_look_at_it(highest, font_folder):
    site = site_with(isWaterMark=True, waterMarkFormatString="港口")
    assert save(highest, site, pageSize="20").status_code == 302
