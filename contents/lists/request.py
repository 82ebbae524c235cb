from dataclasses import dataclass, field

from django.conf import settings

from contents.flags import FLAGS
from core.lib.errors import InvalidInput
from core.rest.rules import Expression, OrderRule

DEFAULT_PER_PAGE = 20
MAX_RULES = 50  # of Where rules, and of Order rules
MAX_NAMES = 100  # of groups, and of tags
_MAX_OFFSET = 2**62


@dataclass(slots=True)
class ListRequest:
    """The values of contents.api.serializers.ContentListSerializer; raises InvalidInput beyond its limits."""

    site_id: int
    channel_id: int | None = None
    checked: bool | None = None
    top: bool | None = None
    recommend: bool | None = None
    color: bool | None = None
    hot: bool | None = None
    group_names: tuple[str, ...] = ()
    tag_names: tuple[str, ...] = ()
    wheres: tuple[Expression, ...] = ()
    orders: tuple[OrderRule, ...] = ()
    page: int | None = None
    per_page: int = DEFAULT_PER_PAGE
    fields: tuple[str, ...] = ()  # members; none: all
    cursor: str | None = None  # empty: the first page
    count: str = "exact"  # or none
    # ---- GET lists only
    is_by_taxis: bool = False  # the default order is by taxis over all channels
    channel_ids: tuple[int, ...] | None = None  # these channels themselves
    skip: int | None = None  # instead of a page
    query: str = ""  # of a search

    # ---- computed
    flags: dict[str, bool] = field(init=False)  # by column
    list_channel_id: int = field(init=False)  # the home channel has the site's id
    is_whole_site: bool = field(init=False)  # no channel narrows the list
    limit: int = field(init=False)  # contents per page
    offset: int = field(init=False)  # contents before the page
    has_names: bool = field(init=False)  # rules, groups, tags or channels narrow the list

    def __post_init__(self) -> None:
        if self.per_page > settings.CMS_MAX_PER_PAGE:
            message = f"perPage is {self.per_page}; at most {settings.CMS_MAX_PER_PAGE} contents are listed at once."
            raise InvalidInput("page_too_large", message, member="perPage")
        if self.cursor is not None and self.page is not None:
            message = "The request has both page and cursor; send one of them."
            raise InvalidInput("invalid_cursor", message, member="cursor")
        raise_if_too_many("orders", len(self.orders), MAX_RULES)
        for member, names in (("groupNames", self.group_names), ("tagNames", self.tag_names)):
            raise_if_too_many(member, len(names), MAX_NAMES)
        self.flags = {column: value for name, column in FLAGS.items() if (value := getattr(self, name)) is not None}
        self.channel_id = self.channel_id or None  # 0 means the home channel, as in SiteServer v6
        self.list_channel_id = self.channel_id or self.site_id
        self.is_whole_site = self.list_channel_id == self.site_id
        self.has_names = bool(self.wheres or self.group_names or self.tag_names) or self.channel_ids is not None
        self.limit = self.per_page if self.per_page > 0 else DEFAULT_PER_PAGE
        skip = max((self.page or 1) - 1, 0) * self.limit if self.skip is None else self.skip
        self.offset = min(skip, _MAX_OFFSET)


def raise_if_too_many(member: str, given: int, most: int) -> None:
    """Raise InvalidInput if a list of the body has more than `most` entries."""
    if given > most:
        message = f"{member} has {given} entries; at most {most} are allowed."
        raise InvalidInput("too_many_entries", message, member=member)
