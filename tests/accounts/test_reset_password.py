"""`POST /administrators/actions/resetPassword`, and the same of users: by account, old by MD5, new in plain text."""

import pytest

from accounts import hashers, sign_in
from accounts.hashers import md5_form
from accounts.models import UserLog
from accounts.records import administrator_record, user_record
from core.uploads.bounded_executor import BoundedExecutor
from tests.accounts.signing_in import (
    OTHER,
    PASSWORD,
    account_of,
    both_kinds,
    counted_hashings,
    log_in,
    reset,
    statements,
    stored,
)
from tests.assertions import assert_error
from tests.contents.threads import at_once

pytestmark = pytest.mark.django_db
SCOPES = {"users": "Users", "administrators": "Administrators"}


def assert_unchanged(account):
    after = stored(account)
    same = ("password", "password_stamp", account.PASSWORD_DATE, "count_of_failed_login", "last_activity_date")
    assert [getattr(after, name) for name in same] == [getattr(account, name) for name in same]


@both_kinds
def test_changes_the_password_and_answers_the_account(api, kind):
    account = stored(account_of(kind, count_of_login=3, count_of_failed_login=1))
    type(account).objects.update(**{account.PASSWORD_DATE: "2020-01-01 00:00:00"})
    response = reset(api, kind, account)
    assert response.status_code == 200
    after = stored(account)
    record = administrator_record(after) if kind == "administrators" else user_record(after, response.wsgi_request)
    assert response.json() == {"value": record}
    assert after.check_password(OTHER) and not after.check_password(PASSWORD)
    assert getattr(after, account.PASSWORD_DATE).year > 2020
    assert (after.count_of_login, after.count_of_failed_login, after.last_activity_date) == (3, 1, None)


@both_kinds
def test_the_new_password_signs_in_and_the_old_one_does_not(api, stranger, kind):
    account = account_of(kind)
    reset(api, kind, account)
    assert_error(log_in(stranger, kind, account, PASSWORD), 400, "sign_in_failed")
    assert_error(log_in(stranger, kind, account, md5_form(PASSWORD)), 400, "sign_in_failed")
    assert log_in(stranger, kind, account, OTHER).status_code == 200
    assert log_in(stranger, kind, account, md5_form(OTHER)).status_code == 200


@both_kinds
@pytest.mark.parametrize("typed", ["DESK", "desk@example.ORG", "13800000000"])
def test_finds_the_account_as_the_logins_do(api, kind, typed):
    account_of(kind, user_name="Desk", email="desk@example.org", mobile="13800000000")
    assert reset(api, kind, typed).status_code == 200


@both_kinds
def test_the_md5_may_be_in_upper_case(api, kind):
    account = account_of(kind)
    body = {"account": account.user_name, "password": md5_form(PASSWORD).upper(), "newPassword": OTHER}
    assert api.post(f"/api/v1/{kind}/actions/resetPassword", body).status_code == 200


@both_kinds
@pytest.mark.parametrize("old", [PASSWORD, md5_form(PASSWORD)[:-1], md5_form(PASSWORD) + "0", "g" * 32])
def test_the_old_password_must_come_as_md5(api, monkeypatch, kind, old):
    account = account_of(kind)
    body = {"account": account.user_name, "password": old, "newPassword": OTHER}
    with counted_hashings(monkeypatch) as done:
        refusal = assert_error(api.post(f"/api/v1/{kind}/actions/resetPassword", body), 400, "invalid_value")
    assert refusal["member"] == "password" and "MD5" in refusal["message"]
    assert done == []
    assert_unchanged(account)


@both_kinds
@pytest.mark.parametrize("member", ["account", "password", "newPassword"])
@pytest.mark.parametrize("value", ["", None])
def test_names_what_is_missing(api, kind, member, value):
    account = account_of(kind)
    body = {"account": account.user_name, "password": md5_form(PASSWORD), "newPassword": OTHER} | {member: value}
    refusal = assert_error(api.post(f"/api/v1/{kind}/actions/resetPassword", body), 400, "missing_member")
    assert refusal["member"] == member
    assert_unchanged(account)


@both_kinds
def test_refuses_unknown_wrong_and_locked_alike_and_for_the_same_work(api, monkeypatch, kind):
    account, locked = account_of(kind), account_of(kind, is_locked_out=True)
    api.get(f"/api/v1/{kind}")  # its key is known from here on
    answers, costs = set(), []
    for typed, old in [("nobody", PASSWORD), (account, OTHER), (locked, PASSWORD), (locked, OTHER)]:
        with counted_hashings(monkeypatch) as done, statements() as asked:
            response = reset(api, kind, typed, old)
        assert_error(response, 400, "sign_in_failed")
        answers.add(response.content)
        costs.append((list(done), [statement.split()[0] for statement in asked]))
    assert len(answers) == 1
    assert all(cost == costs[0] for cost in costs), costs
    assert_unchanged(account)
    assert_unchanged(locked)


def test_a_user_who_is_not_approved_is_refused(api):
    assert_error(reset(api, "users", account_of("users", is_checked=False)), 400, "sign_in_failed")


WEAK = ["abc12", "abcdef", "123456", "汉字汉字汉字", "x1" * 129, " "]


@both_kinds
@pytest.mark.parametrize("weak", WEAK)
def test_a_weak_new_password_is_refused(api, kind, weak):
    account = account_of(kind)
    refusal = assert_error(reset(api, kind, account, new=weak), 400, "password_too_weak")
    assert refusal["member"] == "newPassword"
    assert weak.strip() == "" or weak not in refusal["message"]
    assert_unchanged(account)


@both_kinds
def test_the_old_password_is_checked_first(api, kind):
    assert_error(reset(api, kind, account_of(kind), OTHER, "weak"), 400, "sign_in_failed")


@both_kinds
def test_the_same_password_may_be_set_again(api, kind):
    account = account_of(kind)
    before = stored(account)
    assert reset(api, kind, account, PASSWORD, PASSWORD).status_code == 200
    after = stored(account)
    assert after.check_password(PASSWORD)
    assert after.password != before.password and after.password_stamp != before.password_stamp


@pytest.mark.parametrize("kind", list(SCOPES))
def test_needs_the_scope_to_write(client_with_key, stranger, kind):
    account = account_of(kind)
    assert_error(reset(stranger, kind, account), 401, "key_missing")
    other = next(scope for name, scope in SCOPES.items() if name != kind)
    for scopes in ("", f"{SCOPES[kind]}:read", f"{other}:write"):
        assert_error(reset(client_with_key(scopes=scopes), kind, account), 401, "scope_missing")
    assert_unchanged(account)
    assert reset(client_with_key(scopes=f"{SCOPES[kind]}:write"), kind, account).status_code == 200


def test_a_change_stands_in_the_log_of_the_user(api):
    user = account_of("users")
    reset(api, "users", user, OTHER)
    reset(api, "users", user, REMOTE_ADDR="192.0.2.7")
    entry = UserLog.objects.get()
    assert (entry.user, entry.ip_address, entry.action) == (user, "192.0.2.7", "New password")
    assert OTHER not in entry.summary and PASSWORD not in entry.summary


@both_kinds
def test_a_change_succeeds_though_a_sign_in_has_just_stored_the_old_password_anew(api, monkeypatch, kind):
    account = account_of(kind)
    real = sign_in.raise_if_weak

    def renew_and_check(*arguments, **options):
        type(account).objects.update(password=hashers.encode_md5(md5_form(PASSWORD)))
        return real(*arguments, **options)

    monkeypatch.setattr(sign_in, "raise_if_weak", renew_and_check)
    assert reset(api, kind, account).status_code == 200
    assert stored(account).check_password(OTHER)


@pytest.mark.django_db(transaction=True)
@both_kinds
def test_of_parallel_changes_exactly_one_wins(api, settings, monkeypatch, kind):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 0
    monkeypatch.setattr(sign_in, "LANE", BoundedExecutor("tests", places=8))
    monkeypatch.setattr(sign_in, "PLACES_PER_NETWORK", 8)
    account = account_of(kind)
    candidates = [f"lantern-2{number}" for number in range(8)]
    acts = [lambda client, new=new: reset(client, kind, account, new=new) for new in candidates]
    answers = at_once(api.token, *acts)
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7
    winner = next(new for new, answer in zip(candidates, answers, strict=True) if answer.status_code == 200)
    assert stored(account).check_password(winner)
    for answer in answers:
        if answer.status_code == 400:
            assert_error(answer, 400, "sign_in_failed")
