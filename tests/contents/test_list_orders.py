"""`POST /contents`: Order rules and the default order."""

from datetime import datetime

import pytest

from contents.lists.request import MAX_RULES
from tests.assertions import assert_error
from tests.contents.asking import ask, read, titles
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.every_case

# Values that stand in this order: numbers as numbers, texts by code point, null before everything.
SORTED = {
    "taxis": ("taxis", [-5, 2, 10]),
    "sourceId": ("source_id", [-99, 2, 10]),
    "referenceId": ("reference_id", [-5, 2, 10]),
    "checkedLevel": ("checked_level", [-99, 2, 10]),
    "hits": ("hits", [1, 2, 10]),
    "hitsByDay": ("hits_by_day", [1, 2, 10]),
    "hitsByWeek": ("hits_by_week", [1, 2, 10]),
    "hitsByMonth": ("hits_by_month", [1, 2, 10]),
    "addDate": ("add_date", [datetime(1999, 1, 1), datetime(2000, 1, 1), datetime(2000, 1, 1, 1)]),
    "lastEditDate": ("last_edit_date", [datetime(1999, 1, 1), datetime(2000, 1, 1), datetime(2000, 1, 1, 1)]),
    "lastHitsDate": ("last_hits_date", [None, datetime(1999, 1, 1), datetime(2000, 1, 1)]),
    "addUserName": ("add_user_name", ["", "B", "a"]),
    "lastEditUserName": ("last_edit_user_name", ["10", "2", "a"]),
    "writingUserName": ("writing_user_name", ["B", "a", "é"]),
    "groupNameCollection": ("group_name_collection", ["", "B", "a"]),
    "tags": ("tags", ["", "B", "a"]),
    "settingsXml": ("settings_xml", ['{"a":1}', '{"b":1}', "{}"]),
    "title": ("title", ["B", "a", "中"]),
    "subTitle": ("sub_title", [" b", "_b", "b"]),
    "linkUrl": ("link_url", ["/a", "/b", "/c"]),
    "navigationUrl": ("link_url", ["/a", "/b", "http://a"]),
    "imageUrl": ("image_url", ["", "@/a", "~/a"]),
    "videoUrl": ("video_url", ["", "@/a", "~/a"]),
    "fileUrl": ("file_url", ["", "@/a", "~/a"]),
    "content": ("content", ["", "<p>a</p>", "<p>b</p>"]),
    "summary": ("summary", ["a", "aa", "b"]),
    "author": ("author", ["a b", "a-b", "ab"]),
    "source": ("source", ["Z", "a", "ä"]),
}


def order(column, desc=False):
    return {"column": column, "desc": desc}


def ids(api, site, *orders):
    return [record["id"] for record in read(api, site, orders=list(orders))["contents"]]


@pytest.mark.parametrize("column", SORTED)
def test_a_list_is_ordered_by_any_column(api, column):
    name, values = SORTED[column]
    channel = ChannelFactory()
    made = [ContentFactory(channel=channel, **{name: values[place]}) for place in (1, 0, 2)]
    expected = [made[1].pk, made[0].pk, made[2].pk]
    for wire in (column, column.upper()):
        assert ids(api, channel.site, order(wire)) == expected
        assert ids(api, channel.site, order(wire, desc=True)) == expected[::-1]


@pytest.mark.parametrize("column", ["isChecked", "isTop", "isRecommend", "isHot", "isColor"])
def test_false_comes_before_true(api, column):
    channel = ChannelFactory()
    name = column[:2] + "_" + column[2:].lower()
    made = [ContentFactory(channel=channel, **{name: value}).pk for value in (True, False)]
    assert ids(api, channel.site, order(column)) == made[::-1]
    assert ids(api, channel.site, order(column, desc=True)) == made


@pytest.mark.parametrize("column", ["id", "channelId", "siteId"])
def test_a_list_is_ordered_by_ids(api, column):
    site = SiteFactory()
    made = [ContentFactory(channel=ChannelFactory(site=site)).pk for _ in range(3)]
    assert ids(api, site, order(column)) == made
    assert ids(api, site, order(column, desc=True)) == made[::-1]


def test_every_column_has_a_place_in_this_table(api):
    content = ContentFactory()
    others = {"id", "channelId", "siteId", "isChecked", "isTop", "isRecommend", "isHot", "isColor"}
    assert set(read(api, content.site)["contents"][0]) == {*SORTED, *others}


@pytest.mark.parametrize("column", ["author", "addDate", "isTop"])
def test_equal_values_are_ordered_by_id_in_the_direction_of_the_last_rule(api, column):
    channel = ChannelFactory()
    same = {"author": "x", "add_date": datetime(2020, 1, 1)}
    made = [ContentFactory(channel=channel, **same).pk for _ in range(3)]
    assert ids(api, channel.site, order(column)) == made
    assert ids(api, channel.site, order(column, desc=True)) == made[::-1]


def test_the_first_rule_counts_most(api):
    channel = ChannelFactory()
    for title, author, hits in [("a", "x", 1), ("b", "y", 2), ("c", "x", 3), ("d", "y", 0)]:
        ContentFactory(channel=channel, title=title, author=author, hits=hits)
    rules = [order("author", desc=True), order("hits")]
    assert titles(api, channel.site, orders=rules) == ["d", "b", "a", "c"]
    assert titles(api, channel.site, orders=rules[::-1]) == ["d", "a", "b", "c"]
    assert titles(api, channel.site, orders=[rules[0], order("author"), rules[1]]) == ["d", "b", "a", "c"]


@world
def shelf():
    """Contents in the default order: pinned, then later channels, higher taxis, higher ids first."""
    site = SiteFactory()
    first, second = ChannelFactory(site=site), ChannelFactory(site=site)
    for title, channel, taxis, is_top in [
        ("f", first, 1, False),
        ("e", first, 1, False),
        ("d", first, 2, False),
        ("c", second, 1, False),
        ("b", first, 1, True),
        ("a", second, 1, True),
    ]:
        ContentFactory(title=title, channel=channel, taxis=taxis, is_top=is_top, is_checked=title in "bdf")
    return site


@pytest.mark.parametrize("more", [
    {},
    {"orders": []},
    {"orders": None},
    {"wheres": [{"column": "title", "operator": "!=", "value": ""}]},
    {"wheres": [{"column": "title", "operator": "!=", "value": ""}], "orders": []},
])  # fmt: skip
def test_the_default_order_is_pinned_channel_taxis_id_all_descending(api, shelf, more):
    assert titles(api, shelf, **more) == list("abcdef")
    assert titles(api, shelf, checked=True, **more) == list("bdf")
    assert titles(api, shelf, checked=False, **more) == list("ace")


def test_desc_is_read_from_a_text_too(api, shelf):
    assert titles(api, shelf, orders=[{"Column": "Title", "Desc": "True"}]) == list("fedcba")


@pytest.mark.parametrize("rule,code,named", [
    ({"columns": "LastEditDate", "desc": True}, "missing_member", "columns"),
    ({"desc": True}, "missing_member", "column"),
    ({"column": "title"}, "missing_member", "desc"),
    ({"column": "title", "desc": None}, "missing_member", "desc"),
    ({"column": "title", "desc": "down"}, "invalid_value", "desc"),
    ({"column": "title", "desc": 1}, "invalid_value", "desc"),
    ({"column": 1, "desc": True}, "invalid_value", "column"),
    ({"column": "nonsense", "desc": True}, "unknown_column", "orders[0]"),
    ({"column": "is_top", "desc": True}, "unknown_column", "is_top"),
    ({"column": "1", "desc": True}, "unknown_column", "1"),
    ({"column": "title; --", "desc": True}, "unknown_column", "title"),
])  # fmt: skip
def test_a_rule_that_cannot_be_followed_is_400_and_named(api, rule, code, named):
    body = assert_error(ask(api, SiteFactory(), orders=[rule]), 400, code)
    assert named in body["message"]


def test_the_number_of_rules_is_limited(api, shelf):
    rules = [order("title")] * MAX_RULES
    assert titles(api, shelf, orders=rules) == list("abcdef")
    assert_error(ask(api, shelf, orders=[*rules, order("title")]), 400, "too_many_entries")
