"""The words of elements and entities agree with the code."""

from types import SimpleNamespace

import pytest

from cms_api.sql_endpoint import views
from core.stl.attributes import Attributes
from forms.models import Entry, Form
from pages.cache_lifetime import LastingSource
from pages.engine import compiling
from pages.engine.elements import conditions, items, search
from pages.engine.elements.parts import UNSUPPORTED
from pages.engine.parsing import FAMILIES
from pages.engine.vocabulary import ELEMENTS, ENTITIES
from pages.engine.words import SHAPE
from pages.models import TemplateKind
from tests.factories import ContentFactory
from tests.pages.showing import Museum
from tests.pages.sites import make_template

NOTHING_SHOWN = {"user", "comment"}
IN_CODE = {words.name: words for words in ELEMENTS.values() if not words.parents}
RESULT = "<stl:yes><stl:pageContents></stl:pageContents></stl:yes>"
BEFORE = {"pageItem": '<stl:pageContents pageNum="1"></stl:pageContents>'}
INNER = {"search": RESULT, "searchOutput": RESULT}
OF_SEARCH = {"page", "parent", "uplevel", "toplevel", "startnum", "totalnum"}
# Read together with others, but of no use here.
BESIDE = {
    **{name: {shape.lower() for shape in SHAPE} for name in ("image", "audio", "video", "player")},
    "search": OF_SEARCH,
    "searchOutput": OF_SEARCH,
    "site": {"startnum", "totalnum"},
    "sqlContent": {"connectionstring", "startnum", "totalnum"},
    "sqlContents": {"connectionstring"},  # other databases are refused
    "pageSqlContents": {"connectionstring"},
}


class Recorded(Attributes):
    """Attributes that record which of them are read."""

    def __init__(self, pairs, reads):
        super().__init__(pairs)
        self.reads = reads

    def text(self, name, default=""):
        self.reads.add(name.lower())
        return super().text(name, default)

    def __contains__(self, name):
        self.reads.add(name.lower())
        return super().__contains__(name)

    def items(self):
        return ((name, Attributes.text(self, name)) for name in self)

    def replaced(self, **texts):
        return Recorded(super().replaced(**texts).items(), self.reads)


def start_tags(words):
    """Start tags with each value of `type`, and with each attribute alone."""
    kinds = words.attributes["type"].values if "type" in words.attributes else ()
    given = [("type", kind) for kind in kinds] + [(name, "1") for name in words.attributes]
    start = f"<stl:{words.name}"
    return [f"{start}>", *(f'{start} {name}="{value}">' for name, value in given)]


@pytest.mark.django_db
@pytest.mark.parametrize("name", IN_CODE)
def test_the_attributes_described_are_those_read(name, monkeypatch):
    words = IN_CODE[name]
    reads = {"layout"} if "layout" in words.attributes else set()  # read when the template is compiled
    given_of = compiling.Compiler.given

    def recorded(compiler, node, **options):
        given = given_of(compiler, node, **options)
        if node.name == name.lower():
            given._constant = Recorded(node.attributes, reads)
        return given

    monkeypatch.setattr(compiling.Compiler, "given", recorded)
    monkeypatch.setattr(LastingSource, "_note", lambda source, attributes: None)  # asks for all, whatever the element
    if name.startswith("search"):
        monkeypatch.setattr(search, "Attributes", lambda pairs: Recorded(pairs, reads))
    # The sandbox of statements would not see this transaction.
    monkeypatch.setattr(views, "run_statement", lambda *given: SimpleNamespace(rows='[{"Id": 1}]'))
    museum = Museum()
    make_template(museum.site, TemplateKind.INDEX)
    content = ContentFactory(channel=museum.news, is_checked=True, image_url="@/a.png", tags="ship")
    ContentFactory.create_batch(10, channel=museum.news, is_checked=True)
    form = Form.objects.create(site=museum.site, name="Guests", public_list=Form.PublicList.APPROVED)
    form.entries.create(state=Entry.State.APPROVED)
    museum.site.settings |= {"comments": "Everybody"}
    museum.site.save()
    for tag in start_tags(words):
        for inner in (INNER.get(name, "x"), ""):
            museum.show(f"{BEFORE.get(name, '')}{tag}{inner}</stl:{name}>", content=content)
    assert reads - BESIDE.get(name, set()) == set(map(str.lower, words.attributes))


def test_everything_is_described():
    assert {words.name.lower() for words in IN_CODE.values()} == set(compiling.ELEMENTS) - set(UNSUPPORTED)
    assert {family.lower() for family in ENTITIES} | NOTHING_SHOWN == set(compiling.ENTITIES) == set(FAMILIES)


def test_choices_are_those_of_the_code():
    of_visitors = {name for name, compare in conditions._KNOWN.items() if compare is conditions._never}
    known = {value.lower() for value in ELEMENTS["if"].attributes["type"].values}
    assert known == conditions._KNOWN.keys() - of_visitors | {"itemindex"}
    selected = {value.lower() for value in ELEMENTS["itemTemplate"].attributes["selected"].values}
    assert selected == items._SELECTED.keys() | {"channelname"}
