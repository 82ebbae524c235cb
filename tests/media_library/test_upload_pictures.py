"""Re-encoded pictures of contents keep their colours, transparency and frames."""

import io
from functools import partial

import pytest
from PIL import Image

from media_library import upload_pictures
from sites.watermarks import Watermark
from tests.accounts.picture_files import (
    BLACK_INK,
    LINEAR_GREY,
    MARK,
    WIDE_RGB,
    chunk,
    opened,
    plain,
    png,
    saved,
)
from tests.accounts.test_pictures import close

draw = partial(upload_pictures.draw, max_pixels=4_000_000, side=200)
# Covers the lower right corner.
STAMP = Watermark(
    position=9, opacity=1, min_width=0, min_height=0, drawn=lambda room: Image.new("RGBA", (5, 5), (255, 255, 255, 255))
)


@pytest.mark.parametrize(
    ("mode", "kind", "profile"),
    [
        ("RGB", "JPEG", WIDE_RGB),
        ("RGB", "PNG", WIDE_RGB),
        ("RGBA", "PNG", WIDE_RGB),
        ("P", "PNG", WIDE_RGB),
        ("RGB", "WEBP", WIDE_RGB),
        ("L", "JPEG", LINEAR_GREY),
        ("L", "PNG", LINEAR_GREY),
    ],
)
@pytest.mark.parametrize("mark", [None, STAMP], ids=["plain", "marked"])
@pytest.mark.parametrize("size", [(40, 30), (300, 200)], ids=["small", "large"])
def test_a_profile_that_fits_is_kept(mode, kind, profile, mark, size):
    drawn = draw(saved(plain(size, 0, mode), kind, icc_profile=profile), mark=mark, widths=[("half", 20)])
    for data in (drawn.data, drawn.smaller["half"]):
        result = opened(data)
        assert result.info["icc_profile"] == profile
        assert (result.mode in {"1", "L"}) == (mode == "L")


@pytest.mark.parametrize(
    ("mode", "kind", "options", "colour", "expected"),
    [
        ("LA", "PNG", {"icc_profile": LINEAR_GREY}, (128, 90), (188, 188, 188, 90)),
        ("L", "PNG", {"icc_profile": LINEAR_GREY, "transparency": 1}, 128, (188, 188, 188, 255)),
        ("CMYK", "JPEG", {"icc_profile": BLACK_INK, "quality": 95}, (255, 0, 0, 0), (255, 255, 255, 255)),
        ("CMYK", "JPEG", {"quality": 95}, (0, 255, 255, 0), (255, 0, 0, 255)),
        ("RGB", "PNG", {"icc_profile": WIDE_RGB + bytes(65_536)}, (120, 200, 80), (51, 201, 67, 255)),
        ("P", "PNG", {"icc_profile": WIDE_RGB + bytes(65_536)}, 3, (51, 201, 67, 255)),
        ("RGB", "PNG", {"icc_profile": BLACK_INK}, (120, 200, 80), (120, 200, 80, 255)),
    ],
)
@pytest.mark.parametrize("mark", [None, STAMP], ids=["plain", "marked"])
@pytest.mark.parametrize("size", [(40, 30), (300, 200)], ids=["small", "large"])
def test_colours_of_another_profile_become_those_of_all_screens(mode, kind, options, colour, expected, mark, size):
    picture = plain(size, colour, mode)
    if mode == "P":
        picture.putpalette([0] * 9 + [120, 200, 80] + [0] * 756)
    drawn = draw(saved(picture, kind, **options), mark=mark, widths=[("half", 20)])
    for data in (drawn.data, drawn.smaller["half"]):
        result = opened(data)
        assert "icc_profile" not in result.info
        assert close(result.convert("RGBA").getpixel((5, 5)), expected)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("width", [40, 300], ids=["small", "large"])
def test_the_transparent_colour_of_sixteen_bits_stays_so(channels, width):
    colour, other = bytes([200, 9] * channels), bytes([100, 9] * channels)
    rows = (b"\0" + colour * (width // 2) + other * (width // 2)) * 20
    drawn = draw(png(width, 20, chunk(b"tRNS", colour), depth=16, kind=0 if channels == 1 else 2, rows=rows))
    result = opened(drawn.data).convert("RGBA")
    assert result.getpixel((1, 1))[3] == 0
    assert close(result.getpixel((result.width - 2, 1)), (100, 100, 100, 255), by=1)


FRAMES = [
    ("GIF", "P", {}),
    ("WEBP", "RGB", {"lossless": True}),
    ("PNG", "RGB", {}),
    ("PNG", "RGBA", {}),
    ("PNG", "RGBA", {"disposal": 1, "blend": 1}),
    ("PNG", "P", {}),
    ("PNG", "L", {}),
]


@pytest.mark.parametrize(("kind", "mode", "options"), FRAMES)
def test_an_animation_keeps_its_frames_and_their_times(kind, mode, options):
    frames = [plain((40, 30), (0, 0, 0), "RGB") for _ in range(3)]
    for number, frame in enumerate(frames):
        frame.paste((250, 250, 250), (number * 10, 0, number * 10 + 5, 5))
    frames = [frame.convert(mode) for frame in frames]
    given = saved(frames[0], kind, save_all=True, append_images=frames[1:], duration=[80, 160, 240], loop=2, **options)
    data = draw(given, mark=STAMP).data
    before, after = Image.open(io.BytesIO(given)), Image.open(io.BytesIO(data))
    assert after.format == kind
    assert (after.n_frames, after.info.get("loop")) == (3, before.info.get("loop"))
    for number in range(3):
        before.seek(number)
        after.seek(number)
        for place in ((2, 2), (12, 2), (22, 2), (2, 20)):
            expected = before.convert("RGBA").getpixel(place)
            assert close(after.convert("RGBA").getpixel(place), expected, by=20)
        assert after.info["duration"] == before.info["duration"] == 80 * (number + 1)


def test_an_animation_keeps_its_profile_and_nothing_else():
    frames = [plain((40, 30), (number * 50, 0, 0)) for number in range(3)]
    for kind in ("PNG", "WEBP"):
        given = saved(
            frames[0], kind, save_all=True, append_images=frames[1:], duration=50, icc_profile=WIDE_RGB, exif=EXIF
        )
        data = draw(given).data
        assert opened(data).info["icc_profile"] == WIDE_RGB
        assert MARK in given and MARK not in data


def _exif():
    exif = Image.Exif()
    exif[0x010F] = MARK.decode()
    return exif


EXIF = _exif()


def test_a_png_with_a_picture_beside_its_animation_becomes_that_picture():
    frames = [plain((40, 30), (number * 50, 0, 0)) for number in range(3)]
    given = saved(frames[0], "PNG", save_all=True, default_image=True, append_images=frames[1:], duration=50)
    result = opened(draw(given).data)
    assert getattr(result, "n_frames", 1) == 1
    assert result.getpixel((5, 5)) == (0, 0, 0)
