"""Attributes of pictures that let browsers load fitting renditions, and only when they are about to be seen."""

import re
from html import escape, unescape
from urllib.parse import unquote

from django.conf import settings

from core.lib.media_storage import extension_of
from media_library.models import MediaFile
from media_library.renditions.requested import OWN_FORMATS

_TYPES = OWN_FORMATS.keys() - {"gif"}  # mostly animations
# Pictures; scripts and the like come first, since their texts are no elements. What does not end goes to the end of the
# page: to look for its end again from each later place would take minutes.
_TAGS = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|textarea|title|xmp)\b.*?(?:</\1\s*>|\Z)"
    r"|(?P<beginning><img\b)(?P<rest>(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\"'>])*?)(?P<end>/?>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_MARK = re.compile(r"v=\d{12}")  # of a replaced file
_PIXELS = re.compile(r"[1-9]\d{0,4}")
_DRAWN = re.compile(r"\b(?:width|height)\s*:", re.IGNORECASE)
Attributes = dict[str, str]


def with_sizes(html: str, site_id: int, web_url: str) -> str:
    """Return the page with attributes added to pictures of the site's library; one statement.

    Those with `srcset`, or with a query that chooses a rendition, stay as they are. The first picture loads at once.
    """
    begins = f"{web_url}/"
    found = {match.start(): _of_site(match["rest"], begins) for match in _TAGS.finditer(html) if match["end"]}
    paths = {known[1] for known in found.values() if known}
    if not paths:
        return html
    rows = MediaFile.objects.listed().filter(site=site_id, path__in=paths).values_list("path", "width", "height")
    sizes = {path: (width, height) for path, width, height in rows if width and height}
    first = min((start for start, known in found.items() if known and known[1] in sizes), default=-1)

    def add(match: re.Match[str]) -> str:
        known = found.get(match.start())
        if not known or known[1] not in sizes:
            return match[0]
        more = _added(known[0], *sizes[known[1]], is_first=match.start() == first)
        rest = match["rest"].rstrip()
        blanks = match["rest"][len(rest) :]
        return f"{match['beginning']}{rest}{more}{blanks}{match['end']}"

    return _TAGS.sub(add, html)


def _of_site(rest: str, begins: str) -> tuple[Attributes, str] | None:
    """Return the attributes of the tag and the path of its picture below the folder of the site."""
    given: Attributes = {}
    for name, *values in _ATTRIBUTE.findall(rest):
        given.setdefault(name.lower(), unescape("".join(values)))
    address, _, query = given.get("src", "").strip().partition("?")
    if "srcset" in given or not address.startswith(begins) or (query and not _MARK.fullmatch(query)):
        return None
    path = unquote(address[len(begins) :])
    return (given, path) if extension_of(path) in _TYPES else None


def _added(given: Attributes, width: int, height: int, *, is_first: bool) -> str:
    shown = _shown(given, width, height)
    address, _, mark = given["src"].strip().partition("?")
    ending = f"format=auto&{mark}" if mark else "format=auto"
    steps = [int(step) for step in settings.CMS_RENDITION_WIDTHS if int(step) < width]
    forms = [(f"{address}?w={step}&{ending}", step) for step in sorted(steps)] + [(f"{address}?{ending}", width)]
    most = int(given["width"]) if _PIXELS.fullmatch(given.get("width", "")) else width
    is_lazy = given.get("loading", "" if is_first else "lazy").lower() == "lazy"
    values = {name: str(value) for name, value in shown.items()} | {
        "loading": "" if is_first else "lazy",
        "decoding": "async",
        "srcset": ", ".join(f"{_in_set(each)} {step}w" for each, step in forms),
        # Of a picture that is loaded late, browsers know the width in the page.
        "sizes": f"{'auto, ' if is_lazy else ''}(max-width: {most}px) 100vw, {most}px",
    }
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items() if value and name not in given)


def _shown(given: Attributes, width: int, height: int) -> dict[str, int]:
    """Return the sides that the tag lacks; none if it has other ideas of them."""
    sides = {name: given[name] for name in ("width", "height") if name in given}
    if _DRAWN.search(given.get("style", "")) or not all(map(_PIXELS.fullmatch, sides.values())):
        return {}
    if "width" in sides:
        return {"height": max(1, round(int(sides["width"]) * height / width))}
    if "height" in sides:
        return {"width": max(1, round(int(sides["height"]) * width / height))}
    return {"width": width, "height": height}


def _in_set(address: str) -> str:
    """Blanks and commas separate the members of a srcset."""
    return re.sub(r"[\s,]", lambda found: f"%{ord(found[0]):02X}", address)
