"""Where a site is served: below its folder on the service's hosts, and on a host of its own (`CMS_SITE_HOSTS`)."""

from typing import NamedTuple

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.http.request import split_domain_port

from pages.models import Template
from sites.addresses import split_host
from sites.file_urls import sites_named_in
from sites.models import Site


class Place(NamedTuple):
    site_id: int
    web_url: str
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


def place_of_host(site: str) -> Place | None:
    """Return the place of an id or folder on its own host."""
    chosen = {"pk": int(site)} if site.isdecimal() else {"site_dir__iexact": site}
    for pk, web_url in Site.objects.filter(**chosen).values_list("pk", "web_url"):
        return Place(pk, web_url, split_host(web_url)[1].rstrip("/"), has_own_host=True)
    return None


def read_sites(path: str) -> list[tuple[int, str, bool]]:
    """Return id, web address and whether there are templates, of the sites that the path may be of."""
    if "\0" in path:  # no database accepts the character
        return []
    has_templates = Exists(Template.objects.filter(site=OuterRef("pk")))
    return list(sites_named_in(path).values_list("pk", "web_url", has_templates))


def place_of_path(path: str) -> Place | None:
    return place_among(read_sites(path), path)


def place_among(sites: list[tuple[int, str, bool]], path: str) -> Place | None:
    """Return the place of the site with the longest web address that begins the path, if it has templates."""
    for site_id, web_url, has_any in sorted(sites, key=lambda each: -len(each[1])):
        beginning = path[: len(web_url)].casefold()
        if beginning == web_url.casefold() and path[len(web_url) :][:1] in {"", "/"}:
            return Place(site_id, web_url, web_url) if has_any else None
    return None
