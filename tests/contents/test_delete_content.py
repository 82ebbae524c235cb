"""`DELETE /contents/{siteId}/{channelId}/{id}`."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.models import Content, ContentBody
from contents.services.single import trash_content
from tests.assertions import assert_error
from tests.contents.asking import read
from tests.factories import ChannelFactory, ContentFactory, SiteFactory


def address(content, site=None, channel=None, id=None):
    place = [content.site_id if site is None else site, content.channel_id if channel is None else channel]
    return "/api/v1/contents/{}/{}/{}".format(*place, content.pk if id is None else id)


@pytest.fixture
def content(db):
    return ContentFactory(
        title="gone", is_checked=True, is_top=True, tags="t", group_name_collection="g", content="<p>x</p>",
        settings_xml='{"width":12}',
    )  # fmt: skip


def test_answers_the_content_as_it_was(api, content):
    record = api.get(address(content)).json()
    response = api.delete(address(content))
    assert response.status_code == 200
    assert response.json() == record
    assert record["value"]["content"] == "<p>x</p>"
    assert record["value"]["navigationUrl"].endswith(f"/{content.pk}.html")


def test_it_is_gone_from_every_read_list_and_count_at_once(api, content):
    kept = ContentFactory(channel=content.channel, title="kept", is_checked=True, tags="t", group_name_collection="g")
    api.delete(address(content))
    again = [api.get(address(content)), api.put(address(content), {"title": "x"}), api.delete(address(content))]
    for answer in again:
        assert_error(answer, 404, "content_not_found")
    rule = {"column": "id", "operator": ">", "value": 0}
    for more in [
        {},
        {"channelId": content.channel_id},
        {"checked": True},
        {"tagNames": ["t"]},
        {"groupNames": ["g"]},
        {"tagNames": ["t"], "groupNames": ["g"]},
        {"wheres": [rule]},
        {"orders": [{"column": "addDate", "desc": True}]},
    ]:
        answer = read(api, content.site, **more)
        assert answer["totalCount"] == 1, more
        assert [record["id"] for record in answer["contents"]] == [kept.pk], more
    body = {"siteId": content.site_id, "contents": [{"channelId": content.channel_id, "id": content.pk}]}
    assert api.post("/api/v1/contents/check", body).json()["contents"] == []


def test_it_is_kept_in_the_trash(api, content):
    api.delete(address(content))
    trashed = Content.objects.get(pk=content.pk)
    assert trashed.trashed_at is not None
    assert trashed.version == content.version + 1
    assert (trashed.title, trashed.settings_xml, trashed.tags) == ("gone", '{"width":12}', "t")
    assert ContentBody.objects.get(pk=content.pk).text == "<p>x</p>"


def test_its_number_and_place_are_not_given_to_the_next(api, content):
    address_of_channel = f"/api/v1/contents/{content.site_id}/{content.channel_id}"
    first = api.post(address_of_channel, {"title": "a"}).json()["value"]
    api.delete(f"{address_of_channel}/{first['id']}")
    second = api.post(address_of_channel, {"title": "a"}).json()["value"]
    assert second["id"] > first["id"]
    assert second["taxis"] > first["taxis"]


def test_nothing_else_is_touched(api, content):
    others = [ContentFactory(channel=content.channel), ContentFactory()]
    before = list(Content.objects.filter(pk__in=[other.pk for other in others]).values())
    api.delete(address(content))
    assert list(Content.objects.filter(trashed_at=None).values()) == before


@pytest.mark.parametrize("body", [b"", b"{}", b"nonsense"])
def test_a_body_does_not_matter(api, content, body):
    response = api.send("DELETE", address(content), body, "application/json;charset=UTF-8")
    assert response.status_code == 200


def test_is_404_outside_its_site_and_channel(api, content):
    other, sibling = ContentFactory(), ChannelFactory(site=content.site)
    for place, code in [
        ({"site": 10**9}, "site_not_found"),
        ({"site": other.site_id}, "channel_not_found"),
        ({"channel": 10**9}, "channel_not_found"),
        ({"channel": sibling.pk}, "content_not_found"),
        ({"channel": content.site_id}, "content_not_found"),
        ({"id": 0}, "content_not_found"),
        ({"id": other.pk}, "content_not_found"),
    ]:
        assert_error(api.delete(address(content, **place)), 404, code)
    assert not Content.objects.exclude(trashed_at=None).exists()


def test_needs_a_key_that_may_write_to_the_site(stranger, client_with_key, content):
    for client, code in [
        (stranger, "key_missing"),
        (client_with_key(scopes="Contents:read"), "scope_missing"),
        (client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk)), "site_not_allowed"),
    ]:
        assert_error(client.delete(address(content)), 401, code)
    assert not Content.objects.exclude(trashed_at=None).exists()


def test_a_deletion_reads_the_content_once(content):
    with CaptureQueriesContext(connection) as captured:
        trash_content(content.site_id, content.channel_id, content.pk)
    reads = [query["sql"] for query in captured if re.search('^SELECT .* FROM "?contents_content"? ', query["sql"])]
    assert len(reads) == 1
