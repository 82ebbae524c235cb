"""Addresses of other websites in the texts of contents."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain, islice
from urllib.parse import urlsplit, urlunsplit

import orjson
from django.utils.encoding import iri_to_uri

from core.lib.errors import InvalidInput
from core.lib.public_addresses import Target, read_url

MAX_URL = 2000  # characters
_MAX_HOST = 253  # characters of a name
_MOST, _MOST_READ = 100, 1000  # links of a content, and those that are looked at
_HREF = re.compile(r"""\shref\s*=\s*["']?(https?://[^\s"'<>]{1,2000})""", re.IGNORECASE)
_WHOLE = re.compile(r"\s*(https?://\S{1,2000})\s*", re.IGNORECASE)


def addresses_in(html_texts: Iterable[str], values: Iterable[str], settings: str, web_url: str) -> dict[str, str]:
    """Return the first addresses that can be requested, each with the name of its host.

    `html_texts` have links; `values` may be addresses; `settings`, a JSON object, has both. Those below `web_url`, the
    address of the site, are left out.
    """
    custom = [value for value in orjson.loads(settings).values() if isinstance(value, str)]
    written = (match[1] for text in (*html_texts, *custom) for match in _HREF.finditer(text))
    whole = (match[1] for value in (*values, *custom) if (match := _WHOLE.fullmatch(value)))
    found = islice(map(unescape, chain(whole, written)), _MOST_READ)
    return dict(islice(_read(found, web_url), _MOST))


def _read(found: Iterable[str], web_url: str) -> Iterator[tuple[str, str]]:
    for text in dict.fromkeys(found):
        if "//" in web_url and f"{text}/".startswith(f"{web_url}/"):
            continue
        try:
            address = ascii_address(text)
            yield address, target_of(address).host.casefold()
        except (InvalidInput, ValueError):
            continue


def ascii_address(text: str) -> str:
    """Return the address as it is requested: in ASCII, without what follows #. Raises ValueError."""
    parts = urlsplit(text.partition("#")[0])
    if len(parts.netloc) > _MAX_HOST:  # IDNA takes quadratic time
        raise ValueError("The host is too long.")
    host = parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode()
    return iri_to_uri(urlunsplit(parts._replace(netloc=host)))


def target_of(address: str) -> Target:
    """Return the parts of an address of the public Internet. Raises InvalidInput."""
    return read_url(address, "address", max_length=MAX_URL)
