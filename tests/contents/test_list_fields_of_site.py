"""`GET /sites/{siteId}/fields`: the custom fields of a site."""

import pytest

from contents.models import CustomField
from tests.assertions import assert_error
from tests.contents.asking import query
from tests.factories import ChannelFactory, SiteFactory

pytestmark = pytest.mark.django_db
PLAIN = {"label": "", "kind": "line", "options": [], "helpText": "", "taxis": 0, "isOffered": True}


def address(site):
    return f"/api/v1/sites/{site.pk}/fields"


def field(site, name, **described):
    return CustomField.objects.create(site=site, name=name, folded_name=name.casefold(), **described)


def test_every_field_is_described(api):
    site = SiteFactory()
    field(
        site,
        "pier",
        label="码头",
        kind="choice",
        choices="North\r\n\n South ",
        help_text="Where it lies",
        taxis=3,
        is_offered=False,
    )
    described = {"label": "码头", "kind": "choice", "options": ["North", "South"], "helpText": "Where it lies"}
    assert api.get(address(site)).json() == {"value": [{"name": "pier", **described, "taxis": 3, "isOffered": False}]}


def test_a_field_that_a_content_gets_is_listed_without_records_of_decisions(api):
    channel = ChannelFactory()
    path = f"/api/v1/contents/{channel.site_id}/{channel.pk}"
    for name in ("Berth", "check_reasons", "TitleFormatString"):
        assert api.post(path, {"title": "a", name: "x"}).status_code == 200
    assert api.get(address(channel.site)).json()["value"] == [{"name": "berth", **PLAIN}]


def test_is_in_pages_if_asked_for(api):
    site = SiteFactory()
    for name in "abc":
        field(site, name)
    field(SiteFactory(), "other")
    assert [each["name"] for each in api.get(address(site)).json()["value"]] == ["a", "b", "c"]
    page = query(api, address(site), top=2, skip=1).json()
    assert ([each["name"] for each in page["value"]], page["count"]) == (["b", "c"], 3)


def test_needs_a_key_that_may_read_contents_of_an_existing_site(api, client_with_key):
    site = SiteFactory()
    assert client_with_key(scopes="Contents:read").get(address(site)).json() == {"value": []}
    assert_error(client_with_key(scopes="STL,Channels").get(address(site)), 401, "scope_missing")
    elsewhere = client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk))
    assert_error(elsewhere.get(address(site)), 401, "site_not_allowed")
    assert_error(api.get("/api/v1/sites/1000000000/fields"), 404, "site_not_found")
