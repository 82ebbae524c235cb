"""Elements that show one value: `content`, `channel`, `value`, `image`, `photo`, `count`."""

import re
from collections.abc import Callable
from html import escape

from core.stl.attributes import Attributes
from pages.engine.compiling import TAG_ENTITIES, Compiler, Render, element
from pages.engine.html import attribute_text, encode, runs_script
from pages.engine.nodes import TEXT, Element
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
    if not address or runs_script(address):
        return ""
    source = attribute_text(address)
    if address.lower().endswith(_PLAYERS):
        return f'<object data="{source}"{passed}></object>'
    return f'<img src="{source}"{passed} />'


def _player(address: str, passed: str) -> str:
    return (
        f'<video src="{attribute_text(address)}" controls{passed}></video>'
        if address and not runs_script(address)
        else ""
    )


def _download(address: str, passed: str, inner: str) -> str:
    if not address or runs_script(address):
        return ""
    text = inner or escape(address.rpartition("/")[2])
    return f'<a href="{attribute_text(address)}"{passed}>{text}</a>'


class _Value:
    """Renders one value of a content or a channel, as its kind requires."""

    def __init__(self, compiler: Compiler, node: Element, owner: str, *, is_entity: bool) -> None:
        self._given, self._owner, self._is_entity = compiler.given(node), owner, is_entity
        self._passed = self._given.passed(compiler)
        self._inner, self._place = compiler.block(node.inner), node.place

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
        # As in SiteServer, the entity is an address only if the field is one of its own.
        is_address = self._place is not TEXT or (self._is_entity and name in _STANDARD)
        if kind in _MEDIA and not is_address:
            if kind == "file":
                return _download(text, self._passed(scope), self._inner(scope))
            return _MEDIA[kind](text, self._passed(scope))
        return encode(text, self._place)

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
        _("A value of the content item."),
        SHAPE
        | described(
            type=(
                _("The value: one of these, or any member or custom field. Default: `title`."),
                *("title", "subTitle", "summary", "content", "pageContent", "imageUrl", "videoUrl", "fileUrl"),
                *("navigationUrl", "linkUrl", "addDate", "lastEditDate", "tags", "author", "source", "addUserName"),
                *("hits", "id", "itemIndex"),
            ),
            no=_NUMBER_OF_FIELD,
            isOriginal=(
                _("Of a content item that refers to another one, show the value of the other. Default: `true`."),
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
                _("The value: one of these, or any member or custom field. Default: `channelName`."),
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


def _today(calendar: str, fields: str) -> str:
    # By a script, since the page may have been stored yesterday.
    return f"<script>document.write(new Date().toLocaleDateString('{calendar}', {{{fields}}}))</script>"


_TODAY = {
    "date": _today("zh-CN", "year: 'numeric', month: 'long', day: 'numeric', weekday: 'long'"),
    "dateoftraditional": _today("zh-CN-u-ca-chinese", "year: 'numeric', month: 'long', day: 'numeric'"),
}


@element(
    ElementWords(
        "value",
        _("A value of the site, a parameter of the include, or the item of `each`."),
        SHAPE
        | described(
            type=(
                _("The value: one of these, a parameter of the include, or any custom field of the site."),
                *("siteName", "siteUrl", "siteDir", "siteId", "date", "dateOfTraditional"),
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
            return encode(scope.parameters[folded], node.place)
        if scope.kind is Kind.EACH and isinstance(scope.item, str):
            return encode(scope.item, node.place)
        if folded in _TODAY and node.place is TEXT:
            return _TODAY[folded]
        text = scope.source.site_value(name, attributes)
        is_picture = scope.source.field_kind("site", folded) == "image" and not attributes.boolean("isClearTags")
        if is_picture and node.place is TEXT:
            return picture(text, passed(scope))
        return encode(text, node.place)

    return render


@element(
    ElementWords(
        "image",
        _("The picture of the content item or channel, or the item of `each`."),
        CHANNEL
        | described(
            type=_("The field with the address. Default: `imageUrl`."),
            no=_NUMBER_OF_FIELD,
            src=_("The address; `@/` is the folder of the site."),
            altSrc=_("The address if there is no other."),
            isOriginal=(
                _("Of a content item that refers to another one, show the value of the other. Default: `true`."),
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
        address = _address(scope, attributes) or scope.source.resolve(attributes.text("altSrc"))
        return picture(address, passed(scope))

    return render


def _address(scope: Scope, attributes: Attributes, default: str = "imageurl") -> str:
    name = attributes.text("type").strip().casefold() or default
    if source := attributes.text("src"):
        return scope.source.resolve(source)
    if scope.kind is Kind.EACH and isinstance(scope.item, str):
        return scope.item
    if moves(attributes) or not scope.is_of_content or scope.content is None:
        return scope.source.channel_value(scope.source.find_channel(scope.channel, attributes), name, attributes)
    return scope.source.content_value(scope.content, name, attributes)


_PLAYED = CHANNEL | described(
    type=_("The field with the address. Default: `videoUrl`."),
    no=_NUMBER_OF_FIELD,
    src=_("The address; `@/` is the folder of the site."),
    playUrl=_("The same as `src`."),
    isOriginal=(
        _("Of a content item that refers to another one, show the value of the other. Default: `true`."),
        *("true", "false"),
    ),
    isAutoPlay=(_("Play it when the page opens."), "true", "false"),
    isLoop=(_("Begin again at the end."), "true", "false"),
    isControls=(_("Show the controls. Default: `true`."), "true", "false"),
    isPreload=(_("Load it before it is played. Default: `true`."), "true", "false"),
)
_POSTER = described(imageUrl=_("The address of the picture that is shown before."))


@element(
    ElementWords("audio", _("A player of a sound."), _PLAYED, passes_on=True),
    ElementWords("video", _("A player of a video."), _PLAYED | _POSTER, passes_on=True),
    ElementWords("player", _("The same as `video`."), _PLAYED | _POSTER, passes_on=True),
)
def compile_player(compiler: Compiler, node: Element) -> Render:
    given, tag = compiler.given(node), "audio" if node.name == "audio" else "video"
    passed = given.passed(compiler)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        address = scope.source.resolve(attributes.text("playUrl")) or _address(scope, attributes, "videourl")
        if node.place is not TEXT:
            return encode(address, node.place)
        if not address or runs_script(address):
            return ""
        marks = passed(scope)
        if tag == "video" and (poster := scope.source.resolve(attributes.text("imageUrl"))) and not runs_script(poster):
            marks += f' poster="{attribute_text(poster)}"'
        for name, mark in (("isControls", "controls"), ("isAutoPlay", "autoplay"), ("isLoop", "loop")):
            marks += f" {mark}" if attributes.boolean(name, absent=mark == "controls") else ""
        if not attributes.boolean("isPreload", absent=True):
            marks += ' preload="none"'
        return f'<{tag} src="{attribute_text(address)}"{marks}></{tag}>'

    return render


@element(
    ElementWords(
        "photo",
        _("A value of the extra picture that `each` shows."),
        described(
            type=(
                _("The value. Default: `largeUrl`."),
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
        return picture(value, passed(scope)) if name.endswith("url") else encode(value, node.place)

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
        _("A number of content items or channels."),
        CHANNEL
        | SCOPE
        | described(
            type=(_("What to count. Default: `Contents`."), "Contents", "Channels"),
            since=_(
                "Only content items added within this time, such as `3d`: years `y`, months `m`, days `d` or hours `h`."
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
