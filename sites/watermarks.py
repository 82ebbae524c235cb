import os
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.core.files.storage import FileSystemStorage, default_storage
from PIL import Image, ImageDraw, ImageFont

from core.lib.errors import InvalidInput
from core.lib.media_storage import SITE_FILES
from core.uploads.pictures import in_eight_bits, open_picture, suspicious
from sites.storing import asking

_MARGIN = 0.01  # of the picture's side
Size = tuple[int, int]
MAX_PIXELS = 4_000_000  # of a picture as a mark
_MAX_BYTES = 5 * 1024 * 1024  # of its file
_MAX_OF_SIDE = 0.5  # that it may cover
_SMALLEST = 6  # pixels of a text; a text too long at this size is cut off
_EDGE = 14  # height of a text relative to its dark edge, which makes it readable on any background
_MAX_TOLD = 100  # characters of an address
_DIGITS = frozenset("0123456789")
# Tried in this order after the site's font, and before Pillow's own font, which has only plain Latin letters.
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
_MAX_CHARACTERS = 100  # of a text in the search for fonts
_TRIED_AT = 24  # pixels
_NO_CHARACTER = "\U0010fffe"  # in no font: shows how a font draws missing characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """A mark and its place on pictures. Its font or file is loaded only to draw it."""

    position: int  # 1 to 9, in a grid of three by three, row by row
    opacity: float  # above 0, to 1
    min_width: int  # pixels of pictures that get the mark
    min_height: int
    drawn: Callable[[Size], Image.Image]  # no larger than the available room

    def put_on(self, picture: Image.Image) -> Image.Image:
        """Return the marked picture, or itself if too small. Raises errors of `drawn`. For one thread at a time."""
        if picture.width < self.min_width or picture.height < self.min_height:
            return picture
        margins = [max(2, round(side * _MARGIN)) for side in picture.size]
        mark = self.drawn((max(1, picture.width - 2 * margins[0]), max(1, picture.height - 2 * margins[1])))
        mark.putalpha(mark.getchannel("A").point([round(each * self.opacity) for each in range(256)]))
        row, column = divmod(self.position - 1, 3)
        x, y = (
            max(0, (margin, (whole - own) // 2, whole - own - margin)[step])
            for step, whole, own, margin in zip((column, row), picture.size, mark.size, margins, strict=True)
        )
        # A copy in a mode with every colour or grey.
        if "transparency" in picture.info or picture.mode == "LA":
            marked = picture.convert("RGBA")
        else:
            mode = {"1": "L", "P": "RGB"}.get(picture.mode)
            marked = picture.convert(mode) if mode else picture.copy()
        # Crop that part: a layer over the whole picture would take four times its memory.
        box = (x, y, x + mark.width, y + mark.height)
        part = marked.crop(box).convert("RGBA")
        part.alpha_composite(mark)
        marked.paste(part.convert(marked.mode), box)
        return marked


def watermark_of(site_id: int, values: Mapping[str, Any], now: datetime) -> Watermark | None:
    """Return the mark of the settings; None if there is none, or nothing to draw."""
    form, address = values["waterMarkFormatString"], values["waterMarkImagePath"]
    is_picture = values["isImageWaterMark"]
    if not values["isWaterMark"] or not (address if is_picture else form).strip():
        return None
    # Replace one by one: Python's format could access objects.
    text = form.replace("{0}", f"{now:%Y-%m-%d}").replace("{1}", f"{now:%H:%M:%S}")
    written = partial(drawn_text, text, values["waterMarkFontName"], values["waterMarkFontSize"])
    return Watermark(
        position=values["waterMarkPosition"],
        opacity=values["waterMarkTransparency"] / 10,
        min_width=values["waterMarkMinWidth"],
        min_height=values["waterMarkMinHeight"],
        drawn=partial(drawn_picture, site_id, address) if is_picture else written,
    )


def try_mark(mark: Watermark) -> None:
    """Raises like `put_on` if the mark cannot be drawn; for one thread at a time, too."""
    with suspicious(MAX_PIXELS):
        replace(mark, min_width=0, min_height=0).put_on(Image.new("RGB", (64, 64)))


def drawn_text(text: str, font_name: str, font_size: int, room: Size) -> Image.Image:
    """Draw the text, smaller for less room. Raises InvalidInput (`watermark_font_missing`, `watermark_unwritable`)."""
    drawn = (each for each in text if each.isspace() or unicodedata.category(each) not in {"Cc", "Cf", "Cs"})
    line = "".join(" " if each.isspace() else each for each in drawn).strip()
    try:
        # Include all digits, so that the font is the same at any time.
        font = find_font(font_name, _DIGITS.union(line))
        size = min(font_size, room[1])
        size = min(size, int(size * room[0] / max(1, font.font_variant(size=size).getlength(line))))
        font = font.font_variant(size=(size := max(_SMALLEST, size)))
        edge = max(1, size // _EDGE)
        left, top, right, bottom = font.getbbox(line, stroke_width=edge)
        mark = Image.new("RGBA", (max(1, min(room[0], int(right - left))), max(1, min(room[1], int(bottom - top)))))
        ImageDraw.Draw(mark).text((-left, -top), line, fill="white", font=font, stroke_width=edge, stroke_fill="black")
    except (OSError, ValueError) as error:  # a font without this size, or removed in between
        raise _undrawable("watermark_unwritable", "it cannot be written in its font", "waterMarkFontName") from error
    return mark


def drawn_picture(site_id: int, address: str, room: Size) -> Image.Image:
    """Fill at most half of the room. Raises InvalidInput (`watermark_missing`, `watermark_unreadable`)."""
    data = _read(site_id, address)
    try:
        mark = in_eight_bits(open_picture(data, MAX_PIXELS)).convert("RGBA")
    except Exception as error:  # core.uploads.pictures.suspicious would blame the uploaded picture
        raise _unreadable() from error
    scale = min(1.0, *(_MAX_OF_SIDE * most / own for most, own in zip(room, mark.size, strict=True)))
    size = max(1, int(mark.width * scale)), max(1, int(mark.height * scale))
    return mark if size == mark.size else mark.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _read(site_id: int, address: str) -> bytes:
    path = address.strip().replace("\\", "/").removeprefix("@").removeprefix("~").lstrip("/")
    name = f"{SITE_FILES.folder}/{site_id}/{path}"
    if not SITE_FILES.names.fullmatch(f"{site_id}/{path}"):
        raise _missing(address)
    # A link in the media folder may point outside, to a picture that was never uploaded.
    if isinstance(default_storage, FileSystemStorage):
        folder = os.path.realpath(default_storage.location)
        if not os.path.realpath(default_storage.path(name)).startswith(os.path.join(folder, "")):
            raise _missing(address)

    def read() -> bytes:
        if default_storage.size_of(name) > _MAX_BYTES:  # type: ignore[attr-defined]
            raise _unreadable()
        with default_storage.open(name) as file:
            return bytes(file.read())

    try:
        return asking(read)
    except FileNotFoundError as error:
        raise _missing(address) from error
    except OSError as error:  # a file that the service may not read
        raise _unreadable() from error


def _missing(address: str) -> InvalidInput:
    told = address if len(address) <= _MAX_TOLD else f"{address[:_MAX_TOLD]}…"
    return _undrawable("watermark_missing", f"the site has no file {told}", "waterMarkImagePath", address=told)


def _unreadable() -> InvalidInput:
    problem = "its picture is not a valid picture, has more than 4 million pixels or is larger than 5 MB"
    return _undrawable("watermark_unreadable", problem, "waterMarkImagePath")


def _undrawable(code: str, problem: str, member: str, **members: str) -> InvalidInput:
    message = f"The watermark of the site cannot be drawn: {problem}. Change {member} in the settings of the site."
    return InvalidInput(code, message, **members)


def find_font(name: str, characters: Collection[str]) -> ImageFont.FreeTypeFont:
    """Return the first font that has the characters; checks at most a hundred of them. Raises InvalidInput."""
    # Chinese characters, which most fonts lack, come before Latin letters.
    looked_at = sorted((each for each in characters if not each.isspace()), reverse=True)[:_MAX_CHARACTERS]
    lacking = ""
    for font in _fonts(name):
        try:
            none = _drawn(font, _NO_CHARACTER)
            lacking = next((each for each in looked_at if _drawn(font, each) in (none, b"")), "")
        except (OSError, ValueError):
            lacking = _NO_CHARACTER
        if not lacking:
            return font
    problem = f"no font on the server has all of its characters, such as {lacking}"
    raise _undrawable("watermark_font_missing", problem, "waterMarkFormatString", character=lacking)


def installed_font(name: str) -> ImageFont.FreeTypeFont | None:
    """Return the font by file name, with or without extension; a folder in the name is ignored."""
    try:
        return ImageFont.truetype(os.path.basename(name), _TRIED_AT)
    except (OSError, ValueError):  # no such file, or not a font
        return None


def _fonts(name: str) -> Iterator[ImageFont.FreeTypeFont]:
    for each in filter(None, (name.strip(), *WELL_KNOWN)):
        if font := installed_font(each):
            yield font
    own = ImageFont.load_default(_TRIED_AT)
    assert isinstance(own, ImageFont.FreeTypeFont)  # noqa: S101 - true if Pillow was built with FreeType
    yield own


def _drawn(font: ImageFont.FreeTypeFont, character: str) -> bytes:
    mask = font.getmask(character)
    return repr(mask.size).encode() + bytes(mask) if any(mask.size) else b""
