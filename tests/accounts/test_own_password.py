"""`POST /users/{id}/actions/resetPassword`: by a key with the scope, or by the user who has signed in."""

import pytest
from django.db import DatabaseError

from accounts import user_log
from accounts.hashers import md5_form
from accounts.models import UserLog
from accounts.records import user_record
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, log_in, stored, token_of
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory

pytestmark = pytest.mark.django_db


def change(client, user_id, old=PASSWORD, new=OTHER, token=None):
    headers = {"X-SS-USER-TOKEN": token} if token else {}
    body = {"password": old, "newPassword": new}
    return client.post(f"/api/v1/users/{user_id}/actions/resetPassword", body, headers=headers)


@pytest.fixture
def any_key(db):
    """A client whose key opens nothing."""
    return ApiClient(ApiKeyFactory(scopes="").token)


@pytest.mark.parametrize("form", [str, md5_form, lambda plain: md5_form(plain).upper()], ids=["plain", "md5", "MD5"])
def test_changes_the_password_and_answers_the_user(api, form):
    user = account_of("users", last_reset_password_date="2020-01-01 00:00:00")
    response = change(api, user.pk, form(PASSWORD))
    assert response.status_code == 200
    after = stored(user)
    assert response.json() == {"value": user_record(after, response.wsgi_request)}
    assert after.check_password(OTHER)
    assert after.last_reset_password_date.year > 2020
    assert UserLog.objects.get().action == "New password"


def test_who_has_signed_in_changes_their_own_with_any_key_and_signs_in_anew(stranger, any_key):
    user = account_of("users")
    token = token_of(stranger, "users", user)
    assert change(any_key, user.pk, token=token).status_code == 200
    assert_error(change(any_key, user.pk, OTHER, PASSWORD, token), 401, "user_token_invalid")
    assert change(any_key, user.pk, OTHER, PASSWORD, token_of(stranger, "users", user, OTHER)).status_code == 200


def test_who_has_signed_in_needs_no_key(stranger):
    user = account_of("users")
    assert change(stranger, user.pk, token=token_of(stranger, "users", user)).status_code == 200
    assert stored(user).check_password(OTHER)


def test_nobody_changes_anothers(stranger, any_key):
    user, other = account_of("users"), account_of("users")
    token = token_of(stranger, "users", other)
    assert_error(change(any_key, user.pk, token=token), 401, "user_token_of_another")
    assert_error(change(any_key, user.pk), 401, "scope_missing")
    assert_error(change(stranger, user.pk, token=token), 401, "user_token_of_another")
    assert stored(user).check_password(PASSWORD)


def test_the_token_of_an_administrator_of_the_same_id_opens_nothing(stranger, any_key):
    user = account_of("users")
    token = token_of(stranger, "administrators", account_of("administrators", id=user.pk))
    assert_error(change(any_key, user.pk, token=token), 401, "user_token_invalid")


def test_an_unknown_user_is_404_whatever_the_body(api):
    path = "/api/v1/users/999999/actions/resetPassword"
    assert_error(change(api, 999999), 404, "user_not_found")
    assert_error(api.send("POST", path, b"{"), 404, "user_not_found")


@pytest.mark.parametrize("old", [OTHER, md5_form(OTHER)])
def test_a_wrong_old_password_is_refused_and_counts_nowhere_in_the_record(api, old):
    user = account_of("users")
    assert_error(change(api, user.pk, old), 400, "sign_in_failed")
    after = stored(user)
    assert after.check_password(PASSWORD)
    assert (after.count_of_failed_login, after.last_activity_date) == (0, None)


@pytest.mark.parametrize("fields", [{"is_locked_out": True}, {"is_checked": False}])
def test_who_may_not_sign_in_is_refused(api, fields):
    assert_error(change(api, account_of("users", **fields).pk), 400, "sign_in_failed")


def test_a_weak_new_password_is_refused(api):
    user = account_of("users")
    assert_error(change(api, user.pk, new="weak"), 400, "password_too_weak")
    assert stored(user).check_password(PASSWORD)


@pytest.mark.parametrize("member", ["password", "newPassword"])
def test_names_what_is_missing(api, member):
    body = {"password": PASSWORD, "newPassword": OTHER} | {member: ""}
    response = api.post(f"/api/v1/users/{account_of('users').pk}/actions/resetPassword", body)
    assert assert_error(response, 400, "missing_member")["member"] == member


def test_failures_are_limited_whatever_the_user_is_called_meanwhile(api, settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    user = account_of("users")
    for number in range(2):
        assert_error(change(api, user.pk, OTHER), 400, "sign_in_failed")
        assert api.put(f"/api/v1/users/{user.pk}", {"userName": f"renamed{number}"}).status_code == 200
    assert_error(change(api, user.pk), 429, "too_many_failures")


def test_failures_count_towards_the_limit_of_the_address(api, stranger, settings):
    settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 2
    user = account_of("users")
    assert_error(change(api, user.pk, OTHER), 400, "sign_in_failed")
    assert_error(log_in(stranger, "users", user, OTHER), 400, "sign_in_failed")
    assert_error(change(api, user.pk), 429, "too_many_failures")
    assert_error(log_in(stranger, "users", user, PASSWORD), 429, "too_many_failures")


def test_a_password_is_not_stored_without_its_entry_in_the_log(api, monkeypatch):
    def break_down(*_):
        raise DatabaseError

    monkeypatch.setattr(user_log, "write", break_down)
    user = account_of("users")
    assert_error(change(api, user.pk), 500, "server_error")
    assert stored(user).check_password(PASSWORD)
