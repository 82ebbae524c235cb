"""Moves as forms and addresses write them, and the sentence that tells what became of them.

A step is `<channel>.<its parent>:<place>.<other channel>.<its parent>`, such as `3.1:before.12.5`.
"""

from collections.abc import Sequence

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from channels_app.models import Channel
from channels_app.moving import Place, Step, steps_of
from cms_api.admin.numbers import read_number
from cms_api.lib.errors import InvalidInput


def read_steps(sent: QueryDict) -> list[Step]:
    """The steps that `moves` tells, or `channels` and `place` together. Raises InvalidInput."""
    try:
        if moves := sent.get("moves"):
            return [_read_step(each) for each in moves.split(";")]
        channels = [_read_pair(each) for each in sent.get("channels", "").split(",")]
        return steps_of(channels, *_read_place(sent.get("place", "")))
    except ValueError as error:
        raise InvalidInput("move_unreadable", "The move cannot be read.") from error


def write_steps(steps: Sequence[Step]) -> str:
    """The text of `moves`."""
    return ";".join(
        f"{step.channel_id}.{step.seen_parent_id}:{step.place}.{step.target_id}.{step.target_parent_id}"
        for step in steps
    )


def sentence(steps: Sequence[Step]) -> str:
    """`“News” now stands below “Home”: 2 of 5.`"""
    if len(steps) != 1:
        told = ngettext("%(count)d channel was moved.", "%(count)d channels were moved.", len(steps))
        return told % {"count": len(steps)}
    channel = Channel.objects.select_related("parent").get(pk=steps[0].channel_id)
    siblings = Channel.objects.present().filter(parent_id=channel.parent_id)
    return _("“%(name)s” now stands below “%(parent)s”: %(place)d of %(count)d.") % {
        "name": channel.channel_name,
        "parent": channel.parent,
        "place": siblings.filter(taxis__lte=channel.taxis).count(),
        "count": siblings.count(),
    }


def _read_step(text: str) -> Step:
    channel, place = text.split(":")
    number, parent = _read_pair(channel)
    return Step(number, parent, *_read_place(place))


def _read_pair(text: str) -> tuple[int, int]:
    channel, parent = text.split(".")
    return _number(channel), _number(parent)


def _read_place(text: str) -> tuple[Place, int, int]:
    place, target, parent = text.split(".")
    return Place(place), _number(target), _number(parent)


def _number(text: str) -> int:
    number = read_number(text)
    if number is None:
        raise ValueError(text)
    return number
