"""Mails about entries: the confirmation to the sender, and notifications of those who may see the entries."""

from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import GroupPlace
from core.lib import clock
from core.mail.models import OutgoingMail
from core.notifications.models import FollowedFeed, Notification
from core.notifications.words import page_of
from forms import confirmations
from forms.models import Entry, Field, Form
from forms.notices import notify_new
from pages.engine.elements.forms import TRAP
from tests.admin.world import administrator_with
from tests.apikeys.test_life import Clock
from tests.factories import AdministratorFactory
from tests.pages.sites import make_site
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
TEXT = "Thank you.\n\nWe open at nine\nand close at five."
GOOD = {"name": "Ann", "mail": "ann@example.org", "secret": "blood group 0", "remark": "At noon?"}


@pytest.fixture(autouse=True)
def server(settings, monkeypatch):
    settings.CMS_EMAIL_URL = "smtp://127.0.0.1:9"  # where nothing listens
    # Redis keeps counts of addresses beyond a test.
    name_of, test = confirmations._name_of, uuid4()
    monkeypatch.setattr(confirmations, "_name_of", lambda address: f"{test} {name_of(address)}")


@world
def form():
    made = Form.objects.create(
        site=make_site(site_dir="museum"),
        name="visit",
        title="Your visit",
        confirmation_subject="We have received your booking",
        confirmation_text=TEXT,
    )
    for key, kind in (("name", "text"), ("mail", "email"), ("secret", "text"), ("remark", "textarea")):
        changes = {"is_sensitive": key == "secret", "gets_confirmation": key == "mail"}
        made.fields.create(key=key, label=key.title(), kind=kind, **changes)
    return made


@pytest.fixture
def send(client, form):
    def post(network=1, **values):
        path, address = f"/museum/_forms/{form.pk}", f"192.0.2.{network}"
        return client.post(path, GOOD | values, "application/json", REMOTE_ADDR=address)

    return post


def test_the_sender_gets_the_text_of_the_form_and_nothing_that_was_typed(send):
    assert send().status_code == 200
    mail = OutgoingMail.objects.get()
    assert (mail.recipient, mail.subject) == ("ann@example.org", "We have received your booking")
    assert mail.text.strip() == TEXT
    assert "We open at nine<br>and close at five." in mail.html


@pytest.mark.parametrize(
    ("changes", "values"),
    [
        ({"confirmation_text": ""}, {}),
        ({}, {TRAP: "x"}),
        ({}, {"mail": ""}),
        ({}, {"mail": "ann@example.org,bob@example.org"}),
        ({}, {"mail": ["ann@example.org", "bob@example.org"]}),
        ({}, {"mail": "ann@example.org\nBcc: bob@example.org"}),
        ({}, {"mail": f"ann@{'a.' * 130}example.org"}),
    ],
    ids=["no text", "spam", "no address", "two", "two values", "header", "long"],
)
def test_some_entries_get_none(send, form, changes, values):
    Form.objects.update(**changes)
    send(**values)
    assert not OutgoingMail.objects.exists()


def test_without_a_mail_server_nothing_waits(send, settings):
    settings.CMS_EMAIL_URL = ""
    send()
    assert Entry.objects.count() == 1 and not OutgoingMail.objects.exists()


def test_a_subject_has_one_line_and_is_the_title_if_there_is_none(send, form):
    Form.objects.update(confirmation_subject="Hello\r\nBcc: bob@example.org")
    send()
    Form.objects.update(confirmation_subject="")
    send(name="Bob")
    subjects = OutgoingMail.objects.order_by("pk").values_list("subject", flat=True)
    assert list(subjects) == ["Hello Bcc: bob@example.org", "Your visit"]


def test_a_copy_of_the_values_leaves_out_sensitive_fields_and_links(send, form):
    Form.objects.update(confirmation_has_values=True)
    send(name="Ann at evil.example", remark="At\n<b>noon</b>?")
    mail = OutgoingMail.objects.get()
    lines = ["What you sent", "", "- Name: (with a link, left out)", "- Mail: ann@example.org"]
    assert mail.text.strip().splitlines()[-5:] == [*lines, "- Remark: At <b>noon</b>?"]
    assert "<b>" not in mail.html and "evil" not in mail.text + mail.html and "blood" not in mail.text + mail.html


@pytest.mark.parametrize(
    ("limit", "differs"),
    [
        ("OF_FORM", lambda number: {"mail": f"Ann+{number}@example.ORG"}),
        ("OF_NETWORK", lambda number: {"mail": f"ann{number}@example.org", "network": 1}),
    ],
)
def test_nobody_is_mailed_without_end(send, monkeypatch, limit, differs):
    monkeypatch.setattr(confirmations, limit, 2)
    for number in range(4):
        answer = send(**{"network": number} | differs(number) | {"name": f"Ann {number}"})
        assert answer.status_code == 200
    assert (OutgoingMail.objects.count(), Entry.objects.count()) == (2, 4)


def test_an_address_gets_few_from_all_forms_together(send, form, client, monkeypatch):
    monkeypatch.setattr(confirmations, "OF_ALL_FORMS", 1)
    other = Form.objects.create(site=form.site, name="other", confirmation_text=TEXT)
    other.fields.create(key="mail", label="Mail", kind="email", gets_confirmation=True)
    for number in (form.pk, other.pk):
        client.post(f"/museum/_forms/{number}", {"mail": "eve@example.org"}, REMOTE_ADDR="192.0.2.7")
    assert (OutgoingMail.objects.count(), Entry.objects.count()) == (1, 2)


def test_only_email_addresses_get_it(form):
    with pytest.raises(ValidationError):
        Field(form=form, key="x", label="x", kind="text", gets_confirmation=True).clean()


# ---- Notifications of those who may see the entries


@pytest.fixture
def moved(monkeypatch):
    hands = Clock()
    monkeypatch.setattr(clock, "now", hands.now)
    return hands


@pytest.fixture
def follow(moved):
    """Notifies of what was sent since the last call, after some seconds; the first one only begins."""

    def run(**later):
        moved.move(**(later or {"seconds": 11}))
        notify_new()
        return [(row.administrator.user_name, row.params["items"][0]["title"]) for row in stored.order_by("pk")]

    stored = Notification.objects.select_related("administrator")
    run()
    return run


def test_all_who_may_see_the_entries_are_told_but_not_of_spam(send, form, follow):
    other = make_site(site_dir="other")
    AdministratorFactory(user_name="highest")
    for name, site in (("keeper", form.site), ("keeper of another site", other)):
        AdministratorFactory(user_name=name, is_superuser=False, site_id_collection=str(site.pk))
    for name, right in (("reader", "forms.view_entry"), ("manager of forms", "forms.change_form")):
        administrator_with(right, user_name=name)
    for name, site in (("reader here", form.site), ("reader elsewhere", other)):
        group = administrator_with("forms.change_entry", user_name=name).groups.get()
        GroupPlace.objects.create(group=group, site_id=site.pk, channel_id=0)
    administrator_with("forms.view_entry", user_name="locked", is_locked_out=True)
    send(**{TRAP: "x"})
    assert follow() == []
    send(name="Bob")
    assert sorted(follow()) == [(name, "Your visit") for name in ("highest", "keeper", "reader", "reader here")]
    row = Notification.objects.first()
    assert page_of(row) == f"{reverse('admin:forms_entry_changelist')}?form__id__exact={form.pk}"
    assert "Bob" not in str(Notification.objects.values())


def test_a_form_is_told_of_once_an_hour_and_nothing_is_forgotten(send, form, follow):
    AdministratorFactory(user_name="highest")
    send()
    assert len(follow()) == 1
    send(name="Bob")
    assert len(follow()) == len(follow(minutes=58)) == 1
    assert len(follow(minutes=2)) == 2
    assert len(follow(hours=2)) == 2  # nothing new
    send(name="Eve")
    assert len(follow()) == 3
    send(name="Cat")
    follow()
    Entry.objects.update(state="read")
    assert len(follow(hours=2)) == 3 and FollowedFeed.objects.count() == 1


def test_an_entry_whose_neighbours_may_not_be_stored_yet_waits(send, form, follow):
    AdministratorFactory(user_name="highest")
    send()
    Entry.objects.update(created_at=clock.now())
    assert follow(seconds=9) == []
    assert len(follow(seconds=2)) == 1


def test_imported_entries_and_those_before_the_first_call_are_not_told(send, form, follow):
    AdministratorFactory(user_name="highest")
    Entry.objects.create(form=form, source="import")
    assert follow() == []
    FollowedFeed.objects.all().delete()
    send()
    assert follow() == follow() == []


def test_a_submission_costs_the_same_however_many_are_to_be_told(send, form):
    Form.objects.update(confirmation_text="")
    send()

    def cost(number):
        with CaptureQueriesContext(connection) as statements:
            send(name=f"Ann {number}")
        return len(statements)

    before = cost(1)
    AdministratorFactory.create_batch(3)
    assert cost(2) == before
