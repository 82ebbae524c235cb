from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from cms_api.lib.errors import InvalidInput, NotFound
from cms_api.rest.conditional import compare, keep, tag_of, use
from cms_api.rest.fields import invalid
from cms_api.rest.json import Body
from cms_api.rest.pagination import page_members
from cms_api.rest.serializers import Members, WireSerializer
from cms_api.rest.views import ApiView, Grant
from contents.api.cleaning import clean_members
from contents.api.query import names_of, read_query, window_of
from contents.api.schedules import PlanReader
from contents.api.serializers import CheckSerializer, ContentChangesSerializer, ContentListSerializer
from contents.lists.fragments import fragment_of, json_of
from contents.lists.one import read_content, read_present, read_record, record_of, require_channel
from contents.lists.page import read_page, select
from contents.lists.request import ListRequest, raise_if_too_many
from contents.models import Content
from contents.rules.writer import Rules
from contents.services import drafts, single
from contents.services.schedules import Plan, store_plans
from contents.wire.serializers import ContentSerializer
from sites.models import Site

_DRAFT = "draft"  # value of the parameter `version`


class ContentListView(ApiView):
    """`POST /contents`"""

    required_scope = "Contents"
    read_methods = frozenset({"POST"})

    def post(self, request: Request) -> Response:
        _require_site(self.grant, ContentListSerializer, self.body)
        members = ContentListSerializer.read(self.body, require=["site_id"])
        if members.unknown:
            ContentListSerializer.raise_if_typos(members.unknown)
        asked = ListRequest(**members.values)
        if (page := read_page(asked)) is None:
            if not Site.objects.filter(pk=asked.site_id).exists():
                raise InvalidInput("site_not_found", f"Site {asked.site_id} was not found.", member="siteId")
            message = f"Channel {asked.channel_id} was not found in site {asked.site_id}."
            raise InvalidInput("channel_not_found", message, member="channelId")
        compare(request, "contents", *page.parts)
        further = {} if asked.cursor is None else {"nextCursor": page.next_cursor}
        return Response(Body(totalCount=page.total, contents=json_of(page.fragments), **further))


class ContentsOfSiteView(ApiView):
    """`GET /contents/{siteId}`"""

    required_scope = "Contents"

    def get(self, request: Request, site_id: int) -> Response:
        return _answer_query(request, site_id)


class ContentsOfChannelView(ApiView):
    """`/contents/{siteId}/{channelId}`"""

    required_scope = "Contents"

    def get(self, request: Request, site_id: int, channel_id: int) -> Response:
        return _answer_query(request, site_id, channel_id)

    def post(self, request: Request, site_id: int, channel_id: int) -> Response:
        try:
            members = clean_members(ContentSerializer.read(self.body))
            if not (plan := PlanReader(site_id).read(self.body, members)):
                return Response(record_of(single.create_content(site_id, channel_id, members, self.grant.user_name)))
            with transaction.atomic():
                content = single.create_content(site_id, channel_id, members, self.grant.user_name)
                store_plans([(content, plan)])
            return Response(record_of(content))
        except InvalidInput:
            require_channel(site_id, channel_id)  # a missing place is 404, whatever the body
            raise

    def require_place(self, site_id: int, channel_id: int) -> None:
        require_channel(site_id, channel_id)


class ContentView(ApiView):
    """`/contents/{siteId}/{channelId}/{id}`"""

    required_scope = "Contents"

    def is_read(self, request: Request) -> bool:
        """Drafts are open to keys that may change them."""
        return super().is_read(request) and _wanted_version(request) != _DRAFT

    def get(self, request: Request, **place: int) -> Response:
        names = names_of(request, "fields") if request.META.get("QUERY_STRING") else ()
        if _means_draft(request):
            tag, shown = _represent_draft(drafts.read_draft(**place), names)
            use(request, tag)
            return Response(shown)
        content = read_content(**place, names=names)
        compare(request, content.digest)
        return Response(content.json)

    def put(self, request: Request, **place: int) -> Response:
        try:
            members = ContentChangesSerializer.read(self.body)
            is_draft = members.values.pop("is_draft", False) or _means_draft(request)
            plan = PlanReader(place["site_id"]).read(self.body, members)
            if "content" in members.values:
                members = clean_members(members, None if is_draft else lambda: read_record(**place)["content"])
        except InvalidInput:
            read_record(**place)  # a missing place is 404, whatever the body
            raise
        if is_draft:
            return self._put_draft(request, members, plan, **place)
        with transaction.atomic() if plan else nullcontext():
            changed = single.update_content(
                **place, members=members, user_name=self.grant.user_name, precondition=self.if_match(_represent)
            )
            if plan:
                store_plans([(changed, plan)])
        tag, shown = _represent(changed)
        keep(request, tag)
        return Response(shown)

    @transaction.atomic
    def _put_draft(
        self, request: Request, members: Members, plan: Plan, site_id: int, channel_id: int, content_id: int
    ) -> Response:
        """Change the draft; with isChecked, also publish it, and with publishAt, at that time."""
        is_published = members.values.pop("is_checked", False)
        user_name, precondition = self.grant.user_name, self.if_match(_represent_draft)
        changed = drafts.save_draft(site_id, channel_id, content_id, members, user_name, precondition)
        if plan:
            store_plans([(changed, plan)])
        if is_published:
            changed = drafts.publish_draft(site_id, content_id, user_name)
        tag, shown = _represent(changed) if is_published else _represent_draft(changed)
        keep(request, tag)
        return Response(shown)

    def delete(self, request: Request, **place: int) -> Response:
        if _means_draft(request):
            discarded = drafts.discard_draft(**place, precondition=self.if_match(_represent_draft))
            return Response(_represent_draft(discarded)[1])
        return Response(record_of(single.trash_content(**place, precondition=self.if_match(_represent))))


class CheckView(ApiView):
    """`POST /contents/check` and `/contents/actions/check`"""

    required_scope = "Contents"

    def post(self, request: Request) -> Response:
        self.check_body()
        asked: dict[str, Any] = CheckSerializer.read(self.body, require=["site_id", "contents"]).values
        raise_if_too_many("contents", len(asked["contents"]), settings.CMS_MAX_PER_PAGE)
        if not Site.objects.filter(pk=asked["site_id"]).exists():
            raise InvalidInput("site_not_found", f"Site {asked['site_id']} was not found.")
        places = [(item["channel_id"], item["id"]) for item in asked["contents"]]
        with transaction.atomic():
            approved = single.check_contents(asked["site_id"], places, asked.get("reasons", ""), self.grant.user_name)
            found = read_present(asked["site_id"], [content.pk for content in approved])
        return Response(Body(contents=[found[content.pk].json for content in approved if content.pk in found]))

    def check_body(self) -> None:
        _require_site(self.grant, CheckSerializer, self.body)


def _represent(content: Content) -> tuple[str, orjson.Fragment]:
    fragment = fragment_of(record_of(content))
    return tag_of(fragment.digest), fragment.json


def _represent_draft(shown: Content, names: Sequence[str] = ()) -> tuple[str, orjson.Fragment]:
    """Tag and JSON of a content with the values of its draft, or of the public one if it has none."""
    if not shown.draft_version:
        return _represent(shown)
    record = record_of(shown) | {"isDraft": True}
    if names:
        wanted = select(Rules(shown.site_id), names).names or frozenset()
        record = {name: value for name, value in record.items() if name in wanted}
    fragment = fragment_of(record)
    # The public version, too: what has changed publicly since the draft was read may conflict with it.
    return tag_of(fragment.digest, shown.version, shown.draft_version), fragment.json


def _wanted_version(request: Request) -> str:
    return ",".join(names_of(request, "version")).casefold() if request.META.get("QUERY_STRING") else ""


def _means_draft(request: Request) -> bool:
    """Return whether the query names the draft. Raises InvalidInput for anything but `draft` and `public`."""
    version = _wanted_version(request)
    if version not in {"", _DRAFT, "public"}:
        raise invalid("version", "draft or public")
    return version == _DRAFT


def _answer_query(request: Request, site_id: int, channel_id: int | None = None) -> Response:
    try:
        window, rules = window_of(request), Rules(site_id)
        page = read_page(read_query(request, window, rules, site_id, channel_id), rules)
    except InvalidInput:
        require_channel(site_id, channel_id or site_id)  # a missing place is 404, whatever the query
        raise
    if page is None:
        require_channel(site_id, channel_id or site_id)
        raise NotFound("channel_not_found", f"Channel {channel_id} was not found in site {site_id}.")
    members = page_members(request, window, page.total or 0)
    compare(request, "contents in pages", members, *page.parts)
    return Response(Body(value=json_of(page.fragments), **members))


def _require_site(grant: Grant, serializer: type[WireSerializer], body: dict[str, Any]) -> None:
    """Check access to the site before the rest of the body: 401 takes precedence over 400."""
    site_id = serializer.read_member(body, "site_id")
    if site_id is not None:
        grant.require_site(site_id)
