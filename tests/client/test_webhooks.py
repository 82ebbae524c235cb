"""Webhooks and requests without a method of their own, through both clients, against a real server."""

from secrets import token_hex

import pytest
from cms_client import NotFound, PreconditionFailed

from tests.client.faulty import answer

pytestmark = pytest.mark.large

URL = "https://receiver.example/hook"


def test_the_life_of_a_webhook(client):
    made = client.webhooks.create({"name": "Front end", "url": URL, "events": ["content.published"]})
    number = made["id"]
    assert made["secret"].startswith("whsec_")
    assert number in {each["id"] for each in client.webhooks.list(top=10)}
    assert "secret" not in client.webhooks.get(number)
    assert client.webhooks.update(number, {"isOn": False})["isOn"] is False
    with pytest.raises(PreconditionFailed):
        client.webhooks.update(number, {"isOn": True}, if_match='"0"')
    assert client.webhooks.rotate_secret(number)["secret"] != made["secret"]
    assert client.webhooks.test(number)["isDelivered"] is False
    assert client.webhooks.replay(number, since="2026-01-01", until="2026-01-02") == 0
    assert [*client.webhooks.deliveries(number)] == []
    assert client.webhooks.delete(number)["id"] == number
    with pytest.raises(NotFound):
        client.webhooks.get(number)


def test_a_request_without_a_method_of_its_own(client):
    sent = {"body": {"name": "Named", "url": URL}, "idempotency_key": token_hex()}
    made = client.request("post", "webhooks", **sent)["value"]
    assert client.request("POST", "/webhooks/", **sent)["value"] == made
    place = f"webhooks/{made['id']}"
    assert client.request("PUT", place, body={"isOn": False})["value"]["isOn"] is False
    assert len(client.request("GET", "webhooks", query={"top": 1})["value"]) == 1
    client.request("DELETE", place)
    with pytest.raises(NotFound) as caught:
        client.request("GET", place)
    assert caught.value.code == "webhook_not_found"
    with pytest.raises(ValueError, match="PATCH"):
        client.request("PATCH", place)


def test_a_request_is_repeated_like_any_other(make, faulty, museum):
    faulty.acts = [answer(503), answer(503)]
    client = make(faulty.address, museum.key)
    assert client.request("GET", "webhooks")["value"] is not None
    assert len(client.waits) == 2
