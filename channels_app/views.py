"""The endpoints of channels."""

from django.http import HttpResponse
from rest_framework.request import Request

from channels_app import services
from channels_app.serializers import ChannelCreationSerializer, ChannelSerializer, MoveSerializer
from channels_app.tree import read_tree
from cms_api.rest.errors import JSON, BadRequest
from cms_api.rest.views import ApiView


class ChannelsView(ApiView):
    """`/channels/{siteId}`: the channels of a site."""

    required_scope = "Channels"

    def get(self, request: Request, site_id: int) -> HttpResponse:
        """The channels below the home channel, each with its own below it."""
        tree = read_tree(site_id)
        return HttpResponse(tree.answer(tree.home["children"]), JSON)

    def post(self, request: Request, site_id: int) -> HttpResponse:
        """The new channel."""
        read_tree(site_id)  # a path to nothing is 404, whatever the body
        members = ChannelCreationSerializer.read(self.body)
        parent_id = members.values.pop("parent_id", 0)
        return _answer_channel(site_id, services.add_channel(site_id, parent_id, members))


class ChannelView(ApiView):
    """`/channels/{siteId}/{channelId}`: one channel; 0 stands for the home channel."""

    required_scope = "Channels"

    def get(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        """The channel, with everything below it."""
        return _answer_channel(site_id, channel_id)

    def put(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        """The channel after the change of what was sent."""
        answered = read_tree(site_id).find(channel_id)  # 404 comes before the body
        services.update_channel(site_id, channel_id, ChannelSerializer.read_changes(self.body, answered))
        return _answer_channel(site_id, channel_id)

    def delete(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        """The channel as it was before it went to the trash."""
        answer = _answer_channel(site_id, channel_id)
        services.trash_channel(site_id, channel_id)
        return answer


class MoveView(ApiView):
    """`POST /channels/{siteId}/{channelId}/actions/move`: another place in the tree."""

    required_scope = "Channels"

    def post(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        """The channel in its new place."""
        services.require(site_id, channel_id)
        place = MoveSerializer.read(self.body).values
        if not {"parentid", "before"} & {name.casefold() for name in self.body}:
            message = "A move needs parentId or before; before is null for the last place."
            raise BadRequest("missing_member", message, member="parentId")
        services.move_channel(site_id, channel_id, place.get("parent_id"), place.get("before"))
        return _answer_channel(site_id, channel_id)


def _answer_channel(site_id: int, channel_id: int) -> HttpResponse:
    tree = read_tree(site_id)
    return HttpResponse(tree.answer(tree.find(channel_id)), JSON)
