"""`GET /stl/channel`."""

import json
from datetime import datetime

import pytest

from channels_app.attributes import channel_attributes
from channels_app.models import LinkType
from channels_app.services import trash_channel
from contents.models import Content
from tests.cases import each_once
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import MISSING, ask, path
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def channel():
    """A channel with a child, three contents of its own and one of the child."""
    channel = ChannelFactory(
        site=SiteFactory(site_dir="museum"), channel_name="News", index_name="news", group_name_collection="top,x",
        add_date=datetime(2018, 2, 23, 10, 32, 5), image_url="@/upload/a.jpg",
        content='<a href="@/b.html">Hello</a>[SITESERVER_PAGE] World', keywords="k1,k2", description="About\nus",
        link_type=LinkType.LINK_TO_FIRST_CHANNEL, channel_template_id=3, content_template_id=4, file_path="/n.html",
        channel_file_path_rule="/c/{@ChannelID}.html", content_file_path_rule="/d/{@ContentID}.html", link_url="@/x",
        content_model_plugin_id="SS.Job", content_related_plugin_ids="SS.Poll",
        settings={"list": [1], "none": None, "open": True, "motto": "Hello World", "isContentAddable": False},
    )  # fmt: skip
    child = ChannelFactory(parent=channel)
    ContentFactory(channel=channel, is_checked=True, image_url="/a.jpg")
    ContentFactory(channel=channel, is_checked=True)
    ContentFactory(channel=channel, is_checked=False, image_url="/b.jpg")
    ContentFactory(channel=child, is_checked=True, image_url="/c.jpg")
    Content.objects.filter(pk=ContentFactory(channel=channel, is_checked=True, image_url="/d").pk).update(
        trashed_at=datetime(2020, 1, 1)
    )
    return channel


def value(api, channel, kind, **more):
    """One value of the channel."""
    return ask(api, "channel", siteId=channel.site_id, channelId=channel.pk, type=kind, **more)


# ---- the object


def test_answers_the_whole_object(api, channel):
    settings = channel_attributes(channel.settings)
    assert list(ask(api, "channel", siteId=channel.site_id, channelId=channel.pk).items()) == [
        ("id", channel.pk),
        ("channelName", "News"),
        ("siteId", channel.site_id),
        ("contentModelPluginId", "SS.Job"),
        ("contentRelatedPluginIds", "SS.Poll"),
        ("parentId", channel.site_id),
        ("parentsPath", str(channel.site_id)),
        ("parentsCount", 1),
        ("childrenCount", 1),
        ("isLastNode", True),
        ("indexName", "news"),
        ("groupNameCollection", "top,x"),
        ("taxis", 2),
        ("addDate", "2018-02-23 10:32:05"),
        ("imageUrl", "/museum/upload/a.jpg"),
        ("content", '<a href="@/b.html">Hello</a>[SITESERVER_PAGE] World'),
        ("contentNum", 3),
        ("filePath", "/n.html"),
        ("channelFilePathRule", "/c/{@ChannelID}.html"),
        ("contentFilePathRule", "/d/{@ContentID}.html"),
        ("linkUrl", "@/x"),
        ("linkType", "LinkToFirstChannel"),
        ("channelTemplateId", 3),
        ("contentTemplateId", 4),
        ("keywords", "k1,k2"),
        ("description", "About\nus"),
        # Custom fields, as later versions answer them.
        ("list", [1]),
        ("none", None),
        ("open", True),
        ("motto", "Hello World"),
        ("additional", settings),
        ("attributes", settings),
    ]
    assert settings["isContentAddable"] is False


def test_the_home_channel_is_meant_without_a_number(api):
    site = SiteFactory(site_name="Museum")
    home = ask(api, "channel", siteId=site.pk)
    assert (home["id"], home["parentId"], home["parentsPath"], home["contentNum"]) == (site.pk, 0, "", 0)
    for unread in ("", "0", "x", "1.5", 10**30):
        assert ask(api, "channel", siteId=site.pk, channelId=unread) == home
    assert ask(api, "channel", siteId=site.pk, channelId=site.pk) == home
    assert ask(api, "channel", siteId=site.pk, channelId=-site.pk) == home


def test_custom_fields_never_hide_members(api):
    names = ("contentNum", "contentnum", "additional", "attributes", "id", "children", "lastNode", "navigationUrl")
    channel = ChannelFactory(settings=dict.fromkeys(names, "mine"))
    plain = ChannelFactory(site=channel.site)
    answered = ask(api, "channel", siteId=channel.site_id, channelId=channel.pk)
    assert answered["contentNum"] == 0
    assert answered["additional"] == answered["attributes"] == channel_attributes({})
    assert answered["id"] == channel.pk
    own = [name for name in answered if name != "contentnum"]
    assert own == list(ask(api, "channel", siteId=channel.site_id, channelId=plain.pk))


@each_once(
    ("channel_id", [MISSING, -MISSING, 2**63 - 1, -(2**63)]),
    ("kind", ["", "channelName", "id", "nothing"]),
)
def test_a_missing_channel_is_null(api, channel, channel_id, kind):
    assert ask(api, "channel", siteId=channel.site_id, channelId=channel_id, type=kind) is None


def test_a_channel_in_the_trash_is_missing(api, channel):
    trash_channel(channel.site_id, channel.pk)
    assert ask(api, "channel", siteId=channel.site_id, channelId=channel.pk) is None
    assert ask(api, "channel", siteId=channel.site_id, channelIndex="news")["id"] == channel.site_id


def test_text_attributes_do_nothing_to_the_object(api, channel):
    plain = ask(api, "channel", siteId=channel.site_id, channelId=channel.pk)
    more = {"isUpper": "true", "leftText": "<", "wordNum": 1, "replace": "(", "type": " "}
    assert ask(api, "channel", more, siteId=channel.site_id, channelId=channel.pk) == plain


# ---- which channel


@world
def tree():
    """A worked example: home, 5 (index news), 9, 12, and 20 (About) beside 5."""
    home = SiteFactory(site_name="1")
    five = ChannelFactory(site=home, channel_name="5", index_name="news")
    nine = ChannelFactory(parent=five, channel_name="9")
    twelve = ChannelFactory(parent=nine, channel_name="12")
    about = ChannelFactory(site=home, channel_name="About")
    ChannelFactory(parent=nine, channel_name="Twin")
    ChannelFactory(parent=about, channel_name="Twin", index_name="twin")
    return twelve


@pytest.mark.parametrize("query,expected", [
    ("", "12"),
    ("parent=true", "9"),
    ("parent=TRUE", "9"),
    ("upLevel=1", "9"),
    ("upLevel=2", "5"),
    ("upLevel=3", "1"),
    ("upLevel=9", "1"),
    ("upLevel=9999999999999999999999", "12"),
    ("upLevel=0", "12"),
    ("upLevel=-1", "12"),
    ("upLevel=x", "12"),
    ("parent=false", "12"),
    ("parent=1", "12"),
    ("parent=", "12"),
    ("topLevel=0", "1"),
    ("topLevel=1", "5"),
    ("topLevel=2", "9"),
    ("topLevel=3", "12"),
    ("topLevel=7", "12"),
    ("topLevel=1&upLevel=1", "5"),
    ("upLevel=1&topLevel=1", "5"),
    ("topLevel=abc", "1"),
    ("topLevel=-1", "1"),
    ("topLevel=", "1"),
    # Of the two that set the same the later one counts, and repeated ones are one text.
    ("parent=true&upLevel=2", "5"),
    ("upLevel=2&parent=true", "9"),
    ("upLevel=2&parent=false", "5"),
    ("upLevel=1&upLevel=2", "12"),
    ("channelIndex=news", "5"),
    ("CHANNELINDEX=news", "5"),
    ("channelIndex=News", "12"),
    ("channelIndex=new", "12"),
    ("channelIndex=", "12"),
    ("channelIndex=%20news", "12"),
    ("channelIndex=news&parent=true", "5"),
    ("channelIndex=nothing&parent=true", "9"),
    ("channelName=About", "About"),
    ("channelName=about", "12"),
    ("channelName=", "12"),
    ("channelName=nothing", "12"),
    ("channelName=nothing&parent=true", "9"),
    ("channelName=9", "9"),
    ("channelIndex=news&channelName=About", "About"),
    ("channelIndex=news&channelName=12", "12"),
])  # fmt: skip
def test_the_worked_example(api, tree, query, expected):
    query = f"siteId={tree.site_id}&channelId={tree.pk}&{query}"
    assert ask(api, "channel", query)["channelName"] == expected
    assert ask(api, "channel", query, type="channelName") == expected


def test_a_name_is_looked_for_below_the_channel_first(api, tree):
    of_nine, of_about = tree.parent.children.last(), tree.site.channels.get(index_name="twin")
    about = of_about.parent_id
    for query, expected in [
        ({}, of_nine),
        ({"channelId": tree.parent_id}, of_nine),
        ({"channelId": about}, of_about),
        ({"channelId": about, "parent": "true"}, of_nine),
        ({"channelIndex": "news"}, of_nine),
        ({"channelIndex": "twin"}, of_nine),
        ({"channelId": MISSING}, of_nine),
    ]:
        assert ask(api, "channel", query, siteId=tree.site_id, channelName="Twin")["id"] == expected.pk, query


def test_an_index_or_a_name_rescues_a_missing_number(api, tree):
    for query in ({"channelIndex": "news"}, {"channelName": "5"}):
        assert ask(api, "channel", query, siteId=tree.site_id, channelId=MISSING)["channelName"] == "5"
    assert ask(api, "channel", siteId=tree.site_id, channelId=MISSING, channelIndex="nothing", upLevel=1) is None


def test_chinese_names_and_indexes(api):
    channel = ChannelFactory(channel_name="通知公告", index_name="通知")
    for query in ("channelIndex=%E9%80%9A%E7%9F%A5", "channelName=通知公告"):
        assert ask(api, "channel", f"siteId={channel.site_id}&{query}")["id"] == channel.pk


# ---- values as texts


KINDS = [
    ("parentsCount", "1"),
    ("childrenCount", "1"),
    ("taxis", "2"),
    ("channelTemplateId", "3"),
    ("contentTemplateId", "4"),
    ("contentModelPluginId", "SS.Job"),
    ("contentRelatedPluginIds", "SS.Poll"),
    ("groupNameCollection", "top,x"),
    ("filePath", "/n.html"),
    ("channelFilePathRule", "/c/{@ChannelID}.html"),
    ("contentFilePathRule", "/d/{@ContentID}.html"),
    ("linkUrl", "@/x"),
    ("linkType", "LinkToFirstChannel"),
    ("keywords", "k1,k2"),
    ("description", "About\nus"),
    ("isLastNode", "True"),
    ("channelIndex", "news"),
    ("indexName", "news"),
    ("channelName", "News"),
    ("title", "News"),
    ("TITLE", "News"),
    (" title ", "News"),
    ("addDate", "2018-02-23"),
    ("imageUrl", "/museum/upload/a.jpg"),
    ("content", '<a href="/museum/b.html">Hello</a> World'),
    ("pageContent", '<a href="/museum/b.html">Hello</a>[SITESERVER_PAGE] World'),
    ("countOfChannels", "1"),
    ("countOfContents", "2"),
    ("countOfImageContents", "1"),
    ("contentNum", "3"),
    ("motto", "Hello World"),
    ("MOTTO", "Hello World"),
    ("open", "True"),
    ("list", ""),
    ("none", ""),
    # Members of the settings object, and of other answers, have no text.
    ("isContentAddable", ""),
    ("transType", ""),
    ("additional", ""),
    ("attributes", ""),
    ("children", ""),
    ("navigationUrl", ""),
    ("lastNode", ""),
    ("itemIndex", ""),
    ("nothing", ""),
]


@pytest.mark.parametrize("kind,expected", KINDS)
def test_each_type_is_a_text(api, channel, kind, expected):
    assert value(api, channel, kind) == expected


def test_ids_are_texts(api, channel):
    assert value(api, channel, "id") == str(channel.pk)
    assert value(api, channel, "siteId") == value(api, channel, "parentId") == str(channel.site_id)
    assert value(api, channel, "parentsPath") == str(channel.site_id)


def test_extend_values_are_the_settings_as_json(api, channel):
    assert json.loads(value(api, channel, "extendValues")) == channel.settings


@each_once(
    ("text,query,expected", [
    ("中文测试标题", {"wordNum": 2}, "中文..."),
    ("Hello World", {"wordNum": 4}, "Hello..."),
    ("a中国", {"wordNum": 1}, "a...."),
    ("A&B", {"wordNum": 5}, "A&amp;B"),
    ("abcdef", {"startIndex": 2, "length": 3}, "cde"),
    ("a", {"replace": "a", "to": "aa"}, "aaaa"),
    ("他说她好", {"replace": "他,她", "to": "he,she"}, "he说she好"),
    ("2018年5月", {"replace": r"/\d+/", "to": "#"}, "#年#月"),
    ("<b>Hello</b> World", {"isClearTags": "true"}, "Hello World"),
    ("<b>Hello</b> World", {"isClearTags": "x"}, "<b>Hello</b> World"),
    ("Hello", {"isLower": "true"}, "hello"),
    ("Hello", {"isUpper": ""}, "HELLO"),
    ("abc", {"isUpper": "true", "leftText": "x-", "rightText": "-y"}, "x-ABC-y"),
    # What shaping emptied is surrounded on a channel.
    ("abc", {"replace": "abc", "leftText": "[", "rightText": "]"}, "[]"),
    ("新闻", {"leftText": "【", "rightText": "】"}, "【新闻】"),
]),
    ("kind", ["channelName", "content"]),
)  # fmt: skip
def test_names_and_bodies_are_shaped_twice(api, kind, text, query, expected):
    channel = ChannelFactory(channel_name=text, content=text)
    assert value(api, channel, kind, **query) == expected


@pytest.mark.parametrize("query,expected", [
    ({"replace": "a", "to": "aa"}, "aab"),
    ({"wordNum": 1}, "ab"),
    ({"isReturnToBr": "true", "isUpper": "true"}, "AB"),
    ({"leftText": "<"}, "<ab"),
])  # fmt: skip
def test_other_texts_are_shaped_once(api, query, expected):
    channel = ChannelFactory(keywords="ab", settings={"motto": "ab"})
    for kind in ("keywords", "motto"):
        assert value(api, channel, kind, **query) == expected


def test_the_index_is_shaped_twice_but_keeps_its_tags_in_the_first_pass(api):
    channel = ChannelFactory(index_name="<a>")
    assert value(api, channel, "indexName", replace="a", to="aa") == "<aaaa>"
    assert value(api, channel, "channelIndex", isClearTags="true", rightText="!") == "!"


def test_line_ends_become_breaks_where_it_is_said(api):
    channel = ChannelFactory(description="a\r\nb\n")
    assert value(api, channel, "description") == "a\r\nb\n"
    assert value(api, channel, "description", isReturnToBr="true") == "a<br />b"
    assert value(api, channel, "description", isReturnToBr="x") == "a\r\nb\n"


@pytest.mark.parametrize("format_string,expected", [
    ("yyyy-MM-dd HH:mm:ss", "2018-02-23 10:32:05"),
    ("yyyy年M月d日", "2018年2月23日"),
    ("ddd, MMM d", "Fri, Feb 23"),
    ("{0:yyyy}", "2018"),
    (" D ", "Friday, 23 February 2018"),
    ("", "2018-02-23"),
])  # fmt: skip
def test_dates_are_formatted_and_nothing_else(api, channel, format_string, expected):
    more = {"formatString": format_string, "isUpper": "true", "wordNum": 1, "replace": "2018"}
    assert value(api, channel, "addDate", **more) == expected
    assert value(api, channel, "channelName", formatString=format_string) == "News"


def test_the_image_is_an_address_that_no_attribute_shapes(api, channel):
    assert value(api, channel, "imageUrl", isUpper="true", wordNum=1, leftText="<") == "</museum/upload/a.jpg"


def test_a_value_that_is_empty_is_not_surrounded(api):
    channel = ChannelFactory()
    for kind in ("keywords", "imageUrl", "content", "indexName", "nothing"):
        assert value(api, channel, kind, leftText="[", rightText="]") == ""


# ---- cost


def test_the_number_of_queries_does_not_grow(api, django_assert_max_num_queries):
    channel = ChannelFactory(link_type=LinkType.LINK_TO_FIRST_CONTENT)
    address = path("channel", siteId=channel.site_id, channelId=channel.pk)
    for _ in range(2):
        api.get(address)
        with django_assert_max_num_queries(4):
            api.get(address)
        for _ in range(3):
            ContentFactory(channel=ChannelFactory(parent=channel, link_type=LinkType.LINK_TO_FIRST_CONTENT))
