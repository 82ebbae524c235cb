"""How refusals speak of what the client wrote."""

from collections.abc import Iterable
from difflib import get_close_matches

MAX_ECHO = 50  # characters


def nearest(name: str, names: Iterable[str], likeness: float = 0.7) -> str:
    """The name most like an unknown one, in its own spelling, or an empty text."""
    by_folded = {one.casefold(): one for one in names}
    matches = get_close_matches(name[:MAX_ECHO].casefold(), by_folded, n=1, cutoff=likeness)
    return by_folded[matches[0]] if matches else ""


def shown(text: str) -> str:
    """A piece of the statement for a message: on one line, short, without control characters."""
    line = "".join(one for one in " ".join(text.split()) if one.isprintable())
    return line if len(line) <= MAX_ECHO else line[: MAX_ECHO - 1] + "…"
