"""Mails about entries: the confirmation to the sender, and notifications of those who may see the entries."""

from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from core.mail.models import OutgoingMail
from forms import confirmations
from forms.models import Entry, Field, Form
from pages.engine.elements.forms import TRAP
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
