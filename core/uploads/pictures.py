import ctypes
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import cast

from PIL import Image, ImageCms, ImageFile, PngImagePlugin, WebPImagePlugin

from core.lib.errors import InvalidInput, ServiceError
from core.uploads.bounded_executor import BoundedExecutor

FORMATS = ("GIF", "JPEG", "PNG", "WEBP", "BMP")  # by content
MAX_SIDE = 16_000  # pixels; PNG and GIF headers could claim four thousand million
# Honest files need some thousands; five megabytes of one-byte comments would take seconds.
_MAX_READS = 50_000
# A progressive JPEG has some ten scans. Each one processes the whole picture but costs only ten bytes.
_MAX_SCANS = 64
_START_OF_SCAN = b"\xff\xda"
_RUN_LENGTHS = {1, 2}  # BMP compressions that Pillow decodes pixel by pixel in Python
_ORIENTATION = 0x0112  # the Exif tag
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
SIDEWAYS = {5, 6, 7, 8}  # orientations whose sides are exchanged
# The colours of a profile, in its header, with the mode of such pixels and the modes of pictures that have them.
_COLOURS = {
    b"GRAY": ("L", {"L", "LA", "I;16"}),
    b"RGB ": ("RGB", {"P", "PA", "RGB", "RGBA"}),
    b"CMYK": ("CMYK", {"CMYK"}),
}
_MAX_PROFILE = 4 * 1024 * 1024  # bytes; profiles of printers have up to three megabytes
_SRGB = ImageCms.createProfile("sRGB")
PngImagePlugin.MAX_TEXT_MEMORY = 4 * 1024 * 1024  # bytes of all compressed texts, which are not used
assert WebPImagePlugin.SUPPORTED  # noqa: S101 - importing it spares `Image.open` importing every format

# Bytes: glibc returns larger blocks to the system when freed. By default, it raises the threshold up to 32 MB and
# leaves twice as much at the end of the thread's heap.
_LARGE_BLOCK = 4 * 1024 * 1024
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # from <malloc.h>


def _find_trim() -> Callable[[int], object]:
    """Return glibc's function that releases freed memory; a no-op elsewhere than on Linux."""
    if sys.platform != "linux" or not hasattr(library := ctypes.CDLL(None), "malloc_trim"):
        return lambda _: None
    library.mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)
    library.mallopt(_M_TRIM_THRESHOLD, 2 * _LARGE_BLOCK)
    return cast(Callable[[int], object], library.malloc_trim)


_trim = _find_trim()  # otherwise a worker retains the memory of its largest picture
# All pictures are processed here, one at a time, since `suspicious` changes process-wide state.
LANE = BoundedExecutor("pictures", places=8, afterwards=lambda: _trim(0))


@contextmanager
def suspicious(max_pixels: int) -> Iterator[None]:
    """Turn Pillow's errors into `InvalidInput`; not thread-safe, since warning filters are process-wide."""
    limit = Image.MAX_IMAGE_PIXELS
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\.")  # about odd metadata, which is not used
        try:
            yield
        except ServiceError:
            raise
        except Image.DecompressionBombError as error:
            raise too_large(max_pixels) from error
        except Exception as error:  # Pillow lets anything through, struct.error and MemoryError too
            raise no_picture() from error
        finally:
            Image.MAX_IMAGE_PIXELS = limit


def open_picture(data: bytes, max_pixels: int, formats: tuple[str, ...] = FORMATS) -> Image.Image:
    """Return the undecoded picture. Raises `InvalidInput` if it is too large or odd."""
    # Pillow raises at twice this number, before formats allocate memory; WebP allocates on opening.
    Image.MAX_IMAGE_PIXELS = (max_pixels + 1) // 2
    picture = Image.open(_Reader(data), formats=formats)
    if picture.width * picture.height > max_pixels or max(picture.size) > MAX_SIDE:
        raise too_large(max_pixels)
    if min(picture.size) < 1:
        raise no_picture()
    if picture.format == "BMP" and picture.info.get("compression") in _RUN_LENGTHS:
        raise InvalidInput("not_a_picture", "A BMP picture must not be compressed.")
    if "transparency" in picture.info and str(picture.tile[0][3]).endswith(";16B"):
        # Pillow compares the colour with the upper eight bits of each channel, the only ones that remain.
        colour = picture.info["transparency"]
        upper = colour >> 8 if isinstance(colour, int) else tuple(each >> 8 for each in colour)
        picture.info["transparency"] = upper
    if picture.format in {"JPEG", "MPO"} and data.count(_START_OF_SCAN) > _MAX_SCANS:
        raise InvalidInput("picture_too_large", f"A JPEG picture may have at most {_MAX_SCANS} scans.")
    return picture


class _Reader(io.BytesIO):
    reads = last = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads, self.last = self.reads + 1, self.tell()
        if self.reads > _MAX_READS:
            raise OSError("The file consists of too many parts.")
        return super().read(size)


def last_read(picture: ImageFile.ImageFile) -> int:
    """Return the offset of Pillow's last read; right after opening a JPEG, its first scan header."""
    return cast(_Reader, picture.fp).last


def orientation(picture: Image.Image) -> object:
    try:
        # Not PNG's method, which decodes the whole picture in search of Exif.
        return Image.Image.getexif(picture).get(_ORIENTATION)
    except Exception:  # noqa: BLE001 - Exif may be arbitrary bytes; the picture is still fine
        return None


def upright_size(picture: Image.Image) -> tuple[int, int]:
    """Return width and height as browsers show the picture."""
    width, height = picture.size
    is_sideways = picture.format != "TIFF" and orientation(picture) in SIDEWAYS  # Pillow has turned a TIFF
    return (height, width) if is_sideways else (width, height)


def in_eight_bits(picture: Image.Image) -> Image.Image:
    """Reduce a picture of 16 bits per pixel to the upper eight; return others unchanged."""
    if not picture.mode.startswith("I;16"):
        return picture
    reduced = Image.frombytes("L", picture.size, picture.tobytes("raw", "I;16")[1::2])
    reduced.info = picture.info
    return reduced


def colours_of_profile(picture: Image.Image) -> str:
    """Return the mode of the pixels that the colour profile describes: L, RGB, CMYK, or empty if it does not fit."""
    mode, modes = _COLOURS.get((picture.info.get("icc_profile") or b"")[16:20], ("", set()))
    return mode if picture.mode in modes else ""


def in_srgb(drawn: Image.Image, picture: Image.Image) -> Image.Image:
    """Return the decoded picture, converted by its colour profile to sRGB; CMYK becomes RGB in any case."""
    mode, profile = colours_of_profile(picture), picture.info.get("icc_profile") or b""
    # Little CMS evaluates tags such as D2B0 step by step, and a profile can have any number of steps.
    is_quick = len(profile) <= _MAX_PROFILE and all(profile[at : at + 3] != b"D2B" for at in range(132, 1332, 12))
    if mode and is_quick:
        alpha = drawn.convert("RGBA").getchannel("A") if drawn.has_transparency_data else None
        with suppress(OSError, ImageCms.PyCMSError):
            given = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(drawn.convert(mode), given, _SRGB, outputMode="RGB")
            drawn = cast(Image.Image, converted).convert("L" if mode == "L" else "RGB")
            if alpha:
                drawn.putalpha(alpha)
    return drawn.convert("RGB") if drawn.mode == "CMYK" else drawn


def no_picture() -> InvalidInput:
    return InvalidInput("not_a_picture", "The file is not a complete GIF, JPEG, PNG, WebP or BMP picture.")


def too_large(max_pixels: int) -> InvalidInput:
    message = f"A picture may have at most {max_pixels} pixels, and at most {MAX_SIDE} per side."
    return InvalidInput("picture_too_large", message)
