"""Webhooks, backups and keys that need attention."""

import pytest
from django.core.management import CommandError, call_command

from apikeys.expiring import notify_of_expiring
from core.lib import clock
from core.notifications.models import Notification
from tests.factories import AdministratorFactory, ApiKeyFactory, SiteFactory
from tests.notifications.reading import mails, told
from webhooks.delivery_attempts import claim, store
from webhooks.http_client import Outcome
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def chief():
    return AdministratorFactory(user_name="chief", email="chief@example.org")


def fail():
    """One failed attempt, whatever the pauses."""
    Webhook.objects.update(paused_until=None)
    Delivery.objects.update(next_at=clock.now(), claimed_until=None, first_sent_at=None, attempt_count=0)
    store(claim(), Outcome(500, "", "", 1))


def test_a_failing_webhook_is_told_after_an_hour_once_and_again_when_it_is_switched_off(moved):
    site = SiteFactory()
    AdministratorFactory(user_name="own", is_superuser=False, site_id_collection=str(site.pk))
    AdministratorFactory(user_name="foreign", is_superuser=False, site_id_collection="999")
    AdministratorFactory(user_name="ordinary", is_superuser=False)
    hook = Webhook.create({"name": "news", "url": "https://example.org/", "site_id": site.pk}, 0)
    Delivery.objects.create(
        webhook=hook,
        position=1,
        message_id="evt_1",
        event_name="content.created",
        subject="content:1",
        occurred_at=moved.now(),
        payload="{}",
        next_at=moved.now(),
    )
    fail()
    moved.move(minutes=59)
    fail()
    assert told() == []
    for _ in range(2):
        moved.move(minutes=1)
        fail()
    assert sorted(told()) == [("chief", "webhook.failing", ["news"]), ("own", "webhook.failing", ["news"])]
    moved.move(hours=24)
    fail()
    assert [kind for _name, kind, _titles in told()].count("webhook.disabled") == 2
    assert "The webhook “news” was switched off after failures" in [subject for _to, subject, _text in mails(moved)]


def test_a_key_that_expires_is_told_a_week_and_a_day_before(moved):
    AdministratorFactory(user_name="ordinary", is_superuser=False)
    key = ApiKeyFactory(name="shop", administrator__user_name="owner", administrator__is_superuser=False, scopes="")
    type(key).objects.update(expires_at=moved.now())
    moved.move(days=-8)
    notify_of_expiring()
    assert told() == []
    for days, number in ((1, 1), (5, 1), (1, 2), (0, 2)):
        moved.move(days=days)
        notify_of_expiring()
        notify_of_expiring()
        assert told() == [("chief", "api_key.expiring", ["shop"])] * number
    assert "It expires at" in mails(moved)[0][2]


def test_a_failing_backup_is_told_once_a_day(tmp_path, moved):
    for _ in range(2):
        with pytest.raises(CommandError):
            call_command("backup", str(tmp_path / "missing" / "backup.tar"))
    with pytest.raises(CommandError):
        call_command("verify_backup", str(tmp_path / "missing.tar"))
    assert told() == [("chief", "backup.failing", ["backup"]), ("chief", "backup.failing", ["verify_backup"])]
    assert Notification.objects.first().params["items"][0]["note"].startswith("A file cannot be")
    ((_to, subject, text),) = mails(moved)
    assert subject == "2 backups failed" and "- backup – A file cannot be" in text
