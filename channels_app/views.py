from functools import partial

import orjson
from django.http import HttpResponse
from rest_framework.request import Request

from channels_app import services
from channels_app.models import Channel
from channels_app.serializers import ChannelCreationSerializer, ChannelSerializer, MoveSerializer
from channels_app.tree import Record, Tree, read_tree
from core.lib.errors import InvalidInput
from core.rest.conditional import use
from core.rest.errors import JSON
from core.rest.views import ApiView


class ChannelsView(ApiView):
    required_scope = "Channels"

    def get(self, request: Request, site_id: int) -> HttpResponse:
        tree = read_tree(site_id)
        return _answer(request, tree, tree.home["children"])

    def post(self, request: Request, site_id: int) -> HttpResponse:
        read_tree(site_id)  # 404 comes before the body
        members = ChannelCreationSerializer.read(self.body)
        parent_id = members.values.pop("parent_id", 0)
        return _answer_channel(None, site_id, services.add_channel(site_id, parent_id, members).pk)

    def require_place(self, site_id: int) -> None:
        read_tree(site_id)


class ChannelView(ApiView):
    required_scope = "Channels"

    def get(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        return _answer_channel(request, site_id, channel_id)

    def put(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        answered = read_tree(site_id).find(channel_id)  # 404 comes before the body
        members = ChannelSerializer.read_changes(self.body, answered)
        services.update_channel(site_id, channel_id, members, self.if_match(_represent))
        return _answer_channel(request, site_id, channel_id)

    def delete(self, request: Request, site_id: int, channel_id: int) -> HttpResponse:
        answer = _answer_channel(None, site_id, channel_id)
        services.trash_channel(site_id, channel_id, self.if_match(_represent))
        return answer


class MoveView(ApiView):
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
    """Return the response; pass `request` if a GET of the path would return the same now, to use the tag."""
    _tag, content = tree.answer(value, partial(use, request) if request else lambda tag: None)
    return HttpResponse(content, JSON)


def _represent(channel: Channel) -> tuple[str, orjson.Fragment]:
    tree = read_tree(channel.site_id)
    tag, content = tree.answer(tree.find(channel.pk), lambda tag: None)
    # As a fragment: the tree may be nested deeper than orjson writes.
    return tag, orjson.Fragment(content.removeprefix(b'{"value":').removesuffix(b"}"))
