from collections.abc import Collection
from dataclasses import dataclass
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
def delete_group(group_id: int) -> None:
    group = Group.objects.select_for_update().filter(pk=group_id).first()
    if group is None:
        raise NotFound("group_not_found", f"Group {group_id} was not found.")
    audit.record("group.deleted", group)
    group.delete()
