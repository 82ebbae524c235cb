"""Groups: what ordinary administrators may do."""

from collections.abc import Collection

from django.contrib.auth.models import Group, Permission
from django.db import transaction

from cms_api import audit
from cms_api.lib.errors import NotFound


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
