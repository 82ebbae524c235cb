"""Images of many pictures, each with its name, to look at all of them quickly."""

from PIL import Image, ImageDraw

_WIDTH, _HEIGHT, _LABEL = 640, 400, 18
_COLUMNS, _ROWS = 3, 4


def draw_sheets(paths, target):
    """Draw the pictures, twelve to a sheet: `all.png` becomes all-01.png, all-02.png, …"""
    most = _COLUMNS * _ROWS
    for number, start in enumerate(range(0, len(paths), most), start=1):
        _drawn(paths[start : start + most]).save(target.with_stem(f"{target.stem}-{number:02}"))


def _drawn(paths):
    rows = -(-len(paths) // _COLUMNS)
    sheet = Image.new("RGB", (_COLUMNS * _WIDTH, rows * (_HEIGHT + _LABEL)), "white")
    pencil = ImageDraw.Draw(sheet)
    for number, path in enumerate(paths):
        x, y = number % _COLUMNS * _WIDTH, number // _COLUMNS * (_HEIGHT + _LABEL)
        pencil.text((x + 4, y + 3), path.stem, fill="black")
        with Image.open(path) as picture:
            shown = picture.convert("RGB")
        shown.thumbnail((_WIDTH - 4, _HEIGHT - 2))
        sheet.paste(shown, (x, y + _LABEL))
    return sheet
