"""`PUT /contents/{siteId}/{channelId}/{id}`."""

import json
from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.models import Content, ContentBody, CustomField
from tests.assertions import assert_error
from tests.cases import each_once
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

OLD = datetime(2018, 1, 20, 13, 47, 46)


def address(content, site=None, channel=None, id=None):
    place = [content.site_id if site is None else site, content.channel_id if channel is None else channel]
    return "/api/v1/contents/{}/{}/{}".format(*place, content.pk if id is None else id)


@world
def content():
    """A content in which every member has a value of its own."""
    return ContentFactory(
        channel=ChannelFactory(site=SiteFactory(site_dir="museum")),
        add_user_name="ada",
        last_edit_user_name="bob",
        writing_user_name="cleo",
        last_edit_date=OLD,
        taxis=7,
        group_name_collection="g, h",
        tags="t",
        source_id=-1,
        reference_id=37,
        is_checked=True,
        checked_level=2,
        hits=9,
        hits_by_day=1,
        hits_by_week=2,
        hits_by_month=3,
        last_hits_date=OLD,
        settings_xml='{"check_isadmin":"True","width":12,"photos":[1,{"a":null}]}',
        title="Old title",
        is_top=True,
        is_hot=True,
        link_url="@/link.html",
        add_date=OLD,
        sub_title="Sub",
        image_url="@/a.png",
        video_url="~/a.mp4",
        file_url="/a.pdf",
        content="<p>Old</p>",
        summary="Summary",
        author="Author",
        source="Source",
    )


def get(api, content):
    return api.get(address(content)).json()["value"]


def put(api, content, /, **members):
    response = api.put(address(content), members)
    assert response.status_code == 200, response.content
    return response.json()["value"]


def stored():
    return [list(model.objects.order_by("pk").values()) for model in (Content, ContentBody, CustomField)]


def test_answers_the_whole_record_with_only_the_sent_members_changed(client_with_key, content):
    api = client_with_key(administrator=AdministratorFactory(user_name="admin"))
    before, started = get(api, content), datetime.now().replace(microsecond=0)
    response = api.put(address(content), {"title": "标题2", "content": "内容正文2"})
    assert response.status_code == 200
    assert list(response.json()) == ["value"]
    after = response.json()["value"]
    assert started <= datetime.fromisoformat(after["lastEditDate"]) <= datetime.now()
    changed = {
        "title": "标题2",
        "content": "内容正文2",
        "lastEditUserName": "admin",
        "lastEditDate": after["lastEditDate"],
    }
    assert after == before | changed
    assert get(api, content) == after


CHANGES = {
    "addUserName": "x",
    "writingUserName": "x",
    "lastEditUserName": "x",
    "lastEditDate": "2020-02-02 02:02:02",
    "taxis": 99,
    "groupNameCollection": "x,y",
    "tags": "",
    "sourceId": 3,
    "referenceId": 0,
    "isChecked": False,
    "checkedLevel": -99,
    "hits": 0,
    "hitsByDay": 100,
    "hitsByWeek": 100,
    "hitsByMonth": 100,
    "lastHitsDate": "2020-02-02 02:02:02",
    "title": "x",
    "isTop": False,
    "isRecommend": True,
    "isHot": False,
    "isColor": True,
    "linkUrl": "https://example.org/",
    "addDate": "2020-02-02 02:02:02",
    "subTitle": "",
    "imageUrl": "https://example.org/b.png",
    "videoUrl": "",
    "fileUrl": "/b.pdf",
    "content": "",
    "summary": "x",
    "author": "",
    "source": "x",
}


def test_the_same_members_once_more_change_nothing(client_with_key, content):
    put(client_with_key(administrator=AdministratorFactory(user_name="ada")), content, title="x", content="y", width=13)
    before = stored()
    again = client_with_key(administrator=AdministratorFactory(user_name="bob"))
    assert put(again, content, title="x", content="y", width=13)["lastEditUserName"] == "ada"
    assert stored() == before


def test_an_edit_costs_one_read_and_one_write_of_the_body(api, content):
    with CaptureQueriesContext(connection) as queries:
        put(api, content, title="x", content="y")
    bodies = [query["sql"].split()[0] for query in queries if "contents_contentbody" in query["sql"]]
    assert bodies == ["SELECT", "UPDATE"]


def test_a_content_without_a_body_gets_one(api, content):
    ContentBody.objects.all().delete()
    assert put(api, content, content="y")["content"] == "y"
    assert ContentBody.objects.get().text == "y"


@each_once(
    ("name,value", CHANGES.items()),
    ("spell", [str, lambda name: name[0].upper() + name[1:]]),
)
def test_each_member_is_changed_alone(api, content, name, value, spell):
    before = get(api, content)
    after = put(api, content, **{spell(name): value})
    own = {"lastEditUserName", "lastEditDate"} | ({"navigationUrl"} if name in {"linkUrl", "referenceId"} else set())
    expected = before | {name: value} | {key: after[key] for key in own - {name}}
    assert after == expected
    assert get(api, content) == after


def test_approval_changes_only_when_it_is_sent(api, content):
    record = put(api, content, title="x", isTop=False, checkedlevel=None)
    assert (record["isChecked"], record["checkedLevel"]) == (True, 2)
    assert put(api, content, isChecked="False")["isChecked"] is False
    assert put(api, content, title="y")["isChecked"] is False


def test_who_and_when_may_be_sent(api, content):
    record = put(api, content, title="x", lastEditUserName="zoe", lastEditDate="2020-02-02T02:02:02Z")
    assert (record["lastEditUserName"], record["lastEditDate"]) == ("zoe", "2020-02-02 02:02:02")


# ---- nothing to change


@pytest.mark.parametrize("body", [{}, {"id": 5}, {"siteId": 1, "navigationUrl": "x"}, {"title": None, "tags": None}])
def test_a_body_without_members_to_change_changes_nothing(api, content, body):
    before = stored()
    response = api.put(address(content), body)
    assert response.status_code == 200
    assert response.json()["value"] == get(api, content)
    assert stored() == before


def test_the_echo_of_a_whole_record_changes_nothing(api, content):
    content.settings_xml = '{"checkIt":"x","width":12,"photos":[1,{"a":null}]}'
    content.save()
    record, before = get(api, content), stored()
    assert put(api, content, **record) == record
    # Addresses are answered in another form than they are stored in.
    assert stored()[:2] == before[:2]


def test_the_echo_of_a_record_with_one_change_changes_that_alone(api, content):
    record = get(api, content)
    after = put(api, content, **record | {"title": "New"})
    assert after == record | {"title": "New"}
    assert Content.objects.get().image_url == "@/a.png"


def test_a_member_of_another_content_is_not_taken_from_the_body(api, content):
    other = ContentFactory(title="other")
    record = put(api, content, id=other.pk, channelId=other.channel_id, siteId=other.site_id, title="x")
    assert (record["id"], record["channelId"], record["siteId"]) == (content.pk, content.channel_id, content.site_id)
    assert get(api, other)["title"] == "other"


# ---- version


def test_the_version_grows_with_every_change(api, content):
    versions = [Content.objects.get().version]
    for change in [{"title": "x"}, {"content": "x"}, {"custom": 1}, {"isTop": False}, {"content": "x"}, {}]:
        put(api, content, **change)
        versions.append(Content.objects.get().version)
    # What is so already is no change.
    assert [version - versions[0] for version in versions] == [0, 1, 2, 3, 4, 4, 4]


# ---- custom members


def test_custom_members_are_changed_one_by_one(api, content):
    record = put(api, content, width=13, VideoLength="5")
    expected = {"check_isadmin": "True", "width": 13, "photos": [1, {"a": None}], "videoLength": "5"}
    assert json.loads(record["settingsXml"]) == expected
    assert {name: record[name] for name in expected} == expected
    assert put(api, content, WIDTH=None)["width"] == 13
    assert put(api, content, settingsXml="width=14&x=y")["width"] == "14"
    assert json.loads(get(api, content)["settingsXml"]) == expected | {"width": "14", "x": "y"}


def test_a_date_that_never_happened(api, content):
    record = put(api, content, addDate="0001-01-01 00:00:00", lastHitsDate="0001-01-01 00:00:00")
    assert record["addDate"] == "2018-01-20 13:47:46"
    assert record["lastHitsDate"] is None


def test_a_higher_taxis_is_counted_from_even_when_it_is_gone(api, content):
    put(api, content, taxis=500)
    put(api, content, taxis=5)
    response = api.post(f"/api/v1/contents/{content.site_id}/{content.channel_id}", {"title": "x"})
    assert response.json()["value"]["taxis"] == 501


# ---- refusals


@pytest.mark.parametrize("body,code", [
    ({"title": ""}, "missing_member"),
    ({"title": " \n"}, "missing_member"),
    ({"title": "x" * 256}, "invalid_value"),
    ({"title": "x", "custom": 1, "isTop": "yes"}, "invalid_value"),
    ({"title": "x", "custom": 1, "hits": -1}, "invalid_value"),
    ({"title": "x", "addDate": "soon"}, "invalid_value"),
    ({"title": "x", "sourceId": "1.5"}, "invalid_value"),
    ({"title": "x", "linkUrl": "javascript:x"}, "invalid_value"),
    ({"title": "x", "tags": "t" * 256}, "invalid_value"),
    ({"title": "x", "Title": "y"}, "duplicate_member"),
    ({"title": "x", "settingsXml": "{"}, "invalid_value"),
    ({"title": "x", "n" * 256: 1}, "invalid_value"),
])  # fmt: skip
def test_a_body_that_cannot_be_followed_changes_nothing(api, content, body, code):
    before = stored()
    assert_error(api.put(address(content), body), 400, code)
    assert stored() == before


@pytest.mark.parametrize("body", [b"[]", b"nonsense", b"title=x"])
def test_a_body_that_is_no_json_object_is_400(api, content, body):
    before = stored()
    assert_error(api.send("PUT", address(content), body), 400, "body_not_object")
    assert stored() == before


def test_is_404_outside_its_site_and_channel_before_the_body_is_looked_at(api, content):
    other, sibling = ContentFactory(), ChannelFactory(site=content.site)
    before = stored()
    for place, code in [
        ({"site": 10**9}, "site_not_found"),
        ({"site": other.site_id}, "channel_not_found"),
        ({"channel": 10**9}, "channel_not_found"),
        ({"channel": sibling.pk}, "content_not_found"),
        ({"id": 10**9}, "content_not_found"),
        ({"id": other.pk}, "content_not_found"),
    ]:
        for body in (b'{"title":"x","custom2":1}', b"nonsense"):
            assert_error(api.send("PUT", address(content, **place), body), 404, code)
    assert stored() == before


UNFIT_TO_BE_SENT = {
    "linkUrl": ("link_url", "javascript:void(0)"),
    "imageUrl": ("image_url", "java\tscript:alert(1)"),
    "videoUrl": ("video_url", "data:text/html,x"),
    "fileUrl": ("file_url", "vbscript:x"),
    "taxis": ("taxis", 2**60),
}


@pytest.mark.parametrize("name", UNFIT_TO_BE_SENT)
def test_what_a_migration_brought_may_be_sent_back(api, content, name):
    column, value = UNFIT_TO_BE_SENT[name]
    Content.objects.filter(pk=content.pk).update(**{column: value})
    answer, before = get(api, content), list(Content.objects.values())
    assert answer[name] == value
    assert put(api, content, **answer) == answer
    assert put(api, content, **{f"{name[0].upper()}{name[1:]}": value}) == answer
    assert list(Content.objects.values()) == before
    # The date of the last edit was sent, too.
    assert put(api, content, **answer | {"author": "new"}) == answer | {"author": "new"}


@pytest.mark.parametrize("changed", ["javascript:void(1)", "JavaScript:void(0)"])
def test_another_value_of_the_kind_is_refused(api, content, changed):
    Content.objects.filter(pk=content.pk).update(link_url="javascript:void(0)")
    before = stored()
    answer = get(api, content)
    assert_error(api.put(address(content), answer | {"linkUrl": changed}), 400, "invalid_value")
    assert_error(api.put(address(content), answer | {"imageUrl": "javascript:void(0)"}), 400, "invalid_value")
    assert_error(api.put(address(content), {"linkUrl": "x", "linkurl": "javascript:void(0)"}), 400, "duplicate_member")
    assert stored() == before


def test_a_draft_may_be_sent_back_as_well(api, content):
    Content.objects.filter(pk=content.pk).update(link_url="javascript:void(0)")
    draft = put(api, content, isDraft=True, title="Draft", linkUrl="javascript:void(0)")
    assert put(api, content, **draft) == draft
    changed = put(api, content, isDraft=True, linkUrl="https://example.org")
    # It is not the link of the draft any more.
    refused = api.put(address(content), changed | {"linkUrl": "javascript:void(0)"})
    assert_error(refused, 400, "invalid_value")


def test_a_trashed_content_is_404(api):
    content = ContentFactory(trashed_at=OLD)
    assert_error(api.put(address(content), {"title": "x"}), 404, "content_not_found")


def test_needs_a_key_that_may_write_to_the_site(stranger, client_with_key, content):
    before = stored()
    for client, code in [
        (stranger, "key_missing"),
        (client_with_key(scopes="Contents:read"), "scope_missing"),
        (client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk)), "site_not_allowed"),
    ]:
        assert_error(client.put(address(content), {"title": "x"}), 401, code)
    assert stored() == before
