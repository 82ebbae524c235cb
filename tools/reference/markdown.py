"""Parts of pages: tables, links, numbers."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MADE = "<!-- Made from the code by `make reference`. -->"
_LINK = re.compile(r"\]\((?:docs/)([^)]+)\)|\]\((?!\w+:|#)([^)]+)\)")
_UNITS = ("KiB", "MiB", "GiB")


def page(title, *parts):
    """The text of a page: its title, and parts with an empty line between any two."""
    return "\n\n".join([f"# {title}", MADE, *(part for part in parts if part)]) + "\n"


def table(head, rows):
    """Rows of texts as a table; nothing where there are none."""
    rows = [[_cell(text) for text in row] for row in rows]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if rows else ""


def _cell(text):
    return re.sub(r"\s*\n\s*", " ", re.sub(r"(?<!\\)\|", r"\|", str(text))).strip()


def plain(text):
    """A text in one line, with markup only in back-quotes."""
    parts = re.split(r"(`[^`]*`)", " ".join(str(text).split()))
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)


def from_reference(text):
    """A text whose links start at the top folder, with links that start at docs/reference."""
    return _LINK.sub(lambda link: f"](../{link[1]})" if link[1] else f"](../../{link[2]})", text)


def as_bytes(number):
    """A number of bytes in the largest unit that leaves no fraction; empty below one of them."""
    shown = ""
    for unit in _UNITS:
        number, rest = divmod(number, 1024)
        if rest or not number:
            break
        shown = f"{number} {unit}"
    return shown
