"""Which font a watermark is written in: the named file, a well-known one that has the characters, or Pillow's own."""

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from PIL import ImageFont

from core.lib.errors import InvalidInput
from sites import watermarks
from sites.watermarks import find_font, installed_font

LETTERS, CHINESE = frozenset("Harbour"), frozenset("港口")
PILLOWS_OWN = ImageFont.load_default(24).getname()


def install(folder, name, text, family="Bars"):
    """A font whose only characters are those of the text, each a bar of its own height."""
    text = "".join(dict.fromkeys(text))
    names = [".notdef", *(f"uni{ord(character):04X}" for character in text)]
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(character): name for character, name in zip(text, names[1:], strict=True)})
    font.setupGlyf({name: _bar(40 * place) for place, name in enumerate(names)})
    font.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": family, "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    folder.mkdir(exist_ok=True)
    font.save(folder / name)
    return str(folder / name)


def _bar(height):
    pen = TTGlyphPen(None)
    if height:
        pen.moveTo((0, 0))
        for point in ((0, height), (500, height), (500, 0)):
            pen.lineTo(point)
        pen.closePath()
    return pen.glyph()


@pytest.mark.parametrize("name", ["harbour-bars.ttf", "harbour-bars", " harbour-bars ", "/elsewhere/harbour-bars.ttf"])
def test_the_named_file_comes_first(font_folder, name):
    path = install(font_folder, "harbour-bars.ttf", "港口")
    install(font_folder, "DejaVuSans.ttf", "港口")
    assert find_font(name, CHINESE).path == path


@pytest.mark.parametrize("name", ["", "No such font", "bars", "..", "a\0b"])
def test_without_it_the_first_well_known_one_that_has_the_characters_comes(font_folder, name):
    install(font_folder, "bars.ttf", "Harbou")
    install(font_folder, "DejaVuSans.ttf", "Harbour")
    paths = [install(font_folder, each, "港口") for each in ("wqy-microhei.ttc", "NotoSansCJK-Regular.ttc")]
    assert find_font(name, CHINESE).path == paths[1]


def test_pillows_own_is_the_last(font_folder):
    assert find_font("", LETTERS).getname() == PILLOWS_OWN
    install(font_folder, "DejaVuSans.ttf", "Harbour")
    assert find_font("", LETTERS).getname() == ("Bars", "Regular")


def test_a_missing_character_is_named(font_folder):
    install(font_folder, "DejaVuSans.ttf", "Harbour口")
    with pytest.raises(InvalidInput) as missing:
        find_font("", LETTERS | CHINESE | {" "})
    assert missing.value.members["character"] == "港"


def test_a_hundred_characters_are_looked_at(font_folder, monkeypatch):
    drawn, draw = [], watermarks._drawn
    monkeypatch.setattr(watermarks, "_drawn", lambda font, each: (drawn.append(each), draw(font, each))[1])
    many = "".join(chr(number) for number in range(0x4E00, 0x4E00 + 101))
    install(font_folder, "DejaVuSans.ttf", many)
    find_font("", frozenset(many))
    assert len(drawn) == 1 + 100


def test_a_broken_font_is_passed_over(font_folder):
    font_folder.mkdir()
    (font_folder / "DejaVuSans.ttf").write_bytes(b"no font")
    (font_folder / "wqy-microhei.ttc").symlink_to(font_folder / "gone.ttf")
    assert find_font("DejaVuSans", LETTERS).getname() == PILLOWS_OWN


def test_a_font_is_installed_by_its_file_only(font_folder):
    install(font_folder, "x.ttf", "a", family="Harbour Bars")
    assert [installed_font(name) is not None for name in ("x", "x.ttf", "Harbour Bars", "X.TTF")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.skipif(installed_font("NotoSansCJK-Regular.ttc") is None, reason="Noto Sans CJK is not installed.")
def test_chinese_is_written_in_noto_sans_cjk():
    assert "CJK" in find_font("DejaVuSans", CHINESE | {"1"}).getname()[0]
