"""What a key costs: one query when it is new to the process, none after that."""

from datetime import timedelta
from time import monotonic

import pytest
from django.db import connection

from apikeys import authentication
from apikeys.models import ApiKeyToken
from core.lib import clock
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory

pytestmark = [pytest.mark.urls("tests.wire.probes"), pytest.mark.django_db(transaction=True)]
PROBE = "/api/v1/probe/scope/Contents"


@pytest.fixture
def moved(monkeypatch):
    """Moves the time on by so many seconds."""
    start, begun = clock.now(), monotonic()

    def move(seconds):
        monkeypatch.setattr(clock, "now", lambda: start + timedelta(seconds=seconds))
        monkeypatch.setattr(authentication, "monotonic", lambda: begun + seconds)

    move(0)
    return move


def last_use():
    return ApiKeyToken.objects.values_list("last_used_at", flat=True).get()


def writes(queries):
    return [query["sql"] for query in queries.captured_queries if query["sql"].startswith("UPDATE")]


def test_a_new_key_costs_one_query_and_one_note_of_its_use(django_assert_num_queries):
    client = ApiClient(ApiKeyFactory().token)
    with django_assert_num_queries(2) as queries:
        assert client.get(PROBE).status_code == 200
    assert len(writes(queries)) == 1


def test_a_repeated_request_costs_no_query_for_the_key(django_assert_num_queries):
    client = ApiClient(ApiKeyFactory().token)
    client.get(PROBE)
    with django_assert_num_queries(0):
        for _ in range(5):
            assert client.get(PROBE).status_code == 200


def test_a_change_costs_one_query_again(django_assert_num_queries):
    client = ApiClient(ApiKeyFactory().token)
    client.get(PROBE)
    ApiKeyFactory(name="other")
    with django_assert_num_queries(1):
        assert client.get(PROBE).status_code == 200


def test_what_is_remembered_is_read_afresh_when_its_time_is_over(django_assert_num_queries, monkeypatch):
    client = ApiClient(ApiKeyFactory().token)
    client.get(PROBE)
    monkeypatch.setattr("apikeys.grants._SECONDS", 0)
    with django_assert_num_queries(1):
        assert client.get(PROBE).status_code == 200


def test_the_first_use_is_noted(moved):
    client = ApiClient(ApiKeyFactory().token)
    assert last_use() is None
    client.get(PROBE)
    assert last_use() == clock.now()


def test_a_refused_key_leaves_no_note(moved):
    key = ApiKeyFactory()
    key.revoke()
    assert ApiClient(key.token).get(PROBE).status_code == 401
    assert last_use() is None


def test_the_use_is_noted_once_a_minute(moved, django_assert_num_queries):
    client = ApiClient(ApiKeyFactory().token)
    client.get(PROBE)
    first = last_use()
    for seconds in (1, 30, 59):
        moved(seconds)
        with django_assert_num_queries(0):
            client.get(PROBE)
    assert last_use() == first
    moved(60)
    client.get(PROBE)
    assert last_use() == clock.now() == first + timedelta(seconds=60)


def test_another_process_that_has_noted_the_use_is_enough(moved, monkeypatch):
    client = ApiClient(ApiKeyFactory().token)
    client.get(PROBE)
    first = last_use()
    # A process that has never seen the key notes its use too; the row tells it that this was done.
    monkeypatch.setattr("apikeys.authentication._noted", {})
    moved(59)
    client.get(PROBE)
    assert last_use() == first


def test_each_token_of_a_key_has_its_own_note(moved):
    key = ApiKeyFactory()
    new = key.rotate(timedelta(hours=1))
    ApiClient(key.token).get(PROBE)
    used = dict(ApiKeyToken.objects.values_list("public_part", "last_used_at"))
    assert used == {key.token[5:13]: clock.now(), new[5:13]: None}


def test_a_database_that_cannot_be_written_fails_no_request(moved, caplog):
    client = ApiClient(ApiKeyFactory().token)

    def refuse(execute, sql, params, many, context):
        if sql.startswith("UPDATE"):
            # What a read-only database says, through the engine itself.
            return execute("UPDATE no_such_table SET a = 1", (), many, context)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        assert client.get(PROBE).status_code == 200
    assert "last use of a key could not be written" in caplog.text
    assert last_use() is None
    moved(2)
    client.get(PROBE)
    assert last_use() == clock.now()


def test_a_token_that_is_gone_when_its_use_is_noted_does_no_harm():
    key = ApiKeyFactory()
    authentication._due.add((ApiKeyToken, key.tokens.get().pk))
    key.delete()
    authentication.write_due()
    assert not authentication._due
