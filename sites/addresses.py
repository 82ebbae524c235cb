import re

from django.db import connection

_LINK = re.compile(r"""(\b(?:href|src)\s*=\s*["']?)@(/*)""", re.IGNORECASE)
_HOST = re.compile("(?:https?:)?//[^/]*", re.IGNORECASE)
# The folder is one part of every address of the site.
FOLDER = re.compile(r'(?!\.{1,2}$)[^\s\x00-\x1f\x7f\\/:*?"<>|#%&=+;,]+')
# First parts of paths that the service itself serves.
RESERVED = frozenset({"api", "admin", "static", "media"})
_START = "start"  # the start page; below it, the root site may have pages
_LOCK = 7343  # key of an advisory lock, different from all others of the service


def resolve(address: str, web_url: str) -> str:
    """`@/x` → the site's web address + `/x`; `~/x` → `/x`; anything else unchanged."""
    if address.startswith("@/"):
        return web_url + address[1:]
    if address.startswith("~/"):
        return address[1:]
    return address


def split_host(web_url: str) -> tuple[str, str]:
    """`https://host/x` → `https://host`, `/x`; the first is empty for a site on the service's own host."""
    host = _HOST.match(web_url)
    return (host[0], web_url[host.end() :]) if host else ("", web_url)


def resolve_links(markup: str, web_url: str) -> str:
    """Resolve links and pictures that begin with `@` to the site's web address."""
    return _LINK.sub(lambda match: f"{match[1]}{web_url}/", markup) if "@" in markup else markup


def is_folder(site_dir: str) -> bool:
    return bool(FOLDER.fullmatch(site_dir))


def is_reserved(site_dir: str) -> bool:
    return site_dir.casefold() in RESERVED | {_START}


def hold_addresses() -> None:
    """Block creating sites and changing their addresses until the transaction ends.

    It locks no rows: a change of a site's channels or fields locks the site's row, and would wait for an import of
    another site to end. SQLite has one writer at a time anyway.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_LOCK])
