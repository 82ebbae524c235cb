"""`POST /contents`: pages by cursor, and totals that are not asked for."""

import base64
import json
import random
from datetime import datetime

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contents.models import Content, CustomField
from tests.assertions import assert_error
from tests.contents.asking import PATH, ask, read
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.every_case


def order(column, desc):
    return {"column": column, "desc": desc}


# Ways through the list: ranges of its indexes, and a search by rules.
WAYS = {
    "default order": {},
    "approved": {"checked": True},
    "pinned": {"top": True},
    "not pinned": {"top": False},
    "hot": {"hot": True},
    "newest": {"orders": [order("addDate", True)]},
    "oldest": {"orders": [order("AddDate", False)]},
    "group": {"groupNames": ["g"]},
    "two tags": {"tagNames": ["t", "u"]},
    "two tags, oldest": {"tagNames": ["t", "u"], "orders": [order("addDate", False)]},
    "group and tag": {"groupNames": ["g"], "tagNames": ["t"]},
    "title": {"orders": [order("title", False)]},
    "two directions": {"orders": [order("author", True), order("hits", False), order("title", True)]},
    "last hit": {"orders": [order("lastHitsDate", True)]},
    "last hit, first": {"orders": [order("lastHitsDate", False), order("author", True)]},
    "after the author, last hit": {"orders": [order("author", False), order("lastHitsDate", True)]},
    "after the author, last hit, first": {"orders": [order("author", True), order("lastHitsDate", False)]},
    "flag": {"orders": [order("isHot", True), order("isTop", False)]},
    "the same twice": {"orders": [order("author", True), order("Author", False), order("hits", True)]},
    "id in the middle": {"orders": [order("hits", True), order("id", False), order("title", True)]},
    "address": {"orders": [order("navigationUrl", False)]},
    "rule": {"wheres": [{"column": "title", "operator": "NotLike", "value": "%3%"}]},
    "all columns": {"orders": [order(name, number % 2 == 0) for number, name in enumerate(
        ["hits", "isTop", "tags", "addDate", "author", "taxis", "lastHitsDate", "source", "title"])]},
}  # fmt: skip


def make(channel, number):
    chance = random.Random(number)
    return ContentFactory(
        channel=channel,
        title=f"Title {number % 7}",
        taxis=number % 3,
        is_top=chance.random() < 0.3,
        is_hot=chance.random() < 0.6,
        is_checked=chance.random() < 0.6,
        add_date=datetime(2020, 1, 1 + number % 4, 0, 0, 0, chance.choice([0, 0, 500, 500_000])),
        last_hits_date=chance.choice([None, datetime(2020, 1, 1), datetime(2021, 1, 1)]),
        author=chance.choice(["", "B", "a", "é"]),
        hits=chance.randrange(3),
        link_url=chance.choice(["", "/x"]),
        tags=chance.choice(["", "t", "t,u"]),
        group_name_collection=chance.choice(["", "g"]),
    )


@world
def channels():
    """Two channels, one below the other, with thirty contents that often stand alike."""
    upper = ChannelFactory()
    channels = [upper, ChannelFactory(parent=upper)]
    for number in range(30):
        make(channels[number % 2], number)
    return channels


def walk(api, site, between=lambda: None, **body):
    """The ids of each page up to the last."""
    pages, cursor = [], ""
    while cursor is not None:
        answer = read(api, site, cursor=cursor, **body)
        pages.append([record["id"] for record in answer["contents"]])
        cursor = answer["nextCursor"]
        between()
        assert len(pages) < 100, "The walk does not end."
    return pages


def whole(api, site, **body):
    return [record["id"] for record in read(api, site, perPage=1000, **body)["contents"]]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_pages_follow_each_other_without_gap_or_overlap(api, channels, way):
    site, expected = channels[0].site, whole(api, channels[0].site, **way)
    for per_page in (1, 4, 30, 1000):
        pages = walk(api, site, perPage=per_page, **way)
        assert [one for page in pages for one in page] == expected, per_page
        assert all(len(page) == per_page for page in pages[:-1]), per_page
        assert pages[-1], per_page


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_is_there_all_the_time_comes_once_while_others_come_and_go(api, channels, way):
    site, before = channels[0].site, whole(api, channels[0].site, **way)
    chance, gone, numbers = random.Random(1), set(), iter(range(100, 1000))

    def happen():
        number = next(numbers)
        make(channels[number % 2], number)
        gone.add(chosen := chance.choice(before))
        Content.objects.filter(pk=chosen).update(trashed_at=datetime(2026, 1, 1))

    found = [one for page in walk(api, site, happen, perPage=3, **way) for one in page]
    stayed = [one for one in before if one not in gone]
    assert len(set(found)) == len(found)
    assert [one for one in found if one in set(stayed)] == stayed


def test_a_cursor_is_there_only_for_who_asks(api, channels):
    site = channels[0].site
    assert list(read(api, site)) == ["totalCount", "contents"]
    assert list(read(api, site, cursor="", perPage=10)) == ["totalCount", "contents", "nextCursor"]
    assert read(api, site, cursor="", perPage=30)["nextCursor"] is None
    assert read(api, site, cursor=None) == read(api, site)


def test_an_empty_list_has_one_page(api):
    assert read(api, SiteFactory(), cursor="") == {"totalCount": 0, "contents": [], "nextCursor": None}


def test_the_total_is_that_of_the_whole_list(api, channels):
    site = channels[0].site
    cursor = read(api, site, cursor="", perPage=10)["nextCursor"]
    assert read(api, site, cursor=cursor, perPage=10)["totalCount"] == 30


def test_the_size_of_pages_and_the_shape_of_contents_may_change(api, channels):
    site, expected = channels[0].site, whole(api, channels[0].site)
    cursor = read(api, site, cursor="", perPage=4)["nextCursor"]
    answer = read(api, site, cursor=cursor, perPage=7, fields=["id"], count="none")
    assert answer["contents"] == [{"id": pk} for pk in expected[4:11]]


def test_a_cursor_is_compact_and_fit_for_addresses(api, channels):
    cursor = read(api, channels[0].site, cursor="", perPage=4)["nextCursor"]
    assert cursor.replace("-", "").replace("_", "").isalnum()
    assert cursor[0] == "1"
    assert len(cursor) < 60


def test_spellings_of_one_list_have_one_cursor(api, channels):
    site = channels[0].site
    rule = {"column": "title", "value": "%", "operator": "Like"}
    cursor = read(api, site, cursor="", perPage=4, wheres=[rule], tagNames=["u", "t"])["nextCursor"]
    spelled = {"OPERATOR": " like ", "value": "%", "Column": "TITLE"}
    answer = read(api, site, cursor=cursor, Wheres=[spelled], tagNames=["t", "u"], channelId=0, orders=[])
    assert answer["nextCursor"] is None


@pytest.mark.parametrize("other", [
    {"checked": True},
    {"channelId": "below"},
    {"orders": [order("addDate", True)]},
    {"orders": [order("title", True)]},
    {"wheres": [{"column": "title", "operator": "Like", "value": "%"}]},
    {"wheres": [{"not": {"column": "title", "operator": "Like", "value": "%"}}]},
    {"tagNames": ["t"]},
    {"groupNames": ["t"]},
    {"siteId": "other"},
])  # fmt: skip
def test_the_cursor_of_another_list_is_400(api, channels, other):
    cursor = read(api, channels[0].site, cursor="", perPage=4)["nextCursor"]
    other = {**other, **({"channelId": channels[1].pk} if "channelId" in other else {})}
    other |= {"siteId": SiteFactory().pk} if "siteId" in other else {}
    body = assert_error(api.post(PATH, {"siteId": channels[0].site_id, "cursor": cursor} | other), 400)
    assert (body["code"], body["member"]) == ("invalid_cursor", "cursor")
    assert "another list" in body["message"]


@pytest.mark.parametrize("page", [1, 0, 2, "1"])
def test_a_page_beside_a_cursor_is_400(api, channels, page):
    for cursor in ("", read(api, channels[0].site, cursor="", perPage=4)["nextCursor"]):
        assert_error(ask(api, channels[0].site, cursor=cursor, page=page), 400, "invalid_cursor")


@pytest.mark.parametrize("column", ["content", "Summary", "settingsXml", "colour"])
def test_an_order_by_a_member_of_any_length_has_no_cursor(api, column):
    site = SiteFactory()
    CustomField.objects.create(site=site, name="colour", folded_name="colour")
    for orders in ([order(column, True)], [order("title", True), order(column, False)]):
        body = assert_error(ask(api, site, cursor="", orders=orders), 400, "invalid_cursor")
        assert f"orders[{len(orders) - 1}]" in body["message"]
        assert read(api, site, orders=orders)["totalCount"] == 0


# ---- whatever a client makes of it


def forge(api, site, values, **body):
    """A cursor of the list with other values."""
    decoded = base64.urlsafe_b64decode(read(api, site, cursor="", perPage=1, **body)["nextCursor"][1:] + "===")
    return encode(decoded[:8], values)


def encode(digest, values):
    return "1" + base64.urlsafe_b64encode(digest + json.dumps(values).encode()).decode().rstrip("=")


@pytest.mark.parametrize("text", [
    "x", "1", "2" * 30, "1" * 30, "1===", "1 ", "%", "\n", "é", "1" + "A" * 200_001, "' OR 1=1 --", "null", "[]",
])  # fmt: skip
def test_a_text_that_is_no_cursor_is_400(api, channels, text):
    body = assert_error(ask(api, channels[0].site, cursor=text), 400, "invalid_cursor")
    assert body["member"] == "cursor"


@pytest.mark.parametrize("wrong", [1, True, [], {}, ["x"], 1.5])
def test_what_is_no_text_is_400(api, channels, wrong):
    assert_error(ask(api, channels[0].site, cursor=wrong), 400, "invalid_value")


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(), st.just("2020-01-01 00:00:00"),
    st.lists(st.none()), st.dictionaries(st.text(), st.none()), st.sampled_from(["\0", "9999-99-99 00:00:00"]),
    st.sampled_from(["0000-01-01 00:00:00", "2020-01-01 00:00:00.000500", "2020-01-01 00:00:00+00:00", "1", "True"]),
)  # fmt: skip


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(way=st.sampled_from(sorted(WAYS)), values=st.lists(VALUES, max_size=5) | VALUES)
def test_forged_values_are_refused_or_followed(api, channels, way, values):
    site = channels[0].site
    response = ask(api, site, cursor=forge(api, site, values, **WAYS[way]), **WAYS[way])
    assert response.status_code == 200 or response.json()["code"] == "invalid_cursor", response.content


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(WAYS)), st.integers(0, 40), st.sampled_from("A1z_-=.é\0"), st.integers(0, 2))
def test_damaged_cursors_are_refused_or_followed(api, channels, way, place, letter, length):
    site = channels[0].site
    cursor = read(api, site, cursor="", perPage=2, **WAYS[way])["nextCursor"]
    damaged = cursor[:place] + letter + cursor[place + length :]
    response = ask(api, site, cursor=damaged, **WAYS[way])
    assert response.status_code == 200 or response.json()["code"] in {"invalid_cursor", "invalid_value"}


@pytest.mark.parametrize("values", [
    [True, 2**63, 1, 1],
    [None, 1, 1, 1],
    [True, 1, 1],
    [True, 1, 1, 1, 1],
    [True, "x", 1, 1],
    ["yes", 1, 1, 1],
    [True, 1.5, 1, 1],
    {"a": 1},
    None,
])  # fmt: skip
def test_values_that_no_column_can_have_are_refused(api, channels, values):
    site = channels[0].site
    assert_error(ask(api, site, cursor=forge(api, site, values)), 400, "invalid_cursor")


@pytest.mark.parametrize(("way", "value"), [
    ("title", "a\0"),
    ("title", None),
    ("title", 1),
    ("newest", "2020-13-01 00:00:00"),
    ("newest", "2020-01-01 00:00:00+01:00"),
    ("newest", None),
    ("flag", None),
    ("flag", 2),
])  # fmt: skip
def test_a_value_that_its_column_cannot_have_is_refused(api, channels, way, value):
    site, others = channels[0].site, {"flag": [True, 1]}.get(way, [1])
    cursor = forge(api, site, [value, *others], **WAYS[way])
    assert_error(ask(api, site, cursor=cursor, **WAYS[way]), 400, "invalid_cursor")


def test_values_are_bound(api, channels):
    site, way = channels[0].site, WAYS["title"]
    cursor = forge(api, site, ["'; DROP TABLE contents_content; -- %s", 1], **way)
    assert read(api, site, cursor=cursor, **way)["contents"]
    assert Content.objects.count() == 30


# ---- count


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_nothing_is_counted_where_no_count_is_asked_for(api, channels, way):
    site = channels[0].site
    counted, uncounted = (read(api, site, count=word, **way) for word in ("Exact", " NONE "))
    assert uncounted == counted | {"totalCount": None}
    assert counted == read(api, site, **way)


def test_a_list_without_a_count_asks_for_none(api, channels, django_assert_num_queries):
    read(api, channels[0].site)
    with django_assert_num_queries(1) as queries:
        read(api, channels[0].site, count="none")
    assert "listedcount" not in queries[0]["sql"]


@pytest.mark.parametrize("wrong", ["", "all", "0", 0, True, [], {}])
def test_another_count_is_400(api, channels, wrong):
    body = assert_error(ask(api, channels[0].site, count=wrong), 400, "invalid_value")
    assert body["member"] == "count"


# ---- cost


def plan(body, site):
    """What the engine does for the statement of the list."""
    from contents.api.serializers import ContentListSerializer
    from contents.lists.fragments import Form
    from contents.lists.page import compose
    from contents.lists.request import ListRequest
    from contents.rules.sql import Rules
    from contents.wire.records import selection_of

    asked = ListRequest(**ContentListSerializer.read({"siteId": site.pk, **body}).values)
    statement = compose(asked, Rules(site.pk), Form(selection_of()))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        cursor.execute(f"{explain} {statement.sql}", statement.params)
        return "\n".join(str(row[-1]) for row in cursor.fetchall())


@pytest.mark.parametrize(("way", "postgresql", "sqlite"), [
    ("approved", "ROW(is_top, channel_id, taxis, content_id) <", "(is_top,channel_id,taxis,content_id)<(?,?,?,?)"),
    ("pinned", "ROW(channel_id, taxis, content_id) <", "is_top=? AND (channel_id,taxis,content_id)<(?,?,?)"),
    ("newest", "ROW(add_date, content_id) <", "(add_date,content_id)<(?,?)"),
    ("oldest", "ROW(add_date, content_id) >", "(add_date,content_id)>(?,?)"),
])  # fmt: skip
def test_a_page_begins_within_an_index(api, channels, way, postgresql, sqlite):
    site, body = channels[0].site, WAYS[way] | {"channelId": channels[0].pk}
    cursor = read(api, site, cursor="", perPage=1, **body)["nextCursor"]
    steps = plan(body | {"cursor": cursor}, site)
    assert (postgresql if connection.vendor == "postgresql" else sqlite) in steps
