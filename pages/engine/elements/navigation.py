"""`navigation`: the previous and next content or channel."""

from cms_api.stl.attributes import Attributes
from cms_api.stl.truncation import cut_words
from pages.engine.compiling import Branches, Compiler, Render, element
from pages.engine.elements.links import NO_LINK
from pages.engine.html import attribute_text
from pages.engine.nodes import Element
from pages.engine.scope import Kind, Scope
from pages.engine.source import Record
from pages.engine.words import SHAPE, ElementWords, _, described


@element(
    ElementWords(
        "navigation",
        _("A link to the previous or next content or channel."),
        described(
            type=(
                _("Where it leads. Default: `NextContent`"),
                *("PreviousContent", "NextContent", "PreviousChannel", "NextChannel"),
            ),
            emptyText=_("The text shown if there is none."),
            tipText=_("The text before the link."),
            wordNum=SHAPE["wordNum"].summary,
            ellipsis=SHAPE["ellipsis"].summary,
        ),
        passes_on=True,
    )
)
def compile_navigation(compiler: Compiler, node: Element) -> Render:
    given, branches = compiler.given(node), Branches(compiler, node)
    passed = given.passed(compiler)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        name = attributes.text("type").strip().casefold() or "nextcontent"
        tip, neighbour = attributes.text("tipText"), find_neighbour(scope, name)
        if branches.has_yes or branches.has_no:
            text = branches.no(scope) if neighbour is None else branches.yes(_beside(scope, neighbour))
            return tip + text if text else text
        if neighbour is None:
            return tip + attributes.text("emptyText")
        within = _beside(scope, neighbour)
        text = branches.yes(within) or _name(within, attributes)
        return f'{tip}<a href="{attribute_text(_url(within))}"{passed(scope)}>{text}</a>'

    return render


def find_neighbour(scope: Scope, name: str) -> Record | None:
    """Return the neighbour that a type such as `nextchannel` names."""
    is_next = name.startswith("next")
    if name.endswith("channel"):
        way = scope.source.above(scope.channel)
        siblings = way[-1]["children"] if way else []
        place = next((place for place, each in enumerate(siblings) if each["id"] == scope.channel["id"]), -1)
        if place < 0:
            return None
        place += 1 if is_next else -1
        return siblings[place] if 0 <= place < len(siblings) else None
    return None if scope.content is None else scope.source.neighbour(scope.content, is_next=is_next)


def _beside(scope: Scope, neighbour: Record) -> Scope:
    if "channelId" in neighbour:
        channel = scope.source.channel(neighbour["channelId"]) or scope.channel
        return scope.within(kind=Kind.CONTENT, channel=channel, content=neighbour)
    return scope.within(kind=Kind.CHANNEL, channel=neighbour)


def _url(scope: Scope) -> str:
    if scope.kind is Kind.CONTENT and scope.content is not None:
        return str(scope.content["navigationUrl"])
    return scope.source.channel_url(scope.channel)


def neighbour_url(scope: Scope, name: str) -> str:
    neighbour = find_neighbour(scope, name)
    return NO_LINK if neighbour is None else _url(_beside(scope, neighbour))


def _name(scope: Scope, attributes: Attributes) -> str:
    if scope.kind is Kind.CONTENT and scope.content is not None:
        text = scope.source.content_value(scope.content, "title", Attributes(()))
    else:
        text = scope.source.channel_value(scope.channel, "channelname", Attributes(()))
    return cut_words(text, attributes.integer("wordNum"), attributes.text("ellipsis", "..."))
