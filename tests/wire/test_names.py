"""Names of members and parameters."""

import pytest

from contents.models import Content
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory
from tests.wire.addresses import creation, single


@pytest.mark.parametrize("spelling", ["subTitle", "SubTitle", "subtitle", "SUBTITLE", "sUBtITLE"])
def test_a_member_is_read_in_any_letter_case(api, spelling):
    response = api.post(creation(ChannelFactory()), {"Title": "Launch", spelling: "On Saturday"})
    assert response.json()["value"]["subTitle"] == "On Saturday"


def test_camel_case_and_pascal_case_mix_in_one_body(api):
    body = {"Title": "Launch", "isTop": True, "Author": "Press office", "sourceId": 37, "GroupNameCollection": "a"}
    record = api.post(creation(ChannelFactory()), body).json()["value"]
    assert record["title"] == "Launch"
    assert record["isTop"] is True
    assert record["author"] == "Press office"
    assert record["sourceId"] == 37
    assert record["groupNameCollection"] == "a"


@pytest.mark.parametrize(
    ("one", "other"),
    [("title", "Title"), ("title", "TITLE"), ("isTop", "IsTop"), ("custom", "Custom")],
)
@pytest.mark.parametrize("same", [True, False])
def test_a_member_in_two_spellings_is_400_and_stores_nothing(api, one, other, same):
    body = {"title": "Launch"} | {one: "True", other: "True" if same else "False"}
    error = assert_error(api.post(creation(ChannelFactory()), body), 400, "duplicate_member")
    assert f"{one} and {other} are the same member" in error["message"]
    assert error["member"] == other
    assert not Content.objects.exists()


def test_two_spellings_in_an_update_leave_the_record_as_it_was(api):
    content = ContentFactory(title="Launch")
    assert_error(api.put(single(content), {"title": "A", "Title": "B"}), 400, "duplicate_member")
    assert api.get(single(content)).json()["value"]["title"] == "Launch"


def test_two_spellings_within_a_rule_are_400(api):
    rule = {"column": "title", "Column": "author", "value": "x"}
    body = {"siteId": ContentFactory().site_id, "wheres": [rule]}
    assert_error(api.post("/api/v1/contents", body), 400, "duplicate_member")


def test_names_in_rules_are_read_in_any_letter_case(api):
    content = ContentFactory(title="Launch")
    body = {
        "SITEID": content.site_id,
        "Wheres": [{"Column": "TITLE", "OPERATOR": "=", "Value": "Launch"}],
        "orders": [{"COLUMN": "Id", "Desc": "True"}],
    }
    assert api.post("/api/v1/contents", body).json()["totalCount"] == 1


def test_the_answer_is_in_camel_case(api):
    record = api.post(creation(ChannelFactory()), {"Title": "Launch"}).json()["value"]
    assert record
    assert all(name[0].islower() for name in record)


@pytest.mark.parametrize("name", ["İl", "İsTop", "İSBN", "ılık", "ſize", "ǅungla"])
def test_only_a_letter_with_one_small_letter_is_lowered_in_the_name_of_a_custom_field(api, name):
    channel = ChannelFactory()
    made = api.post(creation(channel), {"title": "Launch", name: "a"}).json()["value"]
    assert (made[name], made["isTop"]) == ("a", False)
    path = f"/api/v1/channels/{channel.site_id}/{channel.pk}"
    assert api.put(path, {name: "b"}).json()["value"][name] == api.get(path).json()["value"][name] == "b"


def test_a_member_without_a_name_is_dropped(api):
    channel = ChannelFactory()
    made = api.post(creation(channel), {"title": "Launch", "": "a"}).json()["value"]
    path = f"/api/v1/channels/{channel.site_id}/{channel.pk}"
    changed = api.put(path, {"channelName": "News", "": "a"}).json()["value"]
    assert "" not in made.keys() | changed.keys()


def test_unknown_members_of_a_list_request_are_ignored(api):
    content = ContentFactory()
    body = {"siteId": content.site_id, "isAutoLogin": True, "groupId": {"a": [1]}, "": 5}
    assert api.post("/api/v1/contents", body).json()["totalCount"] == 1


def test_a_member_that_is_null_counts_as_not_sent(api):
    body = {"title": "Launch", "isTop": None, "taxis": None, "addDate": None, "summary": None}
    record = api.post(creation(ChannelFactory()), body).json()["value"]
    assert record["isTop"] is False
    assert record["taxis"] == 1
    assert record["summary"] == ""


QUERIES = ["?1590000000000", "?&a=1", "?", "?&&", "?=", "?=5", "?%", "?%00=%00", "?a=%FF", "?siteid=0&SITEID=1", "?a&b"]


@pytest.mark.parametrize("query", QUERIES)
def test_nameless_empty_and_unknown_query_members_are_ignored(api, query):
    content = ContentFactory()
    assert api.get(single(content) + query).status_code == 200
    assert api.post(creation(content.channel) + query, {"title": "Launch"}).status_code == 200
    assert api.delete(single(content) + query).status_code == 200


@pytest.mark.parametrize("path", ["/api/v1/ping", "/api/v1/ping/", "/api/v1/ping//", "/api/v1/ping/?1590000000000"])
def test_ping_answers_with_and_without_slash(stranger, path):
    assert stranger.get(path).content == b"pong"


@pytest.mark.parametrize("slash", ["", "/"])
def test_every_verb_works_with_and_without_slash(api, slash):
    channel = ChannelFactory()
    created = api.post(creation(channel) + slash, {"title": "Launch"})
    path = f"{creation(channel)}/{created.json()['value']['id']}{slash}"
    answers = [
        created,
        api.get(path),
        api.put(path, {"title": "Later"}),
        api.post("/api/v1/contents" + slash, {"siteId": channel.site_id}),
        api.delete(path),
    ]
    assert [answer.status_code for answer in answers] == [200] * 5
