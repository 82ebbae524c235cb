"""The sites and branches of the channel tree where an administrator has permissions, by one rule for all ranks."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, ClassVar, TypeVar

from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet

from core.admin.ranks import Rank, rank_of

Rows = TypeVar("Rows", bound=QuerySet[Any])


@dataclass(frozen=True, slots=True)
class Places:
    """Whole sites, and branches: channels with all below them. A branch is of one of `branch_site_ids`."""

    # Returns the ids of the channels and of those below them, as a sub-query; set by channels_app.
    ids_below: ClassVar[Callable[[Collection[int]], QuerySet[Any, Any]]]

    everywhere: bool = False
    site_ids: frozenset[int] = frozenset()
    branch_ids: frozenset[int] = frozenset()
    branch_site_ids: frozenset[int] = frozenset()

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[int, int]]) -> "Places":
        """Read pairs of a site and a channel; the home channel, or 0, stands for the whole site."""
        sites, branches, branch_sites = set(), set(), set()
        for site_id, channel_id in rows:
            if channel_id in {0, site_id}:
                sites.add(site_id)
            else:
                branches.add(channel_id)
                branch_sites.add(site_id)
        return cls(False, frozenset(sites), frozenset(branches), frozenset(branch_sites))

    def __bool__(self) -> bool:
        return self.everywhere or bool(self.site_ids or self.branch_ids)

    def __or__(self, other: "Places") -> "Places":
        if self.everywhere or other.everywhere:
            return EVERYWHERE
        return Places(
            False,
            self.site_ids | other.site_ids,
            self.branch_ids | other.branch_ids,
            self.branch_site_ids | other.branch_site_ids,
        )

    def __and__(self, other: "Places") -> "Places":
        """Return the whole sites that both cover."""
        if self.everywhere or other.everywhere:
            return (other if self.everywhere else self).whole_sites
        return Places(site_ids=self.site_ids & other.site_ids)

    @property
    def whole_sites(self) -> "Places":
        """The places without branches, for records that belong to no channel."""
        return self if self.everywhere else Places(site_ids=self.site_ids)

    def covers_site(self, site_id: int) -> bool:
        """Return true if the whole site is covered."""
        return self.everywhere or site_id in self.site_ids

    def touches_site(self, site_id: int) -> bool:
        """Return true if the site or a branch of it is covered."""
        return self.covers_site(site_id) or site_id in self.branch_site_ids

    def covers(self, site_id: int, channel_path: Iterable[int]) -> bool:
        """Return true for a record whose channel, or a channel above it, is covered.

        `channel_path` is read only if branches decide, so a generator may load the channel.
        """
        if self.covers_site(site_id):
            return True
        return site_id in self.branch_site_ids and not self.branch_ids.isdisjoint(channel_path)

    def condition(self, site_lookup: str, channel_lookup: str | None = None) -> Q:
        """Return the condition for covered rows.

        `channel_lookup` is the lookup of the channel, "" for channels; None: only whole sites count.
        """
        if self.everywhere:
            return Q()
        whole = Q((f"{site_lookup}__in", self.site_ids))
        if channel_lookup is None or not self.branch_ids:
            return whole
        # A sub-query instead of a join, which would repeat rows; with the sites, so that their indexes are used.
        below = Q((f"{channel_lookup or 'pk'}__in", Places.ids_below(self.branch_ids)))
        return Q((f"{site_lookup}__in", self.site_ids | self.branch_site_ids)) & (whole | below)

    def narrow(self, queryset: Rows, site_lookup: str, channel_lookup: str | None = None) -> Rows:
        if not self:
            return queryset.none()
        return queryset if self.everywhere else queryset.filter(self.condition(site_lookup, channel_lookup))


EVERYWHERE, NOWHERE = Places(everywhere=True), Places()


def places_of(user: Any, *permissions: str) -> Places:
    """Return where the user has one of the permissions, by full name; without names, where it has any.

    Site administrators have all in their sites. For others the first call takes two statements, later ones none.
    """
    rank = rank_of(user)
    if rank is Rank.HIGHEST:
        return EVERYWHERE
    if rank is Rank.SITES:
        # Without a readable site, pages are empty; no site has the number 0.
        return Places(site_ids=frozenset(user.reachable_site_ids) or frozenset({0}))
    granted: dict[str, Places] = getattr(user, "granted_places", {})
    return reduce(or_, (granted[name] for name in permissions or granted if name in granted), NOWHERE)


def people_with(permissions: Q) -> Iterator[Any]:
    """Yield the administrators who have one of the permissions somewhere; the same groups have the same places."""
    # Imported here because models import this module.
    from django.contrib.auth.models import Permission

    people = get_user_model()._default_manager
    rights = Permission.objects.filter(permissions)
    sources: dict[int, set[tuple[str, int]]] = {}
    for name, lookup in (("groups", "groups__permissions__in"), ("user_permissions", "user_permissions__in")):
        for number, source in people.filter(**{lookup: rights}).values_list("pk", name):
            sources.setdefault(number, set()).add((name, source))
    places: dict[frozenset[tuple[str, int]], Any] = {}
    for user in people.filter(is_locked_out=False):
        if rank_of(user) is not Rank.ORDINARY:
            yield user
        elif own := frozenset(sources.get(user.pk, ())):
            # Read once for all of them, instead of one by one.
            vars(user)["granted_places"] = places[own] = places.get(own) or user.granted_places
            yield user
