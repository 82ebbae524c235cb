"""Elements that show one value: `content`, `channel`, `value`, `image`, `photo`, `count`."""

import re
from collections.abc import Callable
from html import escape

from cms_api.stl.attributes import Attributes
from pages.engine.compiling import TAG_ENTITIES, Compiler, Render, element
from pages.engine.html import attribute_text, encode
from pages.engine.nodes import Element, Encoding
from pages.engine.scope import Kind, Scope
from pages.engine.source import Record
from pages.engine.words import CHANNEL, SCOPE, SHAPE, ElementWords, _, described

LEVELS = ("channelindex", "channelname", "parent", "uplevel", "toplevel")
PAGE_BREAK = "[SITESERVER_PAGE]"
_INDEX = re.compile(r"itemindex(?:([+-])(\d{1,9}))?")
_PLAYERS = (".swf", ".flv")
MediaTag = Callable[[str, str], str]


def moves(attributes: Attributes) -> bool:
    """Return true if the attributes choose another channel than the current one."""
    return bool(
        attributes.text("channelIndex")
        or attributes.text("channelName")
        or attributes.boolean("parent")
        or attributes.integer("upLevel")
        or "topLevel" in attributes
    )


def item_number(name: str, index: int) -> str | None:
    """Return the value of `itemIndex`, `itemIndex+1` …; None for other names."""
    match = _INDEX.fullmatch(name)
    if match is None:
        return None
    shift = int(match[2] or 0)
    return str(index - shift if match[1] == "-" else index + shift)


def picture(address: str, passed: str) -> str:
    """Return `<img>`, or an object for films of old."""
    if not address:
        return ""
    source = attribute_text(address)
    if address.lower().endswith(_PLAYERS):
        return f'<object data="{source}"{passed}></object>'
    return f'<img src="{source}"{passed} />'


def _player(address: str, passed: str) -> str:
    return f'<video src="{attribute_text(address)}" controls{passed}></video>' if address else ""


def _download(address: str, passed: str, inner: str) -> str:
    if not address:
        return ""
    text = inner or escape(address.rpartition("/")[2])
    return f'<a href="{attribute_text(address)}"{passed}>{text}</a>'


class _Value:
    """Renders one value of a content or a channel, in the way that its kind asks for."""

    def __init__(self, compiler: Compiler, node: Element, owner: str, *, is_entity: bool) -> None:
        self._given, self._owner, self._is_entity = compiler.given(node), owner, is_entity
        self._passed = self._given.passed(compiler)
        self._inner, self._encoding = compiler.block(node.inner), node.encoding

    def render(self, scope: Scope) -> str:
        attributes = self._given.read(scope)
        record: Record | None
        read: Callable[[Record, str, Attributes], str]
        if self._owner == "channel":
            record, read = scope.source.find_channel(scope.channel, attributes), scope.source.channel_value
            index, default = scope.channel_index, "channelname"
        else:
            record, read = scope.content, scope.source.content_value
            index, default = scope.content_index, "title"
        if record is None:
            return ""
        name = attributes.text("type").strip().casefold() or default
        number = item_number(name, index)
        if number is not None:
            return number
        if name == "pagecontent":
            return self._part(scope, read(record, name, attributes))
        text = read(record, name, attributes)
        kind = self._kind(scope, name)
        if kind in _MEDIA and not self._is_entity and self._encoding is Encoding.TEXT:
            if kind == "file":
                return _download(text, self._passed(scope), self._inner(scope))
            return _MEDIA[kind](text, self._passed(scope))
        return encode(text, self._encoding)

    def _kind(self, scope: Scope, name: str) -> str:
        if name in _STANDARD:
            return _STANDARD[name] if self._owner == "content" or name == "imageurl" else ""
        return scope.source.field_kind(self._owner, name)

    def _part(self, scope: Scope, body: str) -> str:
        parts = body.split(PAGE_BREAK)
        is_paged = scope.paging is not None and scope.paging.count == len(parts)
        return parts[scope.paging.number - 1] if is_paged and scope.paging else "".join(parts)


_STANDARD = {"imageurl": "image", "videourl": "video", "fileurl": "file"}
_MEDIA: dict[str, MediaTag] = {"image": picture, "video": _player, "file": lambda address, passed: ""}


_NUMBER_OF_FIELD = _("The number of the picture, video or file in a field with several, or `all`.")


@element(
    ElementWords(
        "content",
        _("A value of the content."),
        SHAPE
        | described(
            type=(
                _("The value: one of these, or any member or custom field. Default: `title`"),
                *("title", "subTitle", "summary", "content", "pageContent", "imageUrl", "videoUrl", "fileUrl"),
                *("navigationUrl", "linkUrl", "addDate", "lastEditDate", "tags", "author", "source", "addUserName"),
                *("hits", "id", "itemIndex"),
            ),
            no=_NUMBER_OF_FIELD,
            isOriginal=(
                _("Of a content that refers to another one, show the value of the other. Default: `true`"),
                *("true", "false"),
            ),
        ),
        passes_on=True,
    )
)
def compile_content(compiler: Compiler, node: Element) -> Render:
    return _Value(compiler, node, "content", is_entity=False).render


@element(
    ElementWords(
        "channel",
        _("A value of the channel."),
        CHANNEL
        | SHAPE
        | described(
            type=(
                _("The value: one of these, or any member or custom field. Default: `channelName`"),
                *("channelName", "channelIndex", "title", "content", "pageContent", "imageUrl", "navigationUrl"),
                *("addDate", "keywords", "description", "countOfChannels", "countOfContents", "countOfImageContents"),
                *("id", "itemIndex"),
            )
        ),
        passes_on=True,
    )
)
def compile_channel(compiler: Compiler, node: Element) -> Render:
    return _Value(compiler, node, "channel", is_entity=False).render


TAG_ENTITIES["content"] = lambda compiler, node: _Value(compiler, node, "content", is_entity=True).render
TAG_ENTITIES["channel"] = lambda compiler, node: _Value(compiler, node, "channel", is_entity=True).render


@element(
    ElementWords(
        "value",
        _("A value of the site, a parameter of the include, or the item of `each`."),
        SHAPE
        | described(
            type=(
                _("The value: one of these, a parameter of the include, or any custom field of the site."),
                *("siteName", "siteUrl", "siteDir", "siteId"),
            )
        ),
        passes_on=True,
    )
)
def compile_value(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    passed = given.passed(compiler)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        name = attributes.text("type").strip()
        folded = name.casefold()
        if folded in scope.parameters:
            return encode(scope.parameters[folded], node.encoding)
        if scope.kind is Kind.EACH and isinstance(scope.item, str):
            return encode(scope.item, node.encoding)
        text = scope.source.site_value(name, attributes)
        is_picture = scope.source.field_kind("site", folded) == "image" and not attributes.boolean("isClearTags")
        if is_picture and node.encoding is Encoding.TEXT:
            return picture(text, passed(scope))
        return encode(text, node.encoding)

    return render


@element(
    ElementWords(
        "image",
        _("The picture of the content or channel, or the item of `each`."),
        CHANNEL
        | described(
            type=_("The field with the address. Default: `imageUrl`"),
            no=_NUMBER_OF_FIELD,
            src=_("The address; `@/` is the folder of the site."),
            altSrc=_("The address if there is no other."),
            isOriginal=(
                _("Of a content that refers to another one, show the value of the other. Default: `true`"),
                *("true", "false"),
            ),
        ),
        passes_on=True,
    )
)
def compile_image(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    passed = given.passed(compiler)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        address = _address(scope, attributes) or _resolved(scope, attributes.text("altSrc"))
        return picture(address, passed(scope))

    return render


def _address(scope: Scope, attributes: Attributes) -> str:
    name = attributes.text("type").strip().casefold() or "imageurl"
    if source := attributes.text("src"):
        return _resolved(scope, source)
    if scope.kind is Kind.EACH and isinstance(scope.item, str):
        return scope.item
    if moves(attributes) or not scope.is_of_content or scope.content is None:
        return scope.source.channel_value(scope.source.find_channel(scope.channel, attributes), name, attributes)
    return scope.source.content_value(scope.content, name, attributes)


def _resolved(scope: Scope, address: str) -> str:
    return f"{scope.source.web_url}{address[1:]}" if address.startswith("@/") else address


@element(
    ElementWords(
        "photo",
        _("A value of the extra picture that `each` shows."),
        described(
            type=(
                _("The value. Default: `largeUrl`"),
                *("smallUrl", "middleUrl", "largeUrl", "description", "itemIndex"),
            )
        ),
        passes_on=True,
    )
)
def compile_photo(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    passed = given.passed(compiler)

    def render(scope: Scope) -> str:
        name = given.read(scope).text("type").strip().casefold() or "largeurl"
        value = photo_value(scope, name)
        return picture(value, passed(scope)) if name.endswith("url") else encode(value, node.encoding)

    return render


def photo_value(scope: Scope, name: str) -> str:
    """Return a value of the extra picture that `each` shows, by its name in lower case."""
    if not isinstance(scope.item, dict):
        return ""
    if (number := item_number(name, scope.item.get("itemIndex", scope.content_index))) is not None:
        return number
    return next((str(value) for key, value in scope.item.items() if key.casefold() == name), "")


@element(
    ElementWords(
        "count",
        _("A number of contents or channels."),
        CHANNEL
        | SCOPE
        | described(
            type=(_("What to count. Default: `Contents`"), "Contents", "Channels"),
            since=_(
                "Only contents added within this time, such as `3d`: years `y`, months `m`, days `d` or hours `h`."
            ),
        ),
    )
)
def compile_count(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        return scope.source.count(scope.source.find_channel(scope.channel, attributes), attributes)

    return render
