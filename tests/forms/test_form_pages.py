"""The page of a form: its fields, their order, and two people at once."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from core.lib import clock
from forms.admin.inputs import MAX_RULES, RULE_LABELS
from forms.admin.visitor_forms import MAX_COUNTED, count_entries
from forms.models import MAX_FIELDS, Entry, Field, Form
from forms.rules import RULE_TYPES
from tests.admin.browser_forms import posted_by
from tests.admin.pages.browsing import act, noted, place, told
from tests.admin.world import administrator_with
from tests.factories import SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
PAGE = "forms_form"


@pytest.fixture
def site(highest):
    return SiteFactory(site_name="Harbour")


@pytest.fixture
def form(site):
    made = Form.objects.create(site=site, name="Contact")
    made.fields.create(key="name", label="Name", taxis=0)
    made.fields.create(key="colour", label="Colour", kind="select", choices=["red", "blue"], taxis=1)
    rules = [{"type": "Min", "value": "3"}, {"type": "Max", "value": "9"}, {"type": "Alpha"}, {"type": "AlphaDash"}]
    made.fields.create(key="code", label="Code", rules=rules, taxis=2)
    return made


def opened(browser, form):
    """The data that a browser posts if nobody changes the page."""
    return posted_by(browser.get(place(PAGE, "change", form.pk)))


def keys(form):
    return list(form.fields.values_list("key", flat=True))


def errors(answer):
    context = answer.context_data
    return [*context["form"].errors.values(), *(each for row in context["rows"] for each in row.errors.values())]


def test_protection_and_words_of_spam_are_chosen_and_explained(highest, form):
    page = highest.get(place(PAGE, "change", form.pk)).content.decode()
    for guard in Form.Guard:
        assert f'<option value="{guard}"' in page and f"{guard.label}: " in page
    sent = opened(highest, form) | {"guard": "proof", "blocked_words": "casino\r\n加微信"}
    assert highest.post(place(PAGE, "change", form.pk), sent).status_code == 302
    form.refresh_from_db()
    assert (form.guard, form.blocked_words.splitlines()) == ("proof", ["casino", "加微信"])
    assert [entry.changed for entry in noted("form.changed")] == [["blockedWords", "guard"]]


def test_each_rule_has_a_label():
    assert set(RULE_LABELS) == {"", *RULE_TYPES}


def test_a_new_form_asks_for_name_address_and_message(highest, site):
    address = f"{place(PAGE, 'add')}?site={site.pk}"
    sent = posted_by(highest.get(address)) | {"name": "Contact"}
    answer = highest.post(address, sent)
    form = Form.objects.get()
    assert answer.url == place(PAGE, "change", form.pk)
    assert (form.site_id, form.guard, form.is_open) == (site.pk, "basic", True)
    found = list(form.fields.values_list("key", "kind", "is_required", "is_visible"))
    assert found == [("name", "text", True, True), ("email", "email", True, True), ("message", "textarea", True, True)]
    assert [entry.action for entry in noted("form.created")] == ["form.created"]
    assert (
        "&lt;stl:input inputName=&quot;Contact&quot;&gt;&lt;/stl:input&gt;" in highest.get(answer.url).content.decode()
    )


def test_an_untouched_form_changes_nothing(highest, form):
    before = [*Form.objects.values(), *form.fields.values()]
    assert highest.post(place(PAGE, "change", form.pk), opened(highest, form)).status_code == 302
    assert [*Form.objects.values(), *form.fields.values()] == before
    assert noted("form.changed") == []


def test_what_a_field_says_is_stored(highest, form):
    sent = opened(highest, form) | {
        "field-0-label": "Your name",
        "field-0-is_required": "on",
        "field-1-choice_lines": " green \r\n\r\nred\r\ngreen",
        "field-2-type_0": "Digits",
        "field-2-value_0": "",
        "field-2-message_0": "Digits, please.",
        "field-2-type_1": "",
    }
    highest.post(place(PAGE, "change", form.pk), sent)
    name, colour, code = form.fields.all()
    assert (name.label, name.is_required) == ("Your name", True)
    assert colour.choices == ["green", "red"]
    # Rules beyond those of the page stay.
    assert code.rules == [{"type": "Digits", "message": "Digits, please."}, {"type": "Alpha"}, {"type": "AlphaDash"}]
    assert MAX_RULES == 3
    assert [entry.changed for entry in noted("form.changed")] == [["fields"]]


def test_consent_and_confirmation_are_stored(highest, form):
    texts = {"consent_text": "I agree.", "confirmation_subject": "Thanks", "confirmation_text": "See you."}
    sent = opened(highest, form) | texts | {"confirmation_has_values": "on", "field-2-is_sensitive": "on"}
    answer = highest.post(place(PAGE, "change", form.pk), sent, follow=True)
    assert told(answer)[1:] == ["No field gets the confirmation, so none is sent."]
    assert "Anyone can type the address of another person." in answer.content.decode()
    sent = opened(highest, form) | {"field-0-gets_confirmation": "on"}
    answer = highest.post(place(PAGE, "change", form.pk), sent)
    assert errors(answer) == [["Only an email address gets the confirmation."]]
    answer = highest.post(place(PAGE, "change", form.pk), sent | {"field-0-kind": "email"}, follow=True)
    assert len(told(answer)) == 1
    form.refresh_from_db()
    assert {name: getattr(form, name) for name in texts} == texts and form.confirmation_has_values
    marks = form.fields.values_list("key", "is_sensitive", "gets_confirmation")
    assert list(marks) == [("name", False, True), ("colour", False, False), ("code", True, False)]
    assert sorted(len(entry.changed) for entry in noted("form.changed")) == [1, 5]


def test_buttons_move_add_and_remove_fields_before_anything_is_saved(highest, form):
    address, sent = place(PAGE, "change", form.pk), opened(highest, form)
    sent |= {"field-2-label": "Number", "name": "Questions"}
    for button, expected in [
        ({"_up": "2"}, ["name", "code", "colour"]),
        ({"_down": "0"}, ["code", "name", "colour"]),
        ({"_remove": "2"}, ["code", "name"]),
        ({"_add": "1"}, ["code", "name", ""]),
    ]:
        sent = posted_by(highest.post(address, sent | button))
        assert [value for name, values in sent.items() if name.endswith("-key") for value in values] == expected
    assert keys(form) == ["name", "colour", "code"]
    highest.post(address, sent | {"field-2-label": "Phone number"})
    form.refresh_from_db()
    assert (form.name, keys(form)) == ("Questions", ["code", "name", "phone_number"])
    assert form.fields.first().label == "Number"


def test_fields_are_stored_in_the_order_to_which_they_were_dragged(highest, form):
    address, sent = place(PAGE, "change", form.pk), opened(highest, form) | {"order": "2,0,1"}
    refused = posted_by(highest.post(address, sent | {"name": ""}))
    assert refused["order"] == ["2,0,1"]
    moved = posted_by(highest.post(address, sent | {"_up": "1"}))  # the third one now
    assert [moved[f"field-{number}-key"] for number in range(3)] == [["code"], ["colour"], ["name"]]
    highest.post(address, refused | {"name": "Contact"})
    assert keys(form) == ["code", "name", "colour"]


@pytest.mark.parametrize("button", [{"_add_lines": "1"}, {}], ids=["its button", "another one"])
def test_lines_become_fields_of_which_none_is_lost(highest, form, button):
    lines = "Phone\r\n\r\n Size * | small| large |\r\n * \r\n<b>*"
    address = place(PAGE, "change", form.pk)
    sent = posted_by(highest.post(address, opened(highest, form) | {"lines": lines} | button))
    assert sent["lines"] == [""] and form.fields.count() == 3
    highest.post(address, sent)
    found = list(form.fields.values_list("label", "kind", "is_required", "is_visible", "choices"))[3:]
    assert found == [
        ("Phone", "text", False, True, []),
        ("Size", "select", True, True, ["small", "large"]),
        ("<b>", "text", True, True, []),
    ]


def test_lines_beyond_the_number_of_fields_stay(highest, form):
    lines = "\n".join(f"Field {number}" for number in range(MAX_FIELDS))
    sent = posted_by(highest.post(place(PAGE, "change", form.pk), opened(highest, form) | {"lines": lines}))
    assert sent["rows"] == [str(MAX_FIELDS)]
    assert sent["lines"][0].splitlines() == [f"Field {number}" for number in range(MAX_FIELDS - 3, MAX_FIELDS)]


def test_a_copy_has_all_that_the_form_says_and_is_stored_only_when_it_is_saved(highest, form):
    Form.objects.update(consent_text="I agree.", origin="input", origin_id=3)
    form.fields.filter(key="name").update(is_sensitive=True)
    page = highest.get(place(PAGE, "change", form.pk)).content.decode()
    address = f"{place(PAGE, 'add')}?site={form.site_id}&copy={form.pk}"
    assert address.replace("&", "&amp;") in page
    sent = posted_by(highest.get(address))
    sent = posted_by(highest.post(address, sent | {"_down": "0"}))
    assert Form.objects.count() == 1
    highest.post(address, sent)
    copy = Form.objects.latest("pk")
    assert (copy.name, copy.consent_text, copy.origin) == ("Contact (copy)", "I agree.", "")
    names = ("key", "label", "kind", "choices", "rules", "is_sensitive")
    first, second, third = form.fields.values_list(*names)
    assert list(copy.fields.values_list(*names)) == [second, first, third]
    assert keys(form) == ["name", "colour", "code"]


def preview(browser, form, changed, query):
    address = f"{place(PAGE, 'preview', form.site_id)}?{urlencode(query)}"
    return browser.post(address, opened(browser, form) | changed)


def test_the_preview_shows_what_is_typed_and_stores_nothing(highest, form):
    before = [*Form.objects.values(), *form.fields.values()]
    typed = {"field-0-label": "Your <name>", "field-1-is_visible": "", "order": "2,0,1", "consent_text": "I agree."}
    answer = preview(highest, form, typed | {"field-2-kind": "no kind"}, {"form": form.pk})
    text = answer.content.decode()
    assert text.index("Code") < text.index("Your &lt;name&gt;") < text.index("I agree.") < text.index("<button")
    assert "Colour" not in text and "<script" not in text and "<form" not in text
    assert "sandbox;" in answer.headers["Content-Security-Policy"]
    assert [*Form.objects.values(), *form.fields.values()] == before


def test_the_preview_of_a_new_form_shows_what_is_typed(highest, form):
    typed = {"field-0-number": "", "field-0-label": "New", "field-0-key": "", "rows": "1"}
    assert ">New<" in preview(highest, form, typed, {}).content.decode()
    # A copy keeps what the page does not show.
    assert ">Name<" in preview(highest, form, {}, {"copy": form.pk}).content.decode()


def test_the_preview_shows_no_form_of_another_site(highest, form):
    other = Form.objects.create(site=SiteFactory(), name="Secret")
    assert preview(highest, form, {}, {"form": other.pk}).status_code == 404
    assert highest.get(place(PAGE, "preview", form.site_id)).status_code == 404
    assert highest.head(place(PAGE, "preview", form.site_id)).status_code == 200
    client = Client()
    client.force_login(administrator_with("forms.view_form"))
    assert preview(client, form, {}, {"form": form.pk}).status_code == 404


@pytest.mark.parametrize(
    ("forged", "status"),
    [
        ({"order": "0,0,1"}, 302),
        ({"order": "2,1,x"}, 302),
        ({"_up": "99"}, 302),
        ({"_down": "x"}, 302),
        ({"_remove": "-1"}, 302),
        ({"rows": "9" * 30}, 200),
        ({"rows": ""}, 200),
    ],
)
def test_forged_buttons_and_numbers_change_nothing(highest, form, forged, status):
    assert highest.post(place(PAGE, "change", form.pk), opened(highest, form) | forged).status_code == status
    assert keys(form) == ["name", "colour", "code"]


def test_a_form_has_a_limited_number_of_fields(highest, form):
    sent = opened(highest, form) | {"rows": "500"} | {f"field-{n}-label": f"Field {n}" for n in range(3, 70)}
    sent |= {f"field-{n}-kind": "text" for n in range(3, 70)}
    highest.post(place(PAGE, "change", form.pk), sent)
    assert form.fields.count() == MAX_FIELDS
    # An import may bring more.
    Field.objects.create(form=form, key="more", label="More", taxis=99)
    sent = opened(highest, form)
    highest.post(place(PAGE, "change", form.pk), sent | {"title": "Long"})
    assert form.fields.count() == MAX_FIELDS + 1


def test_a_form_with_every_box_of_every_field_ticked_is_stored(highest, form):
    form.fields.all().delete()
    for number in range(MAX_FIELDS):
        marks = dict.fromkeys(("is_required", "is_visible", "is_sensitive", "gets_confirmation"), True)
        form.fields.create(key=f"f{number}", label="Mail", kind="email", taxis=number, **marks)
    sent = opened(highest, form) | {"title": "Long"}
    assert len(sent) > 1000  # as many as Django takes by default
    assert highest.post(place(PAGE, "change", form.pk), sent).status_code == 302
    form.refresh_from_db()
    assert form.title == "Long"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Your e-mail", "Your e-mail!"], ["your_e_mail", "your_e_mail2"]),
        (["姓名", "电话"], ["field1", "field2"]),
        (["2nd choice", "Name"], ["field1", "name2"]),  # the form has one with the key "name"
    ],
)
def test_a_key_is_made_from_the_label(highest, form, labels, expected):
    sent = opened(highest, form) | {"rows": "5"} | {f"field-{n}-label": label for n, label in enumerate(labels, 3)}
    sent |= {f"field-{n}-{name}": value for n in (3, 4) for name, value in [("kind", "text"), ("is_visible", "on")]}
    highest.post(place(PAGE, "change", form.pk), sent)
    assert keys(form)[3:] == expected


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"field-1-key": "NAME"}, "Another field has this name."),
        ({"field-1-key": "a b"}, "Begin with a letter, and use only letters, digits, - and _."),
        ({"field-1-label": ""}, "This field is required."),
        ({"field-1-choice_lines": ""}, "List the choices of this field."),
        ({"field-1-choice_lines": "\n".join(map(str, range(201)))}, "Enter at most 200 choices."),
        ({"field-2-type_0": "Min", "field-2-value_0": "many"}, "Enter a number."),
        (
            {"field-2-type_0": "Regex", "field-2-value_0": "(?=a)"},
            "Enter a regular expression without look-around and references.",
        ),
        ({"field-0-label": "a\0b"}, "Null characters are not allowed."),
        ({"name": "guests"}, "The site already has a form with this name."),
        ({"opens_at": "2026-01-02T00:00", "closes_at": "2026-01-01T00:00"}, "The form must close after it opens."),
        ({"keep_days": "0"}, "Ensure this value is greater than or equal to 1."),
    ],
)
def test_what_cannot_be_is_refused_beside_its_input(highest, form, changed, error):
    Form.objects.create(site=form.site, name="Guests")
    before = [*Form.objects.values(), *form.fields.values()]
    answer = highest.post(place(PAGE, "change", form.pk), opened(highest, form) | changed)
    assert [error] in errors(answer)
    assert [*Form.objects.values(), *form.fields.values()] == before


def test_two_fields_can_exchange_their_keys(highest, form):
    numbers = dict(form.fields.values_list("key", "pk"))
    sent = opened(highest, form) | {"field-0-key": "colour", "field-1-key": "Name"}
    assert highest.post(place(PAGE, "change", form.pk), sent).status_code == 302
    assert dict(form.fields.values_list("key", "pk"))["Name"] == numbers["colour"]
    assert set(form.fields.values_list("folded_key", flat=True)) == {"colour", "name", "code"}


def test_a_change_by_another_is_not_overwritten_unseen(highest, form):
    sent = opened(highest, form) | {"field-0-label": "Mine"}
    form.fields.filter(key="name").update(label="Theirs")
    form.fields.create(key="theirs", label="Their field", taxis=3)
    answer = highest.post(place(PAGE, "change", form.pk), sent)
    assert errors(answer) == [["It has changed since you opened it; check it again."]]
    assert form.fields.first().label == "Theirs"
    # What was typed is on the page, and the next time it is saved.
    assert highest.post(place(PAGE, "change", form.pk), posted_by(answer)).status_code == 302
    assert form.fields.first().label == "Mine"
    assert keys(form) == ["name", "colour", "code", "theirs"]


def test_an_empty_field_between_others_is_left_out(highest, form):
    address = place(PAGE, "change", form.pk)
    sent = posted_by(highest.post(address, opened(highest, form) | {"_add": "1"}))
    sent = posted_by(highest.post(address, sent | {"_up": "3"}))
    sent = posted_by(highest.post(address, sent | {"name": ""}))  # refused, and shown again
    assert highest.post(address, sent | {"name": "Contact"}).status_code == 302
    assert keys(form) == ["name", "colour", "code"]


def test_a_form_of_another_site_may_have_the_name_and_its_fields_stay(highest, form):
    other = Form.objects.create(site=SiteFactory(), name="Contact")
    field = other.fields.create(key="name", label="Name")
    sent = opened(highest, form) | {"field-0-number": str(field.pk)}
    highest.post(place(PAGE, "change", form.pk), sent)
    field.refresh_from_db()
    assert (field.form_id, field.label) == (other.pk, "Name")


def test_the_list_counts_entries_in_one_statement(highest, form, django_assert_num_queries):
    Entry.objects.bulk_create(Entry(form=form, state=state) for state in ("new", "new", "read", "spam"))
    empty = Form.objects.create(site=form.site, name="Empty", closes_at=clock.now())
    with django_assert_num_queries(1):
        assert count_entries([form.pk, empty.pk]) == {form.pk: (3, 2), empty.pk: (0, 0)}
    text = highest.get(place(PAGE)).content.decode()
    assert f'?form__id__exact={form.pk}&amp;state__exact=new">2</a>' in text
    assert "closed" in text
    Entry.objects.bulk_create(Entry(form=empty) for _ in range(MAX_COUNTED + 5))
    assert "1,000+" in highest.get(place(PAGE)).content.decode()


def test_a_deleted_form_takes_its_entries_along(highest, form):
    Entry.objects.create(form=form)
    answer = act(highest, PAGE, "delete", form)
    assert told(answer) == ["1 form was deleted."]
    assert not Form.objects.exists() and not Entry.objects.exists()
    assert [entry.details for entry in noted("form.deleted")] == [{"entries": 1}]


def test_names_of_forms_and_fields_are_shown_as_text(highest, site):
    form = Form.objects.create(site=site, name='<script>alert("1")</script>', title="x" * 255)
    form.fields.create(key="a", label="<img src=x onerror=alert(1)>", help_text="</textarea><script>")
    for address in (place(PAGE), place(PAGE, "change", form.pk), place("forms_entry")):
        text = highest.get(address).content.decode()
        assert "<script>alert" not in text and "<img src=x" not in text and "</textarea><script>" not in text
