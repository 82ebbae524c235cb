"""The life of a key: expiry, revocation, reset, rotation, and what becomes of its owner.

Each test calls before the change as well, so that what a process remembers of the key is tested too.
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from io import StringIO
from threading import Barrier

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from apikeys.models import ApiKey, ApiKeyToken
from core.lib import clock
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory, UserFactory
from tests.wire.addresses import single

# Changes count when they are committed, so these tests commit.
pytestmark = pytest.mark.django_db(transaction=True)


class Clock:
    """The time, moved by hand."""

    def __init__(self):
        self.time = datetime.now().replace(microsecond=0)

    def now(self):
        return self.time

    def move(self, **amount):
        self.time += timedelta(**amount)


@pytest.fixture
def moved(monkeypatch):
    hands = Clock()
    monkeypatch.setattr(clock, "now", hands.now)
    return hands


@pytest.fixture
def path():
    return single(ContentFactory())


def opens(token, path):
    return ApiClient(token).get(path).status_code == 200


def refusal(token, path):
    return assert_error(ApiClient(token).get(path), 401)["code"]


def test_a_key_ends_at_its_expiry_and_not_before(path, moved):
    token = ApiKeyFactory(expires_at=moved.now() + timedelta(minutes=1)).token
    assert opens(token, path)
    moved.move(seconds=59)
    assert opens(token, path)
    moved.move(seconds=1)
    assert refusal(token, path) == "key_expired"


# Clocks go back from 03:00 to 02:00: minutes of the first and of the second pass.


def test_an_expired_key_stays_expired_when_clocks_go_back(path, autumn):
    AdministratorFactory()
    autumn("02:00")
    call_command("create_api_key", "k2", "--all-scopes", "--expires", "30m", stdout=(out := StringIO()))
    token = out.getvalue().strip()
    assert opens(token, path)
    autumn("02:45")
    assert refusal(token, path) == "key_expired"
    for minute in ("02:10", "02:29", "02:40"):
        autumn(minute, 1)
        assert refusal(token, path) == "key_expired"
        assert ApiKey.objects.in_state("key_expired").count() == 1
    autumn("03:01")
    assert refusal(token, path) == "key_expired"


@pytest.mark.parametrize("start,fold,valid,over", [("02:50", 0, "02:19", "02:20"), ("02:10", 1, "02:39", "02:40")])
def test_a_key_of_minutes_ends_after_them_also_within_the_repeated_hour(path, autumn, start, fold, valid, over):
    autumn(start, fold)
    key = ApiKeyFactory(expires_at=clock.steady(timedelta(minutes=30)))
    autumn(valid, 1)
    assert opens(key.token, path)
    autumn(over, 1)
    assert refusal(key.token, path) == "key_expired"


def test_the_old_token_of_a_rotation_stays_ended_when_clocks_go_back(path, autumn):
    autumn("02:00")
    key = ApiKeyFactory()
    token = key.rotate(timedelta(minutes=30))
    autumn("02:40")
    assert refusal(key.token, path) == "key_expired"
    autumn("02:10", 1)
    assert refusal(key.token, path) == "key_expired"
    assert opens(token, path)


def test_a_key_whose_expiry_is_moved_into_the_past_ends_at_once(path, moved):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    key.expires_at = moved.now() - timedelta(seconds=1)
    key.save()
    assert refusal(key.token, path) == "key_expired"


def test_an_expired_key_can_be_prolonged(path, moved):
    key = ApiKeyFactory(expires_at=moved.now())
    assert refusal(key.token, path) == "key_expired"
    key.expires_at = moved.now() + timedelta(days=1)
    key.save()
    assert opens(key.token, path)


def test_a_revoked_key_is_refused_at_once_and_stays_on_record(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    key.revoke()
    assert refusal(key.token, path) == "key_revoked"
    assert ApiKey.objects.get().revoked_at is not None


def test_rotation_does_not_revive_a_revoked_key(path):
    key = ApiKeyFactory()
    key.revoke()
    assert refusal(key.rotate(timedelta(hours=1)), path) == "key_revoked"


def test_a_deleted_key_is_unknown_at_once(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    key.delete()
    assert refusal(key.token, path) == "key_unknown"


def test_reset_replaces_the_token_at_once(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    token = key.reset()
    assert refusal(key.token, path) == "key_unknown"
    assert opens(token, path)
    assert key.tokens.count() == 1


def test_reset_ends_a_token_that_still_overlaps(path):
    key = ApiKeyFactory()
    second = key.rotate(timedelta(hours=1))
    third = key.reset()
    assert refusal(key.token, path) == refusal(second, path) == "key_unknown"
    assert opens(third, path)


def test_rotation_without_overlap_is_a_reset(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    token = key.rotate(timedelta(0))
    assert refusal(key.token, path) == "key_unknown"
    assert opens(token, path)


def test_during_the_overlap_both_tokens_are_valid_and_then_the_old_one_ends(path, moved):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    token = key.rotate(timedelta(minutes=30))
    assert opens(key.token, path)
    assert opens(token, path)
    moved.move(minutes=29, seconds=59)
    assert opens(key.token, path)
    moved.move(seconds=1)
    assert refusal(key.token, path) == "key_expired"
    assert opens(token, path)
    moved.move(days=3650)
    assert opens(token, path)


def test_there_are_never_three_valid_tokens(path):
    key = ApiKeyFactory()
    second = key.rotate(timedelta(days=7))
    assert opens(key.token, path)
    assert opens(second, path)
    third = key.rotate(timedelta(days=7))
    assert refusal(key.token, path) == "key_unknown"
    assert opens(second, path)
    assert opens(third, path)
    assert key.tokens.count() == 2


def test_rotation_keeps_name_scopes_owner_and_expiry(path, moved):
    key = ApiKeyFactory(scopes="Contents:read", expires_at=moved.now() + timedelta(days=1))
    before = ApiKey.objects.values().get()
    token = key.rotate(timedelta(hours=1))
    after = ApiKey.objects.values().get()
    assert before | {"updated_at": None} == after | {"updated_at": None}
    assert assert_error(ApiClient(token).put(path, {}), 401)["code"] == "scope_missing"
    moved.move(days=1)
    assert refusal(token, path) == "key_expired"


def test_of_many_rotations_at_once_two_tokens_remain(path):
    key, count = ApiKeyFactory(), 8
    barrier = Barrier(count)

    def rotate():
        barrier.wait()
        try:
            return ApiKey.objects.get(pk=key.pk).rotate(timedelta(hours=1))
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        made = [future.result() for future in [pool.submit(rotate) for _ in range(count)]]
    assert sum(opens(token, path) for token in made) == 2
    assert sorted(key.tokens.values_list("slot", flat=True)) == [0, 1]
    assert ApiKeyToken.objects.get(slot=0).valid_until is None


def test_scopes_that_are_taken_away_are_gone_at_once(path):
    key = ApiKeyFactory(scopes="Contents")
    assert opens(key.token, path)
    key.scopes = "STL"
    key.save()
    assert refusal(key.token, path) == "scope_missing"


def test_sites_that_are_taken_away_are_gone_at_once(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    key.site_ids = "1000000"
    key.save()
    assert refusal(key.token, path) == "site_not_allowed"


def test_a_key_is_refused_while_its_owner_is_locked(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    owner = key.administrator
    owner.is_locked_out = True
    owner.save()
    assert refusal(key.token, path) == "key_owner_locked"
    owner.is_locked_out = False
    owner.save()
    assert opens(key.token, path)


def test_a_key_goes_with_its_owner(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    key.administrator.delete()
    assert refusal(key.token, path) == "key_unknown"
    assert not ApiKey.objects.exists()


def test_an_owner_who_loses_the_highest_rank_takes_the_sites_from_the_key(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    owner = key.administrator
    owner.is_superuser = False
    owner.save()
    assert refusal(key.token, path) == "site_not_allowed"
    owner.site_id_collection = path.split("/")[4]
    owner.save()
    assert opens(key.token, path)


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize("scope", ["Administrators", "Users", "System"])
def test_an_owner_who_loses_the_highest_rank_takes_what_belongs_to_no_site_from_the_key(scope):
    key = ApiKeyFactory(scopes=scope)
    probe = f"/api/v1/probe/scope/{scope}"
    assert opens(key.token, probe)
    owner = key.administrator
    owner.is_superuser = False
    owner.site_id_collection = "1,2,3"
    owner.save()
    assert refusal(key.token, probe) == "scope_missing"


def test_a_key_that_changes_hands_follows_its_new_owner(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    key.administrator = AdministratorFactory(is_superuser=False)
    key.save()
    assert refusal(key.token, path) == "site_not_allowed"


def test_a_change_that_is_taken_back_counts_for_nothing(path):
    key = ApiKeyFactory()
    with transaction.atomic():
        key.revoke()
        transaction.set_rollback(True)
    assert opens(key.token, path)


def test_what_others_do_leaves_the_key_alone(path):
    key = ApiKeyFactory()
    assert opens(key.token, path)
    other = ApiKeyFactory(name="other")
    other.revoke()
    other.administrator.delete()
    UserFactory().delete()
    assert opens(key.token, path)
