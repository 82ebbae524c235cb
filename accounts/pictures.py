"""Pictures that strangers send: looked at with suspicion, and drawn anew."""

import io
import warnings

from PIL import Image, PngImagePlugin, WebPImagePlugin

from cms_api.rest.errors import BadRequest

FORMATS = ("GIF", "JPEG", "PNG", "WEBP", "BMP")  # by content; the last two are ever only read
MAX_SIDE = 16_000  # pixels; PNG and GIF could claim four thousand million
_ROWS = 64  # rows of the smaller picture that are made at a time
# Honest files need some thousands. Five megabytes of comments of one byte would take seconds.
_MAX_READS = 50_000
# A progressive JPEG has some ten scans. Each goes over the whole picture, and takes ten bytes to ask for.
_MAX_SCANS = 64
_START_OF_SCAN = b"\xff\xda"
_RUN_LENGTHS = {1, 2}  # ways to compress a BMP, which Pillow reads pixel by pixel in Python
_ORIENTATION = 0x0112  # the tag in Exif
_UPRIGHT = {
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


def draw_anew(data: bytes, *, max_pixels: int, side: int) -> bytes:
    """The first frame of a picture as a PNG that has nothing but pixels, shrunk to `side` at most.

    Upright as its Exif orientation wants it. The size is looked at before anything is decoded. Raises BadRequest
    (`not_a_picture`, `picture_too_large`). Not for two threads at a time: while it runs, the warnings
    that Pillow's own modules cause are off in the whole process, and a filter that another thread sets gets lost.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\.")  # of odd metadata, which nobody will read
        try:
            small, orientation = _shrink(_open(data, max_pixels), side)
        except BadRequest:
            raise
        except Image.DecompressionBombError as error:
            raise _too_large(max_pixels) from error
        except Exception as error:  # Pillow raises whatever its formats come across, struct.error and MemoryError too
            raise _no_picture() from error
    if orientation in _UPRIGHT:
        small = small.transpose(_UPRIGHT[orientation])
    return _as_png(small)


class _Reader(io.BytesIO):
    """The bytes of a file, for those who do not read them in crumbs."""

    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.reads += 1
        if self.reads > _MAX_READS:
            raise OSError("The file consists of too many parts.")
        return super().read(size)


def _open(data: bytes, max_pixels: int) -> Image.Image:
    # Twice this many pixels are an error, which comes before a format makes room for them; WebP does so at once.
    Image.MAX_IMAGE_PIXELS = (max_pixels + 1) // 2
    picture = Image.open(_Reader(data), formats=FORMATS)
    if picture.width * picture.height > max_pixels or max(picture.size) > MAX_SIDE:
        raise _too_large(max_pixels)
    if min(picture.size) < 1:
        raise _no_picture()
    if picture.format == "BMP" and picture.info.get("compression") in _RUN_LENGTHS:
        raise BadRequest("not_a_picture", "A BMP picture must not be compressed.")
    if picture.format in {"JPEG", "MPO"} and data.count(_START_OF_SCAN) > _MAX_SCANS:
        raise BadRequest("picture_too_large", f"A JPEG picture may have {_MAX_SCANS} scans at most.")
    return picture


def _shrink(picture: Image.Image, side: int) -> tuple[Image.Image, object]:
    """The picture with premultiplied alpha, and the orientation that it asks for."""
    picture.draft(None, (2 * side, 2 * side))  # a JPEG of many pixels is decoded to fewer
    picture.load()
    small = _reduce(picture, max(1, max(picture.size) // (2 * side)))
    scale = min(1.0, side / max(small.size))
    size = tuple(max(1, round(scale * length)) for length in small.size)
    orientation = _orientation(picture)
    return (small if size == small.size else small.resize(size, Image.Resampling.LANCZOS)), orientation


def _reduce(picture: Image.Image, factor: int) -> Image.Image:
    """The picture with so many times fewer rows and columns, each pixel the mean of those that it stands for.

    Made in strips: a copy of the whole in another mode may take a hundred megabytes.
    """
    width, height = picture.size
    small = Image.new("RGBa", (-(-width // factor), -(-height // factor)))
    for top in range(0, height, _ROWS * factor):
        strip = picture.crop((0, top, width, min(height, top + _ROWS * factor)))
        small.paste(_in_colours(strip).reduce(factor), (0, top // factor))
    return small


def _in_colours(strip: Image.Image) -> Image.Image:
    """Whatever the mode of the pixels: red, green, blue and alpha of eight bits, premultiplied."""
    if strip.mode.startswith("I;16"):
        strip = Image.frombytes("L", strip.size, strip.tobytes("raw", "I;16")[1::2])
    return strip.convert("RGBA").convert("RGBa")


def _orientation(picture: Image.Image) -> object:
    try:
        return picture.getexif().get(_ORIENTATION)
    except Exception:  # noqa: BLE001 - Exif may be any bytes; a picture is no worse for them
        return None


def _as_png(small: Image.Image) -> bytes:
    picture = small.convert("RGBA")
    if picture.getchannel("A").getextrema() == (255, 255):
        picture = picture.convert("RGB")
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def _no_picture() -> BadRequest:
    return BadRequest("not_a_picture", "The file is no whole picture in the format GIF, JPEG, PNG, WebP or BMP.")


def _too_large(max_pixels: int) -> BadRequest:
    message = f"A picture may have {max_pixels} pixels, and {MAX_SIDE} of them on a side, at most."
    return BadRequest("picture_too_large", message)
