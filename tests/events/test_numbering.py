"""Readers who follow the positions see every committed event once, in the order of the commits."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, connections, transaction

from cms_api.lib import clock
from contents.models import Content
from events.models import Event, Numbering
from events.numbering import number_new
from events.retention import delete_old
from tests.events.recording import create_content, forget
from tests.factories import ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db(transaction=True)
ON_POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")


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


def test_the_look_for_new_events_does_not_read_the_old_ones(django_assert_num_queries):
    channel = ChannelFactory()
    Event.objects.bulk_create(
        Event(at=clock.now(), name="content.changed", subject_id=channel.pk, channel_id=channel.pk) for _ in range(3000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE events_event")  # as if no event ever had a position
    number_new()
    with django_assert_num_queries(1) as queries:
        assert number_new() == 0
    with connection.cursor() as cursor:
        explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        cursor.execute(f"{explain} {queries[0]['sql']}")
        assert "event_not_numbered" in str(cursor.fetchall())


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
