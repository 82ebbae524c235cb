"""Values in statements, and in the conditions and orders of lists."""

import pytest

from pages.engine.source import Listed
from pages.engine.template import Template
from pages.site_source import SiteSource
from tests.cases import each_once
from tests.factories import ContentFactory
from tests.pages.showing import Museum
from tests.worlds import world

pytestmark = pytest.mark.django_db
NO_PLACE = "A value may not be in a comment of a statement, or where its quotes can be read in two ways."
ALL = "It's|Fourth|Third|Second|First"


@world
def museum():
    museum = Museum()
    ContentFactory(channel=museum.news, title="It's", taxis=9, is_checked=True)
    return museum


@pytest.fixture
def read(monkeypatch):
    """The statements that were read."""
    statements = []

    def rows(self, attributes):
        statements.append(attributes.text("queryString"))
        return Listed((), 0)

    monkeypatch.setattr(SiteSource, "rows", rows)
    return statements


# A condition, the query's `w`, and the titles that it lists.
CONDITIONS = [
    ("Title = '{request.w}'", "Second", "Second"),
    ("Title = '{request.w}'", "x' OR Title != '", ""),
    ("Title = '{request.w}'", "It's", "It's"),
    ("Title LIKE '%{request.w}%' AND Id > 0", "econ", "Second"),
    ("Id > {request.w}", "0", ALL),
    ("Id > {request.w}", "0 OR Id > 0", ""),
    ("{request.w}", "Id > 0", ""),
    ("{request.w} > 0", "Id", ""),
    ("[Title] = 'Second' AND Id > {request.w}", "0", "Second"),
    ("Title = 'it''s {request.w}' OR Id > 0", "' AND '", ALL),
]


@each_once(
    (("where", "word", "titles"), CONDITIONS),
    ("name", ["contents", "pageContents"]),
)
def test_a_condition_takes_a_value_of_a_visitor(museum, where, word, titles, name):
    text = f'<stl:{name} where="{where}">{{content.title}}|</stl:{name}>'
    assert museum.show(text, museum.news, query={"w": word}).strip("|") == titles


# An order, the query's `w`, and the first title.
ORDERS = [
    ("{request.w}", "Back", "First"),
    ("Title {request.w}", "desc", "Third"),
    ("{request.w}", "Title", ""),
    ("Id, {request.w}", "summary", ""),
]


@pytest.mark.parametrize(("order", "word", "first"), ORDERS)
def test_a_visitor_chooses_no_column_to_sort_by(museum, order, word, first):
    text = f"<stl:contents order='{order}' totalNum='1'>{{content.title}}</stl:contents>"
    assert museum.show(text, museum.news, query={"w": word}) == first


def test_an_include_takes_a_condition_of_the_template_only(museum):
    listed = "<stl:contents where='{stl.w}'>{content.title}|</stl:contents>"
    included = "<stl:include file='include/a.html' w='@'/>"
    assert museum.show(included.replace("@", "Id > 0"), museum.news, a=listed).strip("|") == ALL
    assert museum.show(included.replace("@", "{request.w}"), museum.news, a=listed, query={"w": "Id > 0"}) == ""


# A statement, the query's `w`, and the statement that is read; None if there is none.
STATEMENTS = [
    ("SELECT '{request.w}'", "it's", "SELECT 'it''s'"),
    ("SELECT {request.w}", "1", "SELECT 1"),
    ("SELECT {request.w}", "1 OR 1", None),
    ("SELECT 'it''s {request.w}'", "'", "SELECT 'it''s '''"),
    ("SELECT [a b], {request.w}", "2", "SELECT [a b], 2"),
    ("SELECT `a`, '{request.w}'", "\\", None),
    ("SELECT 1 /* '{request.w}' */", "5", None),
    ("SELECT 1 -- it's {request.w}", "5", None),
    ("SELECT 1 -- it's\n, '{request.w}'", "'", "SELECT 1 -- it's\n, ''''"),
    ("SELECT 1 /* ' */, {request.w}", "x", None),
    ("SELECT 1 /* ' */, '{request.w}'", "'", "SELECT 1 /* ' */, ''''"),
    ("SELECT 1 /* /* */ '{request.w}'", "x", None),
    ("SELECT $a$ {request.w} $a$", "5", None),
    ("SELECT E'{request.w}'", "x", None),
    ("SELECT [it's], '{request.w}'", "x", None),
    ("SELECT 'a\\' || '{request.w}'", "x", None),
    ("SELECT '--', '{request.w}'", "'", "SELECT '--', ''''"),
]


@pytest.mark.parametrize(("statement", "word", "expected"), STATEMENTS)
def test_a_statement_takes_a_value_of_a_visitor(museum, read, statement, word, expected):
    text = f"<stl:sqlContents><stl:queryString>{statement}</stl:queryString>x</stl:sqlContents>"
    museum.show(text, query={"w": word})
    assert read == ([expected] if expected else [])


def test_a_value_in_a_comment_is_an_error_of_the_template():
    text = "a\n<stl:sqlContents queryString=\"SELECT 1 /* '{request.w}' */\">x</stl:sqlContents>"
    (problem,) = Template(text).problems
    assert (problem.message, problem.line, problem.column) == (NO_PLACE, 2, 1)
