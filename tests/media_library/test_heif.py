"""HEIC and AVIF pictures: redrawn out of a process of their own, by all ways of upload."""

import io
import logging
import struct
import subprocess
import sys
from base64 import b64encode
from functools import partial

import pillow_heif
import pytest
from PIL import Image

from core.lib.errors import InvalidInput
from core.uploads import heif
from media_library import upload_pictures
from media_library.models import MediaFile
from media_library.reading import size_of_picture
from tests.accounts.forms import stored, stored_files
from tests.accounts.picture_files import WIDE_RGB, opened, plain, saved
from tests.accounts.test_pictures import close
from tests.admin.pages.writing.test_uploads import upload
from tests.assertions import assert_error
from tests.factories import SiteFactory
from tests.media_library.test_record import store
from tests.media_library.test_renditions import keep, shown
from tests.media_library.test_resumable import begun
from tests.media_library.test_resumable import send as send_portion
from tests.media_library.test_source_url import source
from tests.media_library.test_sync_media import sync
from tests.media_library.uploads import address, picture, replace, send, uploaded
from tools.packages import ROOT

__all__ = ["source"]
draw = partial(upload_pictures.draw, max_pixels=1_000_000, side=400)
RED, BLUE = (200, 30, 30), (30, 30, 200)


def heic(picture, **options):
    file = io.BytesIO()
    pillow_heif.from_pillow(picture).save(file, quality=90, **options)
    return file.getvalue()


def halves(size=(96, 64)):
    """A picture with a red upper half and a blue lower one."""
    drawn = plain(size, RED)
    drawn.paste(BLUE, (0, size[1] // 2, *size))
    return drawn


def turned():
    """The Exif of a phone held upright, which names the place, too."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif.get_ifd(0x8825).update({1: "N", 2: (54.0, 10.0, 0.0)})
    return exif.tobytes()


PHOTO = heic(halves(), exif=turned(), icc_profile=WIDE_RGB)


def with_size(data, width, height):
    """The file with another size in its boxes than that of its pictures."""
    first, *rest = data.split(b"ispe\0\0\0\0")
    return b"".join([first, *(b"ispe\0\0\0\0" + struct.pack(">II", width, height) + each[8:] for each in rest)])


# ---- drawing


def test_a_photo_becomes_an_upright_jpeg_without_place():
    drawn = draw(PHOTO, widths=[("small", 20)])
    result = opened(drawn.data)
    assert (result.format, drawn.extension, result.size) == ("JPEG", "jpg", (64, 96))
    assert close(result.getpixel((60, 48)), RED, by=12) and close(result.getpixel((4, 48)), BLUE, by=12)
    assert dict(result.getexif()) == {} and b"Exif" not in drawn.data
    assert result.info["icc_profile"] == WIDE_RGB
    assert opened(drawn.smaller["small"]).size == (20, 30)


def test_it_is_drawn_at_most_as_large_as_others():
    drawn = draw(heic(plain((640, 480), RED)))
    assert (drawn.width, drawn.height) == (400, 300) and close(opened(drawn.data).getpixel((9, 9)), RED, by=6)


@pytest.mark.parametrize(
    ("mode", "colour", "expected"),
    [("RGBA", (200, 30, 30, 0), (255, 255, 255)), ("RGBA", (200, 30, 30, 255), RED), ("L", 90, (90, 90, 90))],
)
def test_a_transparent_or_grey_picture_becomes_a_jpeg_too(mode, colour, expected):
    result = opened(draw(heic(plain((64, 64), colour, mode))).data).convert("RGB")
    assert close(result.getpixel((30, 30)), expected, by=6)


def test_of_several_pictures_the_first_is_drawn():
    file = pillow_heif.from_pillow(plain((64, 64), RED))
    file.add_from_pillow(plain((32, 32), BLUE))
    data = io.BytesIO()
    file.save(data)
    assert (draw(data.getvalue()).width, draw(data.getvalue()).extension) == (64, "jpg")


@pytest.mark.parametrize("alpha", [(), (120,)], ids=["opaque", "transparent"])
def test_an_avif_is_redrawn_as_one(alpha):
    given = halves()
    if alpha:
        given.putalpha(*alpha)
    drawn = draw(saved(given, "AVIF", exif=turned(), icc_profile=WIDE_RGB), widths=[("small", 20)])
    result = opened(drawn.data)
    assert (result.format, drawn.extension, result.size) == ("AVIF", "avif", (64, 96))
    assert close(result.getpixel((60, 48)), (*RED, *alpha), by=12) and dict(result.getexif()) == {}
    assert result.info["icc_profile"] == WIDE_RGB and opened(drawn.smaller["small"]).size == (20, 30)


def test_an_animated_avif_is_refused():
    data = saved(plain((32, 32), RED), "AVIF", save_all=True, append_images=[plain((32, 32), BLUE)], duration=90)
    with pytest.raises(InvalidInput, match="animated"):
        draw(data)


# ---- hostile files


@pytest.mark.parametrize("data", [PHOTO, saved(halves(), "AVIF")], ids=["HEIC", "AVIF"])
def test_files_that_are_cut_or_no_pictures_are_refused(data):
    for wrong in (data[:20], data[: len(data) // 2], data[:-200], data[:32] + bytes(5000)):
        with pytest.raises(InvalidInput) as refusal:
            draw(wrong)
        assert refusal.value.code == "not_a_picture"


@pytest.mark.parametrize("make", [heic, partial(saved, kind="AVIF")], ids=["HEIC", "AVIF"])
def test_large_pictures_are_refused_before_they_are_decoded(make):
    data = make(plain((1100, 1000), RED))
    assert refusal_of(data) == "picture_too_large"
    assert refusal_of(with_size(data, 12_000, 12_000)) == "picture_too_large"
    assert refusal_of(with_size(data, 16_001, 10)) == "picture_too_large"


def test_pictures_larger_than_announced_are_refused():
    assert refusal_of(with_size(heic(plain((1100, 1000), RED)), 100, 100)) == "not_a_picture"


def refusal_of(data):
    with pytest.raises(InvalidInput) as refusal:
        draw(data)
    return refusal.value.code


CUT_SHORT = """
import sys
from core.uploads import heif_process
heif_process._BYTES = heif_process._BYTES_PER_PIXEL = 0
heif_process.main(1_000_000, 400)
"""
CURIOUS = """
import io, resource, socket, sys
from core.uploads import heif_process
def look(picture):
    for act in (lambda: open("/etc/passwd"), socket.socket):
        try:
            act()
        except OSError as error:
            sys.stderr.write(type(error).__name__ + str(error.errno) + " ")
    return None
heif_process.orientation = look
heif_process.main(1_000_000, 0)
"""


def run(program, data):
    return subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, cwd=ROOT, check=False)


def test_the_process_ends_at_its_limit_of_memory():
    done = run(CUT_SHORT, PHOTO)
    assert done.returncode and not done.stdout


def test_the_process_opens_nothing_after_it_has_begun():
    done = run(CURIOUS, saved(halves(), "AVIF"))
    assert done.stderr.decode().split() == ["OSError24", "OSError24"]  # EMFILE


def test_the_process_has_no_secrets(monkeypatch):
    seen = {}

    def note(arguments, **options):
        seen.update(options)
        raise InvalidInput("not_a_picture", "")

    monkeypatch.setattr(heif.subprocess, "run", note)
    with pytest.raises(InvalidInput):
        draw(PHOTO)
    assert seen["env"] == {}


def test_a_decoder_that_crashes_is_logged(monkeypatch, caplog):
    crash = [sys.executable, "-c", "import os; os.kill(os.getpid(), 11)"]
    run_it = subprocess.run
    monkeypatch.setattr(heif.subprocess, "run", lambda _, **options: run_it(crash, **options))
    with caplog.at_level(logging.WARNING):
        assert refusal_of(PHOTO) == "not_a_picture"
    assert "signal 11" in caplog.text


def test_no_other_process_loads_the_decoder():
    program = "import django, sys; django.setup(); import media_library.creation; print('pillow_heif' in sys.modules)"
    assert run(program, b"").stdout.strip() == b"False"


# ---- sizes


def tiff(orientation):
    return saved(plain((30, 20), RED), "TIFF", tiffinfo={0x0112: orientation})


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PHOTO, (64, 96)),
        (heic(halves()), (96, 64)),
        (saved(halves(), "AVIF", exif=turned()), (64, 96)),
        (tiff(1), (30, 20)),
        (tiff(6), (20, 30)),
        (PHOTO[:100], (None, None)),
        (with_size(heic(halves()), 30_000, 30_000), (None, None)),
    ],
    ids=["turned HEIC", "HEIC", "AVIF", "TIFF", "turned TIFF", "cut", "too large"],
)
def test_the_size_is_that_which_browsers_show(data, size):
    assert size_of_picture(data) == size


@pytest.mark.django_db
@pytest.mark.usefixtures("media_folder")
def test_sync_media_reads_sizes():
    site = SiteFactory(settings={"fileUploadTypeCollection": "heic,tif"})
    for name, data in (("a.heic", PHOTO), ("a.tif", tiff(1)), ("a.avif", saved(halves(), "AVIF"))):
        store(site, name, data)
    sync()
    sizes = {row.path: (row.width, row.height) for row in MediaFile.objects.all()}
    assert sizes == {"a.heic": (64, 96), "a.tif": (30, 20), "a.avif": (96, 64)}


# ---- ways of upload


@pytest.fixture
def site(media_folder, db):
    return SiteFactory()


def assert_jpeg(site):
    row = MediaFile.objects.get()
    assert (row.title, row.content_type, row.width, row.height) == ("Photo", "image/jpeg", 64, 96)
    assert row.path.endswith(".jpg") and opened(stored(f"sites/{site.pk}/{row.path}")).format == "JPEG"


def test_a_form(api, site):
    send(api, site, ("Photo.HEIC", PHOTO))
    assert_jpeg(site)


def test_json(api, site):
    api.post(address(site), {"name": "Photo.heif", "content": b64encode(PHOTO).decode()})
    assert_jpeg(site)


def test_an_address(api, site, source):
    source.body = PHOTO
    api.post(address(site), {"sourceUrl": f"{source.root}/Photo.heic"})
    assert_jpeg(site)


def test_portions(api, site):
    path = begun(api, site, length=len(PHOTO), texts={"filename": "Photo.heic"})
    assert send_portion(api, path, 0, PHOTO).status_code == 204
    assert_jpeg(site)


def test_the_editor(highest, site):
    assert upload(highest, site, "Photo.heic", PHOTO).json()["width"] == 64
    assert_jpeg(site)


def test_a_jpeg_is_replaced(api, site):
    file = uploaded(api, site, "Photo.jpg", picture((30, 20)))
    record = replace(api, file, "other.heic", PHOTO).json()["value"]
    assert (record["path"], record["width"]) == (file.path, 64)
    assert_jpeg(site)


def test_a_site_that_takes_no_jpeg_takes_no_heic(api, db, media_folder):
    site = SiteFactory(settings={"imageUploadTypeCollection": "png"})
    assert_error(send(api, site, ("a.heic", PHOTO)), 400, "type_not_taken")
    assert_error(send(api, site, ("a.png", PHOTO)), 400, "type_not_taken")
    assert not stored_files()


def test_such_a_site_may_take_it_unchanged_as_a_file(api, db, media_folder):
    site = SiteFactory(settings={"imageUploadTypeCollection": "png", "fileUploadTypeCollection": "heic"})
    file = uploaded(api, site, "a.heic", PHOTO)
    assert (file.path[-5:], file.width, file.height) == (".heic", 64, 96)
    assert stored(f"sites/{site.pk}/{file.path}") == PHOTO


def test_avif_is_taken_where_a_site_lists_it(api, db, media_folder):
    data = saved(halves(), "AVIF", exif=turned())
    assert_error(send(api, SiteFactory(), ("a.avif", data)), 400, "type_not_taken")
    site = SiteFactory(settings={"imageUploadTypeCollection": "avif"})
    file = uploaded(api, site, "a.avif", data)
    assert (file.content_type, file.width, file.height) == ("image/avif", 64, 96)
    unchanged = SiteFactory(settings={"fileUploadTypeCollection": "avif"})
    assert uploaded(api, unchanged, "a.avif", data).bytes == len(data)


def test_avif_has_renditions(client, site):
    original = keep(site, saved(halves((960, 640)), "AVIF", exif=turned()), path="upload/a.avif")
    for query, kind in (("w=320", "AVIF"), ("w=320&format=jpeg", "JPEG")):
        drawn, _ = shown(client, original, query)
        assert (drawn.format, drawn.size) == (kind, (320, 480))
        assert close(drawn.convert("RGB").getpixel((310, 240)), RED, by=12)
