"""Tables of the README, which say in words what a name of the code means."""

import re

from tests.reference.markdown import ROOT


def table_of(heading):
    """The rows of the first table below a heading, cell by cell as they are written."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines]
