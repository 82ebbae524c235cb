"""Watermarks on uploaded pictures: a text or a picture of the site's files, as the settings of the site want it."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.files.storage import default_storage
from PIL import Image, ImageDraw

from cms_api.lib.media_names import SITE_FILES
from cms_api.rest.errors import BadRequest
from cms_api.rest.pictures import in_eight_bits, open_picture, suspicious
from sites.watermark_fonts import PILLOWS_OWN, Face, find_face

_MOST_BYTES = 5 * 1024 * 1024  # of the file of a mark
_MOST_PIXELS = 4_000_000  # of it
_MARGIN = 0.01  # of the picture's side
_MOST_OF_SIDE = 0.5  # that a picture may cover as a mark
_SMALLEST = 6  # pixels of a text; a longer one is cut off
_EDGE = 14  # so many times as high as its dark edge is a text, which is then read on every ground


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """What is drawn on pictures, and where: a text in a font, or the bytes of a picture."""

    position: int  # 1 to 9, in a grid of three by three, row by row
    opacity: float  # above 0, to 1
    min_width: int = 0  # pixels of pictures that get it
    min_height: int = 0
    text: str = ""
    face: Face = PILLOWS_OWN
    font_size: int = 12  # pixels
    picture: bytes | None = None

    def put_on(self, picture: Image.Image) -> Image.Image:
        """The picture with the mark; itself where it is too small for one. Raises BadRequest.

        Not for two threads at a time, as all that opens pictures (cms_api.rest.pictures.suspicious).
        """
        if picture.width < self.min_width or picture.height < self.min_height:
            return picture
        margins = max(2, round(picture.width * _MARGIN)), max(2, round(picture.height * _MARGIN))
        room = max(1, picture.width - 2 * margins[0]), max(1, picture.height - 2 * margins[1])
        mark = self._drawn_text(room) if self.picture is None else self._drawn_picture(self.picture, room)
        mark.putalpha(mark.getchannel("A").point([round(each * self.opacity) for each in range(256)]))
        return _composed(picture, mark, self._place(picture.size, mark.size, margins))

    def _place(self, around: tuple[int, int], size: tuple[int, int], margins: tuple[int, int]) -> tuple[int, int]:
        row, column = divmod(self.position - 1, 3)
        x, y = (
            (margin, (whole - own) // 2, whole - own - margin)[step]
            for step, whole, own, margin in zip((column, row), around, size, margins, strict=True)
        )
        return max(0, x), max(0, y)

    def _drawn_text(self, room: tuple[int, int]) -> Image.Image:
        size = min(self.font_size, room[1])
        size = min(size, int(size * room[0] / max(1, self.face.at(size).getlength(self.text))))
        font = self.face.at(size := max(_SMALLEST, size))
        edge = max(1, size // _EDGE)
        left, top, right, bottom = font.getbbox(self.text, stroke_width=edge)
        within = (max(1, min(room[0], int(right - left))), max(1, min(room[1], int(bottom - top))))
        mark = Image.new("RGBA", within)
        ImageDraw.Draw(mark).text(
            (-left, -top), self.text, fill="white", font=font, stroke_width=edge, stroke_fill="black"
        )
        return mark

    def _drawn_picture(self, data: bytes, room: tuple[int, int]) -> Image.Image:
        try:
            mark = in_eight_bits(open_picture(data, _MOST_PIXELS)).convert("RGBA")
        except Exception as error:  # as cms_api.rest.pictures.suspicious, which would blame the picture under it
            raise _unreadable() from error
        scale = min(1.0, *(_MOST_OF_SIDE * most / own for most, own in zip(room, mark.size, strict=True)))
        size = max(1, int(mark.width * scale)), max(1, int(mark.height * scale))
        return mark if size == mark.size else mark.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _composed(picture: Image.Image, mark: Image.Image, place: tuple[int, int]) -> Image.Image:
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
    """The mark by the members of the settings; None where there is none, or nothing to be drawn.

    Raises BadRequest (`watermark_font_missing`, `watermark_missing`, `watermark_unreadable`), and what the storage of
    files raises.
    """
    if not values["isWaterMark"]:
        return None
    form = values["waterMarkFormatString"]
    is_picture = values["isImageWaterMark"]
    if not (values["waterMarkImagePath"] if is_picture else form).strip():
        return None
    own = {"picture": _read(site_id, values["waterMarkImagePath"])} if is_picture else _text(form, values, now)
    return Watermark(
        position=values["waterMarkPosition"],
        opacity=values["waterMarkTransparency"] / 10,
        min_width=values["waterMarkMinWidth"],
        min_height=values["waterMarkMinHeight"],
        **own,
    )


def try_mark(mark: Watermark) -> None:
    """Raises BadRequest for a mark that cannot be drawn. Not for two threads at a time, as `put_on`."""
    with suspicious(_MOST_PIXELS):
        replace(mark, min_width=0, min_height=0).put_on(Image.new("RGB", (64, 64)))


def _text(form: str, values: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    # Replaced one by one: a format of Python's could reach into objects.
    text = form.replace("{0}", f"{now:%Y-%m-%d}").replace("{1}", f"{now:%H:%M:%S}")
    line = "".join(" " if each.isspace() else each for each in text if each.isspace() or _is_drawn(each)).strip()
    # With all digits, so that the font is the same at any time.
    face = find_face(values["waterMarkFontName"].strip(), frozenset(line) | frozenset("0123456789"))
    return {"text": line, "face": face, "font_size": values["waterMarkFontSize"]}


def _is_drawn(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs"}


def _read(site_id: int, address: str) -> bytes:
    path = address.strip().replace("\\", "/").removeprefix("@").removeprefix("~").lstrip("/")
    name = f"{site_id}/{path}"
    if not SITE_FILES.names.fullmatch(name):
        raise _missing(address)
    stored = f"{SITE_FILES.folder}/{name}"
    try:
        if default_storage.size_of(stored) > _MOST_BYTES:  # type: ignore[attr-defined]
            raise _unreadable()
        with default_storage.open(stored) as file:
            return bytes(file.read())
    except FileNotFoundError as error:
        raise _missing(address) from error


def _missing(address: str) -> BadRequest:
    return BadRequest("watermark_missing", f"The site has no file {address} for its watermark.", address=address)


def _unreadable() -> BadRequest:
    message = "The picture for the watermark is none, has more than 4 million pixels, or more than 5 MB."
    return BadRequest("watermark_unreadable", message)
