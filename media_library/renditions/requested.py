"""The rendition that the query of a file's address names."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from core.lib.errors import InvalidInput
from core.lib.media_storage import extension_of

FITS = ("contain", "cover")
# For `auto`, the first that the client accepts: AVIF takes three times as long to draw as WebP.
FORMATS = {"webp": "image/webp", "avif": "image/avif", "jpeg": "image/jpeg"}
# Extension of the original → format of a rendition whose address names none.
OWN_FORMATS = {name: name for name in ("avif", "jpeg", "png", "webp")}
OWN_FORMATS |= {"bmp": "png", "gif": "png", "jfif": "jpeg", "jpg": "jpeg"}
AUTO = "auto"
QUALITY = 75
BEST = 100
MAX_SIDE = 8192  # pixels, of signed addresses
_SIZES, _OTHERS = ("w", "h"), ("fit", "format", "q", "s")
_NUMBER = re.compile(r"[1-9]\d{0,4}", re.ASCII)
_SIGNATURE = "media_library.renditions"


@dataclass(frozen=True, slots=True)
class Requested:
    width: int | None
    height: int | None
    fit: str
    format: str  # avif, jpeg, png or webp
    quality: int
    by_accept: bool  # the header Accept has determined the format

    @property
    def name(self) -> str:
        """The beginning of the stored name, different for each rendition of a picture but for its extension."""
        return f"{self.width or ''}x{self.height or ''}-{self.fit}-{self.quality}"


def requested(path: str, query: str, accept: str) -> Requested | None:
    """Read the query of the file at the path below `sites/`; None where it names no rendition.

    Sizes are from CMS_RENDITION_WIDTHS, and the quality is 75, unless the address is signed (`signed_query`). Other
    sizes alone name no rendition, since addresses from elsewhere may have such parameters. Raises InvalidInput
    (`rendition_refused`) if the query has others of our parameters too.
    """
    given = {name: value for name, value in parse_qsl(query, keep_blank_values=True) if name in (*_SIZES, *_OTHERS)}
    own = OWN_FORMATS.get(extension_of(path))
    if not given or own is None:
        return None
    may_be_foreign = given.keys().isdisjoint(_OTHERS)
    try:
        return _read(path, own, given, accept)
    except InvalidInput:
        if may_be_foreign:
            return None
        raise


def signed_query(path: str, **parameters: str | int) -> str:
    """Return a query with these parameters and their signature, which is valid for this path and no others."""
    named = {name: str(value) for name, value in parameters.items()}
    return urlencode(named | {"s": _signature(path, named)})


def checked_query(path: str, **parameters: str) -> str:
    """As `signed_query`. Raises InvalidInput (`not_a_picture`, `rendition_refused`) for what has no rendition."""
    query = signed_query(path, **parameters)
    if requested(path, query, "") is None:
        message = f"Only files of the types {', '.join(OWN_FORMATS)} have renditions."
        raise InvalidInput("not_a_picture", message)
    return query


def _read(path: str, own: str, given: dict[str, str], accept: str) -> Requested:
    signature = given.pop("s", None)
    if signature is not None and not constant_time_compare(signature, _signature(path, given)):
        raise _refused("s", "The signature s is not that of this address.")
    width, height = (_size(name, given.get(name), signature is not None) for name in _SIZES)
    fit, form, quality = given.get("fit", FITS[0]), given.get("format", ""), given.get("q", str(QUALITY))
    if fit not in FITS:
        raise _refused("fit", f"fit must be one of {', '.join(FITS)}.")
    if form not in {"", AUTO, *FORMATS}:
        raise _refused("format", f"format must be one of {', '.join([AUTO, *FORMATS])}.")
    if not _NUMBER.fullmatch(quality) or int(quality) > BEST:
        raise _refused("q", f"q must be a number from 1 to {BEST}.")
    if signature is None and int(quality) != QUALITY:
        raise _refused("q", f"q must be {QUALITY} in an address without a signature.")
    is_auto = form == AUTO
    if is_auto:
        form = next((name for name, kind in FORMATS.items() if kind in accept), own)
    # With one side only, both ways of fitting are the same.
    return Requested(width, height, fit if width and height else FITS[0], form or own, int(quality), is_auto)


def _size(name: str, text: str | None, is_signed: bool) -> int | None:
    if text is None:
        return None
    if is_signed:
        if _NUMBER.fullmatch(text) and int(text) <= MAX_SIDE:
            return int(text)
        raise _refused(name, f"{name} must be a number from 1 to {MAX_SIDE}.")
    if text not in settings.CMS_RENDITION_WIDTHS:
        listed = ", ".join(settings.CMS_RENDITION_WIDTHS)
        raise _refused(name, f"{name} must be one of {listed}, or the address must be signed.")
    return int(text)


def _signature(path: str, parameters: dict[str, str]) -> str:
    text = f"{path}?{urlencode(sorted(parameters.items()))}"
    return salted_hmac(_SIGNATURE, text, algorithm="sha256").hexdigest()[:32]


def _refused(member: str, message: str) -> InvalidInput:
    return InvalidInput("rendition_refused", message, member=member)
