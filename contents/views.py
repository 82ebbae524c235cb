"""The endpoints of contents."""

from typing import Any, NoReturn

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from cms_api.rest.envelope import Body
from cms_api.rest.errors import BadRequest
from cms_api.rest.serializers import WireSerializer
from cms_api.rest.views import ApiView, Grant
from contents import services
from contents.cleaning import cleaned
from contents.list_request import ListRequest, refuse_many
from contents.lists import read_page
from contents.reading import read_content, require_channel
from contents.serializers import CheckSerializer, ContentListSerializer, ContentSerializer
from sites.models import Site


class ContentListView(ApiView):
    """`POST /contents`: the contents of a site or channel that match filters and rules."""

    required_scope = "Contents"
    read_methods = frozenset({"POST"})

    def post(self, request: Request) -> Response:
        """`totalCount` and `contents`, at top level as in the original."""
        _require_site(self.grant, ContentListSerializer, self.body)
        asked = ListRequest(**ContentListSerializer.read(self.body, require=["site_id"]).values)
        page = read_page(asked) or _refuse_missing(asked)
        return Response(Body(totalCount=page.total, contents=page.records))


class ContentsOfChannelView(ApiView):
    """`POST /contents/{siteId}/{channelId}`: a new content."""

    required_scope = "Contents"

    def post(self, request: Request, site_id: int, channel_id: int) -> Response:
        """The whole record of the new content."""
        try:
            members = cleaned(ContentSerializer.read(self.body))
            return Response(services.create_content(site_id, channel_id, members, self.grant.user_name))
        except BadRequest:
            require_channel(site_id, channel_id)  # a path to nothing is 404, whatever the body
            raise


class ContentView(ApiView):
    """`/contents/{siteId}/{channelId}/{id}`: one content."""

    required_scope = "Contents"

    def get(self, request: Request, **place: int) -> Response:
        """The content."""
        return Response(read_content(**place))

    def put(self, request: Request, **place: int) -> Response:
        """The content after the change of what was sent."""
        present = read_content(**place)  # a path to nothing is 404 before the body is looked at
        members = cleaned(ContentSerializer.read(self.body), present["content"])
        return Response(services.update_content(**place, members=members, user_name=self.grant.user_name))

    def delete(self, request: Request, **place: int) -> Response:
        """The content as it was before it went to the trash."""
        return Response(services.trash_content(**place))


class CheckView(ApiView):
    """`POST /contents/check` and `/contents/actions/check`: approve contents."""

    required_scope = "Contents"

    def post(self, request: Request) -> Response:
        """The approved records in `contents`, at top level as in the original."""
        _require_site(self.grant, CheckSerializer, self.body)
        asked: dict[str, Any] = CheckSerializer.read(self.body, require=["site_id", "contents"]).values
        refuse_many("contents", len(asked["contents"]), settings.CMS_MAX_PER_PAGE)
        if not Site.objects.filter(pk=asked["site_id"]).exists():
            raise BadRequest("site_not_found", f"Site {asked['site_id']} was not found.")
        places = [(item["channel_id"], item["id"]) for item in asked["contents"]]
        records = services.check_contents(asked["site_id"], places, asked.get("reasons", ""), self.grant.user_name)
        return Response(Body(contents=records))


def _require_site(grant: Grant, serializer: type[WireSerializer], body: dict[str, Any]) -> None:
    """401 comes before whatever else is wrong with a body (design §4.3)."""
    site_id = serializer.read_member(body, "site_id")
    if site_id is not None:
        grant.require_site(site_id)


def _refuse_missing(asked: ListRequest) -> NoReturn:
    if not Site.objects.filter(pk=asked.site_id).exists():
        raise BadRequest("site_not_found", f"Site {asked.site_id} was not found.", member="siteId")
    message = f"Channel {asked.channel_id} was not found in site {asked.site_id}."
    raise BadRequest("channel_not_found", message, member="channelId")
