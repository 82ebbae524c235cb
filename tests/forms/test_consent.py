"""The consent of a form: its box on pages, its check, and the text that entries keep."""

import pytest

from forms.models import Entry, Form
from forms.records import record_of
from pages.engine.elements.forms import CONSENT, consent_mark, own_fields, with_fields
from tests.admin.pages.browsing import place
from tests.pages.sites import make_site
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
TEXT = "I agree to the storage.\nSee https://example.org/privacy, please."
GOOD = {"name": "Ann"}


@world
def form():
    made = Form.objects.create(site=make_site(site_dir="museum"), name="Visit", consent_text=TEXT)
    made.fields.create(key="name", label="Name")
    return made


def send(client, form, values, *, json=True):
    accept = {"HTTP_ACCEPT": "application/json"} if json else {}
    return client.post(f"/museum/_forms/{form.pk}", values, **accept)


def box(form):
    return f'<input type="checkbox" id="form_{form.pk}__consent" name="_consent" value="{consent_mark(TEXT)}" required>'


def test_fields_of_ours_have_the_box_before_the_button(form):
    shown = own_fields(record_of(form))
    assert shown.index(box(form)) < shown.index("<button")
    link = '<a href="https://example.org/privacy" target="_blank" rel="noopener noreferrer">'
    assert f"storage.<br>See {link}https://example.org/privacy</a>, please." in shown
    assert CONSENT not in own_fields(record_of(form)._replace(consent=""))


@pytest.mark.parametrize(
    ("markup", "order"),
    [
        ('<input id="name"><a id="submit">Go</a><button type="submit">again</button>', ["name", "box", "Go", "again"]),
        ('<input id="name">', ["name", "box", "Send"]),
        ('<input type="checkbox" id="_Consent"><p>text</p><a id="submit">Go</a>', ["box", "text", "Go"]),
        ('<a id="submit">Go</a><input id="_consent"><input id="_consent">', ["Go", "box"]),
    ],
)
def test_templates_have_it_at_its_place_or_before_the_button(form, markup, order):
    shown = with_fields(markup, record_of(form))
    places = [shown.index(box(form) if part == "box" else part) for part in order]
    assert places == sorted(places) and shown.lower().count('type="checkbox"') == 1
    assert CONSENT not in with_fields(markup, record_of(form)._replace(consent="")).lower()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>javascript:alert(1) www.example.org", "&lt;b&gt;javascript:alert(1) www.example.org"),
        ('https://a.example/"onclick="x', ">https://a.example/</a>&quot;onclick=&quot;x"),
        ("见https://a.example/隐私。", ">https://a.example/</a>隐私。"),
        ("(http://a.example/?a=1&b=2).", ">http://a.example/?a=1&amp;b=2</a>)."),
    ],
)
def test_only_web_addresses_become_links(form, text, expected):
    shown = own_fields(record_of(form)._replace(consent=text))
    assert expected in shown and shown.count("<a ") == text.count("://")


def test_addresses_are_found_in_linear_time(form):
    assert "<a " in own_fields(record_of(form)._replace(consent="https://" + "http://a." * 100_000))


@pytest.mark.parametrize("sent", [{}, {CONSENT: ""}, {CONSENT: "false"}, {CONSENT: consent_mark("another text")}])
def test_without_the_tick_for_this_text_nothing_is_stored(client, form, sent):
    answer = send(client, form, GOOD | sent)
    assert (answer.status_code, set(answer.json()["errors"])) == (400, {CONSENT})
    page = send(client, form, GOOD | sent, json=False).content.decode()
    assert f'required aria-describedby="form_{form.pk}__consent_msg" aria-invalid="true">' in page and "Ann" in page
    assert not Entry.objects.exists()


def test_a_tick_stays_when_something_else_is_wrong(client, form):
    form.fields.update(is_required=True)
    shown = send(client, form, {CONSENT: consent_mark(TEXT)}, json=False)
    assert shown.status_code == 400 and " required checked>" in shown.content.decode()


@pytest.mark.parametrize("value", [consent_mark(TEXT), True, "on", "1"])
def test_an_entry_keeps_the_text_that_its_sender_agreed_to(client, form, highest, value):
    sent = client.post(f"/museum/_forms/{form.pk}", GOOD | {CONSENT: value}, "application/json")
    assert sent.status_code == 200
    Form.objects.update(consent_text="Another text")
    entry = Entry.objects.get()
    assert (entry.consent, len(entry.values)) == (TEXT, 1)
    shown = highest.get(place("forms_entry", "change", entry.pk)).content.decode()
    assert "I agree to the storage.<br>See https://example.org/privacy, please." in shown


def test_a_form_without_a_text_asks_for_nothing(client, form):
    Form.objects.update(consent_text="")
    assert send(client, form, GOOD | {CONSENT: "on"}).status_code == 200
    assert Entry.objects.get().consent == ""
