"""Sign-ins of administrators and their failures, with reasons for operators, and what bounds them."""

import pytest
from django.test import Client

from accounts import attempts
from tests.accounts.signing_in import (  # noqa: F401 - a fixture that runs by itself
    OTHER,
    PASSWORD,
    account_of,
    log_in,
    nothing_counted,
    reset,
    statements,
)
from tests.audit.noting import noted, only

pytestmark = pytest.mark.django_db
ADDRESS = "192.0.2.7"


@pytest.fixture(autouse=True)
def nothing_noted(monkeypatch):
    """No failures of other tests, which the process remembers."""
    monkeypatch.setattr(attempts, "allowance", attempts._Allowance())


def by_api(stranger, typed, password):
    return log_in(stranger, "administrators", typed, password, REMOTE_ADDR=ADDRESS)


def by_page(stranger, typed, password):
    return Client().post("/admin/login/", {"username": typed, "password": password}, REMOTE_ADDR=ADDRESS)


ways = pytest.mark.parametrize("way", [by_api, by_page])


@ways
def test_a_sign_in_is_noted(stranger, way):
    desk = account_of("administrators", user_name="desk", email="desk@example.org")
    with noted() as entries:
        answer = way(stranger, "desk@example.org", PASSWORD)
    entry = only(entries)
    assert (entry.action, entry.actor_kind) == ("administrator.signed_in", "administrator")
    assert (entry.actor_name, entry.administrator_id, entry.object_id) == ("desk", desk.pk, str(desk.pk))
    assert (entry.address, entry.request_id) == (ADDRESS, answer.headers["X-Request-Id"])


# The account's state, the password, the reason.
REASONS = {
    "wrong password": ({}, OTHER, "wrong_password"),
    "locked": ({"is_locked_out": True}, PASSWORD, "locked"),
    "locked and wrong": ({"is_locked_out": True}, OTHER, "wrong_password"),
    "shut out": ({"count_of_failed_login": 9}, PASSWORD, "shut_out"),
}


@ways
@pytest.mark.parametrize(("state", "password", "reason"), REASONS.values(), ids=list(REASONS))
def test_a_failure_tells_operators_why(stranger, settings, way, state, password, reason):
    settings.CMS_LOCKOUT = "forever"
    account_of("administrators", user_name="desk", **state)
    with noted() as entries:
        way(stranger, "desk", password)
    entry = only(entries)
    assert (entry.action, entry.details) == ("administrator.sign_in_failed", {"reason": reason})
    assert (entry.actor_kind, entry.actor_name, entry.object_name) == ("stranger", "", "desk")
    assert entry.address == ADDRESS


@ways
def test_a_failure_of_nobody_holds_nothing_of_what_was_typed(stranger, way):
    with noted() as entries:
        way(stranger, "my-passw0rd-typed-as-name", OTHER)
    entry = only(entries)
    assert entry.details == {"reason": "unknown_account"}
    assert (entry.actor_name, entry.object_type, entry.object_id, entry.object_name) == ("", "", "", "")


def test_the_failure_that_reaches_a_limit_says_so_and_refusals_leave_nothing(stranger, settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT, settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 2, 3
    account_of("administrators", user_name="desk")
    with noted() as entries:
        answers = [by_api(stranger, "desk", OTHER) for _ in range(5)]
        answers += [by_api(stranger, "an unknown user", OTHER) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [400, 400, 429, 429, 429, 400, 429, 429, 429, 429]
    assert [entry.details.get("limits") for entry in entries] == [None, ["account"], ["address"]]


def test_a_flood_of_unknown_names_is_noted_so_far_and_then_counted(stranger, monkeypatch, settings):
    settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 0
    monkeypatch.setattr(attempts, "UNKNOWN_ACCOUNTS", 2)
    desk = account_of("administrators", user_name="desk")
    with noted() as entries:
        for number in range(4):
            by_api(stranger, f"nobody {number}", OTHER)
        by_api(stranger, "desk", OTHER)  # whom there is always has an entry
    assert [entry.object_name for entry in entries] == ["", "", desk.user_name]
    attempts.allowance._ends = 0.0  # a quarter of an hour later
    with noted() as entries:
        by_api(stranger, "nobody 5", OTHER)
        by_api(stranger, "nobody 6", OTHER)
    assert [entry.details.get("not_noted_before") for entry in entries] == [2, None]


@pytest.mark.parametrize("left", [200, 0])
def test_an_unknown_account_costs_the_statements_of_a_known_one(stranger, settings, monkeypatch, left):
    settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 0
    monkeypatch.setattr(attempts, "UNKNOWN_ACCOUNTS", left)
    account_of("administrators", user_name="desk")
    costs = []
    for typed in ("desk", "nobody"):
        with statements() as asked:
            by_api(stranger, typed, OTHER)
        costs.append([statement.split()[0] for statement in asked])
    known, unknown = costs
    assert len(known) == len(unknown), costs
    assert unknown.count("INSERT") == known.count("INSERT")


def test_users_stand_in_their_own_log(stranger):
    account_of("users", user_name="reader1")
    with noted() as entries:
        log_in(stranger, "users", "reader1", PASSWORD)
        log_in(stranger, "users", "reader1", OTHER)
    assert entries == []


def test_a_refused_change_of_a_password_is_noted(api):
    account_of("administrators", user_name="desk")
    with noted() as entries:
        reset(api, "administrators", "desk", old=OTHER)
        reset(api, "administrators", "nobody", old=OTHER)
    assert [(entry.action, entry.actor_kind, entry.object_name) for entry in entries] == [
        ("administrator.identity_not_confirmed", "key", "desk"),
        ("administrator.identity_not_confirmed", "key", ""),
    ]
