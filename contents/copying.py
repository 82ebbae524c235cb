"""Copies a content into a channel of its site."""

from typing import Any

import orjson
from django.db import transaction

from channels_app.services import hold_contents
from cms_api.lib import clock
from cms_api.rest.errors import NotFound
from contents.approval import DRAFT, WAITING
from contents.decisions import CHECK_MEMBERS, check_entries
from contents.history import COUNTERS
from contents.models import Content, ContentBody
from contents.moving import require_open_channel
from contents.overwriting import with_settings
from contents.writing import insert_content

# What the copy has of its own; all other members are those of the content.
_OWN = COUNTERS | {"id", "taxis", "added_by_key", "version", "trashed_at", "trashed_with_id"}
_DEFAULTS = {
    field.attname: field.get_default()
    for field in Content._meta.concrete_fields
    if field.attname in _OWN - {"id", "taxis"}
}


@transaction.atomic
def copy_content(site_id: int, content_id: int, channel_id: int, editor: str, *, may_approve: bool = False) -> int:
    """The number of a new content with the members and the body of this one, at the top of the channel.

    It is approved only if the content is and `may_approve` holds; a draft stays one. Raises NotFound, or BadRequest
    where the channel takes no contents, is in the trash, or belongs to another site.
    """
    hold_contents(site_id)
    original = Content.objects.in_site(site_id).filter(pk=content_id).first()
    if original is None:
        raise NotFound("content_not_found", f"Content {content_id} was not found in site {site_id}.")
    require_open_channel(site_id, channel_id)
    body = ContentBody.objects.filter(content=original).values_list("text", flat=True).first() or ""
    values = _values(original, editor) | {"channel_id": channel_id} | _state(original, editor, may_approve)
    stored = insert_content(values, body)
    if stored is None:  # somebody has closed the channel this moment
        require_open_channel(site_id, channel_id)
        raise RuntimeError(f"Channel {channel_id} takes contents, and took none.")
    return stored.content_id


def _values(original: Content, editor: str) -> dict[str, Any]:
    members = {field.attname: getattr(original, field.attname) for field in Content._meta.concrete_fields}
    kept = {name: value for name, value in members.items() if name not in _OWN}
    made = {"add_user_name": editor, "last_edit_user_name": editor, "last_edit_date": clock.now()}
    # The channel from which it came, as the interface's sourceId tells it.
    return kept | _DEFAULTS | made | {"source_id": original.channel_id}


def _state(original: Content, editor: str, may_approve: bool) -> dict[str, Any]:
    if original.is_checked and may_approve:
        return {"settings_xml": with_settings(original, check_entries(original.site_id, "", editor))}
    settings = orjson.loads(original.settings_xml)
    others = {name: value for name, value in settings.items() if name.casefold() not in CHECK_MEMBERS}
    level = DRAFT if original.checked_level == DRAFT else WAITING
    text = orjson.dumps(others).decode() if others else "{}"
    return {"is_checked": False, "checked_level": level, "settings_xml": text}
