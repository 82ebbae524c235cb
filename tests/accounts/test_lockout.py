"""CMS_LOCKOUT: an account that is shut out after wrong passwords in succession."""

from datetime import timedelta

import pytest

from accounts.models import Administrator
from core.lib import clock
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, both_kinds, counted_hashings, log_in, reset, stored
from tests.assertions import assert_error

pytestmark = pytest.mark.django_db


def shut_out(kind, ago=timedelta(minutes=5), **fields):
    """An account with three failures in succession, the last of them so long ago."""
    return account_of(kind, **({"count_of_failed_login": 3, "last_activity_date": clock.now() - ago} | fields))


@both_kinds
def test_without_the_setting_nobody_is_shut_out(stranger, kind):
    account = shut_out(kind, count_of_failed_login=1000)
    assert log_in(stranger, kind, account, PASSWORD).status_code == 200


@both_kinds
@pytest.mark.parametrize("lockout", ["hours", "forever"])
def test_the_third_failure_shuts_out(stranger, settings, kind, lockout):
    settings.CMS_LOCKOUT = lockout
    account = account_of(kind)
    for _ in range(2):
        log_in(stranger, kind, account, OTHER)
    assert log_in(stranger, kind, account, PASSWORD).status_code == 200
    for _ in range(3):
        log_in(stranger, kind, account, OTHER)
    refusal = log_in(stranger, kind, account, PASSWORD)
    assert_error(refusal, 400, "sign_in_failed")
    assert refusal.content == log_in(stranger, kind, "nobody", PASSWORD).content


@both_kinds
def test_the_number_of_failures_is_a_setting(stranger, settings, kind):
    settings.CMS_LOCKOUT, settings.CMS_LOCKOUT_FAILURES = "hours", 4
    assert log_in(stranger, kind, shut_out(kind), PASSWORD).status_code == 200
    assert_error(log_in(stranger, kind, shut_out(kind, count_of_failed_login=4), PASSWORD), 400, "sign_in_failed")


@both_kinds
@pytest.mark.parametrize("ago, status", [(timedelta(minutes=89), 400), (timedelta(minutes=91), 200)])
def test_hours_end(stranger, settings, kind, ago, status):
    settings.CMS_LOCKOUT, settings.CMS_LOCKOUT_HOURS = "hours", 1.5
    assert log_in(stranger, kind, shut_out(kind, ago), PASSWORD).status_code == status


@both_kinds
def test_for_ever_does_not_end(stranger, settings, kind):
    settings.CMS_LOCKOUT = "forever"
    account = shut_out(kind, timedelta(days=4000))
    assert_error(log_in(stranger, kind, account, PASSWORD), 400, "sign_in_failed")


@both_kinds
def test_a_success_ends_the_succession(stranger, settings, kind):
    settings.CMS_LOCKOUT = "hours"
    account = shut_out(kind, timedelta(hours=4))
    assert log_in(stranger, kind, account, PASSWORD).json()["value"]["countOfFailedLogin"] == 0
    for _ in range(2):
        log_in(stranger, kind, account, OTHER)
    assert log_in(stranger, kind, account, PASSWORD).status_code == 200


def test_an_attempt_of_a_shut_out_administrator_starts_the_wait_again(stranger, settings):
    settings.CMS_LOCKOUT = "hours"
    account = shut_out("administrators")
    log_in(stranger, "administrators", account, PASSWORD)
    after = stored(account)
    assert after.count_of_failed_login == 4
    assert after.last_activity_date > account.last_activity_date


def test_the_right_password_of_a_shut_out_user_does_not_start_the_wait_again(stranger, settings):
    settings.CMS_LOCKOUT = "hours"
    account = shut_out("users")
    log_in(stranger, "users", account, PASSWORD)
    assert stored(account).last_activity_date == account.last_activity_date
    log_in(stranger, "users", account, OTHER)
    assert stored(account).last_activity_date > account.last_activity_date


@both_kinds
def test_without_a_date_hours_have_passed(stranger, settings, kind):
    settings.CMS_LOCKOUT = "hours"
    assert log_in(stranger, kind, shut_out(kind, last_activity_date=None), PASSWORD).status_code == 200


@both_kinds
def test_a_shut_out_account_is_hashed_all_the_same(stranger, settings, monkeypatch, kind):
    settings.CMS_LOCKOUT = "forever"
    account = shut_out(kind)
    with counted_hashings(monkeypatch) as done:
        log_in(stranger, kind, account, PASSWORD)
    assert done == ["verify"]


@both_kinds
def test_a_shut_out_account_does_not_change_its_password(api, settings, kind):
    settings.CMS_LOCKOUT = "forever"
    account = shut_out(kind)
    assert_error(reset(api, kind, account), 400, "sign_in_failed")
    assert stored(account).count_of_failed_login == 3


def test_a_shut_out_administrator_still_counts_as_unlocked(stranger, settings):
    settings.CMS_LOCKOUT = "forever"
    account = shut_out("administrators")
    log_in(stranger, "administrators", account, PASSWORD)
    assert Administrator.objects.get(pk=account.pk).is_locked_out is False


@both_kinds
def test_unlocking_through_the_api_lets_sign_in_again(api, stranger, settings, kind):
    settings.CMS_LOCKOUT = "forever"
    account = shut_out(kind)
    assert_error(log_in(stranger, kind, account, PASSWORD), 400, "sign_in_failed")
    answer = api.put(f"/api/v1/{kind}/{account.pk}", {"isLockedOut": False})
    assert answer.json()["value"]["countOfFailedLogin"] == 0
    assert log_in(stranger, kind, account, PASSWORD).status_code == 200


@both_kinds
def test_a_record_that_is_sent_back_leaves_the_failures_counted(api, settings, kind):
    settings.CMS_LOCKOUT = "forever"
    account = account_of(kind, count_of_failed_login=2)
    assert api.put(f"/api/v1/{kind}/{account.pk}", {"isLockedOut": False}).status_code == 200
    assert stored(account).count_of_failed_login == 2


def test_the_last_administrator_who_is_not_shut_out_stays(api, settings):
    settings.CMS_LOCKOUT = "forever"
    shut_out("administrators")
    owner = Administrator.objects.exclude(count_of_failed_login=3).get()
    assert_error(api.delete(f"/api/v1/administrators/{owner.pk}"), 400, "last_administrator")


@both_kinds
@pytest.mark.parametrize(
    "failed,minute,fold,status",
    [
        (("02:00", 0), "02:29", 0, 400),
        (("02:00", 0), "02:10", 1, 200),  # after 70 minutes
        (("02:10", 1), "02:39", 1, 400),
        (("02:10", 1), "02:41", 1, 200),
    ],
)
def test_the_end_is_kept_when_clocks_go_back(stranger, settings, kind, autumn, failed, minute, fold, status):
    settings.CMS_LOCKOUT, settings.CMS_LOCKOUT_HOURS = "hours", 0.5
    autumn(*failed)
    account = account_of(kind)
    for _ in range(3):
        log_in(stranger, kind, account, OTHER)
    autumn(minute, fold)
    assert log_in(stranger, kind, account, PASSWORD).status_code == status
