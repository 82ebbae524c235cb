"""Where each template of a site is used: in channels, and in other templates."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from channels_app.tree import Record, Tree
from pages.engine.elements.parts import include_path
from pages.engine.nodes import Element, nested
from pages.engine.parsing import LISTS, parse
from pages.models import Template, TemplateKind
from pages.site_facts import facts_of


@dataclass
class Uses:
    channels: list[Record] = field(default_factory=list)  # that name the template
    by_default: list[Record] = field(default_factory=list)  # that use it as the default of its type
    templates: list[Template] = field(default_factory=list)  # that include it


def uses_of(tree: Tree) -> dict[int, Uses]:
    """Return the uses of all templates of the site, by id."""
    facts = facts_of(tree)
    found = {pk: Uses() for pk in facts.templates}
    for channel in tree.channels.values():
        for kind, member in ((TemplateKind.CHANNEL, "channelTemplateId"), (TemplateKind.CONTENT, "contentTemplateId")):
            if kind == TemplateKind.CHANNEL and channel is tree.home:
                continue  # its page is the index page
            template = facts.find(kind, channel[member])
            if template is not None:
                uses = found[template.pk]
                (uses.channels if template.pk == channel[member] else uses.by_default).append(channel)
    includes = {each.name.casefold(): each.pk for each in facts.templates.values() if each.kind == TemplateKind.INCLUDE}
    for template in facts.templates.values():
        for path in included_paths(template.text) & includes.keys():
            found[includes[path]].templates.append(template)
    return found


@lru_cache(1000)
def included_paths(text: str) -> frozenset[str]:
    """Return the paths, in lower case, of the includes that a text names without entities."""
    paths = (include_path(dict(element.attributes).get("file", "")) for element in include_elements(text))
    return frozenset(path.casefold() for path in paths if "{" not in path)


# Elements that may hide their inner text, so that an include there may include itself.
_CONDITIONS = ("if", "navigation", "pageitem", "pageitems", "search", "searchoutput", "site", "tags")
_OPTIONAL = frozenset([*_CONDITIONS, *LISTS])


@lru_cache(1000)
def always_included(text: str) -> tuple[tuple[str, int], ...]:
    """Return the paths of the includes that every page with the text shows, each with the characters before it."""
    found: list[tuple[str, int]] = []
    waiting = list(reversed(parse(text)[0]))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Element):
            continue
        if node.name == "include":
            found.append((include_path(dict(node.attributes).get("file", "")), node.offset))
        elif node.name not in _OPTIONAL:
            waiting += reversed(node.inner)
    return tuple(each for each in found if "{" not in each[0])


def way_back(name: str, path: str, texts: Mapping[str, str]) -> list[str]:
    """Return the includes from the path to the one of the name, as far as each always includes the next; else none."""
    came_from: dict[str, str | None] = {path: None}
    waiting = [path]
    while waiting:
        last = waiting.pop()
        if last.casefold() == name.casefold():
            way, before = [last], came_from[last]
            while before is not None:
                way.insert(0, before)
                before = came_from[before]
            return way
        for each, _ in always_included(texts.get(last.casefold(), "")):
            if each not in came_from:
                came_from[each] = last
                waiting.append(each)
    return []


def include_elements(text: str) -> list[Element]:
    return [node for node in nested(parse(text)[0]) if isinstance(node, Element) and node.name == "include"]
