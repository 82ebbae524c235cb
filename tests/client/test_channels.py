"""Channels through both clients, against a real server."""

import pytest
from cms_client import NotFound

NEWS = 11


def below(channels):
    """The ids of channels and of everything below them."""
    return {channel["id"] for channel in channels} | {each for one in channels for each in below(one["children"])}


def test_a_channel_lives_and_moves(client):
    made = client.channels.create(1, {"parentId": NEWS, "channelName": "Lighthouse log"})
    assert made["parentId"] == NEWS
    changed = client.channels.update(1, made["id"], {"keywords": "lamp,灯"})
    assert changed["keywords"] == "lamp,灯"
    assert client.channels.get(1, made["id"]) == changed

    moved = client.channels.move(1, made["id"], parent_id=1, before=NEWS)
    assert moved["parentId"] == 1
    order = [channel["id"] for channel in client.channels.tree(1)]
    assert order.index(made["id"]) == order.index(NEWS) - 1
    client.channels.move(1, made["id"])
    assert client.channels.tree(1)[-1]["id"] == made["id"]

    assert client.channels.delete(1, made["id"])["channelName"] == "Lighthouse log"
    assert made["id"] not in below(client.channels.tree(1))
    with pytest.raises(NotFound):
        client.channels.get(1, made["id"])
