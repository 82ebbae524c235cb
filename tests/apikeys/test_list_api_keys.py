"""`manage.py list_api_keys`."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from apikeys.models import ApiKeyToken
from core.lib import clock
from tests.factories import AdministratorFactory, ApiKeyFactory

pytestmark = pytest.mark.django_db


def listed(*arguments):
    out = StringIO()
    call_command("list_api_keys", *arguments, stdout=out)
    return out.getvalue()


def test_every_member_of_a_key_but_never_a_token():
    key = ApiKeyFactory(name="新闻", scopes="Contents:write,STL:read", site_ids="7,3")
    ApiKeyToken.objects.update(last_used_at="2026-01-31 08:00:00")
    token = key.rotate(timedelta(hours=1))
    previous = ApiKeyToken.objects.get(slot=ApiKeyToken.Slot.PREVIOUS)
    assert json.loads(listed("--json")) == [
        {
            "name": "新闻",
            "owner": key.administrator.user_name,
            "scopes": ["Contents:write", "STL:read"],
            "sites": [3, 7],
            "state": "valid",
            "expires": None,
            "requestsPerMinute": None,
            "publicPart": token[5:13],
            "lastUse": None,
            "oldPublicPart": key.token[5:13],
            "oldEnds": str(previous.valid_until),
            "oldLastUse": "2026-01-31 08:00:00",
            "originalEnds": None,
            "originalLastUse": None,
        }
    ]
    for shown in (listed(), listed("--json")):
        assert not any(secret in shown for secret in (key.token[14:], token[14:], previous.digest))


def test_a_table_with_a_line_for_each_key():
    key = ApiKeyFactory(name="news\nrobot", scopes="", expires_at="2999-01-31 00:00:00", requests_per_minute=600)
    head, line = listed().splitlines()
    assert head.split()[:5] == ["name", "owner", "scopes", "sites", "state"]
    assert line.split() == [
        *("news\\nrobot", key.administrator.user_name, "none", "all", "valid"),
        *("2999-01-31", "00:00:00", "600", "never", "-", "-"),
    ]


@pytest.mark.parametrize(("own", "common", "shown"), [(None, 0, None), (None, 60, 60), (5, 60, 5), (0, 60, None)])
def test_the_limit_is_the_one_that_holds(settings, own, common, shown):
    settings.CMS_KEY_REQUESTS_PER_MINUTE = common
    ApiKeyFactory(requests_per_minute=own)
    (record,) = json.loads(listed("--json"))
    assert record["requestsPerMinute"] == shown


def test_keys_that_open_nothing_are_left_out_unless_all_are_wanted():
    ApiKeyFactory(name="good")
    ApiKeyFactory(name="ended").revoke()
    ApiKeyFactory(name="over", expires_at=clock.now())
    ApiKeyFactory(name="shut", administrator=AdministratorFactory(is_locked_out=True))
    assert [each["name"] for each in json.loads(listed("--json"))] == ["good"]
    states = {each["name"]: each["state"] for each in json.loads(listed("--json", "--all"))}
    assert states == {"good": "valid", "ended": "revoked", "over": "expired", "shut": "owner locked"}


def test_a_hundred_keys_cost_no_more_statements_than_one(django_assert_max_num_queries):
    for _ in range(5):
        ApiKeyFactory()
    with django_assert_max_num_queries(3):
        assert len(listed().splitlines()) == 6
