"""`a`: a link to a content, a channel or an address."""

import re

from core.stl.attributes import Attributes
from pages.engine.compiling import TAG_ENTITIES, Compiler, Render, element
from pages.engine.elements.values import LEVELS, moves
from pages.engine.html import NO_LINK, attribute_text, encode, link_of, runs_script
from pages.engine.nodes import Element
from pages.engine.scope import Kind, Scope
from pages.engine.words import CHANNEL, CONTEXT, ElementWords, _, described

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


def aim(scope: Scope, attributes: Attributes) -> Scope:
    """Return the scope inside a link: with the type of the target, and the chosen channel."""
    kind = scope.kind
    for name in attributes:
        if name == "context":
            kind = kind_of(attributes, kind)
        elif name in LEVELS and moves(attributes):
            kind = Kind.CHANNEL
    if moves(attributes):
        return scope.within(kind=kind, channel=scope.source.find_channel(scope.channel, attributes))
    return scope.within(kind=kind)


def kind_of(attributes: Attributes, default: Kind) -> Kind:
    """Return the type that the attribute `context` sets."""
    name = attributes.text("context").strip().casefold()
    return next((kind for kind in Kind if kind.value == name), default)


def address_of(scope: Scope, attributes: Attributes) -> str:
    """Return the address of the link's target in the scope inside the link."""
    if href := attributes.text("href"):
        address = scope.source.resolve(href)
    elif scope.is_of_content and scope.content is not None and not moves(attributes):
        address = link_of(str(scope.content["navigationUrl"]))
    else:
        address = scope.source.channel_url(scope.channel)
    if address == NO_LINK:
        return address
    host, query = attributes.text("host"), attributes.text("queryString").lstrip("?&")
    if host and not _SCHEME.match(address):
        address = (host.rstrip("/") if address.startswith("/") else host) + address
        if runs_script(address):
            return ""
    return f"{address}{'&' if '?' in address else '?'}{query}" if query else address


@element(
    ElementWords(
        "a",
        _("A link to the current content item or channel, or to the channel or address that attributes give."),
        CHANNEL
        | CONTEXT
        | described(
            href=_("The address; `@/` is the folder of the site."),
            queryString=_("The query added to the address."),
            host=_("The host put before an address that has none."),
            id=_("The id of the HTML tag; in a list with the number of the item, so that it is unique."),
        ),
        passes_on=True,
    )
)
def compile_a(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    passed, inner = given.passed(compiler), compiler.block(node.inner)
    without_target = given.passed(compiler, "target")
    # As in SiteServer, a link is filled in only if the template has nothing inside it, not if that shows nothing.
    is_blank = all(isinstance(child, str) and not child.strip() for child in node.inner)
    is_empty = is_blank and not any(node.inner)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        within = aim(scope, attributes)
        address = address_of(within, attributes)
        text = inner(within)
        if is_blank and not attributes.text("href"):
            if not (within.is_of_content and within.content is not None):
                text = encode(within.source.channel_value(within.channel, "channelname", Attributes(())), node.place)
            elif is_empty:
                text = encode(within.source.content_value(within.content, "title", Attributes(())), node.place)
        further = without_target(scope) if address == NO_LINK else passed(scope)
        number = _id(scope, attributes)
        return f'<a href="{encode(attribute_text(address), node.place)}"{number}{further}>{text}</a>'

    return render


def _id(scope: Scope, attributes: Attributes) -> str:
    name = attributes.text("id")
    if not name:
        return ""
    index = scope.content_index or scope.channel_index
    return f' id="{attribute_text(f"{name}_{index}" if index else name)}"'


def _compile_address(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        return encode(address_of(aim(scope, attributes), attributes), node.place)

    return render


TAG_ENTITIES["a"] = _compile_address


@element(
    ElementWords(
        "container", _("Its inner text, for the current content item or channel, or the one that attributes give."),
        CHANNEL | CONTEXT,
    )
)  # fmt: skip
def compile_container(compiler: Compiler, node: Element) -> Render:
    given, inner = compiler.given(node), compiler.block(node.inner)
    return lambda scope: inner(aim(scope, given.read(scope)))
