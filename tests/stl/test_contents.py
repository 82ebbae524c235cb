"""`GET /stl/contents`."""

import json
from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import LinkType
from channels_app.services import trash_channel
from contents.models import Content, CustomField
from contents.stl import lists
from tests.cases import each_once
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import MISSING, ask, names, path, refused
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.every_case]
# Takes a list out of the contents themselves, where it would come out of the table of lists.
SEARCHED = {"where": "id > 0"}


@world
def site():
    """Home (h), a with b below it (with c), and d beside it; each with one approved content of its name."""
    site = SiteFactory(site_dir="museum")
    a = ChannelFactory(site=site, index_name="ia", channel_name="A", group_name_collection="news, x")
    b = ChannelFactory(parent=a, index_name="ib", channel_name="B", group_name_collection="topnews,x")
    c = ChannelFactory(parent=b, index_name="ic", channel_name="C")
    d = ChannelFactory(site=site, index_name="id", channel_name="D", group_name_collection="头条")
    home = site.channels.get(parent=None)
    for taxis, (title, channel) in enumerate([("h", home), ("a", a), ("b", b), ("c", c), ("d", d)]):
        ContentFactory(channel=channel, title=title, taxis=100 - taxis, is_checked=True)
        # Neither of these is ever listed.
        ContentFactory(channel=channel, title="pending", is_checked=False)
        gone = ContentFactory(channel=channel, title="gone", is_checked=True)
        Content.objects.filter(pk=gone.pk).update(trashed_at=datetime(2020, 1, 1))
    return site


def make(channel=None, **contents):
    """Approved contents of one channel: titles with their fields, the first one with the highest taxis."""
    channel = channel or ChannelFactory()
    for number, (title, fields) in enumerate(contents.items()):
        settings = fields.pop("settings", {})
        for name in settings:
            CustomField.objects.get_or_create(site=channel.site, folded_name=name.casefold(), defaults={"name": name})
        fields = {"taxis": 100 - number, "is_checked": True, "settings_xml": json.dumps(settings)} | fields
        ContentFactory(channel=channel, title=title, **fields)
    return channel


def listed(api, channel, query=(), **more):
    """The titles of the channel's list."""
    return names(api, "contents", query, siteId=channel.site_id, channelId=channel.pk, **more)


def test_answers_whole_records_with_body_and_address(api):
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"))
    content = ContentFactory(
        channel=channel, is_checked=True, content='<img src="@/a.jpg">', summary="", image_url="@/i.jpg",
        settings_xml='{"colour": "red"}',
    )  # fmt: skip
    (record,) = ask(api, "contents", siteId=channel.site_id, channelId=channel.pk)
    single = api.get(f"/api/v1/contents/{channel.site_id}/{channel.pk}/{content.pk}").json()["value"]
    assert list(record.items()) == list(single.items())
    assert record["content"] == '<img src="@/a.jpg">'
    assert record["summary"] == ""
    assert record["imageUrl"] == "/museum/i.jpg"
    assert record["colour"] == "red"
    assert record["navigationUrl"] == f"/museum/contents/{channel.pk}/{content.pk}.html"
    assert record["isChecked"] is True


def test_an_empty_list_is_a_list(api):
    channel = ChannelFactory()
    for more in ({}, SEARCHED, {"scope": "Children"}, {"scope": "Descendant"}, {"order": "Random"}):
        assert ask(api, "contents", more, siteId=channel.site_id, channelId=channel.pk) == []


@pytest.mark.parametrize("query,expected", [
    ("", "h"),
    ("scope=Self", "h"),
    ("scope=Children", "a d"),
    ("scope=SelfAndChildren", "h a d"),
    ("scope=Descendant", "a b c d"),
    ("scope=All", "h a b c d"),
    ("scope=ALL", "h a b c d"),
    ("scope=nonsense", "h"),
    ("scope=", "h"),
    ("channelIndex=ia", "a"),
    ("channelIndex=ia&scope=Children", "b"),
    ("channelIndex=ia&scope=SelfAndChildren", "a b"),
    ("channelIndex=ia&scope=descendant", "b c"),
    ("channelIndex=ia&scope=All", "a b c"),
    ("channelIndex=ia&isAllChildren=true", "b c"),
    ("channelIndex=ia&isAllChildren=false", "a"),
    ("channelIndex=ic&scope=Children", ""),
    ("channelIndex=ic&scope=Descendant", ""),
    ("channelIndex=ic&scope=All", "c"),
    ("channelIndex=nothing", "h"),
    ("channelName=B&scope=All", "b c"),
    ("channelIndex=ia&channelName=C", "c"),
])  # fmt: skip
@pytest.mark.parametrize("more", [{}, SEARCHED], ids=["listed", "searched"])
def test_scopes(api, site, more, query, expected):
    assert names(api, "contents", f"siteId={site.pk}&{query}", **more) == expected


@pytest.mark.parametrize("query,expected", [("upLevel=1", "b"), ("upLevel=2", "a"), ("parent=true", "b"),
                                            ("topLevel=0", "h"), ("topLevel=1&scope=All", "a b c")])  # fmt: skip
def test_levels(api, site, query, expected):
    c = site.channels.get(index_name="ic")
    assert names(api, "contents", f"siteId={site.pk}&channelId={c.pk}&{query}") == expected


def test_the_number_of_a_channel_is_only_where_to_look(api, site):
    a = site.channels.get(index_name="ia")
    assert names(api, "contents", siteId=site.pk, channelId=a.pk, scope="All") == "a b c"


@pytest.mark.parametrize("more", [{}, SEARCHED, {"scope": "All"}, {"where": "("}])
def test_around_a_missing_channel_there_is_none(api, site, more):
    assert ask(api, "contents", more, siteId=site.pk, channelId=MISSING) == []


def test_a_channel_in_the_trash_takes_its_contents_along(api, site):
    trash_channel(site.pk, site.channels.get(index_name="ib").pk)
    for more in ({}, SEARCHED):
        assert names(api, "contents", more, siteId=site.pk, scope="All") == "h a d"


# ---- groups and tags


@pytest.mark.parametrize("query,expected", [
    ({"groupChannel": "news"}, "a"),
    ({"groupChannel": " x "}, "a b"),
    ({"groupChannel": "头条"}, "d"),
    # One name, not a list.
    ({"groupChannel": "news,x"}, ""),
    ({"groupChannel": "new"}, ""),
    ({"groupChannel": ""}, ""),
    ({"groupChannelNot": "x"}, "h c d"),
    ({"groupChannelNot": ""}, "h a b c d"),
    ({"groupChannelNot": "nothing"}, "h a b c d"),
    ({"groupChannel": "x", "groupChannelNot": "news"}, "b"),
])  # fmt: skip
def test_groups_of_channels(api, site, query, expected):
    assert names(api, "contents", query, siteId=site.pk, scope="All") == expected


GROUPS = {"a": "news", "b": "topnews,x", "c": "x,news2", "d": " ships , news", "e": "", "f": "头条"}


@each_once(
    ("value,expected", [
    ("news", "a d"),
    ("news,x", "a b c d"),
    (" x , nothing", "b c"),
    ("News", ""),
    ("new", ""),
    ("%", ""),
    ("头条", "f"),
    ("", ""),
    (" , ", ""),
]),
    ("name", ["groupContent", "group", "GROUP"]),
)  # fmt: skip
def test_groups_are_whole_names(api, name, value, expected):
    channel = make(**{title: {"group_name_collection": groups} for title, groups in GROUPS.items()})
    assert listed(api, channel, {name: value}) == expected


@pytest.mark.parametrize("value,expected", [
    ("news", "b c e f"),
    ("news,x", "e f"),
    ("", "a b c d e f"),
    ("nothing", "a b c d e f"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["groupContentNot", "groupNot"])
def test_groups_that_contents_are_not_in(api, name, value, expected):
    channel = make(**{title: {"group_name_collection": groups} for title, groups in GROUPS.items()})
    assert listed(api, channel, {name: value}) == expected


@pytest.mark.parametrize("tags,expected", [
    ("red", "a c"),
    ("red,blue", "a b c"),
    ("red;blue", "a b c"),
    ("red blue", "a b c"),
    ('"dark red"', "d"),
    ('"dark red" blue', "b d"),
    ("dark red", "a c"),
    ("Red", ""),
    ("re", ""),
    ("中文", "e"),
    # Without any match there is no list, other than in the original.
    ("nothing", ""),
    ("", "a b c d e f"),
    (" ,; ", "a b c d e f"),
    ('""', "a b c d e f"),
])  # fmt: skip
def test_tags(api, tags, expected):
    made = {"a": "red", "b": "blue", "c": "red,x", "d": "dark red", "e": "中文", "f": "reddish"}
    channel = make(**{title: {"tags": text} for title, text in made.items()})
    assert listed(api, channel, tags=tags) == expected


def test_related_contents_share_a_tag(api):
    made = {"a": "x", "b": "x,y", "c": "y", "d": "z", "e": ""}
    channel = make(**{title: {"tags": text} for title, text in made.items()})
    ids = dict(Content.objects.values_list("title", "id"))
    expected = {"a": "b", "b": "a c", "c": "b", "d": "", "e": "a b c d"}
    for title, related in expected.items():
        assert listed(api, channel, isRelatedContents="true", contentId=ids[title]) == related, title
    for more in ({"isRelatedContents": "false"}, {"isRelatedContents": "x"}, {"isRelatedContents": "true"}):
        assert listed(api, channel, more) == "a b c d e"


def test_related_contents_tell_nothing_of_another_site(api):
    channel = make(a={"tags": "x"}, b={})
    other = make(ChannelFactory(), c={"tags": "x"}, d={})
    foreign = [content.pk for content in Content.objects.filter(channel=other)]
    assert [listed(api, channel, isRelatedContents="true", contentId=each) for each in foreign] == ["a b", "a b"]


def test_of_contents_with_the_same_title_the_lowest_id_stays(api):
    channel = make(b={"taxis": 3}, a={"taxis": 2}, c={})
    ContentFactory(channel=channel, title="a", taxis=9, is_checked=True)
    pending = ContentFactory(channel=channel, title="d", taxis=1, is_checked=False)
    ContentFactory(channel=channel, title="d", taxis=0, is_checked=True)
    assert listed(api, channel, isNoDup="true", totalNum="9") == "c b a d"
    assert listed(api, channel, isNoDup="true", totalNum="1", startNum="3") == "a"
    assert listed(api, channel, isNoDup="false") == "c a b a d"
    assert pending.pk


# ---- flags


@pytest.mark.parametrize("name,field", [
    ("isTop", "is_top"), ("isRecommend", "is_recommend"), ("isHot", "is_hot"), ("isColor", "is_color"),
])  # fmt: skip
@pytest.mark.parametrize("more", [{}, SEARCHED, {"order": "Hits"}], ids=["listed", "searched", "by hits"])
def test_flags(api, name, field, more):
    channel = make(a={field: True}, b={})
    assert listed(api, channel, more, **{name: "true"}) == "a"
    assert listed(api, channel, more, **{name: "false"}) == "b"


@pytest.mark.parametrize("value,expected", [("TRUE", "a"), ("x", "b"), ("1", "b"), ("", "b")])
def test_a_flag_is_true_in_any_letter_case(api, value, expected):
    assert listed(api, make(a={"is_top": True}, b={}), isTop=value) == expected


def test_several_flags_hold_together(api):
    channel = make(a={"is_top": True}, b={"is_top": True, "is_hot": True}, c={"is_hot": True})
    assert listed(api, channel, isTop="true", isHot="true") == "b"
    assert listed(api, channel, isTop="false", isHot="true") == "c"


@each_once(
    ("name,field", [("isImage", "image_url"), ("isVideo", "video_url"), ("isFile", "file_url")]),
    ("value,expected", [("true", "a"), ("false", "b"), ("x", "b"), ("", "b")]),
)
def test_pictures_videos_and_files(api, name, field, value, expected):
    channel = make(a={field: "/x"}, b={})
    assert listed(api, channel, **{name: value}) == expected


# ---- orders


@world
def ordered():
    """Five contents, of which `top` is pinned and two have the same keys."""
    day = datetime(2020, 1, 1)
    rows = {
        "a": (5, 1, 5, 1), "b": (4, 5, 4, 3), "top": (3, 3, 3, 0), "c": (1, 2, 1, 5), "d": (1, 2, 1, 5),
    }  # fmt: skip
    return make(**{
        title: {
            "taxis": taxis, "add_date": day.replace(day=added), "last_edit_date": day.replace(day=edited), "hits": hits,
            "hits_by_day": hits, "hits_by_week": -hits + 9, "hits_by_month": hits, "is_top": title == "top",
        }
        for title, (taxis, added, edited, hits) in rows.items()
    })  # fmt: skip


ORDERS = [
    ("", "top a b d c"),
    ("Default", "top a b d c"),
    ("DEFAULT", "top a b d c"),
    ("Back", "top d c b a"),
    ("AddDate", "top b d c a"),
    ("AddDateBack", "top a d c b"),
    ("LastEditDate", "top a b d c"),
    ("LastEditDateBack", "top d c b a"),
    ("Hits", "d c b a top"),
    ("HitsByDay", "d c b a top"),
    ("HitsByWeek", "top a b d c"),
    ("HitsByMonth", "d c b a top"),
    ("title", "a b c d top"),
    ("Title DESC", "top d c b a"),
    ("ORDER BY hits, addDate DESC", "top a b d c"),
    ("isTop DESC, [AddDate]", "top a d c b"),
]


@pytest.mark.parametrize("order,expected", ORDERS)
@pytest.mark.parametrize("more", [{}, SEARCHED, {"scope": "All"}], ids=["listed", "searched", "all"])
def test_orders(api, ordered, order, expected, more):
    assert listed(api, ordered, more, order=order) == expected


@pytest.mark.parametrize("more", [{}, SEARCHED, {"totalNum": 9}])
def test_a_random_order_has_every_content_once(api, ordered, more):
    assert sorted(listed(api, ordered, more, order="Random").split()) == ["a", "b", "c", "d", "top"]


def test_of_a_random_order_there_are_as_many_as_wanted(api, ordered):
    for query, count in [({"totalNum": 2}, 2), ({"startNum": 4}, 2), ({"startNum": 5, "totalNum": 3}, 1),
                         ({"startNum": 9}, 0), ({"startNum": 9, "totalNum": 1}, 0)]:  # fmt: skip
        found = listed(api, ordered, query, order="RANDOM").split()
        assert len(set(found)) == len(found) == count, query


@each_once(
    ("query,expected", [
    ({"startNum": 2, "totalNum": 2}, "a b"),
    ({"totalNum": 2}, "top a"),
    ({"totalNum": 0}, "top a b d c"),
    ({"totalNum": -1}, "top a b d c"),
    ({"totalNum": "x"}, "top a b d c"),
    ({"totalNum": "02"}, "top a"),
    ({"totalNum": 2**31 - 1, "startNum": 2**31 - 1}, ""),
    ({"totalNum": 10**30}, "top a b d c"),
    ({"startNum": 0}, "top a b d c"),
    ({"startNum": 1}, "top a b d c"),
    ({"startNum": "x"}, "top a b d c"),
    ({"startNum": 2}, "a b d c"),
    ({"startNum": 5, "totalNum": 2}, "c"),
    ({"startNum": 6}, ""),
    ({"startNum": 1, "totalNum": 1, "isTop": "false"}, "a"),
]),
    ("more", [{}, SEARCHED, {"scope": "All"}]),
)  # fmt: skip
def test_amounts(api, ordered, query, expected, more):
    assert listed(api, ordered, more, **query) == expected


# ---- columns as filters


@world
def filtered():
    return make(
        a={"author": "Ann", "hits": 1, "add_date": datetime(2020, 1, 1), "settings": {"colour": "red", "Größe": "XL"}},
        b={"author": "Bob", "hits": 2, "add_date": datetime(2020, 1, 2), "settings": {"colour": "blue", "flag": True}},
        c={"author": "Ann:x", "hits": 3, "content": "Body text", "settings": {"colour": "dark red"}},
        d={"author": "", "hits": 3, "sub_title": "50%"},
    )


@pytest.mark.parametrize("query,expected", [
    ({"author": "Ann"}, "a"),
    ({"AUTHOR": "Ann"}, "a"),
    ({"author": "ann"}, ""),
    ({"author": "Ann,Bob"}, "a b"),
    ({"author": " Ann , Bob "}, "a b"),
    ({"author": "not:Ann"}, "b c d"),
    ({"author": "not:Ann,Bob"}, "c d"),
    ({"author": "NOT:Ann"}, "b c d"),
    ({"author": "contains:n"}, "a c"),
    ({"author": "contains:N"}, "a c"),
    ({"author": "contains:nn,ob"}, "a b c"),
    ({"author": "start:A"}, "a c"),
    ({"author": "end:b,x"}, "b c"),
    ({"author": "contains:"}, "a b c d"),
    # A colon behind another word is a part of the value.
    ({"author": "Ann:x"}, "c"),
    ({"author": ""}, "a b c d"),
    ({"hits": "3"}, "c d"),
    ({"hits": "1,2"}, "a b"),
    ({"hits": "not:3"}, "a b"),
    ({"addDate": "2020-01-01 00:00:00"}, "a"),
    ({"addDate": "start:2020-01"}, "a b"),
    ({"isChecked": "True"}, "a b c d"),
    ({"isChecked": "false"}, ""),
    ({"content": "contains:body"}, "c"),
    ({"title": "a,d"}, "a d"),
    ({"subTitle": "end:%"}, "a b c d"),
    ({"navigationUrl": "end:.html"}, "a b c d"),
    ({"navigationUrl": "/x"}, ""),
    ({"colour": "red"}, "a"),
    ({"COLOUR": "red,blue"}, "a b"),
    ({"colour": "not:red"}, "b c d"),
    ({"colour": "end:red"}, "a c"),
    ({"flag": "True"}, "b"),
    ({"größe": "XL"}, "a"),
    ({"GRÖSSE": "XL"}, "a"),
    ({"colour": "red", "author": "Bob"}, ""),
    # No column: ignored, as are new parameters of this service.
    ({"nothing": "x"}, "a b c d"),
    ({"_title": "a"}, "a b c d"),
    ({"id": "0"}, ""),
])  # fmt: skip
def test_a_column_is_a_filter(api, filtered, query, expected):
    assert listed(api, filtered, query) == expected


def test_the_number_of_a_content_is_a_filter(api, filtered):
    content = Content.objects.get(title="b")
    assert listed(api, filtered, id=content.pk) == "b"
    # As detail pages ask, which show whatever comes.
    assert listed(api, filtered, startNum=1, totalNum=10, id=content.pk) == "b"
    # But contentId says what others relate to.
    assert listed(api, filtered, contentId=content.pk) == "a b c d"


RESERVED = {
    "apiKey": "x", "siteDir": "x", "siteName": "x", "channelIndex": "x", "channelName": "x", "contentId": "7",
    "scope": "Self", "isAllChildren": "false", "isTotal": "true", "parent": "false", "upLevel": "0", "topLevel": "9",
    "groupChannelNot": "x", "groupContentNot": "x", "groupNot": "x", "isImage": "false", "isRelatedContents": "true",
    "order": "Default", "where": "id > 0", "totalNum": "5", "startNum": "1", "pageNum": "1", "maxPage": "1",
    "type": "title",
}  # fmt: skip


@pytest.mark.parametrize("name,value", RESERVED.items())
def test_a_custom_field_never_takes_the_place_of_a_parameter(api, name, value):
    channel = make(a={}, b={})
    make(ChannelFactory(site=channel.site), c={"settings": {name: "mine"}})
    assert listed(api, channel, {name: value}) == "a b"


@pytest.mark.parametrize("query,code", [
    ({"hits": "many"}, "invalid_value"),
    ({"addDate": "yesterday"}, "invalid_value"),
    ({"isChecked": "x"}, "invalid_value"),
    ({"title": "contains:" + "x" * 300}, "invalid_value"),
    ({"title": "start:" + "x," * 101}, "too_many_entries"),
    ({"title": "x," * 1001}, "invalid_value"),
    ({"groupContent": "x," * 101}, "too_many_entries"),
    ({"tags": "x," * 101}, "too_many_entries"),
    ({"where": "nothing = 1"}, "unknown_column"),
    ({"where": "hits = 'x'"}, "invalid_value"),
    ({"where": "hits ="}, "bad_where"),
    ({"where": "1 = 1"}, "bad_where"),
    ({"where": "id = 1) OR (1 = 1"}, "bad_where"),
    ({"where": "id IN (SELECT id FROM apikeys_apikey)"}, "bad_where"),
    ({"where": "id = 1 --"}, "bad_where"),
    ({"where": "id = 1; DELETE FROM contents_content"}, "bad_where"),
    ({"order": "nothing"}, "unknown_column"),
    ({"order": "Stars"}, "unknown_column"),
    ({"order": "id; DROP TABLE x"}, "bad_order"),
    ({"order": "LENGTH(title)"}, "bad_order"),
    ({"order": ",".join(["id"] * 11)}, "bad_order"),
])  # fmt: skip
def test_a_bad_rule_is_400(api, filtered, query, code):
    refused(api, "contents", code, query, siteId=filtered.site_id, channelId=filtered.pk)
    assert Content.objects.count() == 4


@pytest.mark.parametrize("where,expected", [
    ("author = 'Ann'", "a"),
    ("Author LIKE 'ann%' AND NOT hits = 1", "c"),
    ("siteserver_Content_1.[Hits] BETWEEN 2 AND 3", "b c d"),
    ("AddDate < '2020-01-02'", "a"),
    ("colour IN ('red', 'blue')", "a b"),
    ("colour IS NULL", "d"),
    ("isChecked = 'True' AND (hits = 1 OR author = '')", "a d"),
    ("WHERE content LIKE '%body%'", "c"),
    ("title = 'it''s'", ""),
    ("isChecked = 'False'", ""),
])  # fmt: skip
def test_a_condition_filters(api, filtered, where, expected):
    assert listed(api, filtered, where=where) == expected


def test_everything_holds_together(api, filtered):
    query = {"where": "hits > 1", "author": "not:", "order": "hits DESC, title", "totalNum": 2, "isTop": "false"}
    assert listed(api, filtered, query) == "c d"


def test_types_and_text_attributes_do_nothing(api, filtered):
    plain = ask(api, "contents", siteId=filtered.site_id, channelId=filtered.pk)
    more = {"type": "title", "isUpper": "true", "replace": "(", "isOriginal": "false", "no": "all", "pageNum": 2}
    assert ask(api, "contents", more, siteId=filtered.site_id, channelId=filtered.pk) == plain


# ---- many


@each_once(
    ("query", [
    {},
    SEARCHED,
    {"order": "AddDate"},
    {"order": "hits"},
    {"startNum": 3, "totalNum": 8},
    {"isHot": "true"},
    {"scope": "All"},
]),
    ("size", [3, 1, 2, 4, 12, 13]),
)  # fmt: skip
def test_a_long_list_is_the_same_chunk_by_chunk(api, monkeypatch, query, size):
    channel = make(**{
        f"t{number}": {"hits": number % 4, "add_date": datetime(2020, 1, 1 + number % 5), "is_hot": number % 2 == 0,
                       "is_top": number % 6 == 0}
        for number in range(12)
    })  # fmt: skip
    whole = ask(api, "contents", query, siteId=channel.site_id, channelId=channel.pk)
    monkeypatch.setattr(lists, "_CHUNK", size)
    assert ask(api, "contents", query, siteId=channel.site_id, channelId=channel.pk) == whole


def test_more_than_five_hundred_contents_come_in_order(api):
    channel = ChannelFactory()
    Content.objects.bulk_create(
        Content(channel=channel, site=channel.site, title=f"t{number}", taxis=number, is_checked=True,
                is_top=number % 100 == 0)
        for number in range(1, 1203)
    )  # fmt: skip
    response = api.get(path("contents", siteId=channel.site_id, channelId=channel.pk))
    assert response.streaming
    expected = [f"t{number}" for number in sorted(range(1, 1203), key=lambda number: (number % 100 != 0, -number))]
    assert [record["title"] for record in json.loads(response.getvalue())["value"]] == expected
    for more in (SEARCHED, {"scope": "All"}):
        assert listed(api, channel, more).split() == expected
    assert listed(api, channel, startNum=499, totalNum=504).split() == expected[498:1002]


def test_contents_that_are_gone_meanwhile_are_left_out(api, monkeypatch):
    channel = make(a={}, b={}, c={}, d={})
    read = lists.read_present

    def delete_and_read(*place):
        Content.objects.filter(title__in="abd").update(trashed_at=datetime(2020, 1, 1))
        return read(*place)

    monkeypatch.setattr(lists, "read_present", delete_and_read)
    monkeypatch.setattr(lists, "_CHUNK", 1)
    assert listed(api, channel) == "c"
    assert listed(api, channel, where="title = 'c'") == "c"


def test_a_long_list_is_never_held_as_a_whole(api, monkeypatch):
    channel, read = make(a={}, b={}, c={}, d={}, e={}), []
    read_chunks = lists.StlList.read_chunks

    def note(asked):
        for chunk in read_chunks(asked):
            read.append(len(chunk))
            yield chunk

    monkeypatch.setattr(lists.StlList, "read_chunks", note)
    monkeypatch.setattr(lists, "_CHUNK", 1)
    response = api.get(path("contents", siteId=channel.site_id, channelId=channel.pk))
    assert len(read) == 2
    pieces = iter(response.streaming_content)
    for expected in (2, 2, 3, 4):
        next(pieces)
        assert len(read) == expected


def test_a_failing_database_is_500_and_not_half_a_list(api, monkeypatch):
    channel = make(a={}, b={})

    def fail(asked):
        raise RuntimeError("The database is gone.")
        yield

    monkeypatch.setattr(lists.StlList, "read_chunks", fail)
    response = api.get(path("contents", siteId=channel.site_id, channelId=channel.pk))
    assert (response.status_code, response.json()["code"]) == (500, "server_error")


@pytest.mark.parametrize("query", [
    {"scope": "All"},
    {"scope": "Descendant"},
    {"scope": "All", "where": "hits >= 0 AND navigationUrl LIKE '%'", "order": "navigationUrl"},
    {"scope": "All", "tags": "x", "groupContentNot": "y", "colour": "red", "isRelatedContents": "true"},
    {"scope": "All", "order": "Random"},
], ids=str)  # fmt: skip
def test_the_number_of_queries_does_not_grow(api, query):
    home = ChannelFactory()
    address = path("contents", query, siteId=home.site_id, channelId=home.pk)
    counts = []
    for _ in range(3):
        lower = ChannelFactory(parent=home, link_type=LinkType.LINK_TO_FIRST_CONTENT)
        make(lower, **{f"t{number}": {"tags": "x", "settings": {"colour": "red"}} for number in range(3)})
        api.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert api.get(address).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] == counts[2] <= 12, counts
