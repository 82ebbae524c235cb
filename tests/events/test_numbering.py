"""Readers who follow the positions see every committed event once, in the order of the commits."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from contents.models import Content
from core.lib import clock
from events.models import Event, Numbering
from events.numbering import _NEW, _ON_POSTGRESQL, number_new
from events.retention import delete_old
from tests.events.recording import create_content, forget
from tests.factories import ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db(transaction=True)
ON_POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")


_RUNNING = "txid_snapshot_xmin(txid_current_snapshot())"
_RUNNING_HERE = """(
    SELECT COALESCE(MIN(backend_xid::text::bigint), txid_snapshot_xmax(txid_current_snapshot()))
    FROM pg_stat_activity WHERE datname = current_database()
)"""


@pytest.fixture
def alone(monkeypatch):
    """Leave out transactions of other databases of the server, such as those of other tests."""
    assert _RUNNING in _ON_POSTGRESQL
    monkeypatch.setattr("events.numbering._ON_POSTGRESQL", _ON_POSTGRESQL.replace(_RUNNING, _RUNNING_HERE))


def positions():
    return list(Event.objects.filter(position__isnull=False).order_by("position").values_list("subject_id", "position"))


def test_events_are_numbered_in_the_order_of_their_ids_and_once():
    channel = ChannelFactory()
    forget()
    numbers = [create_content(channel) for _ in range(3)]
    assert number_new() == 3
    assert number_new() == 0
    before = positions()
    assert [subject for subject, _ in before] == numbers
    last = create_content(channel)
    assert number_new() == 1
    assert positions() == [*before, (last, before[-1][1] + 1)]


def make_events(number):
    rows = (Event(at=clock.now(), name="content.changed", subject_id=1, channel_id=1) for _ in range(number))
    Event.objects.bulk_create(rows)


def plans_of(queries):
    explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        for query in queries:
            if "events_event" in query["sql"] and query["sql"].lstrip().startswith(("SELECT", "UPDATE", "WITH")):
                cursor.execute(f"{explain} {query['sql']}")
                yield "\n".join(str(row[-1]) for row in cursor.fetchall())


@pytest.mark.parametrize("is_analyzed", [True, False])
def test_new_events_are_found_and_numbered_without_a_look_at_the_others(is_analyzed):
    make_events(3000)
    number_new()
    if is_analyzed:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE events_event")  # as if no event ever lacked a position
    make_events(3)
    with CaptureQueriesContext(connection) as queries:
        assert number_new() == 3
    plans = list(plans_of(queries.captured_queries))
    assert len(plans) == 2
    for plan in plans:
        assert "event_new" in plan
        assert "Seq Scan on events_event" not in plan and "SCAN events_event" not in plan


@ON_POSTGRESQL
def test_entries_that_no_vacuum_has_removed_are_not_read_again(alone):
    """Otherwise each look would read an entry for every event since the last vacuum."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE events_event SET (autovacuum_enabled = false)")
        make_events(5000)
        for _ in range(3):
            number_new()
            make_events(1)
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) " + _NEW.replace("/*index*/", ""))
        plan = "\n".join(row[0] for row in cursor.fetchall())
    # 5,000 entries take some 15 pages.
    assert int(re.search(r"Buffers: shared hit=(\d+)", plan)[1]) < 10, plan


@ON_POSTGRESQL
def test_after_a_backlog_of_full_batches_only_the_last_one_is_looked_through(alone, monkeypatch):
    monkeypatch.setattr("events.numbering._BATCH", 100)
    make_events(500)
    number_new()
    assert Numbering.objects.get().numbered_id >= Event.objects.latest("pk").pk - 100


@ON_POSTGRESQL
def test_an_event_of_a_transaction_that_is_still_running_is_not_passed_over(alone):
    first, second = ContentFactory(), ContentFactory()
    number_new()
    forget()
    with transaction.atomic():
        Content.objects.filter(pk=first.pk).update(title="first")

        def write_and_read():
            for turn in range(5):
                Content.objects.filter(pk=second.pk).update(title=f"second {turn}")
                number_new()

        in_thread(write_and_read)
        waiting = Event.objects.get(subject_id=first.pk).pk
        assert in_thread(lambda: Numbering.objects.get().numbered_id) < waiting
    assert number_new() == 1
    assert Event.objects.get(pk=waiting).position
    ContentFactory()
    number_new()
    ContentFactory()
    number_new()
    assert Numbering.objects.get().numbered_id > waiting


@ON_POSTGRESQL
def test_an_event_of_the_newest_transaction_is_not_passed_over_while_an_older_one_ends_after_it(alone):
    first, second, third = ContentFactory(), ContentFactory(), ContentFactory()
    number_new()
    forget()
    Numbering.objects.update(next_numbered_id=None, next_after_transaction=None)
    has_begun, may_end = threading.Event(), threading.Event()

    def begin_before_and_write_after():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT txid_current()")
            has_begun.set()
            assert may_end.wait(timeout=60)
            Content.objects.filter(pk=second.pk).update(title="second")

    with ThreadPoolExecutor(1) as pool:
        older = pool.submit(lambda: (begin_before_and_write_after(), connections.close_all()))
        assert has_begun.wait(timeout=60)
        with transaction.atomic():
            Content.objects.filter(pk=first.pk).update(title="first")
            waiting = Event.objects.get(subject_id=first.pk).pk
            may_end.set()
            older.result(timeout=60)

            def read_twice():
                number_new()
                Content.objects.filter(pk=third.pk).update(title="third")
                number_new()

            in_thread(read_twice)
            assert waiting < in_thread(lambda: Event.objects.get(subject_id=second.pk).pk)
    assert number_new() == 1
    assert Event.objects.get(pk=waiting).position


@ON_POSTGRESQL
def test_a_database_that_was_moved_to_another_server_forgets_the_transactions_of_the_old_one(alone):
    ContentFactory()
    number_new()
    Numbering.objects.update(next_after_transaction=2**60, next_numbered_id=2**60)
    for _ in range(3):
        last = ContentFactory()
        assert number_new()
    assert 0 < Numbering.objects.get().numbered_id <= Event.objects.filter(subject_id=last.pk).latest("pk").pk


def test_events_that_are_written_while_others_are_numbered_wait_for_the_next_call(monkeypatch):
    make_events(2)
    monkeypatch.setattr("events.numbering._are_new", lambda: True)
    assert number_new() == 2  # and ends, although there always seem to be new ones


def test_a_backlog_is_numbered_in_batches(monkeypatch):
    channel = ChannelFactory()
    forget()
    numbers = [create_content(channel) for _ in range(5)]
    monkeypatch.setattr("events.numbering._BATCH", 2)
    assert number_new() == 5
    assert [subject for subject, _ in positions()] == numbers


def test_positions_go_on_beyond_all_earlier_ones_when_tables_are_emptied():
    ContentFactory()
    number_new()
    last = Event.objects.order_by("-position").values_list("position", flat=True).first()
    Event.objects.all().delete()
    Numbering.objects.all().delete()
    ContentFactory()
    number_new()
    assert Event.objects.order_by("position").values_list("position", flat=True).first() > last


def in_thread(act):
    def run():
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(timeout=60)


@ON_POSTGRESQL
def test_what_is_written_first_and_committed_last_has_the_last_position():
    first, second = ContentFactory(), ContentFactory()
    number_new()
    forget()
    with transaction.atomic():
        Content.objects.filter(pk=first.pk).update(title="first")

        def write_and_read():
            Content.objects.filter(pk=second.pk).update(title="second")
            number_new()
            return positions()

        seen = in_thread(write_and_read)
    assert [subject for subject, _ in seen] == [second.pk]
    assert number_new() == 1
    [earlier, later] = positions()
    assert [earlier] == seen
    assert later[0] == first.pk and later[1] > earlier[1]
    ids = dict(Event.objects.values_list("subject_id", "id"))
    assert ids[first.pk] < ids[second.pk]


def test_a_reader_misses_nothing_while_several_threads_write():
    contents = [ContentFactory() for _ in range(4)]
    number_new()
    forget()
    rounds, done = 25, threading.Event()

    def write(content):
        try:
            for turn in range(rounds):
                with transaction.atomic():
                    Content.objects.filter(pk=content.pk).update(title=f"{turn}", version=turn + 2)
                    if turn % 3 == 0:
                        Content.objects.filter(pk=content.pk).update(author=f"{turn}")
        finally:
            connections.close_all()

    def follow():
        try:
            seen, cursor = [], 0
            while True:
                is_last = done.is_set()
                number_new()
                rows = list(
                    Event.objects.filter(position__gt=cursor).order_by("position").values_list("position", "id")
                )
                seen += rows
                cursor = rows[-1][0] if rows else cursor
                if is_last:
                    return seen
        finally:
            connections.close_all()

    with ThreadPoolExecutor(7) as pool:
        readers = [pool.submit(follow) for _ in range(2)]
        for future in [pool.submit(write, content) for content in contents]:
            future.result(timeout=120)
        done.set()
        found = [reader.result(timeout=60) for reader in readers]
    every = set(Event.objects.values_list("id", flat=True))
    assert len(every) == len(contents) * (rounds + (rounds + 2) // 3)
    for seen in found:
        assert [position for position, _ in seen] == sorted(position for position, _ in seen)
        assert {number for _, number in seen} == every and len(seen) == len(every)


def test_old_events_are_deleted_from_the_first_on_without_gaps(settings, monkeypatch):
    settings.CMS_EVENT_DAYS = 10
    channel = ChannelFactory()
    number_new()
    forget()
    numbers = [create_content(channel) for _ in range(4)]
    assert delete_old() == 0
    number_new()
    for number, days in zip(numbers, (30, 20, 1, 20), strict=True):
        Event.objects.filter(subject_id=number).update(at=clock.now() - timedelta(days=days))
    monkeypatch.setattr("events.retention._BATCH", 1)
    assert delete_old() == 2
    kept = positions()
    assert [subject for subject, _ in kept] == numbers[2:]
    assert Numbering.objects.get().deleted_position == kept[0][1] - 1
