"""Which font a watermark is written in: found by name or characters, the same everywhere, and looked for seldom."""

import os
from pathlib import Path

import pytest

from sites import watermark_fonts
from sites.watermark_fonts import PILLOWS_OWN, Face, FontMissing, Fonts

LETTERS = frozenset("Harbour")
CHINESE = frozenset("港口")
FONT = next(Path("/usr/share/fonts").rglob("DejaVuSans.ttf"), None)
needs_font = pytest.mark.skipif(FONT is None, reason="The font DejaVu Sans is not installed.")
ARABIC = frozenset("ميناء")  # which DejaVu Sans has, and Pillow's own font not


class Clock:
    """Stands still until it is put forward."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def opened(monkeypatch):
    """The paths of the fonts that are opened."""
    paths, at = [], Face.at
    monkeypatch.setattr(Face, "at", lambda self, size: (paths.append(self.path), at(self, size))[1])
    return paths


def install(folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(FONT.read_bytes())
    return str(folder / name)


@needs_font
@pytest.mark.parametrize("name", ["DejaVu Sans", "dejavu sans", "DejaVuSans", " DejaVu-Sans "])
def test_a_font_is_found_by_its_family_or_its_file(name, tmp_path):
    path = install(tmp_path, "x.ttf")
    assert Fonts([tmp_path]).find(name, LETTERS).path == path


def test_where_the_name_is_not_installed_pillows_own_is_taken():
    assert Fonts(()).find("No such font", LETTERS) == PILLOWS_OWN


@needs_font
def test_of_many_the_same_is_taken_whatever_order_the_disk_has(tmp_path, monkeypatch):
    for folder in ("b", "a", "c"):
        install(tmp_path / folder, "z.ttf")
        install(tmp_path / folder, "y.ttf")
    first = str(tmp_path / "a" / "y.ttf")
    assert Fonts([tmp_path]).find("", ARABIC).path == first
    walk = os.walk

    def backwards(top):
        for place, below, names in walk(top):
            below.sort(reverse=True)
            names.sort(reverse=True)
            yield place, below, names

    monkeypatch.setattr(os, "walk", backwards)
    monkeypatch.setattr(watermark_fonts, "_MOST_FILES", 1)
    assert Fonts([tmp_path]).find("", ARABIC).path == first


@needs_font
def test_that_no_font_has_the_characters_is_remembered_for_a_minute(tmp_path, clock, opened):
    path, fonts = install(tmp_path, "x.ttf"), Fonts([tmp_path], clock)
    for _ in range(2):
        with pytest.raises(FontMissing) as missing:
            fonts.find("", CHINESE)
        assert missing.value.character == "港"
    assert opened.count(path) == 2  # for its name, and for its characters
    clock.seconds = 60
    with pytest.raises(FontMissing):
        fonts.find("", CHINESE)
    assert opened.count(path) == 4


@needs_font
def test_a_font_that_is_installed_is_found_a_minute_later(tmp_path, clock):
    fonts = Fonts([tmp_path], clock)
    with pytest.raises(FontMissing):
        fonts.find("", ARABIC)
    clock.seconds = 30
    with pytest.raises(FontMissing):
        fonts.find("x", ARABIC)
    path = install(tmp_path, "x.ttf")
    clock.seconds = 60
    assert (fonts.find("", ARABIC).path, fonts.find("x", ARABIC).path) == (path, path)


@needs_font
def test_what_was_found_is_remembered_while_it_is_there(tmp_path, clock, opened):
    paths, fonts = [install(tmp_path, name) for name in ("x.ttf", "y.ttf")], Fonts([tmp_path], clock)
    assert fonts.find("", ARABIC).path == paths[0]
    before = opened.count(paths[1])
    clock.seconds = 590
    assert fonts.find("", ARABIC).path == paths[0]
    assert opened.count(paths[1]) == before
    os.remove(paths[0])
    assert fonts.find("", ARABIC).path == paths[1]


@needs_font
def test_a_hundred_characters_are_looked_at_and_none_behind_the_first_that_is_missing(tmp_path, monkeypatch):
    drawn, draw = [], watermark_fonts._drawn
    monkeypatch.setattr(watermark_fonts, "_drawn", lambda font, each: (drawn.append(each), draw(font, each))[1])
    hundred = frozenset(chr(number) for number in range(33, 127)) | frozenset("ÄÖÜäöü")
    path = install(tmp_path, "x.ttf")
    assert Fonts([tmp_path]).find("", hundred | CHINESE).path == path
    # Of Pillow's own font the first, of the other all; and of both the one that no font has.
    assert len(drawn) == 2 + 101
    drawn.clear()
    with pytest.raises(FontMissing):
        Fonts(()).find("", frozenset("Harbour") | CHINESE)
    assert drawn.count("港") == 2  # in the search, and to name it
    assert "H" not in drawn


def test_a_broken_font_is_passed_over(tmp_path):
    (tmp_path / "x.ttf").write_bytes(b"no font")
    (tmp_path / "y.ttc").write_bytes(b"")
    (tmp_path / "z.ttf").symlink_to(tmp_path / "gone.ttf")
    assert Fonts([tmp_path, "/nowhere"]).find("x", LETTERS) == PILLOWS_OWN


@needs_font
def test_a_font_is_there_by_its_family_or_its_file_only(tmp_path):
    install(tmp_path, "x.ttf")
    fonts = Fonts([tmp_path])
    assert [fonts.has(name) for name in ("dejavu sans", "X", "Comic Nothing", "")] == [True, True, False, False]
