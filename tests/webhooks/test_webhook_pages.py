"""The pages of webhooks and deliveries, for the highest rank and for site administrators."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from core.lib import clock
from core.uploads.bounded_executor import BoundedExecutor
from events.models import Event
from events.numbering import number_new
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, nothing_counted  # noqa: F401
from tests.factories import SiteFactory
from webhooks import services
from webhooks.deliveries import create_due
from webhooks.delivery_attempts import send_all
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db(transaction=True)
LIST, ADD = reverse("admin:webhooks_webhook_changelist"), reverse("admin:webhooks_webhook_add")
SECRET = re.compile(r"whsec_[0-9A-Za-z+/=]+")


def signed_in(**fields):
    browser = Client()
    browser.force_login(account_of("administrators", **fields))
    return browser


@pytest.fixture
def highest():
    return signed_in()


def place(view, hook):
    return reverse(f"admin:webhooks_webhook_{view}", args=[hook.pk])


def filled(**sent):
    form = {"name": "news", "url": "https://receiver.example/hook", "site_id": "0", "is_on": "on"}
    return form | {"own_password": PASSWORD} | sent


def hook_of(receiver=None, **values):
    url = receiver.url if receiver else "https://receiver.example/hook"
    return Webhook.create({"name": "news", "url": url, **values}, 0)


def text_of(response):
    assert response.status_code == 200
    return response.content.decode()


def test_the_form_marks_what_has_to_be_filled_in(highest):
    page = text_of(highest.get(ADD))
    marked = {name for name in filled() if f'<label for="id_{name}" class="required">' in page}
    assert marked == {"name", "url", "site_id", "own_password"}
    hook = hook_of()
    assert text_of(highest.get(place("replay", hook))).count('class="required"') == 2


def test_a_new_webhook_shows_its_secret_once(highest):
    site = SiteFactory()
    sent = filled(site_id=site.pk, events=["content.published", "content.deleted"])
    shown = text_of(highest.post(ADD, sent))
    hook = Webhook.objects.get()
    assert set(SECRET.findall(shown)) == {hook.secret}
    assert (hook.site_id, hook.event_names, hook.is_on) == (site.pk, "content.deleted,content.published", True)
    for address in (LIST, place("change", hook), place("edit", hook), place("history", hook)):
        assert not SECRET.search(text_of(highest.get(address)))


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"name": ""}, "name", "required"),
        ({"url": "ftp://receiver.example/"}, "url", "must begin with https://"),
        ({"url": "http://10.0.0.1/"}, "url", "not part of the public Internet"),
        ({"site_id": "999"}, "site_id", "not one of the available choices"),
        ({"events": ["content.read"]}, "events", "not one of the available choices"),
        ({"own_password": OTHER}, "own_password", "not your password"),
    ],
    ids=str,
)
def test_what_cannot_be_stored_is_said_at_its_field(highest, sent, field, words):
    response = highest.post(ADD, filled(**sent))
    errors = response.context["form"].errors
    assert list(errors) == [field] and words in errors[field][0]
    assert not Webhook.objects.exists() and not SECRET.search(response.content.decode())


def test_a_webhook_is_changed_and_an_old_page_changes_nothing(highest):
    hook = hook_of()
    form = highest.get(place("edit", hook)).context["form"]
    sent = filled(name="others", events=["user.created"], seen=form["seen"].value(), is_on="")
    assert highest.post(place("edit", hook), sent).status_code == 302
    assert highest.post(place("edit", hook), sent | {"name": "late"}).status_code == 302
    hook.refresh_from_db()
    assert (hook.name, hook.event_names, hook.is_on) == ("others", "user.created", False)


def test_a_rotated_secret_is_shown_once(highest):
    hook = hook_of()
    old = hook.secret
    assert not SECRET.search(text_of(highest.get(place("rotate", hook))))
    shown = text_of(highest.post(place("rotate", hook), {"seen": hook.stamp, "own_password": PASSWORD}))
    hook.refresh_from_db()
    assert set(SECRET.findall(shown)) == {hook.secret} and hook.keys == [hook.secret, old]


def test_a_test_shows_what_the_receiver_responds_and_escapes_it(highest, receiver):
    hook = hook_of(receiver)
    receiver.status, receiver.body = 400, b"<script>alert(1)</script>"
    shown = text_of(highest.post(place("test", hook)))
    assert "The test was not delivered." in shown
    assert "&lt;script&gt;alert(1)" in shown and "<script>alert" not in shown
    assert highest.get(place("test", hook)).status_code == 302 and len(receiver.requests) == 1


def delivered(hook):
    Event.objects.create(name="content.created", subject_id=7, site_id=hook.site_id or 1, at=clock.now())
    number_new()
    create_due()
    send_all()
    return Delivery.objects.filter(webhook=hook).latest("pk")


def test_deliveries_are_filtered_shown_and_sent_again(highest, receiver):
    hook = hook_of(receiver)
    receiver.status, receiver.body = 200, b"<b>thanks</b>"
    delivery = delivered(hook)
    listed = reverse("admin:webhooks_delivery_changelist")
    assert delivery.message_id in text_of(highest.get(f"{listed}?webhook__id__exact={hook.pk}&state__exact=delivered"))
    assert delivery.message_id not in text_of(highest.get(f"{listed}?state__exact=waiting"))
    shown = text_of(highest.get(reverse("admin:webhooks_delivery_change", args=[delivery.pk])))
    assert "&lt;b&gt;thanks" in shown and "content.created" in shown and "7" in shown
    action = reverse("admin:webhooks_delivery_action", args=["replay"])
    assert highest.post(action, {"ids": str(delivery.pk)}).status_code == 302
    send_all()
    period = {"first": "2020-01-01T00:00", "last": "2999-01-01T00:00"}
    assert highest.post(place("replay", hook), period).status_code == 302
    send_all()
    assert len({headers["webhook-id"] for headers, _ in receiver.requests}) == 1 and len(receiver.requests) == 3
    backwards = highest.post(place("replay", hook), {"first": period["last"], "last": period["first"]})
    assert "earlier" in backwards.context["form"].errors["last"][0]


def test_a_webhook_that_was_switched_off_is_noticed(highest):
    hook = hook_of()
    assert "webhooks that fail" not in text_of(highest.get("/admin/"))
    Webhook.objects.filter(pk=hook.pk).update(is_on=False, reason="failing", disabled_at=clock.now())
    for address in ("/admin/", LIST):
        assert "every delivery failed for 24 hours" in text_of(highest.get(address))
    assert "The service has switched the webhook off" in text_of(highest.get(place("change", hook)))


def test_a_site_administrator_manages_the_webhooks_of_their_sites_alone(receiver):
    own, foreign = SiteFactory(), SiteFactory()
    browser = signed_in(is_superuser=False, site_id_collection=str(own.pk))
    theirs, others, everywhere = hook_of(receiver, site_id=own.pk), hook_of(site_id=foreign.pk), hook_of()
    listed = browser.get(LIST).context["cl"].result_list
    assert list(listed) == [theirs]
    for hook in (others, everywhere):
        for view in ("change", "edit", "rotate", "test", "replay", "history"):
            assert browser.get(place(view, hook)).status_code == 404
            assert browser.post(place(view, hook), filled()).status_code in {403, 404}
        delete = reverse("admin:webhooks_webhook_action", args=["delete"])
        assert browser.post(delete, {"ids": str(hook.pk), "own_password": PASSWORD}).status_code == 404
    for site in (0, foreign.pk):
        assert "site_id" in browser.post(ADD, filled(site_id=site)).context["form"].errors
        sent = filled(site_id=site, seen=theirs.stamp)
        assert "site_id" in browser.post(place("edit", theirs), sent).context["form"].errors
    assert SECRET.search(text_of(browser.post(ADD, filled(site_id=own.pk))))
    assert Webhook.objects.count() == 4
    foreign_delivery = delivered(hook_of(receiver, site_id=foreign.pk))
    address = reverse("admin:webhooks_delivery_change", args=[foreign_delivery.pk])
    assert browser.get(address).status_code == 404
    replay = reverse("admin:webhooks_delivery_action", args=["replay"])
    assert browser.post(replay, {"ids": str(foreign_delivery.pk)}).status_code == 404


def test_while_a_test_waits_another_one_is_told_to_come_again(highest, monkeypatch):
    monkeypatch.setattr(services, "_TESTS", BoundedExecutor("tests", places=0))
    shown = highest.post(place("test", hook_of()), follow=True)
    assert "Another test waits for its receiver; try again in a moment." in text_of(shown)
