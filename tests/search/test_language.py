"""The language of queries: quotation marks, what is left out, tags and authors."""

import pytest

from contents.models import Content
from events.numbering import number_new
from search import following
from search.query import match
from search.words import MAX, MAX_QUERY, Words, read_words
from tests.factories import ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["followed", "newer"])
def contents(request):
    """The titles found by a query; each way of matching must find the same."""
    following.follow()
    site = SiteFactory()
    for title, tags, author in (
        ("Paving the old market", "town,Modern Art", "Anna Meier"),
        ("The market: old paving", "art", "Meier, Bernd"),
        ("博物馆新馆开放", "新闻", "王芳"),
        ("博物馆 Museum 开馆", "新闻中心", "王"),
    ):
        ContentFactory(site=site, title=title, tags=tags, author=author)
    if request.param == "followed":
        number_new()
        following.follow()

    def find(query):
        found = match("content", read_words(query))
        ids, params = found.ids()
        condition, values = found.condition("contents_content.id")
        rows = Content.objects.extra(where=[f"contents_content.id IN ({ids})"], params=params)
        assert set(rows) == set(Content.objects.extra(where=[condition], params=values))
        return sorted(row.title[:6] for row in rows)

    return find


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("old market", ["Paving", "The ma"]),
        ('"old market"', ["Paving"]),
        ("“old market”", ["Paving"]),
        ('"old mark"', []),
        ('"market, OLD!"', ["The ma"]),
        ('market -"old market"', ["The ma"]),
        ("market -pav", ["Paving", "The ma"]),
        ("market -paving", []),
        ("market - paving", ["Paving", "The ma"]),
        ("market -the-old", ["The ma"]),
        ('tag:"modern art"', ["Paving"]),
        ("tag:art", ["The ma"]),
        ("market -tag:art", ["Paving"]),
        ("TAG:Town old", ["Paving"]),
        ("author:meier", ["Paving", "The ma"]),
        ("author:anna market", ["Paving"]),
        ("-author:anna meier", ["The ma"]),
        ("tag：新闻", ["博物馆新馆开"]),
        ("author:王", ["博物馆 Mu", "博物馆新馆开"]),
        ("author:王芳", ["博物馆新馆开"]),
        ('"新馆开"', ["博物馆新馆开"]),
        ('"博物馆 museum 开"', ["博物馆 Mu"]),
        ("博物馆 -开放", ["博物馆 Mu"]),
        ("site:x market", []),  # words where places have no meaning
        ("http://the.old/market", []),
    ],
)
def test_finds(contents, query, titles):
    assert contents(query) == titles


def test_places_are_read_where_they_are_asked_for():
    words = read_words('in:"Press releases" -site:docs site:中文 harbour', has_places=True)
    assert (words.beginnings, words.channels, words.sites) == (("harbour",), ("Press releases",), ("中文",))
    assert words.without == Words(sites=("docs",))


@pytest.mark.parametrize("query", ["", '"', "- -", "-only", '-"a b" -tag:c', '""', "* ( ) :", "\0", "author:", " "])
def test_queries_that_name_nothing_to_find_are_empty(query):
    assert not read_words(query.replace("author:", 'author:""'))


def test_long_queries_are_cut():
    words = read_words('a"b" -c tag:d ' * 10_000 + "late")
    assert len(words.beginnings + words.phrases + words.tags + words.without.phrases) <= MAX
    assert read_words("x" * 10_000).beginnings == ("x" * 60,)
    assert MAX_QUERY < 10_000
