"""Every act that the audit knows, with the words that tell it: name → label.

A name is `<kind of object>.<participle>`. What is not listed cannot be noted, so that filters and documents are
complete (docs/audit.md tells when each is written).
"""

from collections.abc import Collection, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# Kinds of objects, for the filter of the list: the part of an action's name before the dot.
GROUPS: Mapping[str, str | Promise] = {
    "administrator": _("Administrators"),
    "group": _("Groups"),
    "user": _("Users"),
    "api_key": _("API keys"),
    "site": _("Sites"),
    "channel": _("Channels"),
    "content": _("Contents"),
    "trash": _("Trash"),
    "system": _("System"),
    "audit": _("Audit"),
}

ACTIONS: Mapping[str, str | Promise] = {
    "administrator.created": _("Administrator created"),
    "administrator.changed": _("Administrator changed"),
    "administrator.deleted": _("Administrator deleted"),
    "administrator.password_changed": _("Password of an administrator changed"),
    "administrator.unlocked": _("Administrator unlocked"),
    "administrator.signed_in": _("Administrator signed in"),
    "administrator.signed_out": _("Administrator signed out"),
    "administrator.sign_in_failed": _("Sign-in of an administrator failed"),
    "administrator.identity_not_confirmed": _("Administrator failed to confirm the password"),
    "group.created": _("Group created"),
    "group.changed": _("Group changed"),
    "group.deleted": _("Group deleted"),
    "user.created": _("User created"),
    "user.changed": _("User changed"),
    "user.deleted": _("User deleted"),
    "user.password_changed": _("Password of a user changed"),
    "user.unlocked": _("User unlocked"),
    "user.imported": _("Users imported"),
    "user.exported": _("Users exported"),
    "api_key.created": _("API key created"),
    "api_key.changed": _("API key changed"),
    "api_key.reset": _("API key reset"),
    "api_key.rotated": _("API key rotated"),
    "api_key.overlap_ended": _("Overlap of a rotated API key ended"),
    "api_key.revoked": _("API key revoked"),
    "api_key.deleted": _("API key deleted"),
    "site.created": _("Site created"),
    "site.changed": _("Site changed"),
    "site.imported": _("Site imported"),
    "site.tree_mended": _("Tree of channels mended"),
    "channel.created": _("Channel created"),
    "channel.changed": _("Channel changed"),
    "channel.moved": _("Channel moved"),
    "channel.trashed": _("Channel moved to the trash"),
    "channel.restored": _("Channel restored from the trash"),
    "channel.purged": _("Channel purged"),
    "content.approved": _("Content approved"),
    "content.level_passed": _("Content passed a level of approval"),
    "content.rejected": _("Content rejected"),
    "content.approval_withdrawn": _("Approval of a content withdrawn"),
    "content.trashed": _("Content moved to the trash"),
    "content.restored": _("Content restored from the trash"),
    "content.purged": _("Content purged"),
    "content.history_purged": _("Old changes of contents purged"),
    "content.group_created": _("Group of contents created"),
    "content.group_changed": _("Group of contents changed"),
    "content.name_replaced": _("Group or tag of contents renamed, joined or removed"),
    "content.imported": _("Contents imported"),
    "content.exported": _("Contents exported"),
    "trash.purged": _("Trash purged"),
    "system.restart_asked": _("Restart asked for"),
    "system.server_forgotten": _("Silent server removed from the list"),
    "audit.purged": _("Old audit entries purged"),
    "audit.exported": _("Audit exported"),
}


# Other words for an entry with this member: unlocking has an action of its own, so a change of it is a lock.
_LOCK = "isLockedOut"
_LOCKED: Mapping[str, str | Promise] = {
    "administrator.changed": _("Administrator locked"),
    "user.changed": _("User locked"),
}


def group_of(action: str) -> str:
    """The kind of object that the action is about: `api_key` of `api_key.rotated`."""
    return action.partition(".")[0]


def label_of(action: str, changed: Collection[str] = ()) -> str:
    """The words for an action in the present language; its name, if a later version wrote the entry.

    `changed` are the members that it names.
    """
    locked = _LOCKED.get(action) if _LOCK in changed else None
    return str(locked or ACTIONS.get(action, action))
