"""Takes the pictures of a stop: light and dark, on a desk and on a phone."""

import io
import re

from PIL import Image

from tools.browser import LANGUAGES
from tools.tour.visitor import DESKTOP, PHONE

COLOURS = ("light", "dark")
MAX_BYTES = 60_000  # of one picture
_QUALITIES = (68, 55, 45, 35)
_MANY_COLOURS = 3_500  # a page with photographs has more
_OFTEN, _RARE = 28, 28  # colours of a picture
_STATUS = "Failed to load resource: the server responded with a status of"


def short(language):
    """The language in the names of files."""
    return language[:2]


def file_name(name, language, colours, *, on_phone=False):
    """The name of a picture: `start.en-light.webp`, `start-phone.zh-dark.webp`."""
    return f"{name}{'-phone' if on_phone else ''}.{short(language)}-{colours}.webp"


def file_names(stop):
    """Those of all pictures of the stop."""
    return {
        file_name(stop.name, language, colours, on_phone=on_phone)
        for language in LANGUAGES
        for colours in COLOURS
        for on_phone in (False, True)[: 1 + stop.on_phone]
    }


def take(stop, visitor, folder):
    """Go to the stop, check it, and take its pictures into the folder."""
    visitor.complaints.clear()
    visitor.page.set_viewport_size(DESKTOP)
    visitor.page.emulate_media(color_scheme="light")
    stop.walk(visitor)
    _check(stop, visitor)
    for size in (DESKTOP, PHONE)[: 1 + stop.on_phone]:
        visitor.page.set_viewport_size(size)
        for colours in COLOURS:
            visitor.page.emulate_media(color_scheme=colours)
            name = file_name(stop.name, visitor.language, colours, on_phone=size is PHONE)
            _store(_shot(visitor.page), folder / name)


def _check(stop, visitor):
    visitor.page.wait_for_load_state("networkidle")
    expected = re.compile(rf"{re.escape(_STATUS)} {stop.status} ")
    found = [each for each in visitor.complaints if not expected.match(each)]
    assert not found, f"The browser complains: {found}"
    lang = visitor.page.get_attribute("html", "lang")
    assert lang.casefold() == visitor.language, f"The page is in {lang!r}."
    # Not only visible text: the page may be longer than the picture.
    missing = stop.unseen(visitor.page.evaluate(_TEXT), visitor.language)
    assert not missing, f"{visitor.page.url} lacks {missing}."


# The title, the text of the page, and the texts in fields and on buttons.
_TEXT = """() => [document.title, document.body.innerText,
  ...[...document.querySelectorAll("input[type=submit], input[placeholder]")].flatMap((e) => [e.value, e.placeholder])
].join("\\n")"""


def _shot(page):
    page.mouse.move(0, 0)
    return Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide"))).convert("RGB")


def _store(picture, path):
    """Store it exactly, but for the number of its colours; one with photographs as well as the most bytes allow."""
    counted = picture.getcolors(picture.width * picture.height)
    if len(counted) <= _MANY_COLOURS:
        _few_colours(picture, counted).save(path, lossless=True, quality=75, method=4)
        return
    for quality in _QUALITIES:
        picture.save(path, quality=quality, method=6)
        if path.stat().st_size <= MAX_BYTES:
            return
    raise AssertionError(f"{path.name} has {path.stat().st_size} bytes.")


def _few_colours(picture, counted):
    """The picture in 56 colours: the most frequent ones, and the most different ones, such as of a red letter."""
    often = [colour for _number, colour in sorted(counted, reverse=True)[:_OFTEN]]
    palette = Image.new("P", (1, 1))
    rare = picture.quantize(_RARE, method=Image.Quantize.MAXCOVERAGE).getpalette()
    palette.putpalette([part for colour in often for part in colour] + rare)
    return picture.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB")
