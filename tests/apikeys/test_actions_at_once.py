"""Acts on keys that happen at the same moment: one wins, the others are told, nothing is half done."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from apikeys.models import ApiKey, ApiKeyToken, KeyChanged
from core.audit.models import AuditEntry
from tests.factories import AdministratorFactory, ApiKeyFactory

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*admin_actions):
    """What each act answers or raises, all begun together in threads of their own."""
    barrier = Barrier(len(admin_actions))

    def run(action):
        try:
            barrier.wait(60)
            return action()
        except Exception as error:  # noqa: BLE001 - the outcome is the claim
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(admin_actions)) as pool:
        return list(pool.map(run, admin_actions))


ACTIONS = {
    "reset": lambda key, seen: key.reset(seen=seen),
    "rotate": lambda key, seen: key.rotate(timedelta(hours=1), seen=seen),
    "change": lambda key, seen: key.change({"name": f"renamed {seen}"}, seen=seen),
    "revoke": lambda key, seen: key.revoke(seen=seen),
}


@pytest.mark.parametrize("first", ACTIONS)
def test_of_acts_on_what_was_seen_one_wins(first):
    key = ApiKeyFactory()
    seen = key.stamp
    before = AuditEntry.objects.count()

    def action(name):
        return lambda: ACTIONS[name](ApiKey.objects.get(pk=key.pk), seen)

    outcomes = at_once(action(first), *map(action, ACTIONS))
    assert sum(not isinstance(outcome, Exception) for outcome in outcomes) == 1, outcomes
    assert sum(isinstance(outcome, KeyChanged) for outcome in outcomes) == len(ACTIONS)
    assert AuditEntry.objects.count() == before + 1


def test_of_two_new_keys_of_one_name_one_is_refused_by_its_name():
    owner = AdministratorFactory()
    outcomes = at_once(*[lambda: ApiKey.objects.issue("robot", owner)] * 3)
    refused = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert len(refused) == 2 and all(isinstance(error, ValidationError) for error in refused), outcomes
    assert all("name" in error.message_dict for error in refused)
    assert ApiKey.objects.count() == ApiKeyToken.objects.count() == 1


def test_an_act_on_a_key_that_has_just_been_deleted_does_nothing():
    key = ApiKeyFactory()
    ApiKey.objects.all().delete()
    for action in ACTIONS.values():
        with pytest.raises(KeyChanged):
            action(key, None)
    assert not ApiKeyToken.objects.exists()
