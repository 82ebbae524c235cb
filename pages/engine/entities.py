"""Values of entities such as `{content.title}`, by family."""

import re

from cms_api.stl.attributes import Attributes
from pages.engine.compiling import ENTITIES
from pages.engine.elements.navigation import neighbour_url
from pages.engine.elements.pages import page_item_value
from pages.engine.elements.values import item_number, photo_value
from pages.engine.nodes import Entity
from pages.engine.scope import Scope

_NO_TEXT = Attributes(())
_ABOVE = re.compile(r"(up|top)(\d{0,3})\.", re.IGNORECASE)


def _stl(scope: Scope, entity: Entity) -> str:
    name, source = entity.name, scope.source
    folded = name.casefold()
    if folded in scope.parameters:
        return scope.parameters[folded]
    if folded == "siteurl":
        return source.web_url
    if folded in {"rooturl", "poweredby"}:
        return ""
    if folded == "apiurl":
        return "/api"
    if folded == "currenturl":
        return scope.page.url
    if folded == "channelurl":
        return source.channel_url(scope.channel)
    return source.site_value("tableName" if folded == "tableforcontent" else name, _NO_TEXT)


def _content(scope: Scope, entity: Entity) -> str:
    if scope.content is None:
        return ""
    folded = entity.name.casefold()
    if (number := item_number(folded, scope.content_index)) is not None:
        return number
    if folded in {"title", "fulltitle"}:
        return str(scope.content["title"])
    folded = {"group": "groupnamecollection"}.get(folded, folded)
    return scope.source.content_value(scope.content, folded, _NO_TEXT)


def _channel(scope: Scope, entity: Entity) -> str:
    name, channel = entity.name, scope.channel
    if above := _ABOVE.match(name):
        level = "upLevel" if above[1].lower() == "up" else "topLevel"
        channel = scope.source.find_channel(channel, Attributes([(level, above[2] or "1")]))
        name = name[above.end() :]
    name, _, index = name.partition("_")
    if index:
        channel = scope.source.find_channel(channel, Attributes([("channelIndex", index)]))
    folded = name.casefold()
    if (number := item_number(folded, scope.channel_index)) is not None:
        return number
    folded = {"channelid": "id", "group": "groupnamecollection", "title": "channelname"}.get(folded, folded)
    if folded == "navigationurl":
        return scope.source.channel_url(channel)
    return scope.source.channel_value(channel, folded, _NO_TEXT)


def _request(scope: Scope, entity: Entity) -> str:
    name = entity.name.partition("_")[0].casefold()
    return next((value for key, value in scope.page.query.items() if key.casefold() == name), "")


def _row(scope: Scope, entity: Entity) -> str:
    if not isinstance(scope.item, dict):
        return ""
    folded = entity.name.casefold()
    if (number := item_number(folded, scope.content_index)) is not None:
        return number
    return next((str(text) for key, text in scope.item.items() if key.casefold() == folded and text is not None), "")


ENTITIES.update(
    {
        "stl": _stl,
        "content": _content,
        "channel": _channel,
        "request": _request,
        "sql": _row,
        "navigation": lambda scope, entity: neighbour_url(scope, entity.name.casefold()),
        "photo": lambda scope, entity: photo_value(scope, entity.name.casefold()),
        "pageitem": page_item_value,
        # Nobody is signed in on a page, and there are no comments.
        "user": lambda scope, entity: "",
        "comment": lambda scope, entity: "",
    }
)
