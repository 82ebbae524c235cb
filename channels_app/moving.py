"""Moves of channels, refused if the tree has changed since it was shown so that they would mean something else."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from django.db import transaction

from channels_app.models import Channel, ChannelQuerySet
from channels_app.services import lock_tree, move_channel, require
from core.lib.errors import InvalidInput
from sites.page_changes import changing_pages

MAX = 100  # channels in one move


class Position(StrEnum):
    BEFORE = "before"
    AFTER = "after"
    FIRST = "first"  # below it, before all others there
    LAST = "last"  # below it, after all others there

    @property
    def is_below(self) -> bool:
        return self in (Position.FIRST, Position.LAST)


class Step(NamedTuple):
    """The channel and the target, each with the parent that the client last saw (0: none)."""

    channel_id: int
    seen_parent_id: int
    place: Position
    target_id: int
    target_parent_id: int


def steps_of(channels: Sequence[tuple[int, int]], place: Position, target_id: int, target_parent_id: int) -> list[Step]:
    """Return the steps that put several channels in one place, in this order."""
    steps: list[Step] = []
    for channel_id, seen_parent_id in channels:
        steps.append(Step(channel_id, seen_parent_id, place, target_id, target_parent_id))
        target_parent_id = target_id if place.is_below else target_parent_id
        place, target_id = Position.AFTER, channel_id
    return steps


@transaction.atomic
def move_channels(site_id: int, steps: Sequence[Step]) -> list[Step]:
    """Perform all steps or none; return the undo steps. Raises NotFound, and InvalidInput if the tree has changed."""
    lock_tree(site_id)
    if len(steps) > MAX:
        raise InvalidInput("too_many_channels", f"You can move at most {MAX} channels at a time.")
    with changing_pages(site_id):
        return [_move(site_id, step) for step in steps][::-1]


def _move(site_id: int, step: Step) -> Step:
    channel, target = require(site_id, step.channel_id), require(site_id, step.target_id)
    for found, seen in ((channel, step.seen_parent_id), (target, step.target_parent_id)):
        if (found.parent_id or 0) != seen:
            message = f"Channel {found.pk} ({found}) is now below another channel."
            raise InvalidInput("tree_changed", message)
    if not step.place.is_below and target.parent_id is None:
        raise InvalidInput("home_channel", "The home channel cannot have siblings.")
    back = _way_back(channel)
    parent_id = target.pk if step.place.is_below else target.parent_id or 0
    before_id = target.pk if step.place is Position.BEFORE else None
    if step.place is Position.FIRST:
        before_id = _first(_others(channel, parent_id))
    elif step.place is Position.AFTER:
        before_id = _first(_others(channel, parent_id).filter(taxis__gt=target.taxis))
    move_channel(site_id, channel.pk, parent_id, before_id)
    return back._replace(seen_parent_id=parent_id)


def _way_back(channel: Channel) -> Step:
    parent_id = channel.parent_id or 0
    others = _others(channel, parent_id)
    following = _first(others.filter(taxis__gt=channel.taxis))
    if following is not None:
        return Step(channel.pk, 0, Position.BEFORE, following, parent_id)
    previous = _first(others.filter(taxis__lt=channel.taxis).reverse())
    if previous is not None:
        return Step(channel.pk, 0, Position.AFTER, previous, parent_id)
    grandparent = Channel.objects.values_list("parent_id", flat=True).filter(pk=parent_id).first()
    return Step(channel.pk, 0, Position.LAST, parent_id, grandparent or 0)


def _others(channel: Channel, parent_id: int) -> ChannelQuerySet:
    children = Channel.objects.live().filter(parent_id=parent_id)
    return children.exclude(pk=channel.pk).order_by("taxis", "id")


def _first(channels: ChannelQuerySet) -> int | None:
    return channels.values_list("pk", flat=True).first()
