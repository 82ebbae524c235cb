"""What a channel's address leads to, by its link type (original-behaviour §5.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Protocol

from channels_app.models import LinkType

Record = dict[str, Any]

NO_LINK = "javascript:;"  # the address of what leads nowhere, as the original answers it


@dataclass(frozen=True, slots=True)
class FirstContent:
    """The approved content of a channel that comes first in the channel's order."""

    address: str
    is_only: bool


class Contents(Protocol):
    """What channels ask about contents; the app of contents provides it, since channels import nothing from above."""

    def first_contents(self, site_id: int, orders: dict[int, str]) -> dict[int, FirstContent]:
        """The first approved content of each channel of the site that has any; orders are `defaultTaxisType`s."""

    def count_own(self, channel_ids: list[int]) -> dict[int, tuple[int, int]]:
        """How many contents each channel itself has, all and approved; channels without any may be left out."""

    def count_listed(self, channel_ids: list[int]) -> dict[int, int]:
        """How many contents each channel has together with those below it; channels without any may be left out."""

    def count_own_with_image(self, channel_id: int) -> int:
        """How many approved contents of the channel itself have an image."""


_Decide = Callable[[Record, str, FirstContent | None], str]


def _first_content(only: bool, otherwise_nothing: bool) -> _Decide:
    def decide(channel: Record, own: str, first: FirstContent | None) -> str:
        if first is None:
            return NO_LINK if otherwise_nothing else own
        return first.address if first.is_only or not only else own

    return decide


def _child(find: Callable[[Record], Record | None], otherwise_nothing: bool) -> _Decide:
    def decide(channel: Record, own: str, first: FirstContent | None) -> str:
        child = find(channel)
        if child is None:
            return NO_LINK if otherwise_nothing else own
        return str(child["navigationUrl"])

    return decide


def _first_channel(channel: Record) -> Record | None:
    return channel["children"][0] if channel["children"] else None


def _last_added_channel(channel: Record) -> Record | None:
    return max(channel["children"], key=itemgetter("addDate", "id"), default=None)


_DECIDE: dict[str, _Decide] = {
    LinkType.NONE: lambda channel, own, first: own,
    LinkType.NO_LINK: lambda channel, own, first: NO_LINK,
    LinkType.NO_LINK_IF_CHANNEL_NOT_EXISTS: lambda channel, own, first: own if channel["children"] else NO_LINK,
    LinkType.NO_LINK_IF_CONTENT_NOT_EXISTS: lambda channel, own, first: own if first else NO_LINK,
    LinkType.LINK_TO_ONLY_ONE_CONTENT: _first_content(only=True, otherwise_nothing=False),
    LinkType.NO_LINK_IF_CONTENT_NOT_EXISTS_AND_LINK_TO_ONLY_ONE_CONTENT: _first_content(
        only=True, otherwise_nothing=True
    ),
    LinkType.LINK_TO_FIRST_CONTENT: _first_content(only=False, otherwise_nothing=False),
    LinkType.NO_LINK_IF_CONTENT_NOT_EXISTS_AND_LINK_TO_FIRST_CONTENT: _first_content(
        only=False, otherwise_nothing=True
    ),
    LinkType.LINK_TO_FIRST_CHANNEL: _child(_first_channel, otherwise_nothing=False),
    LinkType.NO_LINK_IF_CHANNEL_NOT_EXISTS_AND_LINK_TO_FIRST_CHANNEL: _child(_first_channel, otherwise_nothing=True),
    LinkType.LINK_TO_LAST_ADD_CHANNEL: _child(_last_added_channel, otherwise_nothing=False),
    LinkType.NO_LINK_IF_CHANNEL_NOT_EXISTS_AND_LINK_TO_LAST_ADD_CHANNEL: _child(
        _last_added_channel, otherwise_nothing=True
    ),
}
# Types whose address depends on contents, and the child that others lead to.
LEADS_TO_CONTENT = frozenset(kind for kind in LinkType.values if "Content" in kind)
LEADS_TO_CHILD = {
    kind: _first_channel if "FirstChannel" in kind else _last_added_channel
    for kind in LinkType.values
    if "LinkTo" in kind and "Channel" in kind.split("LinkTo")[1]
}


def decide(channel: Record, own: str, first: FirstContent | None) -> str:
    """The channel's address, given that of its own page and its first approved content.

    The addresses of its children must be known already.
    """
    return _DECIDE[channel["linkType"]](channel, own, first)
