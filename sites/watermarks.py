"""Watermarks on uploaded pictures: a text or a picture of the site's files, as the settings of the site want it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from PIL import Image

from cms_api.uploads.pictures import suspicious
from sites.watermark_drawing import MOST_PIXELS, Size, drawn_picture, drawn_text

_MARGIN = 0.01  # of the picture's side


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
