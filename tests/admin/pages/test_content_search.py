"""Words by which contents are found, the same on both engines; and what becomes of words in the index."""

import re
from html import unescape
from urllib.parse import parse_qsl

import pytest
from django.test import Client

from contents.admin.list import finding
from contents.models import Content
from contents.services.single import trash_content
from core.lib.statement_limit import TooSlow
from events.numbering import number_new
from search.following import follow
from search.models import SearchProgress
from search.query import Match
from search.words import found_in, read_words
from tests.admin.pages.browsing import listed, place, unrendered
from tests.contents.trash import restore_content
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"


@pytest.fixture(autouse=True)
def _built_index():
    follow()


def look_at(monkeypatch, few):
    """Have at most so many found contents read and sorted; with 0 the order of the list is walked instead."""
    monkeypatch.setattr(finding, "FEW", few)
    monkeypatch.setattr(Match, "estimate", lambda found: few + 1 if few == 0 else 0)


@pytest.mark.parametrize("few", [0, 20_000])
@pytest.mark.parametrize(
    ("title", "found", "not_found"),
    [
        (
            "Harbour opens, 2026!",
            ["harb", "HARBOUR", "opens harb", "2026", "!opens!"],
            ["arbour", "harbours", "harb 2027"],
        ),
        (
            "北京市图书馆Open开放日（２０２６）",
            ["北", "图书", "市图书馆", "开放日", "open", "2026", "馆", "日", "北京 开放"],
            ["京北", "图馆", "日日"],
        ),
        ("Café ÉTÉ Ünïcode", ["cafe", "CAFÉ", "ete", "unic"], ["caff"]),
        (
            "Cafe\u0301 Re\u0301sume\u0301 x\u0302y",
            ["cafe", "resume", "r\u00e9sum\u00e9", "re\u0301sume\u0301", "xy"],
            ["caff", "sume"],
        ),
        ("Résumé", ["re\u0301sume\u0301", "resume"], ["sume"]),
        ("ガイド 한국", ["カ\u3099イ", "\u1112\u1161\u11ab국"], ["カイ"]),
        ("Мои\u0306 カ\u3099", ["мой", "мои\u0306", "ガ", "カ\u3099"], ["мои", "カ"]),
        ("\uf900", ["\uf900"], ["\u8c48"]),
        ("Жизнь — это", ["жизнь", "ЖИЗ", "это"], ["изнь"]),
        ("ひらがな、カタカナ 한국어", ["ひらが", "カナ", "한국"], ["なカ"]),
        ("a，b。c", ["a", "b", "c b"], ["ab"]),
    ],
)
def test_a_title_is_found_by_its_words(highest, monkeypatch, title, found, not_found, few):
    look_at(monkeypatch, few)
    content = ContentFactory(title=title)
    for query in found:
        assert listed(highest, PAGE, q=query) == [content], query
        assert found_in(title, read_words(query)), query
    for query in not_found:
        assert listed(highest, PAGE, q=query) == [], query


def test_subtitle_tags_and_author_are_searched_too(highest):
    content = ContentFactory(title="Notice", sub_title="开放时间", tags="harbour,活动", author="Ann Lee")
    for query in ("开放", "harb", "活动", "lee", "notice 开放 harb ann"):
        assert listed(highest, PAGE, q=query) == [content]
    assert listed(highest, PAGE, q="notice ben") == []


def test_until_the_index_is_built_titles_are_searched(highest):
    SearchProgress.objects.all().delete()
    content = ContentFactory(title="Zürich Harbour")
    for query in ("Zürich", "harb zür", "ICH HARBOUR"):
        assert listed(highest, PAGE, q=query) == [content], query
    assert listed(highest, PAGE, q="pier") == []


def test_words_of_the_text_are_found_and_shown(highest):
    before = f"<style>.quay {{}}</style><p>{'Before it. ' * 30}</p>"
    body = f"{before}<p>The <b>ferr</b>y&nbsp;leaves the 北<i>京</i>港口 at dawn.</p>"
    content = ContentFactory(
        title="Timetable", content=body, summary="Valid <b>from</b> March", settings_xml='{"captain": "Lighthouse"}'
    )
    for query in ("ferry", "北京港", "time ferry dawn", "march", "lightho"):
        assert listed(highest, PAGE, q=query) == [content], query
    assert listed(highest, PAGE, q="quay") == listed(highest, PAGE, q="b") == []
    (row,) = found_rows(highest, "time ferry 京港")
    piece = "<mark>ferry</mark> leaves the 北<mark>京港</mark>口 at dawn."
    assert '<span class="match">… ' in row and piece in row
    (row,) = found_rows(highest, "timetable")
    assert 'class="match"' not in row


def found_rows(browser, query):
    """The cells of titles, without what is about them but marks and links."""
    page = browser.get(place(PAGE), {"q": query}).content.decode()
    return re.findall(r'<td class="field-headline">(.*?)</td>', page)


def test_the_list_marks_what_was_found_and_shows_the_members_that_have_it(highest):
    ContentFactory(title="开放日 <b> Café", sub_title="图书馆开放时间", tags="harbour,活动", author="Ann Lee & Co")
    (row,) = found_rows(highest, "开放 cafe")
    assert "<mark>开放</mark>日 &lt;b&gt; <mark>Café</mark></a>" in row
    assert '<span class="match">Subtitle: 图书馆<mark>开放</mark>时间</span>' in row
    assert "Tags" not in row
    (row,) = found_rows(highest, "harb ann")
    assert row.count("<mark>") == 2
    assert '<span class="match">Tags: <mark>harb</mark>our,活动</span>' in row
    assert '<span class="match">Author: <mark>Ann</mark> Lee &amp; Co</span>' in row
    (row,) = found_rows(highest, "")
    assert "<mark>" not in row
    assert 'class="match"' not in row


@pytest.mark.parametrize(
    ("text", "query", "pieces"),
    [
        ("天天天气", "天天", ["天天"]),
        ("cafe\u0301s and cafes", "café", ["cafe\u0301", "cafe"]),
        ("a tale of a city", "a", ["a", "a"]),  # a single letter is a word of its own
        ("ｏｐｅｎ open", "op", ["ｏｐ", "op"]),
        ("开放开", "开 放", ["开放开"]),
        ("Open", "pen", []),
        ("", "a", []),
    ],
)
def test_where_words_stand_in_a_text(text, query, pieces):
    assert [text[start:end] for start, end in found_in(text, read_words(query))] == pieces


HOSTILE = [
    "'",
    '"',
    "&|!<->:*()",
    "a' OR '1'='1",
    "NEAR(a b)",
    "a* AND",
    ":*",
    "\\",
    "%",
    "_",
    "‮",
    "x" * 5000,
    "词" * 3000,
    "é" * 400,
]


@pytest.mark.parametrize("query", HOSTILE)
def test_whatever_is_typed_gets_an_answer(highest, query):
    ContentFactory(title="Harbour")
    assert highest.get(place(PAGE), {"q": query}).status_code == 200


def test_a_query_without_a_word_finds_nothing_and_says_so(highest):
    ContentFactory(title="Harbour")
    answer = highest.get(place(PAGE), {"q": "!?、"})
    assert list(answer.context["cl"].result_list) == []
    assert "One of the filters is invalid." in answer.content.decode()


def test_a_nul_in_a_query_is_refused(highest):
    assert highest.get(f"{place(PAGE)}?q=a%00b").status_code == 400


def test_at_most_so_many_words_are_looked_for():
    assert len(read_words(" ".join(f"w{number}" for number in range(50))).beginnings) == 12


def test_changed_trashed_and_restored_contents_are_found_by_their_present_words(highest):
    content = ContentFactory(title="Harbour")
    Content.objects.filter(pk=content.pk).update(title="Museum 图书馆")
    assert (listed(highest, PAGE, q="harbour"), listed(highest, PAGE, q="图书 mus")) == ([], [content])
    trash_content(content.site_id, content.channel_id, content.pk)
    assert listed(highest, PAGE, q="museum") == []
    restore_content(content.site_id, content.pk)
    assert listed(highest, PAGE, q="museum") == [content]


@pytest.mark.parametrize("few", [0, 20_000])
@pytest.mark.parametrize("order", [None, "-6", "site", "2", "-7", "7", "1"])
def test_every_way_to_a_page_finds_the_same(highest, monkeypatch, few, order):
    look_at(monkeypatch, few)
    channel = ChannelFactory()
    wanted = [
        ContentFactory(channel=channel, title=f"图书馆 Harbour {number}", tags="t", author="Ann", is_hot=True, hits=5)
        for number in range(3)
    ]
    ContentFactory(channel=channel, title="图书 Harbour", tags="t", author="Ann", is_hot=True, hits=5)
    ContentFactory(channel=channel, title="图书馆 Harbour", tags="t", author="Ben", is_hot=True, hits=5)
    ContentFactory(title="图书馆 Harbour", tags="t", author="Ann", hits=5)
    query = {"q": "图书馆 harb", "tag": "t", "author": "Ann", "is_hot__exact": "1", "channel__id__exact": channel.pk}
    query |= {"state": "pending", **({"o": order} if order else {})}
    found = listed(highest, PAGE, **query)
    assert {content.pk for content in found} == {content.pk for content in wanted}
    assert len(found) == len(wanted)


@pytest.mark.parametrize("query", [{"q": "harbour"}, {"author": "Ann"}, {"tag": "t"}, {"edited_from": "2020-01-01"}])
def test_no_way_to_a_page_counts_contents_of_other_sites(highest, query):
    here, elsewhere = ContentFactory.create_batch(2, title="Harbour", author="Ann", tags="t")
    one = Client()
    one.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(here.site_id)))
    for browser, chosen in ((highest, {"site__id__exact": here.site_id}), (one, {})):
        shown = browser.get(place(PAGE), query | chosen).context["cl"]
        assert ([row.pk for row in shown.result_list], shown.result_count) == ([here.pk], 1)
    assert {row.pk for row in listed(highest, PAGE, **query)} == {here.pk, elsewhere.pk}


@pytest.mark.parametrize("few", [0, 20_000])
def test_the_list_reads_phrases_tags_and_places(highest, monkeypatch, few):
    look_at(monkeypatch, few)
    channel = ChannelFactory(channel_name="Press releases")
    other = ContentFactory(title="Lamp of the harbour", tags="town")
    content = ContentFactory(title="Harbour lamp", channel=ChannelFactory(parent=channel), author="Ann Lee")
    both = [other, content]
    for query, expected in {
        '"harbour lamp"': [content],
        'lamp -"harbour lamp"': [other],
        "lamp tag:town": [other],
        "lamp author:lee": [content],
        'in:"press releases"': [content],
        'lamp -in:"press releases"': [other],
        '-in:nowhere in:"press releases" -site:nowhere': [content],
        "in:nowhere": [],
        f'site:"{other.site.site_name}" lamp': [other],
        f'lamp -site:"{other.site.site_name}"': [content],
        "lamp -in:nowhere": both,
        'in:"press releases" -nothing': [content],
    }.items():
        assert set(listed(highest, PAGE, q=query)) == set(expected), query


def meant(browser, **query):
    return unrendered(browser, place(PAGE), query).context_data["cl"].did_you_mean()


def test_an_empty_list_offers_the_corrected_query_with_the_same_filters(highest):
    content = ContentFactory(title="Ferry “timetable”", is_checked=False)
    ContentFactory(title="Ferries", is_checked=True)
    number_new()
    follow()
    answer = highest.get(place(PAGE), {"q": '"fery timetable"', "is_checked__exact": "0", "rows": "20", "p": "3"})
    page = answer.content.decode()
    (address,) = re.findall(r'Did you mean: <a href="([^"]*)">&quot;ferry timetable&quot;</a>', page)
    asked = dict(parse_qsl(unescape(address).removeprefix("?")))
    assert asked == {"q": '"ferry timetable"', "is_checked__exact": "0", "rows": "20"}
    assert listed(highest, PAGE, **asked) == [content]
    assert meant(highest, q="fery", is_checked__exact="0")["query"] == "ferry"
    assert meant(highest, q="fery", is_checked__exact="1") is None
    assert meant(highest, q="fery", added_from="x") is meant(highest, q="-") is meant(highest) is None
    SearchProgress.objects.all().delete()  # the index is built
    assert meant(highest, q="fery") is None


def test_a_list_that_is_not_empty_is_not_corrected(highest, monkeypatch):
    monkeypatch.setattr(finding, "correct", lambda *given, **options: pytest.fail("corrected"))
    ContentFactory(title="Ferry")
    number_new()
    follow()
    assert "Did you mean" not in highest.get(place(PAGE), {"q": "ferr"}).content.decode()


def test_a_correction_that_takes_too_long_is_given_up(highest, monkeypatch):
    ContentFactory(title="Ferry")
    number_new()
    follow()
    assert meant(highest, q="fery")["query"] == "ferry"

    def page(search, offset, limit, read=finding.Search.page):
        if search.asked.query == "ferry":
            raise TooSlow
        return read(search, offset, limit)

    monkeypatch.setattr(finding.Search, "page", page)
    assert meant(highest, q="fery") is None
