"""The order of checks: route and verb, then the key, then the path, then the rest."""

import pytest

from contents.models import Content
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.wire.addresses import creation, single

BAD_BODY = b"{"
pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def test_the_key_comes_before_a_missing_record(stranger):
    assert_error(stranger.get("/api/v1/contents/0/0/0"), 401, "key_missing")


def test_the_key_comes_before_the_body(stranger):
    channel = ChannelFactory()
    assert_error(stranger.send("POST", creation(channel), BAD_BODY), 401, "key_missing")
    assert_error(stranger.send("POST", "/api/v1/contents", BAD_BODY), 401, "key_missing")


def test_the_scope_comes_before_a_missing_record(client_with_key):
    assert_error(client_with_key(scopes="STL").get("/api/v1/contents/0/0/0"), 401, "scope_missing")


def test_the_scope_comes_before_the_site(client_with_key):
    client = client_with_key(scopes="STL", site_ids="7")
    assert_error(client.get("/api/v1/contents/8/0/0"), 401, "scope_missing")


def test_the_reach_of_the_key_comes_before_the_body(client_with_key):
    channel = ChannelFactory()
    client = client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk))
    assert_error(client.send("POST", creation(channel), BAD_BODY), 401, "site_not_allowed")


@pytest.mark.parametrize("exists", [True, False])
def test_a_key_learns_nothing_of_sites_beyond_its_reach(client_with_key, exists):
    own, other = SiteFactory(), SiteFactory()
    client = client_with_key(scopes="Contents", site_ids=str(own.pk))
    site_id = other.pk if exists else other.pk + 1
    by_path = assert_error(client.get(f"/api/v1/contents/{site_id}/1/1"), 401, "site_not_allowed")
    by_body = assert_error(client.post("/api/v1/contents", {"siteId": site_id}), 401, "site_not_allowed")
    assert by_path["message"] == by_body["message"] == f"The API key does not reach site {site_id}."


def test_the_path_comes_before_the_body(api):
    channel = ChannelFactory()
    other = SiteFactory()
    assert_error(api.send("POST", creation(channel, site_id=other.pk), BAD_BODY), 404, "channel_not_found")
    assert_error(api.send("POST", "/api/v1/contents/0/0", BAD_BODY), 404, "site_not_found")
    assert_error(api.send("PUT", "/api/v1/contents/0/0/0", BAD_BODY), 404, "site_not_found")


def test_the_body_is_last(api):
    content = ContentFactory(title="Launch")
    assert_error(api.send("POST", creation(content.channel), BAD_BODY), 400, "body_not_object")
    assert_error(api.send("PUT", single(content), BAD_BODY), 400, "body_not_object")
    assert list(Content.objects.values_list("title", flat=True)) == ["Launch"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_content_is_not_found_through_another_channel(api, method):
    content = ContentFactory()
    sibling = ChannelFactory(site=content.site)
    response = api.send(method, single(content, channel=sibling.pk), b"{}")
    assert_error(response, 404, "content_not_found")
    assert api.get(single(content)).status_code == 200


@pytest.mark.parametrize(
    ("named", "code"),
    [({"siteId": 0}, "site_not_found"), ({"channelId": -7}, "channel_not_found")],
)
def test_what_a_body_names_and_does_not_exist_is_400(api, named, code):
    body = {"siteId": SiteFactory().pk} | named
    message = assert_error(api.post("/api/v1/contents", body), 400, code)["message"]
    assert f" {next(iter(named.values()))} was not found" in message


@pytest.mark.parametrize("path", ["/api/v1/contents", "/api/v1/contents/check"])
def test_a_site_out_of_reach_is_401_whatever_else_is_wrong_with_the_body(client_with_key, path):
    own, other = SiteFactory(), SiteFactory()
    limited = client_with_key(scopes="Contents:write", site_ids=str(own.pk))
    body = {"siteId": other.pk, "perPage": 10**6, "wheres": [5], "contents": "x"}
    assert_error(limited.post(path, body), 401, "site_not_allowed")
