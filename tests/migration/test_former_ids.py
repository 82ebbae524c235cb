"""Clients go on sending the ids that contents had in SiteServer."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.models import Content
from contents.services.trash import purge_contents
from contents.storing.locking import Seen
from tests.assertions import assert_error
from tests.factories import ContentFactory
from tests.migration.test_second_run import row

_FIRST, _OLD = "/api/v1/contents/36/37/1", "/api/v1/contents/36/38"


@pytest.fixture
def migrated(moved, small):
    return moved(small)


def content(title):
    return Content.objects.get(title=title)


def first():
    return content("同号的另一篇")


def statements_of(call, table="migration_migratedrecord"):
    with CaptureQueriesContext(connection) as statements:
        response = call()
    return response, [each["sql"] for each in statements if table in each["sql"]]


# ---- one content


def test_a_read_answers_the_content_with_its_present_id(api, migrated):
    pk = first().pk
    assert pk > 7
    answer = api.get(_FIRST)
    assert answer.status_code == 200
    assert (answer.json()["value"]["id"], answer.json()["value"]["title"]) == (pk, "同号的另一篇")
    present = api.get(f"/api/v1/contents/36/37/{pk}")
    assert answer.content == present.content
    assert answer.headers["ETag"] == present.headers["ETag"]
    assert api.get(_FIRST, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_a_change_changes_it_and_no_other(api, migrated):
    others = list(Content.objects.exclude(pk=first().pk).order_by("pk").values_list("pk", "title", "version"))
    tag = api.get(_FIRST).headers["ETag"]
    answer = api.put(_FIRST, {"title": "New", "content": "<p>new</p>"}, headers={"If-Match": tag})
    assert answer.status_code == 200
    found = content("New")
    assert (answer.json()["value"]["id"], found.channel_id, found.version) == (found.pk, 37, 2)
    assert found.body.text == "<p>new</p>"
    assert list(Content.objects.exclude(pk=found.pk).order_by("pk").values_list("pk", "title", "version")) == others
    assert_error(api.put(_FIRST, {"title": "Late"}, headers={"If-Match": tag}), 412)
    assert_error(api.put(_FIRST, {"title": ""}), 400)


def test_a_deletion_deletes_it_once(api, migrated):
    pk = first().pk
    assert api.delete(_FIRST).json()["value"]["id"] == pk
    assert Content.objects.get(pk=pk).trashed_at
    live = Content.objects.live().count()
    assert_error(api.delete(_FIRST), 404, "content_not_found")
    assert Content.objects.live().count() == live


def test_aliases_previews_schedules_and_drafts_take_it(api, migrated):
    pk = first().pk
    assert api.post(f"{_FIRST}/actions/update", {"title": "By v7"}).json()["id"] == pk
    key = {"Idempotency-Key": "once"}
    made = api.post(f"{_FIRST}/preview", headers=key)
    assert api.get(f"/api/v1/previews/{made.json()['value']['token']}").json()["value"]["id"] == pk
    assert api.post(f"{_FIRST}/preview", headers=key).content == made.content
    assert api.put(_FIRST, {"unpublishAt": "2999-01-01 00:00:00"}).status_code == 200
    assert api.get(f"{_FIRST}/schedule").json()["value"]["unpublishAt"] == "2999-01-01 00:00:00"
    assert api.delete(f"{_FIRST}/schedule").status_code == 200
    assert api.put(_FIRST, {"title": "Draft", "isDraft": True}).json()["value"]["id"] == pk
    assert api.get(f"{_FIRST}?version=draft").json()["value"]["title"] == "Draft"
    assert api.delete(f"{_FIRST}?version=draft").status_code == 200
    assert api.post(f"{_FIRST}/actions/delete").json()["id"] == pk


# ---- several contents


@pytest.mark.parametrize("is_atomic", [True, False])
def test_batches_take_former_and_present_ids(api, migrated, is_atomic):
    second, third = content("潮汐“早报”").pk, content("引用国内稿件").pk
    changes = [{"id": 2, "title": "Two"}, {"id": 6, "title": "Six"}, {"id": third, "title": "Three"}]
    answer = api.put(f"{_OLD}/batch", {"contents": changes, "atomic": is_atomic, "fields": ["id", "title"]})
    assert answer.status_code == 200, answer.content
    shown = answer.json()["contents"] if is_atomic else [each["content"] for each in answer.json()["results"]]
    assert [(each["id"], each["title"]) for each in shown] == [(second, "Two"), (6, "Six"), (third, "Three")]
    for action, more in (("check", {}), ("move", {"targetChannelId": 36}), ("delete", {})):
        place = _OLD if action != "delete" else "/api/v1/contents/36/36"
        asked = {"ids": [3, 6, second], "atomic": is_atomic} | more
        answer = api.post(f"{place}/batch/{action}", asked)
        assert answer.status_code == 200, answer.content
        shown = answer.json()["contents"] if is_atomic else [each["content"] for each in answer.json()["results"]]
        assert [each["id"] for each in shown] == [third, 6, second]
    taxes = Content.objects.filter(pk__in=[third, 6, second]).order_by("taxis")
    assert list(taxes.values_list("pk", flat=True)) == [third, 6, second]


def test_a_batch_names_one_content_once_and_the_missing_ones(api, migrated):
    pk = content("潮汐“早报”").pk
    assert_error(api.post(f"{_OLD}/batch/check", {"ids": [2, pk]}), 400, "duplicate_entry")
    answer = api.post(f"{_OLD}/batch/delete", {"ids": [2, 4711, 1], "atomic": False})
    assert [each["status"] for each in answer.json()["results"]] == [200, 404, 404]
    answer = api.post(f"{_OLD}/batch/delete", {"ids": [3, 4711]})
    assert_error(answer, 404, "content_not_found")
    assert answer.json()["position"] == 1
    assert content("引用国内稿件").trashed_at is None


def test_an_approval_finds_them_in_the_order_of_the_request(api, migrated):
    Content.objects.filter(site_id=36).update(is_checked=False)
    places = [{"channelId": 38, "id": 6}, {"channelId": 37, "id": 1}, {"channelId": 38, "id": 4711}]
    answer = api.post("/api/v1/contents/check", {"siteId": 36, "contents": places})
    assert [each["id"] for each in answer.json()["contents"]] == [6, first().pk]
    assert first().is_checked
    assert not content("潮汐“早报”").is_checked


# ---- template values


@pytest.mark.parametrize("channel", ["&channelId=37", "&channelId=36", "&channelIndex=cn", ""])
def test_template_values_take_it(api, migrated, channel):
    query = f"siteId=36&contentId=1{channel}"
    assert api.get(f"/api/v1/stl/content?{query}").json()["value"]["id"] == first().pk
    assert api.get(f"/api/v1/stl/content?{query}&type=title").json()["value"] == "同号的另一篇"
    assert (
        api.get(f"/api/v1/stl/a?siteId=36&contentId=1{channel}&context=content").json()["value"]
        == (api.get(_FIRST).json()["value"]["navigationUrl"])
    )


def test_template_values_of_another_channel_or_site_are_null(api, migrated):
    for place in ("siteId=36&channelId=38", "siteId=1&channelId=37", "siteId=1&channelId=3"):
        assert api.get(f"/api/v1/stl/content?{place}&contentId=1").json()["value"] is None
    assert api.get("/api/v1/stl/content?siteId=1&contentId=1").json()["value"]["title"] == "年度报告"


# ---- what it never does


def test_a_key_sees_no_more_than_by_the_present_id(client_with_key, migrated):
    other = client_with_key(scopes="Contents:read", site_ids="1")
    assert_error(other.get(_FIRST), 401)
    assert_error(other.get("/api/v1/contents/1/37/1"), 404, "channel_not_found")
    assert_error(other.get("/api/v1/contents/1/3/1"), 404, "content_not_found")
    reading = client_with_key(scopes="Contents:read", site_ids="36")
    assert reading.get(_FIRST).status_code == 200
    assert_error(reading.delete(_FIRST), 401)


def test_it_follows_the_content_to_another_channel(api, migrated):
    pk = first().pk
    assert api.post("/api/v1/contents/36/37/batch/move", {"ids": [1], "targetChannelId": 38}).status_code == 200
    assert_error(api.get(_FIRST), 404, "content_not_found")
    assert api.get(f"{_OLD}/1").json()["value"]["id"] == pk


def test_a_content_that_moved_in_gives_way_to_the_one_of_the_channel(api, moved, small):
    plugin = [row(small, "siteserver_Content_36", 1) | {"Id": 2, "ChannelId": 37, "Title": "of the plug-in"}]
    moved(small | {"plugin_content": plugin})
    own, other = content("潮汐“早报”").pk, content("of the plug-in").pk
    assert api.get("/api/v1/contents/36/37/2").json()["value"]["id"] == other
    assert api.get("/api/v1/stl/content?siteId=36&channelId=37&contentId=2").json()["value"]["id"] == other
    assert api.get("/api/v1/stl/content?siteId=36&channelId=38&contentId=2").json()["value"]["id"] == own
    api.post("/api/v1/contents/36/37/batch/move", {"ids": [other], "targetChannelId": 38})
    assert_error(api.delete(f"{_OLD}/2"), 404, "content_not_found")  # either of them might be meant
    assert api.get(f"{_OLD}/{other}").status_code == api.get(f"{_OLD}/{own}").status_code == 200


@pytest.mark.parametrize("is_purged", [False, True])
def test_a_deleted_content_is_not_taken_for_another_table_s(api, moved, small, is_purged):
    twin = row(small, "siteserver_Content_1", 1) | {"Title": "twin"}
    moved(small | {"plugin_content": [twin]})
    assert content("twin").pk > 7
    assert api.get("/api/v1/contents/1/2/1").json()["value"]["title"] == "年度报告"
    assert api.delete("/api/v1/contents/1/2/1").status_code == 200
    if is_purged:
        purge_contents([Seen(1, 1)])
    assert_error(api.delete("/api/v1/contents/1/2/1"), 404, "content_not_found")
    assert content("twin").trashed_at is None


def test_a_content_made_here_is_not_taken_for_one_of_siteserver(api, migrated):
    made = api.post("/api/v1/contents/36/37", {"title": "made here"}).json()["value"]["id"]
    assert made > first().pk
    assert_error(api.get(f"/api/v1/contents/36/37/{made + 1}"), 404)


def test_a_later_run_and_the_trash_keep_it(api, moved, small):
    moved(small)
    row(small, "siteserver_Content_36", 1).update(Title="renamed", ChannelId=38)
    moved(small)
    assert_error(api.get(_FIRST), 404)
    assert api.get(f"{_OLD}/1").json()["value"]["title"] == "renamed"


# ---- what it costs


def test_ids_that_exist_cost_nothing(api, migrated, settings):
    settings.FORMER_IDS = "no.such.module"
    content_id = first().pk
    place = f"/api/v1/contents/36/37/{content_id}"
    calls = [
        lambda: api.get(place),
        lambda: api.put(place, {"title": "New"}),
        lambda: api.get(f"{place}/schedule"),
        lambda: api.post("/api/v1/contents/36/37/batch/check", {"ids": [content_id]}),
        lambda: api.post("/api/v1/contents/check", {"siteId": 36, "contents": [{"channelId": 37, "id": content_id}]}),
        lambda: api.get(f"/api/v1/stl/content?siteId=36&channelId=37&contentId={content_id}"),
        lambda: api.get(f"/api/v1/stl/a?siteId=36&contentId={content_id}"),
        lambda: api.delete(place),
    ]
    for call in calls:
        response, asked = statements_of(call)
        assert (response.status_code, asked) == (200, [])


def test_a_miss_costs_one_statement_where_nothing_was_migrated(api):
    found = ContentFactory()
    site, channel = found.site_id, found.channel_id
    ids = [found.pk + 1, found.pk + 2]
    calls = [
        lambda: api.get(f"/api/v1/contents/{site}/{channel}/{ids[0]}"),
        lambda: api.delete(f"/api/v1/contents/{site}/{channel}/{ids[0]}"),
        lambda: api.post(f"/api/v1/contents/{site}/{channel}/batch/check", {"ids": ids, "atomic": False}),
        lambda: api.post(
            "/api/v1/contents/check", {"siteId": site, "contents": [{"channelId": channel, "id": pk} for pk in ids]}
        ),
    ]
    for call in calls:
        _response, asked = statements_of(call)
        assert len(asked) == 1
