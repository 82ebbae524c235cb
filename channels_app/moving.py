"""Moves of channels as somebody saw the tree: refused where it has changed so that they would mean something else."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from django.db import transaction

from channels_app.models import Channel, ChannelQuerySet
from channels_app.services import lock_tree, move_channel, require
from cms_api.lib.errors import InvalidInput

MOST = 100  # channels in one move


class Place(StrEnum):
    """Where a channel goes, seen from another one."""

    BEFORE = "before"
    AFTER = "after"
    FIRST = "first"  # below it, before all others there
    LAST = "last"  # below it, after all others there

    @property
    def is_below(self) -> bool:
        """Whether the other channel becomes the parent, and not a sibling."""
        return self in (Place.FIRST, Place.LAST)


class Step(NamedTuple):
    """One move: the channel and the other one, each with the parent that it was seen below (0: none)."""

    channel_id: int
    seen_parent_id: int
    place: Place
    target_id: int
    target_parent_id: int


def steps_of(channels: Sequence[tuple[int, int]], place: Place, target_id: int, target_parent_id: int) -> list[Step]:
    """The steps that put several channels to one place, where they follow one another in this order."""
    steps: list[Step] = []
    for channel_id, seen_parent_id in channels:
        steps.append(Step(channel_id, seen_parent_id, place, target_id, target_parent_id))
        # The next one comes behind this one.
        target_parent_id = target_id if place.is_below else target_parent_id
        place, target_id = Place.AFTER, channel_id
    return steps


@transaction.atomic
def move_channels(site_id: int, steps: Sequence[Step]) -> list[Step]:
    """Do all steps or none; returns those that take them back.

    Raises NotFound, or InvalidInput for a place that there is not and for a tree that has changed meanwhile.
    """
    lock_tree(site_id)
    if len(steps) > MOST:
        raise InvalidInput("too_many_channels", f"At most {MOST} channels are moved at a time.")
    return [_move(site_id, step) for step in steps][::-1]


def _move(site_id: int, step: Step) -> Step:
    channel, target = require(site_id, step.channel_id), require(site_id, step.target_id)
    for found, seen in ((channel, step.seen_parent_id), (target, step.target_parent_id)):
        if (found.parent_id or 0) != seen:
            message = f"Channel {found.pk} ({found}) stands below another channel by now."
            raise InvalidInput("tree_changed", message)
    if not step.place.is_below and target.parent_id is None:
        raise InvalidInput("home_channel", "Nothing stands beside the home channel.")
    back = _way_back(channel)
    parent_id, before_id = _spot(channel, step.place, target)
    move_channel(site_id, channel.pk, parent_id, before_id)
    return back._replace(seen_parent_id=parent_id)


def _spot(channel: Channel, place: Place, target: Channel) -> tuple[int, int | None]:
    """The parent, and the child of it that the channel comes before."""
    if place is Place.LAST:
        return target.pk, None
    if place is Place.FIRST:
        return target.pk, _first(_others(channel, target.pk))
    parent_id = target.parent_id or 0
    if place is Place.BEFORE:
        return parent_id, target.pk
    return parent_id, _first(_others(channel, parent_id).filter(taxis__gt=target.taxis))


def _way_back(channel: Channel) -> Step:
    """The step from anywhere back to where the channel stands now."""
    parent_id = channel.parent_id or 0
    others = _others(channel, parent_id)
    following = _first(others.filter(taxis__gt=channel.taxis))
    if following is not None:
        return Step(channel.pk, 0, Place.BEFORE, following, parent_id)
    previous = _first(others.filter(taxis__lt=channel.taxis).reverse())
    if previous is not None:
        return Step(channel.pk, 0, Place.AFTER, previous, parent_id)
    grandparent = Channel.objects.values_list("parent_id", flat=True).filter(pk=parent_id).first()
    return Step(channel.pk, 0, Place.LAST, parent_id, grandparent or 0)


def _others(channel: Channel, parent_id: int) -> ChannelQuerySet:
    children = Channel.objects.present().filter(parent_id=parent_id)
    return children.exclude(pk=channel.pk).order_by("taxis", "id")


def _first(channels: ChannelQuerySet) -> int | None:
    return channels.values_list("pk", flat=True).first()
