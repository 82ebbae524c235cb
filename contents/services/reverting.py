"""A content as it was at an earlier version, brought back by one more change: nothing of its history is lost."""

from typing import Any

import orjson
from django.db import transaction

from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput, NotFound
from cms_api.rest.custom_members import differ
from cms_api.rest.preconditions import if_version
from contents.models import Content, ContentChange
from contents.services.decisions import CHECK_MEMBERS
from contents.storing.history import MEMBERS, Overwritten, note_change, version_of
from contents.storing.locking import lock_content
from contents.storing.overwrite import store_body

# What the content keeps: where it stands, whether it is approved, and who edited it last, which is whoever reverts it.
KEPT = frozenset(
    {"channel_id", "taxis", "is_checked", "checked_level", "last_edit_user_name", "last_edit_date"},
)
RESTORED = tuple(name for name in MEMBERS if name not in KEPT)


@transaction.atomic
def revert_content(site_id: int, content_id: int, version: int, seen_version: int, user_name: str) -> Content:
    """Give the content the members and the body that it had at the version; answers it as it is then.

    It stays in its channel and approved or not as it is now. Raises NotFound when the content or the version is not
    there any more, InvalidInput when somebody has changed it since `seen_version` or when nothing would change.
    """
    content = lock_content(site_id, content_id, if_version(seen_version))
    members, body = restored(content, version)
    _store(content, members, body, version, user_name)
    return content


def restored(content: Content, version: int) -> tuple[dict[str, Any], str]:
    """The members and the body that the content would be given. Raises NotFound for a version that is not kept."""
    try:
        members, body = version_of(content, version)
    except LookupError as error:
        message = f"Version {version} of content {content.pk} is not kept."
        raise NotFound("version_not_kept", message) from error
    found = {name: members[name] for name in RESTORED}
    return found | {"settings_xml": _with_approval(members["settings_xml"], content.settings_xml)}, body


def _with_approval(before: str, now: str) -> str:
    told = {name: value for name, value in orjson.loads(now).items() if _is_of_approval(name)}
    others = {name: value for name, value in orjson.loads(before).items() if not _is_of_approval(name)}
    merged = others | told
    # Entries in another order are no change.
    return orjson.dumps(merged).decode() if differ(merged, orjson.loads(now)) else now


def _is_of_approval(name: str) -> bool:
    return name.casefold() in CHECK_MEMBERS


def _store(content: Content, members: dict[str, Any], body: str, version: int, user_name: str) -> None:
    body_before = store_body(content, body)
    changes = {name: value for name, value in members.items() if getattr(content, name) != value}
    if not changes and body_before is None:
        raise InvalidInput("nothing_to_revert", f"Content {content.pk} is as it was at version {version}.")
    changes |= {"last_edit_user_name": user_name, "last_edit_date": clock.now()}
    before = Overwritten({name: getattr(content, name) for name in changes}, body_before)
    for name, value in changes.items():
        setattr(content, name, value)
    content.version += 1
    content.save(update_fields=[*changes, "version"])
    # The reasons of a change of this kind are the number of the version.
    note_change(content, before, ContentChange.Kind.REVERTED, reasons=str(version))
