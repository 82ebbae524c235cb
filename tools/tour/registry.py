"""The stops of the tour, which the modules beside this one make."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from gettext import translation
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_CHINESE = translation("django", ROOT / "cms_api" / "locale", ["zh_Hans"])
# Placeholders in a text: %(count)d, {name}.
_PLACEHOLDER = re.compile(r"%\\?\(\w+\\?\)[sd]|\\?\{\w+\\?\}")


@dataclass(frozen=True)
class Stop:
    """A page of the tour.

    `walk` navigates to it. `sees` are texts of the admin, in English, that the page must show in its language.
    `status` is an expected error status, about which the browser complains. `on_phone`: also take a picture as on a
    phone.
    """

    name: str
    part: str
    english: str
    chinese: str
    walk: Callable
    sees: tuple[str, ...] = ()
    by: str = "admin"
    status: int = 200
    on_phone: bool = False

    def unseen(self, text, language):
        """Which of the texts the page lacks."""
        flat = " ".join(text.split())
        return [each for each in self.sees if not _pattern(each, language).search(flat)]


def word(text, language):
    """A text of the desk in the language."""
    told = text if language == "en" else _CHINESE.gettext(text)
    assert language == "en" or told != text, f"{text!r} has no translation."
    return told


def _pattern(text, language):
    told = word(text, language)
    # Headings of tables are shown in capitals by some style sheets.
    return re.compile(_PLACEHOLDER.sub(".*", re.escape(" ".join(told.split())).replace(r"\ ", " ")), re.IGNORECASE)


_STOPS: list[Stop] = []
_PARTS: list[str] = []


def part(english, chinese):
    """Begin a part of the tour."""
    _PARTS.append(f"{english} · {chinese}")


def stop(english, chinese, *sees, **options):
    """Make the function below a stop of its name; the two sentences stand in the document."""

    def keep(walk):
        name = walk.__name__.replace("_", "-")
        _STOPS.append(Stop(name, _PARTS[-1], english, chinese, walk, sees, **options))
        return walk

    return keep


def stops_of(*modules):
    """The stops of the modules, in that order."""
    return [each for module in modules for each in _STOPS if each.walk.__module__ == module.__name__]
