"""`didYouMean` of `GET /search`: the corrected query, if the same request finds something by it."""

import random
import string

import pytest

from contents.lists import found
from contents.services.single import trash_content
from core.lib.errors import InvalidInput
from events.numbering import number_new
from search import following, spelling
from search.models import SearchProgress
from tests.contents.asking import query
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
SEARCH = "/api/v1/search"


def follow():
    number_new()
    following.follow()


@pytest.fixture
def site():
    follow()
    return SiteFactory(site_name="Harbour museum")


@pytest.fixture
def channel(site):
    return ChannelFactory(site=site, channel_name="News")


def add(channel, title, **fields):
    return ContentFactory(channel=channel, title=title, **{"is_checked": True} | fields)


def get(api, site, q, **parameters):
    response = query(api, SEARCH, q=q, siteId=site.pk, **parameters)
    assert response.status_code == 200, response.content
    return response.json()


def meant(api, site, q, **parameters):
    return get(api, site, q, **parameters).get("didYouMean")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("timetble", "timetable"),
        ("timetabble", "timetable"),
        ("timetanle", "timetable"),
        ("timteable", "timetable"),
        ("Timetabel", "Timetable"),
        ("ferry timetabel", "ferry timetable"),
        ("fery timetabel", "ferry timetable"),
        ('"fery timetable"', '"ferry timetable"'),
        ("“fery timetable”, tag:boats", "“ferry timetable”, tag:boats"),
        ("-pier fery author:smith in:news", "-pier ferry author:smith in:news"),
        ("fery-timetabel!", "ferry-timetable!"),
        ("faehre", "fähre"),
        ("Faehre", "Fähre"),
        ("strasse", "straße"),
        ("lightouse", "lighthouse"),  # only in the body
        ("boast", "boats"),  # only a tag
        ("пристонь", "пристань"),
        ("λιμάνη", "λιμάνι"),
        ("timetabel 博物馆", "timetable 博物馆"),
    ],
)
def test_misspelled_words_are_corrected(api, site, channel, typed, expected):
    fields = {"tags": "boats", "author": "A. Smith", "content": "<p>At the <b>light</b>house.</p>"}
    add(channel, "Ferry Timetable (2026) Fähre Straße Пристань Λιμάνι 博物馆", **fields)
    follow()
    assert get(api, site, typed) == {"value": [], "count": 0, "isCountExact": True, "didYouMean": expected}
    assert get(api, site, expected)["count"] == 1


@pytest.mark.parametrize(
    "typed",
    [
        "fea",
        "xyzzyx",
        "timetble2",
        "20265",
        "tag:fery",
        "in:newz ferry",
        "-fery",
        "馆博",
        "ferry -timetable",
        "fery -timetable",
    ],
)
def test_other_queries_are_not(api, site, channel, typed):
    add(channel, "Ferry timetable 2026 博物馆", tags="ferry")
    follow()
    assert get(api, site, typed) == {"value": [], "count": 0, "isCountExact": True}


def test_any_edit_of_a_word_of_a_title_leads_to_it(api, site, channel):
    chance = random.Random(29)
    contents = [
        add(channel, title)
        for title in (
            "Harbour museum",
            "Lighthouse keeper",
            "Museumsnächte für Familien",
            "Œuvres choisies",
            "Straßenfest",
        )
    ]
    follow()
    seen = 0
    for _ in range(60):
        content = chance.choice(contents)
        word = chance.choice([word for word in content.title.casefold().replace("ss", "ß").split() if len(word) > 4])
        place, letter = chance.randrange(len(word)), chance.choice(string.ascii_lowercase)
        edited = chance.choice(
            [
                word[:place] + word[place + 1 :],
                word[:place] + letter + word[place:],
                word[:place] + letter + word[place + 1 :],
                word[:place] + word[place : place + 2][::-1] + word[place + 2 :],
            ]
        )
        answer = get(api, site, edited)
        if not answer["count"]:
            seen += 1
            assert content.title in titles(get(api, site, answer["didYouMean"])), (word, edited)
    assert seen > 30


def titles(answer):
    return [each["content"]["title"] for each in answer["value"]]


def test_words_of_titles_come_first_and_then_frequent_ones(api, site, channel):
    for title in ("Ferry", "The ferry", "Merry", "Merry dance", "Merry games", "Perry"):
        add(channel, title, content="<p>berry</p>")
    follow()
    assert meant(api, site, "ferrz") == "ferry"
    assert meant(api, site, "xerry") == "merry"
    assert meant(api, site, "xerry games") == "merry games"


HIDDEN = {
    "drafts": (lambda site, channel: {"channel": channel, "is_checked": False}, {}),
    "another site": (lambda site, channel: {"channel": ChannelFactory()}, {}),
    "another channel": (lambda site, channel: {"channel": ChannelFactory(site=site)}, {"in channel": True}),
    "not on top": (lambda site, channel: {"channel": channel}, {"isTop": "true"}),
    "approved": (lambda site, channel: {"channel": channel}, {"isChecked": "false"}),
    "trash": (lambda site, channel: {"channel": channel, "gone": True}, {}),
}


@pytest.mark.parametrize(("hidden", "parameters"), HIDDEN.values(), ids=HIDDEN.keys())
def test_words_that_the_same_request_does_not_find_are_neither_offered_nor_preferred(
    api, site, channel, hidden, parameters
):
    parameters = dict(parameters)
    if parameters.pop("in channel", False):
        parameters["channelId"] = channel.pk
    shown = {"is_top": "isTop" in parameters, "is_checked": "isChecked" not in parameters}
    for number in range(3):
        fields = hidden(site, channel)
        is_gone = fields.pop("gone", False)
        content = add(title=f"Lamps of {number}", **fields)
        if is_gone:
            trash_content(site.pk, channel.pk, content.pk)
    follow()
    assert meant(api, site, "lampx", **parameters) is None
    add(channel, "A text", content="lampe", **shown)
    follow()
    assert meant(api, site, "lampx", **parameters) == "lampe"
    assert meant(api, site, "lampx", **parameters, skip=1) is None
    assert meant(api, site, "lampx", **parameters, cursor="") == "lampe"


def test_a_key_of_a_site_gets_only_words_of_the_site(client_with_key, site, channel):
    other = ChannelFactory()
    add(other, "Lamps")
    add(channel, "Lampe")
    follow()
    for where, expected in ((site, "lampe"), (other.site, "lamps")):
        key = client_with_key(scopes="Contents", site_ids=str(where.pk))
        assert meant(key, where, "lampx") == expected


def test_words_of_a_moment_ago_are_no_longer_offered(api, site, channel):
    content = add(channel, "Lamps")
    follow()
    assert meant(api, site, "lampx") == "lamps"
    trash_content(site.pk, channel.pk, content.pk)
    assert meant(api, site, "lampx") is None


def test_requests_that_find_something_are_not_corrected(api, site, channel, monkeypatch):
    monkeypatch.setattr(found, "correct", lambda *given, **options: pytest.fail("corrected"))
    add(channel, "Lamps")
    assert meant(api, site, "lamp") is meant(api, site, "lamp", skip=5) is meant(api, site, "…") is None
    SearchProgress.objects.all().delete()  # the index is built
    assert meant(api, site, "lampx") is None


def test_slow_corrections_are_given_up(api, site, channel, monkeypatch):
    add(channel, "Lamps")
    follow()
    assert meant(api, site, "lampx") == "lamps"
    with monkeypatch.context() as patch:
        patch.setattr(spelling, "_PATIENCE", -1)
        assert meant(api, site, "lampx") is None

    def fail(*_given):
        raise InvalidInput("query_too_slow", "Too slow.")

    monkeypatch.setattr(
        found,
        "find",
        lambda *given, find=found.find: fail() if given[0].texts.beginnings == ("lamps",) else find(*given),
    )
    assert meant(api, site, "lampx") is None


@pytest.mark.parametrize(
    "typed",
    ["lampx " * 200, "lampx\0lampx", '"lampx', 'lampx-""-', "ſampx ﬂampx", "x" * 500, "lampx\u0301", "ＬＡＭＰＸ"],
)
def test_takes_any_text(api, site, channel, typed):
    add(channel, "Lamps")
    follow()
    answer = get(api, site, typed)
    assert answer["count"] == 0
    if "didYouMean" in answer:
        assert get(api, site, answer["didYouMean"])["count"] == 1
