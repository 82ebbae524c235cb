"""Pictures made to harm: refused with a sentence, or drawn without what they carried; never an error of ours.

CMS_TEST_MUTATIONS says how many mutated pictures are tried for each of a dozen files.
"""

import io
import os
import random
import resource
import struct
import zlib

import pytest
from PIL import Image

from accounts.avatars import draw_anew
from core.lib.errors import InvalidInput
from core.uploads import pictures
from tests.accounts.picture_files import MARK, chunk, opened, plain, png, saved, with_segment

MUTATIONS = int(os.environ.get("CMS_TEST_MUTATIONS", "60"))
MAX_PIXELS, SIDE = 25_000_000, 512


def draw(data):
    return draw_anew(data, max_pixels=MAX_PIXELS, side=SIDE)


def refusal(data):
    """The code with which a file is refused."""
    with pytest.raises(InvalidInput) as refused:
        draw(data)
    return refused.value.code


def gif(*before_the_image):
    """A GIF with something between its colours and its image."""
    data = saved(plain((10, 10), 1, "P"), "GIF")
    start = 13 + (3 << ((data[10] & 7) + 1))
    return data[:start] + b"".join(before_the_image) + data[start:]


def webp_that_claims(width, height):
    canvas = struct.pack("<I", 0) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    parts = b"VP8X" + struct.pack("<I", len(canvas)) + canvas
    return b"RIFF" + struct.pack("<I", len(parts) + 4) + b"WEBP" + parts


def jpeg_of_many_scans():
    """Each scan of a progressive JPEG makes the decoder go over all its pixels once more."""
    data = saved(plain((2000, 2000), 90, "L"), "JPEG", progressive=True)
    last = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + last * 5000 + data[-2:]


def bmp_of_run_lengths():
    """A few bytes that Python would have to fill 25 million pixels from, one by one."""
    data = bytearray(saved(plain((5000, 5000), 0, "P"), "BMP")[: 54 + 1024])
    data[30] = 1
    return bytes(data) + b"\0\0" * 5000


def tiff():
    return saved(plain(), "TIFF")


TOO_LARGE = {
    "a PNG of 13,000 × 13,000 in 20 kB": lambda: png(13_000, 13_000, rows=bytes(20_000_000)),
    "a PNG of 20,000 × 20,000 in one bit": lambda: png(20_000, 20_000, depth=1, kind=0, rows=bytes(2_501 * 20_000)),
    "a PNG that claims four thousand million columns": lambda: png(2**31 - 1, 2**31 - 1),
    "a PNG with a long side": lambda: png(16_001, 1, rows=bytes(1 + 3 * 16_001)),
    "a GIF that claims 65,535 × 65,535": lambda: b"GIF89a\xff\xff\xff\xff" + gif()[10:],
    "a GIF whose frame is larger than its screen": lambda: gif().replace(
        b",\0\0\0\0\x0a\0\x0a\0", b",\0\0\0\0\xff\xff\xff\xff"
    ),
    "a WebP that claims 16,383 × 16,383": lambda: webp_that_claims(16_383, 16_383),
    "a WebP that claims 6,000 × 6,000": lambda: webp_that_claims(6_000, 6_000),
    "a JPEG that claims 65,500 × 65,500": lambda: saved(plain(), "JPEG").replace(
        struct.pack(">HH", 30, 40), struct.pack(">HH", 65_500, 65_500)
    ),
    "a JPEG of thousands of scans": jpeg_of_many_scans,
}


@pytest.mark.parametrize("make", TOO_LARGE.values(), ids=TOO_LARGE)
def test_what_is_too_large_is_refused_before_it_is_decoded(make):
    data = make()
    before = peak_megabytes()
    assert refusal(data) == "picture_too_large"
    assert peak_megabytes() - before < 20


def peak_megabytes():
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


NO_PICTURES = {
    "nothing": lambda: b"",
    "zeros": lambda: bytes(1000),
    "a text": lambda: b"not a picture at all",
    "HTML": lambda: b"<!doctype html><script>alert(1)</script>",
    "SVG": lambda: b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    "EPS": lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n%%EOF\n",
    "PDF": lambda: b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n",
    "TIFF": tiff,
    "ICO": lambda: saved(plain((16, 16)), "ICO"),
    "PPM": lambda: saved(plain(), "PPM"),
    "PCX": lambda: saved(plain(), "PCX"),
    "TGA": lambda: saved(plain(), "TGA"),
    "an executable": lambda: b"MZ" + bytes(500),
    "a GIF signature and HTML": lambda: b"GIF89a<html><script>alert(1)</script></html>",
    "a PNG signature and HTML": lambda: b"\x89PNG\r\n\x1a\n<script>alert(1)</script>",
    "a PNG without pixels": lambda: png(10, 10),
    "a PNG of no width": lambda: png(0, 10),
    "a PNG of an impossible kind": lambda: png(10, 10, kind=5, rows=bytes(400)),
    "a PNG whose texts unpack to gigabytes": lambda: png(
        1, 1, *[chunk(b"zTXt", b"a%d\0\0" % n + zlib.compress(bytes(1_000_000), 9)) for n in range(50)], rows=bytes(4)
    ),
    "a PNG whose profile unpacks to gigabytes": lambda: png(
        1, 1, chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(60_000_000), 9)), rows=bytes(4)
    ),
    "a PNG of a hundred thousand chunks": lambda: png(1, 1, *[chunk(b"xxXx")] * 100_000, rows=bytes(4)),
    "a PNG of pixels in a hundred thousand chunks": lambda: png(1, 1, *[chunk(b"IDAT")] * 100_000, rows=bytes(4)),
    "a JPEG of a million segments": lambda: b"\xff\xd8" + b"\xff\xe5\0\2" * 1_000_000,
    "a JPEG of filling": lambda: b"\xff\xd8" + b"\xff" * 4_000_000,
    "a GIF of a million comments": lambda: gif(b"!\xfe\x01a\0" * 900_000),
    "a BMP of run lengths": bmp_of_run_lengths,
    "a WebP of nothing": lambda: webp_that_claims(10, 10),
}


@pytest.mark.parametrize("make", NO_PICTURES.values(), ids=NO_PICTURES)
def test_what_is_no_picture_is_refused(make):
    data = make()
    before = peak_megabytes()
    assert refusal(data) == "not_a_picture"
    assert peak_megabytes() - before < 50


def noise(size=(300, 200), mode="RGB"):
    """A picture that no format can make small."""
    chance = random.Random(7)
    return Image.frombytes(mode, size, chance.randbytes(size[0] * size[1] * len(mode)))


WHOLE = {
    "PNG": lambda: saved(noise(), "PNG"),
    "PNG with alpha and texts": lambda: saved(noise(mode="RGBA"), "PNG", pnginfo=_texts(), exif=_exif()),
    "PNG with colours": lambda: saved(noise().quantize(64), "PNG", pnginfo=_texts(), transparency=bytes(range(64))),
    "JPEG": lambda: saved(noise(), "JPEG"),
    "JPEG in scans": lambda: saved(noise(), "JPEG", progressive=True),
    "JPEG of inks": lambda: saved(noise(mode="CMYK"), "JPEG"),
    "JPEG with Exif": lambda: saved(noise(), "JPEG", exif=_exif()),
    "GIF": lambda: saved(noise().quantize(64), "GIF"),
    "GIF animation": lambda: saved(noise().quantize(64), "GIF", save_all=True, append_images=[plain((300, 200))]),
    "WebP": lambda: saved(noise(), "WEBP"),
    "WebP without loss": lambda: saved(noise(), "WEBP", lossless=True),
    "WebP animation": lambda: saved(noise(), "WEBP", save_all=True, append_images=[plain((300, 200))]),
    "BMP": lambda: saved(noise(), "BMP"),
    "BMP with colours": lambda: saved(noise().quantize(64), "BMP"),
}


def _exif():
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = MARK.decode()
    return exif


@pytest.mark.parametrize("make", WHOLE.values(), ids=WHOLE)
def test_a_file_that_breaks_off_is_refused(make):
    data = make()
    draw(data)
    for share in (0.02, 0.1, 0.3, 0.5):
        assert refusal(data[: int(len(data) * share)]) == "not_a_picture"


CARRIERS = {
    "JPEG with Exif, comment, profile and an appended script": lambda: with_segment(
        saved(plain(), "JPEG", exif=_exif(), comment=MARK, icc_profile=MARK * 20), 0xE1, b"http://ns.adobe.com/" + MARK
    ),
    "PNG with texts": lambda: saved(
        plain(), "PNG", exif=_exif(), icc_profile=MARK, pnginfo=_texts(), transparency=(1, 2, 3)
    ),
    "GIF with a comment": lambda: saved(plain(), "GIF", comment=MARK),
    "GIF that is HTML as well": lambda: gif(b"!\xfe" + bytes([len(MARK)]) + MARK + b"\0"),
    "WebP with Exif and XMP": lambda: saved(plain(), "WEBP", exif=_exif(), xmp=MARK, icc_profile=MARK),
    "BMP with a tail": lambda: saved(plain(), "BMP"),
}


def _texts():
    from PIL.PngImagePlugin import PngInfo

    texts = PngInfo()
    texts.add_text("Comment", MARK.decode())
    texts.add_itxt("XML:com.adobe.xmp", MARK.decode(), zip=True)
    return texts


@pytest.mark.parametrize("make", CARRIERS.values(), ids=CARRIERS)
def test_nothing_but_pixels_comes_out(make):
    result = draw(make() + MARK)
    assert MARK not in result
    picture = opened(result)
    assert picture.format == "PNG"
    assert not picture.info
    kinds = {result[at + 4 : at + 8] for at in _chunks(result)}
    assert kinds == {b"IHDR", b"IDAT", b"IEND"}


def _chunks(data):
    at = 8
    while at < len(data):
        yield at
        at += 12 + int.from_bytes(data[at : at + 4])


def mutate(chance, data):
    """The file with some bytes changed, taken out, repeated or put in the place of others."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        # Headers, where the interesting numbers are, are hit as often as all the rest.
        at = chance.randrange(min(len(data), chance.choice([64, 600, len(data)])))
        match chance.randrange(5):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                data[at] ^= 1 << chance.randrange(8)
            case 2:
                del data[at : at + chance.choice([1, 4, 100])]
            case 3:
                data[at:at] = data[at : at + chance.choice([1, 4, 100])]
            case 4:
                data[at : at + 4] = chance.choice([b"\xff" * 4, bytes(4), b"\x7f\xff\xff\xff", b"\0\0\x20\0"])
        if not data:
            break
    return bytes(data)


def with_right_sums(data):
    """The PNG with its check sums computed anew, which would give most mutations away."""
    data, at = bytearray(data), 8
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4])
        if end + 4 <= len(data):
            data[end : end + 4] = struct.pack(">I", zlib.crc32(data[at + 4 : end]))
        at = end + 4
    return bytes(data)


@pytest.mark.parametrize("name", WHOLE)
def test_a_mutated_picture_is_drawn_or_refused(name):
    # Fewer pixels, so that claims of large sizes are refused and not drawn a thousand times.
    data, chance = WHOLE[name](), random.Random(f"mutations of {name}")
    drawn = 0
    for _ in range(MUTATIONS):
        try:
            mutated = mutate(chance, data)
            mutated = with_right_sums(mutated) if name.startswith("PNG") else mutated
            result = draw_anew(mutated, max_pixels=1_000_000, side=64)
        except InvalidInput as refused:
            assert refused.code in {"not_a_picture", "picture_too_large"}
        else:
            assert max(Image.open(io.BytesIO(result)).size) <= 64
            drawn += 1
    assert 0 < drawn < MUTATIONS  # else the mutations are not what they should be


def test_pillow_reads_no_other_formats():
    assert {kind for kind in Image.OPEN if kind in pictures.FORMATS} == set(pictures.FORMATS)
