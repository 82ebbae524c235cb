"""Which sites a key reaches: its own list, and its owner's sites below the highest rank."""

import re
from datetime import datetime, timedelta

import pytest

from contents.models import Content, ContentBody
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, ChannelFactory, ContentFactory
from tests.wire.addresses import creation, single

pytestmark = pytest.mark.django_db
MISSING = 10**9


def calls(content, site_id):
    """Every way to name a site: method, path, body."""
    return [
        ("GET", single(content, site=site_id), None),
        ("PUT", single(content, site=site_id), {}),
        ("POST", creation(content.channel, site_id=site_id), {"title": "Launch"}),
        ("POST", "/api/v1/contents", {"siteId": site_id}),
        ("POST", "/api/v1/contents/check", {"siteId": site_id, "contents": []}),
        ("DELETE", single(content, site=site_id), None),
    ]


def assert_reaches(client, content):
    for method, path, body in calls(content, content.site_id):
        assert client._send(method, path, body).status_code == 200, (method, path)


def assert_does_not_reach(client, content, site_id):
    for method, path, body in calls(content, site_id):
        response = client._send(method, path, body)
        message = assert_error(response, 401, "site_not_allowed")["message"]
        assert message == f"The API key does not reach site {site_id}."


def test_a_key_of_the_highest_rank_without_a_list_reaches_every_site(client_with_key):
    client = client_with_key(scopes="Contents")
    for _ in range(2):
        assert_reaches(client, ContentFactory())
    assert_error(client.get(f"/api/v1/contents/{MISSING}/1/1"), 404, "site_not_found")


def test_a_key_with_a_list_reaches_the_listed_sites_only(client_with_key):
    one, two, other = ContentFactory(), ContentFactory(), ContentFactory()
    client = client_with_key(scopes="Contents", site_ids=f"{one.site_id}, {two.site_id}")
    assert_reaches(client, one)
    assert_reaches(client, two)
    assert_does_not_reach(client, other, other.site_id)
    assert_does_not_reach(client, other, MISSING)


def test_a_content_of_another_site_is_not_reached_through_an_own_one(client_with_key):
    own, other = ContentFactory(), ContentFactory()
    client = client_with_key(scopes="Contents", site_ids=str(own.site_id))
    path = single(other, site=own.site_id)
    assert_error(client.get(path), 404, "channel_not_found")
    assert_error(client.delete(path), 404, "channel_not_found")
    path = single(other, site=own.site_id, channel=own.channel_id)
    assert_error(client.put(path, {"title": "x"}), 404, "content_not_found")
    assert_error(client.post("/api/v1/contents", {"siteId": own.site_id, "channelId": other.channel_id}), 400)


STATES = {
    "approved": {"is_checked": True},
    "approved, with a link": {"is_checked": True, "link_url": "https://canary.example/"},
    "not approved": {"is_checked": False},
    "in the trash": {"is_checked": True, "trashed_at": datetime(2020, 1, 1)},
}


def answers_on_a_reference(client, channel, target):
    """All that is answered on a content that refers to the target, which is created for it."""
    site_id, body = channel.site_id, {"title": "a", "referenceId": target, "sourceId": channel.pk, "isChecked": True}
    body |= {"translateContentType": "Reference", "taxis": 5}
    created = client.post(creation(channel), body)
    pk = created.json()["value"]["id"]
    path, here = f"{creation(channel)}/{pk}", f"siteId={site_id}&contentId={pk}"
    of_address = {"column": "navigationUrl", "operator": "Like", "value": "%canary%"}
    by_address = {"siteId": site_id, "orders": [{"column": "navigationUrl", "desc": True}]}
    answers = [
        created,
        client.put(path, {"title": "b", "referenceId": 0}),
        client.put(path, {"referenceId": target}),
        client.get(path),
        client.get(f"{path}?fields=navigationUrl"),
        client.get(f"/api/v1/contents/{site_id}/{channel.pk}"),
        client.post("/api/v1/contents", {"siteId": site_id}),
        client.post("/api/v1/contents", by_address),
        client.post("/api/v1/contents", by_address | {"wheres": [of_address]}),
        client.get(f"/api/v1/stl/content?{here}&_fields=navigationUrl"),
        client.get(f"/api/v1/stl/content?{here}&type=navigationUrl"),
        client.get(f"/api/v1/stl/content?{here}&type=content"),
        client.get(f"/api/v1/stl/contents?siteId={site_id}&channelId={channel.pk}"),
        client.get(f"/api/v1/stl/a?{here}"),
        client.get(f"/api/v1/channels/{site_id}/{channel.pk}"),
        client.delete(path),
    ]
    its_number = rf'(?<="id":){pk}(?=,)|(?<=/){pk}(?=\.html)'
    return [(one.status_code, re.sub(its_number, "ID", one.content.decode())) for one in answers]


def test_a_reference_tells_nothing_of_another_site(client_with_key, stopped_clock):
    channel = ChannelFactory(pk=MISSING, link_type="LinkToFirstContent")
    client = client_with_key(scopes="Contents,Channels,STL", site_ids=str(channel.site_id))
    target = ContentFactory(content="Secret").pk
    found = {}
    for state, fields in STATES.items():
        Content.objects.filter(pk=target).update(**fields)
        found[state] = answers_on_a_reference(client, channel, target)
    ContentBody.objects.filter(pk=target).delete()
    Content.objects.filter(pk=target).delete()
    missing = answers_on_a_reference(client, channel, target)
    assert [status for status, _ in missing] == [200] * len(missing)
    for state, answers in found.items():
        assert answers == missing, state


def test_an_owner_below_the_highest_rank_limits_the_key_to_the_owners_sites(client_with_key):
    own, other = ContentFactory(), ContentFactory()
    owner = AdministratorFactory(is_superuser=False, site_id_collection=f"{own.site_id},{MISSING}")
    client = client_with_key(scopes="Contents", administrator=owner)
    assert_reaches(client, own)
    assert_does_not_reach(client, other, other.site_id)


@pytest.mark.parametrize("listed", ["", " ", ",", "x", "1.5", "-"])
def test_an_owner_without_sites_reaches_none(client_with_key, listed):
    content = ContentFactory()
    owner = AdministratorFactory(is_superuser=False, site_id_collection=listed)
    client = client_with_key(scopes="Contents", administrator=owner)
    assert_does_not_reach(client, content, content.site_id)
    assert_does_not_reach(client, content, MISSING)


def test_of_the_keys_list_and_the_owners_sites_the_common_ones_count(client_with_key):
    one, two, three = ContentFactory(), ContentFactory(), ContentFactory()
    owner = AdministratorFactory(is_superuser=False, site_id_collection=f"{one.site_id},{two.site_id}")
    client = client_with_key(scopes="Contents", administrator=owner, site_ids=f"{two.site_id},{three.site_id}")
    assert_does_not_reach(client, one, one.site_id)
    assert_reaches(client, two)
    assert_does_not_reach(client, three, three.site_id)


def test_the_sites_of_an_owner_of_the_highest_rank_limit_nothing(client_with_key):
    content = ContentFactory()
    owner = AdministratorFactory(site_id_collection=str(MISSING))
    assert_reaches(client_with_key(scopes="Contents", administrator=owner), content)


def test_deleting_its_only_site_does_not_widen_a_key(client_with_key):
    other = ContentFactory()
    client = client_with_key(scopes="Contents", site_ids=str(MISSING))
    assert_does_not_reach(client, other, other.site_id)
    assert_error(client.get(f"/api/v1/contents/{MISSING}/1/1"), 404, "site_not_found")


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize("scope", ["Channels", "Contents", "Media", "Forms", "STL", "SQL"])
def test_every_scope_with_sites_is_limited(client_with_key, scope):
    client = client_with_key(scopes=scope, site_ids="7")
    assert client.get(f"/api/v1/probe/site/7/{scope}").status_code == 200
    assert_error(client.get(f"/api/v1/probe/site/8/{scope}"), 401, "site_not_allowed")
    assert_error(client.post(f"/api/v1/probe/site/8/{scope}"), 401, "site_not_allowed")


def test_a_rotated_key_keeps_its_limits():
    own, other = ContentFactory(), ContentFactory()
    key = ApiKeyFactory(scopes="Contents", site_ids=str(own.site_id))
    for token in (key.rotate(timedelta(hours=1)), key.token):
        assert_does_not_reach(ApiClient(token), other, other.site_id)
