"""How much of what is stored fits on a page, whatever is stored: names, values and bodies may be long, and many."""

from dataclasses import dataclass
from html import escape
from itertools import accumulate

CUT = "…"


def weight_of(text: str) -> int:
    """The bytes of the text in a page: marks of HTML take up to six each, Chinese three."""
    return len(escape(text).encode())


def cut(text: str, most: int) -> str:
    """The text up to so many characters; that it goes on is told by a sign."""
    return text if len(text) <= most else text[: most - 1] + CUT


@dataclass
class Room:
    """The bytes that are left on a page, or for a part of it."""

    left: int

    def spend(self, weight: int) -> None:
        """Take so many bytes."""
        self.left = max(self.left - weight, 0)

    def fit(self, text: str, most: int | None = None) -> str:
        """As much of the text's beginning as fits into what is left, and into `most` bytes; takes the room for it."""
        fitting = _beginning(text, self.left if most is None else min(self.left, most))
        self.spend(weight_of(fitting))
        return fitting


def _beginning(text: str, room: int) -> str:
    # Each character takes a byte at least.
    text = text[: max(room, 0)]
    if weight_of(text) <= room:
        return text
    weights = accumulate(weight_of(character) for character in text)
    return text[: sum(weight <= room for weight in weights)]
