"""How large the style sheet of the back end is: what is written by hand, and what a browser loads."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "core" / "admin"
MOST_LINES = 4_000  # by hand; take a component of /admin/components/ rather than raise it
MOST_BYTES = 66_000  # as built by `make editor`, before compression


def test_the_hand_written_style_sheets_are_short():
    sheets = list((FOLDER / "styles").rglob("*.css"))
    assert len(sheets) > 15
    lines = {sheet.name: len(sheet.read_text().splitlines()) for sheet in sheets}
    assert sum(lines.values()) <= MOST_LINES, lines


def test_the_built_style_sheet_is_small():
    size = (FOLDER / "static" / "cms_admin" / "admin.css").stat().st_size
    assert 10_000 < size <= MOST_BYTES
