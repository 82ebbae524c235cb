"""The trash: what comes back out of it, and what leaves it for good."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, F, ProtectedError, QuerySet

from channels_app.models import Channel
from channels_app.services import hold_contents, lock_tree
from cms_api import audit
from cms_api.lib.errors import InvalidInput, NotFound, ServiceError
from contents.flags import ListKind
from contents.models import Content, ContentBody, ContentChange, ListedCount
from contents.services.decisions import note_contents
from contents.storing.locking import Locked, Seen, only

_BATCH = 1000  # contents that leave in one transaction
Advance = Callable[[int], object]


class Purged(NamedTuple):
    """How much has left the trash for good, or would."""

    contents: int = 0
    channels: int = 0

    def __add__(self, other: tuple[int, ...]) -> "Purged":  # type: ignore[override]
        return Purged(self.contents + other[0], self.channels + other[1])


def restore_content(site_id: int, content_id: int) -> Content:
    """Bring the content back to its channel, to the place that it had.

    Raises NotFound when it is not in the trash, and InvalidInput while its channel is.
    """
    return only(restore_contents([Seen(site_id, content_id)]))


@transaction.atomic
def restore_contents(seen: Sequence[Seen]) -> list[Content | ServiceError]:
    """The same for several contents; what is refused of one concerns that one only."""
    locked = Locked(seen, Content.objects.all())
    gone = _trashed_channels(locked.contents)

    def require_restorable(content: Content) -> None:
        if content.trashed_at is None:
            raise NotFound("content_not_found", f"Content {content.pk} of site {content.site_id} is not in the trash.")
        if (channel := gone.get(content.channel_id)) is not None:
            message = f"Channel {channel.pk} ({channel}), to which it belongs, is in the trash."
            raise InvalidInput("channel_in_trash", f"{message} Restore the channel first.")

    locked.decide(require_restorable)
    contents = locked.contents
    trashed = Content.objects.filter(pk__in=[content.pk for content in contents])
    trashed.update(trashed_at=None, trashed_with_id=None, version=F("version") + 1)
    for content in contents:
        content.trashed_at, content.trashed_with_id = None, None
        content.version += 1
    note_contents("content.restored", contents)
    return locked.results()


def _trashed_channels(contents: Iterable[Content]) -> dict[int, Channel]:
    """Those of the contents' channels that are in the trash, by number."""
    numbers = {content.channel_id for content in contents}
    rows = Channel.objects.filter(pk__in=numbers, trashed_at__isnull=False).only("channel_name")
    return {channel.pk: channel for channel in rows}


def purge_content(site_id: int, content_id: int) -> None:
    only(purge_contents([Seen(site_id, content_id)]))


@transaction.atomic
def purge_contents(seen: Sequence[Seen]) -> list[Content | ServiceError]:
    """Delete the contents for good; one that is not in the trash is refused."""
    locked = Locked(seen, Content.objects.filter(trashed_at__isnull=False))
    note_contents("content.purged", locked.contents)
    _delete_contents([content.pk for content in locked.contents])
    return locked.results()


@transaction.atomic
def purge_channel(site_id: int, channel_id: int) -> Purged:
    """Delete a channel that is in the trash for good, with everything below it, in one transaction.

    Whoever may have many contents to delete calls `purge_below` before. Raises NotFound when it is not in the trash,
    InvalidInput when something present belongs to it.
    """
    lock_tree(site_id)
    channel = Channel.objects.filter(pk=channel_id, site_id=site_id, trashed_at__isnull=False).first()
    if channel is None:
        raise NotFound("channel_not_found", f"Channel {channel_id} of site {site_id} is not in the trash.")
    entry = partial(audit.note, "channel.purged", channel, site_id=site_id)
    hold_contents(site_id, exclusive=True)
    rows, contents = _contents_below([channel_id]).select_for_update(of=("self",)), 0
    while numbers := list(rows.values_list("pk", flat=True)[:_BATCH]):
        contents += _delete_contents(numbers)
    purged = Purged(contents, _delete_tree(channel))
    entry(contents=purged.contents, channels=purged.channels)
    return purged


def count_below(channel_ids: Iterable[int], most: int) -> int:
    """How many contents in the trash belong to the channels, or to those below them; counted up to `most`."""
    return _contents_below(channel_ids)[:most].count()


def purge_below(channel_ids: Iterable[int], most: int) -> int:
    """Delete contents of the channels, which are in the trash, and of those below them for good; how many it were.

    In many transactions; it ends with the one that reaches `most`. Whatever is left when this is interrupted goes the
    next time; what comes back with its channel meanwhile stays.
    """
    return sum(step.contents for step in _until(most, _purge_by_site(_contents_below(channel_ids))))


def _contents_below(channel_ids: Iterable[int]) -> QuerySet[Content]:
    above = {"ancestor_links__ancestor__in": list(channel_ids), "ancestor_links__ancestor__trashed_at__isnull": False}
    below = Channel.objects.filter(**above).order_by().values("pk")
    return Content.objects.filter(channel__in=below, trashed_at__isnull=False).order_by("pk")


class OldTrash:
    """What went to the trash before a moment, of one site or of all."""

    def __init__(self, before: datetime, site_id: int | None = None) -> None:
        chosen = {"trashed_at__isnull": False, "trashed_at__lt": before}
        chosen |= {} if site_id is None else {"site_id": site_id}
        self._contents = Content.objects.filter(**chosen).order_by("trashed_at", "pk")
        # The channels that were deleted themselves; what is below them went to the trash with them, or before.
        self._channels = Channel.objects.filter(**chosen, trashed_with_id=F("pk")).order_by("trashed_at", "-pk")
        self._all_channels = Channel.objects.filter(**chosen)

    def count(self) -> Purged:
        return Purged(self._contents.count(), self._all_channels.count())

    def purge(self, advance: Advance = lambda number: None, *, most: int | None = None) -> Purged:
        """Delete it for good, in many transactions; whatever is left when this is interrupted goes the next time.

        Stops after the transaction with which `most` records are reached.
        """
        purged = Purged()
        for step in _until(most, chain(_purge_by_site(self._contents), self._purge_trees())):
            advance(sum(step))
            purged += step
        return purged

    def _purge_trees(self) -> Iterator[Purged]:
        for site_id, channel_id in self._channels.values_list("site_id", "pk"):
            yield Purged(channels=self._purge_tree(site_id, channel_id))

    @transaction.atomic
    def _purge_tree(self, site_id: int, channel_id: int) -> int:
        lock_tree(site_id)
        channel = self._channels.filter(pk=channel_id).first()
        if channel is None:
            return 0  # restored, or purged with the one above it
        hold_contents(site_id, exclusive=True)
        try:
            with transaction.atomic():
                number = _delete_tree(channel)
        except InvalidInput:
            return 0  # something has come below it past the services; it stays
        audit.note("trash.purged", site_id=site_id, contents=0, channels=number)
        return number


def _until(most: int | None, steps: Iterable[Purged]) -> Iterator[Purged]:
    """The steps up to the one with which `most` records are reached."""
    reached = 0
    for step in steps:
        yield step
        reached += sum(step)
        if most is not None and reached >= most:
            return


def _purge_by_site(contents: QuerySet[Content]) -> Iterator[Purged]:
    """Delete contents in the trash for good, a batch at a time; how much went with each."""
    for site_id in list(contents.order_by().values_list("site_id", flat=True).distinct()):
        of_site = contents.filter(site_id=site_id)
        while (number := _purge_batch(site_id, of_site)) is not None:
            yield Purged(contents=number)


@transaction.atomic
def _purge_batch(site_id: int, contents: QuerySet[Content]) -> int | None:
    """How many were deleted; None where none were left. All of a batch may have been restored while this waited."""
    hold_contents(site_id)
    numbers = list(contents.values_list("pk", flat=True)[:_BATCH])
    if not numbers:
        return None
    # Locked in the order of their ids, as by whoever else changes several.
    locked = contents.filter(pk__in=numbers).order_by("pk").select_for_update(of=("self",))
    number = _delete_contents(list(locked.values_list("pk", flat=True)))
    if number:
        audit.note("trash.purged", site_id=site_id, contents=number, channels=0)
    return number


def _delete_contents(numbers: list[int]) -> int:
    if not numbers:
        return 0  # Django would answer None
    # Bodies by hand: the ORM would read every content to find them.
    ContentBody.objects.filter(content__in=numbers).delete()
    ContentChange.objects.filter(content__in=numbers).delete()
    contents = Content.objects.filter(pk__in=numbers)
    return contents._raw_delete(contents.db)


def _delete_tree(channel: Channel) -> int:
    """Delete the channel and what is below it, all in the trash and without contents, from the bottom.

    Raises InvalidInput when something still belongs to one of them.
    """
    below = Channel.objects.filter(ancestor_links__ancestor_id=channel.pk)
    if below.filter(trashed_at=None).exists():
        raise InvalidInput("channel_in_use", f"A channel below channel {channel.pk} is not in the trash.")
    depths: dict[int, list[int]] = {}
    # By the table of ancestors: the depth of a channel in the trash is that of the day when it went there.
    ranked = Channel.objects.filter(pk__in=below.values("pk")).annotate(depth=Count("ancestor_links"))
    for pk, depth in ranked.values_list("pk", "depth"):
        depths.setdefault(depth, []).append(pk)
    try:
        for depth in sorted(depths, reverse=True):
            Channel.objects.filter(pk__in=depths[depth]).delete()
    except ProtectedError as error:
        raise InvalidInput("channel_in_use", f"Something still belongs to channel {channel.pk}.") from error
    numbers = [pk for level in depths.values() for pk in level]
    ListedCount.objects.filter(kind=ListKind.CHANNEL, owner_id__in=numbers).delete()
    return len(numbers)
