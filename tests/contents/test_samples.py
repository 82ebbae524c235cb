"""The published samples of contents: the same requests on data of our own, the same members and types answered.

What differs here, and is said in the design: flags are JSON booleans, and a change answers the whole record.
"""

import json
from pathlib import Path

import pytest

from contents.models import Content
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory, ChannelFactory, ContentFactory, SiteFactory

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples."),
]
LISTS = ["04-contents-list", "06-contents-list", "74-wire-contents-list"]
LISTS_WITH_COLUMNS = ["01-contents-list", "02-contents-list"]


def sample(name):
    """The request, and the body that was answered."""
    shown = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return shown["request"], shown["response"]["body"]


def typed(record):
    """Names and types in order; the texts True and False stand for booleans."""
    return [(name, bool if value in ("True", "False") else type(value)) for name, value in record.items()]


def a_place():
    """A channel with contents: three that are approved, and one that is not."""
    channel = ChannelFactory(site=SiteFactory(site_dir="test16"))
    for number in range(3):
        ContentFactory(channel=channel, is_checked=True, author="张三" if number else "李四")
    ContentFactory(channel=channel)
    return channel


def body_here(request, channel):
    """The request's body with the numbers of our own place."""
    own = {"siteId": channel.site_id, "channelId": channel.pk}
    return request["body"] | {name: number for name, number in own.items() if name in request["body"]}


@pytest.mark.parametrize("name", LISTS)
def test_a_published_list_is_answered(api, name):
    request, published = sample(name)
    answer = api.post(request["path"], body_here(request, a_place()))
    assert answer.status_code == 200
    assert list(answer.json()) == ["totalCount", "contents"]
    assert answer.json()["totalCount"] == 3
    # Of names that are published the present ones; those of another version of the original are gone.
    gone = {"nodeId", "publishmentSystemId", "comments", "photos"}
    for record in (published or {"contents": []})["contents"]:
        assert record.keys() - gone <= answer.json()["contents"][0].keys()


@pytest.mark.parametrize("name", LISTS_WITH_COLUMNS)
def test_a_published_list_with_a_slip_is_refused_and_right_without_it(api, name):
    request, _ = sample(name)
    body = body_here(request, a_place())
    assert "columns" in assert_error(api.post(request["path"], body), 400)["message"]
    (rules,) = (body[member] for member in ("wheres", "orders") if member in body)
    rules[0]["column"] = rules[0].pop("columns")
    assert api.post(request["path"], body).json()["totalCount"] == (2 if "wheres" in body else 3)


def test_a_content_is_answered_as_published(api):
    _, published = sample("09-contents-get")
    expected = published["value"]
    channel = ChannelFactory(site=SiteFactory(site_dir="test16"))
    settings = json.loads(expected["settingsXml"])
    wire = {"addUserName": "add_user_name", "lastEditUserName": "last_edit_user_name", "lastEditDate": "last_edit_date",
            "taxis": "taxis", "lastHitsDate": "last_hits_date", "title": "title", "addDate": "add_date",
            "content": "content", "summary": "summary"}  # fmt: skip
    stored = {column: expected[name] for name, column in wire.items()}
    content = ContentFactory(channel=channel, is_checked=True, settings_xml=json.dumps(settings), **stored)
    answered = api.get(f"/api/v1/contents/{channel.site_id}/{channel.pk}/{content.pk}").json()["value"]
    assert sorted(typed(answered)) == sorted(typed(expected))
    own = {"id": content.pk, "channelId": channel.pk, "siteId": channel.site_id}
    own |= {"navigationUrl": f"/test16/contents/{channel.pk}/{content.pk}.html", "settingsXml": answered["settingsXml"]}
    flags = {name: value == "True" for name, value in expected.items() if name.startswith("is")}
    assert answered == expected | own | flags
    assert json.loads(answered["settingsXml"]) == settings


def test_the_published_creation_is_carried_out(api):
    request, published = sample("10-contents-create")
    channel = ChannelFactory()
    answered = api.post(f"/api/v1/contents/{channel.site_id}/{channel.pk}", request["body"]).json()["value"]
    assert set(typed(published["value"])) <= set(typed(answered))
    assert request["body"].items() <= answered.items()
    assert Content.objects.get(pk=answered["id"]).channel_id == channel.pk


def test_the_published_change_is_carried_out(api):
    request, published = sample("37-contents-update")
    content = ContentFactory()
    address = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
    answered = api.put(address, request["body"]).json()["value"]
    assert set(typed(published["value"])) <= set(typed(answered))
    assert request["body"].items() <= answered.items()


def test_the_published_approval_is_carried_out(api):
    request, _ = sample("38-contents-check")
    contents = [ContentFactory() for _ in request["body"]["contents"]]
    site_id = contents[0].site_id
    Content.objects.update(site_id=site_id)
    wanted = [{"channelId": content.channel_id, "id": content.pk} for content in contents]
    body = request["body"] | {"siteId": site_id, "contents": wanted}
    answered = api.post(request["path"], body).json()["contents"]
    assert [record["id"] for record in answered] == [content.pk for content in contents]
    assert all(record["isChecked"] for record in answered)


def test_what_ended_in_a_fault_of_the_original_is_refused_with_a_reason(api):
    request, published = sample("77-wire-contents-create-error")
    channel = ChannelFactory()
    path = request["path"].format(siteId=channel.site_id, channelId=channel.pk)
    body = assert_error(api.send("POST", path, b"title=a"), 400, "body_not_object")
    assert body.keys() & published.keys() == {"message"}


def test_a_request_without_a_key_is_refused_with_a_reason():
    request, _ = sample("80-wire-unauthorized")
    content = ContentFactory()
    place = {"siteId": content.site_id, "channelId": content.channel_id, "id": content.pk}
    path = request["path"].format(**place)
    assert_error(ApiClient().get(path), 401, "key_missing")
    assert ApiClient(ApiKeyFactory().token).get(path).status_code == 200
