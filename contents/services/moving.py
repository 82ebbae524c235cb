from collections.abc import Callable, Iterator, Sequence

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
    for portion in portions(numbers, [*LONG, BODY_TEXT]):
        made |= _copy(portion, channel_id, places, editor, is_approving=is_approving)
    return locked.results_of(made)


def _copy(
    numbers: Sequence[int], channel_id: int, places: Iterator[int], editor: str, *, is_approving: bool
) -> dict[int, int]:
    found = Content.objects.in_bulk(numbers)
    site_id = found[numbers[0]].site_id  # same as the channel's
    has_approved = is_approving and any(original.is_checked for original in found.values())
    entries = check_entries(site_id, "", editor) if has_approved else None
    copies = []
    for number in numbers:
        original = found[number]
        values = {name: getattr(original, name) for name in _KEPT}
        values |= {"channel_id": channel_id, "taxis": next(places), "last_edit_date": clock.now()}
        values |= {"add_user_name": editor, "last_edit_user_name": editor}
        if original.reference_id <= 0:  # a copied reference has the same source, the channel of the other content
            values["source_id"] = number
        if original.is_checked and entries is not None:
            values["settings_xml"] = with_settings(original, entries)
        else:
            settings = orjson.loads(original.settings_xml)
            others = {name: value for name, value in settings.items() if name.casefold() not in CHECK_MEMBERS}
            level = DRAFT if original.checked_level < WAITING else WAITING
            values |= {"is_checked": False, "checked_level": level, "settings_xml": orjson.dumps(others).decode()}
        copies.append(Content(**values))
    Content.objects.bulk_create(copies)
    bodies = dict(ContentBody.objects.filter(content__in=numbers).values_list("content_id", "text"))
    made = {number: copy.pk for number, copy in zip(numbers, copies, strict=True)}
    ContentBody.objects.bulk_create(
        ContentBody(content_id=copy, text=bodies.get(number, "")) for number, copy in made.items()
    )
    pictures = list(ContentPicture.objects.filter(content__in=numbers).order_by("pk"))
    for picture in pictures:
        picture.pk, picture.content_id = None, made[picture.content_id]
    ContentPicture.objects.bulk_create(pictures)
    return made
