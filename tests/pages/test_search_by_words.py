"""`search` by the index of words: what it finds, in which order, and nothing that visitors may not see."""

import random
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.models import Content, CustomField
from contents.services.single import trash_content
from pages.cache_lifetime import LONG, SHORT
from pages.models import TemplateKind
from search import ranking
from search.models import SearchProgress
from tests.contents.asking import query
from tests.contents.test_search import BY_INDEX, HOSTILE, NOW, follow, plan_of
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.pages.showing import Museum
from tests.pages.sites import make_template
from tests.worlds import world

pytestmark = pytest.mark.django_db
ALL = 'type="title,content,tags,author"'


@world
def museum():
    follow()
    return Museum()


@pytest.fixture(params=["followed", "newer"])
def known(request):
    """Both states of a record: in the index, or newer than it."""
    return follow if request.param == "followed" else lambda: None


def add(channel, title, **fields):
    return ContentFactory(channel=channel, title=title, **{"is_checked": True, "add_date": NOW} | fields)


def page(museum, word, attributes=ALL, listed='order="Relevance"', **asked):
    text = (
        f"<stl:search {attributes}><stl:yes><stl:pageContents {listed}>{{content.title}}|</stl:pageContents>"
        '<stl:pageItem type="totalNum"></stl:pageItem></stl:yes><stl:no>0</stl:no></stl:search>'
    )
    return museum.page(text, query={"word": word, **asked})


def found(museum, word, attributes=ALL, listed='order="Relevance"', **asked):
    """The titles, and the number of all."""
    *titles, total = page(museum, word, attributes, listed, **asked).html.split("|")
    return titles, int(total)


def make_texts(museum):
    beside = ChannelFactory(site=museum.site, channel_name="Ferry")
    for at, (title, body, tags, author) in enumerate(
        [
            ("Harbour lamp", "<p>It shines.</p>", "ferry", "Ada Smith"),
            ("The ferry timetable", "From the <b>har</b>bour at nine: opening hours.", "", "Lee"),
            ("The ferry", "Opens at nine. Hours vary.", "ferry,town", "Smith"),
            ("Zürich", "An old lamp and a ferry.", "opening hours", ""),
            ("博物馆开放时间", "港口的渡轮 lamp", "", "李"),
            ("开放的港口", "时间 ferry", "", ""),
            ("News", "A harbour's lamp, far from the ferry", "town", "ferry"),
        ]
    ):
        channel = (museum.news, museum.about, beside)[at % 3]
        add(channel, f"{title} {at}", content=body, tags=tags, author=author, add_date=NOW - timedelta(days=99 * at))


PARTS = ["harb", "LAMP", "ferry", "zurich", '"opening hours"', "hours", "开放", "港口", "时间", "-timetable", "-lamp"]
PARTS += [
    '-"opening hours"',
    "tag:ferry",
    "-tag:town",
    'tag:"opening hours"',
    "author:smith",
    "-author:lee",
    "nine",
    "港",
]


def test_finds_what_the_api_finds_in_the_same_order(museum, api, known):
    make_texts(museum)
    add(museum.news, "Harbour lamp of tomorrow, a ferry", is_checked=False)
    known()
    chance = random.Random(5)
    queries = [*PARTS, *(" ".join(chance.sample(PARTS, chance.randrange(2, 4))) for _ in range(25))]
    some = 0
    for asked in queries:
        answer = query(api, "/api/v1/search", q=asked, siteId=museum.site.pk).json()
        expected = [each["content"]["title"] for each in answer["value"]]
        assert found(museum, asked) == (expected, answer["count"]), asked
        some += bool(expected)
    assert some > 15


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("harb", "0"),
        ("our", ""),  # the middle of a word
        ("FERRY the", "12"),
        ("ferry -timetable", "2"),
        ('"the ferry"', "12"),
        ('"ferry the"', ""),
        ("开放", "45"),
        ("放时", "4"),
        ("开放 -港口", "4"),
        ("lamp", "0"),  # others have it in the body
        ("-lamp", ""),
        ('!? "" -', ""),
        # Neither operator works: the search looks in no tags and authors.
        ("tag:ferry", ""),
        ("ferry tag:town", ""),
        ("author:smith", ""),
        ("ferry -author:lee", "12"),
    ],
)
@pytest.mark.parametrize("attributes", ["", 'type="Title"'])
def test_a_search_for_titles_finds_only_titles(museum, known, word, expected, attributes):
    make_texts(museum)
    known()
    titles, total = found(museum, word, attributes)
    assert ("".join(sorted(title[-1] for title in titles)), total) == (expected, len(expected))


def test_operators_work_for_the_fields_that_the_template_names(museum, known):
    make_texts(museum)
    known()
    assert found(museum, "author:smith")[1] == 2
    # A name in the query does not make a template look in more fields.
    assert found(museum, "author:smith", 'type="title,content"', type="title,content,author")[1] == 0
    assert found(museum, "tag:town", 'type="content,title"')[1] == 0
    assert found(museum, "author:smith ferry", "", type="title,content,author")[1] == 0
    add(museum.news, "In the news, a site", content="in news")
    # These are words.
    assert found(museum, "in:news")[0] == ["In the news, a site"]
    assert found(museum, "site:museum")[1] == 0
    assert found(museum, "ferry -in:news")[1] == 6


def test_other_fields_are_compared_one_by_one(museum, known):
    add(museum.news, "Lighthouse", summary="An old quay lamp")
    add(museum.news, "Quay lamp")
    known()
    for attributes in ('type="title,summary"', 'type="summary,content"'):
        assert "Lighthouse" in found(museum, "uay la", attributes)[0]
        assert found(museum, "lamp quay", attributes)[1] == 0
    assert found(museum, "uay", "", type="title,summary")[1] == 2
    # No index has this order.
    assert found(museum, "quay", 'type="title,summary"')[0] == ["Quay lamp", "Lighthouse"]


def test_the_order_is_that_of_the_list_unless_it_is_relevance(museum, known):
    add(museum.news, "A walk", content="quay", is_top=True, taxis=1, hits=5)
    add(museum.news, "Quay", taxis=2, add_date=datetime(2020, 1, 1))
    add(museum.news, "Old quay", taxis=3, hits=9)
    known()
    orders = {
        "": ["A walk", "Old quay", "Quay"],
        'order="AddDateBack"': ["A walk", "Quay", "Old quay"],
        'order="Hits"': ["Old quay", "A walk", "Quay"],
        'order="Title"': ["A walk", "Old quay", "Quay"],
        'order="relevance"': ["Quay", "Old quay", "A walk"],
        'order="relevance" isTop="false"': ["Quay", "Old quay"],
        'order="relevance" totalNum="2"': ["Quay", "Old quay"],
        'order="relevance" startNum="2"': ["Old quay", "A walk"],
    }
    for listed, expected in orders.items():
        assert found(museum, "quay", ALL, listed) == (expected, len(expected)), listed
    assert found(museum, "", ALL, 'order="Relevance" channelIndex="news"')[0][0] == "A walk"


def test_pages_have_each_content_once(museum, monkeypatch):
    monkeypatch.setattr(ranking, "WINDOW", 4)
    for number in range(11):
        add(museum.news, f"Quay {number}" if number % 3 == 0 else f"Lamp {number}", content="quay")
    follow()
    Content.objects.filter(title="Quay 0").update(title="Quay of all")  # newer than the index
    for order in ("Relevance", "AddDate"):
        seen = []
        for number in range(1, 5):
            titles, total = found(museum, "quay", ALL, f'pageNum="3" order="{order}"', page=str(number))
            assert total == 11
            seen += titles
        assert len(seen) == len(set(seen)) == 11
    assert found(museum, "quay", ALL, 'pageNum="3" order="Relevance"', page="1")[0][0].startswith("Quay")


def test_a_search_is_narrowed_in_the_statement(museum, known):
    CustomField.objects.create(site=museum.site, name="colour", folded_name="colour")
    for number, channel in enumerate((museum.news, museum.reports, museum.about)):
        day = datetime(2024, 3, 1 + number)
        add(channel, "Quay", add_date=day, settings_xml=f'{{"colour": "red {number}"}}')
    known()
    for listed in ('order="Relevance"', ""):
        for attributes, asked, total in (
            ("", {"channelIds": str(museum.news.pk)}, 2),
            ('channelIndex="reports"', {}, 1),
            ("", {"dateFrom": "2024-03-02"}, 2),
            ("", {"dateTo": "2024-03-01"}, 1),
            ("", {"colour": "red 2"}, 1),
            ('isNoDup="true"', {}, 1),
        ):
            assert found(museum, "quay", f"{ALL} {attributes}", listed, **asked)[1] == total, (attributes, asked)


@pytest.mark.parametrize("attributes", [ALL, ""])
@pytest.mark.parametrize("listed", ['order="Relevance"', ""])
def test_never_shows_nor_counts_what_visitors_may_not_see(museum, known, attributes, listed):
    add(museum.news, "quay public")
    add(museum.news, "quay waiting", is_checked=False)
    other = SiteFactory(site_dir="castle", site_name="Castle")
    make_template(other, TemplateKind.INDEX)
    make_template(museum.site, TemplateKind.INDEX)
    add(ChannelFactory(site=other), "quay of the castle")
    trash_content(museum.site.pk, museum.news.pk, add(museum.news, "quay in the trash").pk)
    withdrawn = add(museum.news, "was public")
    known()
    Content.objects.filter(pk=withdrawn.pk).update(is_checked=False, title="quay withdrawn")
    for _ in range(2):
        for more in (
            {},
            {"isAllSites": "true"},
            {"siteDir": "castle"},
            {"isChecked": "all"},
            {"siteIds": str(other.pk)},
        ):
            assert found(museum, "quay", attributes, listed, **more) == (["quay public"], 1), more
        assert found(museum, "was", attributes, listed) == ([], 0)
        both = found(museum, "quay", f'{attributes} isAllSites="true"', listed)
        assert (sorted(both[0]), both[1]) == (["quay of the castle", "quay public"], 2)
        follow()


def test_all_words_are_marked(museum):
    add(museum.news, "The old harbour lamp & ferry")
    listed = '<stl:pageContents><i title="lamp">{content.title}</i></stl:pageContents>'
    text = f'<stl:search isHighlight="true">{listed}</stl:search>'
    shown = museum.show(text, query={"word": 'HARB -timetable "lamp"'})
    marked = "<span style='color:#cc0000'>{}</span>"
    expected = f"The old {marked.format('harb')}our {marked.format('lamp')} & ferry"
    assert shown == f'<i title="lamp">{expected}</i>'


def test_until_the_index_is_built_texts_are_compared(museum):
    add(museum.news, "Quay lamp")
    add(museum.news, "Lamp", content="quay")
    assert page(museum, "quay").seconds == LONG
    SearchProgress.objects.all().delete()
    assert found(museum, "uay la", ALL)[0] == ["Quay lamp"]
    assert found(museum, "quay", "")[0] == ["Quay lamp"]
    assert page(museum, "quay").seconds == SHORT


@pytest.mark.parametrize("word", [each for each in HOSTILE if "\0" not in each])
def test_any_text_is_answered(museum, word):
    add(museum.news, "harbour lamp")
    for _ in range(2):
        for attributes in (ALL, "", 'type="title,summary"'):
            assert page(museum, word, attributes).problems == []
        follow()


def reads(captured):
    """The statements that read."""
    return [each["sql"] for each in captured if each["sql"].lstrip()[:4] in {"SELE", "WITH"}]


def test_a_search_page_takes_few_statements(museum):
    make_texts(museum)
    follow()
    for listed, most in (('order="Relevance"', 9), ("", 8)):
        found(museum, "lamp", ALL, listed)
        with CaptureQueriesContext(connection) as captured:
            assert found(museum, "ferry", ALL, listed)[1] == 6
        assert len(reads(captured)) <= most, reads(captured)


@pytest.mark.parametrize("attributes", [ALL, ""])
def test_the_index_finds_the_words_first(museum, attributes):
    make_texts(museum)
    follow()
    with CaptureQueriesContext(connection) as captured:
        found(museum, "ferry", attributes, "")
    searches = [sql for sql in reads(captured) if "ferry" in sql]
    assert len(searches) == 2
    for sql in searches:
        plan = plan_of(sql)
        assert BY_INDEX in plan
        assert "SCAN c" not in plan and "Seq Scan" not in plan
