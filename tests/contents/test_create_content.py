"""`POST /contents/{siteId}/{channelId}`."""

import json
from datetime import datetime

import pytest

from channels_app.models import Channel
from contents.models import Content, CustomField
from tests.assertions import assert_error
from tests.cases import each_once
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world


@world
def channel():
    return ChannelFactory(site=SiteFactory(site_dir="museum"))


def address(channel, site=None, id=None):
    return f"/api/v1/contents/{site or channel.site_id}/{id or channel.pk}"


def create(api, channel, /, **members):
    response = api.post(address(channel), {"title": "a"} | members)
    assert response.status_code == 200, response.content
    return response.json()["value"]


def read(api, record):
    return api.get(f"/api/v1/contents/{record['siteId']}/{record['channelId']}/{record['id']}").json()["value"]


def assert_nothing_stored():
    assert not Content.objects.exists()
    assert not CustomField.objects.exists()


SENT = {
    "addUserName": "ada",
    "lastEditUserName": "bob",
    "writingUserName": "cleo",
    "lastEditDate": "2018-08-15 11:43:27",
    "taxis": 11,
    "groupNameCollection": "头条, news",
    "tags": "ships,harbour",
    "sourceId": -99,
    "referenceId": 37,
    "isChecked": True,
    "checkedLevel": 10,
    "hits": 5,
    "hitsByDay": 1,
    "hitsByWeek": 2,
    "hitsByMonth": 3,
    "lastHitsDate": "2018-08-16 00:00:00",
    "title": " 标题 ",
    "isTop": True,
    "isRecommend": True,
    "isHot": True,
    "isColor": True,
    "linkUrl": "https://example.org/",
    "addDate": "2018-08-14 10:00:00",
    "subTitle": "副标题",
    "imageUrl": "/upload/a.png",
    "videoUrl": "/upload/a.mp4",
    "fileUrl": "/upload/a.pdf",
    "content": "<p>内容正文</p>",
    "summary": "Summary",
    "author": "Author",
    "source": "Source",
}


def test_answers_the_whole_record(client_with_key, channel):
    api = client_with_key(administrator=AdministratorFactory(user_name="admin"))
    before = datetime.now().replace(microsecond=0)
    response = api.post(address(channel), {"title": "标题", "content": "内容正文"})
    assert response.status_code == 200
    content = Content.objects.get()
    assert before <= content.add_date == content.last_edit_date <= datetime.now()
    now = content.add_date.isoformat(" ")
    assert response.json() == {
        "value": {
            "id": content.pk,
            "channelId": channel.pk,
            "siteId": channel.site_id,
            "addUserName": "admin",
            "lastEditUserName": "admin",
            "writingUserName": "",
            "lastEditDate": now,
            "taxis": 1,
            "groupNameCollection": "",
            "tags": "",
            "sourceId": 0,
            "referenceId": 0,
            "isChecked": False,
            "checkedLevel": 0,
            "hits": 0,
            "hitsByDay": 0,
            "hitsByWeek": 0,
            "hitsByMonth": 0,
            "lastHitsDate": None,
            "settingsXml": "{}",
            "title": "标题",
            "isTop": False,
            "isRecommend": False,
            "isHot": False,
            "isColor": False,
            "linkUrl": "",
            "addDate": now,
            "subTitle": "",
            "imageUrl": "",
            "videoUrl": "",
            "fileUrl": "",
            "content": "内容正文",
            "summary": "",
            "author": "",
            "source": "",
            "navigationUrl": f"/museum/contents/{channel.pk}/{content.pk}.html",
        }
    }
    assert read(api, response.json()["value"]) == response.json()["value"]


@pytest.mark.parametrize("spell", [
    lambda name: name,
    lambda name: name[0].upper() + name[1:],
    str.upper,
    str.lower,
])  # fmt: skip
def test_every_member_is_stored_as_it_is_sent(api, channel, spell):
    response = api.post(address(channel), {spell(name): value for name, value in SENT.items()})
    assert response.status_code == 200
    record = response.json()["value"]
    assert {name: record[name] for name in SENT} == SENT
    assert read(api, record) == record


def test_camel_case_and_pascal_case_may_be_mixed(api, channel):
    response = api.post(address(channel), {"Title": "a", "subTitle": "b", "SourceId": "37", "isTop": "True"})
    record = response.json()["value"]
    assert (record["title"], record["subTitle"], record["sourceId"], record["isTop"]) == ("a", "b", 37, True)


NUMBERS = [name for name, value in SENT.items() if type(value) is int]
FLAGS = [name for name, value in SENT.items() if type(value) is bool]
DATES = [name for name in SENT if name.endswith("Date")]
TEXTS = [name for name, value in SENT.items() if type(value) is str and name not in DATES]


@each_once(
    ("name", NUMBERS),
    ("sent,stored", [("37", 37), (" 37 ", 37), (37.0, 37), (0, 0), ("0", 0)]),
)
def test_numbers_are_read_from_texts_too(api, channel, name, sent, stored):
    assert create(api, channel, **{name: sent})[name] == stored


@each_once(
    ("name", FLAGS),
    ("sent,stored", [("True", True), ("true", True), ("FALSE", False), (False, False)]),
)
def test_flags_are_read_from_texts_too(api, channel, name, sent, stored):
    assert create(api, channel, **{name: sent})[name] is stored


@each_once(
    ("name", DATES),
    ("sent,stored", [
    ("2018-08-15 11:43:27", "2018-08-15 11:43:27"),
    ("2018-08-15 11:43", "2018-08-15 11:43:00"),
    ("2018-08-15", "2018-08-15 00:00:00"),
    (" 2018-08-15 11:43:27 ", "2018-08-15 11:43:27"),
    ("2018-08-15T11:43:27", "2018-08-15 11:43:27"),
    ("2018-08-15T11:43:27Z", "2018-08-15 11:43:27"),
    ("2018-08-15T11:43:27.123Z", "2018-08-15 11:43:27"),
    ("2018-08-15T11:43:27.1234567+08:00", "2018-08-15 03:43:27"),
    ("9999-12-31 23:59:59", "9999-12-31 23:59:59"),
]),
)  # fmt: skip
def test_dates_are_read_in_their_usual_forms(api, channel, name, sent, stored):
    record = create(api, channel, **{name: sent})
    assert record[name] == stored
    assert read(api, record)[name] == stored


@pytest.mark.parametrize("never", ["0001-01-01 00:00:00", "1754-01-01 00:00:00", None])
def test_a_date_that_never_happened_counts_as_not_sent(api, channel, never):
    record = create(api, channel, addDate=never, lastEditDate=never, lastHitsDate=never)
    assert record["lastHitsDate"] is None
    assert record["addDate"] == record["lastEditDate"] > "2020"


@pytest.mark.parametrize("name", sorted(set(SENT) - {"title"}))
def test_a_member_that_is_null_counts_as_not_sent(api, channel, name):
    plain = create(api, channel)
    record = create(api, channel, **{name: None})
    own = {"id", "navigationUrl", "taxis", "addDate", "lastEditDate"}
    assert {key: record[key] for key in set(record) - own} == {key: plain[key] for key in set(plain) - own}


WRONG = [
    *((name, True) for name in NUMBERS),
    *(("sourceId", value) for value in ("x", "1.5", 1.5, "", [1], {}, 2**63, "9" * 30)),
    *((name, 1) for name in FLAGS),
    *(("isTop", value) for value in ("yes", "", 0, "1", [], {})),
    *((name, "yesterday") for name in DATES),
    *(("addDate", value) for value in ("", "2018-02-30", "15/08/2018", 1534333407, True, [])),
    *((name, 1) for name in [*TEXTS, "settingsXml"]),
    *((name, value) for name in ("summary", "tags", "settingsXml") for value in (True, ["x"], {"x": 1})),
    *((name, -1) for name in ("hits", "hitsByDay", "hitsByWeek", "hitsByMonth")),
    *(("taxis", value) for value in (2**53, -(2**53))),
]


@pytest.mark.any_database
@pytest.mark.parametrize("name,value", WRONG)
def test_a_value_that_cannot_be_read_is_400_and_named(api, channel, name, value):
    body = assert_error(api.post(address(channel), {"title": "a", "custom": "x", name: value}), 400, "invalid_value")
    assert name in body["message"]
    assert_nothing_stored()


LENGTHS = {
    "title": 255,
    "subTitle": 255,
    "addUserName": 255,
    "lastEditUserName": 255,
    "writingUserName": 255,
    "author": 255,
    "source": 255,
    "linkUrl": 2000,
    "imageUrl": 2000,
    "videoUrl": 2000,
    "fileUrl": 2000,
}


@each_once(
    ("name,most", LENGTHS.items()),
    ("letter", ["😀", "a", "中"]),
)
def test_texts_have_a_greatest_length_in_characters(api, channel, name, most, letter):
    assert create(api, channel, **{name: letter * most})[name] == letter * most
    Content.objects.all().delete()
    body = assert_error(api.post(address(channel), {"title": "a", name: letter * (most + 1)}), 400, "invalid_value")
    assert name in body["message"]
    assert str(most) in body["message"]
    assert_nothing_stored()


@pytest.mark.parametrize("name", ["groupNameCollection", "tags"])
def test_joined_names_have_a_greatest_length(api, channel, name):
    assert create(api, channel, **{name: "ab, " * 500})[name] == "ab, " * 500
    assert_error(api.post(address(channel), {"title": "a", name: "ab, " * 500 + "x"}), 400, "invalid_value")


@pytest.mark.parametrize("title", [{}, {"title": ""}, {"title": "  \t\u3000 "}, {"title": None}])
def test_a_title_is_required(api, channel, title):
    body = assert_error(api.post(address(channel), {"content": "x", "custom": 1} | title), 400, "missing_member")
    assert "title" in body["message"]
    assert_nothing_stored()


def test_a_body_of_300_kb_comes_back_byte_for_byte(api, channel):
    paragraph = (
        '<p style="font-family: &quot;\\5FAE软雅黑&quot;; color: rgb(61, 70, 77)">'
        "<img src='@/upload/1.jpg'/>\r\n\t“x” &amp; 😀 <br/></p><script>if (a < b) {}</script>"
    )
    html = paragraph * (300_000 // len(paragraph.encode()) + 1)
    record = create(api, channel, content=html)
    assert record["content"] == html
    assert read(api, record)["content"] == html


REFUSED = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "\njava\tscript\r:alert(1)",
    "\x01javascript:alert(1)",
    "javascript :alert(1)",
    "data:text/html,x",
    "DATA:text/html;base64,eA==",
    "vbscript:x",
]


@each_once(
    ("name", ["linkUrl", "imageUrl", "videoUrl", "fileUrl"]),
    ("value", REFUSED),
)
def test_an_address_that_runs_code_is_400(api, channel, name, value):
    body = assert_error(api.post(address(channel), {"title": "a", name: value}), 400, "invalid_value")
    assert name in body["message"]
    assert_nothing_stored()


@pytest.mark.parametrize("value", [
    "https://example.org/javascript:x", "//example.org/", "/x", "x", "@/x", "~/x", "mailto:a@b.example", "#a",
    "ftp://x/", "/search?q=data:x",
])  # fmt: skip
def test_other_addresses_are_stored_as_they_are(api, channel, value):
    create(api, channel, linkUrl=value, imageUrl=value, videoUrl=value, fileUrl=value)
    content = Content.objects.get()
    assert {content.link_url, content.image_url, content.video_url, content.file_url} == {value}


# ---- who, when, where in the order


def test_members_of_the_place_are_not_taken_from_the_body(api, channel):
    other = ContentFactory()
    record = create(api, channel, id=other.pk, siteId=other.site_id, channelId=other.channel_id, navigationUrl="x")
    assert record["id"] != other.pk
    assert (record["siteId"], record["channelId"]) == (channel.site_id, channel.pk)
    assert record["navigationUrl"].startswith("/museum/")
    assert record["settingsXml"] == "{}"


def test_each_content_comes_after_the_highest_of_its_channel(api, channel):
    assert [create(api, channel)["taxis"] for _ in range(3)] == [1, 2, 3]
    assert create(api, channel, taxis=40)["taxis"] == 40
    assert create(api, channel, taxis=7)["taxis"] == 7
    assert create(api, channel)["taxis"] == 41
    assert create(api, ChannelFactory(site=channel.site))["taxis"] == 1


def test_contents_from_elsewhere_count_among_the_highest(api, channel):
    ContentFactory(channel=channel, taxis=90)
    assert create(api, channel)["taxis"] == 91
    moved = ContentFactory(site=channel.site, channel=ChannelFactory(site=channel.site), taxis=200)
    Content.objects.filter(pk=moved.pk).update(channel=channel)
    assert create(api, channel)["taxis"] == 201


@pytest.mark.parametrize("taxis", [0, -5, 2**53 - 1])
def test_a_taxis_that_is_sent_is_kept(api, channel, taxis):
    assert create(api, channel, taxis=taxis)["taxis"] == taxis


def test_approval_is_as_sent(api, channel):
    for sent, stored in [
        ({}, (False, 0)),
        ({"isChecked": True}, (True, 0)),
        ({"checkedLevel": 2}, (False, 2)),
        ({"isChecked": True, "checkedLevel": 10}, (True, 10)),
        ({"IsChecked": "True", "CheckedLevel": "-99"}, (True, -99)),
    ]:
        record = create(api, channel, **sent)
        assert (record["isChecked"], record["checkedLevel"]) == stored


# ---- members beyond those of the interface


def test_unknown_members_are_kept_and_come_back(api, channel):
    sent = {
        "VideoLength": "12",
        "ID2": 3,
        "isAutoLogin": True,
        "price": 1.5,
        "photos": [{"url": "/a.png"}, None],
        "价格": "10元",
        "check_reasons": "ok",
        "nothing": None,
    }
    record = create(api, channel, **sent)
    assert "nothing" not in record
    flattened = {
        "videoLength": "12",
        "id2": 3,
        "isAutoLogin": True,
        "price": 1.5,
        "photos": [{"url": "/a.png"}, None],
        "价格": "10元",
        "check_reasons": "ok",
    }
    assert {name: record[name] for name in flattened} == flattened
    assert json.loads(record["settingsXml"]) == flattened
    assert read(api, record) == record


@pytest.mark.parametrize("text,entries", [
    ('{"check_isadmin":"True","Width":12}', {"check_isadmin": "True", "width": 12}),
    (' {"a":"1"} ', {"a": "1"}),
    ("check_isadmin=True&width=12", {"check_isadmin": "True", "width": "12"}),
    ("a=x_and_y_equals_z", {"a": "x&y=z"}),
    ("{}", {}),
    ("", {}),
    ("nonsense", {}),
])  # fmt: skip
def test_settings_are_read_in_both_forms(api, channel, text, entries):
    record = create(api, channel, settingsXml=text)
    assert json.loads(record["settingsXml"]) == entries
    assert {name: record[name] for name in entries} == entries
    assert read(api, record) == record


def test_settings_and_unknown_members_are_joined(api, channel):
    record = create(api, channel, settingsXml='{"a":"1","b":"1"}', B="2", c="3")
    assert json.loads(record["settingsXml"]) == {"a": "1", "b": "2", "c": "3"}


def test_settings_never_stand_for_a_member_of_the_interface(api, channel):
    record = create(api, channel, settingsXml='{"title":"b","Id":7,"isTop":"True","x":"y"}')
    assert json.loads(record["settingsXml"]) == {"x": "y"}
    assert (record["title"], record["isTop"]) == ("a", False)


@pytest.mark.parametrize("text", ["{", '{"a":}', '{"a":"\\u0000"}', "a=\0", '{"a":18446744073709551616}'])
def test_settings_that_cannot_be_read_are_400(api, channel, text):
    assert_error(api.post(address(channel), {"title": "a", "settingsXml": text}), 400)
    assert_nothing_stored()


# ---- refusals


@each_once(
    ("body", [b"[]", b"x", b"title=a&content=b", b'"title"', b"null", b"\xff\xfe"]),
    ("content_type", ["application/json", "application/x-www-form-urlencoded", "undefined", ""]),
)
def test_a_body_that_is_no_json_object_is_400(api, channel, body, content_type):
    assert_error(api.send("POST", address(channel), body, content_type), 400, "body_not_object")
    assert_nothing_stored()


def test_a_body_is_read_whatever_its_content_type(api, channel):
    for content_type in ("application/json;charset=UTF-8", "application/json;charset=utf8", "undefined", "text/plain"):
        response = api.send("POST", address(channel), '{"title":"标题"}'.encode(), content_type)
        assert response.json()["value"]["title"] == "标题"


def test_a_member_in_two_spellings_is_400(api, channel):
    assert_error(api.post(address(channel), {"title": "a", "Title": "b"}), 400, "duplicate_member")
    assert_error(api.post(address(channel), {"title": "a", "x": 1, "X": 1}), 400, "duplicate_member")
    assert_nothing_stored()


@pytest.mark.parametrize("text", ['{"title":"a\\u0000"}', '{"title":"\\ud800"}'])
def test_what_no_database_stores_is_400(api, channel, text):
    assert_error(api.send("POST", address(channel), text.encode()), 400)
    assert_nothing_stored()


def test_a_channel_that_takes_no_contents_is_400(api):
    channel = ChannelFactory(settings={"isContentAddable": False})
    body = assert_error(api.post(address(channel), {"title": "a"}), 400, "channel_takes_no_contents")
    assert str(channel.pk) in body["message"]
    assert_nothing_stored()


def test_the_home_channel_takes_contents(api, channel):
    response = api.post(address(channel, id=channel.site_id), {"title": "a"})
    assert response.json()["value"]["channelId"] == channel.site_id


def test_an_unknown_place_is_404_before_the_body_is_looked_at(api, channel):
    other = ChannelFactory()
    for path, code in [
        (address(channel, site=10**9), "site_not_found"),
        (address(channel, id=10**9), "channel_not_found"),
        (address(channel, id=other.pk), "channel_not_found"),
        (address(channel, site=other.site_id), "channel_not_found"),
    ]:
        for body in (b'{"title":"a"}', b"nonsense"):
            assert_error(api.send("POST", path, body), 404, code)
    assert_nothing_stored()


def test_a_trashed_channel_is_404(api):
    channel = ChannelFactory(trashed_at=datetime(2020, 1, 1))
    assert_error(api.post(address(channel), {"title": "a"}), 404, "channel_not_found")


def test_needs_a_key_that_may_write_to_the_site(stranger, client_with_key, channel):
    refused = [
        (stranger, "key_missing"),
        (client_with_key(scopes="Channels,STL"), "scope_missing"),
        (client_with_key(scopes="Contents:read"), "scope_missing"),
        (client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk)), "site_not_allowed"),
    ]
    for client, code in refused:
        assert_error(client.post(address(channel), {"title": "a"}), 401, code)
    assert_nothing_stored()
    assert create(client_with_key(scopes="Contents:write", site_ids=str(channel.site_id)), channel)


@pytest.mark.parametrize("method", ["put", "delete"])
def test_other_verbs_are_405(api, channel, method):
    assert_error(getattr(api, method)(address(channel)), 405, "method_not_allowed")


def test_a_refused_content_introduces_no_custom_field(api, channel):
    Channel.objects.filter(pk=channel.pk).update(settings={"isContentAddable": False})
    response = api.post(f"/api/v1/contents/{channel.site_id}/{channel.pk}", {"title": "x", "ghost": "1"})
    assert_error(response, 400, "channel_takes_no_contents")
    assert not CustomField.objects.filter(site=channel.site).exists()
