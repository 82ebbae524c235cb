"""What a list of contents is asked for."""

from dataclasses import dataclass

from django.conf import settings

from cms_api.lib.errors import InvalidInput
from cms_api.rest.rules import Expression, OrderRule
from contents.flags import FLAGS

DEFAULT_PER_PAGE = 20
_MAX_OFFSET = 2**62


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The values of contents.api.serializers.ContentListSerializer, with their defaults.

    Raises InvalidInput when it asks for more than the settings allow.
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
    wheres: tuple[Expression, ...] = ()
    orders: tuple[OrderRule, ...] = ()
    page: int | None = None
    per_page: int = DEFAULT_PER_PAGE
    fields: tuple[str, ...] = ()  # names of members; none: all
    cursor: str | None = None  # empty: the first page
    count: str = "exact"  # or none
    # ---- of GET lists
    is_by_taxis: bool = False  # whether the default order is that of the taxis of all channels together
    channel_ids: tuple[int, ...] | None = None  # contents of these channels themselves
    skip: int | None = None  # in place of a page

    def __post_init__(self) -> None:
        # 0 stands for the home channel (original-behaviour A.1).
        object.__setattr__(self, "channel_id", self.channel_id or None)
        if self.per_page > settings.CMS_MAX_PER_PAGE:
            message = f"perPage is {self.per_page}; at most {settings.CMS_MAX_PER_PAGE} contents are listed at once."
            raise InvalidInput("page_too_large", message, member="perPage")
        if self.cursor is not None and self.page is not None:
            raise InvalidInput(
                "invalid_cursor", "The list has a page beside its cursor; send one of them.", member="cursor"
            )
        refuse_many("orders", len(self.orders), settings.CMS_MAX_RULES)
        for member, names in (("groupNames", self.group_names), ("tagNames", self.tag_names)):
            refuse_many(member, len(names), settings.CMS_MAX_NAMES)

    @property
    def limit(self) -> int:
        """Contents a page; 0 and less mean the default."""
        return self.per_page if self.per_page > 0 else DEFAULT_PER_PAGE

    @property
    def offset(self) -> int:
        """Contents before the page."""
        skip = max((self.page or 1) - 1, 0) * self.limit if self.skip is None else self.skip
        return min(skip, _MAX_OFFSET)

    @property
    def flags(self) -> dict[str, bool]:
        """The flags that are asked for, by their columns."""
        return {column: value for name, column in FLAGS.items() if (value := getattr(self, name)) is not None}

    @property
    def list_channel_id(self) -> int:
        """The channel whose list is asked for; the home channel, which bears the site's number, is the site."""
        return self.channel_id if self.channel_id is not None else self.site_id

    @property
    def is_whole_site(self) -> bool:
        """Whether no channel narrows the list."""
        return self.list_channel_id == self.site_id


def refuse_many(member: str, given: int, most: int) -> None:
    """Raises InvalidInput when a list of the body has more entries than it may have."""
    if given > most:
        message = f"{member} has {given} entries; at most {most} are allowed."
        raise InvalidInput("too_many_entries", message, member=member)
