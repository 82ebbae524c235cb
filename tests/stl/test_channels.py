"""`GET /stl/channels`."""

from datetime import datetime

import pytest

from channels_app.attributes import channel_attributes
from channels_app.models import LinkType
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import MISSING, ask, names, path, refused
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.every_case]


@world
def site():
    """Home, a with b (with c) and d below it, e without any below it."""
    site = SiteFactory(site_name="home", site_dir="museum")
    a = ChannelFactory(site=site, channel_name="a", index_name="ia", group_name_collection="news,x",
                       add_date=datetime(2020, 1, 3))  # fmt: skip
    b = ChannelFactory(parent=a, channel_name="b", image_url="@/b.jpg", add_date=datetime(2020, 1, 5))
    ChannelFactory(parent=b, channel_name="c", index_name="ic", group_name_collection="x", description="deep",
                   add_date=datetime(2020, 1, 1))  # fmt: skip
    ChannelFactory(parent=a, channel_name="d", group_name_collection="topnews", add_date=datetime(2020, 1, 2))
    ChannelFactory(site=site, channel_name="e", index_name="ie", group_name_collection=" news , 头条",
                   settings={"theme": "dark"}, add_date=datetime(2020, 1, 4))  # fmt: skip
    return site


def test_answers_whole_objects(api, site):
    b = site.channels.get(channel_name="b")
    for number in range(3):
        ContentFactory(channel=b, is_checked=number > 0)
    shown, _ = ask(api, "channels", siteId=site.pk, channelIndex="ia")
    single = ask(api, "channel", siteId=site.pk, channelId=b.pk)
    single.pop("additional")
    single["navigationUrl"] = f"/museum/channels/{b.pk}.html"
    assert list(shown.items()) == list(single.items())
    assert (shown["contentNum"], shown["imageUrl"]) == (3, "/museum/b.jpg")
    assert shown["attributes"] == channel_attributes({})


def test_custom_fields_are_flattened(api, site):
    assert ask(api, "channels", siteId=site.pk)[1]["theme"] == "dark"


def test_custom_fields_never_hide_members(api):
    hidden = ("contentNum", "attributes", "navigationUrl", "id")
    channel = ChannelFactory(settings=dict.fromkeys(hidden, "mine"), file_path="/x.html")
    (shown,) = ask(api, "channels", siteId=channel.site_id)
    assert [shown[name] for name in hidden] == [0, channel_attributes({}), f"{channel.site.web_url}/x.html", channel.pk]


@pytest.mark.parametrize("query,expected", [
    ("", "a e"),
    ("scope=Children", "a e"),
    ("scope=self", "home"),
    ("scope=SELFANDCHILDREN", "home a e"),
    ("scope=Descendant", "a b c d e"),
    ("scope=All", "home a b c d e"),
    ("scope=nonsense", "home"),
    ("scope=%20All%20", "home a b c d e"),
    ("channelIndex=ia", "b d"),
    ("channelIndex=ia&scope=Self", "a"),
    ("channelIndex=ia&scope=SelfAndChildren", "a b d"),
    ("channelIndex=ia&scope=Descendant", "b c d"),
    ("channelIndex=ia&scope=All", "a b c d"),
    ("channelIndex=ia&isAllChildren=true", "b c d"),
    ("channelIndex=ia&isAllChildren=true&scope=Self", "b c d"),
    ("channelIndex=ia&isAllChildren=false", "b d"),
    ("channelIndex=ia&isAllChildren=1", "b d"),
    ("channelIndex=ia&isTotal=true", "home a b c d e"),
    ("channelIndex=ia&isTotal=true&scope=Self", "home a b c d e"),
    ("channelIndex=ia&isTotal=false", "b d"),
    # A channel without any below it.
    ("channelIndex=ie", ""),
    ("channelIndex=ie&scope=Descendant", ""),
    ("channelIndex=ie&scope=Self", "e"),
    ("channelIndex=ie&scope=All", "e"),
    ("channelName=b", "c"),
    ("channelIndex=nothing", "a e"),
])  # fmt: skip
def test_scopes(api, site, query, expected):
    assert names(api, "channels", f"siteId={site.pk}&{query}") == expected


@pytest.mark.parametrize("query,expected", [
    ("upLevel=1", "c"),
    ("upLevel=2", "b d"),
    ("upLevel=9", "a e"),
    ("parent=true", "c"),
    ("topLevel=0", "a e"),
    ("topLevel=1", "b d"),
])  # fmt: skip
def test_levels(api, site, query, expected):
    c = site.channels.get(channel_name="c")
    assert names(api, "channels", f"siteId={site.pk}&channelId={c.pk}&{query}") == expected


def test_around_a_missing_channel_there_is_none(api, site):
    for query in ({}, {"scope": "All"}, {"isTotal": "true"}, {"where": "id > 0"}):
        assert ask(api, "channels", query, siteId=site.pk, channelId=MISSING) == []


@pytest.mark.parametrize("query,expected", [
    ({"groupChannel": "news"}, "a e"),
    ({"groupChannel": "x"}, "a c"),
    ({"groupChannel": "news,topnews"}, "a d e"),
    ({"groupChannel": " news , nothing "}, "a e"),
    ({"groupChannel": "头条"}, "e"),
    ({"groupChannel": "new"}, ""),
    ({"groupChannel": "News"}, ""),
    ({"groupChannel": "%"}, ""),
    ({"groupChannel": ""}, ""),
    ({"groupChannel": ","}, ""),
    ({"groupChannelNot": "news"}, "b c d"),
    ({"groupChannelNot": "news,x"}, "b d"),
    ({"groupChannelNot": ""}, "a b c d e"),
    ({"groupChannelNot": "nothing"}, "a b c d e"),
    ({"groupChannel": "x", "groupChannelNot": "news"}, "c"),
])  # fmt: skip
def test_groups_are_whole_names(api, site, query, expected):
    assert names(api, "channels", query, siteId=site.pk, isAllChildren="true") == expected


@pytest.mark.parametrize("flag,expected", [("true", "b"), ("False", "a c d e"), ("x", "a c d e"), ("", "a c d e")])
def test_images(api, site, flag, expected):
    assert names(api, "channels", siteId=site.pk, isAllChildren="true", isImage=flag) == expected


@pytest.mark.parametrize("order,expected", [
    ("", "a b c d e"),
    ("Default", "a b c d e"),
    ("hits", "a b c d e"),
    ("Back", "e d c b a"),
    ("BACK", "e d c b a"),
    ("AddDate", "b e a d c"),
    ("AddDateBack", "c d a e b"),
    ("channelName DESC", "e d c b a"),
    ("ORDER BY parentsCount, addDate DESC", "e a b d c"),
    ("indexName", "b d a c e"),
])  # fmt: skip
def test_orders(api, site, order, expected):
    assert names(api, "channels", siteId=site.pk, isAllChildren="true", order=order) == expected


def test_a_random_order_has_every_channel_once(api, site):
    found = names(api, "channels", siteId=site.pk, isAllChildren="true", order="RANDOM")
    assert sorted(found.split()) == list("abcde")


@pytest.mark.parametrize("query,expected", [
    ({"totalNum": 2}, "a b"),
    ({"totalNum": 99}, "a b c d e"),
    ({"totalNum": "x"}, "a b c d e"),
    ({"totalNum": -2}, "a b c d e"),
    ({"startNum": 2}, "b c d e"),
    ({"startNum": 0}, "a b c d e"),
    ({"startNum": "x"}, "a b c d e"),
    ({"startNum": 4, "totalNum": 1}, "d"),
    ({"startNum": 9}, ""),
    ({"startNum": 2, "totalNum": 2, "order": "Back"}, "d c"),
])  # fmt: skip
def test_amounts(api, site, query, expected):
    assert names(api, "channels", query, siteId=site.pk, isAllChildren="true") == expected


@pytest.mark.parametrize("where,expected", [
    ("ChannelName = 'c'", "c"),
    ("[ParentsCount] > 1 AND NOT ImageUrl LIKE '%b.jpg'", "c d"),
    ("siteserver_Channel.Description LIKE 'DEEP'", "c"),
    ("AddDate >= '2020-01-04'", "b e"),
    ("(indexName = 'ia' OR indexName = 'ic') AND childrenCount > 0", "a"),
    ("navigationUrl LIKE '/museum/channels/%'", "a b c d e"),
    ("channelName = 'none'", ""),
])  # fmt: skip
def test_a_condition_filters(api, site, where, expected):
    assert names(api, "channels", siteId=site.pk, isAllChildren="true", where=where) == expected


@pytest.mark.parametrize("query,code", [
    ({"where": "nothing = 1"}, "unknown_column"),
    ({"where": "children = 1"}, "unknown_column"),
    ({"where": "id ="}, "bad_where"),
    ({"where": "1=1 OR 1=1"}, "bad_where"),
    ({"order": "LastEditDate"}, "unknown_column"),
    ({"order": "id DESC DESC"}, "bad_order"),
])  # fmt: skip
def test_a_bad_rule_is_400(api, site, query, code):
    assert refused(api, "channels", code, query, siteId=site.pk)["member"] in query
    # Even where there is nothing to be found.
    refused(api, "channels", code, query, siteId=site.pk, channelIndex="ie")


def test_addresses_that_follow_from_contents_are_those_of_now(api):
    channel = ChannelFactory(link_type=LinkType.LINK_TO_FIRST_CONTENT, site=SiteFactory(site_dir="m"))
    query = {"siteId": channel.site_id}
    assert ask(api, "channels", query)[0]["navigationUrl"] == f"/m/channels/{channel.pk}.html"
    content = ContentFactory(channel=channel, is_checked=True)
    expected = f"/m/contents/{channel.pk}/{content.pk}.html"
    assert ask(api, "channels", query)[0]["navigationUrl"] == expected
    assert names(api, "channels", query, where=f"navigationUrl = '{expected}'") == channel.channel_name


def test_types_and_text_attributes_do_nothing(api, site):
    plain = ask(api, "channels", siteId=site.pk)
    assert ask(api, "channels", siteId=site.pk, type="channelName", isUpper="true", replace="(") == plain


def test_the_number_of_queries_does_not_grow(api, django_assert_max_num_queries):
    channel = ChannelFactory()
    address = path("channels", siteId=channel.site_id, scope="All", where="id > 0", order="AddDate")
    for _ in range(2):
        for _ in range(3):
            lower = ChannelFactory(parent=channel, link_type=LinkType.LINK_TO_FIRST_CONTENT)
            ContentFactory(channel=lower, is_checked=True)
        assert len(api.get(address).json()["value"]) > 4
        with django_assert_max_num_queries(8):
            api.get(address)
