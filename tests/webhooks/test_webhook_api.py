"""The operations under /api/v1/webhooks."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from standardwebhooks import Webhook as Verifier

from core.audit.models import AuditEntry
from core.lib import clock
from core.uploads.bounded_executor import BoundedExecutor
from events.models import Event
from events.numbering import number_new
from tests.assertions import assert_error
from tests.factories import SiteFactory
from webhooks import services
from webhooks.deliveries import create_due
from webhooks.delivery_attempts import send_all
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/api/v1/webhooks"


def create(api, receiver=None, **sent):
    url = receiver.url if receiver else "https://receiver.example/hook"
    return api.post(PATH, {"name": "news", "url": url} | sent)


def delivered(receiver, number=1):
    for subject in range(number):
        Event.objects.create(name="content.created", subject_id=subject, site_id=1, at=clock.now())
    number_new()
    create_due()
    send_all()
    return list(Delivery.objects.order_by("pk"))


def test_a_webhook_is_created_with_its_secret_which_is_not_shown_again(api):
    site = SiteFactory()
    made = create(api, siteId=site.pk, events=["content.published", "content.deleted"]).json()["value"]
    secret = made.pop("secret")
    assert secret.startswith("whsec_") and Webhook.objects.get().keys == [secret]
    assert made == {
        "id": made["id"],
        "name": "news",
        "url": "https://receiver.example/hook",
        "siteId": site.pk,
        "events": ["content.deleted", "content.published"],
        "isOn": True,
        "offReason": "",
        "createdDate": made["createdDate"],
        "failingSince": None,
        "offSince": None,
        "oldSecretEnds": None,
    }
    address = f"{PATH}/{made['id']}"
    assert api.get(address).json() == {"value": made}
    assert api.get(PATH).json() == {"value": [made]}
    assert api.put(address, {"name": "others"}).json()["value"] == made | {"name": "others"}
    assert api.delete(address).json()["value"] == made | {"name": "others"}
    assert_error(api.get(address), 404)
    actions = list(AuditEntry.objects.filter(action__startswith="webhook.").order_by("pk"))
    assert [entry.action for entry in actions] == ["webhook.created", "webhook.changed", "webhook.deleted"]
    assert all(entry.site_id == site.pk for entry in actions) and actions[1].changed == ["name"]
    assert secret not in repr([vars(entry) for entry in actions])


REFUSED = [
    ({"name": " "}, "missing_member"),
    ({"name": "\u0097\u200b"}, "missing_member"),
    ({"url": None}, "missing_member"),
    ({"url": "ftp://receiver.example/"}, "url_invalid"),
    ({"url": "http://10.0.0.1/"}, "address_refused"),
    ({"events": ["content.read"]}, "event_unknown"),
    ({"events": "content.created"}, "invalid_value"),
    ({"events": ["content.created,user.created"]}, "invalid_value"),
    ({"siteId": 999}, "site_not_found"),
    ({"siteId": -1}, "invalid_value"),
    ({"isOn": "maybe"}, "invalid_value"),
]


@pytest.mark.parametrize(("sent", "code"), REFUSED, ids=str)
def test_bad_values_are_refused_and_nothing_is_stored(api, sent, code):
    assert assert_error(create(api, **sent), 400)["code"] == code
    assert not Webhook.objects.exists()
    hook = create(api).json()["value"]
    if sent != {"url": None}:
        assert assert_error(api.put(f"{PATH}/{hook['id']}", sent), 400)["code"] == code
    assert api.get(f"{PATH}/{hook['id']}").json()["value"]["url"] == hook["url"]


CALLS = [
    ("get", "", None),
    ("post", "", {"name": "x", "url": "https://receiver.example/"}),
    ("get", "/{id}", None),
    ("put", "/{id}", {"name": "x"}),
    ("delete", "/{id}", None),
    ("post", "/{id}/test", {}),
    ("post", "/{id}/secret", {}),
    ("get", "/{id}/deliveries", None),
    ("post", "/{id}/replay", {"deliveryIds": []}),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_only_keys_with_the_scope_system_reach_webhooks(api, client_with_key, method, path, body):
    hook = create(api, siteId=SiteFactory().pk).json()["value"]
    address = PATH + path.format(id=hook["id"])
    everything_of_one_site = client_with_key(scopes="Channels,Contents,STL,SQL", site_ids=str(hook["siteId"]))
    clients = [everything_of_one_site]
    if method != "get":
        clients.append(client_with_key(scopes="System:read"))
    for client in clients:
        response = getattr(client, method)(address, *([] if body is None else [body]))
        assert assert_error(response, 401)["code"] == "scope_missing"
    assert Webhook.objects.get().name == "news"


def test_a_change_with_an_old_tag_is_refused(api):
    address = f"{PATH}/{create(api).json()['value']['id']}"
    tag = api.get(address).headers["ETag"]
    api.put(address, {"name": "first"})
    assert_error(api.put(address, {"name": "second"}, headers={"If-Match": tag}), 412)
    assert_error(api.delete(address, headers={"If-Match": tag}), 412)
    assert Webhook.objects.get().name == "first"


def test_a_test_is_signed_and_shows_the_response(api, receiver):
    hook = create(api, receiver, isOn=False).json()["value"]
    receiver.status, receiver.body = 202, b"thanks"
    told = api.post(f"{PATH}/{hook['id']}/test", {}).json()["value"]
    assert told.pop("milliseconds") >= 0
    assert told == {"isDelivered": True, "status": 202, "error": "", "response": "thanks"}
    headers, body = receiver.requests[0]
    assert Verifier(hook["secret"]).verify(body, headers)["type"] == "webhook.test"
    assert not Delivery.objects.exists()


def test_few_tests_at_a_time_occupy_threads(api, receiver, monkeypatch):
    hook = create(api, receiver).json()["value"]
    monkeypatch.setattr(services, "_TESTS", BoundedExecutor("tests", places=0))
    assert_error(api.post(f"{PATH}/{hook['id']}/test", {}), 429, "busy")
    assert not receiver.requests


def test_a_test_that_is_repeated_with_its_key_sends_once(api, receiver):
    hook = create(api, receiver).json()["value"]
    once = {"Idempotency-Key": "a test"}
    answers = [api.post(f"{PATH}/{hook['id']}/test", {}, headers=once).json() for _ in range(2)]
    assert answers[0] == answers[1] and len(receiver.requests) == 1


def test_no_transaction_is_open_while_a_receiver_responds(api, receiver):
    hook = create(api, receiver).json()["value"]
    written = []

    def respond(handler, body):
        Webhook.objects.filter(pk=hook["id"]).update(name="changed in between")
        connection.close()
        written.append(threading.current_thread())
        handler.send_response(204)
        handler.end_headers()

    receiver.respond = respond
    headers = {"Idempotency-Key": "another test"}
    assert api.post(f"{PATH}/{hook['id']}/test", {}, headers=headers).json()["value"]["isDelivered"]
    assert written and Webhook.objects.get().name == "changed in between"


def test_a_rotated_secret_is_shown_once_and_the_old_one_signs_for_a_day(api):
    hook = create(api).json()["value"]
    rotated = api.post(f"{PATH}/{hook['id']}/secret", {}).json()["value"]
    assert rotated["secret"] != hook["secret"] and rotated["oldSecretEnds"] > rotated["createdDate"]
    assert Webhook.objects.get().keys == [rotated["secret"], hook["secret"]]
    assert "secret" not in api.get(f"{PATH}/{hook['id']}").json()["value"]


def test_deliveries_are_listed_newest_first_in_pages(api, receiver):
    hook = create(api, receiver).json()["value"]
    receiver.status, receiver.body = 201, b"done"
    first, last = delivered(receiver, 2)
    page = api.get(f"{PATH}/{hook['id']}/deliveries?top=1").json()
    assert page["count"] == 2
    (shown,) = page["value"]
    attempt = shown["attempts"][0]
    assert shown == {
        "id": last.pk,
        "messageId": last.message_id,
        "event": "content.created",
        "occurredDate": shown["occurredDate"],
        "state": "delivered",
        "nextDate": None,
        "endedDate": shown["endedDate"],
        "attemptCount": 1,
        "attempts": [attempt],
        "payload": last.payload,
    }
    assert (attempt["status"], attempt["error"], attempt["response"]) == (201, "", "done")
    assert first.pk in [one["id"] for one in api.get(f"{PATH}/{hook['id']}/deliveries").json()["value"]]


def test_chosen_deliveries_or_a_period_are_sent_again(api, receiver):
    hook = create(api, receiver).json()["value"]
    other = create(api, receiver).json()["value"]
    first, *_ = delivered(receiver, 2)
    address = f"{PATH}/{hook['id']}/replay"
    assert api.post(address, {"deliveryIds": [first.pk, 999]}).json() == {"value": 1}
    # Those of another webhook are out of reach.
    assert api.post(f"{PATH}/{other['id']}/replay", {"deliveryIds": [first.pk]}).json() == {"value": 0}
    send_all()
    day = f"{clock.now():%Y-%m-%d}"
    assert api.post(address, {"from": "0001-01-01T00:00:00Z", "to": f"{day} 23:59:59"}).json() == {"value": 2}
    assert api.post(address, {"from": "2020-01-01", "to": "2020-01-02"}).json() == {"value": 0}
    assert api.post(address, {"from": "0001-01-01", "to": "0001-01-01"}).json() == {"value": 0}


@pytest.mark.parametrize("body", [{}, {"from": "2026-01-01"}, {"deliveryIds": ["x"]}, {"deliveryIds": [1] * 501}])
def test_a_replay_without_a_choice_is_refused(api, receiver, body):
    hook = create(api, receiver).json()["value"]
    assert_error(api.post(f"{PATH}/{hook['id']}/replay", body), 400)


def test_the_old_secret_stays_ended_when_clocks_go_back(api, autumn, monkeypatch):
    monkeypatch.setattr("webhooks.models.OVERLAP", timedelta(minutes=30))
    autumn("02:00")
    create(api)
    hook = Webhook.objects.get()
    hook.rotate()
    assert len(hook.keys) == 2
    for minute, fold in (("02:30", 0), ("02:10", 1)):
        autumn(minute, fold)
        assert hook.keys == [hook.secret]
