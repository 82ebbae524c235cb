"""The parts of a template, also of a broken or hostile one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.engine.nodes import Element, Encoding, Entity
from pages.engine.parsing import MAX_DEPTH, parse, read_attributes


def written(nodes):
    """The nodes as they were written, with elements in brackets."""
    texts = []
    for node in nodes:
        if isinstance(node, str):
            texts.append(node)
        elif isinstance(node, Entity):
            texts.append(node.raw)
        else:
            texts.append(f"[{node.name}:{written(node.inner)}]")
    return "".join(texts)


NESTED = [
    ("<stl:a>x</stl:a>", "[a:x]"),
    ("<STL:A x='1'/>y", "[a:]y"),
    ("<stl:a><stl:b><stl:a>x</stl:a></stl:b></stl:a>y", "[a:[b:[a:x]]]y"),
    ("<stl:a>x</stl:a junk>y", "[a:x]y"),
    ("x</stl:a>y", "x</stl:a>y"),
    ("<stl:a>x<stl:b>y</stl:b>", "<stl:a>x[b:y]"),
    ("<stl:contents><li><stl:a>t</li><i></i></stl:contents>", "[contents:<li>[a:t]</li><i></i>]"),
    ("<stl:contents><li><stl:a><b>t</b><br></li></stl:contents>", "[contents:<li>[a:<b>t</b><br>]</li>]"),
    ("<stl:a><stl:b></stl:a></stl:b>", "[a:[b:]]</stl:b>"),
    ("{stl.x}{ stl.x}{content.a b}{Tag.Name}{x}", "{stl.x}{ stl.x}{content.a b}{Tag.Name}{x}"),
]


@pytest.mark.parametrize(("text", "shown"), NESTED)
def test_elements_end_at_their_own_end_tag(text, shown):
    assert written(parse(text)[0]) == shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n <stl:if>", "<stl:if> has no end tag."),
        ("a\n </stl:if>", "No <stl:if> is open here."),
    ],
)
def test_broken_markup_is_reported_with_its_place(text, message):
    ((found),) = parse(text)[1]
    assert (found.message, found.line, found.column) == (message, 2, 2)


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        (" A=\"1\" b='2' c=3 d", {"a": "1", "b": "2", "c": "3", "d": ""}),
        (' a="1" A="2"', {"a": "2"}),
        (' title="{content.title} &amp; x" data-a.b:c=""', {"title": "{content.title} &amp; x", "data-a.b:c": ""}),
    ],
)
def test_attributes_have_any_quotes_and_the_last_of_equal_names_wins(text, attributes):
    assert dict(read_attributes(text)) == attributes


ENTITIES = [
    ("{content.title}", ("content", "title", None)),
    ("{Channel.Title_新闻}", ("channel", "Title_新闻", None)),
    ("{content.itemIndex+1}", ("content", "itemIndex+1", None)),
    ('{stl:value type="x" a=1}', ("stl", "value", (("type", "x"), ("a", "1")))),
]


@pytest.mark.parametrize(("text", "parts"), ENTITIES)
def test_entities(text, parts):
    (entity,) = parse(text)[0]
    assert (entity.family, entity.name, entity.attributes) == parts


# `#` stands for the entity.
PLACES = [
    ("<p>#", Encoding.TEXT),
    ("<!-- <p # -->", Encoding.TEXT),
    ("<p a='>' title=\"#", Encoding.ATTRIBUTE),
    ("<p title=#>", Encoding.UNQUOTED),
    ("<p title='x' #>", Encoding.UNQUOTED),
    ("<p onClick='f(\"#", Encoding.HANDLER),
    ("<p on='x' title='#", Encoding.ATTRIBUTE),
    ("<script src='#'>", Encoding.ATTRIBUTE),
    ("<SCRIPT>if (a < b) '#'", Encoding.SCRIPT),
    ("<script>x</script>#", Encoding.TEXT),
    ("<style>a{#}", Encoding.STYLE),
    ("<script><stl:if>'#'</stl:if></script>", Encoding.SCRIPT),
    ("<stl:if>'</stl:if><p title='#'", Encoding.ATTRIBUTE),
]


@pytest.mark.parametrize(("text", "encoding"), PLACES)
def test_the_place_of_an_entity_in_the_html(text, encoding):
    waiting = list(parse(text.replace("#", "{content.title}"))[0])
    while not isinstance(waiting[0], Entity):
        node = waiting.pop(0)
        waiting = [*node.inner, *waiting] if isinstance(node, Element) else waiting
    assert waiting[0].encoding is encoding


@given(
    st.lists(st.sampled_from(["<stl:a>", "</stl:a>", "<stl:b x='", "</stl:b>", "<li>", "</li>", "x", ">", "{stl.a}"]))
)
def test_no_text_is_lost_or_doubled(pieces):
    text = "".join(pieces)

    def rest(nodes):
        parts = []
        for node in nodes:
            if isinstance(node, str):
                parts.append(node)
            else:
                parts.append(node.raw if isinstance(node, Entity) else node.start + rest(node.inner) + node.end)
        return "".join(parts)

    assert rest(parse(text)[0]) == text


@pytest.mark.parametrize(
    "text",
    [
        "<stl:a>" * 20_000 + "</stl:a>" * 20_000,
        "<stl:a " * 20_000,
        "<stl:a>" * 20_000,
        "{stl:a " * 20_000,
        "<p title='" * 20_000,
    ],
    ids=["nested", "open tags", "without end", "open entities", "quotes"],
)
def test_hostile_templates_are_parsed(text):
    nodes, problems = parse(text)
    assert len(problems) <= 100
    depth = 0
    while nodes and isinstance(nodes[0], Element):
        nodes, depth = nodes[0].inner, depth + 1
    assert depth <= MAX_DEPTH + 1
