"""Roles of SiteServer with their permissions, as the tables of either version have them."""

from dataclasses import dataclass, field

from migration.context import Context
from migration.people.permissions import counterparts, unknown
from migration.people.rows import either
from migration.sources.source import Row
from migration.values import id_list, names, number, text

ROLES = "siteserver_role"
CONSOLE, SYSTEM, EVERYBODY = "consoleadministrator", "systemadministrator", "administrator"  # predefined, casefolded
_OF_CHANNELS = ("channelpermissions", "contentpermissions")
_OF_SITES = ("websitepermissions", "permissions")


@dataclass
class SiteRights:
    """The rights of a role in a site, as permissions of this service."""

    permissions: frozenset[str]
    channel_ids: list[int]  # SiteServer's limit; empty: every channel


@dataclass
class Role:
    source_id: int
    name: str
    permissions: frozenset[str] = frozenset()  # outside sites
    sites: dict[int, SiteRights] = field(default_factory=dict)  # those where the role allows anything that we know
    without_counterpart: set[str] = field(default_factory=set)


def read_roles(context: Context) -> dict[str, Role]:
    """Return the roles that are not predefined, by casefolded name."""
    roles: dict[str, Role] = {}
    for row in context.source.rows(ROLES):
        name = text(row.get("rolename")).strip()
        if name and name.casefold() not in {CONSOLE, SYSTEM, EVERYBODY}:
            roles.setdefault(name.casefold(), Role(number(row.get("id")), name))
    for row in context.source.rows("siteserver_permissionsinroles"):
        if role := roles.get(name_in(row)):
            granted = names(either(row, "generalpermissions", "apppermissions"))
            role.permissions |= counterparts(granted)
            role.without_counterpart.update(unknown(granted))
    for row in context.source.rows("siteserver_sitepermissions"):
        if role := roles.get(name_in(row)):
            _add_site(role, row)
    return roles


def name_in(row: Row) -> str:
    return text(row.get("rolename")).strip().casefold()


def _add_site(role: Role, row: Row) -> None:
    site_id = number(row.get("siteid"))
    channel_ids = id_list(either(row, "channelidcollection", "channelids"))
    of_channels = [name for column in _OF_CHANNELS for name in names(row.get(column))]
    of_site = [name for column in _OF_SITES for name in names(row.get(column))]
    role.without_counterpart.update(unknown([*of_channels, *of_site]))
    # Without channels, permissions of channels allow nothing.
    rights = counterparts([*(of_channels if channel_ids else ()), *of_site])
    if rights:
        # The home channel stands for all channels of the site.
        role.sites[site_id] = SiteRights(rights, [] if site_id in channel_ids else channel_ids)
