"""Writers at the same time: numbers are given once, and no change is lost."""

import pytest

from contents.models import Content
from tests.contents.derived import assert_derived
from tests.contents.threads import at_once
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db(transaction=True)


def address(channel):
    return f"/api/v1/contents/{channel.site_id}/{channel.pk}"


def test_twenty_parallel_creates_give_twenty_ids_and_taxis(api):
    channel = ChannelFactory()
    body = {"Title": "news", "tags": "a,b", "IsChecked": True, "CheckedLevel": 10, "videoLength": 1}
    answers = at_once(api.token, *[lambda client: client.post(address(channel), body)] * 20)
    assert [answer.status_code for answer in answers] == [200] * 20
    records = [answer.json()["value"] for answer in answers]
    assert len({record["id"] for record in records}) == 20
    assert sorted(record["taxis"] for record in records) == list(range(1, 21))
    assert_derived()


def test_parallel_creates_above_what_an_import_brought_are_numbered_in_turn(api):
    channel = ChannelFactory()
    ContentFactory(channel=channel, taxis=50)
    answers = at_once(api.token, *[lambda client: client.post(address(channel), {"title": "x"})] * 8)
    assert sorted(answer.json()["value"]["taxis"] for answer in answers) == list(range(51, 59))


def test_parallel_creates_with_new_names_in_any_order_all_succeed(api):
    channels = [ChannelFactory() for _ in range(2)]
    names = [f"n{number}" for number in range(6)]
    acts = [
        lambda client, channel=channels[turn % 2], names=names[turn:] + names[:turn]: client.post(
            address(channel), {"title": "x", "tags": ",".join(names), "groupNameCollection": ",".join(names[::-1])}
        )
        for turn in range(6)
    ]
    assert [answer.status_code for answer in at_once(api.token, *acts)] == [200] * 6
    assert_derived()


def test_of_parallel_deletes_exactly_one_succeeds(api):
    content = ContentFactory()
    path = f"{address(content.channel)}/{content.pk}"
    answers = at_once(api.token, *[lambda client: client.delete(path)] * 8)
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 7
    assert Content.objects.get().version == content.version + 1
    assert_derived()


def test_parallel_updates_of_the_body_each_overwrite_the_one_before(api):
    content = ContentFactory(content="first")
    path = f"{address(content.channel)}/{content.pk}"
    bodies = [f"body {number}" for number in range(8)]
    answers = at_once(api.token, *[lambda client, body=body: client.put(path, {"content": body}) for body in bodies])
    assert [answer.json()["value"]["content"] for answer in answers] == bodies
    overwritten = content.changes.order_by("version").values_list("body_before", flat=True)
    last = api.get(path).json()["value"]["content"]
    assert sorted([*overwritten, last]) == sorted(["first", *bodies])


def test_parallel_updates_of_different_members_lose_nothing(api):
    content = ContentFactory(settings_xml='{"a":0,"b":0}')
    path = f"{address(content.channel)}/{content.pk}"
    changes = [
        {"title": "new"}, {"summary": "new"}, {"isTop": True}, {"tags": "new"}, {"content": "new"},
        {"a": 1}, {"b": 1}, {"c": 1},
    ]  # fmt: skip
    answers = at_once(api.token, *[lambda client, change=change: client.put(path, change) for change in changes])
    assert [answer.status_code for answer in answers] == [200] * len(changes)
    record = api.get(path).json()["value"]
    for change in changes:
        assert record | change == record
    assert Content.objects.get().version == content.version + len(changes)
    assert_derived()


def test_a_parallel_update_and_delete_leave_the_content_in_the_trash(api):
    content = ContentFactory(tags="a")
    path = f"{address(content.channel)}/{content.pk}"
    updated, deleted = at_once(
        api.token, lambda client: client.put(path, {"tags": "b", "isHot": True}), lambda client: client.delete(path)
    )
    assert deleted.status_code == 200
    assert updated.status_code in {200, 404}
    assert Content.objects.get().trashed_at is not None
    assert_derived()


def test_parallel_approvals_in_any_order_all_succeed(api):
    made = [ContentFactory(channel=channel) for channel in [ChannelFactory()] * 6]
    places = [{"channelId": content.channel_id, "id": content.pk} for content in made]
    body = {"siteId": made[0].site_id, "contents": places}
    other = body | {"contents": places[::-1]}
    acts = [lambda client, each=each: client.post("/api/v1/contents/check", each) for each in [body, other] * 3]
    assert [answer.status_code for answer in at_once(api.token, *acts)] == [200] * 6
    assert Content.objects.filter(is_checked=True).count() == 6
    assert_derived()


def test_parallel_creates_and_moves_of_their_channel_leave_every_list_right(api):
    site = SiteFactory()
    parents = [ChannelFactory(site=site) for _ in range(2)]
    moved = ChannelFactory(parent=ChannelFactory(parent=parents[0]))

    def move(client, parent):
        type(moved).objects.filter(pk=moved.parent_id).update(parent=parent)

    creates = [lambda client: client.post(address(moved), {"title": "x", "tags": "a"}).status_code] * 6
    moves = [lambda client, turn=turn: move(client, parents[turn % 2]) for turn in range(4)]
    results = at_once(api.token, *creates, *moves)
    assert results == [200] * 6 + [None] * 4
    assert_derived()


def test_parallel_changes_of_contents_and_moves_of_their_channel_leave_every_list_right(api):
    site = SiteFactory()
    parents = [ChannelFactory(site=site) for _ in range(2)]
    moved = ChannelFactory(parent=parents[0])
    made = [ContentFactory(channel=moved, tags="a") for _ in range(4)]

    def change(client, turn):
        bodies = ({"isTop": bool(number % 2), "tags": f"a,{number}"} for number in range(turn, turn + 8))
        paths = (f"{address(moved)}/{made[(number + turn) % 4].pk}" for number in range(8))
        return {client.put(path, body).status_code for path, body in zip(paths, bodies, strict=True)}

    def move(client, turn):
        return {type(moved).objects.filter(pk=moved.pk).update(parent=parents[(turn + n) % 2]) for n in range(8)}

    acts = [lambda client, act=act, turn=turn: act(client, turn) for act in (change, move) for turn in range(4)]
    assert at_once(api.token, *acts) == [{200}] * 4 + [{1}] * 4
    assert_derived()
