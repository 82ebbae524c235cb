"""`include`: the channels and the referenced contents of contents, in the same response."""

from datetime import datetime
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel
from contents.api.including import CONTENT_MEMBERS
from contents.models import Content
from tests.assertions import assert_error
from tests.contents.asking import PATH, query
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world as shared_world

pytestmark = pytest.mark.django_db


@shared_world
def world():
    """A content that refers to an approved one in another channel of the site."""
    news = ChannelFactory(channel_name="News", index_name="news")
    site = news.site
    target = ContentFactory(
        channel=ChannelFactory(site=site), title="Target", summary="Short", content="Long", is_checked=True
    )
    content = ContentFactory(channel=news, title="Referring", is_checked=True, reference_id=target.pk)
    return SimpleNamespace(site=site, news=news, target=target, content=content)


def address(content, *more):
    return "/".join(map(str, ("/api/v1/contents", content.site_id, content.channel_id, *more)))


def answers(api, world, *include):
    """Channels and references in `included`, in every read and list."""
    single, site = address(world.content, world.content.pk), f"/api/v1/contents/{world.site.pk}"
    rule = {"column": "title", "value": "Referring"}
    body = {"siteId": world.site.pk, "wheres": [rule], "include": list(include), "fields": ["title"]}
    asked = {"include": ",".join(include), "fields": "title"}
    for response in (
        query(api, single, **asked),
        query(api, address(world.content), **asked),
        query(api, site, title="Referring", **asked),
        api.post(PATH, body),
    ):
        assert response.status_code == 200, response.content
        found = response.json()
        record = found.get("value", found.get("contents"))
        assert record in ({"title": "Referring"}, [{"title": "Referring"}])
        yield found.get("included")


def test_the_channel_and_the_reference_are_included(api, world):
    channel, target = api.get(f"/api/v1/channels/{world.site.pk}/{world.news.pk}").json()["value"], world.target
    record = api.get(address(target, target.pk)).json()["value"]
    shown = {name: channel[name] for name in ("id", "channelName", "indexName", "parentId", "navigationUrl")}
    for included in answers(api, world, "channel", "Reference"):
        assert included == {
            "channels": {str(world.news.pk): shown},
            "references": {str(target.pk): included_of(record)},
        }
    for included in answers(api, world, "reference"):
        assert included == {"references": {str(target.pk): included_of(record)}}


def included_of(record):
    return {name: record[name] for name in CONTENT_MEMBERS}


@pytest.mark.parametrize("include", [(), ("",)])
def test_nothing_is_included_unless_it_is_asked_for(api, world, include):
    assert set(answers(api, world, *include)) == {None}


def leave(world):
    return {
        "unapproved": lambda: Content.objects.filter(pk=world.target.pk).update(is_checked=False),
        "trashed": lambda: Content.objects.filter(pk=world.target.pk).update(trashed_at=datetime(2020, 1, 1)),
        "of another site": lambda: refer(world, ContentFactory(is_checked=True).pk),
        "none": lambda: refer(world, 0),
        "unknown": lambda: refer(world, 2**62),
    }


def refer(world, number):
    Content.objects.filter(pk=world.content.pk).update(reference_id=number)


@pytest.mark.parametrize("how", ["unapproved", "trashed", "of another site", "none", "unknown"])
def test_only_approved_contents_of_the_site_are_included(api, world, how):
    leave(world)[how]()
    assert list(answers(api, world, "reference")) == [{"references": {}}] * 4


def test_an_empty_list_includes_nothing(api):
    site = SiteFactory()
    body = {"siteId": site.pk, "include": ["channel", "reference"]}
    assert api.post(PATH, body).json()["included"] == {"channels": {}, "references": {}}


def test_an_unknown_name_is_400_and_comes_after_a_missing_place(api, world):
    paths = [address(world.content, world.content.pk), address(world.content), f"/api/v1/contents/{world.site.pk}"]
    body = {"siteId": world.site.pk, "include": ["channel", "author"]}
    for response in (*(query(api, path, include="channel,author") for path in paths), api.post(PATH, body)):
        error = assert_error(response, 400, "invalid_value")
        assert (error["member"], error["message"]) == ("include", "include must be channel, reference or both.")
    Content.objects.filter(pk=world.content.pk).delete()
    Channel.objects.filter(pk=world.news.pk).delete()
    for path in paths[:2]:
        assert_error(query(api, path, include="author"), 404, "channel_not_found")


def test_channels_need_their_own_scope(client_with_key, world):
    contents, both = client_with_key(scopes="Contents:read"), client_with_key(scopes="Contents:read,Channels:read")
    path = address(world.content, world.content.pk)
    for response in (
        query(contents, path, include="channel"),
        query(contents, address(world.content), include="reference,channel"),
        contents.post(PATH, {"siteId": world.site.pk, "include": ["channel"]}),
    ):
        assert assert_error(response, 401, "scope_missing")["scope"] == "Channels:read"
    assert query(contents, path, include="reference").json()["included"]["references"]
    assert query(both, path, include="channel").json()["included"]["channels"]


def test_no_more_than_there_is_can_be_included(api, world):
    refused = api.post(PATH, {"siteId": world.site.pk, "include": ["channel", "reference", "channel"]})
    assert_error(refused, 400, "too_many_entries")


def test_a_draft_comes_alone(api, world):
    path = address(world.content, world.content.pk)
    assert api.put(path, {"isDraft": True, "title": "Later"}).status_code == 200
    assert_error(query(api, path, version="draft", include="channel"), 400, "invalid_value")


def test_the_tag_depends_on_what_is_included(api, world):
    path = f"{address(world.content, world.content.pk)}?include=channel,reference"
    tag = api.get(path)["ETag"]
    assert api.get(path, headers={"If-None-Match": tag}).status_code == 304
    for change in (
        lambda: api.put(address(world.target, world.target.pk), {"summary": "Shorter"}),
        lambda: api.put(f"/api/v1/channels/{world.site.pk}/{world.news.pk}", {"channelName": "Recent news"}),
    ):
        assert change().status_code == 200
        response = api.get(path, headers={"If-None-Match": tag})
        assert response.status_code == 200
        tag = response["ETag"]


def test_statements_do_not_grow_with_the_list(api, world):
    body = {"siteId": world.site.pk, "checked": True, "perPage": 100}

    def statements(**more):
        with CaptureQueriesContext(connection) as captured:
            assert api.post(PATH, body | more).status_code == 200
        return len(captured)

    statements(include=["channel"])  # the tree is kept from now on
    few = statements(include=["channel", "reference"])
    assert few - statements() == 2
    for _each in range(10):
        target = ContentFactory(channel=world.news, is_checked=True)
        ContentFactory(channel=world.news, is_checked=True, reference_id=target.pk)
    plain = statements()
    assert statements(include=["channel", "reference"]) - plain == 2
