"""What is shown as `password` and `passwordSalt`, and that no answer holds anything of a password."""

import base64
import hashlib

import pytest

from accounts.hashers import md5_form
from accounts.records import placeholder_credentials
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, both_kinds, log_in, reset, stored, token_of
from tests.assertions import assert_error

pytestmark = pytest.mark.django_db
SINGULAR = {"users": "user", "administrators": "administrator"}


def shown(client, kind, account):
    value = client.get(f"/api/v1/{kind}/{account.pk}").json()["value"]
    assert value["passwordFormat"] == "Encrypted"
    return value["password"], value["passwordSalt"]


def digests(password):
    """The password, and what is commonly made of it, in hexadecimal and Base64."""
    yield password
    for name in ("md5", "sha1", "sha256", "sha384", "sha512"):
        for plain in (password.encode(), md5_form(password).encode(), password.encode("utf-16-le")):
            digest = hashlib.new(name, plain).digest()
            yield from (digest.hex(), digest.hex().upper(), base64.b64encode(digest).decode())
    yield base64.b64encode(password.encode()).decode()


def secrets_of(accounts, passwords):
    """Texts that no answer may hold."""
    yield from ("argon2", "wire_")
    for password in passwords:
        yield from digests(password)
    for account in accounts:
        *_, salt, hashed = account.password.split("$")
        yield from (account.password, salt, hashed, account.password_stamp)


def test_they_are_base64_of_32_and_16_bytes():
    password, salt = placeholder_credentials("user", 1, "stamp")
    assert (len(password), len(base64.b64decode(password, validate=True))) == (44, 32)
    assert (len(salt), len(base64.b64decode(salt, validate=True))) == (24, 16)


def test_they_depend_on_kind_id_stamp_and_secret_and_on_nothing_else(settings):
    ways = [("user", 1, "a"), ("administrator", 1, "a"), ("user", 2, "a"), ("user", 1, "b"), ("user", 1, "")]
    first = [placeholder_credentials(*way) for way in ways]
    assert first == [placeholder_credentials(*way) for way in ways]
    settings.SECRET_KEY = "another secret"
    second = [placeholder_credentials(*way) for way in ways]
    texts = [text for pair in first + second for text in pair]
    assert len(set(texts)) == len(texts) == 20


@both_kinds
def test_they_are_what_answers_show(api, kind):
    account = account_of(kind)
    assert shown(api, kind, account) == placeholder_credentials(SINGULAR[kind], account.pk, account.password_stamp)


@both_kinds
def test_equal_passwords_look_different(api, kind):
    pairs = [shown(api, kind, account_of(kind)) for _ in range(3)]
    assert len({text for pair in pairs for text in pair}) == 6


@both_kinds
def test_they_change_with_the_password_and_only_then(api, stranger, kind):
    account = account_of(kind)
    before = shown(api, kind, account)
    log_in(stranger, kind, account, PASSWORD)
    log_in(stranger, kind, account, OTHER)
    reset(api, kind, account, OTHER)
    reset(api, kind, account, new="weak")
    api.put(f"/api/v1/{kind}/{account.pk}", {"displayName": "New", "password": OTHER, "passwordSalt": "x"})
    assert shown(api, kind, account) == before
    answered = reset(api, kind, account).json()["value"]
    after = shown(api, kind, account)
    assert (answered["password"], answered["passwordSalt"]) == after
    assert not set(before) & set(after)


@both_kinds
def test_what_is_shown_and_what_is_stored_open_nothing(api, stranger, settings, kind):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 0
    account = account_of(kind)
    for text in (*shown(api, kind, account), account.password, account.password_stamp):
        assert_error(log_in(stranger, kind, account, text), 400, "sign_in_failed")
        assert reset(api, kind, account, text).status_code == 400
        body = {"account": account.user_name, "password": text, "newPassword": OTHER}
        assert api.post(f"/api/v1/{kind}/actions/resetPassword", body).status_code == 400
        if kind == "users":
            path = f"/api/v1/users/{account.pk}/actions/resetPassword"
            assert_error(api.post(path, {"password": text, "newPassword": OTHER}), 400, "sign_in_failed")
    assert stored(account).check_password(PASSWORD)


@both_kinds
def test_a_record_that_is_sent_back_leaves_the_password_as_it_was(api, stranger, kind):
    account = account_of(kind)
    path = f"/api/v1/{kind}/{account.pk}"
    record = api.get(path).json()["value"]
    assert api.put(path, record).status_code == 200
    assert stored(account).password == account.password
    assert log_in(stranger, kind, account, PASSWORD).status_code == 200


@both_kinds
def test_no_answer_holds_anything_of_a_password(api, stranger, kind):
    first, second = account_of(kind), account_of(kind, is_locked_out=True)
    path = f"/api/v1/{kind}"
    token = token_of(stranger, kind, first)
    header = {"X-SS-USER-TOKEN" if kind == "users" else "X-SS-ADMIN-TOKEN": token}
    third = {"userName": "third", "password": "compass-3"}
    before = [stored(first), stored(second)]
    answers = [
        api.post(path, third),
        api.post(path, third),
        api.post(path, third | {"userName": "fourth", "password": "weak"}),
        api.get(path),
        api.get(f"{path}/{first.pk}"),
        api.put(f"{path}/{first.pk}", {"displayName": "New", "password": OTHER}),
        log_in(stranger, kind, first, PASSWORD),
        log_in(stranger, kind, first, md5_form(PASSWORD)),
        log_in(stranger, kind, first, OTHER),
        log_in(stranger, kind, second, PASSWORD),
        log_in(stranger, kind, "nobody", PASSWORD),
        log_in(stranger, kind, first, PASSWORD * 40),
        stranger.send("POST", f"{path}/actions/login", f"account=x&password={PASSWORD}".encode()),
        stranger.send("POST", f"{path}/actions/login", f'{{"account": "x", "password": "{PASSWORD}"'.encode()),
        api.post(f"{path}/actions/logout", headers=header),
        reset(api, kind, first, OTHER),
        reset(api, kind, first, new="weak"),
        api.post(f"{path}/actions/resetPassword", {"account": "x", "password": PASSWORD, "newPassword": OTHER}),
        reset(api, kind, first),
        api.get(f"{path}/{first.pk}"),
    ]
    if kind == "users":
        own = f"{path}/{first.pk}/actions/resetPassword"
        answers += [
            api.post(own, {"password": PASSWORD, "newPassword": OTHER}),
            api.post(own, {"password": OTHER, "newPassword": PASSWORD}),
            api.get(f"{path}/{first.pk}/logs"),
        ]
    answers.append(api.delete(f"{path}/{second.pk}"))
    statuses = {answer.status_code for answer in answers}
    assert statuses == {200, 400}, [answer.content for answer in answers if answer.status_code not in (200, 400)]
    passwords = (PASSWORD, OTHER, "compass-3")
    for secret in secrets_of([*before, stored(first)], passwords):
        for answer in answers:
            everything = answer.content.decode() + str(dict(answer.headers))
            assert secret not in everything, (answer.wsgi_request.path, secret)
