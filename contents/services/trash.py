from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, F, Model, ProtectedError, QuerySet

from channels_app.models import Channel
from channels_app.services import hold_contents, lock_tree
from contents.flags import ListKind
from contents.models import (
    Content,
    ContentBody,
    ContentChange,
    ContentDraft,
    ContentPicture,
    ContentSchedule,
    ListedCount,
    UnsavedText,
)
from contents.services.decisions import record_contents_action
from contents.storing.locking import Locked, Seen
from core import audit
from core.lib.errors import InvalidInput, NotFound, ServiceError
from sites.models import trashed_site_ids

_BATCH = 1000  # contents per transaction
Advance = Callable[[int], object]


class Purged(NamedTuple):
    """Number of records deleted for good, or to be deleted."""

    contents: int = 0
    channels: int = 0

    def __add__(self, other: tuple[int, ...]) -> "Purged":  # type: ignore[override]
        return Purged(self.contents + other[0], self.channels + other[1])


@transaction.atomic
def restore_contents(seen: Sequence[Seen]) -> list[Content | ServiceError]:
    """Restore contents to their former places; refuses those not in the trash or with a trashed channel."""
    locked = Locked(seen, Content.objects.all())
    numbers = {content.channel_id for content in locked.contents}
    gone = Channel.objects.filter(trashed_at__isnull=False).only("channel_name").in_bulk(numbers)

    def require_restorable(content: Content) -> None:
        if content.trashed_at is None:
            raise NotFound("content_not_found", f"Content {content.pk} of site {content.site_id} is not in the trash.")
        if (channel := gone.get(content.channel_id)) is not None:
            message = f"The channel of content {content.pk}, {channel.pk} ({channel}), is in the trash."
            raise InvalidInput("channel_in_trash", f"{message} Restore the channel first.")

    locked.decide(require_restorable)
    contents = locked.contents
    trashed = Content.objects.filter(pk__in=[content.pk for content in contents])
    trashed.update(trashed_at=None, trashed_with_id=None, version=F("version") + 1)
    for content in contents:
        content.trashed_at, content.trashed_with_id = None, None
        content.version += 1
    record_contents_action("content.restored", contents)
    return locked.results()


@transaction.atomic
def purge_contents(seen: Sequence[Seen]) -> list[Content | ServiceError]:
    """Delete the contents for good; refuses those not in the trash."""
    locked = Locked(seen, Content.objects.filter(trashed_at__isnull=False))
    record_contents_action("content.purged", locked.contents)
    _delete_contents([content.pk for content in locked.contents])
    return locked.results()


@transaction.atomic
def purge_channel(site_id: int, channel_id: int) -> Purged:
    """Delete a trashed channel and everything below it for good, in one transaction.

    Call `purge_below` first if there may be many contents. Raises NotFound if it is not in the trash, InvalidInput if
    anything outside the trash belongs to it.
    """
    lock_tree(site_id)
    channel = Channel.objects.filter(pk=channel_id, site_id=site_id, trashed_at__isnull=False).first()
    if channel is None:
        raise NotFound("channel_not_found", f"Channel {channel_id} of site {site_id} is not in the trash.")
    hold_contents(site_id, exclusive=True)
    rows, contents = _contents_below([channel_id]).select_for_update(of=("self",)), 0
    while numbers := list(rows.values_list("pk", flat=True)[:_BATCH]):
        contents += _delete_contents(numbers)
    purged = Purged(contents, delete_tree(channel))
    audit.record("channel.purged", channel, site_id=site_id, contents=purged.contents, channels=purged.channels)
    return purged


def count_below(channel_ids: Iterable[int], most: int) -> int:
    """Count trashed contents of the channels and those below them, up to `most`."""
    return _contents_below(channel_ids)[:most].count()


def purge_below(channel_ids: Iterable[int], most: int) -> int:
    """Delete trashed contents of the channels and below for good, in many transactions; return their number.

    Stops after the one that reaches `most`; contents restored since then stay.
    """
    return sum(step.contents for step in _until(most, _purge_by_site(_contents_below(channel_ids))))


def _contents_below(channel_ids: Iterable[int]) -> QuerySet[Content]:
    above = {"ancestor_links__ancestor__in": list(channel_ids), "ancestor_links__ancestor__trashed_at__isnull": False}
    below = Channel.objects.filter(**above).order_by().values("pk")
    return Content.objects.filter(channel__in=below, trashed_at__isnull=False).order_by("pk")


class OldTrash:
    """Trash older than a moment, of one site or of all; without sites in the trash, which go as a whole."""

    def __init__(self, before: datetime, site_id: int | None = None) -> None:
        chosen = {"trashed_at__isnull": False, "trashed_at__lt": before}
        chosen |= {} if site_id is None else {"site_id": site_id}
        gone = trashed_site_ids()  # with all their records (contents.services.site_trash)
        self._contents = Content.objects.filter(**chosen).exclude(site_id__in=gone).order_by("trashed_at", "pk")
        self._channels = Channel.objects.filter(**chosen).exclude(site_id__in=gone)

    def count(self) -> Purged:
        return Purged(self._contents.count(), self._channels.count())

    def purge(self, advance: Advance = lambda number: None, *, most: int | None = None) -> Purged:
        """Delete it for good in many transactions, up to the one that reaches `most`; a later call continues."""
        purged = Purged()
        for step in _until(most, chain(_purge_by_site(self._contents), self._purge_trees())):
            advance(sum(step))
            purged += step
        return purged

    def _purge_trees(self) -> Iterator[Purged]:
        # Only the root of each deletion; channels below it were trashed with it or before.
        deleted = self._channels.filter(trashed_with_id=F("pk")).order_by("trashed_at", "-pk")
        for site_id, channel_id in deleted.values_list("site_id", "pk"):
            yield Purged(channels=self._purge_tree(site_id, channel_id))

    @transaction.atomic
    def _purge_tree(self, site_id: int, channel_id: int) -> int:
        lock_tree(site_id)
        channel = self._channels.filter(pk=channel_id, trashed_with_id=channel_id).first()
        if channel is None:
            return 0  # restored, or purged with an ancestor
        hold_contents(site_id, exclusive=True)
        try:
            with transaction.atomic():
                number = delete_tree(channel)
        except InvalidInput:
            return 0  # a channel was put below it without the services; it stays
        audit.record("trash.purged", site_id=site_id, contents=0, channels=number)
        return number


def _until(most: int | None, steps: Iterable[Purged]) -> Iterator[Purged]:
    """Yield steps up to the one that reaches `most` records."""
    reached = 0
    for step in steps:
        yield step
        reached += sum(step)
        if most is not None and reached >= most:
            return


def _purge_by_site(contents: QuerySet[Content]) -> Iterator[Purged]:
    for site_id in list(contents.order_by().values_list("site_id", flat=True).distinct()):
        of_site = contents.filter(site_id=site_id)
        while (number := purge_batch(site_id, of_site)) is not None:
            yield Purged(contents=number)


@transaction.atomic
def purge_batch(site_id: int, contents: QuerySet[Content]) -> int | None:
    """Delete a batch; 0 if all of it has been restored, None if nothing is left."""
    hold_contents(site_id)
    numbers = list(contents.values_list("pk", flat=True)[:_BATCH])
    if not numbers:
        return None
    # Locked in order of id, as in all bulk changes, to prevent deadlocks.
    locked = contents.filter(pk__in=numbers).order_by("pk").select_for_update(of=("self",))
    number = _delete_contents(list(locked.values_list("pk", flat=True)))
    if number:
        audit.record("trash.purged", site_id=site_id, contents=number, channels=0)
    return number


def _delete_contents(numbers: list[int]) -> int:
    if not numbers:
        return 0  # Django would return None
    # Explicit, because the ORM's cascade would load every content.
    ContentBody.objects.filter(content__in=numbers).delete()
    ContentChange.objects.filter(content__in=numbers).delete()
    ContentPicture.objects.filter(content__in=numbers).delete()
    ContentDraft.objects.filter(content__in=numbers).delete()
    ContentSchedule.objects.filter(content__in=numbers).delete()
    UnsavedText.objects.filter(content__in=numbers).delete()
    _comments().filter(content__in=numbers).delete()
    contents = Content.objects.filter(pk__in=numbers)
    return contents._raw_delete(contents.db)


def _comments() -> QuerySet[Model]:
    """Return the comments, whose app stands above this one."""
    related: Any = Content._meta.get_field("comments").related_model
    return related._default_manager.all()  # type: ignore[no-any-return]


def delete_tree(channel: Channel) -> int:
    """Delete trashed, empty channels bottom up. Raises InvalidInput if anything still belongs to one of them."""
    below = Channel.objects.filter(ancestor_links__ancestor_id=channel.pk)
    if below.filter(trashed_at=None).exists():
        raise InvalidInput("channel_in_use", f"A channel below channel {channel.pk} is not in the trash.")
    depths: dict[int, list[int]] = {}
    # Depth by ancestor links: the stored depth of a trashed channel is from before.
    ranked = Channel.objects.filter(pk__in=below.values("pk")).annotate(depth=Count("ancestor_links"))
    for pk, depth in ranked.values_list("pk", "depth"):
        depths.setdefault(depth, []).append(pk)
    try:
        for depth in sorted(depths, reverse=True):
            Channel.objects.filter(pk__in=depths[depth]).delete()
    except ProtectedError as error:
        raise InvalidInput(
            "channel_in_use", f"Channel {channel.pk} still has contents or channels below it."
        ) from error
    numbers = [pk for level in depths.values() for pk in level]
    ListedCount.objects.filter(kind=ListKind.CHANNEL, owner_id__in=numbers).delete()
    return len(numbers)
