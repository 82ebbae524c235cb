"""`GET /stl/content`."""

import json
from datetime import datetime

import pytest

from contents.models import Content, CustomField
from tests.cases import each_once
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import MISSING, ask, path, refused
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def content():
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"), index_name="news", channel_name="News")
    return ContentFactory(
        channel=channel, title="Hello World", content='<p>Body<img src="@/a.jpg">[SITESERVER_PAGE]More</p>',
        add_user_name="ann", last_edit_user_name="bob", writing_user_name="cid", taxis=7, tags="t1,t2",
        group_name_collection="g", source_id=-1, is_checked=True, checked_level=2, hits=5, hits_by_day=1,
        hits_by_week=2, hits_by_month=3, is_top=True, is_hot=True, add_date=datetime(2018, 2, 23, 10, 32, 5),
        last_edit_date=datetime(2018, 2, 24, 11, 0, 0), sub_title="Sub", image_url="@/i.jpg", video_url="~/v.mp4",
        file_url="https://x.example/f.zip", summary=" a\r\nb ", author="An <i>author</i>", source="Source",
        settings_xml=json.dumps({"colour": "Dark Red", "flag": True, "number": 3, "list": [1], "none": None}),
    )  # fmt: skip


def one(api, content, **more):
    """The content, or with `type` a value of it."""
    return ask(api, "content", more, siteId=content.site_id, contentId=content.pk)


def new(**fields):
    """A content of its own site; `settings` is a mapping."""
    settings = json.dumps(fields.pop("settings", {}))
    return ContentFactory(settings_xml=settings, **fields)


# ---- the object


def test_answers_the_whole_object(api, content):
    assert list(one(api, content).items()) == [
        ("id", content.pk),
        ("channelId", content.channel_id),
        ("siteId", content.site_id),
        ("addUserName", "ann"),
        ("lastEditUserName", "bob"),
        ("writingUserName", "cid"),
        ("lastEditDate", "2018-02-24 11:00:00"),
        ("taxis", 7),
        ("groupNameCollection", "g"),
        ("tags", "t1,t2"),
        ("sourceId", -1),
        ("referenceId", 0),
        ("isChecked", True),
        ("checkedLevel", 2),
        ("hits", 5),
        ("hitsByDay", 1),
        ("hitsByWeek", 2),
        ("hitsByMonth", 3),
        ("lastHitsDate", None),
        ("title", "Hello World"),
        ("isTop", True),
        ("isRecommend", False),
        ("isHot", True),
        ("isColor", False),
        ("addDate", "2018-02-23 10:32:05"),
        ("linkUrl", ""),
        ("settingsXml", content.settings_xml),
    ]


FURTHER = {
    "subTitle": "Sub",
    "imageUrl": "/museum/i.jpg",
    "videoUrl": "/v.mp4",
    "fileUrl": "https://x.example/f.zip",
    "content": '<p>Body<img src="@/a.jpg">[SITESERVER_PAGE]More</p>',
    "summary": " a\r\nb ",
    "author": "An <i>author</i>",
    "source": "Source",
    "colour": "Dark Red",
    "flag": True,
}


@pytest.mark.parametrize("name", [*FURTHER, "navigationUrl"])
def test_fields_adds_a_member_to_the_object(api, content, name):
    CustomField.objects.bulk_create(
        CustomField(site_id=content.site_id, name=custom, folded_name=custom) for custom in ("colour", "flag")
    )
    page = {"navigationUrl": f"/museum/contents/{content.channel_id}/{content.pk}.html"}
    expected = one(api, content) | {name: (FURTHER | page)[name]}
    for asked in (name, f" {name.upper()} ,title,"):
        assert list(one(api, content, _fields=asked).items()) == list(expected.items())
    assert one(api, content, type="title", _fields=name) == "Hello World"


def test_fields_adds_several_members_or_all(api, content):
    page = f"/museum/contents/{content.channel_id}/{content.pk}.html"
    plain = one(api, content)
    assert one(api, content, _fields="summary,content") == plain | {
        name: FURTHER[name] for name in ("content", "summary")
    }
    rest = {"number": 3, "list": [1], "none": None, "navigationUrl": page}
    assert one(api, content, _fields="*") == plain | FURTHER | rest
    whole = api.get(f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}").json()["value"]
    assert one(api, content, _fields="title,*") == whole
    assert one(api, content, _fields=" , ") == plain


def test_a_custom_field_that_only_other_contents_have_adds_nothing(api, content):
    CustomField.objects.create(site_id=content.site_id, name="motto", folded_name="motto")
    assert one(api, content, _fields="motto") == one(api, content)


@pytest.mark.parametrize("asked", ["summry", "content,nothing", "trashedAt"])
def test_an_unknown_field_is_400_and_named(api, content, asked):
    query = {"siteId": content.site_id, "contentId": content.pk, "_fields": asked}
    assert asked.split(",")[-1] in refused(api, "content", "unknown_column", query)["message"]


def test_text_attributes_do_nothing_to_the_object(api, content):
    assert one(api, content, isUpper="true", wordNum=1, replace="(", no="all", type=" ") == one(api, content)


def test_shows_contents_that_are_not_approved(api):
    content = ContentFactory(is_checked=False)
    assert one(api, content)["isChecked"] is False
    assert one(api, content, type="title") == content.title


@pytest.mark.parametrize("kind", ["", "title", "addDate", "navigationUrl", "nothing"])
def test_a_missing_content_is_null(api, content, kind):
    Content.objects.filter(pk=content.pk).update(trashed_at=datetime(2020, 1, 1))
    wanted = [content.pk, MISSING, -1, 0, "", "x", 2**63 - 1, -(2**63), 10**30]
    for content_id in wanted:
        assert ask(api, "content", siteId=content.site_id, contentId=content_id, type=kind) is None
    assert ask(api, "content", siteId=content.site_id, type=kind) is None


def test_is_found_in_the_given_channel_and_below_it(api, content):
    channel = content.channel
    lower, beside = ChannelFactory(parent=channel, channel_name="Lower"), ChannelFactory(site=content.site)
    deep = ContentFactory(channel=lower)
    for query, found in [
        ({"channelId": channel.pk}, True),
        ({"channelId": content.site_id}, True),
        ({"channelId": 0}, True),
        ({"channelId": "x"}, True),
        ({"channelId": beside.pk}, False),
        ({"channelId": MISSING}, False),
        ({"channelIndex": "news"}, True),
        # As everywhere: an index or a name that no channel has is ignored.
        ({"channelIndex": "nothing"}, True),
        ({"channelName": "News"}, True),
        ({"channelName": "Lower", "channelId": beside.pk}, None),
        ({"channelIndex": "news", "channelId": beside.pk}, True),
        ({"channelName": "News", "channelId": MISSING}, True),
    ]:
        value = one(api, deep, **query)
        assert (value is not None) is (found is not False), query
    assert one(api, content, channelName="Lower") is None
    assert one(api, content, channelId=lower.pk, type="title") is None


# ---- values as texts

KINDS = [
    ("title", "Hello World"),
    ("TITLE", "Hello World"),
    (" title ", "Hello World"),
    ("subTitle", "Sub"),
    ("summary", "a<br />b"),
    ("content", '<p>Body<img src="/museum/a.jpg">More</p>'),
    ("pageContent", '<p>Body<img src="/museum/a.jpg">[SITESERVER_PAGE]More</p>'),
    ("addDate", "2018-02-23"),
    ("lastEditDate", "2018-02-24"),
    ("lastHitsDate", ""),
    ("imageUrl", "/museum/i.jpg"),
    ("videoUrl", "/v.mp4"),
    ("fileUrl", "https://x.example/f.zip"),
    ("tags", "t1,t2"),
    ("addUserName", "ann"),
    ("lastEditUserName", "bob"),
    ("writingUserName", "cid"),
    ("taxis", "7"),
    ("groupNameCollection", "g"),
    ("sourceId", "-1"),
    ("referenceId", "0"),
    ("isChecked", "True"),
    ("checkedLevel", "2"),
    ("hits", "5"),
    ("hitsByDay", "1"),
    ("hitsByWeek", "2"),
    ("hitsByMonth", "3"),
    ("isTop", "True"),
    ("isRecommend", "False"),
    ("isHot", "True"),
    ("isColor", "False"),
    ("linkUrl", ""),
    ("author", "An <i>author</i>"),
    ("source", "Source"),
    ("colour", "Dark Red"),
    ("COLOUR", "Dark Red"),
    ("flag", "True"),
    ("number", "3"),
    ("list", ""),
    ("none", ""),
    ("nothing", ""),
    ("version", ""),
    ("trashedAt", ""),
    ("__class__", ""),
]


@pytest.mark.parametrize("kind,expected", KINDS)
def test_each_type_is_a_text(api, content, kind, expected):
    assert one(api, content, type=kind) == expected


def test_ids_addresses_and_settings_are_texts(api, content):
    assert one(api, content, type="id") == str(content.pk)
    assert one(api, content, type="siteId") == str(content.site_id)
    assert one(api, content, type="channelId") == str(content.channel_id)
    assert one(api, content, type="settingsXml") == content.settings_xml
    expected = f"/museum/contents/{content.channel_id}/{content.pk}.html"
    assert one(api, content, type="navigationUrl") == expected


SHAPES = [
    ("中文测试标题", {"wordNum": 2}, "中文..."),
    ("中文", {"wordNum": 2}, "中文"),
    ("a中国", {"wordNum": 1}, "a..."),
    ("Hello World", {"wordNum": 3}, "Hello ..."),
    ("HelloWorldFoo", {"wordNum": 3}, "..."),
    ("2024年第3季度报告", {"wordNum": 5}, "2024年第3..."),
    ("A&amp;B 公司", {"wordNum": 3}, "A&amp;B 公..."),
    ("A&B", {"wordNum": 5}, "A&amp;B"),
    ("A&B", {}, "A&B"),
    ("中文测试", {"wordNum": 2, "ellipsis": "»"}, "中文»"),
    ("中文测试", {"wordNum": "x"}, "中文测试"),
    ("abcdef", {"startIndex": 2, "length": 3}, "cde"),
    ("abcdef", {"startIndex": 4, "length": 5}, "abcdef"),
    ("abcdef", {"startIndex": 6}, ""),
    ("雪山深处", {"startIndex": 1, "length": 2}, "山深"),
    ("他说她好", {"replace": "他,她", "to": "who"}, "who说who好"),
    ("他说她好", {"replace": "他,她"}, "他说她好"),
    ("2018年5月", {"replace": r"/(\d{4})年/", "to": "$1-"}, "2018-5月"),
    ("Mr. Lee, mr lee", {"replace": r"/mr\.?\s/"}, "Lee, lee"),
    ("a/b", {"replace": "/", "to": "-"}, "-a-/-b-"),
    ("a", {"replace": "a", "to": "aa"}, "aa"),
    ("a<script>x=1</script>b", {"isClearTags": "true"}, "ab"),
    ("<b>x</b>", {"isClearTags": "1"}, "x"),
    ("<b>x</b>", {"isClearTags": ""}, "x"),
    ("<b>x</b>", {"isClearTags": "false"}, "<b>x</b>"),
    ("a\r\nb", {}, "a\r\nb"),
    ("a\r\nb", {"isReturnToBr": "true"}, "a<br />b"),
    ("a\r\nb", {"isReturnToBr": "1"}, "a<br />b"),
    ("a\r\nb", {"isReturnToBr": ""}, "a\r\nb"),
    ("a\nb", {"isReturnToBr": "true", "isUpper": "true"}, "A<BR />B"),
    ("a&b", {"wordNum": 5, "isUpper": "true"}, "A&AMP;B"),
    ("Hello", {"isLower": "yes"}, "hello"),
    ("Hello", {"isLower": "true", "isUpper": "true"}, "HELLO"),
    ("新闻", {"leftText": "【", "rightText": "】"}, "【新闻】"),
    ("abc", {"isUpper": "true", "leftText": "x-", "rightText": "-y"}, "x-ABC-y"),
    # What shaping emptied is not surrounded, unlike on a channel.
    ("abc", {"replace": "abc", "leftText": "["}, ""),
    ("abc", {"formatString": "yyyy"}, "abc"),
    ("<b>Hello World</b>",
     {"isClearTags": "true", "wordNum": 4, "isUpper": "true", "leftText": "[", "rightText": "]"}, "[HELLO...]"),
    ("第1章 开始", {"replace": r"/\d/", "to": "一", "wordNum": 2}, "第一..."),
    ("line1\nline2", {"isReturnToBr": "true", "length": 7}, "line1<br />l"),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(SHAPES)))
def test_text_attributes_shape_titles_and_other_texts(api, place):
    text, query, expected = SHAPES[place]
    content = new(title=text, sub_title=text, author=text, settings={"motto": text})
    # All are read alike, so each text is asked of a title and of one of the others in turn.
    for kind in ("title", ("subTitle", "author", "motto")[place % 3]):
        assert one(api, content, type=kind, **query) == expected


@pytest.mark.parametrize("text,query,expected", [
    ("<b>他</b>,x", {"replace": "他,她", "to": "a,b"}, "<b>他</b>,x"),
    ("<b>他,她</b>", {"replace": "他,她", "to": "a,b"}, "<b>a,b</b>"),
    ("<b>aab</b>", {"replace": "/a{1,2}/", "to": "x"}, "<b>xb</b>"),
    ("<b>Hello</b> World", {"isClearTags": "true", "replace": "<b>", "to": "x"}, "Hello World"),
    ("<b>Hello</b> World", {"isClearTags": "true", "wordNum": 4}, "Hello..."),
    # The rest of the pipeline does not reach a body.
    ("abcdef\n", {"startIndex": 2, "length": 3, "isLower": "true", "isUpper": "true", "isReturnToBr": "true"},
     "abcdef\n"),
    ("abc", {"leftText": "[", "rightText": "]"}, "[abc]"),
    ("", {"leftText": "["}, ""),
])  # fmt: skip
def test_bodies_have_a_short_order_of_their_own(api, text, query, expected):
    content = new(content=text)
    for kind in ("content", "pageContent"):
        assert one(api, content, type=kind, **query) == expected


@pytest.mark.parametrize("query,expected", [
    ({}, "a<br />b"),
    ({"isReturnToBr": "true"}, "a<br />b"),
    ({"isReturnToBr": "false"}, "a\r\nb\n"),
    ({"isReturnToBr": ""}, "a<br />b"),
    ({"isReturnToBr": "x"}, "a<br />b"),
    ({"isUpper": "true"}, "A<BR />B"),
])  # fmt: skip
def test_line_ends_of_a_summary_become_breaks_unless_it_is_said_otherwise(api, query, expected):
    assert one(api, new(summary="a\r\nb\n"), type="summary", **query) == expected


@pytest.mark.parametrize("style,expected", [
    ("True_False_False_FF0000", '<strong><span style="color:#FF0000">T</span></strong>'),
    ("True_True_True_", "<u><em><strong>T</strong></em></u>"),
    ("false_true_FALSE_", "<em>T</em>"),
    ("False_False_False_", "T"),
    ("True_False_False", "T"),
    ("True_False_False_red_", "T"),
    ('False_False_False_red"><script>', "T"),
    ("", "T"),
])  # fmt: skip
def test_a_title_has_its_style(api, style, expected):
    content = new(title="T", settings={"titleFormatString": style})
    assert one(api, content, type="title") == expected
    assert one(api, content, type="title", isClearTags="true") == "T"
    assert one(api, content, type="title", isUpper="true", leftText="-") == "-" + expected
    assert one(api, content)["title"] == "T"


def test_two_blanks_in_a_title_are_a_line_break_where_the_site_says_so(api):
    content = new(title="One  two   three", sub_title="a  b")
    assert one(api, content, type="title") == "One  two   three"
    content.site.settings = {"isContentTitleBreakLine": True}
    content.site.save()
    assert one(api, content, type="title") == "One<br />two<br /> three"
    assert one(api, content, type="subTitle") == "a  b"


@pytest.mark.parametrize("format_string,expected", [
    ("yyyy-MM-dd HH:mm:ss", "2018-02-23 10:32:05"),
    ("yyyy年M月d日", "2018年2月23日"),
    ("MM/dd HH:mm", "02/23 10:32"),
    ("ddd, MMM d", "Fri, Feb 23"),
    ("h:mm tt", "10:32 AM"),
    ("{0:yyyy}", "2018"),
    (" d ", "02/23/2018"),
    ("D", "Friday, 23 February 2018"),
    ("", "2018-02-23"),
])  # fmt: skip
def test_dates_are_formatted_and_nothing_else(api, content, format_string, expected):
    more = {"formatString": format_string, "isUpper": "true", "wordNum": 1, "replace": "2018"}
    assert one(api, content, type="addDate", **more) == expected


def test_a_date_that_never_was_is_empty(api, content):
    assert one(api, content, type="lastHitsDate", formatString="yyyy", leftText="[") == ""
    Content.objects.filter(pk=content.pk).update(last_hits_date=datetime(1754, 1, 1))
    assert one(api, content, type="lastHitsDate") == ""
    Content.objects.filter(pk=content.pk).update(last_hits_date=datetime(2020, 5, 6))
    assert one(api, content, type="lastHitsDate", formatString="MMMM d") == "May 6"


@each_once(
    ("no,expected", [
    ("", "/museum/a"),
    ("0", "/museum/a"),
    ("1", "/museum/a"),
    ("x", "/museum/a"),
    ("-1", "/museum/a"),
    ("2", "/museum/b"),
    ("3", "/c"),
    ("4", ""),
    (str(10**30), "/museum/a"),
    ("all", "/museum/a/museum/b/c"),
    ("ALL", "/museum/a/museum/b/c"),
]),
    ("kind", ["imageUrl", "videoUrl", "fileUrl"]),
)  # fmt: skip
def test_the_numbers_of_pictures_videos_and_files(api, kind, no, expected):
    column = kind.removesuffix("Url") + "_url"
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"))
    content = new(channel=channel, settings={f"{kind}_Extend": "@/b, ~/c,,"}, **{column: "@/a"})
    assert one(api, content, type=kind, no=no) == expected
    # No other attribute shapes an address.
    assert one(api, content, type=kind, no=no, isUpper="true", length=1, rightText="!") == (expected and expected + "!")


def test_addresses_tags_and_the_adder_are_not_shaped(api, content):
    for kind in ("navigationUrl", "tags", "addUserName"):
        plain = one(api, content, type=kind)
        assert one(api, content, type=kind, isUpper="true", length=1, wordNum=1, leftText="<") == "<" + plain


# ---- references


@pytest.fixture
def referring():
    """A content that stands for another one of the same site."""
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"))
    other = new(channel=channel, title="Other", content="Other body", summary="other", settings={"motto": "other"},
                image_url="@/o.jpg")  # fmt: skip
    return new(channel=channel, title="Own", content="Own body", summary="own", source_id=channel.pk,
               reference_id=other.pk, settings={"TranslateContentType": "Reference", "motto": "own"})  # fmt: skip


OF_THE_OTHER = [("content", "Other body"), ("summary", "other"), ("motto", "other"), ("imageUrl", "/museum/o.jpg")]


@pytest.mark.parametrize("kind,expected", OF_THE_OTHER)
def test_a_reference_has_the_values_of_what_it_refers_to(api, referring, kind, expected):
    for more in ({}, {"isOriginal": "true"}, {"isOriginal": "x"}, {"isOriginal": ""}):
        assert one(api, referring, type=kind, **more) == expected
    assert one(api, referring, type=kind, isOriginal="False") != expected


def test_a_reference_keeps_its_own_title_and_its_own_object(api, referring):
    assert one(api, referring, type="title") == "Own"
    assert (one(api, referring)["id"], one(api, referring)["title"]) == (referring.pk, "Own")


@pytest.mark.parametrize("change", [
    {"settings_xml": "{}"},
    {"settings_xml": '{"translateContentType": "ReferenceContent"}'},
    {"source_id": 0},
    {"reference_id": 0},
    {"reference_id": MISSING},
], ids=str)  # fmt: skip
def test_other_contents_have_their_own_values(api, referring, change):
    Content.objects.filter(pk=referring.pk).update(**change)
    assert one(api, referring, type="content") == "Own body"


def test_a_reference_has_no_values_of_another_site(api, referring):
    other = ContentFactory(content="Secret", is_checked=True)
    Content.objects.filter(pk=referring.pk).update(reference_id=other.pk)
    assert one(api, referring, type="content") == "Own body"


# ---- cost


def test_the_number_of_queries_does_not_grow(api, content, django_assert_max_num_queries):
    address = path("content", siteId=content.site_id, contentId=content.pk, channelIndex="news")
    for _ in range(2):
        api.get(address)
        with django_assert_max_num_queries(5):
            api.get(address)
        for _ in range(3):
            ContentFactory(channel=ChannelFactory(site=content.site))
