"""Services with which administrators of the highest rank manage administrators and groups."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db import transaction

from accounts.models import Administrator
from accounts.passwords import give_password
from accounts.services import (
    create_administrator,
    delete_administrator,
    hold_ranks,
    update_administrator,
)
from cms_api import audit
from cms_api.admin.ranks import Rank
from cms_api.lib.errors import InvalidInput, NotFound


@dataclass(frozen=True)
class Office:
    """A rank with what belongs to it: sites of a site administrator, groups of an ordinary one."""

    rank: Rank
    site_ids: Collection[int] = ()
    groups: Collection[Group] = ()

    def columns(self) -> dict[str, Any]:
        """The values of the account. Raises InvalidInput for a site administrator without sites."""
        if self.rank is Rank.SITES and not self.site_ids:
            raise InvalidInput("sites_missing", "A site administrator needs a site.", member="sites")
        sites = ",".join(map(str, sorted(self.site_ids))) if self.rank is Rank.SITES else ""
        return {"is_superuser": self.rank is Rank.HIGHEST, "site_id_collection": sites}


@transaction.atomic
def appoint(values: dict[str, Any], office: Office) -> Administrator:
    """A new administrator with that rank; `password` of the values is a plain one.

    Raises InvalidInput as create_administrator does, and for a rank that lacks what belongs to it.
    """
    administrator = create_administrator(values | office.columns())
    administrator.groups.set(office.groups if office.rank is Rank.ORDINARY else ())
    return administrator


@transaction.atomic
def change(administrator_id: int, values: dict[str, Any], office: Office, *, by: int) -> Administrator:
    """The administrator with the values and the rank; keys and sessions follow the new rank at once.

    Raises NotFound, and InvalidInput as update_administrator does, for one's own demotion and for that of the last of
    the highest rank.
    """

    def refuse_own_demotion(was: Administrator) -> None:
        if was.is_superuser and office.rank is not Rank.HIGHEST:
            _refuse_own(administrator_id, by)

    administrator = update_administrator(administrator_id, values | office.columns(), refuse_own_demotion)
    groups = set(office.groups) if office.rank is Rank.ORDINARY else set()
    if groups != set(administrator.groups.all()):
        administrator.groups.set(groups)
        audit.note("administrator.changed", administrator, changed=["groups"])
    return administrator


def lock(administrator_id: int, *, by: int) -> None:
    """Let the administrator sign in no more; sessions, access tokens and keys end. Raises InvalidInput and NotFound."""
    _refuse_own(administrator_id, by)
    update_administrator(administrator_id, {"is_locked_out": True})


@transaction.atomic
def unlock(administrator_id: int) -> None:
    """Let the administrator sign in again. Raises NotFound."""
    hold_ranks()  # as a lock does, in case there are many
    update_administrator(administrator_id, {"is_locked_out": False})


def remove(administrator_id: int, *, by: int) -> None:
    """Delete the administrator with all API keys of theirs. Raises InvalidInput and NotFound."""
    _refuse_own(administrator_id, by)
    delete_administrator(administrator_id)


def set_password(administrator_id: int, password: str) -> None:
    """Give the administrator another password; sessions and access tokens end, keys stay.

    Raises NotFound, LimitReached, and InvalidInput if the password is weak or was changed in the meantime.
    """
    give_password(Administrator, administrator_id, password)


def _refuse_own(administrator_id: int, by: int) -> None:
    if administrator_id == by:
        raise InvalidInput("own_account", "Nobody can lock, delete or demote themselves.", member="rank")


# ---- Groups: what ordinary administrators may do


@transaction.atomic
def store_group(group: Group, name: str, permissions: Collection[Permission]) -> Group:
    """The group, new or as it was, with the name and with these permissions and no other."""
    is_new = group.pk is None
    before = set() if is_new else set(group.permissions.all())
    old_name = "" if is_new else Group.objects.select_for_update().get(pk=group.pk).name
    group.name = name
    group.save()
    group.permissions.set(permissions)
    changed = {"name": name != old_name, "permissions": set(permissions) != before}
    if is_new:
        audit.note("group.created", group)
    elif any(changed.values()):
        audit.note("group.changed", group, changed=[member for member, is_other in changed.items() if is_other])
    return group


@transaction.atomic
def delete_group(group_id: int) -> None:
    """Delete the group; its administrators lose what it allowed. Raises NotFound."""
    group = Group.objects.select_for_update().filter(pk=group_id).first()
    if group is None:
        raise NotFound("group_not_found", f"Group {group_id} was not found.")
    audit.note("group.deleted", group)
    group.delete()
