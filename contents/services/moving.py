from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson
from django.db import transaction

from channels_app.models import Channel
from contents.models import Content, ContentBody, ContentChange, ContentPicture
from contents.services.approval import DRAFT, WAITING
from contents.services.decisions import CHECK_MEMBERS, check_entries
from contents.storing.batches import BODY_TEXT, LONG, portions
from contents.storing.history import COUNTERS
from contents.storing.insert import next_taxes
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import overwrite_each, with_settings
from core.lib import clock
from core.lib.errors import InvalidInput, ServiceError

# Members that a copy does not take over.
_OWN = COUNTERS | {"id", "taxis", "added_by_key", "version", "trashed_at", "trashed_with_id"}
_OWN |= {"is_top", "is_recommend", "is_hot"}
# Lookups of the members that bound a portion of copies.
COPIED_TEXTS = (*LONG, BODY_TEXT)
_KEPT = tuple(field.attname for field in Content._meta.concrete_fields if field.attname not in _OWN)


class Target:
    """The target channel; read it under `hold_contents`, so that nothing can trash it at the same time."""

    def __init__(self, channel_id: int) -> None:
        self._number = channel_id
        self._channel = Channel.objects.live().filter(pk=channel_id).first()

    def require_open(self, site_id: int, **members: str) -> None:
        """Raise InvalidInput if the channel is in the trash, of another site, or takes no contents."""
        if self._channel is None:
            raise InvalidInput("target_not_found", f"Channel {self._number} no longer exists.")
        if self._channel.site_id != site_id:
            raise InvalidInput("target_of_another_site", f"Channel {self._number} belongs to another site.")
        if self._channel.settings.get("isContentAddable") is False:
            message = f"Channel {self._number} does not accept contents."
            raise InvalidInput("channel_takes_no_contents", message, **members)


@transaction.atomic
def move_contents(
    seen: Sequence[Seen], channel_id: int, rule: Callable[[Content], None] | None = None
) -> list[Content | ServiceError]:
    """Move the contents to the top of the channel, the last one on top; refuses all if it is not open.

    Also refuses contents that the rule refuses. A move is not an edit: the last editor stays.
    """
    locked = Locked(seen)
    target = Target(channel_id)

    def require_new(content: Content) -> None:
        if content.channel_id == channel_id:
            raise InvalidInput("in_channel_already", f"Content {content.pk} is already in channel {channel_id}.")
        target.require_open(content.site_id)
        if rule is not None:
            rule(content)

    locked.decide(require_new)
    if moving := locked.contents:
        places = [{"channel_id": channel_id, "taxis": taxis} for taxis in next_taxes(channel_id, len(moving))]
        overwrite_each(zip(moving, places, strict=True), ContentChange.Kind.MOVED)
    return locked.results()


@transaction.atomic
def copy_contents(
    seen: Sequence[Seen], channel_id: int, editor: str, *, is_approving: bool = False
) -> list[int | ServiceError]:
    """Copy contents with bodies and pictures to the top of the channel, the last one on top; return the new ids.

    Copies are neither pinned nor recommended nor hot. A copy is approved only if its original is and with
    `is_approving`; copies of drafts and rejected contents are drafts. Refuses as `move_contents` does.
    """
    locked = Locked(seen)
    target = Target(channel_id)
    locked.decide(lambda content: target.require_open(content.site_id))
    numbers = [content.pk for content in locked.contents]
    places = iter(next_taxes(channel_id, len(numbers)) if numbers else ())
    made: dict[int, int] = {}
    for portion in portions(numbers, COPIED_TEXTS):
        found = Content.objects.in_bulk(portion)
        originals = [found[number] for number in portion]
        made |= insert_copies(
            originals,
            lambda original: {"channel_id": channel_id, "taxis": next(places)},
            editor,
            is_approving=is_approving,
        )
    return locked.results_of(made)


def insert_copies(
    originals: Sequence[Content],
    differing: Callable[[Content], Mapping[str, Any]],
    editor: str,
    *,
    is_approving: bool,
    adopt: Callable[[str], str] = str,
) -> dict[int, int]:
    """Store copies with bodies and pictures; return their ids by the ids of the originals, all of one site.

    `differing` returns the members of a copy that differ from its original, at least its channel and taxis; `adopt` is
    applied to all other texts. The states are those of `copy_contents`.
    """
    copies = []
    entries: dict[str, Any] | None = None
    for original in originals:
        values = {name: adopt(text) if isinstance(text := getattr(original, name), str) else text for name in _KEPT}
        values |= differing(original)
        values |= {"last_edit_date": clock.now(), "add_user_name": editor, "last_edit_user_name": editor}
        if original.reference_id <= 0:  # a copied reference has the same source, the channel of the other content
            values["source_id"] = original.pk
        copy = Content(**values)
        if original.is_checked and is_approving:
            entries = check_entries(copy.site_id, "", editor) if entries is None else entries
            copy.settings_xml = with_settings(copy, entries)
        else:
            settings = orjson.loads(copy.settings_xml)
            others = {name: value for name, value in settings.items() if name.casefold() not in CHECK_MEMBERS}
            copy.settings_xml = orjson.dumps(others).decode()
            copy.is_checked, copy.checked_level = False, DRAFT if original.checked_level < WAITING else WAITING
        copies.append(copy)
    Content.objects.bulk_create(copies)
    made = {original.pk: copy.pk for original, copy in zip(originals, copies, strict=True)}
    bodies = dict(ContentBody.objects.filter(content__in=made).values_list("content_id", "text"))
    ContentBody.objects.bulk_create(
        ContentBody(content_id=copy, text=adopt(bodies.get(number, ""))) for number, copy in made.items()
    )
    pictures = list(ContentPicture.objects.filter(content__in=made).order_by("pk"))
    for picture in pictures:
        picture.pk, picture.content_id = None, made[picture.content_id]
        for name in ("small_url", "middle_url", "large_url", "description"):
            setattr(picture, name, adopt(getattr(picture, name)))
    ContentPicture.objects.bulk_create(pictures)
    return made
