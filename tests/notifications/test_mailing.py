"""E-mails of notifications: choices, the pauses, the digest, and several nodes at once."""

from datetime import timedelta

import pytest
from django.db import transaction

from core.mail.models import OutgoingMail
from core.notifications import mailing
from core.notifications.models import AdminAddress, Email, Notification, NotificationChoice
from core.notifications.notifying import notify
from tests.contents.threads import at_once, outcome
from tests.factories import AdministratorFactory
from tests.notifications.reading import mails, tell

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def chief():
    return AdministratorFactory(user_name="chief", email="chief@example.org")


def choose(administrator, email, *, kind="content.submitted", in_bell=True):
    NotificationChoice.objects.create(administrator=administrator, kind=kind, email=email, in_bell=in_bell)


def subjects(found):
    return [subject for _to, subject, _text in found]


def test_later_ones_of_a_kind_are_gathered_and_other_kinds_are_not_held_up(chief, moved):
    tell(chief, "Lamps")
    assert mails(moved, seconds=10) == []
    assert subjects(mails(moved)) == ["“Lamps” waits for your approval"]
    tell(chief, "Ropes")
    tell(chief, "Sails", "Masts")
    tell(chief, "Lamps", kind="content.approved")
    assert subjects(mails(moved)) == ["“Lamps” was approved"]
    ((_to, subject, text),) = mails(moved, minutes=10)
    assert subject == "3 content items wait for your approval"
    assert text.startswith("- Ropes\n- Sails\n- Masts\n")
    assert text.rstrip().endswith("/admin/notifications/choices/")


def test_the_digest_comes_once_a_day_also_after_a_downtime(chief, moved):
    choose(chief, Email.DAILY)
    choose(chief, Email.DAILY, kind="content.approved")
    tell(chief, "Lamps")
    tell(chief, "Ropes", kind="content.approved")
    assert mails(moved, hours=19) == []
    ((_to, subject, text),) = mails(moved, hours=1, minutes=1)
    assert subject == "Daily summary: 2 notifications"
    assert "“Lamps” waits for your approval\n\n- Lamps\n" in text and "“Ropes” was approved\n\n- Ropes\n" in text
    tell(chief, "Sails")
    assert mails(moved, hours=5) == []  # of the same day
    assert subjects(mails(moved, days=3)) == ["Daily summary: 1 notification"]
    assert mails(moved, days=1) == []


def test_never_means_the_bell_only_and_neither_stores_nothing(chief, moved):
    choose(chief, Email.NEVER)
    choose(chief, Email.NEVER, kind="content.approved", in_bell=False)
    choose(chief, Email.NOW, kind="content.rejected", in_bell=False)
    for kind in ("content.submitted", "content.approved", "content.rejected"):
        tell(chief, "Lamps", kind=kind)
    assert dict(Notification.objects.values_list("kind", "in_bell")) == {
        "content.submitted": True,
        "content.rejected": False,
    }
    assert subjects(mails(moved)) == ["“Lamps” was rejected"]


@pytest.mark.parametrize("change", [{"is_locked_out": True}, {"email": ""}], ids=str)
def test_who_cannot_get_an_e_mail_by_then_gets_none(chief, moved, change):
    tell(chief, "Lamps")
    type(chief).objects.filter(pk=chief.pk).update(**change)
    assert mails(moved) == mails(moved, days=1) == []


def test_locked_administrators_are_not_told(chief):
    locked = AdministratorFactory(is_locked_out=True, email="locked@example.org")
    tell(locked, "Lamps")
    assert not Notification.objects.exists()


def test_without_a_mail_server_nothing_waits_for_one(chief, moved, settings):
    settings.CMS_EMAIL_URL = ""
    tell(chief, "Lamps")
    settings.CMS_EMAIL_URL = "smtp://127.0.0.1:9"
    assert mails(moved) == []
    assert Notification.objects.get().in_bell


def test_links_lead_to_the_address_of_the_last_sign_in(chief, moved, settings, client):
    settings.CMS_ADMIN_URL, settings.ALLOWED_HOSTS = "", ["cms.example.net"]
    tell(chief, "Lamps")
    assert "http" not in mails(moved)[0][2]
    chief.set_password("Harbour-2026!")
    chief.save()
    sent = {"username": "chief", "password": "Harbour-2026!"}
    assert client.post("/admin/login/", sent, headers={"host": "cms.example.net"}).status_code == 302
    assert AdminAddress.objects.get().base_url == "http://cms.example.net"
    tell(chief, "Ropes")
    assert "http://cms.example.net/admin/notifications/" in mails(moved, minutes=11)[0][2]


def test_several_nodes_queue_one_e_mail(moved):
    people = [AdministratorFactory(email=f"{number}@example.org") for number in range(20)]
    for person in people:
        tell(person, "Lamps", "Ropes")
    moved.move(minutes=1)
    at_once("", *[outcome(mailing.queue_due)] * 3)
    mailing.queue_due()
    assert sorted(OutgoingMail.objects.values_list("recipient", flat=True)) == sorted(each.email for each in people)


def test_an_error_queues_nothing_and_the_next_call_all(chief, moved, monkeypatch):
    tell(chief, "Lamps")
    moved.move(minutes=1)
    with monkeypatch.context() as patch:
        patch.setattr(mailing, "_mark", lambda *arguments, **options: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            mailing.queue_due()
    assert not OutgoingMail.objects.exists()
    assert len(mails(moved)) == 1


def test_once_is_once(chief):
    tell(chief, "Lamps", once="lamps")
    tell(chief, "Lamps", once="lamps")
    tell(chief, "Lamps", once="ropes")
    assert Notification.objects.count() == 2


def test_kinds_are_registered_and_notify_belongs_to_a_change(chief):
    with pytest.raises(RuntimeError, match="Unknown kind"), transaction.atomic():
        notify("content.lost", {})
    with pytest.raises(RuntimeError, match="transaction"):
        notify("content.approved", {})


def test_old_ones_are_deleted_and_so_are_those_of_a_deleted_administrator(chief, moved):
    tell(chief, "Lamps")
    moved.move(days=89)
    tell(chief, "Ropes")
    moved.move(days=2)
    mailing.delete_old()
    assert [row.params["items"][0]["title"] for row in Notification.objects.all()] == ["Ropes"]
    chief.delete()
    assert not Notification.objects.exists()


def test_the_hour_of_the_digest_leaves_time_to_commit(chief, moved):
    choose(chief, Email.DAILY)
    tell(chief, "Lamps")
    moved.time = moved.time.replace(hour=8) + timedelta(days=1, seconds=30)
    assert mails(moved, seconds=0) == []
    assert len(mails(moved)) == 1


def test_e_mails_do_not_wait_for_an_hour_when_clocks_go_back(chief, autumn):
    autumn("02:59:00")
    tell(chief, "Lamps")
    autumn("02:59:40")
    mailing.queue_due()
    assert OutgoingMail.objects.count() == 1
    autumn("02:59:50")
    tell(chief, "Ropes")
    autumn("02:10", 1)
    mailing.queue_due()
    assert OutgoingMail.objects.count() == 2
