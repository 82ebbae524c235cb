"""`GET /contents/{siteId}` and `GET /contents/{siteId}/{channelId}`: lists as the older original had them."""

import json
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contents.api.query import ContentFilters, SiteContentFilters
from contents.lists.fragments import Form
from contents.lists.page import compose
from contents.lists.request import ListRequest
from contents.models import CustomField
from contents.rules.sql import Rules
from contents.wire.columns import BY_FOLDED_WIRE
from contents.wire.records import selection_of
from tests.assertions import assert_error
from tests.contents.asking import query, read
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.every_case


def of_site(site):
    return f"/api/v1/contents/{site.pk}"


def of_channel(channel):
    return f"/api/v1/contents/{channel.site_id}/{channel.pk}"


def get(api, path, **parameters):
    """The body of an answer that is a success."""
    response = query(api, path, **parameters)
    assert response.status_code == 200, response.content
    return response.json()


def titles(api, path, **parameters):
    """The titles of the list, in its order."""
    answer = get(api, path, **{"top": 1000} | parameters)
    assert answer["count"] == len(answer["value"])
    return "".join(record["title"] for record in answer["value"])


def found(api, path, **parameters):
    return "".join(sorted(titles(api, path, **parameters)))


@world
def upper():
    """A channel with another below it and one beside it: contents a and b, c, d; x waits for approval."""
    site = SiteFactory(site_dir="museum")
    upper = ChannelFactory(site=site, group_name_collection="news, Press")
    lower, beside = ChannelFactory(parent=upper), ChannelFactory(site=site, group_name_collection="press")
    for number, (title, channel) in enumerate([("a", upper), ("b", upper), ("c", lower), ("d", beside), ("x", upper)]):
        ContentFactory(
            channel=channel,
            title=title,
            taxis=number,
            is_checked=title != "x",
            is_hot=title in "ad",
            hits=number * 10,
            author=f"Author {title}_%",
            add_date=datetime(2020, 1, 1 + number, 12),
            last_edit_date=datetime(2020, 2, 1 + number, 12),
            tags="t,u" if title in "bc" else "t",
            group_name_collection="g" if title in "cd" else "",
            content=f"body of {title}",
        )
    return upper


def test_answers_approved_contents_with_count_and_every_member(api, upper):
    body = get(api, of_site(upper.site))
    assert list(body) == ["value", "count"]
    listed = {record["id"]: record for record in read(api, upper.site, checked=True)["contents"]}
    assert [record["title"] for record in body["value"]] == list("dcba")
    assert all(record == listed[record["id"]] for record in body["value"])
    assert body["count"] == 4


def test_the_list_of_a_channel_has_everything_below_it(api, upper):
    assert titles(api, of_channel(upper)) == "cba"
    assert titles(api, f"{of_site(upper.site)}/0") == "dcba"
    assert titles(api, f"{of_site(upper.site)}/{upper.site_id}") == "dcba"


@pytest.mark.parametrize(("parameters", "expected"), [
    ({"isChecked": "true"}, "abcd"),
    ({"ISCHECKED": "False"}, "x"),
    ({"isChecked": ""}, "abcd"),
    ({"isHot": "True"}, "ad"),
    ({"isHot": "false"}, "bc"),
    ({"isHot": "TRUE", "isChecked": "true"}, "ad"),
    ({"isTop": "true"}, ""),
    ({"title": "a"}, "a"),
    ({"title": "A"}, ""),
    ({"Title": "a", "HITS": "0"}, "a"),
    ({"title": "a", "hits": "10"}, ""),
    ({"hits": "10"}, "b"),
    ({"hits": " +10 "}, "b"),
    ({"taxis": "2"}, "c"),
    ({"author": "Author a_%"}, "a"),
    ({"addDate": "2020-01-02 12:00:00"}, "b"),
    ({"addDate": "2020-01-02T12:00:00Z"}, "b"),
    ({"content": "body of c"}, "c"),
    ({"navigationUrl": "/nowhere"}, ""),
    ({"addDateFrom": "2020-01-02"}, "bcd"),
    ({"addDateTo": "2020-01-02"}, "ab"),
    ({"addDateTo": "2020-01-02 11:59:59"}, "a"),
    ({"addDateFrom": "2020-01-02", "addDateTo": "2020-01-03 12:00"}, "bc"),
    ({"lastEditDateFrom": "2020-02-03"}, "cd"),
    ({"lastEditDateTo": "2020-02-03"}, "abc"),
    ({"tag": "u"}, "bc"),
    ({"TAG": " u "}, "bc"),
    ({"tag": "U"}, ""),
    ({"contentGroup": "g"}, "cd"),
    ({"contentGroup": "g", "tag": "u"}, "c"),
    ({"contentGroup": "", "tag": " "}, "abcd"),
    ({"title": "", "hits": "", "channelIds": "", "like": "", "orderBy": "", "fields": ""}, "abcd"),
    ({"like": "author", "author": "AUTHOR"}, "abcd"),
    ({"like": "author,title", "author": "c_%"}, "c"),
    ({"like": "AUTHOR", "Author": "_"}, "abcd"),
    ({"like": "author", "author": "r_a"}, ""),
    ({"like": "content", "content": "OF B"}, "b"),
    ({"like": "hits", "hits": "0"}, "abcd"),
    ({"like": "isHot", "isHot": "als"}, "bc"),
    ({"like": "isChecked", "isChecked": "e"}, "abcdx"),
    ({"like": "title,nonsense", "title": "b"}, "b"),
    ({"like": "title"}, "abcd"),
    ({"nonsense": "1", "site_id": "7", "version": "7", "_": "1"}, "abcd"),
    ({"channelGroup": "press"}, "d"),
    ({"channelGroup": "Press"}, "ab"),
    ({"channelGroup": "nobody's"}, ""),
    ({"channelIds": "0"}, ""),
    ({"channelIds": ","}, ""),
])  # fmt: skip
def test_parameters_choose_contents(api, upper, parameters, expected):
    assert found(api, of_site(upper.site), **parameters) == expected


def test_channels_are_chosen_themselves_without_those_below_them(api, upper):
    beside = read(api, upper.site, wheres=[{"column": "title", "value": "d"}])["contents"][0]["channelId"]
    path = of_site(upper.site)
    assert found(api, path, channelIds=upper.pk) == "ab"
    assert found(api, path, ChannelIDs=f" {upper.pk},{beside} ,,") == "abd"
    assert found(api, path, channelIds=f"{upper.pk},{beside}", channelGroup="press") == "d"
    assert found(api, path, channelId=upper.pk) == "ab"
    # Of the site's list alone.
    assert found(api, of_channel(upper), channelIds=beside, channelGroup="press") == "abc"


def test_ids_are_members_like_others(api, upper):
    record = get(api, of_site(upper.site), title="b")["value"][0]
    assert found(api, of_site(upper.site), id=record["id"]) == "b"
    assert found(api, of_site(upper.site), siteId=upper.site_id, id=record["id"]) == "b"
    assert found(api, of_site(upper.site), siteId=upper.site_id + 1) == ""


def test_custom_fields_of_the_site_are_members_like_others(api, upper):
    for title, members in [("m", {"Colour": "Red", "tag line": "50%"}), ("n", {"colour": "blue"})]:
        assert api.post(of_channel(upper), {"title": title, "isChecked": True, **members}).status_code == 200
    path = of_site(upper.site)
    for parameters, expected in [
        ({"colour": "Red"}, "m"),
        ({"COLOUR": "red"}, ""),
        ({"Colour": "re", "like": "colour"}, "m"),
        ({"tag line": "50%"}, "m"),
        ({"colour": ""}, "abcdmn"),
        ({"size": "1"}, "abcdmn"),
    ]:
        assert found(api, path, **parameters) == expected
    assert get(api, path, colour="blue", fields="colour")["value"] == [{"colour": "blue"}]
    assert titles(api, path, orderBy="colour DESC,title").startswith("nmabcd")


@pytest.mark.parametrize(("order", "expected"), [
    ("", "dcba"),
    ("AddDate", "abcd"),
    ("addDate asc", "abcd"),
    ("AddDate DESC", "dcba"),
    (" title  desc ", "dcba"),
    ("isHot DESC,Title", "adbc"),
    ("isHot desc, taxis DESC", "dacb"),
    ("isHot,id desc,", "cbda"),
    ("navigationUrl", "abcd"),
])  # fmt: skip
def test_the_order_is_that_of_the_members_that_are_named(api, upper, order, expected):
    if order == "navigationUrl":
        expected = "".join(
            sorted("abcd", key=lambda title: get(api, of_site(upper.site), title=title)["value"][0][order])
        )
    assert titles(api, of_site(upper.site), orderBy=order) == expected
    assert titles(api, of_site(upper.site), ORDERBY=order, title="a", like="title") == "a"


@pytest.mark.parametrize("more", [{}, {"contentGroup": "g"}, {"tag": "t"}, {"hits": "7"}, {"isHot": "true"}])
def test_the_default_order_is_pinned_taxis_id_all_descending(api, more):
    site = SiteFactory()
    first, second = ChannelFactory(site=site), ChannelFactory(site=site)
    for title, channel, taxis, is_top in [
        ("f", second, 1, False), ("e", first, 2, False), ("d", second, 3, False), ("c", first, 3, False),
        ("b", second, 1, True), ("a", first, 2, True), ("g", second, 0, False),
    ]:  # fmt: skip
        ContentFactory(
            title=title, channel=channel, taxis=taxis, is_top=is_top, is_checked=True, is_hot=True, hits=7,
            tags="t", group_name_collection="g",
        )  # fmt: skip
    assert titles(api, of_site(site), **more) == "abcdefg"
    assert titles(api, of_site(site), isTop="true", **more) == "ab"
    assert titles(api, of_site(site), isTop="false", **more) == "cdefg"


def windows(body):
    """The links as (skip, top)."""
    links = {}
    for name in ("first", "prev", "next", "last"):
        if name in body:
            asked = parse_qs(urlsplit(body[name]).query)
            links[name] = (int(asked["skip"][0]), int(asked["top"][0]))
    return links


@pytest.mark.parametrize(("parameters", "expected", "links"), [
    ({}, "dcba", {}),
    ({"top": "4"}, "dcba", {}),
    ({"top": "2"}, "dc", {"next": (2, 2), "last": (2, 2)}),
    ({"top": "2", "skip": "2"}, "ba", {"first": (0, 2), "prev": (0, 2)}),
    ({"TOP": "1", "Skip": "1"}, "c", {"first": (0, 1), "prev": (0, 1), "next": (2, 1), "last": (3, 1)}),
    ({"skip": "3"}, "a", {"first": (0, 20), "prev": (0, 20)}),
    ({"skip": "9"}, "", {"first": (0, 20), "prev": (0, 20)}),
    ({"top": "0", "skip": "-1"}, "dcba", {}),
    ({"skip": str(2**63 - 1)}, "", {"first": (0, 20), "prev": (0, 20)}),
])  # fmt: skip
@pytest.mark.parametrize("more", [{}, {"hits": "0", "like": "hits"}])
def test_lists_come_in_pages_with_links(api, upper, parameters, expected, links, more):
    body = get(api, of_site(upper.site), **parameters, **more)
    assert "".join(record["title"] for record in body["value"]) == expected
    assert (body["count"], windows(body)) == (4, links)


def test_links_lead_through_the_list_and_repeat_no_key(api, upper):
    address = f"{of_channel(upper)}?top=2&author=Author&like=author&apiKey={api.token}"
    first = api.get(address).json()
    assert "apiKey" not in json.dumps(first)
    assert first["next"].startswith("http://testserver/api/v1/contents/")
    second = api.get(first["next"]).json()
    assert [record["title"] for record in first["value"] + second["value"]] == list("cba")


def test_twenty_a_page_is_the_default_and_the_limit_a_setting(api, settings):
    channel = ChannelFactory()
    ContentFactory.create_batch(21, channel=channel, is_checked=True)
    assert len(get(api, of_channel(channel))["value"]) == 20
    assert len(get(api, of_channel(channel), top=21)["value"]) == 21
    settings.CMS_MAX_PER_PAGE = 20
    for path in (of_channel(channel), of_site(channel.site)):
        body = assert_error(query(api, path, top=21), 400, "page_too_large")
        assert body["member"] == "top"
        assert "20" in body["message"]


def test_unknown_places_are_404_whatever_the_query(api, upper):
    other = ChannelFactory()
    trashed = ChannelFactory(site=upper.site, trashed_at=datetime(2020, 1, 1))
    for parameters in ({}, {"hits": "x"}, {"top": "x"}, {"fields": "nope"}, {"channelGroup": "x"}, {"orderBy": "nope"}):
        assert_error(query(api, "/api/v1/contents/0", **parameters), 404, "site_not_found")
        assert_error(query(api, "/api/v1/contents/0/0", **parameters), 404, "site_not_found")
        for channel in (other.pk, trashed.pk, -1):
            path = f"{of_site(upper.site)}/{channel}"
            assert_error(query(api, path, **parameters), 404, "channel_not_found")


def test_the_key_comes_first(stranger, client_with_key, upper):
    for path in (of_site(upper.site), of_channel(upper), "/api/v1/contents/0"):
        assert_error(stranger.get(path), 401, "key_missing")
        assert_error(client_with_key(scopes="STL,Channels").get(path), 401, "scope_missing")
        other = client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk))
        assert_error(other.get(path), 401, "site_not_allowed")
    reader = client_with_key(scopes="Contents:read", site_ids=str(upper.site_id))
    assert titles(reader, of_channel(upper)) == "cba"


REFUSED = [
    ({"hits": "x"}, "invalid_value", "hits"),
    ({"Hits": "1.5"}, "invalid_value", "Hits"),
    ({"id": str(2**63)}, "invalid_value", "id"),
    ({"isTop": "yes"}, "invalid_value", "isTop"),
    ({"isChecked": "1"}, "invalid_value", "isChecked"),
    ({"addDate": "yesterday"}, "invalid_value", "addDate"),
    ({"addDateFrom": "x"}, "invalid_value", "addDateFrom"),
    ({"addDateTo": "2020-13-01"}, "invalid_value", "addDateTo"),
    ({"lastEditDateTo": "x"}, "invalid_value", "lastEditDateTo"),
    ({"channelIds": "1,x"}, "invalid_value", "channelIds"),
    ({"channelIds": ",".join(["1"] * 1001)}, "invalid_value", "channelIds"),
    ({"title": "a\0"}, "invalid_value", "title"),
    ({"tag": "a\0"}, "invalid_value", "tag"),
    ({"contentGroup": "\0"}, "invalid_value", "contentGroup"),
    ({"like": "title", "title": "a" * 256}, "invalid_value", "title"),
    ({"title": "a", "Title": "b"}, "duplicate_member", "Title"),
    ({"orderBy": "id", "OrderBy": "id"}, "duplicate_member", "OrderBy"),
    ({"top": "1", "Top": "2"}, "duplicate_member", "Top"),
    ({"top": "x"}, "invalid_value", "top"),
    ({"skip": str(2**63)}, "invalid_value", "skip"),
    ({"orderBy": "nope"}, "unknown_column", "orderBy"),
    ({"orderBy": "id,DESC"}, "unknown_column", "DESC"),
    ({"orderBy": "id down"}, "unknown_column", "id down"),
    ({"orderBy": "id; DROP TABLE x"}, "unknown_column", "DROP"),
    ({"orderBy": "a\0"}, "unknown_column", "orderBy"),
    ({"fields": "a\0"}, "unknown_column", "fields"),
    ({"orderBy": ",".join(["id"] * 51)}, "too_many_entries", "orderBy"),
]


@pytest.mark.parametrize(("parameters", "code", "named"), REFUSED)
def test_a_parameter_that_cannot_be_followed_is_400_and_named(api, upper, parameters, code, named):
    for path in (of_site(upper.site), of_channel(upper)):
        if "channelIds" not in parameters or path == of_site(upper.site):
            body = assert_error(query(api, path, **parameters), 400, code)
            assert named in body["message"]


def test_the_number_of_filters_is_limited(api, upper, monkeypatch):
    monkeypatch.setattr("contents.api.query.MAX_RULES", 2)
    assert found(api, of_site(upper.site), title="a", hits="0", isHot="true", tag="t") == "a"
    body = assert_error(query(api, of_site(upper.site), title="a", hits="0", id="1"), 400, "too_many_entries")
    assert body["message"].startswith("filters")


def test_a_slow_list_is_400(api, upper, settings):
    settings.CMS_STATEMENT_SECONDS = 0
    channel = ChannelFactory(site=upper.site)
    ContentFactory.create_batch(200, channel=channel, is_checked=True, content="abc" * 3000)
    response = query(api, of_site(upper.site), like="content", content="x" * 200, orderBy="content,summary")
    assert response.status_code == 200 or response.json()["code"] == "query_too_slow"
    # What an index answers has no limit.
    assert get(api, of_site(upper.site))["count"] == 204


NAMES = [*(column.wire for column in BY_FOLDED_WIRE.values()), "addDateFrom", "tag", "channelIds", "channelGroup"]
NAMES += ["contentGroup", "like", "orderBy", "fields", "top", "skip", "colour", "nonsense", "%s", "'", "\0", ""]
VALUES = ["", "a", "1", "-1", "True", "2020-01-01", "%", "'", "\0", "é", "9" * 30, "title", "id DESC", "a,b", ",", "\\"]


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES) | st.text(max_size=5), max_size=5))
def test_any_query_is_answered_or_refused(api, upper, parameters):
    CustomField.objects.get_or_create(site=upper.site, name="colour", folded_name="colour")
    for path in (of_site(upper.site), of_channel(upper)):
        clean = {name: value.encode("utf-8", "replace").decode() for name, value in parameters.items()}
        assert query(api, path, **clean).status_code in {200, 400}, parameters


def test_the_filters_are_declared_with_what_they_mean(api):
    both = set(ContentFilters.base_filters)
    assert {column.name for column in BY_FOLDED_WIRE.values()} < both
    assert set(SiteContentFilters.base_filters) - both == {"channel_ids", "channel_group"}
    assert all(one.extra["help_text"].endswith(".") for one in SiteContentFilters.base_filters.values())


LIMITED = {"isHot"}


@pytest.mark.parametrize("parameters", [{}, {"fields": "title"}, {"orderBy": "addDate"}, {"isHot": "true"}], ids=str)
def test_a_list_costs_one_statement(api, upper, django_assert_num_queries, parameters):
    get(api, of_site(upper.site), **parameters)
    # On PostgreSQL three more set a limit of time, where it is not an index that answers.
    with django_assert_num_queries(
        4 if parameters.keys() & LIMITED and connection.vendor == "postgresql" else 1
    ) as queries:
        get(api, of_site(upper.site), **parameters)
    (read,) = [query["sql"] for query in queries if "contents_" in query["sql"]]
    assert ("contentbody" in read) == ("fields" not in parameters)


def test_the_default_order_is_that_of_an_index(upper):
    request = ListRequest(upper.site_id, checked=True, is_by_taxis=True, skip=0)
    statement = compose(request, Rules(upper.site_id), Form(selection_of()))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
            )
        explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        cursor.execute(f"{explain} {statement.sql}", statement.params)
        assert "listed_by_taxis" in str(cursor.fetchall())
