"""The stl elements `site`, `sites` and `value`, and the site that a request selects."""

from collections.abc import Callable
from typing import Any

from django.db import connection

from core.lib.errors import InvalidInput, NotPermitted
from core.rest.views import Grant
from core.stl.attributes import Attributes
from core.stl.evaluation import columns_of
from core.stl.text import TextShape
from core.stl.views import ElementView, cut, filter_rows, order_rows
from sites.attributes import REGISTRY, site_attributes
from sites.models import Site, find_folder_owner, site_not_found
from sites.serializers import Record, SiteSerializer, site_record

_COLUMNS = columns_of(SiteSerializer.field_table())
_ORDERS = {"default": ""}
# The longest folder of a site.
_MAX_FOLDER = 255


def find_site_id(attributes: Attributes, grant: Grant) -> int:
    """Return the site by `siteId` (which may not exist), `siteDir`, root, first. Raises InvalidInput, NotPermitted."""
    site_id, site_dir = attributes.signed("siteId"), attributes.text("siteDir").strip()
    if site_id > 0:
        grant.require_site(site_id)
        return site_id
    if site_dir:
        site = _by_folder(site_dir)
        if grant.site_ids is not None and (site is None or site.pk not in grant.site_ids):
            # Such a key learns nothing about the folders of other sites.
            raise NotPermitted("site_not_allowed", f'The API key reaches no site with the folder "{site_dir}".')
        if site is None:
            raise InvalidInput("site_not_found", f'No site has the folder "{site_dir}".', member="siteDir")
        return site.pk
    with connection.cursor() as cursor:
        first = "ORDER BY is_root DESC, taxis, id LIMIT 1"
        cursor.execute(f"SELECT id FROM cms_sites_site WHERE trashed_at IS NULL {first}")
        row = cursor.fetchone()
    if row is None:
        raise InvalidInput("site_not_found", "There is no site yet.", member="siteId")
    if grant.site_ids is not None and row[0] not in grant.site_ids:
        message = f"Neither siteId nor siteDir was sent, so site {row[0]} was used, which the API key does not reach."
        raise NotPermitted("site_not_allowed", message)
    return int(row[0])


def find_site(attributes: Attributes, grant: Grant) -> Site:
    site_id = find_site_id(attributes, grant)
    if (site := Site.objects.filter(pk=site_id).first()) is None:
        raise site_not_found(site_id, "siteId")
    return site


def _by_folder(path: str) -> Site | None:
    *above, folder = path.replace("\\", "/").strip("/").split("/")
    if len(folder) > _MAX_FOLDER:
        return None
    owner = find_folder_owner(folder)
    site = Site.objects.filter(pk=owner).first() if owner is not None else None
    parent = site
    for name in reversed(above):
        parent = parent.parent if parent else None
        if parent is None or parent.site_dir.casefold() != name.casefold():
            return None
    return site


def reachable_sites(grant: Grant) -> list[Site]:
    """Return the sites that the key reaches: the root site first, then by parent, the highest taxis first."""
    sites = Site.objects.all() if grant.site_ids is None else Site.objects.filter(pk__in=grant.site_ids)
    return sorted(sites, key=lambda site: (not site.is_root, site.parent_id or 0, -site.taxis, site.pk))


class SiteView(ElementView):
    def evaluate(self, attributes: Attributes) -> Record | str | None:
        """Return the object or, with `type`, the text; None if no site has the `siteName`."""
        name, folder = attributes.text("siteName").strip(), attributes.text("siteDir").strip()
        has_number = attributes.signed("siteId") > 0
        site = find_site(attributes, self.grant) if not name or folder or has_number else None
        if name:
            site = _named(name, reachable_sites(self.grant))
        elif folder and has_number:
            # As in SiteServer, a folder takes precedence over the number.
            chosen = _by_folder(folder)
            site = chosen if chosen in reachable_sites(self.grant) else None
        if site is None:
            return None
        kind = attributes.text("type").strip()
        return site_value(site, kind, attributes) if kind else site_record(site)


class ValueView(ElementView):
    def evaluate(self, attributes: Attributes) -> str:
        """Return the text; empty without a `type` or for an unknown one."""
        site, kind = find_site(attributes, self.grant), attributes.text("type").strip()
        if kind.casefold() in {"sitename", "siteurl"}:
            return _VALUES[kind.casefold()](site)
        return "" if kind.casefold() in _VALUES else site_value(site, kind, attributes)


class SitesView(ElementView):
    def evaluate(self, attributes: Attributes) -> Any:
        """Return the sites; `siteId` or `siteDir` selects one, unless there is a `scope` or `siteName`."""
        records = [site_record(site) for site in self._chosen(attributes)]
        records = filter_rows(records, attributes, _COLUMNS)
        return cut(order_rows(records, attributes, _COLUMNS, _ORDERS), attributes)

    def _chosen(self, attributes: Attributes) -> list[Site]:
        sites = reachable_sites(self.grant)
        folder, name = attributes.text("siteDir").strip(), attributes.text("siteName").strip()
        chosen = find_site(attributes, self.grant) if folder or attributes.signed("siteId") > 0 else None
        if name and (parent := _named(name, sites)):
            return [site for site in sites if site.parent_id == parent.pk]
        if "scope" not in attributes:
            return sites if chosen is None else [chosen]
        if chosen is not None and folder:
            return [site for site in sites if site.parent_id == chosen.pk]
        scope = attributes.text("scope").strip().casefold()
        if scope == "children":
            return [site for site in sites if site.parent_id is None and not site.is_root]
        return [site for site in sites if not site.is_root] if scope == "descendant" else sites


def _named(name: str, sites: list[Site]) -> Site | None:
    return next((site for site in sites if site.site_name.casefold() == name.casefold()), None)


_VALUES: dict[str, Callable[[Site], str]] = {
    "id": lambda site: str(site.pk),
    "sitename": lambda site: site.site_name,
    "siteurl": lambda site: str(site_attributes(site)["webUrl"]),
    "sitedir": lambda site: site.site_dir,
    "tablename": lambda site: site.table_name,
    "isroot": lambda site: str(site.is_root),
    "parentid": lambda site: str(site.parent_id or 0),
    "taxis": lambda site: str(site.taxis),
}


def site_value(site: Site, kind: str, attributes: Attributes) -> str:
    """Return one value of the site as a shaped text; custom settings count, members of `attributes` do not."""
    shape, folded = TextShape.of(attributes), kind.casefold()
    if folded in _VALUES:
        text = _VALUES[folded](site)
    else:
        custom = REGISTRY.custom(site.settings)
        text = next((as_text(value) for name, value in custom.items() if name.casefold() == folded), "")
    return shape.surround(shape.shape(text))


def as_text(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)
