"""Pictures that strangers send: opened with suspicion, in one thread of the process."""

import ctypes
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from PIL import Image, ImageFile, PngImagePlugin, WebPImagePlugin

from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.uploads.bounded_executor import Lane

FORMATS = ("GIF", "JPEG", "PNG", "WEBP", "BMP")  # by content
MAX_SIDE = 16_000  # pixels; PNG and GIF could claim four thousand million
# Honest files need some thousands. Five megabytes of comments of one byte would take seconds.
_MAX_READS = 50_000
# A progressive JPEG has some ten scans. Each goes over the whole picture, and takes ten bytes to ask for.
_MAX_SCANS = 64
_START_OF_SCAN = b"\xff\xda"
_RUN_LENGTHS = {1, 2}  # ways to compress a BMP, which Pillow reads pixel by pixel in Python
_ORIENTATION = 0x0112  # the tag in Exif
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
PngImagePlugin.MAX_TEXT_MEMORY = 4 * 1024 * 1024  # bytes of all compressed texts, which are not looked at
assert WebPImagePlugin.SUPPORTED  # noqa: S101 - and imported, which spares `Image.open` to import every format

# Bytes: the GNU library gives blocks above it back as soon as they are freed. Left alone, it raises this limit to 32 MB
# when such blocks are freed, and twice as much stays at the end of the heap of the thread that draws pictures.
_LARGE_BLOCK = 4 * 1024 * 1024
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of <malloc.h>


def _memory_is_given_back() -> Callable[[int], object]:
    if sys.platform != "linux" or not hasattr(library := ctypes.CDLL(None), "malloc_trim"):
        return lambda _: None
    library.mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)
    library.mallopt(_M_TRIM_THRESHOLD, 2 * _LARGE_BLOCK)
    return cast(Callable[[int], object], library.malloc_trim)


# Gives freed memory back to the system; without it a worker keeps what its largest picture took.
_trim = _memory_is_given_back()
# All pictures are drawn here: one at a time, since `suspicious` changes what counts for the whole process.
LANE = Lane("pictures", places=8, afterwards=lambda: _trim(0))


@contextmanager
def suspicious(max_pixels: int) -> Iterator[None]:
    """Whatever Pillow raises becomes a InvalidInput: `not_a_picture` or `picture_too_large`. Refusals stay as they are.

    Not for two threads at a time: inside, the warnings that Pillow's own modules cause are off in the whole process,
    and a filter that another thread sets gets lost.
    """
    limit = Image.MAX_IMAGE_PIXELS
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\.")  # of odd metadata, which nobody will read
        try:
            yield
        except ServiceError:
            raise
        except Image.DecompressionBombError as error:
            raise too_large(max_pixels) from error
        except Exception as error:  # Pillow raises whatever its formats come across, struct.error and MemoryError too
            raise no_picture() from error
        finally:
            Image.MAX_IMAGE_PIXELS = limit


def open_picture(data: bytes, max_pixels: int) -> Image.Image:
    """The picture, of which nothing is decoded yet. Raises InvalidInput for one that is too large or odd."""
    # Twice this many pixels are an error, which comes before a format makes room for them; WebP does so at once.
    Image.MAX_IMAGE_PIXELS = (max_pixels + 1) // 2
    picture = Image.open(_Reader(data), formats=FORMATS)
    if picture.width * picture.height > max_pixels or max(picture.size) > MAX_SIDE:
        raise too_large(max_pixels)
    if min(picture.size) < 1:
        raise no_picture()
    if picture.format == "BMP" and picture.info.get("compression") in _RUN_LENGTHS:
        raise InvalidInput("not_a_picture", "A BMP picture must not be compressed.")
    if picture.format in {"JPEG", "MPO"} and data.count(_START_OF_SCAN) > _MAX_SCANS:
        raise InvalidInput("picture_too_large", f"A JPEG picture may have {_MAX_SCANS} scans at most.")
    return picture


class _Reader(io.BytesIO):
    """The bytes of a file, for those who do not read them in crumbs."""

    reads = last = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads, self.last = self.reads + 1, self.tell()
        if self.reads > _MAX_READS:
            raise OSError("The file consists of too many parts.")
        return super().read(size)


def last_read(picture: ImageFile.ImageFile) -> int:
    """Where in the file Pillow has read last; right after opening a JPEG, the header of its first scan."""
    return cast(_Reader, picture.fp).last


def orientation(picture: Image.Image) -> object:
    """How the picture, once decoded, asks to be turned, in the numbers of Exif."""
    try:
        # Not the method of PNG, which decodes the whole picture in search of the Exif.
        return Image.Image.getexif(picture).get(_ORIENTATION)
    except Exception:  # noqa: BLE001 - Exif may be any bytes; a picture is no worse for them
        return None


def in_eight_bits(picture: Image.Image) -> Image.Image:
    """A picture of 16 bits a pixel with the upper eight of them; others as they are."""
    if not picture.mode.startswith("I;16"):
        return picture
    return Image.frombytes("L", picture.size, picture.tobytes("raw", "I;16")[1::2])


def no_picture() -> InvalidInput:
    """The refusal of what is no picture."""
    return InvalidInput("not_a_picture", "The file is no whole picture in the format GIF, JPEG, PNG, WebP or BMP.")


def too_large(max_pixels: int) -> InvalidInput:
    """The refusal of a picture with more pixels than may be."""
    message = f"A picture may have {max_pixels} pixels, and {MAX_SIDE} of them on a side, at most."
    return InvalidInput("picture_too_large", message)
