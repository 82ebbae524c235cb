"""What a list of contents is asked for."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from cms_api.rest.errors import BadRequest

DEFAULT_PER_PAGE = 20
_MAX_OFFSET = 2**62
# Names of the request's flags: the column, and the bit in ListedCount.flags.
FLAGS = {
    "checked": ("is_checked", 1),
    "top": ("is_top", 2),
    "recommend": ("is_recommend", 4),
    "hot": ("is_hot", 8),
    "color": ("is_color", 16),
}


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The values of serializers.ContentListSerializer, with their defaults.

    Raises BadRequest when it asks for more than the settings allow.
    """

    site_id: int
    channel_id: int | None = None
    checked: bool | None = None
    top: bool | None = None
    recommend: bool | None = None
    color: bool | None = None
    hot: bool | None = None
    group_names: tuple[str, ...] = ()
    tag_names: tuple[str, ...] = ()
    wheres: tuple[dict[str, Any], ...] = ()
    orders: tuple[dict[str, Any], ...] = ()
    page: int = 1
    per_page: int = DEFAULT_PER_PAGE

    def __post_init__(self) -> None:
        # 0 stands for the home channel (original-behaviour A.1).
        object.__setattr__(self, "channel_id", self.channel_id or None)
        if self.per_page > settings.CMS_MAX_PER_PAGE:
            message = f"perPage is {self.per_page}; at most {settings.CMS_MAX_PER_PAGE} contents are listed at once."
            raise BadRequest("page_too_large", message, member="perPage")
        for member, items in (("wheres", self.wheres), ("orders", self.orders)):
            refuse_many(member, len(items), settings.CMS_MAX_RULES)
        for member, names in (("groupNames", self.group_names), ("tagNames", self.tag_names)):
            refuse_many(member, len(names), settings.CMS_MAX_NAMES)

    @property
    def limit(self) -> int:
        """Contents a page; 0 and less mean the default."""
        return self.per_page if self.per_page > 0 else DEFAULT_PER_PAGE

    @property
    def offset(self) -> int:
        """Contents before the page."""
        return min(max(self.page - 1, 0) * self.limit, _MAX_OFFSET)

    @property
    def flags(self) -> dict[str, bool]:
        """The flags that are asked for."""
        return {name: value for name in FLAGS if (value := getattr(self, name)) is not None}

    @property
    def list_channel_id(self) -> int:
        """The channel whose list is asked for; the home channel, which bears the site's number, is the site."""
        return self.channel_id if self.channel_id is not None else self.site_id

    @property
    def is_whole_site(self) -> bool:
        """Whether no channel narrows the list."""
        return self.list_channel_id == self.site_id


def refuse_many(member: str, given: int, most: int) -> None:
    """Raises BadRequest when a list of the body has more entries than it may have."""
    if given > most:
        message = f"{member} has {given} entries; at most {most} are allowed."
        raise BadRequest("too_many_entries", message, member=member)
