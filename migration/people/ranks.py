"""The ranks of migrated administrators.

The permissions of a group apply to every site, and no administrator can be limited to channels. Therefore, a role that
SiteServer limits to sites makes its members site administrators: they get more rights inside these sites, and none
outside.
"""

from collections import defaultdict
from collections.abc import Iterable

from django.contrib.auth.models import Group

from accounts.administrator_services import RoleAssignment, change
from core.admin.ranks import Rank
from core.lib.errors import InvalidInput, NotFound
from core.lib.folding import fold, is_blank
from migration import records
from migration.context import Context
from migration.people.administrators import TABLE
from migration.people.drafts import OURS
from migration.people.role_rows import CONSOLE, SYSTEM, Role, name_in
from migration.people.rows import clear_name, either
from migration.report import Outcome
from migration.sources.source import Row
from migration.values import id_list, number, text

_KIND = "ranks of administrators"
_RANKS = f"{TABLE}.rank"  # the name of rank digests in records


def migrate_ranks(context: Context, roles: dict[str, Role], groups: dict[str, Group]) -> None:
    of_administrators = defaultdict(set)
    for row in context.source.rows("siteserver_administratorsinroles"):
        if not is_blank(name := text(row.get("username"))):
            of_administrators[fold(name.strip())].add(name_in(row))
    sites = records.target_ids("siteserver_site")
    for row in context.source.rows(TABLE):
        source_id, name = number(row.get("id")), clear_name(row)
        known = records.find(TABLE, [source_id]).get(source_id)
        if known is None or known.digest == OURS:
            continue
        appointing = _Appointing(context, name, roles, groups, sites)
        _store(context, source_id, known.target_id, appointing.find(row, of_administrators[fold(name)]), name)


def _store(context: Context, source_id: int, target_id: int, found: RoleAssignment, name: str) -> None:
    told = {"rank": found.rank.value, "sites": str(sorted(found.site_ids)), "groups": str(_ids(found.groups))}
    digest, known = records.digest_of(dict(told)), records.find(_RANKS, [source_id]).get(source_id)
    if known and known.digest == digest:
        context.report.add(_KIND, Outcome.UNCHANGED)
        return
    try:
        change(target_id, {}, found, by=0)
    except NotFound:  # deleted here
        return
    except InvalidInput as error:
        context.report.find("The rank of an administrator could not be changed.", name, str(error))
        return
    context.store(_RANKS, [(source_id, target_id, digest)])
    context.report.add(_KIND, Outcome.UPDATED if known else Outcome.NEW)


def _ids(groups: Iterable[Group]) -> list[int]:
    return sorted(group.pk for group in groups)


class _Appointing:
    """Finds the rank of one administrator, and reports differences from the permissions of the roles."""

    def __init__(
        self, context: Context, name: str, roles: dict[str, Role], groups: dict[str, Group], sites: dict[int, int]
    ) -> None:
        self._context, self._name, self._roles, self._groups, self._sites = context, name, roles, groups, sites

    def find(self, row: Row, names: set[str]) -> RoleAssignment:
        if CONSOLE in names:
            return RoleAssignment(Rank.HIGHEST)
        roles = [self._roles[name] for name in sorted(names) if name in self._roles]
        source_ids = self._sites_of_system(row) if SYSTEM in names else set()
        if not self._context.options.with_ordinary:
            source_ids |= {site_id for role in roles for site_id in role.sites}
        site_ids = {self._sites[site_id] for site_id in source_ids if site_id in self._sites}
        for site_id in sorted(source_ids - self._sites.keys()):
            self._tell("The site of an administrator has not been migrated.", f"site {site_id}")
        if site_ids:
            self._tell_changes(roles, source_ids)
            return RoleAssignment(Rank.SITES, site_ids)
        limited = [role for role in roles if role.sites]
        self._tell_limited(limited)
        member = [role for role in roles if self._context.options.with_ordinary or role not in limited]
        found = (self._groups.get(role.name.casefold()) for role in member)
        return RoleAssignment(Rank.ORDINARY, groups=[group for group in found if group is not None])

    def _sites_of_system(self, row: Row) -> set[int]:
        found = set(id_list(either(row, "siteidcollection", "siteids")))
        if not found:
            self._tell("A system administrator without sites has become an ordinary administrator.")
        return found

    def _tell_limited(self, roles: list[Role]) -> None:
        told = "The roles of an administrator allow work in no migrated site."
        if self._context.options.with_ordinary:
            told = (
                "Roles of an administrator were limited to sites; their groups have no permissions until you add some."
            )
        if roles:
            self._tell(told, ", ".join(role.name for role in roles))

    def _tell_changes(self, roles: list[Role], site_ids: set[int]) -> None:
        for role in roles:
            for site_id, rights in role.sites.items():
                if site_id in site_ids:
                    told = (
                        "Roles of an administrator were limited; the site administrator may do everything in the site."
                    )
                    channels = ", ".join(map(str, rights.channel_ids)) or "all"
                    self._tell(told, f"{role.name}: site {site_id}, channels: {channels}")
            if role.permissions:
                told = "A role allowed work outside sites, which site administrators do not do."
                self._tell(told, f"{role.name}: {', '.join(sorted(role.permissions))}")

    def _tell(self, sentence: str, detail: str = "") -> None:
        self._context.report.find(sentence, self._name, detail)
