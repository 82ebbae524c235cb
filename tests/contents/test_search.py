"""`GET /search` and its suggestions: contents by words, best first, and nothing that a list would hide."""

import re
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from contents.lists import facets
from contents.lists import found as found_contents
from contents.models import Content
from contents.services.single import trash_content
from events.numbering import number_new
from search import following, ranking
from search.models import SearchProgress
from search.query import Match, match
from search.words import read_words
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.contents.asking import query
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
SEARCH, SUGGESTIONS = "/api/v1/search", "/api/v1/search/suggestions"
NOW = datetime(2026, 11, 30, 9)


def follow():
    number_new()
    following.follow()


@pytest.fixture
def site():
    follow()
    return SiteFactory(site_name="Harbour museum", site_dir="harbour")


@pytest.fixture
def channel(site):
    return ChannelFactory(site=site, channel_name="News", index_name="news")


def add(channel, title, **fields):
    return ContentFactory(channel=channel, title=title, **{"is_checked": True, "add_date": NOW} | fields)


def get(api, site, q, **parameters):
    response = query(api, SEARCH, q=q, siteId=site.pk, **parameters)
    assert response.status_code == 200, response.content
    return response.json()


def titles(api, site, q, **parameters):
    return [each["content"]["title"] for each in get(api, site, q, **parameters)["value"]]


@pytest.fixture(params=["followed", "newer"])
def known(request):
    """Both states of a record: in the index, or newer than it."""
    return follow if request.param == "followed" else lambda: None


def test_the_best_come_first(api, site, channel, known):
    year = timedelta(days=365)
    add(
        channel,
        "A walk",
        content="<p>The old <b>har</b>bour, the harbour and the harbour lamp.</p>",
        add_date=NOW - year,
    )
    add(channel, "Another walk", content="<p>A lamp. Far away, there is an old harbour.</p>", add_date=NOW - year)
    add(channel, "The harbour", content="It has a lamp.")
    add(channel, "Old lamp in the harbour")
    add(channel, "Harbour lamp", add_date=NOW - 9 * year)
    add(channel, "Something else")
    known()
    expected = ["Harbour lamp", "Old lamp in the harbour", "A walk", "The harbour", "Another walk"]
    assert titles(api, site, "harbour lamp") == expected
    assert titles(api, site, '"harbour lamp"') == ["Harbour lamp", "A walk"]
    assert titles(api, site, "harbour -lamp") == []


def test_newer_ones_come_first_among_equals(api, site, channel, known):
    for days in (800, 5, 300):
        add(channel, f"Harbour {days}", add_date=NOW - timedelta(days=days))
    known()
    assert titles(api, site, "harbour") == ["Harbour 5", "Harbour 300", "Harbour 800"]


def test_shows_marked_pieces_with_positions(api, site, channel, known):
    add(channel, "Zürich <1>", content="<p>See &lt;harbour&gt;</p>" + "x " * 99 + "港口开放", summary="Harbours")
    known()
    (found,) = get(api, site, "zurich harbour 港口", fields="id,title")["value"]
    assert sorted(found["content"]) == ["id", "title"]
    title, summary, body = found["highlights"]
    assert title == {
        "member": "title",
        "text": "Zürich <1>",
        "marked": "<mark>Zürich</mark> &lt;1&gt;",
        "positions": [[0, 6]],
    }
    assert (summary["member"], summary["marked"]) == ("summary", "<mark>Harbour</mark>s")
    assert (body["member"], body["text"][:13], body["positions"][0]) == ("content", "See <harbour>", [5, 12])


def test_never_shows_nor_counts_what_a_list_hides(api, site, channel, known):
    add(channel, "harbour public", content="lamp")
    add(channel, "harbour waiting", is_checked=False)
    add(ChannelFactory(), "harbour of another site")
    gone = add(channel, "harbour in the trash")
    trash_content(site.pk, channel.pk, gone.pk)
    changed = add(channel, "was public")
    known()
    Content.objects.filter(pk=changed.pk).update(is_checked=False, title="harbour withdrawn")
    for _ in range(2):
        assert (get(api, site, "harbour")["count"], titles(api, site, "harbour")) == (1, ["harbour public"])
        assert titles(api, site, "was") == []
        assert sorted(titles(api, site, "harbour", isChecked="false")) == ["harbour waiting", "harbour withdrawn"]
        facets = get(api, site, "harbour", facets="channel")["facets"]
        assert facets == {"counted": 1, "channel": [{"value": channel.pk, "name": "News", "count": 1}]}
        assert [each["title"] for each in suggestions(api, site, "harb")] == ["harbour public"]
        follow()


def suggestions(api, site, q):
    response = query(api, SUGGESTIONS, q=q, siteId=site.pk)
    assert response.status_code == 200, response.content
    return response.json()["value"]


def test_keys_of_other_sites_and_scopes_find_nothing(client_with_key, site, channel):
    add(channel, "harbour")
    for path in (SEARCH, SUGGESTIONS):
        other = client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk))
        assert_error(query(other, path, q="harbour", siteId=site.pk), 401, "site_not_allowed")
        channels = client_with_key(scopes="Channels")
        assert_error(query(channels, path, q="harbour", siteId=site.pk), 401, "scope_missing")
        assert_error(query(ApiClient(), path, q="harbour", siteId=site.pk), 401, "key_missing")


def test_filters_and_places_narrow_the_search(api, site, channel, known):
    below = ChannelFactory(parent=channel, channel_name="Press releases")
    beside = ChannelFactory(site=site, channel_name="Über uns")
    add(channel, "harbour a", tags="town", is_top=True)
    add(below, "harbour b", add_date=NOW - timedelta(days=500))
    add(beside, "harbour c", group_name_collection="Front")
    known()

    def found(q="harbour", **parameters):
        page = get(api, site, q, **parameters)
        assert page["count"] == len(page["value"])
        return "".join(sorted(each["content"]["title"][-1] for each in page["value"]))

    assert found() == "abc"
    assert found(channelId=channel.pk) == "ab"
    assert found(channelIds=channel.pk) == "a"
    assert found("harbour in:news") == "ab"
    assert found('harbour in:"press RELEASES"') == "b"
    assert found("harbour in:uber-uns") == "c"
    assert found('harbour in:"Über uns"') == found('in:"uber uns"') == "c"
    assert found("harbour -in:news") == "c"
    assert found("harbour site:harbour") == found('harbour site:"Harbour Museum"') == "abc"
    assert found("harbour site:other") == found("harbour -site:harbour") == ""
    assert found(tag="town") == found("harbour tag:town") == found(isTop="true") == "a"
    assert found(contentGroup="Front") == "c"
    assert found(addDateTo="2026-01-01") == "b"
    assert found(title="harbour a") == "a"
    assert found(tag="town", contentGroup="Front") == ""


def test_facets_count_all_pages(api, site, channel, known):
    other = ChannelFactory(site=site, channel_name="Other")
    for number in range(3):
        add(channel, f"harbour {number}", tags="town", add_date=NOW - timedelta(days=400 * number))
    add(other, "harbour", tags="town,lamp", group_name_collection="Front")
    known()
    found = get(api, site, "harbour", top=1, facets="Channel,tag,group,year")["facets"]
    assert found == {
        "counted": 4,
        "channel": [
            {"value": channel.pk, "name": "News", "count": 3},
            {"value": other.pk, "name": "Other", "count": 1},
        ],
        "tag": [{"value": "town", "name": "town", "count": 4}, {"value": "lamp", "name": "lamp", "count": 1}],
        "group": [{"value": "Front", "name": "Front", "count": 1}],
        "year": [
            {"value": 2026, "name": "2026", "count": 2},
            {"value": 2024, "name": "2024", "count": 1},
            {"value": 2025, "name": "2025", "count": 1},
        ],
    }


@pytest.mark.parametrize("by", ["number", "cursor"])
def test_pages_have_each_content_once(api, site, channel, monkeypatch, by):
    monkeypatch.setattr(ranking, "WINDOW", 4)
    for number in range(11):
        add(channel, f"Harbour {number}" if number % 3 == 0 else f"Lamp {number}", content="harbour")
    follow()
    changed = Content.objects.order_by("pk").first()
    Content.objects.filter(pk=changed.pk).update(title="Harbour of all")  # newer than the index
    seen, parameters = [], {"top": 2} | ({"cursor": ""} if by == "cursor" else {"skip": 0})
    while True:
        page = get(api, site, "harbour", **parameters)
        assert page["count"] >= 11
        seen += [each["content"]["title"] for each in page["value"]]
        if by == "cursor":
            if page["nextCursor"] is None:
                break
            if len(seen) == 4:
                add(channel, "Harbour of later")  # moves no content to another page
            parameters["cursor"] = page["nextCursor"]
        elif "next" in page:
            parameters["skip"] += 2
        else:
            break
    assert len(seen) == len(set(seen)) == 11
    ranked = {"Harbour of all", "Harbour 3", "Harbour 6", "Harbour 9", "Lamp 7", "Lamp 8", "Lamp 10"}
    assert set(seen[:7]) == ranked
    assert seen[7:] == ["Lamp 5", "Lamp 4", "Lamp 2", "Lamp 1"]


def test_suggestions_are_few_titles(api, site, channel, known):
    for number in range(60):
        add(channel, f"Harbour {number}")
    add(channel, "Harbour")
    add(channel, "Harbour")
    add(channel, "Harbour 5 at the quay")
    add(channel, "Lamp", content="harbour")
    known()
    found = [each["title"] for each in suggestions(api, site, "har")]
    assert (len(found), found[0], len(set(found))) == (8, "Harbour", 8)
    response = query(api, SUGGESTIONS, q="har", siteId=site.pk)
    assert response.headers["Cache-Control"] == "private, max-age=60"
    assert sorted(response.json()["value"][0]) == ["channelId", "id", "title"]
    assert suggestions(api, site, "har lamp") == []
    assert [each["title"] for each in suggestions(api, site, "harb 5 -quay")] == ["Harbour 5"]


@pytest.mark.parametrize("q", [" ", '"" - * :', "-harbour", "\x1c", "%"])
def test_a_query_without_words_finds_nothing(api, site, channel, q):
    add(channel, "harbour lamp")
    assert get(api, site, q) == {"value": [], "count": 0, "isCountExact": True}
    assert get(api, site, q, cursor="", facets="tag")["nextCursor"] is None
    assert suggestions(api, site, q) == []


HOSTILE = [
    "word " * 2000,
    "harbour " + '"' * 99,
    'NEAR(harbour "lamp") AND OR NOT *',
    "harbour\0lamp",
    "🚢 harbour",
    "港",
    "مرفأ harbour",
    "harbour ^title:* {col}: -(x)",
    "'; DROP TABLE contents_content; -- harbour",
    "harbour:* & !x | <->",
    '-a -b -c harbour "-" tag:"" in: site:',
    "tag:%00 author:\\ harbour",
    "in:harbour in:harbour harbour",
]


@pytest.mark.parametrize("q", HOSTILE)
def test_any_text_is_answered(api, site, channel, q):
    add(channel, "harbour lamp")
    for _ in range(2):
        for path in (SEARCH, SUGGESTIONS):
            response = query(api, path, q=q, siteId=site.pk)
            assert response.status_code == 200, response.content
        follow()


@pytest.mark.parametrize(
    ("parameters", "code", "member"),
    [
        ({}, "missing_member", "q"),
        ({"q": ""}, "missing_member", "q"),
        ({"q": "x", "siteId": ""}, "missing_member", "siteId"),
        ({"q": "x", "siteId": "1x"}, "invalid_value", "siteId"),
        ({"q": "x", "siteId": "9999"}, "site_not_found", "siteId"),
        ({"q": "x", "channelId": "9999"}, "channel_not_found", "channelId"),
        ({"q": "x", "facets": "colour"}, "invalid_value", "facets"),
        ({"q": "x", "top": "100000"}, "page_too_large", "top"),
        ({"q": "x", "fields": "colour"}, "unknown_column", "fields"),
        ({"q": "x", "cursor": "1abc"}, "invalid_cursor", "cursor"),
        ({"q": "x", "cursor": "", "skip": "1"}, "invalid_cursor", "cursor"),
    ],
)
def test_errors_are_clear(api, site, parameters, code, member):
    response = query(api, SEARCH, **{"siteId": site.pk} | parameters)
    body = assert_error(response, 400, code)
    assert body["member"] == member


def test_a_cursor_belongs_to_its_search(api, site, channel):
    for number in range(3):
        add(channel, f"harbour {number}")
    cursor = get(api, site, "harbour", top=1, cursor="")["nextCursor"]
    assert get(api, site, "harbour", top=1, cursor=cursor)["value"]
    for other in ({"q": "harbours"}, {"isTop": "false"}, {"channelIds": channel.pk}, {"channelId": channel.pk}):
        response = query(api, SEARCH, **{"q": "harbour", "siteId": site.pk, "cursor": cursor} | other)
        assert_error(response, 400, "invalid_cursor")


def test_until_the_index_is_built_titles_are_searched(api, site, channel):
    add(channel, "Harbour lamp")
    add(channel, "Lamp", content="harbour")
    SearchProgress.objects.all().delete()
    assert titles(api, site, '"harbour" -x') == ["Harbour lamp"]
    assert suggestions(api, site, "harb") == []
    assert titles(api, site, "tag:town") == titles(api, site, "-x author:lee") == []
    assert titles(api, site, "harbour\0lamp") == ["Harbour lamp"]
    response = query(api, SEARCH, q="harbour", siteId=site.pk, cursor="")
    assert_error(response, 400, "invalid_cursor")


def test_a_search_is_not_sent_again(api, site, channel):
    add(channel, "harbour")
    tag = query(api, SEARCH, q="harbour", siteId=site.pk).headers["ETag"]
    again = api.get(f"{SEARCH}?q=harbour&siteId={site.pk}", headers={"If-None-Match": tag})
    assert again.status_code == 304
    add(channel, "harbour 2")
    assert query(api, SEARCH, q="harbour", siteId=site.pk).headers["ETag"] != tag


def statements_of(api, site, q):
    with CaptureQueriesContext(connection) as captured:
        titles(api, site, q, top=1)
    return [each["sql"] for each in captured if "search_searchentry" in each["sql"] or "search_words" in each["sql"]]


def plan_of(sql):
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{sql}")
        return "\n".join(str(row[-1]) for row in cursor)


BY_INDEX, BY_NUMBER = {
    "postgresql": ("Bitmap Index Scan on search_words", "search_searchentry_pkey"),
    "sqlite": ("SCAN search_words VIRTUAL TABLE INDEX", "SEARCH e USING INTEGER PRIMARY KEY (rowid>?)"),
}[connection.vendor]


def test_a_common_word_is_looked_up_once_in_the_index(api, site, channel, most_counted):
    """The newest of many matches are among the newest entries. The words of titles imply those of texts."""
    most_counted(5)
    for number in range(18):
        add(channel, f"Harbour {number}")
    follow()
    if connection.vendor == "sqlite":
        counted, newest, titled, _ = statements_of(api, site, "harbour")
    else:
        _, counted, _, newest, *_, titled, _ = statements_of(api, site, "harbour")
    assert BY_INDEX in plan_of(counted)
    assert BY_INDEX in plan_of(titled)
    assert BY_NUMBER in plan_of(newest)
    assert BY_INDEX not in plan_of(newest)
    assert "_tharbour" in titled
    assert not {'"harbour"', "'harbour'"} & set(re.findall(r"""["']\w+["']""", titled))


def test_a_rare_word_is_looked_up_in_the_index(api, site, channel, monkeypatch):
    monkeypatch.setattr(ranking, "WINDOW", 2)
    for number in range(9):
        add(channel, f"Harbour {number}")
    follow()
    *_, newest, titled, _ = statements_of(api, site, "harbour")
    assert BY_INDEX in plan_of(newest)
    assert BY_INDEX in plan_of(titled)


@pytest.fixture
def most_counted(monkeypatch):
    """Have so many matches counted, and two ranked."""

    def set_number(number):
        monkeypatch.setattr(ranking, "WINDOW", 2)
        for module in (ranking, found_contents, facets):
            monkeypatch.setattr(module, "MOST_COUNTED", number)

    return set_number


# SQLite reads the newest entries if whole words are common, PostgreSQL if it expects so.
@pytest.mark.parametrize(("q", "expected"), [("harb", 0), ("harbour", 7)], ids=["by index", "by number"])
def test_matches_are_counted_up_to_a_limit(api, site, channel, monkeypatch, most_counted, q, expected):
    monkeypatch.setattr(Match, "estimate", lambda match: expected)
    monkeypatch.setattr(ranking, "_MOST_WALKED", 1)
    ids = [add(channel, f"Harbour {number}").pk for number in range(7)]
    follow()
    most_counted(7)
    assert ("isCountExact", True) in (page := get(api, site, q)).items()
    assert page["count"] == len(page["value"]) == 7
    most_counted(6)
    page = get(api, site, q, top=3, facets="channel")
    assert (page["count"], page["isCountExact"], page["facets"]["counted"]) == (6, False, 6)
    assert page["last"].endswith("skip=3")
    pages = [page, *(get(api, site, q, top=3, skip=skip) for skip in (3, 6))]
    assert [each["content"]["id"] for page in pages for each in page["value"]] == ids[::-1]
    by_cursor = get(api, site, q, top=7, cursor="")
    assert (by_cursor["count"], by_cursor["isCountExact"], len(by_cursor["value"])) == (6, False, 7)
    Content.objects.filter(pk=ids[-1]).update(title="Lamp")  # newer than the index
    page = get(api, site, q)
    assert (page["count"], page["isCountExact"]) == (6, True)


def test_old_matches_of_a_common_word_are_found(site, channel, monkeypatch, most_counted):
    most_counted(5)
    monkeypatch.setattr(Match, "estimate", lambda match: 9)
    monkeypatch.setattr(ranking, "_MOST_WALKED", 1)
    ids = [add(channel, f"Harbour {number}").pk for number in range(9)]
    for number in range(9):
        follow()
        found = ranking.Search(match("content", read_words("harbour"), [site.pk], is_public=True))
        with transaction.atomic():
            assert found.first() == (6, [ids[-1], ids[-2]])
            assert found.newest_of(2) == [ids[-1], ids[-2]]
        add(channel, f"Lamp {number}")


def test_two_letters_are_compared_with_what_rare_words_find(api, site, channel, monkeypatch):
    add(channel, "Harbour")
    add(channel, "Harbour lamp")
    follow()

    def asked():
        _, (looked_up, *_) = match("content", read_words("harbour la"), [site.pk], is_public=True).entries()
        assert "harbour" in looked_up
        assert titles(api, site, "harbour la") == ["Harbour lamp"]
        return looked_up

    assert "la" not in asked()
    monkeypatch.setattr(Match, "is_rare", lambda found: False)
    assert "la" in asked()
