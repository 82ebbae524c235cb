"""Users and administrators through both clients, against a real server."""

from pathlib import Path

import pytest
from cms_client import BadRequest, NotFound, Unauthorized

PICTURE = Path(__file__).resolve().parents[2] / "accounts" / "default_avatar.png"
PASSWORD = "lantern-27"


@pytest.fixture
def user(client):
    made = client.users.create({"userName": "reader1", "password": PASSWORD, "email": "reader1@example.org"})
    yield made
    client.users.delete(made["id"])


@pytest.fixture
def administrator(client):
    made = client.administrators.create({"userName": "keeper1", "password": PASSWORD})
    yield made
    client.administrators.delete(made["id"])


def test_a_user_lives(client):
    made = client.users.create({"userName": "reader2", "password": PASSWORD})
    assert client.users.update(made["id"], {"mobile": "13900000001"})["mobile"] == "13900000001"
    assert client.users.get(made["id"])["mobile"] == "13900000001"
    assert client.users.delete(made["id"])["userName"] == "reader2"
    with pytest.raises(NotFound):
        client.users.get(made["id"])


def test_users_are_listed_by_filters(client, user):
    assert [each["id"] for each in client.users.list(keyword="READER", isLockedOut=False)] == [user["id"]]
    part = client.users.list(top=1, skip=1, userName="reader1")
    assert (part.records, part.total) == ([], 1)


def test_users_are_iterated(client, user):
    other = client.users.create({"userName": "reader3", "password": PASSWORD})
    seen = []
    names = [each["userName"] for each in client.users.iterate(per_page=1, progress=lambda *now: seen.append(now))]
    assert names == ["reader1", "reader3"]
    assert seen == [(1, 2), (2, 2)]
    client.users.delete(other["id"])


def test_an_avatar_is_uploaded(client, user):
    default = client.users.avatar_url(user["id"])
    changed = client.users.upload_avatar(user["id"], PICTURE.read_bytes(), 'my "best"\r\n.png')
    assert changed["avatarUrl"]
    assert client.users.avatar_url(user["id"]) != default


def test_the_same_upload_is_the_same_request(client, user):
    key, picture = f"avatar of {user['id']}", PICTURE.read_bytes()
    first = client.users.upload_avatar(user["id"], picture, idempotency_key=key)
    assert client.users.upload_avatar(user["id"], picture, idempotency_key=key) == first


def test_what_a_user_did_is_noted(client, user):
    entry = client.users.note(user["id"], "borrowed", "海图")
    assert client.users.logs(user["id"], top=1).records == [entry]


def test_a_user_signs_in_and_out(client, user):
    login = client.users.log_in("reader1@example.org", PASSWORD)
    assert login.record["id"] == user["id"]
    assert login.access_token not in repr(login)
    assert login.expires_at
    assert client.users.log_out(login.access_token)["id"] == user["id"]
    assert client.users.log_out(login.access_token) is None


def test_a_user_acts_for_themselves(make, address, museum, client, user):
    own = make(address, museum.manage("create_api_key", f"no scope {id(client)}", "--scope", "STL:read"))
    with pytest.raises(Unauthorized):
        own.users.get(user["id"])
    token = own.users.log_in("reader1", PASSWORD).access_token
    assert own.users.get(user["id"], user_token=token)["userName"] == "reader1"
    assert own.users.update(user["id"], {"interests": "ships"}, user_token=token)["interests"] == "ships"
    assert own.users.logs(user["id"], user_token=token).records[0]["action"]


def test_passwords_are_changed(client, user):
    client.users.change_password(user["id"], PASSWORD, "harbour-28")
    client.users.reset_password("reader1", "harbour-28", "harbour9")
    assert client.users.log_in("reader1", "harbour9").record["id"] == user["id"]
    with pytest.raises(BadRequest):
        client.users.log_in("reader1", PASSWORD)


def test_an_administrator_lives(client, administrator):
    changed = client.administrators.update(administrator["id"], {"displayName": "管理员"})
    assert client.administrators.get(administrator["id"]) == changed
    assert administrator["id"] in [each["id"] for each in client.administrators.list(keyword="keeper")]
    assert administrator["id"] in [each["id"] for each in client.administrators.iterate(userName="keeper1")]


def test_an_administrator_signs_in_and_out(client, administrator):
    client.administrators.reset_password("keeper1", PASSWORD, "harbour-28")
    login = client.administrators.log_in("keeper1", "harbour-28")
    assert client.administrators.log_out(login.access_token)["id"] == administrator["id"]
