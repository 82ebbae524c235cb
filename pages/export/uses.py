"""Uploads that the text of a page, style sheet or script names, in any spelling."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape
from itertools import islice
from urllib.parse import unquote

from django.db.models import Q

from channels_app.models import Channel
from contents.models import Content
from core.lib.media_storage import extension_of
from media_library.models import MediaUse, UseSource
from sites.page_rules import squeeze

FOLDER = "upload"
_ADDRESS = re.compile(rf"{FOLDER}(?:/|\\/|\\u002f|%2f|&#x2f;|&#47;|&sol;)[^\"<>\r\n]{{1,2000}}")
# After an address without quotation marks; names may have some of these characters, too.
_ENDS = re.compile(r"[\s\"'`()\[\]{}<>&?#\\,;|]+")
_MOST_ENDS = 32
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})", re.IGNORECASE)


def key_of(path: str) -> str:
    """Return the path without differences that the service redirects from: letter case, and slashes too many."""
    return squeeze(path).casefold()


def is_upload(path: str) -> bool:
    return FOLDER in path.casefold() and key_of(path).startswith(f"/{FOLDER}/")


def named_by(text: str, targets: Iterable[str]) -> set[str]:
    """Return the keys of the uploads in a text and among the targets of its links."""
    return uploads_in(text) | {key_of(target) for target in targets if is_upload(target)}


def uploads_in(text: str) -> set[str]:
    """Return the keys of all files that the text may name, also in scripts; some may not exist."""
    folded, found = text.casefold(), set[str]()
    begin = folded.find(FOLDER)
    while begin >= 0:
        if match := _ADDRESS.match(folded, begin):
            found |= _keys(match[0])
        begin = folded.find(FOLDER, begin + len(FOLDER))
    return found


def public_uploads(site_id: int) -> Iterator[str]:
    """Yield the paths of files in approved contents, and in channels, templates and settings of the site."""
    contents = Content.objects.in_site(site_id).checked().values("pk")
    channels = Channel.objects.filter(site=site_id, trashed_at=None).values("pk")
    public = (
        Q(source__in=[UseSource.BODY, UseSource.FIELDS, UseSource.PICTURES], source_id__in=contents)
        | Q(source=UseSource.CHANNEL, source_id__in=channels)
        | Q(source__in=[UseSource.TEMPLATE, UseSource.SITE])
    )
    found = MediaUse.objects.filter(public, site_id=site_id).values_list("address", flat=True)
    yield from found.distinct().iterator()


def without_escapes(text: str) -> str:
    """Return the text with letters instead of their numbers in scripts and JSON (`\\u0026`)."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


@lru_cache(20_000)
def _keys(address: str) -> frozenset[str]:
    """Return the key for each end that the address may have."""
    forms = [address]
    if "&" in address:
        forms.append(unescape(address))
    if "\\" in address:
        forms += [without_escapes(form).replace("\\", "") for form in forms]
    if "%" in address:
        forms += [unquote(form, errors="replace") for form in forms]
    paths = (form[:end] for form in forms for end in _ends(form))
    return frozenset(key_of(f"/{path}") for path in paths if extension_of(path))


def _ends(text: str) -> list[int]:
    return [*(found.start() for found in islice(_ENDS.finditer(text), _MOST_ENDS)), len(text)]
