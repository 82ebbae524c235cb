"""`If-Match`: whoever changes a record that is not what they have seen gets 412 and what it is now."""

from http import HTTPStatus

import pytest

from accounts.models import Administrator, User
from channels_app.models import Channel
from contents.models import Content, ContentChange
from tests.assertions import assert_error
from tests.cases import each_once
from tests.contents.threads import at_once
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory, UserFactory
from tests.wire.addresses import single

pytestmark = pytest.mark.django_db
CHANGED, KNOWN = HTTPStatus.PRECONDITION_FAILED, HTTPStatus.NOT_MODIFIED


def content():
    made = ContentFactory()
    return single(made), made, {"title": "Mine"}, {"title": "Theirs"}


def channel():
    made = ChannelFactory(parent=ChannelFactory())
    path = f"/api/v1/channels/{made.site_id}/{made.pk}"
    return path, made, {"channelName": "Mine"}, {"channelName": "Theirs"}


def user():
    made = UserFactory(avatar_url="/a.png")
    return f"/api/v1/users/{made.pk}", made, {"displayName": "Mine"}, {"displayName": "Theirs"}


def administrator():
    made = AdministratorFactory()
    return f"/api/v1/administrators/{made.pk}", made, {"displayName": "Mine"}, {"displayName": "Theirs"}


KINDS = [content, channel, user, administrator]
WITH_VERSION = {content, channel}


@pytest.mark.parametrize("kind", KINDS)
def test_a_put_with_the_present_tag_is_carried_out_and_answers_the_next_one(api, kind):
    path, _record, mine, theirs = kind()
    answer = api.put(path, mine, HTTP_IF_MATCH=api.get(path).headers["ETag"])
    assert answer.status_code == 200
    assert answer.headers["ETag"] == api.get(path).headers["ETag"]
    assert api.get(path).json() == answer.json()
    again = api.put(path, theirs, HTTP_IF_MATCH=f'"x", {answer.headers["ETag"]}')
    assert again.status_code == 200


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_write_with_an_older_tag_is_412_with_the_present_record(api, kind, method):
    path, record, mine, theirs = kind()
    seen = api.get(path).headers["ETag"]
    present = api.put(path, theirs)
    record.refresh_from_db()
    refused = api._send(method, path, mine, HTTP_IF_MATCH=seen)
    body = assert_error(refused, CHANGED, "precondition_failed")
    assert body["value"] == present.json()["value"]
    assert refused.headers["ETag"] == present.headers["ETag"]
    assert body.get("version") == (record.version if kind in WITH_VERSION else None)
    assert api.get(path, HTTP_IF_NONE_MATCH=present.headers["ETag"]).status_code == KNOWN


@pytest.mark.parametrize("kind", KINDS)
def test_a_delete_with_the_present_tag_is_carried_out(api, kind):
    path, _record, _mine, _theirs = kind()
    assert api.delete(path, HTTP_IF_MATCH=api.get(path).headers["ETag"]).status_code == 200
    assert api.get(path).status_code == 404


@pytest.mark.parametrize("kind", KINDS)
def test_any_record_that_is_there_matches_a_star(api, kind):
    path, _record, mine, _theirs = kind()
    assert api.put(path, mine, HTTP_IF_MATCH="*").status_code == 200
    assert api.delete(path, HTTP_IF_MATCH=" * ").status_code == 200
    assert_error(api.put(path, mine, HTTP_IF_MATCH="*"), 404)
    assert_error(api.delete(path, HTTP_IF_MATCH="*"), 404)


@each_once(
    ("kind", KINDS),
    ("sent", ["W/{}", "", "nonsense", '"', '{} "x"', "\x00", "é", "None"]),
)
def test_what_is_no_strong_tag_matches_nothing(api, kind, sent):
    path, _record, mine, _theirs = kind()
    before = api.get(path)
    for refused in (
        api.put(path, mine, HTTP_IF_MATCH=sent.format(before.headers["ETag"])),
        api.delete(path, HTTP_IF_MATCH=sent.format(before.headers["ETag"])),
    ):
        assert_error(refused, CHANGED, "precondition_failed")
    assert api.get(path).content == before.content


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_checks(api, stranger, kind):
    path, _record, mine, _theirs = kind()
    assert_error(stranger.put(path, mine, HTTP_IF_MATCH='"x"'), 401, "key_missing")
    assert_error(api.put(path.rpartition("/")[0] + "/99999", mine, HTTP_IF_MATCH='"x"'), 404)
    assert_error(api.send("PUT", path, b"{", HTTP_IF_MATCH='"x"'), 400, "body_not_object")
    assert_error(api.put(path, mine, HTTP_IF_MATCH='"x"', HTTP_IF_NONE_MATCH="*"), CHANGED)


def test_what_is_refused_with_any_tag_is_refused_for_that(client_with_key):
    root = AdministratorFactory()
    client = client_with_key(administrator=root)
    path = f"/api/v1/administrators/{root.pk}"
    for known in (client.get(path).headers["ETag"], '"of the past"'):
        assert_error(client.delete(path, HTTP_IF_MATCH=known), 400, "last_administrator")
        assert_error(client.put(path, {"isLockedOut": True}, HTTP_IF_MATCH=known), 400, "last_administrator")


def test_a_move_goes_by_the_tag_of_the_channel(api):
    path, made, _mine, theirs = channel()
    seen = api.get(path).headers["ETag"]
    present = api.put(path, theirs).headers["ETag"]
    parents = Channel.objects.get(pk=made.pk).parent_id
    refused = api.post(f"{path}/actions/move", {"parentId": made.site_id}, HTTP_IF_MATCH=seen)
    assert assert_error(refused, CHANGED, "precondition_failed")["version"] == Channel.objects.get(pk=made.pk).version
    assert (refused.headers["ETag"], Channel.objects.get(pk=made.pk).parent_id) == (present, parents)
    moved = api.post(f"{path}/actions/move", {"parentId": made.site_id}, HTTP_IF_MATCH=present)
    assert moved.json()["value"]["parentId"] == made.site_id


def test_the_home_channel_is_meant_by_zero_as_well(api):
    site = SiteFactory()
    path = f"/api/v1/channels/{site.pk}/0"
    tag = api.get(path).headers["ETag"]
    assert api.put(path, {"channelName": "Mine"}, HTTP_IF_MATCH=tag).status_code == 200
    assert_error(api.put(path, {"channelName": "Theirs"}, HTTP_IF_MATCH=tag), CHANGED)


def test_a_refused_change_leaves_no_trace(api):
    made = ContentFactory(title="Launch")
    api.put(single(made), {"title": "Mine"}, HTTP_IF_MATCH='"x"')
    assert not ContentChange.objects.exists()
    assert Content.objects.get() == made
    assert Content.objects.get().version == made.version


def test_hits_that_are_counted_meanwhile_are_a_change_as_well(api):
    made = ContentFactory()
    seen = api.get(single(made)).headers["ETag"]
    Content.objects.update(hits=5)
    body = assert_error(api.put(single(made), {"title": "x"}, HTTP_IF_MATCH=seen), CHANGED)
    assert (body["version"], body["value"]["hits"]) == (made.version, 5)


def test_a_tree_that_is_nested_deeper_than_json_is_written_at_once_is_shown(api):
    parent = top = ChannelFactory()
    for _ in range(260):
        parent = Channel(
            site=top.site, parent=parent, channel_name="x", taxis=parent.taxis + 1, parents_path="x", is_last_node=True
        )
        parent.save()
    path = f"/api/v1/channels/{top.site_id}/{top.pk}"
    refused = api.put(path, {"channelName": "x"}, HTTP_IF_MATCH='"x"')
    assert refused.status_code == CHANGED
    assert refused.content.count(b'"children":[') == 261


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", KINDS)
def test_of_parallel_writers_who_have_seen_the_same_exactly_one_succeeds(api, kind):
    path, _record, mine, theirs = kind()
    seen = api.get(path).headers["ETag"]

    def put(body):
        return lambda client: client.put(path, body, HTTP_IF_MATCH=seen).status_code

    assert sorted(at_once(api.token, *[put(mine), put(theirs)] * 4)) == [200] + [CHANGED] * 7


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", KINDS)
def test_a_parallel_put_and_delete_of_the_same_state_are_one_change(api, kind):
    path, record, mine, _theirs = kind()
    seen = api.get(path).headers["ETag"]
    put, deleted = at_once(
        api.token,
        lambda client: client.put(path, mine, HTTP_IF_MATCH=seen).status_code,
        lambda client: client.delete(path, HTTP_IF_MATCH=seen).status_code,
    )
    assert (put, deleted) in {(200, CHANGED), (CHANGED, 200), (404, 200)}
    assert type(record) in {Content, Channel, User, Administrator}


@pytest.mark.django_db(transaction=True)
def test_parallel_moves_and_changes_of_a_channel_of_the_same_state_are_one_change(api):
    path, made, mine, _theirs = channel()
    seen = api.get(path).headers["ETag"]

    def move(client):
        return client.post(f"{path}/actions/move", {"parentId": made.site_id}, HTTP_IF_MATCH=seen).status_code

    def put(client):
        return client.put(path, mine, HTTP_IF_MATCH=seen).status_code

    assert sorted(at_once(api.token, move, put, move, put)) == [200] + [CHANGED] * 3
