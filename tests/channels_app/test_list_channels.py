"""`GET /channels/{siteId}`."""

import pytest

from channels_app.services import trash_channel
from tests.assertions import assert_error
from tests.factories import ChannelFactory, SiteFactory

pytestmark = pytest.mark.django_db


def address(site_id):
    return f"/api/v1/channels/{site_id}"


def test_answers_the_channels_below_the_home_channel_with_everything_below_them(api):
    site = SiteFactory()
    a, b = ChannelFactory(site=site), ChannelFactory(site=site)
    c = ChannelFactory(parent=a)
    ChannelFactory()
    response = api.get(address(site.pk))
    assert response.status_code == 200
    assert list(response.json()) == ["value"]
    value = response.json()["value"]
    assert [record["id"] for record in value] == [a.pk, b.pk]
    assert [record["id"] for record in value[0]["children"]] == [c.pk]
    assert value == [api.get(f"{address(site.pk)}/{channel.pk}").json()["value"] for channel in (a, b)]


def test_a_site_without_channels_has_an_empty_list(api):
    assert api.get(address(SiteFactory().pk)).json() == {"value": []}


def test_what_is_in_the_trash_is_left_out(api):
    gone = ChannelFactory()
    stays = ChannelFactory(site=gone.site)
    trash_channel(gone.site_id, gone.pk)
    (record,) = api.get(address(gone.site_id)).json()["value"]
    assert (record["id"], record["taxis"], record["isLastNode"]) == (stays.pk, 2, True)


@pytest.mark.parametrize("site_id", [0, -1, 2**63 - 1])
def test_is_404_for_a_site_that_does_not_exist(api, site_id):
    message = assert_error(api.get(address(site_id)), 404, "site_not_found")["message"]
    assert message == f"Site {site_id} was not found."


def test_needs_the_scope_and_the_site(client_with_key, stranger):
    site = SiteFactory()
    assert_error(stranger.get(address(site.pk)), 401, "key_missing")
    assert_error(client_with_key(scopes="Contents").get(address(site.pk)), 401, "scope_missing")
    elsewhere = client_with_key(scopes="Channels", site_ids=str(SiteFactory().pk))
    assert_error(elsewhere.get(address(site.pk)), 401, "site_not_allowed")
    assert client_with_key(scopes="Channels:read").get(address(site.pk)).status_code == 200
