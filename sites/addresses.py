"""Where sites are: stored addresses as browsers can follow them, folders, and the lock for changes of either."""

import re

from django.db import connection

_LINK = re.compile(r"""(\b(?:href|src)\s*=\s*["']?)@(/*)""", re.IGNORECASE)
# A folder's name is one part of every address of the site.
FOLDER = re.compile(r'(?!\.{1,2}$)[^\s\x00-\x1f\x7f\\/:*?"<>|#%&=+;,]+')
# First parts of paths under which the service itself answers.
RESERVED = frozenset({"api", "admin", "static", "media"})
_LOCK = 7343  # an advisory lock's name, apart from those of other parts of the service


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


def is_folder(site_dir: str) -> bool:
    """Whether the text can be the folder of a site."""
    return bool(FOLDER.fullmatch(site_dir))


def is_reserved(site_dir: str) -> bool:
    """Whether the service itself answers under that folder; letter case does not count."""
    return site_dir.casefold() in RESERVED


def hold_addresses() -> None:
    """Let nobody else make a site or change the address of one until the transaction ends.

    It locks no rows: who changes the channels or the fields of a site locks its row, and would wait for an import of
    another site until that ends. SQLite has one writer at a time anyway.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_LOCK])
