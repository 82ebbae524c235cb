"""Draws what watermarks consist of: a text in a font of the server, or a picture among the files of the site."""

import os
import unicodedata

from django.core.files.storage import FileSystemStorage, default_storage
from PIL import Image, ImageDraw, ImageFont

from cms_api.lib.errors import InvalidInput
from cms_api.lib.media_names import SITE_FILES
from cms_api.uploads.pictures import in_eight_bits, open_picture
from sites.storing import asking
from sites.watermark_fonts import FontMissing, find_font

MOST_PIXELS = 4_000_000  # of a picture as a mark
_MOST_BYTES = 5 * 1024 * 1024  # of its file
_MOST_OF_SIDE = 0.5  # that it may cover
_SMALLEST = 6  # pixels of a text; a longer one is cut off
_EDGE = 14  # so many times as high as its dark edge is a text, which is then read on every ground
_MOST_TOLD = 100  # characters of an address
_DIGITS = frozenset("0123456789")

Size = tuple[int, int]


def drawn_text(text: str, font_name: str, font_size: int, room: Size) -> Image.Image:
    """The text in that font, or in one that has its characters, smaller where there is less room.

    Raises InvalidInput (`watermark_font_missing`, `watermark_unwritable`).
    """
    line = "".join(" " if each.isspace() else each for each in text if each.isspace() or _is_drawn(each)).strip()
    try:
        # With all digits, so that the font is the same at any time.
        return _written(find_font(font_name, _DIGITS.union(line)), line, font_size, room)
    except FontMissing as error:
        raise _font_missing(error.character) from error
    except (OSError, ValueError) as error:  # a font that has no such size, or goes away at this moment
        raise _unwritable() from error


def _written(font: ImageFont.FreeTypeFont, line: str, font_size: int, room: Size) -> Image.Image:
    size = min(font_size, room[1])
    size = min(size, int(size * room[0] / max(1, font.font_variant(size=size).getlength(line))))
    font = font.font_variant(size=(size := max(_SMALLEST, size)))
    edge = max(1, size // _EDGE)
    left, top, right, bottom = font.getbbox(line, stroke_width=edge)
    mark = Image.new("RGBA", (max(1, min(room[0], int(right - left))), max(1, min(room[1], int(bottom - top)))))
    ImageDraw.Draw(mark).text((-left, -top), line, fill="white", font=font, stroke_width=edge, stroke_fill="black")
    return mark


def _is_drawn(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs"}


def drawn_picture(site_id: int, address: str, room: Size) -> Image.Image:
    """The picture of that address, which covers half of the room at most.

    Raises InvalidInput (`watermark_missing`, `watermark_unreadable`), and what `asking` raises.
    """
    data = _read(site_id, address)
    try:
        mark = in_eight_bits(open_picture(data, MOST_PIXELS)).convert("RGBA")
    except Exception as error:  # as cms_api.uploads.pictures.suspicious, which would blame the picture under it
        raise _unreadable() from error
    scale = min(1.0, *(_MOST_OF_SIDE * most / own for most, own in zip(room, mark.size, strict=True)))
    size = max(1, int(mark.width * scale)), max(1, int(mark.height * scale))
    return mark if size == mark.size else mark.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _read(site_id: int, address: str) -> bytes:
    path = address.strip().replace("\\", "/").removeprefix("@").removeprefix("~").lstrip("/")
    name = f"{SITE_FILES.folder}/{site_id}/{path}"
    if not SITE_FILES.names.fullmatch(f"{site_id}/{path}") or _leads_out(name):
        raise _missing(address)
    try:
        return asking(lambda: _contents(name))
    except FileNotFoundError as error:
        raise _missing(address) from error
    except OSError as error:  # a file that the service may not read
        raise _unreadable() from error


def _contents(name: str) -> bytes:
    if default_storage.size_of(name) > _MOST_BYTES:  # type: ignore[attr-defined]
        raise _unreadable()
    with default_storage.open(name) as file:
        return bytes(file.read())


def _leads_out(name: str) -> bool:
    """Whether some link in the folder of media leads out of it: to a picture that nobody has uploaded."""
    if not isinstance(default_storage, FileSystemStorage):
        return False
    folder = os.path.realpath(default_storage.location)
    return not os.path.realpath(default_storage.path(name)).startswith(os.path.join(folder, ""))


def _font_missing(character: str) -> InvalidInput:
    problem = f"no font that was found on the server has all of its characters, such as {character}"
    return _undrawable("watermark_font_missing", problem, "waterMarkFormatString", character=character)


def _missing(address: str) -> InvalidInput:
    told = address if len(address) <= _MOST_TOLD else f"{address[:_MOST_TOLD]}…"
    return _undrawable("watermark_missing", f"the site has no file {told}", "waterMarkImagePath", address=told)


def _unreadable() -> InvalidInput:
    problem = "its picture is none, has more than 4 million pixels, or more than 5 MB"
    return _undrawable("watermark_unreadable", problem, "waterMarkImagePath")


def _unwritable() -> InvalidInput:
    return _undrawable("watermark_unwritable", "it cannot be written in its font", "waterMarkFontName")


def _undrawable(code: str, problem: str, member: str, **members: str) -> InvalidInput:
    message = f"The watermark of the site cannot be drawn: {problem}. Change {member} in the settings of the site."
    return InvalidInput(code, message, **members)
