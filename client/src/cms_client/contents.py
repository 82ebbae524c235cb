"""Contents: list, iterate, read, create, update, delete, approve, one by one or in batches."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict, Unpack

from cms_client import operations
from cms_client.answers import batch_of, content_page_of, found_page_of, record_of, records_of, value_of
from cms_client.binding import D, Resource, operation, walk
from cms_client.exchange import Known
from cms_client.operations import Operation
from cms_client.records import Content, FoundPage, Page, Suggestions
from cms_client.rules import Orders, Rules, orders_of, wheres_of
from cms_client.walking import Plan, Progress, Walk, contents_plan
from cms_client.wire import Members, check_names, without_absent

Place = tuple[int, int]  # channel id, content id


class ContentFilters(TypedDict, total=False):
    """Filters, order and members of a list of contents. All given filters must match; None means not given.

    checked: True for approved contents only, False for unapproved contents only
    top, recommend, hot, color: the same for pinned, recommended, hot or highlighted contents
    group_names: names of groups; a content must be in at least one
    tag_names: names of tags; a content must have at least one
    wheres: rules from `where`, combined with `|`, `&` and `~`, or plain dicts
    orders: one or more rules such as `order("addDate", desc=True)`, or plain dicts
    fields: names of the members to return for each content
    """

    checked: bool | None
    top: bool | None
    recommend: bool | None
    color: bool | None
    hot: bool | None
    group_names: Iterable[str] | None
    tag_names: Iterable[str] | None
    wheres: Rules | None
    orders: Orders | None
    fields: Iterable[str] | None


class SearchFilters(TypedDict, total=False):
    """Place, page and filters of a search, named as in the interface. All given filters must match.

    channelId: in this channel or below it
    channelIds, channelGroup: in these channels themselves, in channels of this group
    contentGroup, tag: in this group, with this tag
    isChecked: False for unapproved contents
    isTop, isRecommend, isHot, isColor: with or without these flags
    addDateFrom, addDateTo, lastEditDateFrom, lastEditDateTo: in this period, such as 2026-11-20
    fields: names of the members to return for each content
    facets: what to count the matches by: channel, tag, group, year
    top, skip: number of contents on the page, and before it
    cursor: empty for the first page, then `next_cursor` of the page before
    """

    channelId: int
    channelIds: Iterable[int]
    channelGroup: str
    contentGroup: str
    tag: str
    isChecked: bool
    isTop: bool
    isRecommend: bool
    isHot: bool
    isColor: bool
    addDateFrom: str
    addDateTo: str
    lastEditDateFrom: str
    lastEditDateTo: str
    fields: Iterable[str]
    facets: Iterable[str]
    top: int
    skip: int
    cursor: str


class Contents(Resource[D]):
    """Operations of `client.contents`."""

    @operation
    def list(
        self,
        site_id: int,
        channel_id: int | None = None,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        count: Literal["exact", "none"] | None = None,
        if_none_match: str | None = None,
        **filters: Unpack[ContentFilters],
    ) -> Operation[Page[Content]]:
        """Return a page of the contents of a site, or of a channel and its descendants; see `ContentFilters`."""
        asked = _request(site_id, channel_id, filters)
        asked |= without_absent({"page": page, "perPage": per_page, "cursor": cursor, "count": count})
        return _ask(asked).with_headers(If_None_Match=if_none_match)

    @walk
    def iterate(
        self,
        site_id: int,
        channel_id: int | None = None,
        *,
        per_page: int = 100,
        progress: Progress | None = None,
        **filters: Unpack[ContentFilters],
    ) -> Walk[Content]:
        """Iterate over contents, requesting pages on demand; calls `progress(done, total)` after each content.

        Uses cursors if the server supports them, otherwise numbered pages, sorted by `orders` and then by id. Without
        `orders`, numbered pages are sorted by id.
        """
        asked = _request(site_id, channel_id, filters)
        # Counting is expensive, and only `progress` uses the total.
        asked |= {"perPage": per_page} | ({} if progress else {"count": "none"})

        def plan(known: Known) -> Plan[Content]:
            return contents_plan(asked, _ask, known)

        return Walk(plan, progress, per_page)

    @operation
    def get(
        self,
        site_id: int,
        channel_id: int,
        content_id: int,
        *,
        fields: Iterable[str] | None = None,
        if_none_match: str | None = None,
    ) -> Operation[Content]:
        """One content. Raises NotModified if its ETag still matches `if_none_match`."""
        names = None if fields is None else [*fields]
        place = ("contents", site_id, channel_id, content_id)
        return operations.get(*place, read=record_of, if_none_match=if_none_match, query={"fields": names})

    @operation
    def search(self, site_id: int, q: str, **filters: Unpack[SearchFilters]) -> Operation[FoundPage]:
        """Find contents of a site by the words of their texts, best first, and return a page; see `SearchFilters`."""
        check_names(filters, SearchFilters)
        return operations.get("search", read=found_page_of, query={"q": q, "siteId": site_id, **filters})

    @operation
    def suggest(self, site_id: int, q: str) -> Operation[Suggestions]:
        """Return approved contents with the words in their titles, to show while a visitor types."""
        return operations.get("search", "suggestions", read=value_of, query={"q": q, "siteId": site_id})

    @operation
    def create(
        self, site_id: int, channel_id: int, members: Members, *, idempotency_key: str | None = None
    ) -> Operation[Content]:
        """Create a content and return it. Repeating the key and members within 24 hours returns the same content."""
        return operations.post("contents", site_id, channel_id, read=record_of, body=members, key=idempotency_key)

    @operation
    def update(
        self, site_id: int, channel_id: int, content_id: int, members: Members, *, if_match: str | None = None
    ) -> Operation[Content]:
        """Update these members and return the content. Raises PreconditionFailed if `if_match` is outdated."""
        place = ("contents", site_id, channel_id, content_id)
        return operations.put(*place, read=record_of, body=members, if_match=if_match)

    @operation
    def delete(
        self, site_id: int, channel_id: int, content_id: int, *, if_match: str | None = None
    ) -> Operation[Content]:
        """Delete a content and return its last state."""
        return operations.delete("contents", site_id, channel_id, content_id, read=record_of, if_match=if_match)

    @operation
    def check(
        self, site_id: int, contents: Iterable[Place], *, reasons: str = "", idempotency_key: str | None = None
    ) -> Operation[Any]:
        """Approve the contents with these pairs of channel id and content id, and return them without unknown ones."""
        places = [{"channelId": channel_id, "id": content_id} for channel_id, content_id in contents]
        body = {"siteId": site_id, "contents": places, "reasons": reasons}
        return operations.post("contents", "check", read=records_of, body=body, key=idempotency_key)

    @operation
    def create_many(
        self,
        site_id: int,
        channel_id: int,
        contents: Iterable[Members],
        *,
        atomic: bool = True,
        fields: Iterable[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[Any]:
        """Create up to 500 contents, the last one on top, and return them, with only the members in `fields` if given.

        All contents or none, and the first error is raised; with `atomic=False` each by itself, and the result has an
        exception such as BadRequest in place of each content that the server refuses.
        """
        body = {"contents": [*contents], **_options(atomic, fields)}
        return operations.post(*_batch(site_id, channel_id), read=batch_of, body=body, key=idempotency_key)

    @operation
    def update_many(
        self,
        site_id: int,
        channel_id: int,
        changes: Iterable[Members],
        *,
        atomic: bool = True,
        fields: Iterable[str] | None = None,
    ) -> Operation[Any]:
        """Update up to 500 contents, each by its `id` and the members to change, and return them; see `create_many`."""
        body = {"contents": [*changes], **_options(atomic, fields)}
        return operations.put(*_batch(site_id, channel_id), read=batch_of, body=body, if_match=None)

    @operation
    def check_many(
        self,
        site_id: int,
        channel_id: int,
        ids: Iterable[int],
        *,
        reasons: str = "",
        atomic: bool = True,
        fields: Iterable[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[Any]:
        """Approve up to 500 contents of a channel and return them; see `create_many`."""
        body = {"ids": [*ids], "reasons": reasons, **_options(atomic, fields)}
        return operations.post(*_batch(site_id, channel_id, "check"), read=batch_of, body=body, key=idempotency_key)

    @operation
    def move_many(
        self,
        site_id: int,
        channel_id: int,
        ids: Iterable[int],
        target_channel_id: int,
        *,
        atomic: bool = True,
        fields: Iterable[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[Any]:
        """Move up to 500 contents to another channel, the last one on top, and return them; see `create_many`."""
        body = {"ids": [*ids], "targetChannelId": target_channel_id, **_options(atomic, fields)}
        return operations.post(*_batch(site_id, channel_id, "move"), read=batch_of, body=body, key=idempotency_key)

    @operation
    def delete_many(
        self,
        site_id: int,
        channel_id: int,
        ids: Iterable[int],
        *,
        atomic: bool = True,
        fields: Iterable[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[Any]:
        """Delete up to 500 contents of a channel and return their last state; see `create_many`."""
        body = {"ids": [*ids], **_options(atomic, fields)}
        return operations.post(*_batch(site_id, channel_id, "delete"), read=batch_of, body=body, key=idempotency_key)


def _batch(site_id: int, channel_id: int, *action: str) -> tuple[str | int, ...]:
    return ("contents", site_id, channel_id, "batch", *action)


def _options(atomic: bool, fields: Iterable[str] | None) -> dict[str, Any]:
    return {"atomic": atomic} | ({} if fields is None else {"fields": [*fields]})


def _request(site_id: int, channel_id: int | None, filters: ContentFilters) -> dict[str, Any]:
    check_names(filters, ContentFilters)
    request: dict[str, Any] = {"siteId": site_id, "channelId": channel_id, **filters}
    for name, wire in (("group_names", "groupNames"), ("tag_names", "tagNames"), ("fields", "fields")):
        several = request.pop(name, None)
        request[wire] = None if several is None else [*several]
    request |= {"wheres": wheres_of(filters.get("wheres")), "orders": orders_of(filters.get("orders"))}
    return without_absent(request)


def _ask(request: Mapping[str, Any]) -> Operation[Page[Content]]:
    return operations.ask("contents", read=content_page_of, body=request)
