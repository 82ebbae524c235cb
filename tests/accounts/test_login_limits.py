"""CMS_LOGIN_FAILURES_PER_ACCOUNT, _PER_ADDRESS and _EVERYWHERE: failed sign-ins in 15 minutes."""

from types import SimpleNamespace

import pytest
from django.db import DatabaseError, connection

from accounts import attempts, sign_in
from accounts.models import User
from core.lib import clock
from core.lib.folding import fold
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
HERE, ELSEWHERE = {"REMOTE_ADDR": "192.0.2.7"}, {"REMOTE_ADDR": "198.51.100.9"}


@pytest.fixture
def three(settings):
    """At most three failures for an account, any number from an address."""
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT, settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 3, 0


@pytest.fixture
def three_from_here(settings):
    """At most three failures from an address, any number for an account."""
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT, settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 0, 3


@pytest.fixture
def hand(monkeypatch):
    """The clock of what is remembered, moved by hand."""
    moved = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(attempts, "time", SimpleNamespace(monotonic=lambda: moved.seconds))
    return moved


def fail(client, kind, account, times=3, **options):
    for _ in range(times):
        assert_error(log_in(client, kind, account, OTHER, **options), 400, "sign_in_failed")


def assert_too_many(response):
    assert_error(response, 429, "too_many_failures")
    assert 0 < int(response.headers["Retry-After"]) <= 900


@both_kinds
def test_beyond_the_limit_an_account_has_to_wait_even_with_the_right_password(stranger, monkeypatch, three, kind):
    account = account_of(kind)
    fail(stranger, kind, account)
    with counted_hashings(monkeypatch) as done:
        assert_too_many(log_in(stranger, kind, account, OTHER))
        assert_too_many(log_in(stranger, kind, account, PASSWORD))
    assert done == []
    assert stored(account).count_of_failed_login == 3
    assert log_in(stranger, kind, account, PASSWORD, **ELSEWHERE).status_code == 200


@both_kinds
def test_an_unknown_account_is_limited_alike(stranger, three, kind):
    fail(stranger, kind, "nobody")
    assert_too_many(log_in(stranger, kind, "nobody", OTHER))


@pytest.mark.parametrize("typed", ["Istanbul", "istanbul", " ISTANBUL ", "\u0130stanbul", "\u0131stanbul"])
def test_spellings_that_a_database_may_take_for_one_name_are_counted_together(stranger, three, typed):
    fail(stranger, "users", "istanbul")
    assert_too_many(log_in(stranger, "users", typed, OTHER))


def test_every_letter_is_counted_as_the_database_writes_it_small(db):
    letters = [chr(code) for code in range(0x20, 0x3000) if chr(code).isalpha()]
    with connection.cursor() as cursor:
        for letter in letters:
            cursor.execute("SELECT LOWER(%s)", [letter])
            small = cursor.fetchone()[0]
            assert fold(letter) == fold(small), letter


def test_users_and_administrators_of_one_name_are_counted_apart(stranger, three):
    account_of("administrators", user_name="desk")
    fail(stranger, "users", "desk")
    assert log_in(stranger, "administrators", "desk", PASSWORD).status_code == 200


@both_kinds
def test_beyond_the_limit_an_address_has_to_wait_whatever_the_account(stranger, monkeypatch, three_from_here, kind):
    account = account_of(kind)
    for name in ("one", "two", account):
        fail(stranger, kind, name, 1, **HERE)
    with counted_hashings(monkeypatch) as done:
        assert_too_many(log_in(stranger, kind, account, PASSWORD, **HERE))
        assert_too_many(log_in(stranger, "users", "three", OTHER, **HERE))
    assert done == []
    assert log_in(stranger, kind, account, PASSWORD, **ELSEWHERE).status_code == 200


def test_without_an_address_there_is_no_limit_of_addresses(stranger, three_from_here):
    for name in "abcde":
        fail(stranger, "users", name, 1, REMOTE_ADDR="")


def test_zero_switches_a_limit_off(stranger, settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 0
    account = account_of("users")
    fail(stranger, "users", account, 12)
    assert log_in(stranger, "users", account, PASSWORD).status_code == 200


@both_kinds
def test_a_success_does_not_count(stranger, three, kind):
    account = account_of(kind)
    fail(stranger, kind, account, 2)
    for _ in range(4):
        assert log_in(stranger, kind, account, PASSWORD).status_code == 200
    fail(stranger, kind, account, 1)
    assert_too_many(log_in(stranger, kind, account, PASSWORD))


@both_kinds
def test_a_change_of_the_password_counts_its_failures_with_the_logins(stranger, api, three, kind):
    account = account_of(kind)
    fail(stranger, kind, account, 2)
    assert_error(reset(api, kind, account, OTHER), 400, "sign_in_failed")
    assert_too_many(reset(api, kind, account))
    assert_too_many(log_in(stranger, kind, account, PASSWORD))
    assert stored(account).check_password(PASSWORD)


def test_what_an_account_is_refused_does_not_count_for_the_address(stranger, settings, hand):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT, settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 1, 3
    fail(stranger, "users", "desk", 1, **HERE)
    for _ in range(6):
        hand.seconds += 2
        assert_too_many(log_in(stranger, "users", "desk", OTHER, **HERE))
    fail(stranger, "users", "other", 1, **HERE)


def test_what_an_address_is_refused_does_not_count_for_the_account(stranger, settings, hand):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT, settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 2, 1
    account = account_of("users")
    fail(stranger, "users", "other", 1, **HERE)
    for _ in range(6):
        hand.seconds += 2
        assert_too_many(log_in(stranger, "users", account, OTHER, **HERE))
    assert log_in(stranger, "users", account, PASSWORD, **ELSEWHERE).status_code == 200


class TakenMeanwhile(BoundedExecutor):
    """A lane whose last place was taken between the first look and the work."""

    def raise_if_full(self):
        pass


def test_when_every_place_for_hashing_is_taken_a_sign_in_writes_nothing(stranger, monkeypatch):
    monkeypatch.setattr(sign_in, "LANE", BoundedExecutor("tests", places=0))
    with counted_hashings(monkeypatch) as done, statements() as asked:
        assert_error(log_in(stranger, "users", "desk", OTHER), 429, "busy")
    assert done == []
    assert [statement.split()[0] for statement in asked] == ["SELECT", "SELECT"]


@both_kinds
def test_when_every_place_for_hashing_is_taken_a_known_address_has_one(stranger, monkeypatch, kind):
    account = account_of(kind)
    assert log_in(stranger, kind, account, PASSWORD, **HERE).status_code == 200
    monkeypatch.setattr(sign_in, "LANE", BoundedExecutor("tests", places=0))
    assert_error(log_in(stranger, kind, account, PASSWORD, **ELSEWHERE), 429, "busy")
    assert log_in(stranger, kind, account, PASSWORD, **HERE).status_code == 200


@pytest.mark.parametrize("lane", [BoundedExecutor, TakenMeanwhile])
def test_when_every_place_for_hashing_is_taken_nothing_counts(stranger, monkeypatch, three, lane):
    account = account_of("users")
    with monkeypatch.context() as patch:
        patch.setattr(sign_in, "LANE", lane("tests", places=0))
        for _ in range(5):
            response = log_in(stranger, "users", account, OTHER)
            assert response.status_code == 429
            assert int(response.headers["Retry-After"]) > 0
    assert stored(account).count_of_failed_login == 0
    fail(stranger, "users", account)


def test_an_error_of_ours_does_not_count(stranger, monkeypatch, three):
    account = account_of("users")

    def break_down(*_):
        raise DatabaseError

    with monkeypatch.context() as patch:
        patch.setattr(sign_in, "find_by_account", break_down)
        for _ in range(5):
            assert_error(log_in(stranger, "users", account, OTHER), 500, "server_error")
    fail(stranger, "users", account)


def test_a_full_count_is_remembered_so_that_a_flood_costs_no_statement(stranger, monkeypatch, three, hand):
    fail(stranger, "users", "desk")
    assert_too_many(log_in(stranger, "users", "desk", OTHER))
    with counted_hashings(monkeypatch) as done, statements() as asked:
        for _ in range(20):
            assert_too_many(log_in(stranger, "users", "desk", OTHER))
    assert (done, asked) == ([], [])


def test_a_full_count_is_believed_for_a_second_only(stranger, three, hand):
    account = account_of("users")
    fail(stranger, "users", account)
    assert_too_many(log_in(stranger, "users", account, PASSWORD))
    # As another node does it.
    User.objects.update(unlocked_at=clock.now())
    hand.seconds += 0.9
    assert_too_many(log_in(stranger, "users", account, PASSWORD))
    hand.seconds += 0.2
    assert log_in(stranger, "users", account, PASSWORD).status_code == 200


def test_no_more_than_so_many_full_counts_are_remembered(stranger, monkeypatch, settings, hand):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT, settings.CMS_LOGIN_FAILURES_PER_ADDRESS = 1, 0
    monkeypatch.setattr(attempts, "_MAX_REMEMBERED", 3)
    for number in range(8):
        fail(stranger, "users", f"nobody{number}", 1)
        assert_too_many(log_in(stranger, "users", f"nobody{number}", OTHER))
        assert len(attempts._refused) <= 4


@pytest.mark.django_db(transaction=True)
@both_kinds
@pytest.mark.parametrize("is_known", [True, False])
def test_of_eighty_parallel_failures_the_limit_reaches_the_hasher(settings, monkeypatch, kind, is_known):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 10
    monkeypatch.setattr(sign_in, "LANE", BoundedExecutor("tests", places=200))
    monkeypatch.setattr(sign_in, "PLACES_PER_NETWORK", 200)
    account = account_of(kind) if is_known else "nobody"
    ten = lambda client: [log_in(client, kind, account, OTHER) for _ in range(10)]  # noqa: E731
    with counted_hashings(monkeypatch) as done:
        answers = [answer for answers in at_once(None, *[ten] * 8) for answer in answers]
    assert len(done) == 10
    codes = [(answer.status_code, answer.json()["code"]) for answer in answers]
    assert sorted(codes) == [(400, "sign_in_failed")] * 10 + [(429, "too_many_failures")] * 70
    if is_known:
        assert stored(account).count_of_failed_login == 10


@pytest.mark.django_db(transaction=True)
@both_kinds
def test_parallel_successes_are_all_counted(settings, monkeypatch, kind):
    monkeypatch.setattr(sign_in, "LANE", BoundedExecutor("tests", places=200))
    monkeypatch.setattr(sign_in, "PLACES_PER_NETWORK", 200)
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 0
    account = account_of(kind)
    answers = at_once(None, *[lambda client: log_in(client, kind, account, PASSWORD)] * 12)
    shown = sorted(answer.json()["value"]["countOfLogin"] for answer in answers)
    assert shown == list(range(1, 13))
    assert stored(account).count_of_login == 12


def test_one_address_does_not_take_every_place_of_a_lane(stranger):
    account = account_of("users")
    with attempts.at_once("203.0.113.1", 2), attempts.at_once("203.0.113.1", 2):
        options = {"REMOTE_ADDR": "203.0.113.1"}
        assert_error(log_in(stranger, "users", account, PASSWORD, **options), 429, "busy")
        assert log_in(stranger, "users", account, PASSWORD, REMOTE_ADDR="203.0.113.2").status_code == 200
    assert log_in(stranger, "users", account, PASSWORD, **options).status_code == 200
    assert not attempts._under_way
