"""The stl elements `site`, `sites` and `value`, and which site a request means (template-tags §1.2, §2, §3.5)."""

from collections.abc import Callable
from typing import Any, NoReturn

from django.db import connection

from cms_api.lib.errors import InvalidInput, NotPermitted
from cms_api.rest.views import Grant
from cms_api.stl.attributes import Attributes
from cms_api.stl.evaluation import columns_of
from cms_api.stl.text import TextShape
from cms_api.stl.views import ElementView, cut, filter_rows, order_rows
from sites.attributes import REGISTRY, site_attributes
from sites.models import Site, find_folder_owner
from sites.serializers import Record, SiteSerializer, site_record

_COLUMNS = columns_of(SiteSerializer.field_table())
_ORDERS = {"default": ""}
# Characters that a folder may have; SQLite fails at a comparison with very many.
_MAX_FOLDER = 255


def find_site_id(attributes: Attributes, grant: Grant) -> int:
    """The number of the site of the request: by `siteId`, by `siteDir`, the root site's, the first site's.

    One that is sent by `siteId` need not exist. Raises InvalidInput when there is none, NotPermitted when the
    key does not reach it.
    """
    site_id, site_dir = attributes.signed("siteId"), attributes.text("siteDir").strip()
    if site_id > 0:
        grant.require_site(site_id)
        return site_id
    if site_dir:
        site = _by_folder(site_dir)
        if grant.site_ids is not None and (site is None or site.pk not in grant.site_ids):
            # Such a key learns nothing about the folders of other sites.
            raise NotPermitted("site_not_allowed", f'The API key reaches no site with the folder "{site_dir}".')
        return site.pk if site else refuse_site(f'No site has the folder "{site_dir}".', "siteDir")
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM cms_sites_site ORDER BY is_root DESC, taxis, id LIMIT 1")
        row = cursor.fetchone()
    if row is None:
        refuse_site("There is no site yet.", "siteId")
    if grant.site_ids is not None and row[0] not in grant.site_ids:
        message = f"Neither siteId nor siteDir was sent, so site {row[0]} is meant, which the API key does not reach."
        raise NotPermitted("site_not_allowed", message)
    return int(row[0])


def find_site(attributes: Attributes, grant: Grant) -> Site:
    """The site of the request. Raises InvalidInput and NotPermitted as find_site_id does."""
    site_id = find_site_id(attributes, grant)
    return Site.objects.filter(pk=site_id).first() or refuse_site(f"Site {site_id} was not found.", "siteId")


def refuse_site(message: str, member: str, cause: Exception | None = None) -> NoReturn:
    """Raises InvalidInput: a site that a query names and that does not exist is 400 (design §4.3)."""
    raise InvalidInput("site_not_found", message, member=member) from cause


def _by_folder(path: str) -> Site | None:
    """The site with the folder in any letter case; a site below another may be given with its parents."""
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
    """The sites that the key reaches: the root site first, then by parent, the highest taxis first."""
    sites = Site.objects.all() if grant.site_ids is None else Site.objects.filter(pk__in=grant.site_ids)
    return sorted(sites, key=lambda site: (not site.is_root, site.parent_id or 0, -site.taxis, site.pk))


class SiteView(ElementView):
    """`/stl/site`: a site, or one of its values as a text."""

    def evaluate(self, attributes: Attributes) -> Record | str | None:
        """The object, or with `type` the text; null when no site has the `siteName`."""
        site = self._chosen(attributes)
        if site is None:
            return None
        if kind := attributes.text("type").strip():
            return site_value(site, kind, attributes)
        return site_record(site)

    def _chosen(self, attributes: Attributes) -> Site | None:
        name, folder = attributes.text("siteName").strip(), attributes.text("siteDir").strip()
        if not name or folder or attributes.signed("siteId") > 0:
            site = find_site(attributes, self.grant)
        if name:
            named = (one for one in reachable_sites(self.grant) if one.site_name.casefold() == name.casefold())
            return next(named, None)
        if folder and attributes.signed("siteId") > 0:
            # A folder beats the number (template-tags §2.1).
            chosen = _by_folder(folder)
            return chosen if chosen in reachable_sites(self.grant) else None
        return site


class ValueView(ElementView):
    """`/stl/value`: a value of the site as a text."""

    def evaluate(self, attributes: Attributes) -> str:
        """The text; empty without a `type` or for an unknown one."""
        site, kind = find_site(attributes, self.grant), attributes.text("type").strip()
        if kind.casefold() in {"sitename", "siteurl"}:
            return _VALUES[kind.casefold()](site)
        return "" if kind.casefold() in _VALUES else site_value(site, kind, attributes)


class SitesView(ElementView):
    """`/stl/sites`: the sites that the key reaches."""

    def evaluate(self, attributes: Attributes) -> Any:
        """The sites; `siteId` or `siteDir` selects one, unless a `scope` or `siteName` is given."""
        sites = self._chosen(attributes)
        records = filter_rows([site_record(site) for site in sites], attributes, _COLUMNS)
        return cut(order_rows(records, attributes, _COLUMNS, _ORDERS), attributes)

    def _chosen(self, attributes: Attributes) -> list[Site]:
        sites = reachable_sites(self.grant)
        is_one = attributes.signed("siteId") > 0 or bool(attributes.text("siteDir").strip())
        chosen = find_site(attributes, self.grant) if is_one else None
        name = attributes.text("siteName").strip().casefold()
        if parent := next((site for site in sites if name and site.site_name.casefold() == name), None):
            return [site for site in sites if site.parent_id == parent.pk]
        if "scope" not in attributes:
            return sites if chosen is None else [chosen]
        if chosen is not None and attributes.text("siteDir").strip():
            return [site for site in sites if site.parent_id == chosen.pk]
        holds = _SCOPES.get(attributes.text("scope").strip().casefold(), _SCOPES["self"])
        return [site for site in sites if holds(site)]


_SCOPES: dict[str, Callable[[Site], bool]] = {
    "self": lambda site: True,
    "selfandchildren": lambda site: True,
    "all": lambda site: True,
    "children": lambda site: site.parent_id is None and not site.is_root,
    "descendant": lambda site: not site.is_root,
}
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
    """One value of the site as a shaped text; custom settings count, members of `attributes` do not."""
    shape, folded = TextShape.of(attributes), kind.casefold()
    if folded in _VALUES:
        text = _VALUES[folded](site)
    else:
        custom = REGISTRY.custom(site.settings)
        text = next((as_text(value) for name, value in custom.items() if name.casefold() == folded), "")
    return shape.surround(shape.shape(text))


def as_text(value: Any) -> str:
    """A custom setting as a text; lists and objects have none."""
    return "" if value is None or isinstance(value, dict | list) else str(value)
