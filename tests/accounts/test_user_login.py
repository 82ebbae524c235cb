"""`POST /users/actions/login`, and what both logins have in common."""

from datetime import datetime, timedelta

import pytest

from accounts import hashers, sign_in
from accounts.hashers import md5_form
from accounts.models import User, UserLog
from accounts.records import user_record
from tests.accounts.signing_in import (
    OTHER,
    PASSWORD,
    account_of,
    both_kinds,
    counted_hashings,
    log_in,
    statements,
    stored,
)
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory

pytestmark = pytest.mark.django_db
PATH = "/api/v1/users/actions/login"


def body_of(response):
    """Body and status, the request's own parts of it set aside."""
    return response.status_code, response.content


def test_answers_the_user_with_an_access_token(stranger):
    user = account_of("users", display_name="Harbour desk", email="desk@example.org", mobile="13800000000")
    response = log_in(stranger, "users", user, PASSWORD)
    assert response.status_code == 200
    body = response.json()
    assert list(body) == ["value", "accessToken", "expiresAt"]
    assert body["value"] == user_record(stored(user), response.wsgi_request)
    assert body["value"]["userName"] == user.user_name
    assert body["value"]["displayName"] == "Harbour desk"


@both_kinds
def test_the_token_expires_in_seven_days(stranger, kind):
    before = datetime.now().replace(microsecond=0)
    expires_at = log_in(stranger, kind, account_of(kind), PASSWORD).json()["expiresAt"]
    assert before <= datetime.strptime(expires_at, "%Y-%m-%d %H:%M:%S") - timedelta(days=7) <= datetime.now()


@both_kinds
@pytest.mark.parametrize("form", [str, md5_form, lambda plain: md5_form(plain).upper()], ids=["plain", "md5", "MD5"])
def test_takes_the_plain_password_and_its_md5(stranger, kind, form):
    assert log_in(stranger, kind, account_of(kind), form(PASSWORD)).status_code == 200


@both_kinds
@pytest.mark.parametrize("typed", ["Desk", "desk", " DESK ", "Mail@Example.org", "mail@example.org", "13800000000"])
def test_finds_the_account_by_name_e_mail_and_mobile_in_any_letter_case(stranger, kind, typed):
    account = account_of(kind, user_name="Desk", email="Mail@example.org", mobile="13800000000")
    assert log_in(stranger, kind, typed, PASSWORD).json()["value"]["id"] == account.pk


@both_kinds
def test_a_name_comes_before_an_e_mail_and_that_before_a_mobile(stranger, kind):
    account_of(kind, OTHER, mobile="desk@example.org")
    by_mail = account_of(kind, email="desk@example.org")
    assert log_in(stranger, kind, "desk@example.org", PASSWORD).json()["value"]["id"] == by_mail.pk
    by_name = account_of(kind, user_name="desk@example.org")
    assert log_in(stranger, kind, "desk@example.org", PASSWORD).json()["value"]["id"] == by_name.pk


def test_users_and_administrators_sign_in_apart(stranger):
    account_of("users", user_name="desk")
    assert_error(log_in(stranger, "administrators", "desk", PASSWORD), 400, "sign_in_failed")


REFUSED = {
    "unknown account": {"typed": "nobody"},
    "wrong password": {"password": OTHER},
    "wrong md5": {"password": md5_form(OTHER)},
    "other letter case": {"password": PASSWORD.upper()},
    "locked": {"is_locked_out": True},
    "locked and wrong": {"is_locked_out": True, "password": OTHER},
    "not approved": {"is_checked": False},
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_everything_alike(stranger, case):
    fields = dict(REFUSED[case])
    typed, password = fields.pop("typed", "desk"), fields.pop("password", PASSWORD)
    account_of("users", user_name="desk", **fields)
    response = log_in(stranger, "users", typed, password)
    assert_error(response, 400, "sign_in_failed")
    assert body_of(response) == body_of(log_in(stranger, "users", "an unknown user", "else-9"))


@both_kinds
@pytest.mark.parametrize("unusable", ["", "!", "nonsense", "wire_argon2id$gone$argon2id$v=19$m=8,t=1,p=1$YWJj$YWJj"])
def test_an_account_without_a_usable_password_is_refused_for_the_same_work(stranger, monkeypatch, kind, unusable):
    account = account_of(kind)
    type(account).objects.filter(pk=account.pk).update(password=unusable)
    with counted_hashings(monkeypatch) as done:
        for password in (PASSWORD, unusable, md5_form(unusable)):
            if password:
                assert_error(log_in(stranger, kind, account, password), 400, "sign_in_failed")
    assert set(done) == {"verify"}


@both_kinds
def test_a_refusal_costs_one_hashing_and_as_many_statements_for_unknown_accounts(stranger, monkeypatch, kind):
    account, locked = account_of(kind), account_of(kind, is_locked_out=True)
    attempts = [("an unknown user", OTHER), (account, OTHER), (locked, PASSWORD), (locked, OTHER)]
    costs = []
    for typed, password in attempts:
        with counted_hashings(monkeypatch) as done, statements() as asked:
            assert_error(log_in(stranger, kind, typed, password), 400, "sign_in_failed")
        costs.append((list(done), len(asked)))
    assert {tuple(done) for done, _ in costs} == {("verify",)}
    assert len({asked for _, asked in costs}) == 1, costs


@pytest.mark.parametrize("member", ["account", "password"])
@pytest.mark.parametrize("value", ["", None], ids=["empty", "null"])
@both_kinds
def test_names_what_is_missing(stranger, kind, member, value):
    path = f"/api/v1/{kind}/actions/login"
    for body in ({"account": "desk", "password": PASSWORD} | {member: value}, {}):
        response = stranger.post(path, body)
        refusal = assert_error(response, 400, "missing_member")
        assert refusal["member"] == (member if body else "account")
        assert refusal["member"] in refusal["message"]


def test_blanks_are_no_account_but_may_be_a_password(stranger):
    assert_error(stranger.post(PATH, {"account": "  ", "password": PASSWORD}), 400, "missing_member")
    assert log_in(stranger, "users", account_of("users", "   "), "   ").status_code == 200


@both_kinds
@pytest.mark.parametrize("member, longest", [("account", 255), ("password", 256)])
def test_too_long_a_value_is_refused_before_any_work(stranger, monkeypatch, kind, member, longest):
    body = {"account": "desk", "password": PASSWORD} | {member: "x" * (longest + 1)}
    with counted_hashings(monkeypatch) as done, statements() as asked:
        refusal = assert_error(stranger.post(f"/api/v1/{kind}/actions/login", body), 400, "invalid_value")
    assert refusal["member"] == member
    assert (done, asked) == ([], [])
    longest_of_all = {member: "x" * longest}
    response = stranger.post(f"/api/v1/{kind}/actions/login", {"account": "desk", "password": "y"} | longest_of_all)
    assert_error(response, 400, "sign_in_failed")


@pytest.mark.parametrize("wrong", [1, True, ["desk"], {"a": "b"}])
@pytest.mark.parametrize("member", ["account", "password"])
def test_both_are_texts(stranger, member, wrong):
    body = {"account": "desk", "password": PASSWORD} | {member: wrong}
    assert_error(stranger.post(PATH, body), 400, "invalid_value")


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_a_form_is_refused_and_says_what_is_expected(stranger, content_type):
    response = stranger.send("POST", PATH, b"account=desk&password=harbour-21", content_type=content_type)
    assert "JSON object" in assert_error(response, 400, "body_not_object")["message"]


@pytest.mark.parametrize("content_type", ["undefined", "", "text/plain", "application/json;charset=utf8"])
def test_json_is_read_whatever_it_calls_itself(stranger, content_type):
    account_of("users", user_name="desk")
    body = b'{"Account": "desk", "PASSWORD": "harbour-21", "isAutoLogin": true, "groupId": 0}'
    assert stranger.send("POST", PATH, body, content_type=content_type).status_code == 200


@both_kinds
def test_a_key_makes_no_difference(kind):
    account, good = account_of(kind), ApiKeyFactory(scopes="").token
    for token in (None, good, good[:-1] + "_", "nonsense", "\xe9"):
        assert log_in(ApiClient(token), kind, account, PASSWORD).status_code == 200
    for query in ("?apiKey=nonsense", "?1590000000000"):
        body = {"account": account.user_name, "password": PASSWORD}
        assert ApiClient().post(f"/api/v1/{kind}/actions/login{query}", body).status_code == 200


@both_kinds
def test_sets_no_cookies_and_heeds_none(stranger, kind):
    account = account_of(kind)
    stranger.cookies["sessionid"] = "nonsense"
    assert not log_in(stranger, kind, account, PASSWORD).cookies
    assert not log_in(stranger, kind, account, OTHER).cookies


@both_kinds
def test_a_success_counts_and_is_shown_with_its_counters(stranger, kind):
    account = account_of(kind, count_of_login=4, count_of_failed_login=2, last_activity_date="2020-01-01 00:00:00")
    value = log_in(stranger, kind, account, PASSWORD).json()["value"]
    assert (value["countOfLogin"], value["countOfFailedLogin"]) == (5, 0)
    assert value["lastActivityDate"][:4] > "2020"
    after = stored(account)
    assert (after.count_of_login, after.count_of_failed_login) == (5, 0)
    assert str(after.last_activity_date) == value["lastActivityDate"]


@both_kinds
def test_a_wrong_password_counts(stranger, kind):
    account = account_of(kind, count_of_login=4, last_activity_date="2020-01-01 00:00:00")
    for number in (1, 2):
        log_in(stranger, kind, account, OTHER)
        after = stored(account)
        assert (after.count_of_login, after.count_of_failed_login) == (4, number)
        assert after.last_activity_date.year > 2020


@pytest.mark.parametrize("fields", [{"is_locked_out": True}, {"is_checked": False}])
def test_a_refused_user_with_the_right_password_has_not_failed(stranger, fields):
    user = account_of("users", last_activity_date=datetime(2020, 1, 1), **fields)
    log_in(stranger, "users", user, PASSWORD)
    after = stored(user)
    assert (after.count_of_failed_login, after.last_activity_date) == (0, datetime(2020, 1, 1))


def test_what_happened_stands_in_the_log_of_the_user(stranger):
    user = account_of("users")
    log_in(stranger, "users", user, OTHER, REMOTE_ADDR="192.0.2.7")
    log_in(stranger, "users", user, PASSWORD, REMOTE_ADDR="192.0.2.8")
    log_in(stranger, "users", "nobody", PASSWORD)
    failed, succeeded = UserLog.objects.order_by("id")
    for entry in (failed, succeeded):
        assert (entry.user, entry.user_name) == (user, user.user_name)
    assert (failed.ip_address, failed.action) == ("192.0.2.7", "Failed sign-in")
    assert (succeeded.ip_address, succeeded.action) == ("192.0.2.8", "Sign-in")
    assert not any(word in failed.summary for word in (OTHER, md5_form(OTHER)))


@both_kinds
def test_another_verb_is_refused(stranger, kind):
    assert_error(stranger.get(f"/api/v1/{kind}/actions/login"), 405, "method_not_allowed")


@both_kinds
@pytest.mark.parametrize("renewal", ["pepper", "cost"])
def test_a_success_stores_the_password_under_todays_pepper_and_cost(stranger, settings, monkeypatch, kind, renewal):
    if renewal == "cost":
        with monkeypatch.context() as patch:
            patch.setattr("accounts.hashers._ARGON2", type(hashers._ARGON2)(time_cost=1, memory_cost=64, parallelism=1))
            account = account_of(kind)
    else:
        account = account_of(kind)
        settings.PASSWORD_PEPPERS = {"p2": "another secret"} | settings.PASSWORD_PEPPERS
    assert hashers.WirePasswordHasher().must_update(account.password)
    log_in(stranger, kind, account, OTHER)
    assert stored(account).password == account.password
    first = log_in(stranger, kind, account, md5_form(PASSWORD)).json()["value"]
    renewed = stored(account)
    assert renewed.password != account.password
    assert not hashers.WirePasswordHasher().must_update(renewed.password)
    second = log_in(stranger, kind, account, PASSWORD).json()["value"]
    assert stored(account).password == renewed.password
    assert (first["password"], first["passwordSalt"]) == (second["password"], second["passwordSalt"])


def test_an_account_that_is_deleted_meanwhile_is_refused(stranger, monkeypatch):
    user = account_of("users")
    real = sign_in._is_right

    def delete_and_check(found, *arguments):
        User.objects.filter(pk=user.pk).delete()
        return real(found, *arguments)

    monkeypatch.setattr(sign_in, "_is_right", delete_and_check)
    for password in (PASSWORD, OTHER):
        assert_error(log_in(stranger, "users", user, password), 400, "sign_in_failed")
    assert not UserLog.objects.exists()
