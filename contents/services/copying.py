"""Copies contents into a channel of their site."""

from collections.abc import Container, Iterator, Sequence
from typing import Any

import orjson
from django.db import transaction

from cms_api.lib import clock
from cms_api.lib.errors import ServiceError
from contents.models import Content, ContentBody
from contents.services.approval import DRAFT, WAITING
from contents.services.decisions import CHECK_MEMBERS, check_entries
from contents.services.moving import Target
from contents.storing.batches import BODY_TEXT, LONG, portions
from contents.storing.history import COUNTERS
from contents.storing.insert import next_taxes
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import with_settings

# What the copy has of its own; all other members are those of the content.
_OWN = COUNTERS | {"id", "taxis", "added_by_key", "version", "trashed_at", "trashed_with_id"}
_OWN |= {"is_top", "is_recommend", "is_hot"}
_KEPT = tuple(field.attname for field in Content._meta.concrete_fields if field.attname not in _OWN)


@transaction.atomic
def copy_contents(
    seen: Sequence[Seen], channel_id: int, editor: str, *, approving: Container[int] = ()
) -> list[int | ServiceError]:
    """The numbers of new contents with the members and the bodies of these, at the top of the channel.

    The last one comes to the very top, neither pinned nor recommended nor hot. One is approved only if its original
    is, and its site is among `approving`; of drafts and of what was rejected come drafts. A content that is not there
    is refused, and so are all where the channel takes no contents, is in the trash, or belongs to another site.
    """
    locked = Locked(seen)
    target = Target(channel_id)
    locked.decide(lambda content: target.require_open(content.site_id))
    numbers = [content.pk for content in locked.contents]
    places = iter(next_taxes(channel_id, len(numbers)) if numbers else ())
    made: dict[int, int] = {}
    for portion in portions(numbers, [*LONG, BODY_TEXT]):
        made |= _copy(portion, channel_id, places, editor, approving)
    return locked.results_of(made)


def _copy(
    numbers: Sequence[int], channel_id: int, places: Iterator[int], editor: str, approving: Container[int]
) -> dict[int, int]:
    """The number of the copy of each content."""
    found = Content.objects.in_bulk(numbers)
    originals = [found[number] for number in numbers]
    site_id = originals[0].site_id  # that of the channel
    is_approving = site_id in approving and any(original.is_checked for original in originals)
    entries = check_entries(site_id, "", editor) if is_approving else None
    made = {"channel_id": channel_id, "add_user_name": editor, "last_edit_user_name": editor}
    copies = Content.objects.bulk_create(
        Content(
            **{name: getattr(original, name) for name in _KEPT}
            | made
            | {"taxis": next(places), "last_edit_date": clock.now(), "source_id": original.pk}
            | _reference(original)
            | _state(original, entries)
        )
        for original in originals
    )
    bodies = dict(ContentBody.objects.filter(content__in=numbers).values_list("content_id", "text"))
    pairs = list(zip(copies, numbers, strict=True))
    ContentBody.objects.bulk_create(ContentBody(content=copy, text=bodies.get(number, "")) for copy, number in pairs)
    return {number: copy.pk for copy, number in pairs}


def _reference(original: Content) -> dict[str, int]:
    """A copy of a reference is a reference, which has the channel of the other content as its source."""
    return {"source_id": original.source_id} if original.reference_id > 0 else {}


def _state(original: Content, entries: dict[str, Any] | None) -> dict[str, Any]:
    """Approved, with these entries of who did it, or as it waits for approval."""
    if original.is_checked and entries is not None:
        return {"settings_xml": with_settings(original, entries)}
    settings = orjson.loads(original.settings_xml)
    others = {name: value for name, value in settings.items() if name.casefold() not in CHECK_MEMBERS}
    level = DRAFT if original.checked_level < WAITING else WAITING
    return {"is_checked": False, "checked_level": level, "settings_xml": orjson.dumps(others).decode()}
