"""Counts that all processes keep together: in the database, in Redis, and in the one while the other does not answer.

What is written as a test of `counts` holds in both.
"""

import logging
import os
import signal
import threading
from collections import Counter
from uuid import uuid4

import pytest
from django.db import connection, connections, transaction

from core import shared_counts
from core.models import SharedCounter
from core.shared_counts import Count, in_database, in_redis
from tests.counting import (  # noqa: F401
    counts_in_each_place,
    forgotten_servers,
    in_threads,
    redis_server_of_one_test,
    started_redis_server,
)

DEAD = "redis://127.0.0.1:1/0"  # nobody listens at that port


@pytest.fixture
def warnings(caplog):
    """The warnings of the counts so far."""
    caplog.set_level(logging.WARNING, "core.shared_counts.in_redis")
    return lambda: [record.getMessage() for record in caplog.records if "shared_counts" in record.name]


def number(name, seconds=100):
    """The number after one more addition."""
    return shared_counts.add([name], seconds=seconds)[name].number


# ---- Counting


@pytest.mark.django_db
def test_a_count_goes_up_by_one_and_keeps_its_end(counts):
    assert shared_counts.add(["a"], seconds=100) == {"a": Count(1, 100)}
    counts.pass_seconds(40)
    assert shared_counts.add(["a"], seconds=100)["a"] in {Count(2, 60), Count(2, 59)}
    counts.pass_seconds(30)
    again = shared_counts.add(["a"], seconds=9000)["a"]
    assert again.number == 3
    assert again.seconds_left in {28, 29, 30}


@pytest.mark.django_db
def test_several_names_are_counted_at_once_and_each_for_itself(counts):
    shared_counts.add(["b"], seconds=50)
    counted = shared_counts.add(["c", "b", "a", "b"], seconds=100)
    assert {name: count.number for name, count in counted.items()} == {"a": 1, "b": 2, "c": 1}
    assert counted["c"].seconds_left == 100
    assert counted["b"].seconds_left <= 50


@pytest.mark.django_db
def test_nothing_is_asked_for_no_names(counts, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert shared_counts.add([], seconds=1) == {}
        shared_counts.take_back([])
        shared_counts.forget(iter([]))
    assert counts.size() == 0


@pytest.mark.django_db
def test_a_count_that_is_over_begins_anew(counts):
    assert [number("a"), number("a")] == [1, 2]
    counts.end_all()
    assert shared_counts.add(["a"], seconds=70) == {"a": Count(1, 70)}


@pytest.mark.django_db
def test_the_rest_of_a_second_counts_as_a_second(counts):
    assert shared_counts.add(["a"], seconds=1)["a"].seconds_left == 1
    assert shared_counts.add(["b"], seconds=100)["b"].seconds_left == 100
    counts.pass_seconds(99)
    left = shared_counts.add(["b"], seconds=100)["b"]
    assert left.seconds_left in {1, 100}, "or it was over in between"


@pytest.mark.django_db
def test_what_is_taken_back_was_not_counted(counts):
    for _ in range(3):
        number("a")
    shared_counts.take_back(["a", "never counted"])
    assert number("a") == 3
    assert number("never counted") == 1


@pytest.mark.django_db
def test_taking_back_leaves_the_end_and_never_goes_below_nothing(counts):
    number("a", 100)
    for _ in range(3):
        shared_counts.take_back(["a"])
    counts.pass_seconds(50)
    count = shared_counts.add(["a"], seconds=100)["a"]
    assert count.number == 1
    assert count.seconds_left <= 50


@pytest.mark.django_db
def test_taking_back_never_revives_what_is_over_or_forgotten(counts):
    number("over")
    counts.end_all()
    number("forgotten")
    shared_counts.forget(["forgotten"])
    shared_counts.take_back(["over", "forgotten"])
    assert [number("over"), number("forgotten")] == [1, 1]


@pytest.mark.django_db
def test_only_the_forgotten_names_are_forgotten(counts):
    shared_counts.add(["a", "b", "c"], seconds=100)
    shared_counts.forget(["a", "c", "never counted"])
    assert [number("a"), number("b"), number("c")] == [1, 2, 1]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", "a\x00b", "\ud800", "访客", "' OR 1=1 --", "x" * 100_000])
def test_any_text_is_a_name_and_none_is_stored(counts, name):
    assert [number(name), number(name)] == [1, 2]
    shared_counts.take_back([name])
    shared_counts.forget([name])
    assert number(name) == 1
    assert not name or name not in counts.texts()


# ---- At the same time


@pytest.mark.django_db(transaction=True)
def test_of_sixty_additions_at_once_twenty_stay_within_a_limit_of_twenty(counts):
    numbers = in_threads(lambda: number("a"), 60)
    assert sorted(numbers) == list(range(1, 61))
    assert sum(one <= 20 for one in numbers) == 20


@pytest.mark.django_db(transaction=True)
def test_of_many_additions_at_once_to_a_count_that_is_over_exactly_one_is_the_first(counts):
    number("a")
    counts.end_all()
    assert Counter(in_threads(lambda: number("a"), 40))[1] == 1


@pytest.mark.django_db(transaction=True)
def test_names_in_any_order_never_wait_for_each_other(counts):
    names = [f"name {one}" for one in range(8)]
    orders = iter([names[turn % 8 :] + names[: turn % 8] for turn in range(32)])
    lock = threading.Lock()

    def act():
        with lock:
            order = next(orders)
        shared_counts.add(order, seconds=100)
        shared_counts.take_back(order[::-1])
        shared_counts.add(order[::-1], seconds=100)

    in_threads(act, 32)
    counted = shared_counts.add(names, seconds=100).values()
    assert [count.number for count in counted] == [33] * 8


@pytest.mark.django_db(transaction=True)
def test_forgetting_at_the_same_time_breaks_nothing(counts):
    names, turns = ["a", "b", "c"], iter(range(10_000))

    def act():
        shared_counts.add(names, seconds=100)
        shared_counts.take_back(names[::-1])
        if next(turns) % 4 == 0:
            shared_counts.forget(names)

    in_threads(act, 32)
    shared_counts.forget(names)
    assert [number(name) for name in names] == [1, 1, 1]


def fork(act):
    """What the act returns, a small number, in a forked process; 255 if it raises."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)  # whoever waits for what the parent holds is ended
        code = 255
        try:
            code = act()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.django_db(transaction=True)
def test_a_forked_process_counts_on_and_takes_no_connection_with_it(counts):
    assert number("a") == 1
    connections.close_all()
    assert [fork(lambda: number("a")) for _ in range(3)] == [2, 3, 4]
    assert number("a") == 5


# ---- In the database


@pytest.fixture
def no_redis(settings):
    settings.CMS_CACHE_URL = ""


@pytest.mark.django_db
@pytest.mark.usefixtures("no_redis")
def test_each_call_is_one_statement(django_assert_num_queries):
    number("so that the next addition that begins a count does not sweep")
    while next(in_database._begun) % in_database.SWEEP_EVERY != 0:
        pass
    for act in (lambda names: shared_counts.add(names, seconds=9), shared_counts.take_back, shared_counts.forget):
        with django_assert_num_queries(1):
            act(["a", "b", "c"])


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_redis")
def test_a_count_within_a_transaction_goes_back_with_it():
    number("a")
    with pytest.raises(RuntimeError), transaction.atomic():
        assert [number("a"), number("b")] == [2, 1]
        raise RuntimeError
    assert [number("a"), number("b")] == [2, 1]


DURABLE, SHOW = {
    "sqlite": ("PRAGMA synchronous = FULL", "PRAGMA synchronous"),
    "postgresql": ("SET synchronous_commit = on", "SHOW synchronous_commit"),
}[connection.vendor]


def durability():
    with connection.cursor() as cursor:
        cursor.execute(SHOW)
        return cursor.fetchone()[0]


@pytest.fixture
def durable():
    """A connection whose commits wait for the disk, unlike others of tests, and what it says of that."""
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute(DURABLE)
    yield durability()
    connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_redis")
def test_a_count_waits_for_the_disk_only_where_others_may_have_written_in_its_transaction(durable):
    during = []

    def look(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if connection.vendor == "sqlite":
            during.append(connection.connection.execute(SHOW).fetchone() == (durable,))
        else:
            during.append("set_config" not in sql)
        return result

    with connection.execute_wrapper(look):
        number("a")
    with transaction.atomic():
        with connection.execute_wrapper(look):
            number("a")
        assert durability() == durable
    assert during[0] is False and during[-1] is True
    assert durability() == durable


@pytest.mark.django_db
@pytest.mark.usefixtures("no_redis")
def test_what_is_over_is_swept_away_a_bounded_number_at_a_time(monkeypatch):
    monkeypatch.setattr(in_database, "SWEEP_ROWS", 30)
    SharedCounter.objects.bulk_create(SharedCounter(key=f"old {n}", number=1, ends_at=n) for n in range(40))
    number("lasting", 10_000)
    for turn in range(in_database.SWEEP_EVERY * 2):
        number(f"new {turn}")
    left = SharedCounter.objects.filter(key__startswith="old").count()
    assert left == 0
    assert SharedCounter.objects.count() == in_database.SWEEP_EVERY * 2 + 1
    assert number("lasting") == 2


@pytest.mark.django_db
@pytest.mark.usefixtures("no_redis")
def test_a_sweep_takes_the_oldest_and_no_more_than_its_number(monkeypatch):
    monkeypatch.setattr(in_database, "SWEEP_ROWS", 30)
    SharedCounter.objects.bulk_create(SharedCounter(key=f"old {n}", number=1, ends_at=n) for n in range(40))
    in_database._sweep()
    assert sorted(SharedCounter.objects.values_list("ends_at", flat=True)) == list(range(30, 40))


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_redis")
def test_the_table_does_not_grow_with_counts_that_are_over():
    for turn in range(in_database.SWEEP_EVERY * 12):
        number(f"one of many {turn}")
        SharedCounter.objects.update(ends_at=0)
    assert SharedCounter.objects.count() <= in_database.SWEEP_EVERY


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_redis")
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time")
def test_a_sweep_does_not_wait_for_rows_that_somebody_holds():
    SharedCounter.objects.bulk_create(SharedCounter(key=f"old {n}", number=1, ends_at=n) for n in range(4))

    def sweep():
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 20000")
        in_database._sweep()

    with transaction.atomic():
        SharedCounter.objects.select_for_update().get(ends_at=1)
        in_threads(sweep, 1)
    assert SharedCounter.objects.get().ends_at == 1


# ---- When Redis does not respond


@pytest.mark.django_db
def test_counts_in_redis_ask_nothing_of_the_database(redis_server, settings, django_assert_num_queries):
    settings.CMS_CACHE_URL = redis_server.url
    with django_assert_num_queries(0):
        shared_counts.add(["a"], seconds=9)
        shared_counts.take_back(["a"])


@pytest.mark.django_db
def test_every_count_in_redis_has_a_name_of_ours_and_an_end(redis_server, settings):
    settings.CMS_CACHE_URL = redis_server.url
    redis_server.client.flushdb()
    shared_counts.add(["a", "b"], seconds=100)
    keys = redis_server.client.keys()
    assert len(keys) == 2
    for key in keys:
        assert key.startswith(b"cms:count:")
        assert 0 < redis_server.client.pttl(key) <= 100_000


@pytest.mark.django_db
def test_the_database_counts_where_redis_is_not_there_and_a_single_warning_says_so(settings, warnings):
    settings.CMS_CACHE_URL = DEAD
    assert [number("a") for _ in range(5)] == [1, 2, 3, 4, 5]
    shared_counts.take_back(["a"])
    shared_counts.forget(["a"])
    assert number("a") == 1
    (line,) = warnings()
    assert "Redis does not respond" in line


@pytest.mark.django_db
def test_no_warning_holds_the_password_of_redis(settings, warnings):
    settings.CMS_CACHE_URL = DEAD.replace("//", "//somebody:secret@")
    number("a")
    (line,) = warnings()
    assert "secret" not in line


@pytest.mark.django_db
def test_a_redis_that_dies_in_the_middle_is_replaced_by_the_database_and_asked_again_later(mortal_server, monkeypatch):
    assert [number("a"), number("a")] == [1, 2]
    mortal_server.kill()
    assert [number("a"), number("a"), number("a")] == [1, 2, 3]
    mortal_server.start()
    # It is left alone for a while, although it would answer.
    assert number("a") == 4
    monkeypatch.setattr(in_redis._server(mortal_server.url)._breaker, "_asked_again_at", 0.0)
    # From then on it counts again, and not only now and then.
    assert [number("a") for _ in range(3)] == [1, 2, 3]
    assert mortal_server.client.dbsize() == 1


@pytest.mark.django_db
def test_a_redis_that_was_started_anew_between_two_requests_is_used_at_once(mortal_server, warnings):
    number("a")
    mortal_server.kill()
    mortal_server.start()
    assert [number("a"), number("a")] == [1, 2]
    assert mortal_server.client.dbsize() == 1
    assert warnings() == []


@pytest.mark.django_db
def test_a_redis_that_is_stuck_is_asked_once_and_then_left_alone(mortal_server, warnings):
    number("a")
    with mortal_server.silent():
        asked = in_redis._server(mortal_server.url)._breaker
        assert number("a") == 1
        until = asked._asked_again_at
        assert [number("a") for _ in range(20)] == list(range(2, 22))
        # Whoever asks moves this on.
        assert asked._asked_again_at == until
    assert len(warnings()) == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_requests_after_the_pause_one_asks_whether_redis_is_back(settings, monkeypatch):
    settings.CMS_CACHE_URL = DEAD
    number("a")
    breaker = in_redis._server(DEAD)._breaker
    monkeypatch.setattr(breaker, "_asked_again_at", 0.0)
    assert sum(in_threads(breaker.may_be_asked, 32)) == 1


@pytest.mark.django_db
def test_a_warning_comes_again_when_a_minute_has_gone(settings, warnings, monkeypatch):
    settings.CMS_CACHE_URL = DEAD
    breaker = in_redis._server(DEAD)._breaker
    for _ in range(2):
        monkeypatch.setattr(breaker, "_asked_again_at", 0.0)
        number("a")
    assert len(warnings()) == 1
    monkeypatch.setattr(breaker, "_asked_again_at", 0.0)
    monkeypatch.setattr(breaker, "_warned_at", breaker._warned_at - 60)
    number("a")
    assert len(warnings()) == 2


@pytest.mark.django_db
def test_a_redis_that_refuses_what_it_is_asked_counts_as_one_that_does_not_answer(redis_server, settings, warnings):
    settings.CMS_CACHE_URL = redis_server.url
    name = f"a list {uuid4()}"
    redis_server.client.lpush(in_redis.PREFIX + shared_counts._key(name), "x")
    assert [number(name), number(name)] == [1, 2]
    assert "WRONGTYPE" in warnings()[0]


@pytest.mark.django_db
def test_forgetting_reaches_what_was_counted_while_redis_was_away(mortal_server, settings):
    settings.CMS_CACHE_URL = DEAD
    number("a")
    settings.CMS_CACHE_URL = mortal_server.url
    number("a")
    shared_counts.forget(["a"])
    assert SharedCounter.objects.count() == 0
    assert mortal_server.client.dbsize() == 0


@pytest.mark.django_db(transaction=True)
def test_a_fork_while_another_thread_holds_everything_goes_on(redis_server, settings):
    settings.CMS_CACHE_URL = redis_server.url
    redis_server.client.flushdb()
    number("a")
    connections.close_all()
    with in_redis._server(redis_server.url)._breaker._lock:
        assert fork(lambda: number("a")) == 2


@pytest.mark.skipif("not os.environ.get('CMS_TEST_CACHE_URL')", reason="CMS_TEST_CACHE_URL is not set")
@pytest.mark.django_db
def test_the_cache_of_the_test_run_counts(settings, django_assert_num_queries):
    name = f"a name of this run {uuid4()}"
    with django_assert_num_queries(0):
        assert [number(name, 5), number(name, 5)] == [1, 2]
