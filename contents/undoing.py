"""Takes back what one act has changed of a content, as long as nobody has changed it since."""

from typing import Any

from django.db import transaction

from channels_app.models import Channel
from cms_api import audit
from cms_api.rest.errors import BadRequest, NotFound
from contents import approval
from contents.history import read_before
from contents.models import Content, ContentChange
from contents.overwriting import lock_content, overwrite, require_version
from contents.services import trash_content
from contents.trash import restore_content

# Who has edited it last, and when: the taking back is an edit, too.
_EDITED = {"last_edit_user_name", "last_edit_date"}


@transaction.atomic
def take_back(site_id: int, content_id: int, version: int, user: Any) -> Content:
    """Give the members that the change to this version overwrote the values that they had before.

    Raises NotFound, or BadRequest where the content has been changed since, would come back into a channel that is
    in the trash, or would be approved or not by somebody whose rights do not reach so far now.
    """
    content = lock_content(site_id, content_id, version)
    change = content.changes.filter(version=version).first()
    if change is None:
        raise BadRequest("version_forgotten", f"What content {content_id} was before version {version} is not kept.")
    before = read_before(change)
    values = {name: value for name, value in before.items() if name not in _EDITED}
    _require_channel(site_id, values.get("channel_id", content.channel_id))
    approval.require_reach_back(content, values, user)
    was_checked = content.is_checked
    edited_by = user.get_username() if before.keys() & _EDITED else None
    overwrite(content, values, ContentChange.Kind.REVERTED, editor=edited_by)
    if content.is_checked != was_checked:
        action = "content.approved" if content.is_checked else "content.approval_withdrawn"
        audit.note(action, content, site_id=site_id)
    return content


@transaction.atomic
def take_back_copy(site_id: int, content_id: int, version: int) -> None:
    """Move a copy to the trash. Raises NotFound, or BadRequest where it has been changed since."""
    content = lock_content(site_id, content_id, version)
    trash_content(site_id, content.channel_id, content_id)


@transaction.atomic
def take_back_deletion(site_id: int, content_id: int, version: int) -> None:
    """Bring a content back from the trash. Raises NotFound, or BadRequest where something has been done to it since."""
    content = Content.objects.filter(pk=content_id, site_id=site_id).first()
    if content is None:
        raise NotFound("content_not_found", f"Content {content_id} was not found in site {site_id}.")
    require_version(content, version)
    restored = restore_content(site_id, content_id)
    # It was read without a lock: whoever changed it in between has raised the version that the restoring found.
    require_version(restored, version)


def _require_channel(site_id: int, channel_id: int) -> None:
    if not Channel.objects.present().filter(pk=channel_id, site_id=site_id).exists():
        raise BadRequest("target_not_found", f"Channel {channel_id} is not there any more.")
