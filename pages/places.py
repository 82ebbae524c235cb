"""Where a site is served: below its folder on the service's hosts, and on a host of its own (`CMS_SITE_HOSTS`)."""

import re
from functools import cache
from itertools import starmap
from math import inf
from time import monotonic
from typing import NamedTuple

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import Error
from django.http import HttpRequest
from django.http.request import split_domain_port

from cms_api.lib.arrival import ARRIVED_AT
from cms_api.lib.prepared_statement import PreparedStatement
from contents.sql_fragments import fetch
from sites.addresses import RESERVED, split_host
from sites.file_urls import MAX_PARTS, SITES

# Below a root site, the documentation and the start page stay the service's.
_OF_SERVICE = re.compile("/(?:docs|start)(?:/.*)?", re.DOTALL)
_PLACE = "pages.place"
_MAX_READ = 100
# Written by hand, since it is the only statement of a page that is kept.
_SITES = """
SELECT s.id, s.web_url, EXISTS (SELECT 1 FROM pages_template t WHERE t.site_id = s.id), v.number,
    COALESCE((SELECT CAST(SUM(c.number) AS bigint) FROM pages_contentsversion c WHERE c.site_id = s.id), 0)
FROM cms_sites_site s LEFT JOIN channels_app_treeversion v ON v.site_id = s.id WHERE
""".replace("\n", " ")


class FoundSite(NamedTuple):
    pk: int
    web_url: str
    has_templates: bool
    tree_number: int | None  # None if triggers were off
    contents_number: int

    @classmethod
    def from_texts(cls, pk: str, web_url: str, has: str, tree: str | None, contents: str) -> "FoundSite":
        return cls(int(pk), web_url, has == "t", None if tree is None else int(tree), int(contents))

    @property
    def version(self) -> "Version | None":
        return None if self.tree_number is None else (self.tree_number, self.contents_number)


# Numbers that differ after every change of the site's tree, settings or templates, and of its approved contents.
Version = tuple[int, int]

# By folders: when the statement for these began (monotonic), and what it returned.
_read: dict[tuple[str, ...], tuple[float, list[FoundSite]]] = {}


class Place(NamedTuple):
    site: FoundSite
    folder: str  # the path of the site on this host, without a slash at the end
    has_own_host: bool = False


def site_of_host(request: HttpRequest) -> str:
    """Return the site, an id or a folder, to which the host belongs; "" for the service's hosts."""
    if not settings.CMS_SITE_HOSTS:
        return ""
    try:
        host, _ = split_domain_port(request.get_host())
    except DisallowedHost:  # refused where the service checks the host
        return ""
    return str(settings.CMS_SITE_HOSTS.get(host, ""))


def find_place(request: HttpRequest) -> Place | None:
    """Return where a site has its pages on this host and path; None if it is the service's. Read once for a request."""
    if _PLACE not in request.META:
        site = site_of_host(request)
        request.META[_PLACE] = place_of_host(site) if site else _place_below(request)
    place: Place | None = request.META[_PLACE]
    return place


def _place_below(request: HttpRequest) -> Place | None:
    path = request.path_info
    if path.strip("/").partition("/")[0].casefold() in RESERVED:
        return None
    try:
        sites = request.META[SITES] = read_sites(path, request.META.get(ARRIVED_AT, inf))
    except Error:  # the start page and the documentation need no database
        return None
    place = place_among(sites, path)
    return None if place and not place.folder and _OF_SERVICE.fullmatch(path) else place


def place_of_host(site: str) -> Place | None:
    """Return the place of an id or folder on its own host."""
    condition, value = ("s.id = %s", int(site)) if site.isdecimal() else ("LOWER(s.site_dir) = LOWER(%s)", site)
    for row in fetch(_SITES + condition, (value,)):
        found = FoundSite(*row)
        return Place(found, split_host(found.web_url)[1].rstrip("/"), has_own_host=True)
    return None


def read_sites(path: str, arrived_at: float = inf) -> list[FoundSite]:
    """Return the sites that the path may be of: the root site, and those with a folder in it.

    Requests that had arrived before a statement began share what it returns: all that was committed before a client
    sent its request is in it. Under load, one statement serves all requests that wait.
    """
    if "\0" in path:  # no database accepts the character
        return []
    folders = tuple(path.strip("/").split("/")[:MAX_PARTS])
    began_at, sites = _read.get(folders, (-inf, []))
    if began_at > arrived_at:
        return sites
    began_at, sites = monotonic(), _fetch_sites(folders)
    if len(_read) >= _MAX_READ:
        _read.clear()
    _read[folders] = began_at, sites
    return sites


def _fetch_sites(folders: tuple[str, ...]) -> list[FoundSite]:
    if settings.PAGES_SHORT_PATH and (rows := _prepared(len(folders)).fetch(folders)) is not None:
        return list(starmap(FoundSite.from_texts, rows))
    return list(starmap(FoundSite, fetch(_named(["%s"] * len(folders)), folders)))


def _named(places: list[str]) -> str:
    # LOWER matches the index.
    return f"{_SITES}LOWER(s.site_dir) IN ({', '.join(f'LOWER({place})' for place in places)}) OR s.is_root"


@cache
def _prepared(folders: int) -> PreparedStatement:
    return PreparedStatement(_named([f"${number}" for number in range(1, folders + 1)]))


def place_of_path(path: str) -> Place | None:
    return place_among(read_sites(path), path)


def place_among(sites: list[FoundSite], path: str) -> Place | None:
    """Return the place of the site with the longest web address that begins the path, if it has templates."""
    for site in sorted(sites, key=lambda site: -len(site.web_url)):
        length = len(site.web_url)
        if path[:length].casefold() == site.web_url.casefold() and path[length : length + 1] in {"", "/"}:
            return Place(site, site.web_url) if site.has_templates else None
    return None
