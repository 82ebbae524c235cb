"""`navigation`: the previous and next content or channel."""

from core.stl.attributes import Attributes
from core.stl.truncation import cut_words
from pages.engine.compiling import Branches, Compiler, Render, element
from pages.engine.html import NO_LINK, attribute_text, encode, link_of, script_text
from pages.engine.nodes import Element
from pages.engine.scope import Kind, Scope
from pages.engine.source import Record
from pages.engine.words import SHAPE, ElementWords, _, described


@element(
    ElementWords(
        "navigation",
        _("A link to the previous or next content item or channel."),
        described(
            type=(
                _("Where it leads. Default: `NextContent`."),
                *("PreviousContent", "NextContent", "PreviousChannel", "NextChannel"),
            ),
            emptyText=_("The text shown if there is none."),
            tipText=_("The text before the link."),
            wordNum=SHAPE["wordNum"].summary,
            ellipsis=SHAPE["ellipsis"].summary,
            isKeyboard=(_("Follow the link when the left or right arrow key is pressed, too."), "true", "false"),
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
        tip, neighbour = encode(attributes.text("tipText"), node.place), find_neighbour(scope, name)
        if neighbour is None:
            text = branches.no(scope) if branches.are_given else encode(attributes.text("emptyText"), node.place)
            return "" if branches.are_given and not text else tip + text
        within = _beside(scope, neighbour)
        text, script = branches.yes(within), _on_key(name, _url(within)) if attributes.boolean("isKeyboard") else ""
        if branches.are_given:
            return tip + text + script if text else script
        text = text or encode(_name(within, attributes), node.place)
        return f'{tip}<a href="{encode(attribute_text(_url(within)), node.place)}"{passed(scope)}>{text}</a>{script}'

    return render


def _on_key(name: str, url: str) -> str:
    """Return the script that follows the link, except while the visitor writes in a form."""
    key = "ArrowRight" if name.startswith("next") else "ArrowLeft"
    return (
        f"<script>addEventListener('keydown', function (event) {{ if (event.key === '{key}' && "
        f"!/INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) location.href = '{script_text(url)}'; }});</script>"
    )


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
        return link_of(str(scope.content["navigationUrl"]))
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
