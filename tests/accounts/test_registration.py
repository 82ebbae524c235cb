"""`POST /users` without an API key."""

from random import randrange

import pytest

from accounts.models import User
from accounts.services import MAX_REGISTRATIONS
from tests.accounts.signing_in import PASSWORD
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
USERS = "/api/v1/users"


# Counts outlive a test where Redis keeps them.
HERE, ELSEWHERE = (f"2001:db8:{randrange(65536):x}:{place}::1" for place in (1, 2))


def register(client, name="reader", address=HERE, **members):
    # As the original's user centre sends it.
    body = {"userName": name, "password": PASSWORD, "groupId": 0, **members}
    return client.post(f"{USERS}?1590000000000", body, REMOTE_ADDR=address)


def test_is_closed_by_default(stranger):
    assert_error(register(stranger), 401, "key_missing")
    assert not User.objects.exists()


@pytest.mark.parametrize(("setting", "is_checked"), [("pending", False), ("approved", True)])
def test_the_setting_opens_it_and_decides_about_approval(stranger, settings, setting, is_checked):
    settings.CMS_REGISTRATION = setting
    response = register(stranger, DisplayName="Reader", isChecked=is_checked)
    assert response.status_code == 200
    value = response.json()["value"]
    assert (value["displayName"], value["isChecked"], value["isLockedOut"]) == ("Reader", is_checked, False)
    assert User.objects.get().check_password(PASSWORD)


@pytest.mark.parametrize("member", [{"isChecked": True}, {"isLockedOut": "true"}])
def test_people_do_not_decide_about_their_own_standing(stranger, settings, member):
    settings.CMS_REGISTRATION = "pending"
    assert assert_error(register(stranger, **member), 401, "scope_missing")["scope"] == "Users:write"
    assert not User.objects.exists()


def test_opens_nothing_else(stranger, settings, client_with_key):
    settings.CMS_REGISTRATION = "approved"
    assert_error(stranger.get(USERS), 401, "key_missing")
    assert_error(register(ApiClient("ssk1_wrong")), 401, "key_unknown")
    assert_error(register(client_with_key(scopes="Contents")), 401, "scope_missing")


def test_a_large_body_is_refused(stranger, settings):
    settings.CMS_REGISTRATION = "approved"
    assert_error(register(stranger, signature="x" * 20_000), 413, "body_too_large")


def test_one_network_registers_so_many_users_only(stranger, settings):
    settings.CMS_REGISTRATION, settings.PASSWORD_HASHERS = "approved", ["django.contrib.auth.hashers.MD5PasswordHasher"]
    for number in range(MAX_REGISTRATIONS):
        assert register(stranger, f"reader{number}", ELSEWHERE).status_code == 200
    response = register(stranger, "one-more", ELSEWHERE)
    assert_error(response, 429, "too_many_registrations")
    assert int(response["Retry-After"]) > 0
    assert register(stranger, "elsewhere").status_code == 200


@pytest.mark.parametrize(
    ("members", "code", "counts"),
    [
        ({"password": "short"}, "password_too_weak", False),
        ({"name": "a b"}, "invalid_value", False),
        ({"name": "taken"}, "user_name_taken", True),
        ({"email": "taken@example.org"}, "email_taken", True),
        ({"mobile": "13900000000"}, "mobile_taken", True),
    ],
)
def test_of_refused_attempts_those_count_that_tell_who_has_an_account(
    stranger, settings, monkeypatch, members, code, counts
):
    settings.CMS_REGISTRATION = "approved"
    monkeypatch.setattr("accounts.services.MAX_REGISTRATIONS", 1)
    UserFactory(user_name="taken", email="taken@example.org", mobile="13900000000")
    address = f"2001:db8:{randrange(65536):x}:3::1"
    assert_error(register(stranger, address=address, **members), 400, code)
    assert register(stranger, address=address).status_code == (429 if counts else 200)
