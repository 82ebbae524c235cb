"""The target of a channel's address, by its link type, as in SiteServer."""

from collections.abc import Collection
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Protocol

from channels_app.models import LinkType

Record = dict[str, Any]

NO_LINK = "javascript:;"  # the address of a channel without a target, as in SiteServer


@dataclass(frozen=True, slots=True)
class FirstContent:
    address: str
    is_only: bool


class Contents(Protocol):
    """Facts about contents, provided by the app of contents, since channels import nothing from above."""

    def first_contents(self, site_id: int, orders: dict[int, str]) -> dict[int, FirstContent]:
        """Return the first approved content of each channel that has any; orders are `defaultTaxisType`s."""

    def public_addresses(self, site_id: int, ids: Collection[int]) -> dict[int, str]:
        """Return the current addresses of those contents of the site that visitors can see."""

    def count_own(self, site_id: int, channel_ids: list[int]) -> tuple[int | None, dict[int, tuple[int, int]]]:
        """Return the TreeVersion's number, and each channel's own contents (all, approved); may omit empty channels."""

    def count_listed(self, channel_ids: list[int]) -> dict[int, int]:
        """Return the number of contents of each channel and of those below it; may omit channels without any."""

    def count_own_with_image(self, channel_id: int) -> int:
        """Return the number of approved contents of the channel itself that have an image."""


def _first_channel(channel: Record) -> Record | None:
    return channel["children"][0] if channel["children"] else None


def _last_added_channel(channel: Record) -> Record | None:
    return max(channel["children"], key=itemgetter("addDate", "id"), default=None)


# Link types whose address depends on contents, and the child that other types link to.
LEADS_TO_CONTENT = frozenset(kind for kind in LinkType.values if "Content" in kind)
LEADS_TO_CHILD = {
    kind: _first_channel if "FirstChannel" in kind else _last_added_channel
    for kind in LinkType.values
    if "LinkTo" in kind and "Channel" in kind.split("LinkTo")[1]
}


def decide(channel: Record, own: str, first: FirstContent | None) -> str:
    """Return the address by own page and first approved content; the children must have their addresses already."""
    kind = channel["linkType"]
    otherwise = NO_LINK if kind.startswith("NoLink") else own
    if kind in LEADS_TO_CHILD:
        child = LEADS_TO_CHILD[kind](channel)
        return str(child["navigationUrl"]) if child is not None else otherwise
    if kind == LinkType.NO_LINK_IF_CHANNEL_NOT_EXISTS:
        return own if channel["children"] else NO_LINK
    if kind not in LEADS_TO_CONTENT or first is None:
        return otherwise
    leads = kind.endswith("LinkToFirstContent") or (kind.endswith("LinkToOnlyOneContent") and first.is_only)
    return first.address if leads else own
