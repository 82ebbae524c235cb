"""Where a site is served: below its folder on the service's hosts, and on a host of its own (`CMS_SITE_HOSTS`)."""

import re
from functools import cache
from itertools import starmap
from math import inf
from time import monotonic
from typing import Any, NamedTuple

from django.conf import settings
from django.db import Error
from django.http import HttpRequest

from contents.sql_fragments import fetch
from core.lib.arrival import ARRIVED_AT
from core.lib.prepared_statement import PreparedStatement
from core.rest.middleware import site_of_host
from sites.addresses import RESERVED, split_host
from sites.file_urls import MAX_PARTS, SITES
from sites.page_rules import squeeze

# Below a root site, the documentation and the start page stay the service's.
_OF_SERVICE = re.compile("/(?:docs|start)(?:/.*)?", re.DOTALL)
_PLACEHOLDER = re.compile(r"\$\d+")
_PLACE = "pages.place"
_MAX_READ = 100
# Written by hand, since it is the only statement of a cached page.
_SITES = """
SELECT s.id, s.web_url, EXISTS (SELECT 1 FROM pages_template t WHERE t.site_id = s.id), v.number,
    (SELECT CAST(SUM(c.number) AS bigint) FROM pages_contentsversion c WHERE c.site_id = s.id)
FROM cms_sites_site s LEFT JOIN channels_app_treeversion v ON v.site_id = s.id
WHERE s.trashed_at IS NULL AND
""".replace("\n", " ")


class FoundSite(NamedTuple):
    pk: int
    web_url: str
    has_templates: bool
    tree_number: int | None  # None if triggers were off
    contents_number: int | None  # None if triggers were off, and in a site without contents

    @classmethod
    def from_values(cls, pk: Any, web_url: str, has: Any, tree: Any, contents: Any) -> "FoundSite":
        """Make a site from the row of a prepared statement."""
        return cls(int(pk), web_url, has in {"t", 1}, _number(tree), _number(contents))

    @property
    def version(self) -> "Version | None":
        if self.tree_number is None or self.contents_number is None:
            return None
        return self.tree_number, self.contents_number


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


# Numbers that differ after every change of the site's tree, settings or templates, and of its approved contents.
Version = tuple[int, int]

# Sites are looked up by the folders of a path or, on a host of its own, by the id or folder of one site.
Wanted = tuple[str, ...] | str
# When the statement for these began (monotonic), and its result.
_read: dict[Wanted, tuple[float, list[FoundSite]]] = {}


class Place(NamedTuple):
    site: FoundSite
    folder: str  # the path of the site on this host, without a slash at the end
    has_own_host: bool = False


def find_place(request: HttpRequest) -> Place | None:
    """Return where a site has its pages on this host and path; None if it is the service's. Read once for a request."""
    if _PLACE not in request.META:
        request.META[_PLACE] = _place_of(request, wanted_by(request))
    place: Place | None = request.META[_PLACE]
    return place


def wanted_by(request: HttpRequest) -> Wanted:
    return site_of_host(request) or _folders(request.path_info)


def _place_of(request: HttpRequest, wanted: Wanted) -> Place | None:
    path, has_own_host = request.path_info, isinstance(wanted, str)
    if "//" in path:
        path = squeeze(path)
    if not has_own_host and path.strip("/").partition("/")[0].casefold() in RESERVED:
        return None
    try:
        sites = request.META[SITES] = read_sites(wanted, request.META.get(ARRIVED_AT, inf))
    except Error:
        if has_own_host:
            raise
        return None  # the start page and the documentation need no database
    if has_own_host:
        return next((Place(site, split_host(site.web_url)[1].rstrip("/"), True) for site in sites), None)
    place = place_among(sites, path)
    return None if place and not place.folder and _OF_SERVICE.fullmatch(path) else place


def _folders(path: str) -> tuple[str, ...]:
    # No database accepts the character.
    return () if "\0" in path else tuple(path.strip("/").split("/")[:MAX_PARTS])


def read_sites(wanted: Wanted, arrived_at: float = inf) -> list[FoundSite]:
    """Return the site of an id or folder, or the possible sites of a path: the root site, and sites with a folder in
    it.

    Requests that had arrived before a statement began share its result: it has everything committed before a client
    sent its request. Under load, one statement serves all requests that wait.
    """
    shared = shared_sites(wanted, arrived_at)
    return fetch_sites(wanted) if shared is None else shared


def shared_sites(wanted: Wanted, arrived_at: float) -> list[FoundSite] | None:
    """Return the result of the last statement, if it began after the arrival."""
    began_at, sites = _read.get(wanted, (-inf, []))
    return sites if began_at > arrived_at else None


def fetch_sites(wanted: Wanted) -> list[FoundSite]:
    began_at, sites = monotonic(), _fetch(wanted)
    if len(_read) >= _MAX_READ:
        _read.clear()
    _read[wanted] = began_at, sites
    return sites


def _fetch(wanted: Wanted) -> list[FoundSite]:
    if not wanted:
        return []
    if isinstance(wanted, str):
        values: tuple[str, ...] = (wanted,)
        condition = "s.id = $1" if wanted.isdecimal() else "LOWER(s.site_dir) = LOWER($1)"
    else:
        values, condition = wanted, _named_in(len(wanted))
    if not settings.STATEMENTS_ARE_TIMED and (rows := _prepared(condition).fetch(values)) is not None:
        return list(starmap(FoundSite.from_values, rows))
    return list(starmap(FoundSite, fetch(_SITES + _PLACEHOLDER.sub("%s", condition), values)))


@cache
def _named_in(folders: int) -> str:
    # LOWER matches the index.
    named = ", ".join(f"LOWER(${number})" for number in range(1, folders + 1))
    return f"(LOWER(s.site_dir) IN ({named}) OR s.is_root)"


@cache
def _prepared(condition: str) -> PreparedStatement:
    return PreparedStatement(_SITES + condition)


def place_of_path(path: str) -> Place | None:
    return place_among(read_sites(_folders(path)), path)


def place_among(sites: list[FoundSite], path: str) -> Place | None:
    """Return the place of the site with the longest web address that begins the path, if it has templates."""
    for site in sorted(sites, key=lambda site: -len(site.web_url)):
        length = len(site.web_url)
        if path[:length].casefold() == site.web_url.casefold() and path[length : length + 1] in {"", "/"}:
            return Place(site, site.web_url) if site.has_templates else None
    return None
