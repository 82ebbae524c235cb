"""Failed sign-ins of one account from many addresses, and by several of its names."""

import json
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import attempts
from accounts.models import KnownAddress, User
from core import shared_counts
from core.lib import clock
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, both_kinds, counted_hashings, log_in, reset
from tests.assertions import assert_error

pytestmark = pytest.mark.django_db
OWN, NEW = {"REMOTE_ADDR": "192.0.2.7"}, {"REMOTE_ADDR": "198.51.100.9"}
STRETCHING = 100
WAYS = ["desk", "desk@port.example", "13800000000"]


@pytest.fixture(autouse=True)
def limits(settings):
    """Two failures of an account from an address, and five of it from everywhere."""
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT, settings.CMS_LOGIN_FAILURES_EVERYWHERE = 2, 5


@pytest.fixture(autouse=True)
def no_memory(monkeypatch):
    """Refusals are not remembered, so that each attempt asks the counts."""
    monkeypatch.setattr(attempts, "_TRUSTED_SECONDS", 0.0)


@pytest.fixture(autouse=True)
def stretched(monkeypatch):
    """Waits do not end while a test runs, however slow the machine is."""
    add = shared_counts.add
    monkeypatch.setattr(shared_counts, "add", lambda names, seconds: add(names, seconds=seconds * STRETCHING))


def desk(kind):
    return account_of(kind, **dict(zip(("user_name", "email", "mobile"), WAYS, strict=True)))


def guess_from_everywhere(client, kind, typed, times=6):
    """So many failures, each from another address."""
    for number in range(times):
        answer = log_in(client, kind, typed, OTHER, REMOTE_ADDR=f"203.0.113.{number}")
        assert_error(answer, 400, "sign_in_failed")


def answers(client, kind, typed, passwords, **options):
    """Status and code of each."""
    told = (log_in(client, kind, typed, password, **options) for password in passwords)
    return [(answer.status_code, json.loads(answer.content).get("code")) for answer in told]


FAILED, REFUSED, WELCOME = (400, "sign_in_failed"), (429, "too_many_failures"), (200, None)


@both_kinds
def test_a_stranger_keeps_the_owner_out_from_nowhere_else(stranger, kind):
    account = desk(kind)
    assert answers(stranger, kind, "desk", [OTHER] * 4) == [FAILED, FAILED, REFUSED, REFUSED]
    assert log_in(stranger, kind, account, PASSWORD, **OWN).status_code == 200


@both_kinds
def test_an_address_of_the_last_30_days_is_not_slowed(stranger, kind):
    account = desk(kind)
    assert log_in(stranger, kind, account, PASSWORD, **OWN).status_code == 200
    guess_from_everywhere(stranger, kind, "desk")
    assert answers(stranger, kind, "desk", [OTHER, OTHER, PASSWORD], **OWN) == [FAILED, FAILED, REFUSED]
    attempts.forget_refusals()
    assert answers(stranger, kind, "desk", [OTHER, PASSWORD], **(OWN | {"REMOTE_ADDR": "192.0.2.8"})) == [
        FAILED,
        REFUSED,
    ]


def test_after_30_days_it_is_an_address_like_any_other_and_is_forgotten(stranger):
    account = desk("users")
    assert log_in(stranger, "users", account, PASSWORD, **OWN).status_code == 200
    (known,) = KnownAddress.objects.all()
    assert "192.0.2.7" not in known.digest
    KnownAddress.objects.update(seen_at=clock.now() - timedelta(days=30, minutes=1))
    guess_from_everywhere(stranger, "users", "desk")
    assert answers(stranger, "users", "desk", [OTHER, PASSWORD], **OWN) == [FAILED, REFUSED]
    assert log_in(stranger, "users", account, PASSWORD, **NEW).status_code == 200
    assert not KnownAddress.objects.filter(pk=known.pk).exists()


def test_old_addresses_are_forgotten_before_one_is_renewed(stranger):
    # In the other order two sign-ins at once could wait for each other's rows.
    account = desk("users")
    with CaptureQueriesContext(connection) as done:
        assert log_in(stranger, "users", account, PASSWORD, **OWN).status_code == 200
    own = [each["sql"].split()[0] for each in done.captured_queries if KnownAddress._meta.db_table in each["sql"]]
    assert own == ["DELETE", "INSERT"]


@both_kinds
@pytest.mark.parametrize("typed", ["desk", "an unknown user"])
def test_a_new_address_has_one_attempt_at_once_and_then_waits(stranger, monkeypatch, kind, typed):
    desk(kind)
    guess_from_everywhere(stranger, kind, typed)
    assert answers(stranger, kind, typed, [OTHER], **NEW) == [FAILED]
    with counted_hashings(monkeypatch) as done:
        response = log_in(stranger, kind, typed, PASSWORD, **NEW)
    assert_error(response, 429, "too_many_failures")
    assert 0 < int(response.headers["Retry-After"]) <= 2 * STRETCHING
    assert done == []


def test_the_wait_ends(stranger):
    account = desk("users")
    guess_from_everywhere(stranger, "users", "desk")
    assert answers(stranger, "users", "desk", [OTHER, PASSWORD], **NEW) == [FAILED, REFUSED]
    subjects = attempts._subjects(User, "desk", account)
    shared_counts.forget(f"{attempts._pair_name(subject, NEW['REMOTE_ADDR'])} after a wait" for subject in subjects)
    assert log_in(stranger, "users", account, PASSWORD, **NEW).status_code == 200


def test_the_wait_doubles_with_the_failures_up_to_five_minutes(settings, monkeypatch):
    asked = []
    once = lambda names, seconds: asked.append(seconds) or {names[0]: SimpleNamespace(number=1)}  # noqa: E731
    monkeypatch.setattr(shared_counts, "add", once)
    settings.CMS_LOGIN_FAILURES_EVERYWHERE = 100
    for failures in (101, 250, 899, 1000, 10**9):
        attempts._wait(attempts.Attempt(), "desk", "192.0.2.7", failures)
    assert asked == [2, 4, 256, 300, 300]


def test_zero_slows_nobody(stranger, settings):
    settings.CMS_LOGIN_FAILURES_EVERYWHERE = 0
    account = desk("users")
    guess_from_everywhere(stranger, "users", "desk", 12)
    assert answers(stranger, "users", "desk", [OTHER], **NEW) == [FAILED]
    assert log_in(stranger, "users", account, PASSWORD, **NEW).status_code == 200


@both_kinds
def test_other_names_of_an_account_give_no_more_guesses_and_do_not_show_it(stranger, api, kind):
    desk(kind)
    assert answers(stranger, kind, "desk", [OTHER] * 2) == [FAILED] * 2
    # The right password fails as it would for an account that there is not.
    assert answers(stranger, kind, WAYS[1], [PASSWORD, PASSWORD, PASSWORD]) == [FAILED, FAILED, REFUSED]
    assert_error(reset(api, kind, WAYS[2], PASSWORD), 400, "sign_in_failed")
    assert answers(stranger, kind, "nobody@port.example", [OTHER, OTHER, OTHER]) == [FAILED, FAILED, REFUSED]


def test_other_names_are_slowed_without_showing_it(stranger):
    desk("users")
    guess_from_everywhere(stranger, "users", "desk")
    assert answers(stranger, "users", WAYS[1], [OTHER, PASSWORD], **NEW) == [FAILED, FAILED]


def test_a_place_for_hashing_that_was_not_free_costs_no_wait(stranger, monkeypatch):
    account = desk("users")
    guess_from_everywhere(stranger, "users", "desk")

    def busy(*_):
        raise attempts.LimitReached("busy", "Busy.", wait=1)

    with monkeypatch.context() as patch:
        patch.setattr("accounts.sign_in._is_right", busy)
        assert answers(stranger, "users", "desk", [PASSWORD], **NEW) == [(429, "busy")]
    assert log_in(stranger, "users", account, PASSWORD, **NEW).status_code == 200
