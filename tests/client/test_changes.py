"""Following changes."""

import pytest
from cms_client import BadRequest

from tests.client.faulty import answer, drop, pass_on

SITE, NEWS = 1, 11


@pytest.fixture
def made(client):
    """A cursor, and a content that was created after it."""
    latest = [change["id"] for change in client.changes(SITE, after="start", wait=0)][-1]
    return latest, client.contents.create(SITE, NEWS, {"title": "Followed"})


def test_changes_after_a_cursor_come_in_order(client, made):
    cursor, content = made
    client.contents.update(SITE, NEWS, content["id"], {"title": "Followed on"})
    client.contents.delete(SITE, NEWS, content["id"])
    changes = list(client.changes(SITE, after=cursor, wait=0, per_page=1))
    told = [(change["event"], change["isDeleted"]) for change in changes if change["contentId"] == content["id"]]
    assert told == [("content.created", False), ("content.changed", False), ("content.trashed", True)]
    assert "title" in changes[1]["fields"]


def test_the_loop_waits_for_the_next_change(client, made):
    cursor, content = made
    changes = client.changes(SITE, after=cursor)
    assert next(changes)["contentId"] == content["id"]
    other = client.contents.create(SITE, NEWS, {"title": "Another"})
    assert next(changes)["contentId"] == other["id"]


def test_it_continues_after_a_lost_response(make, faulty, museum, client, made):
    cursor, content = made
    faulty.acts[:] = [drop, pass_on]
    changes = make(faulty.address, museum.key).changes(SITE, after=cursor, wait=0)
    assert [change["contentId"] for change in changes] == [content["id"]]


def test_a_server_that_does_not_wait_is_asked_once_a_second(make, faulty, museum):
    empty = {"changes": [], "nextCursor": "7", "hasMore": False}
    faulty.acts[:] = [answer(200, empty), answer(200, empty), answer(200, empty | {"changes": [{"id": 8}]})]
    client = make(faulty.address, museum.key)
    assert next(client.changes(after=6))["id"] == 8
    assert client.waits == [1.0, 1.0]


def test_an_unknown_cursor_is_told(client):
    with pytest.raises(BadRequest) as raised:
        list(client.changes(after="yesterday", wait=0))
    assert raised.value.code == "invalid_cursor"
