"""GET /users/{id}."""

import pytest

from tests.accounts.asking import USERS, listed, value
from tests.assertions import assert_error
from tests.factories import AdministratorFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_answers_what_the_list_answers(api):
    UserFactory()
    user = UserFactory(display_name="读者", avatar_url="/me.png", last_activity_date=None, is_checked=False)
    record = value(api.get(f"{USERS}/{user.pk}"))
    assert list(record.items()) == list(listed(api, USERS)[1].items())
    assert record["id"] == user.pk


@pytest.mark.parametrize("number", [0, -1, 4711, 2**63 - 1])
def test_an_unknown_id_is_404_naming_it(api, number):
    AdministratorFactory(pk=4711)
    body = assert_error(api.get(f"{USERS}/{number}"), 404, "user_not_found")
    assert body["message"] == f"User {number} was not found."


@pytest.mark.parametrize("number", ["x", "1.5", "0x1", "9223372036854775808", "1%00", "１"])
def test_what_is_no_id_is_no_route(api, number):
    assert_error(api.get(f"{USERS}/{number}"), 404, "route_not_found")


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, ""),
        ({"avatar_url": "https://pictures.example.org/1.png"}, "https://pictures.example.org/1.png"),
        ({"avatar_url": "/upload/1.png"}, "http://testserver/upload/1.png"),
        ({"avatar_file": "avatars/aa/1.png"}, "http://testserver/media/avatars/aa/1.png"),
        (
            {"avatar_file": "avatars/aa/1.png", "avatar_url": "https://pictures.example.org/1.png"},
            "http://testserver/media/avatars/aa/1.png",
        ),
    ],
)
def test_the_address_of_a_picture_is_absolute_in_lists_too(api, fields, shown):
    user = UserFactory(**fields)
    assert value(api.get(f"{USERS}/{user.pk}"))["avatarUrl"] == shown
    assert listed(api, USERS)[0]["avatarUrl"] == shown


def test_reading_is_enough_and_needed(client_with_key):
    path = f"{USERS}/{UserFactory().pk}"
    assert client_with_key(scopes="Users:read").get(path).status_code == 200
    assert_error(client_with_key(scopes="Administrators,Contents").get(path), 401, "scope_missing")


def test_without_the_scope_an_unknown_id_and_a_known_one_are_told_alike(client_with_key):
    client = client_with_key(scopes="Contents")
    known, unknown = client.get(f"{USERS}/{UserFactory().pk}"), client.get(f"{USERS}/0")
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content) == (401, known.content)
