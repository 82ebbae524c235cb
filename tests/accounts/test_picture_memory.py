"""What drawing an avatar takes: little memory, given back, for all that is not refused before it is decoded."""

import os
import sys
from functools import partial

import pytest

from accounts.avatars import draw_anew
from core.lib.errors import InvalidInput
from tests.accounts.picture_files import BLACK_INK, WIDE_RGB, interlaced, plain, saved, with_size
from tools import forking

pytestmark = [pytest.mark.large, pytest.mark.any_database]

# MB that the process has more than before, at most and afterwards.
PROGRAM = """
import sys
from pathlib import Path
from accounts.avatars import draw_anew
from core.uploads.pictures import LANE

def megabytes(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024

def draw(data):
    def work():
        Path("/proc/self/clear_refs").write_text("5")
        before = megabytes("VmRSS")
        draw_anew(data, max_pixels=25_000_000, side=512)
        return before
    before = LANE.run(work)
    return megabytes("VmHWM") - before, megabytes("VmRSS") - before

draw(Path(sys.argv[1]).read_bytes())
LANE.run(lambda: None)
print(*draw(Path(sys.argv[2]).read_bytes()))
"""


def flat(kind, mode, *size, **options):
    return saved(plain(size, 0 if len(mode) == 1 else (90,) * len(mode), mode), kind, **options)


progressive = partial(flat, "JPEG", progressive=True)
# How to make one, and the largest width and height that is drawn.
KINDS = {
    "JPEG": (partial(flat, "JPEG", "RGB"), (6000, 4000)),
    "JPEG of two pictures": (
        lambda *size: flat("MPO", "RGB", *size, save_all=True, append_images=[plain()]),
        (6000, 4000),
    ),
    "JPEG of inks": (partial(flat, "JPEG", "CMYK"), (6000, 4000)),
    "JPEG of inks with their profile": (partial(flat, "JPEG", "CMYK", icc_profile=BLACK_INK), (6000, 4000)),
    "PNG with a profile": (partial(flat, "PNG", "RGB", icc_profile=WIDE_RGB), (6000, 4000)),
    "PNG": (partial(flat, "PNG", "RGB"), (6000, 4000)),
    "PNG with alpha": (partial(flat, "PNG", "RGBA"), (6000, 4000)),
    "PNG with colours": (partial(flat, "PNG", "P"), (6000, 4000)),
    "PNG of 16 bits": (lambda *size: saved(plain(size, 0, "I;16"), "PNG"), (6000, 4000)),
    "GIF": (partial(flat, "GIF", "P"), (6000, 4000)),
    "BMP of two colours": (lambda *size: saved(plain(size, 1, "1"), "BMP"), (6000, 4000)),
    "progressive JPEG of greys": (partial(progressive, "L"), (5000, 5000)),
    "interlaced PNG of greys": (partial(interlaced, kind=0), (6000, 4000)),
    "interlaced PNG of 16 bits": (partial(interlaced, kind=0, depth=16), (6000, 4000)),
}
# With one row more they would take more memory, and the megapixels that the refusal names.
BOUNDED = {
    "progressive JPEG 4:2:0": (partial(progressive, "RGB"), (4082, 4082), "16.6"),
    "progressive JPEG 4:2:2": (partial(progressive, "RGB", subsampling=1), (5000, 2500), "12.5"),
    "progressive JPEG 4:4:4": (partial(progressive, "RGB", subsampling=0), (5000, 1666), "8.3"),
    "progressive JPEG of inks": (partial(progressive, "CMYK", subsampling=0), (2500, 2500), "6.2"),
    "interlaced PNG": (interlaced, (5000, 2500), "12.5"),
    "interlaced PNG of greys with alpha": (partial(interlaced, kind=4), (5000, 2500), "12.5"),
    "BMP": (partial(flat, "BMP", "RGB"), (5000, 2500), "12.5"),
    "WebP": (partial(flat, "WEBP", "RGB"), (2500, 1250), "3.1"),
    "WebP without loss": (partial(flat, "WEBP", "RGB", lossless=True), (2500, 1250), "3.1"),
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """One for all pictures, so that Django is loaded once."""
    return os.environ | {"CMS_DATA_DIR": str(tmp_path_factory.mktemp("data"))}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", [*KINDS, *BOUNDED])
def test_a_picture_takes_little_memory_and_gives_it_back(environment, tmp_path, name):
    make, largest = {**KINDS, **BOUNDED}[name][:2]
    files = [tmp_path / "small", tmp_path / "large"]
    files[0].write_bytes(make(600, 400))
    files[1].write_bytes(make(*largest))
    code, out, errors = forking.run(environment, "-c", PROGRAM, *map(str, files), seconds=120)
    assert code == 0, errors
    at_most, afterwards = map(float, out.split())
    assert at_most <= 60
    assert afterwards <= 20


def refusal(data):
    with pytest.raises(InvalidInput) as refused:
        draw_anew(data, max_pixels=25_000_000, side=512)
    return refused.value


@pytest.mark.parametrize("name", BOUNDED)
def test_a_picture_that_would_take_more_is_refused_with_the_limit_of_its_format(name):
    make, (width, height), megapixels = BOUNDED[name]
    refused = refusal(make(width, height + 1))
    assert refused.code == "picture_too_large_for_format"
    assert f"{megapixels} megapixels" in refused.message
    assert "JPEG" in refused.message and "PNG" in refused.message


def test_a_jpeg_with_a_scan_for_each_channel_counts_as_progressive():
    # Such a file is decoded as a whole, too, although no flag in it says so.
    data = flat("JPEG", "RGB", 40, 30, subsampling=0)
    scan = data.rindex(b"\xff\xda")
    one_channel = b"\xff\xda\0\x08\1" + data[scan + 5 : scan + 7] + data[scan + 11 : scan + 14]
    divided = data[:scan] + one_channel + data[scan + 14 :]
    assert refusal(with_size(divided, 5000, 1667)).code == "picture_too_large_for_format"
    assert draw_anew(with_size(data, 5000, 1667), max_pixels=25_000_000, side=512)


def test_a_thumbnail_does_not_make_a_jpeg_progressive():
    exif = b"Exif\0\0" + flat("JPEG", "RGB", 40, 30, progressive=True)
    assert draw_anew(flat("JPEG", "RGB", 5000, 1667, subsampling=0, exif=exif), max_pixels=25_000_000, side=512)
