"""The endpoints of contents."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import connection, transaction
from rest_framework.request import Request
from rest_framework.response import Response

from cms_api.lib.errors import InvalidInput, NotFound
from cms_api.rest.conditional import compare, keep, use
from cms_api.rest.envelope import Body
from cms_api.rest.pagination import page_members
from cms_api.rest.serializers import WireSerializer
from cms_api.rest.views import ApiView, Grant
from contents.api.cleaning import cleaned
from contents.api.query import names_of, read_query, window_of
from contents.api.serializers import CheckSerializer, ContentListSerializer
from contents.lists.one import read_content, read_contents, read_fields, record_of, require_channel
from contents.lists.page import read_page
from contents.lists.request import ListRequest, refuse_many
from contents.models import Content
from contents.rules.writer import Rules
from contents.services import single
from contents.wire.records import Record, tag_of_record
from contents.wire.serializers import ContentSerializer
from sites.models import Site


class ContentListView(ApiView):
    """`POST /contents`: the contents of a site or channel that match filters and rules."""

    required_scope = "Contents"
    read_methods = frozenset({"POST"})

    def post(self, request: Request) -> Response:
        """`totalCount` and `contents`, at top level as in the original."""
        _require_site(self.grant, ContentListSerializer, self.body)
        members = ContentListSerializer.read(self.body, require=["site_id"])
        if members.unknown:
            ContentListSerializer.refuse_typos(members.unknown)
        asked = ListRequest(**members.values)
        page = read_page(asked) or _refuse_missing(asked)
        compare(request, "contents", *page.parts)
        further = {} if asked.cursor is None else {"nextCursor": page.next_cursor}
        return Response(Body(totalCount=page.total, contents=page.contents.records, **further))


class ContentsOfSiteView(ApiView):
    """`GET /contents/{siteId}`: approved contents of a site, as the older original had them."""

    required_scope = "Contents"

    def get(self, request: Request, site_id: int) -> Response:
        return _answer_query(request, site_id)


class ContentsOfChannelView(ApiView):
    """`/contents/{siteId}/{channelId}`: approved contents of a channel, and a new one."""

    required_scope = "Contents"

    def get(self, request: Request, site_id: int, channel_id: int) -> Response:
        return _answer_query(request, site_id, channel_id)

    def post(self, request: Request, site_id: int, channel_id: int) -> Response:
        """The whole record of the new content."""
        try:
            members = cleaned(ContentSerializer.read(self.body))
            return Response(record_of(single.create_content(site_id, channel_id, members, self.grant.user_name)))
        except InvalidInput:
            require_channel(site_id, channel_id)  # a path to nothing is 404, whatever the body
            raise

    def require_place(self, site_id: int, channel_id: int) -> None:
        require_channel(site_id, channel_id)


class ContentView(ApiView):
    """`/contents/{siteId}/{channelId}/{id}`: one content."""

    required_scope = "Contents"

    def get(self, request: Request, **place: int) -> Response:
        """The content; with `fields` the members that are named."""
        if request.META.get("QUERY_STRING") and (names := names_of(request, "fields")):
            rows = read_fields(**place, names=names)
            compare(request, "content", *rows.parts)
            return Response(rows.records[0])
        record = read_content(**place)
        use(request, tag_of_record(record))
        return Response(record)

    def put(self, request: Request, **place: int) -> Response:
        try:
            members = ContentSerializer.read(self.body)
            if "content" in members.values:
                members = cleaned(members, lambda: read_content(**place)["content"])
        except InvalidInput:
            read_content(**place)  # a path to nothing is 404, whatever the body
            raise
        changed = single.update_content(
            **place, members=members, user_name=self.grant.user_name, precondition=self.if_match(_represent)
        )
        tag, record = _represent(changed)
        keep(request, tag)
        return Response(record)

    def delete(self, request: Request, **place: int) -> Response:
        """The content as it was before it went to the trash."""
        return Response(record_of(single.trash_content(**place, precondition=self.if_match(_represent))))


class CheckView(ApiView):
    """`POST /contents/check` and `/contents/actions/check`: approve contents."""

    required_scope = "Contents"

    def post(self, request: Request) -> Response:
        """The approved records in `contents`, at top level as in the original."""
        self.check_body()
        asked: dict[str, Any] = CheckSerializer.read(self.body, require=["site_id", "contents"]).values
        refuse_many("contents", len(asked["contents"]), settings.CMS_MAX_PER_PAGE)
        if not Site.objects.filter(pk=asked["site_id"]).exists():
            raise InvalidInput("site_not_found", f"Site {asked['site_id']} was not found.")
        places = [(item["channel_id"], item["id"]) for item in asked["contents"]]
        with transaction.atomic():
            approved = single.check_contents(asked["site_id"], places, asked.get("reasons", ""), self.grant.user_name)
            records = read_contents(asked["site_id"], [(content.channel_id, content.pk) for content in approved])
        return Response(Body(contents=records))

    def check_body(self) -> None:
        """Raises NotPermitted for a site that the key does not reach."""
        _require_site(self.grant, CheckSerializer, self.body)


def _represent(content: Content) -> tuple[str, Record]:
    record = record_of(content)
    return tag_of_record(record), record


def _answer_query(request: Request, site_id: int, channel_id: int | None = None) -> Response:
    try:
        window, rules = window_of(request), Rules(connection, site_id)
        page = read_page(read_query(request, window, rules, site_id, channel_id), rules)
    except InvalidInput:
        require_channel(site_id, channel_id or site_id)  # a path to nothing is 404, whatever the query
        raise
    if page is None:
        require_channel(site_id, channel_id or site_id)
        raise NotFound("channel_not_found", f"Channel {channel_id} was not found in site {site_id}.")
    members = page_members(request, window, page.total or 0)
    compare(request, "contents in pages", members, *page.parts)
    return Response(Body(value=page.contents.records, **members))


def _require_site(grant: Grant, serializer: type[WireSerializer], body: dict[str, Any]) -> None:
    """401 comes before whatever else is wrong with a body (design §4.3)."""
    site_id = serializer.read_member(body, "site_id")
    if site_id is not None:
        grant.require_site(site_id)


def _refuse_missing(asked: ListRequest) -> NoReturn:
    if not Site.objects.filter(pk=asked.site_id).exists():
        raise InvalidInput("site_not_found", f"Site {asked.site_id} was not found.", member="siteId")
    message = f"Channel {asked.channel_id} was not found in site {asked.site_id}."
    raise InvalidInput("channel_not_found", message, member="channelId")
