"""Parts of a page: `include`, `location`, `tags`, `marquee`."""

import re
from html import escape
from urllib.parse import quote

from core.stl.attributes import Attributes
from core.stl.truncation import cut_words
from pages.engine.compiling import ELEMENTS, Compiler, Render, element
from pages.engine.html import Written, attribute_text, encode
from pages.engine.nodes import Element, Problem
from pages.engine.reading import Beginning
from pages.engine.scope import Scope
from pages.engine.source import Tag
from pages.engine.words import CONTEXT, SHAPE, WINDOW, ElementWords, _, described

# A mark, and whether it is the value of a query: `?tagName={Tag.Name}`.
_TAG_MARK = re.compile(r"([?&;][\w.-]+=)?\{tag\.(name|count|level)\}", re.IGNORECASE)
_OF_ADDRESSES = re.compile(r"[^\w.~-]", re.ASCII)
_SEPARATORS = re.compile(r"[,\s]+")
ACCOUNT = '<div id="cms-account"></div>'  # which the pages of members replace


@element(
    ElementWords(
        "account",
        _("Where `account.html` shows the pages on which users sign in, register and change their profile."),
        described(),
    )
)
def compile_account(_compiler: Compiler, _node: Element) -> Render:
    return lambda _scope: ACCOUNT


@element(
    ElementWords(
        "include",
        _("An include file; other attributes are parameters, which it shows as `{stl.name}`."),
        described(file=_("The path of the file below the folder of the site.")),
        passes_on=True,
    )
)
def compile_include(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    written = given.written
    beginning = node.reader and Beginning(repr(node.reader), node.reader)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        path = include_path(attributes.text("file"))
        scope.budget.check_depth(scope.depth + 1, "Includes")
        scope.budget.take_include()
        included = scope.includes(scope.source, path, beginning)
        if included is None:
            scope.budget.report(Problem(f"The include {path or '(no file)'} is missing.", 0, 0, scope.file))
            return ""
        parameters = {
            name: Written(value) if name in written else value for name, value in attributes.items() if name != "file"
        }
        return str(included(scope.within(parameters=parameters, file=path, depth=scope.depth + 1)))

    return render


def include_path(file: str) -> str:
    """Return the path of an include below the site's folder: `/a.html`, `@/a.html` and `a.html` are the same."""
    parts = file.strip().lstrip("@~").replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in {"", ".", ".."})


@element(
    ElementWords(
        "location",
        _("Links to the channels from the home channel to the current one, with its inner text between them."),
        described(
            separator=_("The text between the links if there is no inner text. Default: ` - `."),
            target=_("The target of the links, such as `_blank`."),
            linkClass=_("The class of the links."),
            wordNum=SHAPE["wordNum"].summary,
            isContainSelf=(_("Show the current channel, too. Default: `true`."), "true", "false"),
        ),
        passes_on=True,
    )
)
def compile_location(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    inner = compiler.block(node.inner) if node.inner else None
    passed = given.passed(compiler)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        way = scope.source.above(scope.channel)
        if not way:
            return ""
        if attributes.boolean("isContainSelf", absent=True, unparsable=True):
            way = [*way, scope.channel]
        separator = inner(scope) if inner else encode(attributes.text("separator", " - "), node.place)
        classes = attributes.text("linkClass")
        marks = f' class="{attribute_text(classes)}"' if classes else ""
        if target := attributes.text("target"):
            marks += f' target="{attribute_text(target)}"'
        marks += passed(scope)
        links = [
            f'<a href="{encode(attribute_text(scope.source.channel_url(channel)), node.place)}"{marks}>'
            f"{encode(_name(channel, attributes), node.place)}</a>"
            for channel in way
        ]
        return separator.join(links)

    return render


def _name(channel: dict[str, str], attributes: Attributes) -> str:
    return cut_words(channel["channelName"], attributes.integer("wordNum"), "...")


@element(
    ElementWords(
        "tags",
        _(
            "The tags of the content item, or of the site: its inner text for each, with `{Tag.Name}` and "
            "`{Tag.Count}`."
        ),
        CONTEXT
        | described(
            totalNum=WINDOW["totalNum"].summary,
            isOrderByCount=(_("Sort the tags of the site by the number of content items."), "true", "false"),
            tagLevel=_("Only tags of this level or above: 1, 2, or 3 for the most used third."),
        ),
    )
)
def compile_tags(compiler: Compiler, node: Element) -> Render:
    given, inner = compiler.given(node), compiler.block(node.inner)
    has_inner = any(not isinstance(child, str) or child.strip() for child in node.inner)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        context = attributes.text("context").strip().casefold()
        is_of_content = scope.is_of_content if not context else context == "content"
        tags = _tags_of_content(scope) if is_of_content else _tags_of_site(scope, attributes)
        if not has_inner:
            return _cloud(scope, tags)
        written = []
        for tag, level in tags:
            text = _filled(inner(scope), tag, level)
            scope.budget.take_item(text)
            written.append(text)
        return "".join(written)

    return render


def _filled(text: str, tag: Tag, level: int) -> str:
    values = {"name": tag.name, "count": str(tag.uses), "level": str(level)}

    def value_of(mark: re.Match[str]) -> str:
        value = values[mark[2].lower()]
        return f"{mark[1]}{_in_query(value)}" if mark[1] else escape(value)

    return _TAG_MARK.sub(value_of, text)


def _in_query(value: str) -> str:
    """Return the value for a query; letters beyond ASCII stay, as in SiteServer."""
    return _OF_ADDRESSES.sub(lambda found: quote(found[0]) if found[0].isascii() else found[0], value)


def _tags_of_content(scope: Scope) -> list[tuple[Tag, int]]:
    names = _SEPARATORS.split(str(scope.content["tags"])) if scope.content is not None else []
    return [(Tag(name, 1), 1) for name in names if name]


def _tags_of_site(scope: Scope, attributes: Attributes) -> list[tuple[Tag, int]]:
    tags = list(scope.source.tags())
    if attributes.boolean("isOrderByCount"):
        tags.sort(key=lambda tag: -tag.uses)
    tags = tags[: attributes.integer("totalNum") or None]
    ranked = sorted({tag.uses for tag in tags}, reverse=True)
    level = {count: 3 - place * 3 // max(len(ranked), 1) for place, count in enumerate(ranked)}
    wanted = attributes.integer("tagLevel")
    return [(tag, level[tag.uses]) for tag in tags if level[tag.uses] >= wanted]


def _cloud(scope: Scope, tags: list[tuple[Tag, int]]) -> str:
    if not tags:
        return ""
    url = f"{scope.source.web_url}/utils/tags.html?tagName="
    items = [
        f'<li class="tag_popularity_{level}"><a href="{url}{quote(tag.name)}">{escape(tag.name)}</a></li>'
        for tag, level in tags
    ]
    return f'<ul class="tagCloud">{"".join(items)}</ul>'


@element(
    ElementWords(
        "marquee",
        _("Scrolls its inner text; it stops under the pointer."),
        described(
            direction=(_("The direction. Default: `vertical`."), "vertical", "horizontal"),
            width=_("The width, in pixels or as in CSS. Default: `100%`."),
            height=_("The height, in pixels or as in CSS. Default: `120` if it scrolls vertically."),
            scrollDelay=_("The time for each pixel, in milliseconds. Default: 40."),
        ),
    )
)
def compile_marquee(compiler: Compiler, node: Element) -> Render:
    given, inner = compiler.given(node), compiler.block(node.inner)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        is_across = attributes.text("direction").strip().casefold() == "horizontal"
        height = attributes.text("height").strip() or ("" if is_across else "120")
        size = f"width: {_length(attributes.text('width').strip() or '100%')}"
        if height:
            size += f"; height: {_length(height)}"
        return (
            f'<marquee direction="{"left" if is_across else "up"}" style="{attribute_text(size)}" truespeed '
            f'scrollamount="1" scrolldelay="{attributes.integer("scrollDelay") or 40}" onmouseover="this.stop()" '
            f'onmouseout="this.start()">{inner(scope)}</marquee>'
        )

    return render


def _length(text: str) -> str:
    return f"{text}px" if text[-1:].isdigit() else text.partition(";")[0]


def compile_unsupported(compiler: Compiler, node: Element) -> Render:
    compiler.report(node, f"<stl:{node.name}> is not supported and shows nothing.")
    return lambda scope: ""


UNSUPPORTED = (*("analysis", "searchinput", "rss", "printer", "zoom", "tree", "select"),)
ELEMENTS.update(dict.fromkeys(UNSUPPORTED, compile_unsupported))
