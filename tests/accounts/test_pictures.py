"""Pictures drawn anew: every mode and format comes out with the right pixels, upright and no larger than asked."""

import pytest
from PIL import Image

from accounts.avatars import draw_anew
from core.lib.errors import InvalidInput
from tests.accounts.picture_files import (
    BLACK_INK,
    LINEAR_GREY,
    WIDE_RGB,
    chunk,
    opened,
    plain,
    png,
    saved,
    with_segment,
)
from tests.cases import each_once

SIDE = 64


def drawn(data, *, max_pixels=4_000_000, side=SIDE):
    return opened(draw_anew(data, max_pixels=max_pixels, side=side))


def close(pixel, expected, by=3):
    return len(pixel) == len(expected) and all(abs(a - b) <= by for a, b in zip(pixel, expected, strict=True))


# Mode, format, options, colour of the file, and what it is in red, green, blue (and alpha).
MODES = [
    ("RGB", "PNG", {}, (200, 100, 50), (200, 100, 50)),
    ("RGBA", "PNG", {}, (200, 100, 50, 128), (200, 100, 50, 128)),
    ("RGBA", "PNG", {}, (200, 100, 50, 255), (200, 100, 50)),
    ("RGB", "PNG", {"transparency": (200, 100, 50)}, (200, 100, 50), (0, 0, 0, 0)),
    ("L", "PNG", {}, 90, (90, 90, 90)),
    ("LA", "PNG", {}, (90, 128), (90, 90, 90, 128)),
    ("1", "PNG", {}, 1, (255, 255, 255)),
    ("1", "PNG", {}, 0, (0, 0, 0)),
    ("I;16", "PNG", {}, 200 * 257, (200, 200, 200)),
    ("I;16", "PNG", {}, 300, (1, 1, 1)),
    ("P", "PNG", {}, 3, (7, 8, 9)),
    ("P", "PNG", {"transparency": 3}, 3, (0, 0, 0, 0)),
    ("P", "PNG", {"transparency": bytes([9, 9, 9, 128])}, 3, (7, 8, 9, 128)),
    ("P", "GIF", {}, 3, (7, 8, 9)),
    ("L", "GIF", {}, 90, (90, 90, 90)),
    ("P", "GIF", {"transparency": 3}, 3, (0, 0, 0, 0)),
    ("RGB", "JPEG", {"quality": 95}, (200, 100, 50), (200, 100, 50)),
    ("RGB", "JPEG", {"quality": 95, "progressive": True}, (200, 100, 50), (200, 100, 50)),
    ("L", "JPEG", {}, 90, (90, 90, 90)),
    ("CMYK", "JPEG", {"quality": 95}, (0, 255, 255, 0), (255, 0, 0)),
    ("CMYK", "JPEG", {"quality": 95}, (0, 0, 0, 0), (255, 255, 255)),
    ("RGB", "WEBP", {"lossless": True}, (200, 100, 50), (200, 100, 50)),
    ("RGB", "WEBP", {"quality": 95}, (200, 100, 50), (200, 100, 50)),
    ("RGBA", "WEBP", {"lossless": True}, (200, 100, 50, 128), (200, 100, 50, 128)),
    ("RGB", "BMP", {}, (200, 100, 50), (200, 100, 50)),
    ("1", "BMP", {}, 1, (255, 255, 255)),
    ("P", "BMP", {}, 3, (7, 8, 9)),
]


@pytest.mark.parametrize("size", [(40, 30), (1000, 700)], ids=["small", "large"])
@pytest.mark.parametrize(("mode", "kind", "options", "colour", "expected"), MODES)
def test_every_mode_keeps_its_colours(mode, kind, options, colour, expected, size):
    picture = plain(size, colour, mode)
    if mode == "P":
        picture.putpalette([0, 0, 0, 1, 1, 1, 2, 2, 2, 7, 8, 9] + [5] * 756)
    result = drawn(saved(picture, kind, **options))
    places = [(0, 0), (result.width - 1, result.height - 1), (result.width // 2, result.height // 2)]
    for place in places:
        assert close(result.getpixel(place), expected), (result.mode, result.getpixel(place))


# Mode, format, profile, colour of the file, and what it is in sRGB.
PROFILES = [
    ("RGB", "JPEG", WIDE_RGB, (120, 200, 80), (51, 201, 67)),
    ("RGB", "PNG", WIDE_RGB, (120, 200, 80), (51, 201, 67)),
    ("RGBA", "PNG", WIDE_RGB, (120, 200, 80, 200), (51, 201, 67, 200)),
    ("RGBA", "WEBP", WIDE_RGB, (120, 200, 80, 200), (51, 201, 67, 200)),
    ("L", "JPEG", LINEAR_GREY, 128, (188, 188, 188)),
    ("L", "PNG", LINEAR_GREY, 128, (188, 188, 188)),
    ("LA", "PNG", LINEAR_GREY, (128, 90), (188, 188, 188, 90)),
    ("I;16", "PNG", LINEAR_GREY, 128 * 257, (188, 188, 188)),
    ("CMYK", "JPEG", BLACK_INK, (255, 0, 0, 0), (255, 255, 255)),
    ("CMYK", "JPEG", BLACK_INK, (255, 0, 0, 128), (118, 118, 118)),
    # Profiles that are not of these colours, or none at all.
    ("RGB", "PNG", LINEAR_GREY, (120, 200, 80), (120, 200, 80)),
    ("L", "PNG", WIDE_RGB, 128, (128, 128, 128)),
    ("RGB", "PNG", WIDE_RGB[:100], (120, 200, 80), (120, 200, 80)),
    ("RGB", "PNG", WIDE_RGB.replace(b"rTRC", b"xTRC"), (120, 200, 80), (120, 200, 80)),
    ("RGB", "PNG", b"no profile", (120, 200, 80), (120, 200, 80)),
]


@pytest.mark.parametrize("size", [(40, 30), (1000, 700)], ids=["small", "large"])
@pytest.mark.parametrize(("mode", "kind", "profile", "colour", "expected"), PROFILES)
def test_colours_of_a_profile_become_those_of_all_screens(mode, kind, profile, colour, expected, size):
    options = {"lossless": True, "exact": True} if kind == "WEBP" else {"quality": 95, "subsampling": 0}
    data = saved(plain(size, colour, mode), kind, icc_profile=profile, **(options if kind != "PNG" else {}))
    result = drawn(data)
    assert close(result.getpixel((5, 5)), expected, by=5)
    assert "icc_profile" not in result.info


def test_a_profile_of_any_number_of_steps_is_left_out():
    steps = WIDE_RGB.replace(b"wtpt", b"D2B0")
    data = saved(plain((40, 30), (120, 200, 80)), "PNG", icc_profile=steps)
    assert close(drawn(data).getpixel((5, 5)), (120, 200, 80))


@pytest.mark.parametrize(("kind", "channels"), [(0, 1), (2, 3)])
@pytest.mark.parametrize("size", [(20, 10), (300, 200)], ids=["small", "large"])
def test_the_transparent_colour_of_sixteen_bits_stays_so(kind, channels, size):
    width, height = size
    colour, other = bytes([200, 9] * channels), bytes([100, 9] * channels)
    rows = (b"\0" + colour * (width // 2) + other * (width - width // 2)) * height
    result = drawn(png(width, height, chunk(b"tRNS", colour), depth=16, kind=kind, rows=rows))
    assert result.getpixel((1, 1))[3] == 0
    assert close(result.getpixel((result.width - 2, 1)), (100, 100, 100, 255), by=1)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_sixteen_bits_a_channel_become_eight(channels):
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    values = [200, 100, 50][: channels if channels > 2 else 1]
    alpha = [128] if channels in {2, 4} else []
    pixel = b"".join(bytes([value, 9]) for value in values + alpha)
    result = drawn(png(20, 10, depth=16, kind=kind, rows=(b"\0" + pixel * 20) * 10))
    assert close(result.getpixel((5, 5)), tuple(values * (3 // len(values)) + alpha), by=1)


def test_an_adobe_jpeg_of_inverted_inks_is_not_shown_inverted():
    jpeg = saved(plain(colour=(0, 0, 255, 0), mode="CMYK"), "JPEG", quality=95)
    assert b"Adobe" in jpeg
    assert close(drawn(jpeg).getpixel((5, 5)), (255, 255, 0))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((64, 64), (64, 64)),
        ((10, 7), (10, 7)),
        ((65, 65), (64, 64)),
        ((640, 320), (64, 32)),
        ((321, 642), (32, 64)),
        ((1999, 1501), (64, 48)),
        ((1, 1), (1, 1)),
        ((15_000, 1), (64, 1)),
        ((1, 15_000), (1, 64)),
    ],
)
@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_only_what_is_larger_is_shrunk_in_proportion(kind, size, expected):
    assert drawn(saved(plain(size), kind)).size == expected


def test_shrinking_keeps_what_is_where():
    picture = plain((1000, 600), (255, 255, 255))
    picture.paste((250, 0, 0), (0, 0, 500, 300))
    picture.paste((0, 0, 250), (500, 300, 1000, 600))
    result = drawn(saved(picture, "PNG"))
    assert result.size == (64, 38)
    assert close(result.getpixel((10, 8)), (250, 0, 0))
    assert close(result.getpixel((50, 30)), (0, 0, 250))
    assert close(result.getpixel((50, 8)), (255, 255, 255))


def test_what_is_transparent_lends_no_colour_to_its_neighbours():
    picture = plain((400, 400), (0, 0, 0, 0), "RGBA")
    picture.paste((255, 255, 255, 255), (101, 101, 299, 299))
    result = drawn(saved(picture, "PNG"))
    edge = result.getpixel((16, 32))
    assert 0 < edge[3] < 255
    assert min(edge[:3]) > 245


# The corner in which the red quarter of a picture of 40 × 20 ends up, by its orientation in Exif.
CORNERS = {1: "tl", 2: "tr", 3: "br", 4: "bl", 5: "tl", 6: "tr", 7: "br", 8: "bl"}


@each_once(
    ("orientation", sorted(CORNERS, reverse=True)),
    ("kind", ["JPEG", "PNG", "WEBP"]),
)
def test_the_picture_is_upright(kind, orientation):
    picture = plain((40, 20), (255, 255, 255))
    picture.paste((250, 0, 0), (0, 0, 20, 10))
    exif = Image.Exif()
    exif[0x0112] = orientation
    result = drawn(saved(picture, kind, exif=exif))
    width, height = result.size
    assert (width, height) == ((40, 20) if orientation < 5 else (20, 40))
    corner = CORNERS[orientation]
    at = (2 if corner[1] == "l" else width - 3, 2 if corner[0] == "t" else height - 3)
    assert close(result.getpixel(at), (250, 0, 0), by=40)


def test_a_png_with_its_exif_behind_the_pixels_is_upright():
    exif = Image.Exif()
    exif[0x0112] = 6
    data = saved(plain((40, 20)), "PNG")
    behind = data.index(b"IEND") - 4
    assert drawn(data[:behind] + chunk(b"eXIf", exif.tobytes()[6:]) + data[behind:]).size == (20, 40)


@pytest.mark.parametrize("exif", [b"Exif\0\0", b"Exif\0\0MM\0*\0\0\0\x08\xff\xff", b"Exif\0\0" + b"\xff" * 200])
def test_broken_exif_does_not_make_a_picture_worse(exif):
    assert drawn(with_segment(saved(plain(), "JPEG"), 0xE1, exif)).size == (40, 30)


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_of_an_animation_the_first_frame_is_taken(kind):
    frames = [plain(colour=colour) for colour in [(250, 0, 0), (0, 250, 0), (0, 0, 250)]]
    options = {"lossless": True} if kind == "WEBP" else {}
    animation = saved(frames[0], kind, save_all=True, append_images=frames[1:], duration=50, **options)
    assert getattr(opened(animation), "n_frames", 1) == 3
    result = drawn(animation)
    assert not getattr(result, "is_animated", False)
    assert close(result.getpixel((5, 5)), (250, 0, 0), by=10)


def test_of_several_pictures_in_one_jpeg_the_first_is_taken():
    several = saved(plain((300, 200)), "MPO", save_all=True, append_images=[plain(colour=(0, 0, 0))])
    assert close(drawn(several).getpixel((5, 5)), (200, 100, 50))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_as_many_pixels_as_allowed_are_drawn_and_one_more_is_refused(kind):
    data = saved(plain((101, 33)), kind)
    assert drawn(data, max_pixels=101 * 33).size == (64, 21)
    with pytest.raises(InvalidInput, match="3332 pixels") as refused:
        drawn(data, max_pixels=101 * 33 - 1)
    assert refused.value.code == "picture_too_large"
