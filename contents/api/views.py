from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from channels_app.models import channel_not_found
from contents.api.cleaning import clean_members
from contents.api.former_ids import FormerIdsView
from contents.api.including import read_include, read_included
from contents.api.query import names_of, read_query, window_of
from contents.api.schedules import TIME_NAMES, PlanReader
from contents.api.serializers import CheckSerializer, ContentChangesSerializer, ContentListSerializer
from contents.lists.detail import read_content, read_present, read_record, require_channel
from contents.lists.fragments import fragment_of, json_of
from contents.lists.page import read_page, select
from contents.lists.request import ListRequest, raise_if_too_many
from contents.models import Content
from contents.navigation.page_urls import record_of
from contents.rules.sql import Rules
from contents.services import drafts, single
from contents.services.schedules import Plan, store_plans
from contents.wire.records import Record
from contents.wire.serializers import ContentSerializer
from core.lib.errors import InvalidInput, NotFound
from core.rest.conditional import compare, keep, tag_of, use
from core.rest.fields import invalid
from core.rest.json import Body
from core.rest.pagination import page_members
from core.rest.serializers import Members, WireSerializer
from core.rest.views import ApiView, Grant
from sites.models import require_site

_DRAFT = "draft"  # value of the parameter `version`
_NO_PLAN: Plan = {}


class ContentListView(ApiView):
    """`POST /contents`"""

    required_scope = "Contents"
    read_methods = frozenset({"POST"})

    def post(self, request: Request) -> Response:
        _require_site(self.grant, ContentListSerializer, self.body)
        members = ContentListSerializer.read(self.body, require=["site_id"])
        if members.unknown:
            ContentListSerializer.raise_if_typos(members.unknown)
        include = members.values.pop("include", ())
        wanted = read_include(include, self.grant) if include else ()
        asked = ListRequest(**members.values)
        if (page := read_page(asked)) is None:
            require_site(asked.site_id, "siteId")
            raise channel_not_found(asked.site_id, asked.list_channel_id, "channelId")
        included = read_included(wanted, asked.site_id, page.ids) if wanted else b""
        compare(request, "contents", *page.parts, included)
        further: dict[str, Any] = {} if asked.cursor is None else {"nextCursor": page.next_cursor}
        if included:
            further["included"] = orjson.Fragment(included)
        return Response(Body(totalCount=page.total, contents=json_of(page.fragments), **further))


class ContentsOfSiteView(ApiView):
    """`GET /contents/{siteId}`"""

    required_scope = "Contents"

    def get(self, request: Request, site_id: int) -> Response:
        return _answer_query(request, self.grant, site_id)


class ContentsOfChannelView(ApiView):
    """`/contents/{siteId}/{channelId}`"""

    required_scope = "Contents"

    def get(self, request: Request, site_id: int, channel_id: int) -> Response:
        return _answer_query(request, self.grant, site_id, channel_id)

    def post(self, request: Request, site_id: int, channel_id: int) -> Response:
        try:
            members = ContentSerializer.read(self.body)
            if "content" in members.values:
                members = clean_members(members)
            plan = PlanReader(site_id).read(self.body, members) if _names_a_time(self.body) else _NO_PLAN
            if not plan:
                return Response(record_of(single.create_content(site_id, channel_id, members, self.grant.user_name)))
            with transaction.atomic():
                content = single.create_content(site_id, channel_id, members, self.grant.user_name)
                store_plans([(content, plan)])
            return Response(record_of(content))
        except InvalidInput:
            require_channel(site_id, channel_id)  # a missing place is 404 for any body
            raise

    def require_place(self, site_id: int, channel_id: int) -> None:
        require_channel(site_id, channel_id)


class ContentView(FormerIdsView):
    """`/contents/{siteId}/{channelId}/{id}`"""

    required_scope = "Contents"

    def is_read(self, request: Request) -> bool:
        """Drafts are open to keys that may change them."""
        return super().is_read(request) and _wanted_version(request) != _DRAFT

    def get(self, request: Request, **place: int) -> Response:
        has_query = bool(request.META.get("QUERY_STRING"))
        names, include = (names_of(request, "fields"), names_of(request, "include")) if has_query else ((), ())
        if _means_draft(request):
            tag, shown = _represent_draft(drafts.read_draft(**place), names)
            if include:
                raise invalid("include", "left out with version=draft")
            use(request, tag)
            return Response(shown)
        if include:
            return self._get_with(request, include, names, **place)
        content = read_content(**place, names=names)
        compare(request, content.digest)
        return Response(content.json)

    def _get_with(self, request: Request, include: Sequence[str], names: Sequence[str], **place: int) -> Response:
        try:
            wanted = read_include(include, self.grant)
        except InvalidInput:
            read_record(**place)  # a missing place is 404 for any query
            raise
        content = read_content(**place, names=names)
        included = read_included(wanted, place["site_id"], [place["content_id"]])
        compare(request, content.digest, included)
        return Response(Body(value=content.json, included=orjson.Fragment(included)))

    def put(self, request: Request, **place: int) -> Response:
        try:
            members = ContentChangesSerializer.read_change(self.body, partial(self._answered, request, **place))
            is_draft = members.values.pop("is_draft", False) or _means_draft(request)
            plan = PlanReader(place["site_id"]).read(self.body, members) if _names_a_time(self.body) else _NO_PLAN
            if "content" in members.values:
                members = clean_members(members, None if is_draft else lambda: read_record(**place)["content"])
        except InvalidInput:
            read_record(**place)  # a missing place is 404 for any body
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

    def _answered(self, request: Request, **place: int) -> Record:
        """Return the record that a GET would return."""
        if _means_draft(request) or ContentChangesSerializer.read_member(self.body, "is_draft"):
            with suppress(NotFound):
                return record_of(drafts.read_draft(**place))
        return read_record(**place)

    @transaction.atomic
    def _put_draft(
        self, request: Request, members: Members, plan: Plan, site_id: int, channel_id: int, content_id: int
    ) -> Response:
        """Change the draft; with isChecked, also publish it, and with publishAt, at that time."""
        is_published = members.values.pop("is_checked", False)
        user_name, precondition = self.grant.user_name, self.if_match(_represent_draft)
        approves = is_published or plan.get("publish_at") is not None
        changed = drafts.save_draft(
            site_id, channel_id, content_id, members, user_name, precondition, approves=approves
        )
        if plan:
            store_plans([(changed, plan)], of_draft=True)
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


class CheckView(FormerIdsView):
    """`POST /contents/check` and `/contents/actions/check`"""

    required_scope = "Contents"

    def post(self, request: Request) -> Response:
        self.check_body()
        asked: dict[str, Any] = CheckSerializer.read(self.body, require=["site_id", "contents"]).values
        raise_if_too_many("contents", len(asked["contents"]), settings.CMS_MAX_PER_PAGE)
        require_site(asked["site_id"], "siteId")
        sent = [(item["channel_id"], item["id"]) for item in asked["contents"]]
        places = [(channel_id, self.ids.get((channel_id, number), number)) for channel_id, number in sent]
        with transaction.atomic():
            approved = single.check_contents(asked["site_id"], places, asked.get("reasons", ""), self.grant.user_name)
            if unknown := set(places) - {(content.channel_id, content.pk) for content in approved}:
                self.start_again_if_renumbered(asked["site_id"], unknown)
            found = read_present(asked["site_id"], [content.pk for content in approved])
        shown = [content for content in approved if content.pk in found]
        present = {(content.channel_id, content.pk) for content in shown}
        missing = [{"channelId": place[0], "id": place[1]} for place in dict.fromkeys(places) if place not in present]
        further = {"missing": missing} if missing else {}
        return Response(Body(contents=[found[content.pk].json for content in shown], **further))

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
    # The public version, too: later public changes may conflict with the draft.
    return tag_of(fragment.digest, shown.version, shown.draft_version), fragment.json


def _wanted_version(request: Request) -> str:
    return ",".join(names_of(request, "version")).casefold() if request.META.get("QUERY_STRING") else ""


def _means_draft(request: Request) -> bool:
    """Return whether the query names the draft. Raises InvalidInput for anything but `draft` and `public`."""
    version = _wanted_version(request)
    if version not in {"", _DRAFT, "public"}:
        raise invalid("version", "draft or public")
    return version == _DRAFT


def _answer_query(request: Request, grant: Grant, site_id: int, channel_id: int | None = None) -> Response:
    try:
        include = names_of(request, "include")
        wanted = read_include(include, grant) if include else ()
        window, rules = window_of(request), Rules(site_id)
        page = read_page(read_query(request, window, rules, site_id, channel_id), rules)
    except InvalidInput:
        require_channel(site_id, channel_id or site_id)  # a missing place is 404 for any query
        raise
    if page is None:
        require_channel(site_id, channel_id or site_id)
        raise channel_not_found(site_id, channel_id or site_id)
    members = page_members(request, window, page.total or 0)
    included = read_included(wanted, site_id, page.ids) if wanted else b""
    compare(request, "contents in pages", members, *page.parts, included)
    if included:
        members["included"] = orjson.Fragment(included)
    return Response(Body(value=json_of(page.fragments), **members))


def _require_site(grant: Grant, serializer: type[WireSerializer], body: dict[str, Any]) -> None:
    """Check access to the site before the rest of the body: 401 takes precedence over 400."""
    site_id = serializer.read_member(body, "site_id")
    if site_id is not None:
        grant.require_site(site_id)


def _names_a_time(body: Mapping[str, Any]) -> bool:
    return any(name.casefold() in TIME_NAMES for name in body)
