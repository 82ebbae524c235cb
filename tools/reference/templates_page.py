"""docs/reference/templates.md: the elements and entities that pages are made with."""

from pages.engine.vocabulary import ELEMENTS, ENTITIES
from pages.engine.words import CHANNEL, CHANNEL_LIST, CONTENT_LIST, CONTEXT, LIST, SHAPE, SITES, TABLE, WINDOW
from tools.reference.markdown import page, table

_HEAD = """Templates are HTML with elements (`<stl:contents>…</stl:contents>`) and entities (`{content.title}`). Names
are read in any letter case. An element can be an entity, too: `{stl:a channelIndex="news"}` is the address of the link
that `<stl:a channelIndex="news">` shows, and in a script `{stl:contents}` is the list as JSON.
[Pages](../pages.md#templates) explains how values become HTML, and the differences from SiteServer.

Values of attributes may contain entities. Boolean attributes are `true` or `false`. "Any member" means the members of
a [content](contents.md#content) or [channel](channels.md#channel) of the API."""
_OF_COLUMNS = """Any other attribute that has the name of a member or custom field selects contents by its value:
`author="Ada"`, `author="Ada,Ben"`, `author="not:Ada"`, or by a part of it: `author="contains:d"`, `start:`, `end:`."""
_GROUPS = (
    ("Lists of contents", CONTENT_LIST, _OF_COLUMNS),
    ("Lists of channels", CHANNEL_LIST, ""),
    ("All lists", LIST, ""),
    ("The channel", CHANNEL, "They select another channel than the current one."),
    ("The context", CONTEXT, ""),
    ("The shape of a text", SHAPE, ""),
    ("A part of a list", WINDOW, ""),
    ("Tables", TABLE, "They show the items in the cells of a table, without separators."),
    ("Sites", SITES, ""),
)
_PASSES_ON = "HTML attributes"
_BOOLEAN = ("true", "false")


def templates_page():
    """The text of the page."""
    elements = sorted(ELEMENTS.values(), key=lambda words: words.name.lower())
    return page(
        "Template elements and entities",
        _HEAD,
        "## Elements",
        *map(_element, elements),
        "## Common attributes",
        *(_group(*group) for group in _GROUPS),
        f"### {_PASSES_ON}\n\nAny other attribute, such as `class`, becomes an attribute of the HTML tag.",
        "## Entities",
        *(_family(*each) for each in sorted(ENTITIES.items())),
    )


def _element(words):
    if same := _same_before(words):
        return f"### {words.name}\n\nThe same as {_link(same)}."
    own, links = _without_groups(words.attributes)
    if words.passes_on and words.name != "include":
        links.append(_group_link(_PASSES_ON))
    parents = "" if words.summary.startswith("The same as") else ", ".join(map(_link, words.parents))
    return _joined(
        f"### {words.name}",
        words.summary + (f" A direct child of {parents}." if parents else ""),
        _attributes(own),
        _also(links),
    )


def _same_before(words):
    """The name of the element that has the same words and comes first."""
    first = min(each.name for each in ELEMENTS.values() if each.summary == words.summary)
    return first if first != words.name and ELEMENTS[first].attributes == words.attributes else None


def _link(name):
    return f"[`{name}`](#{name.lower()})"


def _without_groups(attributes, itself=""):
    """The attributes outside of the common groups, and links to the groups."""
    rest, links = dict(attributes), []
    for title, group, _note in _GROUPS:
        if title != itself and group.items() <= rest.items():
            rest = {name: words for name, words in rest.items() if name not in group}
            links.append(_group_link(title))
    return rest, links


def _group_link(title):
    text = title if title == _PASSES_ON else title[0].lower() + title[1:]
    return f"[{text}](#{title.lower().replace(' ', '-')})"


def _group(title, group, note):
    own, links = _without_groups(group, title)
    return _joined(f"### {title}", _attributes(own), _also(links), note)


def _also(links):
    return f"**Also:** {', '.join(links)}." if links else ""


def _attributes(attributes):
    return table(("Attribute", "Meaning"), ((f"`{name}`", _meaning(words)) for name, words in attributes.items()))


def _meaning(words):
    return " ".join([words.summary, _choice(words.values)]).strip()


def _choice(values):
    if values == _BOOLEAN:
        return "Boolean."
    return f"Values: {', '.join(f'`{value}`' for value in values)}." if values else ""


def _family(family, words):
    rows = ((f"`{{{family}.{name}}}`", meaning) for name, meaning in words.names.items())
    return _joined(f"### {{{family}.…}}", words.summary, table(("Entity", "Value"), rows))


def _joined(*parts):
    return "\n\n".join(filter(None, parts))
