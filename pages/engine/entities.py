"""Values of entities such as `{content.title}`, by family."""

import re
from html import escape

from core.stl.attributes import Attributes
from pages.engine.compiling import ENTITIES, entity
from pages.engine.elements.comments import value_of as comment_value
from pages.engine.elements.entries import entry_value
from pages.engine.elements.navigation import neighbour_url
from pages.engine.elements.pages import page_item_value
from pages.engine.elements.values import item_number, photo_value
from pages.engine.nodes import Entity
from pages.engine.scope import Scope
from pages.engine.words import EntityWords, _

_NO_TEXT = Attributes(())
_ITEM_INDEX = _("The number of the item, counted from 1; `itemIndex+1` and `itemIndex-1` also work.")
_ABOVE = re.compile(r"(up|top)(\d{0,3})\.", re.IGNORECASE)


@entity(
    "stl",
    EntityWords(
        _("A value of the site or page, a parameter of the include, or a custom field of the site."),
        {
            "siteUrl": _("The address of the site, without a slash at the end."),
            "siteName": _("The name of the site."),
            "siteId": _("The ID of the site."),
            "siteDir": _("The folder of the site."),
            "currentUrl": _("The address of the page."),
            "channelUrl": _("The address of the channel."),
            "apiUrl": _("The address of the API."),
            "rootUrl": _("The address of the service, which is empty."),
            "tableForContent": _("The table of the content items, for a SELECT."),
        },
    ),
)
def _stl(scope: Scope, found: Entity) -> str:
    name, source = found.name, scope.source
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


@entity(
    "content",
    EntityWords(
        _("A value of the content item: one of these, or any member or custom field."),
        {
            "title": _("The title."),
            "subTitle": _("The subtitle."),
            "summary": _("The summary."),
            "content": _("The body."),
            "id": _("The ID."),
            "navigationUrl": _("The address of its page."),
            "imageUrl": _("The address of the picture."),
            "videoUrl": _("The address of the video."),
            "fileUrl": _("The address of the file."),
            "addDate": _("The date it was added."),
            "lastEditDate": _("The date of the last edit."),
            "author": _("The author."),
            "source": _("The source."),
            "tags": _("The tags, separated by commas."),
            "group": _("The groups, separated by commas."),
            "addUserName": _("The user who added it."),
            "itemIndex": _ITEM_INDEX,
        },
    ),
)
def _content(scope: Scope, found: Entity) -> str:
    if scope.content is None:
        return ""
    folded = found.name.casefold()
    if (number := item_number(folded, scope.content_index)) is not None:
        return number
    if folded in {"title", "fulltitle"}:
        return str(scope.content["title"])
    folded = {"group": "groupnamecollection"}.get(folded, folded)
    return scope.source.content_value(scope.content, folded, _NO_TEXT)


@entity(
    "channel",
    EntityWords(
        _(
            "A value of the channel: one of these, or any custom field. `{channel.up.title}` is of the channel above, "
            "`{channel.top1.title}` of the one at depth 1, `{channel.title_news}` of the one with the index `news`."
        ),
        {
            "title": _("The name."),
            "channelName": _("The name."),
            "channelId": _("The ID."),
            "channelIndex": _("The index."),
            "navigationUrl": _("The address of its page."),
            "imageUrl": _("The address of the picture."),
            "content": _("The body."),
            "addDate": _("The date it was added."),
            "group": _("The groups, separated by commas."),
            "keywords": _("The keywords for search engines."),
            "description": _("The description for search engines."),
            "itemIndex": _ITEM_INDEX,
        },
    ),
)
def _channel(scope: Scope, found: Entity) -> str:
    name, channel = found.name, scope.channel
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


@entity("request", EntityWords(_("A parameter of the query of the address, by its name."), {}))
def _request(scope: Scope, found: Entity) -> str:
    name = found.name.partition("_")[0].casefold()
    return next((value for key, value in scope.page.query.items() if key.casefold() == name), "")


@entity("sql", EntityWords(_("A column of the row, by its name."), {"itemIndex": _ITEM_INDEX}))
def _row(scope: Scope, found: Entity) -> str:
    if not isinstance(scope.item, dict):
        return ""
    folded = found.name.casefold()
    if (number := item_number(folded, scope.content_index)) is not None:
        return number
    return next((str(text) for key, text in scope.item.items() if key.casefold() == folded and text is not None), "")


@entity(
    "inputContent",
    EntityWords(
        _("A value of the entry of a form: one of these, or a field in the public list."),
        {
            "id": _("The ID."),
            "addDate": _("The date it was sent."),
            "reply": _("The reply."),
            "replyDate": _("The date of the reply."),
            "itemIndex": _ITEM_INDEX,
        },
    ),
)
def _entry(scope: Scope, found: Entity) -> str:
    return entry_value(scope, found.name.casefold())


@entity(
    "navigation",
    EntityWords(
        _("The address of the previous or next content item or channel."),
        {
            "previousContent": _("The previous content item."),
            "nextContent": _("The next content item."),
            "previousChannel": _("The previous channel."),
            "nextChannel": _("The next channel."),
        },
    ),
)
def _navigation(scope: Scope, found: Entity) -> str:
    return neighbour_url(scope, found.name.casefold())


@entity(
    "photo",
    EntityWords(
        _("A value of the extra picture that `each` shows."),
        {
            "smallUrl": _("The address of the small picture."),
            "middleUrl": _("The address of the middle-sized picture."),
            "largeUrl": _("The address of the large picture."),
            "description": _("The description."),
            "itemIndex": _("The number of the item, counted from 1."),
        },
    ),
)
def _photo(scope: Scope, found: Entity) -> str:
    return photo_value(scope, found.name.casefold())


@entity(
    "pageItem",
    EntityWords(
        _("An address or number of the pages of a list."),
        {
            "firstPage": _("The address of the first page."),
            "previousPage": _("The address of the previous page."),
            "nextPage": _("The address of the next page."),
            "lastPage": _("The address of the last page."),
            "currentPageIndex": _("The number of the current page."),
            "totalPageNum": _("The number of pages."),
            "totalNum": _("The number of items on all pages."),
        },
    ),
)
def _page_item(scope: Scope, found: Entity) -> str:
    return page_item_value(scope, found)


@entity(
    "comment",
    EntityWords(
        _("A value of the comment of the list `comments`."),
        {
            "content": _("The text."),
            "displayName": _("The name of the visitor."),
            "addDate": _("The date it was sent."),
            "id": _("The ID."),
            "itemIndex": _ITEM_INDEX,
        },
    ),
)
def _comment(scope: Scope, found: Entity) -> str:
    return escape(comment_value(scope, found.name))  # visitors write no markup


# A page is the same for all visitors.
ENTITIES.update({"user": lambda scope, found: ""})
