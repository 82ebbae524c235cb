"""Access tokens: who shows one, until when, and that it is no key; and the logouts."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.signing import Signer

from accounts import access_tokens
from accounts.models import Administrator, EndedToken, User
from accounts.records import administrator_record, user_record
from core.lib import clock
from tests.accounts.signing_in import FACTORIES, OTHER, PASSWORD, account_of, both_kinds, reset, stored, token_of
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory

pytestmark = pytest.mark.django_db
HEADERS = {"users": "X-SS-USER-TOKEN", "administrators": "X-SS-ADMIN-TOKEN"}
KINDS = {"users": User, "administrators": Administrator}


def owner_of(token, kind="users"):
    return access_tokens.owner(token, KINDS[kind])


def log_out(client, kind, token=None):
    headers = {HEADERS[kind]: token} if token is not None else {}
    return client.post(f"/api/v1/{kind}/actions/logout", headers=headers)


@pytest.fixture
def any_key(db):
    """A client whose key opens nothing."""
    return ApiClient(ApiKeyFactory(scopes="").token)


@both_kinds
def test_shows_who_has_signed_in(stranger, kind):
    account = account_of(kind)
    token = token_of(stranger, kind, account)
    assert owner_of(token, kind) == account


def test_is_fit_for_a_header(stranger):
    token = token_of(stranger, "users", account_of("users"))
    assert token.isascii() and token.isprintable() and not set(token) & set(" ,;=\"'") and len(token) < 500


def test_no_two_are_alike(stranger):
    user = account_of("users")
    assert token_of(stranger, "users", user) != token_of(stranger, "users", user)


@both_kinds
def test_ends_after_seven_days(stranger, monkeypatch, kind):
    token = token_of(stranger, kind, account_of(kind))
    now = access_tokens.time.time()
    week = access_tokens.LIFETIME.total_seconds()
    monkeypatch.setattr(access_tokens, "time", SimpleNamespace(time=lambda: now + week - 5))
    assert owner_of(token, kind)
    monkeypatch.setattr(access_tokens, "time", SimpleNamespace(time=lambda: now + week + 1))
    assert owner_of(token, kind) is None


@both_kinds
@pytest.mark.parametrize("change", ["lock", "delete", "password"])
def test_ends_with_what_it_shows(stranger, kind, change):
    account = account_of(kind)
    token = token_of(stranger, kind, account)
    if change == "lock":
        type(account).objects.update(is_locked_out=True)
    elif change == "delete":
        account.delete()
    else:
        account.set_password(PASSWORD)
        account.save()
    assert owner_of(token, kind) is None


def test_ends_with_the_approval_of_a_user(stranger):
    user = account_of("users")
    token = token_of(stranger, "users", user)
    User.objects.update(is_checked=False)
    assert owner_of(token) is None
    User.objects.update(is_checked=True)
    assert owner_of(token) == user


@both_kinds
def test_ends_with_a_change_of_the_password_by_the_api(stranger, api, kind):
    account = account_of(kind)
    token = token_of(stranger, kind, account)
    assert reset(api, kind, account).status_code == 200
    assert owner_of(token, kind) is None
    assert owner_of(token_of(stranger, kind, account, OTHER), kind) == account


def test_survives_when_the_password_is_only_hashed_anew(stranger, settings):
    user = account_of("users")
    token = token_of(stranger, "users", user)
    settings.PASSWORD_PEPPERS = {"p2": "another secret"} | settings.PASSWORD_PEPPERS
    token_of(stranger, "users", user)
    assert stored(user).password.startswith("wire_argon2id$p2$")
    assert owner_of(token) == user


def test_a_user_and_an_administrator_of_one_id_are_not_confused(stranger):
    user = account_of("users")
    administrator = account_of("administrators", id=user.pk)
    Administrator.objects.update(password_stamp=user.password_stamp)
    assert owner_of(token_of(stranger, "users", user), "administrators") is None
    assert owner_of(token_of(stranger, "administrators", administrator), "users") is None


def damaged(token):
    payload, signature = token.split(":")
    yield from (
        "",
        " ",
        ":",
        "::",
        "a:b",
        "\x00",
        "\xff\xfe",
        "测试",
        "." * 4000,
        payload,
        f"{payload}:",
        f":{signature}",
    )
    yield from (
        token[:-1],
        token + "x",
        token.swapcase(),
        token * 2,
        f"{payload}x:{signature}",
        f"{payload}:{signature[::-1]}",
    )
    yield Signer(salt="of something else").sign_object(["user", 1, "", "nonce", 2**40])
    yield Signer(key="another secret", salt="accounts.access_tokens").sign_object(["user", 1, "", "nonce", 2**40])


def test_garbage_shows_nobody(stranger):
    token = token_of(stranger, "users", account_of("users"))
    for garbage in damaged(token):
        assert owner_of(garbage) is None, garbage
        access_tokens.end(garbage, User)
    assert owner_of(token)


def test_garbage_in_the_header_is_answered_as_no_token(any_key):
    for garbage in ("", ":", "\xff", "a:b", "." * 4000):
        response = log_out(any_key, "users", garbage)
        assert (response.status_code, response.json()) == (200, {"value": None})


@pytest.mark.parametrize("name", ["X-SS-API-KEY", "X-SS-USER-TOKEN", "X-SS-ADMIN-TOKEN", "Authorization"])
@both_kinds
def test_is_no_key(stranger, kind, name):
    account = account_of(kind)
    token = token_of(stranger, kind, account)
    for path in ("/api/v1/users", f"/api/v1/users/{account.pk + 1}", "/api/v1/administrators", "/api/v1/stl/sites"):
        assert stranger.get(path, headers={name: token}).status_code == 401
    for path in ("/api/v1/users", "/api/v1/administrators"):
        assert ApiClient().get(f"{path}?apiKey={token}").status_code == 401


def test_opens_nothing_else_to_a_key_without_the_scope(stranger, any_key):
    headers = {HEADERS[kind]: token_of(stranger, kind, account_of(kind)) for kind in FACTORIES}
    for path in ("/api/v1/users", "/api/v1/administrators", "/api/v1/stl/sites"):
        assert_error(any_key.get(path, headers=headers), 401, "scope_missing")
    for kind in FACTORIES:
        response = any_key.post(f"/api/v1/{kind}/actions/resetPassword", {}, headers=headers)
        assert_error(response, 401, "scope_missing")


# ---- Logouts


@both_kinds
def test_a_logout_answers_who_it_was_and_ends_the_token(stranger, any_key, kind):
    account = account_of(kind)
    token, other = token_of(stranger, kind, account), token_of(stranger, kind, account)
    response = log_out(any_key, kind, token)
    after = stored(account)
    record = administrator_record(after) if kind == "administrators" else user_record(after, response.wsgi_request)
    assert (response.status_code, response.json()) == (200, {"value": record})
    assert owner_of(token, kind) is None
    assert owner_of(other, kind) == account
    assert log_out(any_key, kind, token).json() == {"value": None}


@both_kinds
def test_a_logout_without_a_token_answers_nobody(any_key, kind):
    assert log_out(any_key, kind).json() == {"value": None}
    assert not EndedToken.objects.exists()


@both_kinds
@pytest.mark.parametrize("body", [b"", b"{}", b"nonsense"])
def test_a_logout_reads_no_body(any_key, kind, body):
    assert any_key.send("POST", f"/api/v1/{kind}/actions/logout", body).json() == {"value": None}


@pytest.mark.parametrize("place", ["header", "query", "cookie"])
@both_kinds
def test_a_logout_with_a_valid_token_needs_no_key(stranger, kind, place):
    account = account_of(kind)
    token, path = token_of(stranger, kind, account), f"/api/v1/{kind}/actions/logout"
    if place == "header":
        response = log_out(stranger, kind, f" {token} ")
    elif place == "query":
        parameter = "USERtoken" if kind == "users" else "adminToken"
        response = stranger.post(f"{path}?{parameter}={token}")
    else:
        cookie = HEADERS[kind].removeprefix("X-")
        stranger.cookies[cookie] = token
        response = stranger.post(path, headers={"Origin": "http://testserver"})
        assert response.cookies[cookie].value == ""  # taken back
    assert (response.status_code, response.json()["value"]["id"]) == (200, account.pk)
    assert owner_of(token, kind) is None


def test_a_page_of_another_origin_cannot_log_out_by_the_cookie(stranger):
    token = token_of(stranger, "users", account_of("users"))
    stranger.cookies["SS-USER-TOKEN"] = token
    response = stranger.post("/api/v1/users/actions/logout", headers={"Origin": "https://other.example"})
    assert_error(response, 401, "key_missing")
    assert owner_of(token)


@both_kinds
def test_a_logout_without_a_key_and_a_valid_token_is_refused(stranger, kind):
    name = f"{KINDS[kind]._meta.model_name}_token_invalid"
    assert_error(log_out(stranger, kind), 401, "key_missing")
    assert_error(log_out(stranger, kind, "garbage"), 401, name)
    ended = token_of(stranger, kind, account_of(kind))
    access_tokens.end(ended, KINDS[kind])
    assert_error(log_out(stranger, kind, ended), 401, name)
    assert_error(log_out(ApiClient("ssk1_wrong"), kind, ended), 401, "key_unknown")


def test_the_token_of_a_locked_user_is_ended_as_well(stranger, any_key):
    user = account_of("users")
    token = token_of(stranger, "users", user)
    User.objects.update(is_locked_out=True)
    assert log_out(any_key, "users", token).json() == {"value": None}
    User.objects.update(is_locked_out=False)
    assert owner_of(token) is None


def test_ended_tokens_are_forgotten_when_they_would_have_expired_anyway(stranger, any_key):
    user = account_of("users")
    now = clock.now()
    for nonce, days in (("long over", 2), ("over", 0.5), ("not yet", -3)):
        EndedToken.objects.create(nonce=nonce, expires_at=now - timedelta(days=days))
    log_out(any_key, "users", token_of(stranger, "users", user))
    nonces = set(EndedToken.objects.values_list("nonce", flat=True))
    assert len(nonces) == 3 and {"over", "not yet"} < nonces


@both_kinds
def test_an_unlocked_account_does_not_get_its_old_tokens_back(stranger, api, kind):
    account = account_of(kind)
    AdministratorFactory()
    token, path = token_of(stranger, kind, account), f"/api/v1/{kind}/{account.pk}"
    for is_locked in (True, False):
        assert api.put(path, {"isLockedOut": is_locked}).status_code == 200
        assert log_out(api, kind, token).json() == {"value": None}
    assert log_out(api, kind, token_of(stranger, kind, account)).json()["value"]["id"] == account.pk


def test_a_token_of_another_release_is_no_token(stranger):
    for members in ([], ["user"], ["user", 1, "", "", "", 2**40, "more"]):
        assert owner_of(access_tokens._signer().sign_object(members)) is None
