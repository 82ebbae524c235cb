"""Turns stored addresses into addresses that a browser can follow (original-behaviour §6)."""

import re

_LINK = re.compile(r"""(\b(?:href|src)\s*=\s*["']?)@(/*)""", re.IGNORECASE)


def resolve(address: str, web_url: str) -> str:
    """`@/x` → the site's web address + `/x`; `~/x` → `/x`; anything else unchanged."""
    if address.startswith("@/"):
        return web_url + address[1:]
    if address.startswith("~/"):
        return address[1:]
    return address


def resolve_links(markup: str, web_url: str) -> str:
    """The markup with links and pictures that begin with `@` led to the site (template-tags §5.9)."""
    return _LINK.sub(lambda match: f"{match[1]}{web_url}/", markup) if "@" in markup else markup
