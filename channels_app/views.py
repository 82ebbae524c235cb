"""The endpoints of channels."""

from functools import partial

import orjson
from django.http import HttpResponse
from rest_framework.request import Request

from channels_app import services
from channels_app.models import Channel
from channels_app.serializers import ChannelCreationSerializer, ChannelSerializer, MoveSerializer
from channels_app.tree import Record, Tree, read_tree
from cms_api.lib.errors import InvalidInput
from cms_api.rest.conditional import use
from cms_api.rest.errors import JSON
from cms_api.rest.views import ApiView


class ChannelsView(ApiView):
    """`/channels/{siteId}`: the channels of a site."""

    required_scope = "Channels"

    def get(self, request: Request, site_id: int) -> HttpResponse:
        tree = read_tree(site_id)
        return _answer(request, tree, tree.home["children"])

    def post(self, request: Request, site_id: int) -> HttpResponse:
        read_tree(site_id)  # a path to nothing is 404, whatever the body
        members = ChannelCreationSerializer.read(self.body)
        parent_id = members.values.pop("parent_id", 0)
        return _answer_channel(None, site_id, services.add_channel(site_id, parent_id, members).pk)

    def require_place(self, site_id: int) -> None:
        read_tree(site_id)


class ChannelView(ApiView):
    """`/channels/{siteId}/{channelId}`: one channel; 0 stands for the home channel."""

    required_scope = "Channels"

    def get(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        return _answer_channel(request, site_id, channel_id)

    def put(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        answered = read_tree(site_id).find(channel_id)  # 404 comes before the body
        members = ChannelSerializer.read_changes(self.body, answered)
        services.update_channel(site_id, channel_id, members, self.if_match(_represent))
        return _answer_channel(request, site_id, channel_id)

    def delete(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        """The channel as it was before it went to the trash."""
        answer = _answer_channel(None, site_id, channel_id)
        services.trash_channel(site_id, channel_id, self.if_match(_represent))
        return answer


class MoveView(ApiView):
    """`POST /channels/{siteId}/{channelId}/actions/move`: another place in the tree."""

    required_scope = "Channels"

    def post(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        services.require(site_id, channel_id)
        place = MoveSerializer.read(self.body).values
        if not {"parentid", "before"} & {name.casefold() for name in self.body}:
            message = "A move needs parentId or before; before is null for the last place."
            raise InvalidInput("missing_member", message, member="parentId")
        precondition = self.if_match(_represent)
        services.move_channel(site_id, channel_id, place.get("parent_id"), place.get("before"), precondition)
        return _answer_channel(None, site_id, channel_id)

    def require_place(self, site_id: int, channel_id: int) -> None:
        services.require(site_id, channel_id)


def _answer_channel(request: Request | None, site_id: int, channel_id: int) -> HttpResponse:
    tree = read_tree(site_id)
    return _answer(request, tree, tree.find(channel_id))


def _answer(request: Request | None, tree: Tree, value: Record | list[Record]) -> HttpResponse:
    """The answer, with its tag if it is what a GET of the path would answer now: then the request is given."""
    _tag, content = tree.answer(value, partial(use, request) if request else _look_away)
    return HttpResponse(content, JSON)


def _look_away(tag: str) -> None:
    pass


def _represent(channel: Channel) -> tuple[str, orjson.Fragment]:
    tree = read_tree(channel.site_id)
    tag, content = tree.answer(tree.find(channel.pk), _look_away)
    # As it is: the tree may be nested deeper than the writer of JSON goes.
    return tag, orjson.Fragment(content.removeprefix(b'{"value":').removesuffix(b"}"))
