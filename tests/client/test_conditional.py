"""Reads and changes that depend on what the client knows already."""

import pytest
from cms_client import NotModified, PreconditionFailed

NEWS = 11


@pytest.fixture
def content(client):
    made = client.contents.create(1, NEWS, {"title": "Tide table"})
    yield made
    client.contents.delete(1, NEWS, made["id"])


def test_a_record_that_has_not_changed_is_not_sent(client, content):
    tagged = client.with_etags.contents.get(1, NEWS, content["id"])
    assert tagged.value == client.contents.get(1, NEWS, content["id"])
    with pytest.raises(NotModified) as caught:
        client.contents.get(1, NEWS, content["id"], if_none_match=tagged.etag)
    assert caught.value.etag == tagged.etag
    client.contents.update(1, NEWS, content["id"], {"hits": 1})
    assert client.contents.get(1, NEWS, content["id"], if_none_match=tagged.etag)["hits"] == 1


@pytest.mark.parametrize(
    "read",
    [
        lambda api, **options: api.contents.list(1, NEWS, **options),
        lambda api, **options: api.channels.tree(1, **options),
        lambda api, **options: api.channels.get(1, NEWS, **options),
        lambda api, **options: api.administrators.get(1, **options),
    ],
)
def test_other_reads_likewise(client, read):
    etag = read(client.with_etags).etag
    with pytest.raises(NotModified):
        read(client, if_none_match=etag)


def test_a_change_goes_on_from_the_answer_before(client, content):
    etag = client.with_etags.contents.get(1, NEWS, content["id"]).etag
    for hits in (1, 2):
        tagged = client.with_etags.contents.update(1, NEWS, content["id"], {"hits": hits}, if_match=etag)
        etag = tagged.etag
    assert tagged.value["hits"] == 2


def test_who_comes_late_sees_what_is_there_now(client, content):
    old = client.with_etags.contents.get(1, NEWS, content["id"])
    now = client.with_etags.contents.update(1, NEWS, content["id"], {"summary": "by somebody else"})
    with pytest.raises(PreconditionFailed) as caught:
        client.contents.update(1, NEWS, content["id"], {"summary": "mine"}, if_match=old.etag)
    error = caught.value
    assert error.record == now.value
    assert error.etag == now.etag
    assert error.version == 2
    with pytest.raises(PreconditionFailed):
        client.contents.delete(1, NEWS, content["id"], if_match=old.etag)


def test_accounts_and_channels_have_tags_too(client):
    user = client.users.create({"userName": "reader9", "password": "lantern7"})
    channel = client.channels.create(1, {"channelName": "Pilots"})
    for part, place, members in (
        ("users", (user["id"],), {"interests": "knots"}),
        ("channels", (1, channel["id"]), {"keywords": "knots"}),
    ):
        tagging, plain = getattr(client.with_etags, part), getattr(client, part)
        old = tagging.get(*place).etag
        new = tagging.update(*place, members, if_match=old).etag
        with pytest.raises(PreconditionFailed):
            plain.delete(*place, if_match=old)
        assert plain.delete(*place, if_match=new)["id"] == place[-1]


def test_a_channel_moves_only_from_where_it_was_seen(client):
    channel = client.channels.create(1, {"channelName": "Divers"})
    tagged = client.with_etags.channels.get(1, channel["id"])
    client.channels.move(1, channel["id"], parent_id=NEWS, if_match=tagged.etag)
    with pytest.raises(PreconditionFailed):
        client.channels.move(1, channel["id"], parent_id=1, if_match=tagged.etag)
    client.channels.delete(1, channel["id"])
