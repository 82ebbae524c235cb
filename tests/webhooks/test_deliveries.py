"""From the change to the receiver: each event once, in the order of its subject, until it is delivered or given up."""

import threading
from datetime import timedelta

import psycopg
import pytest
from django.db import OperationalError, connection
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from channels_app.services import trash_channel
from contents.models import Content
from core.audit.models import AuditEntry
from core.lib import clock
from events.models import Event
from events.numbering import number_new
from forms.models import Entry, Form
from media_library.models import MediaFile
from tests.factories import ChannelFactory, ContentFactory, SiteFactory, UserFactory
from tests.webhooks.receivers import receiving, silent
from webhooks import delivery_attempts
from webhooks.deliveries import RETENTION, between, create_due, last_position, purge_ended, replay
from webhooks.delivery_attempts import AT_ONCE, claim, follow_clock, send_all, store
from webhooks.http_client import Outcome
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db(transaction=True)


class Clock:
    """The time, moved by hand."""

    def __init__(self):
        self.time = clock.now()

    def now(self):
        return self.time

    def move(self, **amount):
        self.time += timedelta(**amount)


@pytest.fixture
def moved(monkeypatch):
    hands = Clock()
    monkeypatch.setattr(clock, "now", hands.now)
    return hands


def webhook(receiver, **values):
    """A webhook of that receiver, for the events from now on."""
    number_new()
    return Webhook.create({"name": "news", "url": receiver.url, **values}, last_position())


def emit(name, subject_id=1, site_id=1, **values):
    """An event as the triggers write it."""
    Event.objects.create(name=name, subject_id=subject_id, site_id=site_id, at=clock.now(), **values)


def deliver():
    number_new()
    create_due()
    send_all()


def states():
    return [(one.event_name, one.state) for one in Delivery.objects.order_by("webhook", "position")]


def test_a_change_of_a_content_arrives_signed_and_without_its_values(receiver):
    hook = webhook(receiver)
    content = ContentFactory()
    deliver()
    headers, body = next((headers, body) for headers, body in receiver.requests if b'"content.created"' in body)
    told = Verifier(hook.secret).verify(body, headers)
    event = Event.objects.get(name="content.created")
    assert told == {
        "id": f"evt_{event.position}",
        "type": "content.created",
        "timestamp": told["timestamp"],
        "data": {
            "siteId": content.site_id,
            "channelId": content.channel_id,
            "contentId": content.pk,
            "version": content.version,
            "fields": [],
        },
    }
    assert told["timestamp"].endswith("+00:00")
    assert headers["webhook-id"] == told["id"] and headers["content-type"] == "application/json"
    with pytest.raises(WebhookVerificationError):
        Verifier(hook.secret).verify(body + b" ", headers)


def test_the_names_of_changed_members_are_sent(receiver):
    content = ContentFactory()
    webhook(receiver)
    Content.objects.filter(pk=content.pk).update(title="another")
    deliver()
    assert [body["data"]["fields"] for _, body in receiver.messages()] == [["title"]]


def test_events_before_the_webhook_are_not_sent(receiver):
    ContentFactory()
    webhook(receiver)
    deliver()
    assert not receiver.requests


CHOICES = [
    ({}, ["channel.trashed", "content.created", "user.created"]),
    ({"event_names": "content.created"}, ["content.created"]),
    ({"site_id": 1}, ["content.created"]),
    ({"site_id": 2}, ["channel.trashed"]),
    ({"site_id": 2, "event_names": "content.created"}, []),
]


@pytest.mark.parametrize(("values", "names"), CHOICES, ids=str)
def test_a_webhook_gets_the_events_of_its_site_and_choice(receiver, values, names):
    webhook(receiver, **values)
    emit("content.created", 7, 1, channel_id=3, version=1)
    emit("channel.trashed", 3, 2)
    emit("user.created", 5, None)
    deliver()
    assert sorted(receiver.names()) == names


def test_each_subject_is_named_by_its_own_member(receiver):
    webhook(receiver)
    site = SiteFactory()
    channel = ChannelFactory(site=site)
    trash_channel(site.pk, channel.pk)
    user = UserFactory()
    file = MediaFile.objects.create(site=site, path="upload/a.jpg", kind="image", bytes=1)
    form = Form.objects.create(site=site, name="Visit")
    entry = Entry.objects.create(form=form, values={"1": "Ann"}, digest="x")
    deliver()
    found = {body["type"]: body["data"] for _, body in receiver.messages()}
    assert found["channel.trashed"]["channelId"] == channel.pk
    assert found["site.created"]["siteId"] == site.pk
    assert found["user.created"]["userId"] == user.pk and "siteId" not in found["user.created"]
    assert found["media.created"] == {"siteId": site.pk, "mediaId": file.pk, "fields": []}
    assert found["form.submitted"] == {"siteId": site.pk, "formId": form.pk, "entryId": entry.pk, "fields": []}


def test_the_order_of_a_subject_survives_failures_and_other_subjects_do_not_wait(receiver, moved):
    webhook(receiver)
    emit("content.created", 1)
    emit("content.changed", 1)
    emit("content.created", 2)

    def refuse_first(handler, body):
        handler.send_response(500 if b'"contentId":1' in body else 204)
        handler.end_headers()

    receiver.respond = refuse_first
    deliver()
    assert states() == [
        ("content.created", "waiting"),
        ("content.changed", "waiting"),
        ("content.created", "delivered"),
    ]
    receiver.respond = None
    emit("content.deleted", 1)
    moved.move(seconds=7)
    deliver()
    sent = [body["type"] for _, body in receiver.messages() if body["data"]["contentId"] == 1]
    assert sent == ["content.created", "content.created", "content.changed", "content.deleted"]
    assert {state for _, state in states()} == {"delivered"}


def test_a_message_keeps_its_id_and_body_over_attempts(receiver, moved):
    hook = webhook(receiver)
    emit("content.created")
    receiver.status = 503
    deliver()
    receiver.status = 204
    moved.move(seconds=7)
    deliver()
    (before, body), (after, same) = receiver.requests
    assert before["webhook-id"] == after["webhook-id"] and body == same
    assert Verifier(hook.secret).verify(same, after)
    (delivery,) = Delivery.objects.all()
    assert [one["status"] for one in delivery.attempts] == [503, 204] and delivery.attempt_count == 2


def test_pauses_grow_and_a_day_without_success_gives_up_and_the_next_follows(receiver, moved):
    webhook(receiver)
    emit("content.created")
    emit("content.changed")
    receiver.status, receiver.body = 500, b"broken"
    deliver()
    pauses = []
    while (first := Delivery.objects.order_by("position").first()).state == Delivery.State.WAITING:
        pauses.append(first.next_at - moved.now())
        moved.time = first.next_at
        # One success of another subject, so that the webhook stays on.
        Webhook.objects.update(failing_since=None)
        send_all()
    assert 4 <= pauses[0].total_seconds() <= 6 and timedelta(hours=2) < pauses[-1] < timedelta(hours=4)
    assert sum(pauses, timedelta()) <= timedelta(hours=24) and 8 <= len(pauses) <= 16
    assert first.state == "givenUp" and first.attempts[-1]["response"] == "broken"
    assert receiver.names()[-1] == "content.changed"


def test_a_webhook_is_switched_off_after_a_day_of_failures(receiver, moved):
    hook = webhook(receiver, site_id=1)
    receiver.status = 500
    emit("content.created", 1)
    deliver()
    moved.move(hours=23)
    emit("content.created", 2)
    deliver()
    hook.refresh_from_db()
    assert hook.is_on
    moved.move(hours=1)
    emit("content.created", 3)
    deliver()
    hook.refresh_from_db()
    assert (hook.is_on, hook.reason) == (False, "failing")
    entry = AuditEntry.objects.get(action="webhook.disabled")
    assert (entry.object_id, entry.site_id, entry.actor_name) == (str(hook.pk), 1, "webhooks")
    # Events wait until it is on again.
    receiver.status = 204
    emit("content.deleted", 3)
    deliver()
    assert "content.deleted" not in receiver.names()
    hook.change({"is_on": True})
    deliver()
    deliver()
    assert receiver.names()[-1] == "content.deleted" and {state for _, state in states()} <= {"delivered", "givenUp"}


def test_a_receiver_that_is_gone_switches_the_webhook_off_at_once(receiver):
    hook = webhook(receiver)
    emit("content.created")
    receiver.status = 410
    deliver()
    hook.refresh_from_db()
    assert (hook.is_on, hook.reason) == (False, "gone")


def test_a_success_ends_the_day_of_failures(receiver, moved):
    hook = webhook(receiver)
    receiver.status = 500
    emit("content.created", 1)
    deliver()
    receiver.status = 204
    moved.move(hours=23)
    deliver()
    receiver.status = 500
    moved.move(hours=2)
    emit("content.created", 2)
    deliver()
    hook.refresh_from_db()
    assert hook.is_on


# ---- Several nodes


def at_once(*functions):
    """Run the functions in threads that begin together; return what they returned."""
    barrier, found = threading.Barrier(len(functions)), []

    def run(function):
        try:
            barrier.wait()
            found.append(function())
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[function]) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(functions)
    return found


def test_two_nodes_create_and_send_each_event_once(receiver):
    webhook(receiver)
    for number in range(30):
        emit("content.created", number % 10)
    number_new()
    at_once(create_due, create_due, create_due)
    create_due()  # of events that one node left to another that held the row
    at_once(send_all, send_all, send_all)
    send_all()
    ids = [message_id for message_id, _ in receiver.messages()]
    assert len(ids) == 30 and len(set(ids)) == 30
    by_subject = {}
    for message_id, body in receiver.messages():
        by_subject.setdefault(body["data"]["contentId"], []).append(int(message_id[4:]))
    assert all(numbers == sorted(numbers) for numbers in by_subject.values())


def test_a_node_that_dies_after_sending_makes_another_send_the_same_again(receiver, moved, monkeypatch):
    webhook(receiver)
    emit("content.created")
    monkeypatch.setattr(delivery_attempts, "store", lambda *arguments: (_ for _ in ()).throw(SystemExit))
    with pytest.raises(SystemExit):
        deliver()
    monkeypatch.setattr(delivery_attempts, "store", store)
    send_all()
    assert len(receiver.requests) == 1  # the claim holds
    moved.move(seconds=61)
    send_all()
    (before, body), (after, same) = receiver.requests
    assert (before["webhook-id"], body) == (after["webhook-id"], same)
    assert states() == [("content.created", "delivered")]


def test_a_result_that_comes_after_the_claim_is_lost_changes_nothing(receiver, moved):
    webhook(receiver)
    emit("content.created")
    number_new()
    create_due()
    late = claim()
    moved.move(seconds=61)
    send_all()
    store(late, Outcome(500, "", "", 1))
    assert states() == [("content.created", "delivered")]


def test_a_webhook_gets_two_requests_at_once_and_a_failing_one_a_single(receiver):
    hook = webhook(receiver)
    for number in range(4):
        emit("content.created", number)
    number_new()
    create_due()
    assert claim() and claim() and claim() is None
    Delivery.objects.update(claimed_until=None)
    Webhook.objects.filter(pk=hook.pk).update(failing_since=clock.now())
    assert claim() and claim() is None


def test_a_hanging_receiver_delays_no_other(receiver, monkeypatch):
    released, arrived = threading.Event(), threading.Semaphore(0)
    monkeypatch.setattr(delivery_attempts, "_threads", delivery_attempts._Threads())

    def hang(handler, body):
        released.wait()
        handler.send_response(204)
        handler.end_headers()

    def accept(handler, body):
        handler.send_response(204)
        handler.end_headers()
        arrived.release()

    receiver.respond = hang
    with receiving() as other:
        other.respond = accept
        webhook(receiver)
        webhook(other)
        for number in range(5):
            emit("content.created", number)
        number_new()
        create_due()
        delivery_attempts.send_due()
        for _ in range(5):
            assert arrived.acquire(timeout=30)
        assert len(receiver.requests) <= AT_ONCE
        released.set()
        for thread in threading.enumerate():
            if thread.name == "webhooks":
                thread.join()
    send_all()
    assert {state for _, state in states()} == {"delivered"}


def test_a_receiver_that_cannot_be_reached_pauses_its_webhook(receiver, moved):
    with silent() as port:
        pass
    hook = webhook(receiver, url=f"http://127.0.0.1:{port}/")
    for number in range(5):
        emit("content.created", number)
    deliver()
    assert Delivery.objects.filter(attempt_count=1).count() == 1
    moved.move(seconds=31)
    Webhook.objects.filter(pk=hook.pk).update(url=receiver.url)
    deliver()
    assert len(receiver.requests) == 5


# ---- Again


def test_a_delivery_and_a_period_are_replayed_with_the_same_messages(receiver, moved):
    hook = webhook(receiver)
    emit("content.created", 1)
    moved.move(hours=1)
    first = moved.now()
    emit("content.changed", 1)
    emit("content.created", 2)
    deliver()
    assert replay(hook, between(hook, first, moved.now())) == 2
    deliver()
    ids = [message_id for message_id, _ in receiver.messages()]
    assert len(ids) == 5 and len(set(ids)) == 3
    assert replay(hook, Delivery.objects.filter(message_id=ids[0])) == 1
    deliver()
    assert [message_id for message_id, _ in receiver.messages()][5:] == [ids[0]]
    assert AuditEntry.objects.filter(action="webhook.replayed").count() == 2


def test_a_replay_leaves_what_waits_as_it_is(receiver, moved):
    hook = webhook(receiver)
    receiver.status = 500
    emit("content.created", 1)
    deliver()
    before = Delivery.objects.values().get()
    assert replay(hook, Delivery.objects.all()) == 0
    assert Delivery.objects.values().get() == before


def test_after_a_rotation_both_secrets_sign_for_a_day(receiver, moved):
    hook = webhook(receiver)
    old = hook.secret
    new = hook.rotate()
    emit("content.created", 1)
    deliver()
    headers, body = receiver.requests[0]
    assert Verifier(old).verify(body, headers) == Verifier(new).verify(body, headers)
    moved.move(hours=24)
    emit("content.created", 2)
    deliver()
    headers, body = receiver.requests[1]
    assert Verifier(new).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(old).verify(body, headers)


def test_only_old_ended_deliveries_are_purged(receiver, moved):
    hook = webhook(receiver)
    emit("content.created", 1)
    deliver()
    receiver.status = 500
    emit("content.created", 2)
    deliver()
    hook.change({"is_on": False})
    moved.move(seconds=RETENTION.total_seconds())
    purge_ended()
    assert Delivery.objects.count() == 2
    moved.move(seconds=1)
    purge_ended()
    assert states() == [("content.created", "waiting")]


def test_pauses_keep_their_length_when_clocks_go_back(receiver, autumn):
    autumn("02:59:50")
    webhook(receiver)
    for subject in range(3):
        emit("content.created", subject_id=subject)
    receiver.status = 500
    deliver()
    sent = len(receiver.requests)
    emit("content.changed", subject_id=0)
    receiver.status = 204
    autumn("02:00", 1)
    deliver()
    assert len(receiver.requests) == sent + 4


def test_a_long_pause_that_includes_the_repeated_hour_is_no_longer(receiver, autumn):
    autumn("01:30")
    webhook(receiver)
    emit("content.created")
    deliver_failing(receiver, attempts=6)  # a pause of 85 minutes
    autumn("02:20", 0)
    send_all()
    assert len(receiver.requests) == 1
    autumn("02:13", 1)  # 103 minutes later
    send_all()
    assert len(receiver.requests) == 2


def deliver_failing(receiver, attempts):
    """Deliver once, as the last of so many attempts."""
    receiver.status = 500
    number_new()
    create_due()
    Delivery.objects.update(attempt_count=attempts - 1)
    send_all()


def test_a_claim_and_a_paused_webhook_are_not_held_for_an_hour(receiver, autumn):
    autumn("02:59:50")
    hook = webhook(receiver)
    emit("content.created")
    number_new()
    create_due()
    assert claim() is not None  # by a node that dies
    Webhook.objects.filter(pk=hook.pk).update(paused_until=clock.steady(timedelta(seconds=30)))
    autumn("02:00:30", 1)
    send_all()
    assert receiver.requests == []
    autumn("02:00:51", 1)
    send_all()
    assert receiver.names() == ["content.created"]


@pytest.mark.parametrize("back", [{"hours": 2}, {"days": 400}])
@pytest.mark.parametrize(
    "held",
    [
        lambda now: {"next_at": now + timedelta(seconds=6), "attempt_count": 1},
        lambda now: {"next_at": now, "attempt_count": 0},
        lambda now: {"next_at": now, "claimed_until": now + timedelta(seconds=60), "attempt_count": 1},
    ],
)
def test_what_waits_is_due_after_the_clock_of_the_machine_was_set_back(receiver, moved, back, held):
    hook = webhook(receiver)
    emit("content.created")
    number_new()
    create_due()
    Delivery.objects.update(**held(moved.now()), first_sent_at=moved.now())
    paused = {"paused_until": moved.now() + timedelta(seconds=30), "failing_since": moved.now()}
    Webhook.objects.filter(pk=hook.pk).update(**paused)
    moved.time -= timedelta(**back)
    send_all()
    assert receiver.requests == []
    follow_clock()
    send_all()
    assert receiver.names() == ["content.created"]
    assert Delivery.objects.get().first_sent_at == moved.now()


def test_times_of_a_node_whose_clock_is_a_little_ahead_are_kept(receiver, moved):
    webhook(receiver)
    emit("content.created")
    number_new()
    create_due()
    held = {"next_at": moved.now(), "claimed_until": moved.now() + timedelta(seconds=90), "attempt_count": 1}
    Delivery.objects.update(**held)
    follow_clock()
    send_all()
    assert receiver.requests == []


def test_a_database_that_is_away_is_one_line_of_the_log(receiver, monkeypatch, caplog):
    def away():
        raise OperationalError from psycopg.OperationalError("the connection is closed")

    monkeypatch.setattr(delivery_attempts, "send_all", away)
    threads = delivery_attempts._Threads()
    for _ in range(3):
        threads._running += 1
        threads._run()
    monkeypatch.setattr(delivery_attempts, "send_all", lambda: None)
    threads._running += 1
    threads._run()
    assert [(record.levelname, record.exc_info) for record in caplog.records] == [("WARNING", None)]
    assert caplog.messages == ["Webhooks could not be sent; they are tried again: OperationalError."]
