"""Watermarks on uploaded pictures: a text or a picture of the site's files, as the settings of the site want it."""

import os
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.core.files.storage import FileSystemStorage, default_storage
from PIL import Image, ImageDraw, ImageFont

from cms_api.lib.errors import InvalidInput
from cms_api.lib.media_names import SITE_FILES
from cms_api.uploads.pictures import in_eight_bits, open_picture, suspicious
from sites.storing import asking

_MARGIN = 0.01  # of the picture's side
Size = tuple[int, int]
MOST_PIXELS = 4_000_000  # of a picture as a mark
_MOST_BYTES = 5 * 1024 * 1024  # of its file
_MOST_OF_SIDE = 0.5  # that it may cover
_SMALLEST = 6  # pixels of a text; a longer one is cut off
_EDGE = 14  # so many times as high as its dark edge is a text, which is then read on every ground
_MOST_TOLD = 100  # characters of an address
_DIGITS = frozenset("0123456789")
# Tried in this order after the font that the site names, and before Pillow's own, which has plain Latin letters only.
WELL_KNOWN = (
    "DejaVuSans.ttf",
    "NotoSansCJK-Regular.ttc",
    "wqy-microhei.ttc",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "msyh.ttc",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "Arial Unicode.ttf",
)
_MOST_CHARACTERS = 100  # of a text that a font is looked through for; a mark of more is no mark
_TRIED_AT = 24  # pixels
_NO_CHARACTER = "\U0010fffe"  # which no font has: what is drawn for it is drawn for all that is missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """What is drawn on pictures, and where. Its font or file is looked for only with a picture to draw it on."""

    position: int  # 1 to 9, in a grid of three by three, row by row
    opacity: float  # above 0, to 1
    min_width: int  # pixels of pictures that get it
    min_height: int
    drawn: Callable[[Size], Image.Image]  # no larger than the room for it

    def put_on(self, picture: Image.Image) -> Image.Image:
        """The picture with the mark; itself where it is too small for one.

        Raises what `drawn_text` and `drawn_picture` raise. Not for two threads at a time, as all that opens pictures
        (cms_api.uploads.pictures.suspicious).
        """
        if picture.width < self.min_width or picture.height < self.min_height:
            return picture
        margins = max(2, round(picture.width * _MARGIN)), max(2, round(picture.height * _MARGIN))
        mark = self.drawn((max(1, picture.width - 2 * margins[0]), max(1, picture.height - 2 * margins[1])))
        mark.putalpha(mark.getchannel("A").point([round(each * self.opacity) for each in range(256)]))
        return _composed(picture, mark, self._place(picture.size, mark.size, margins))

    def _place(self, around: Size, size: Size, margins: Size) -> Size:
        row, column = divmod(self.position - 1, 3)
        x, y = (
            (margin, (whole - own) // 2, whole - own - margin)[step]
            for step, whole, own, margin in zip((column, row), around, size, margins, strict=True)
        )
        return max(0, x), max(0, y)


def _composed(picture: Image.Image, mark: Image.Image, place: Size) -> Image.Image:
    marked = _with_all_colours(picture)
    box = (*place, place[0] + mark.width, place[1] + mark.height)
    # Only that part is taken out: a whole picture with a layer over it would be four times itself.
    part = marked.crop(box).convert("RGBA")
    part.alpha_composite(mark)
    marked.paste(part.convert(marked.mode), box)
    return marked


def _with_all_colours(picture: Image.Image) -> Image.Image:
    """A copy in which every colour, or grey, can be drawn."""
    if "transparency" in picture.info or picture.mode == "LA":
        return picture.convert("RGBA")
    return picture.convert({"1": "L", "P": "RGB"}[picture.mode]) if picture.mode in {"1", "P"} else picture.copy()


def watermark_of(site_id: int, values: Mapping[str, Any], now: datetime) -> Watermark | None:
    """The mark by the members of the settings; None where there is none, or nothing to be drawn."""
    form, address = values["waterMarkFormatString"], values["waterMarkImagePath"]
    is_picture = values["isImageWaterMark"]
    if not values["isWaterMark"] or not (address if is_picture else form).strip():
        return None
    written = partial(drawn_text, _filled(form, now), values["waterMarkFontName"], values["waterMarkFontSize"])
    return Watermark(
        position=values["waterMarkPosition"],
        opacity=values["waterMarkTransparency"] / 10,
        min_width=values["waterMarkMinWidth"],
        min_height=values["waterMarkMinHeight"],
        drawn=partial(drawn_picture, site_id, address) if is_picture else written,
    )


def _filled(form: str, now: datetime) -> str:
    # Replaced one by one: a format of Python's could reach into objects.
    return form.replace("{0}", f"{now:%Y-%m-%d}").replace("{1}", f"{now:%H:%M:%S}")


def try_mark(mark: Watermark) -> None:
    """Raises as `put_on` for a mark that cannot be drawn, and as little for two threads at a time."""
    with suspicious(MOST_PIXELS):
        replace(mark, min_width=0, min_height=0).put_on(Image.new("RGB", (64, 64)))


def drawn_text(text: str, font_name: str, font_size: int, room: Size) -> Image.Image:
    """The text in that font, or in one that has its characters, smaller where there is less room.

    Raises InvalidInput (`watermark_font_missing`, `watermark_unwritable`).
    """
    line = "".join(" " if each.isspace() else each for each in text if each.isspace() or _is_drawn(each)).strip()
    try:
        # With all digits, so that the font is the same at any time.
        return _written(find_font(font_name, _DIGITS.union(line)), line, font_size, room)
    except (OSError, ValueError) as error:  # a font that has no such size, or goes away at this moment
        raise _undrawable("watermark_unwritable", "it cannot be written in its font", "waterMarkFontName") from error


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


def _undrawable(code: str, problem: str, member: str, **members: str) -> InvalidInput:
    message = f"The watermark of the site cannot be drawn: {problem}. Change {member} in the settings of the site."
    return InvalidInput(code, message, **members)


def find_font(name: str, characters: Collection[str]) -> ImageFont.FreeTypeFont:
    """The first font that has the characters, of which it looks at a hundred at most. Raises InvalidInput."""
    # Chinese characters, which most fonts lack, come before Latin letters.
    looked_at = sorted((each for each in characters if not each.isspace()), reverse=True)[:_MOST_CHARACTERS]
    lacking = ""
    for font in _fonts(name):
        if not (lacking := _first_lacking(font, looked_at)):
            return font
    raise _font_missing(lacking)


def installed_font(name: str) -> ImageFont.FreeTypeFont | None:
    """The font of a file of that name, with or without its extension; a folder in the name is ignored."""
    try:
        return ImageFont.truetype(os.path.basename(name), _TRIED_AT)
    except (OSError, ValueError):  # no such file, or one that is no font
        return None


def _fonts(name: str) -> Iterator[ImageFont.FreeTypeFont]:
    for each in filter(None, (name.strip(), *WELL_KNOWN)):
        if font := installed_font(each):
            yield font
    own = ImageFont.load_default(_TRIED_AT)
    assert isinstance(own, ImageFont.FreeTypeFont)  # noqa: S101 - so it is where Pillow was built with FreeType
    yield own


def _first_lacking(font: ImageFont.FreeTypeFont, characters: Collection[str]) -> str:
    try:
        none = _drawn(font, _NO_CHARACTER)
        return next((each for each in characters if _drawn(font, each) in (none, b"")), "")
    except (OSError, ValueError):
        return _NO_CHARACTER


def _drawn(font: ImageFont.FreeTypeFont, character: str) -> bytes:
    mask = font.getmask(character)
    return repr(mask.size).encode() + bytes(mask) if any(mask.size) else b""
