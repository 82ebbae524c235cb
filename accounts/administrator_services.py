from collections.abc import Collection
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db import transaction

from accounts.models import Administrator, GroupPlace
from accounts.place_names import Place, place_names
from accounts.services import create_administrator, delete_administrator, hold_ranks, update_administrator
from core import audit
from core.admin.ranks import Rank
from core.lib.errors import InvalidInput, NotFound


@dataclass(frozen=True)
class RoleAssignment:
    """A rank with the sites of a site administrator or the groups of an ordinary one."""

    rank: Rank
    site_ids: Collection[int] = ()
    groups: Collection[Group] = ()

    def columns(self) -> dict[str, Any]:
        """Return the account's columns. Raises InvalidInput for a site administrator without sites."""
        if self.rank is Rank.SITES and not self.site_ids:
            raise InvalidInput("sites_missing", "A site administrator needs a site.", member="sites")
        sites = ",".join(map(str, sorted(self.site_ids))) if self.rank is Rank.SITES else ""
        return {"is_superuser": self.rank is Rank.HIGHEST, "site_id_collection": sites}


@transaction.atomic
def appoint(values: dict[str, Any], office: RoleAssignment) -> Administrator:
    """Create an administrator with the rank. Raises InvalidInput, also for a site administrator without sites."""
    administrator = create_administrator(values | office.columns())
    administrator.groups.set(office.groups if office.rank is Rank.ORDINARY else ())
    return administrator


@transaction.atomic
def change(administrator_id: int, values: dict[str, Any], office: RoleAssignment, *, by: int) -> Administrator:
    """Change values and rank. Raises NotFound and InvalidInput, also to demote oneself or the last superuser."""

    def raise_if_own_demotion(was: Administrator) -> None:
        if was.is_superuser and office.rank is not Rank.HIGHEST:
            _raise_if_own_account(administrator_id, by)

    administrator = update_administrator(administrator_id, values | office.columns(), raise_if_own_demotion)
    groups = set(office.groups) if office.rank is Rank.ORDINARY else set()
    if groups != set(administrator.groups.all()):
        administrator.groups.set(groups)
        audit.record("administrator.changed", administrator, changed=["groups"])
    return administrator


def lock(administrator_id: int, *, by: int) -> None:
    """Lock the administrator; ends sessions, access tokens and keys. Raises InvalidInput and NotFound."""
    _raise_if_own_account(administrator_id, by)
    update_administrator(administrator_id, {"is_locked_out": True})


@transaction.atomic
def unlock(administrator_id: int) -> None:
    hold_ranks()  # as a lock does, in case the action unlocks many
    update_administrator(administrator_id, {"is_locked_out": False})


def remove(administrator_id: int, *, by: int) -> None:
    """Delete the administrator and their API keys. Raises InvalidInput and NotFound."""
    _raise_if_own_account(administrator_id, by)
    delete_administrator(administrator_id)


def _raise_if_own_account(administrator_id: int, by: int) -> None:
    if administrator_id == by:
        raise InvalidInput("own_account", "You cannot lock, delete or demote your own account.", member="rank")


@transaction.atomic
def store_group(group: Group, name: str, permissions: Collection[Permission], places: Collection[Place] = ()) -> Group:
    """Store the group, limited to places if there are any: pairs of a site and a channel, 0 for the whole site."""
    is_new = group.pk is None
    old_name = "" if is_new else Group.objects.select_for_update().get(pk=group.pk).name
    before = set() if is_new else set(group.permissions.all())
    rows = GroupPlace.objects.filter(group=group).values_list("site_id", "channel_id") if not is_new else ()
    old_places, new_places = set(rows), set(places)
    group.name = name
    group.save()
    group.permissions.set(permissions)
    for site_id, channel_id in old_places - new_places:
        GroupPlace.objects.filter(group=group, site_id=site_id, channel_id=channel_id).delete()
    GroupPlace.objects.bulk_create(
        GroupPlace(group=group, site_id=one, channel_id=two) for one, two in new_places - old_places
    )
    changed = (["name"] if name != old_name else []) + (["permissions"] if set(permissions) != before else [])
    changed += ["places"] if new_places != old_places else []
    details: dict[str, Any] = {"places": sorted(place_names(new_places).values())} if new_places != old_places else {}
    if is_new:
        audit.record("group.created", group, **details)
    elif changed:
        audit.record("group.changed", group, changed=changed, **details)
    return group


@transaction.atomic
def give_role(administrator_id: int, role: Group, place: Place, name: str) -> Group:
    """Give an ordinary administrator the permissions of the group `role` in the place only.

    The group that has these permissions in this place gets a member; if there is none, it is created under the name.
    Raises InvalidInput for other ranks, and NotFound.
    """
    hold_ranks()  # also so that of two at once the second finds the group of the first
    administrator = Administrator.objects.select_for_update().filter(pk=administrator_id).first()
    if administrator is None:
        raise NotFound("administrator_not_found", f"Administrator {administrator_id} was not found.")
    if administrator.is_superuser or administrator.site_id_collection:
        raise InvalidInput("not_ordinary", "Only ordinary administrators have roles.", member="administrator")
    permissions = set(role.permissions.all())
    in_place = Group.objects.filter(places__site_id=place[0], places__channel_id=place[1]).order_by("pk")
    group = next((one for one in in_place if _is_like(one, permissions, place)), None)
    if group is None:
        group = store_group(Group(), _free_name(name), permissions, [place])
    if not administrator.groups.filter(pk=group.pk).exists():
        administrator.groups.add(group)
        audit.record("administrator.changed", administrator, changed=["groups"])
    return group


@transaction.atomic
def take_role(administrator_id: int, group_id: int, place: Place) -> None:
    """Remove the administrator from the group, which must be limited to the place. Raises NotFound."""
    administrator = Administrator.objects.select_for_update().filter(pk=administrator_id, groups=group_id).first()
    if administrator is None or _places_of(group_id) != [place]:
        raise NotFound("administrator_not_found", f"Administrator {administrator_id} was not found in this group.")
    administrator.groups.remove(group_id)
    audit.record("administrator.changed", administrator, changed=["groups"])


def _is_like(group: Group, permissions: Collection[Permission], place: Place) -> bool:
    return _places_of(group.pk) == [place] and set(group.permissions.all()) == permissions


def _places_of(group_id: int) -> list[Place]:
    return list(GroupPlace.objects.filter(group=group_id).values_list("site_id", "channel_id"))


def _free_name(name: str) -> str:
    most: int = Group._meta.get_field("name").max_length  # type: ignore[assignment]
    for number in count(1):
        ending = f" ({number})" if number > 1 else ""
        free = f"{name[: most - len(ending)]}{ending}"
        if not Group.objects.filter(name=free).exists():
            break
    return free


@transaction.atomic
def delete_group(group_id: int) -> None:
    group = Group.objects.select_for_update().filter(pk=group_id).first()
    if group is None:
        raise NotFound("group_not_found", f"Group {group_id} was not found.")
    audit.record("group.deleted", group)
    group.delete()
