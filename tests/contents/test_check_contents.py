"""`POST /contents/check` and `/contents/actions/check`."""

from datetime import datetime

import pytest

from contents.models import Content
from tests.assertions import assert_error
from tests.contents.asking import found, titles
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

PATHS = ["/api/v1/contents/check", "/api/v1/contents/actions/check"]


def place(content):
    return {"channelId": content.channel_id, "id": content.pk}


def check(api, site, *places, path=PATHS[0], missing=(), **more):
    response = api.post(path, {"siteId": site.pk, "contents": list(places), **more})
    assert response.status_code == 200, response.content
    assert response.json() == {"contents": response.json()["contents"]} | ({"missing": [*missing]} if missing else {})
    return response.json()["contents"]


@pytest.mark.parametrize("path", PATHS)
def test_answers_the_approved_records(client_with_key, path):
    api = client_with_key(administrator=AdministratorFactory(user_name="admin"))
    content = ContentFactory(checked_level=2, settings_xml='{"width":12}')
    address = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
    before, started = api.get(address).json()["value"], datetime.now().replace(microsecond=0)
    body = {"siteId": content.site_id, "contents": [place(content)], "reasons": "终审通过"}
    response = api.post(path, body)
    assert response.status_code == 200
    (after,) = response.json()["contents"]
    assert started <= datetime.fromisoformat(after["check_checkdate"]) <= datetime.now()
    added = {
        "check_isadmin": "True",
        "check_username": "admin",
        "check_checkdate": after["check_checkdate"],
        "check_reasons": "终审通过",
    }
    assert after == before | {"isChecked": True, "checkedLevel": 0, "settingsXml": after["settingsXml"]} | added
    assert response.json() == {"contents": [api.get(address).json()["value"]]}
    assert Content.objects.get().version == content.version + 1


def test_several_are_approved_in_the_order_of_the_request(api):
    site = SiteFactory()
    made = [ContentFactory(channel=ChannelFactory(site=site)) for _ in range(3)]
    records = check(api, site, *map(place, [made[2], made[0], made[1], made[0]]))
    assert [record["id"] for record in records] == [made[2].pk, made[0].pk, made[1].pk]
    assert len(titles(api, site, checked=True)) == 3
    assert titles(api, site, checked=False) == []


def test_unknown_ones_are_told(api):
    content, other, trashed = ContentFactory(), ContentFactory(), ContentFactory(trashed_at=datetime(2020, 1, 1))
    sibling = ChannelFactory(site=content.site)
    missing = [
        {"channelId": sibling.pk, "id": content.pk},
        {"channelId": content.site_id, "id": content.pk},
        place(other),
        place(trashed),
        {"channelId": 0, "id": 0},
        {"channelId": -1, "id": 2**63 - 1},
    ]
    sent = [missing[0], place(content), *missing[1:], missing[0]]
    records = check(api, content.site, *sent, missing=missing)
    assert [record["id"] for record in records] == [content.pk]
    assert list(Content.objects.filter(is_checked=True)) == [content]


def test_names_and_numbers_are_read_as_clients_send_them(api):
    content = ContentFactory()
    body = {"SiteId": str(content.site_id), "Contents": [{"ChannelID": str(content.channel_id), "Id": content.pk}]}
    assert len(api.post(PATHS[0], body).json()["contents"]) == 1


def test_who_and_why_can_be_filtered_by(api):
    content = ContentFactory(title="a")
    check(api, content.site, place(content), reasons="it's ok")
    assert found(api, content.site, ("check_reasons", "=", "it's ok")) == "a"


def test_an_approval_again_replaces_the_earlier_one(api):
    content = ContentFactory()
    check(api, content.site, place(content), reasons="one")
    (record,) = check(api, content.site, place(content))
    assert record["check_reasons"] == ""


def test_an_empty_list_approves_nothing(api):
    content = ContentFactory()
    assert check(api, content.site) == []
    assert not Content.objects.filter(is_checked=True).exists()


@pytest.mark.parametrize("body,code,named", [
    ({"contents": []}, "missing_member", "siteId"),
    ({"siteId": None, "contents": []}, "missing_member", "siteId"),
    ({"siteId": ...}, "missing_member", "contents"),
    ({"siteId": ..., "contents": {}}, "invalid_value", "contents"),
    ({"siteId": ..., "contents": [1]}, "invalid_value", "contents"),
    ({"siteId": ..., "contents": [..., {"id": 1}]}, "missing_member", "contents[1]"),
    ({"siteId": ..., "contents": [..., {"channelId": 1}]}, "missing_member", "contents[1]"),
    ({"siteId": ..., "contents": [..., {"channelId": 1, "id": "x"}]}, "invalid_value", "id"),
    ({"siteId": ..., "contents": [...], "reasons": 1}, "invalid_value", "reasons"),
    ({"siteId": ..., "contents": [...], "reasons": "x" * 256}, "invalid_value", "reasons"),
    ({"siteId": ..., "contents": [...] * 1001}, "too_many_entries", "1000"),
    ({"siteId": 10**9, "contents": [...]}, "site_not_found", "1000000000"),
])  # fmt: skip
def test_a_body_that_cannot_be_followed_is_400_and_approves_nothing(api, body, code, named):
    content = ContentFactory()
    if body.get("siteId") is ...:
        body = body | {"siteId": content.site_id}
    if isinstance(body.get("contents"), list):
        body = body | {"contents": [place(content) if each is ... else each for each in body["contents"]]}
    refused = assert_error(api.post(PATHS[0], body), 400, code)
    assert named in refused["message"]
    assert code != "site_not_found" or refused["member"] == "siteId"
    assert not Content.objects.filter(is_checked=True).exists()


def test_needs_a_key_that_may_write_to_the_site(stranger, client_with_key):
    content = ContentFactory()
    body = {"siteId": content.site_id, "contents": [place(content)]}
    for client, code in [
        (stranger, "key_missing"),
        (client_with_key(scopes="Contents:read"), "scope_missing"),
        (client_with_key(scopes="Contents", site_ids=str(SiteFactory().pk)), "site_not_allowed"),
    ]:
        assert_error(client.post(PATHS[0], body), 401, code)
    assert not Content.objects.filter(is_checked=True).exists()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_other_verbs_are_405(api, path, method):
    assert_error(getattr(api, method)(path), 405, "method_not_allowed")
