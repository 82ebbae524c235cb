"""Changes of single members of a content that is there, each noted in its history."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from channels_app.services import hold_contents
from cms_api.lib import clock
from cms_api.rest.custom_members import merge
from cms_api.rest.errors import BadRequest, NotFound
from contents.history import Overwritten, note_change
from contents.models import Content, ContentBody, ContentChange


def lock_content(site_id: int, content_id: int, version: int | None = None) -> Content:
    """The present content, which nobody else changes until the transaction ends.

    Raises NotFound, or BadRequest where it is not of the version any more in which somebody has seen it.
    """
    hold_contents(site_id)
    content = Content.objects.in_site(site_id).select_for_update().filter(pk=content_id).first()
    if content is None:
        raise NotFound("content_not_found", f"Content {content_id} was not found in site {site_id}.")
    require_version(content, version)
    return content


def lock_contents(contents: Iterable[Content]) -> None:
    """Take the locks of all of them at once, as whoever changes several does.

    One after the other, with the lock of a channel in between, two who move the same contents could wait for each
    other in a circle.
    """
    numbers: dict[int, list[int]] = {}
    for content in contents:
        numbers.setdefault(content.site_id, []).append(content.pk)
    for site_id in sorted(numbers):
        hold_contents(site_id)
        rows = Content.objects.filter(pk__in=numbers[site_id]).order_by("pk").select_for_update()
        list(rows.values_list("pk", flat=True))


def require_version(content: Content, version: int | None) -> None:
    """Raises BadRequest where the content is not of the version any more; none given: any will do."""
    if version is not None and content.version != version:
        raise BadRequest("changed_meanwhile", f"Content {content.pk} has been changed meanwhile.")


def overwrite(
    content: Content,
    values: Mapping[str, Any],
    kind: str = ContentChange.Kind.CHANGED,
    *,
    editor: str | None = None,
    reasons: str = "",
) -> bool:
    """Store the values, by attribute name, and the change; whether anything is other than before.

    `editor` is who has edited it last from now on; approval edits nothing.
    """
    changes = {name: value for name, value in values.items() if getattr(content, name) != value}
    if not changes:
        return False
    if editor is not None:
        changes |= {"last_edit_user_name": editor, "last_edit_date": clock.now()}
    before = Overwritten({name: getattr(content, name) for name in changes})
    for name, value in changes.items():
        setattr(content, name, value)
    content.version += 1
    content.save(update_fields=[*changes, "version"])
    note_change(content, before, kind, reasons=reasons)
    return True


def store_body(content: Content, text: str | None) -> str | None:
    """Store the text as the content's body; the body before, if it was another one. None stays as it is."""
    if text is None:
        return None
    bodies = ContentBody.objects.filter(content=content)
    before = bodies.values_list("text", flat=True).first()
    if text == (before or ""):
        return None
    if not bodies.update(text=text):  # a content may have come without one
        ContentBody.objects.create(content=content, text=text)
    return before or ""


def with_settings(content: Content, entries: Mapping[str, Any]) -> str:
    """The content's further members with these entries, as they are stored."""
    settings = merge(orjson.loads(content.settings_xml), dict(entries))
    return orjson.dumps(settings).decode() if settings else "{}"
