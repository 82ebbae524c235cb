"""Reads the statements of the attack set.

One statement a line: EXPECT, CATEGORY and STATEMENT with tabs between. EXPECT is `deny` for what must be refused as
soon as it has been read, or `bounded` for what may run inside the limits. In a statement {{nl}} is a line feed,
{{u XXXX}} a code point, and {{rep N TEXT}} the text N times.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

OWN = Path(__file__).parent / "attacks"
# Statements that are delivered beside the project.
DELIVERED = Path(__file__).parents[3] / "shared" / "reference" / "sql-attacks-sample.txt"

_POINT = re.compile(r"\{\{u ([0-9A-F]{4,6})\}\}")
_REPEATED = re.compile(r"\{\{rep (\d+) (.*?)\}\}", re.DOTALL)


@dataclass(frozen=True)
class Attack:
    """A hostile statement, and what must become of it."""

    expect: str
    category: str
    statement: str
    line: str  # as it stands in the file


def read_attacks(path):
    """The statements of a file, or of every file of a folder."""
    if path.is_dir():
        return [attack for file in sorted(path.glob("*.txt")) for attack in read_attacks(file)]
    lines = path.read_text(encoding="utf-8").split("\n")
    return [_attack(line) for line in lines if line and not line.startswith("#")]


def by_category(attacks):
    """The attacks under the name of their category."""
    grouped = defaultdict(list)
    for attack in attacks:
        grouped[attack.category].append(attack)
    return dict(grouped)


def _attack(line):
    expect, category, statement = line.split("\t", 2)
    if expect not in {"deny", "bounded"}:
        raise ValueError(f"neither deny nor bounded: {line}")
    return Attack(expect, category, expand(statement), line)


def expand(statement):
    """The statement with its macros carried out."""
    pointed = _POINT.sub(lambda match: chr(int(match[1], 16)), statement.replace("{{nl}}", "\n"))
    return _REPEATED.sub(lambda match: match[2] * int(match[1]), pointed)
