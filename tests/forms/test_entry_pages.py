"""Entries in the admin: their list, one of them, what can be done to them, their table and their end."""

from datetime import timedelta

import pytest
from django.contrib.admin.views.main import ChangeList
from django.test import Client

from core.lib import clock
from core.lib.statement_limit import TooSlow
from forms.admin.entries import shown_values
from forms.models import Entry, Form
from forms.retention import delete_old
from forms.services import change_state, reply
from tests.admin.browser_forms import posted_by
from tests.admin.pages.browsing import act, listed, noted, place, told, undo
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "forms_entry"
HOSTILE = ["<script>alert(1)</script>", "=1+1", "x" * 10_000, "'\"><img src=x onerror=alert(1)>"]


@pytest.fixture
def form(db):
    made = Form.objects.create(site=SiteFactory(site_name="Harbour"), name="Contact")
    made.fields.create(key="name", label="Name", taxis=0)
    made.fields.create(key="colours", label="Colours", kind="checkbox", choices=["red", "blue"], taxis=1)
    return made


def add(form, *values, **members):
    numbers = [str(field.pk) for field in form.fields.all()]
    return Entry.objects.create(form=form, values=dict(zip(numbers, values, strict=False)), **members)


def shown(browser, form, **query):
    return listed(browser, PAGE, form__id__exact=form.pk, **query)


def text_at(browser, *where):
    return browser.get(place(PAGE, *where)).content.decode()


def test_the_newest_come_first_with_their_first_values(highest, form):
    first = add(form, "Anna", ["red", "blue"], created_at=clock.now() - timedelta(days=1))
    second = add(form, "", ["red"])
    other = Form.objects.create(site=form.site, name="Guests")
    add(other)
    found = shown(highest, form)
    assert found == [second, first]
    assert [entry.beginning for entry in found] == ["Colours: red", "Name: Anna · Colours: red, blue"]


@pytest.mark.parametrize("number", ["", "0", "x", "9" * 25])
def test_without_a_form_one_is_chosen(highest, form, number):
    answer = highest.get(place(PAGE), {"form__id__exact": number})
    assert [name for name, _site, _address in answer.context_data["links"]] == ["Contact"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("anna", ["Anna"]),
        ("张", ["张 三"]),
        ("三 张", ["张 三"]),
        ("50%", ["50% of \\ it"]),
        ("\\", ["50% of \\ it"]),
        ("_", []),
        ("ann blue", ["Anna"]),
        ("{pk}", []),  # the id of a field is no value
        ("Berta", []),  # of another form
    ],
)
def test_entries_are_found_by_words_in_their_values(highest, form, words, expected):
    for name in ("Anna", "张 三", "50% of \\ it"):
        add(form, name, ["blue"])
    other = Form.objects.create(site=form.site, name="Guests")
    other.fields.create(key="name", label="Name")
    add(other, "Berta")
    words = words.replace("{pk}", str(form.fields.first().pk))
    found = shown(highest, form, q=words)
    assert [next(iter(entry.values.values())) for entry in found] == expected


def test_a_search_that_takes_too_long_says_so(highest, form, monkeypatch):
    calls, stored = [], ChangeList.get_results

    def get_results(self, request):
        calls.append(request)
        if len(calls) == 1:
            raise TooSlow
        stored(self, request)

    monkeypatch.setattr(ChangeList, "get_results", get_results)
    answer = highest.get(place(PAGE), {"form__id__exact": form.pk, "q": "anna"})
    assert "The search takes too long." in answer.content.decode()


def test_entries_are_listed_by_state(highest, form):
    spam, new = add(form, state="spam"), add(form)
    assert shown(highest, form, state__exact="spam") == [spam]
    assert shown(highest, form, state__exact="new") == [new]


@pytest.mark.parametrize("value", [*HOSTILE, ["<script>alert(1)</script>"], {"<script>": "<b>"}, None, 7])
def test_values_are_shown_as_text(highest, form, value):
    entry = add(form, value)
    listing = highest.get(place(PAGE), {"form__id__exact": form.pk}).content.decode()
    for text in (text_at(highest, "change", entry.pk), listing):
        assert "<script>alert" not in text and "<img src=x" not in text and "<b>" not in text


def test_a_character_that_no_page_may_have_is_replaced(highest, form):
    entry = add(form)
    entry.values = {"1": "a\0b"}  # SQLite stores it
    assert shown_values(entry, []) == [("Deleted field 1", "a\ufffdb")]


def test_values_of_deleted_fields_are_shown(highest, form):
    entry = add(form, "Anna")
    field = form.fields.first()
    form.fields.all().delete()
    text = text_at(highest, "change", entry.pk)
    assert f"Deleted field {field.pk}" in text and "Anna" in text


def test_looking_changes_nothing_and_a_button_marks_as_read(highest, form):
    entry = add(form, "Anna")
    assert 'value="Anna"' not in text_at(highest, "change", entry.pk)
    assert Entry.objects.get().state == "new"
    answer = act(highest, PAGE, "read", entry, **{"from": "record"})
    assert answer.url == place(PAGE, "change", entry.pk)
    assert Entry.objects.get().state == "read"
    undo(highest, answer)
    assert Entry.objects.get().state == "new"
    assert [entry.details for entry in noted("entry.changed")] == [{"state": "read"}, {"state": "new"}]


def test_states_are_set_at_once_and_taken_back(highest, form):
    entries = [add(form, state=state) for state in ("new", "read", "spam")]
    sent = {"action": "spam", "_selected_action": [entry.pk for entry in entries]}
    answer = highest.post(f"{place(PAGE)}?form__id__exact={form.pk}", sent)
    assert told(answer) == ["2 entries were marked as spam."]
    assert answer.url == f"{place(PAGE)}?form__id__exact={form.pk}"
    assert set(Entry.objects.values_list("state", flat=True)) == {"spam"}
    Entry.objects.filter(pk=entries[0].pk).update(state="read")  # by another person
    undo(highest, answer)
    assert list(Entry.objects.order_by("pk").values_list("state", flat=True)) == ["read", "read", "spam"]


def test_a_reply_is_stored_with_its_writer_and_the_entry_is_read(highest, form):
    entry = add(form, "Anna")
    sent = posted_by(highest.get(place(PAGE, "change", entry.pk))) | {"reply": "Thank you."}
    assert highest.post(place(PAGE, "reply", entry.pk), sent).url == place(PAGE, "change", entry.pk)
    entry.refresh_from_db()
    assert (entry.reply, entry.replied_by, entry.state) == ("Thank you.", "harriet", "read")
    assert entry.replied_at is not None
    assert [(each.object_id, each.details) for each in noted("entry.replied")] == [(str(entry.pk), {"characters": 10})]
    # The page was opened before that reply.
    answer = highest.post(place(PAGE, "reply", entry.pk), sent | {"reply": "Another."})
    assert answer.context_data["reply_form"].errors["reply"]
    assert Entry.objects.get().reply == "Thank you."
    assert highest.get(place(PAGE, "reply", entry.pk)).status_code == 302


@pytest.mark.parametrize("state", [Entry.State.SPAM, Entry.State.APPROVED])
def test_a_reply_keeps_the_state_that_another_person_has_just_set(form, state):
    entry = add(form, "Anna")
    change_state(Entry.objects.get(), state, was=Entry.State.NEW)
    reply(entry, "Thank you.", "")
    assert Entry.objects.get().state == entry.state == state


def test_a_deleted_entry_leaves_no_value_behind(highest, form):
    entry = add(form, "Anna")
    act(highest, PAGE, "delete", entry)
    assert not Entry.objects.exists()
    (note,) = noted("entry.deleted")
    assert "Anna" not in f"{note.object_name}{note.details}"


def test_the_table_is_harmless_in_spreadsheets(highest, form):
    for value in ("=1+1", "@x", "-1", "张三"):
        add(form, value, ["red", "blue"])
    add(Form.objects.create(site=form.site, name="Guests"))
    address = f"{place(PAGE, 'export')}?form__id__exact={form.pk}"
    answer = highest.post(address, posted_by(highest.get(address)))
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert lines[0] == "\ufeffsent,Name,Colours,state,page,consent,reply,replied,replied by"
    assert [line.split(",")[1] for line in lines[1:]] == ["'=1+1", "'@x", "'-1", "张三"]
    (note,) = noted("entry.exported")
    assert (note.object_id, note.site_id) == (str(form.pk), form.site_id)
    assert "张三" not in str(note.details)


def test_the_table_follows_the_filters(highest, form):
    add(form, "Anna"), add(form, "Berta", state="spam")
    address = f"{place(PAGE, 'export')}?form__id__exact={form.pk}&state__exact=spam"
    text = b"".join(highest.post(address, posted_by(highest.get(address))).streaming_content).decode()
    assert "Berta" in text and "Anna" not in text
    assert highest.get(place(PAGE, "export")).status_code == 404


def test_an_export_with_a_search_that_takes_too_long_begins_no_file(highest, form, settings, monkeypatch):
    add(form, "Anna")
    address = f"{place(PAGE, 'export')}?form__id__exact={form.pk}&q=anna"
    sent = posted_by(highest.get(address))
    text = b"".join(highest.post(address, sent).streaming_content).decode()
    assert "Anna" in text

    def slow(connection, seconds):
        raise TooSlow

    monkeypatch.setattr("forms.admin.entries.statement_limit", slow)
    answer = highest.post(address, sent)
    assert (answer.status_code, told(answer)[-1]) == (302, "The search takes too long.")
    assert len(noted("entry.exported")) == 1


def test_entries_are_printed_without_the_frame_of_the_admin(highest, form):
    first, second, third = add(form, HOSTILE[0], reply="Thank you."), add(form, "Berta"), add(form, "Carla")
    text = text_at(highest, "print", first.pk)
    assert "&lt;script&gt;alert(1)" in text and "Thank you." in text and "<nav" not in text
    address = f"{place(PAGE)}?form__id__exact={form.pk}"
    assert 'value="print"' in highest.get(address).content.decode()
    chosen = {"action": "print", "_selected_action": [first.pk, third.pk]}
    answer = highest.post(address, chosen).content.decode()
    assert "Carla" in answer and "Berta" not in answer
    other = add(Form.objects.create(site=form.site, name="Guests"))
    assert str(other.created_at.date()) not in highest.post(address, chosen | {"_selected_action": other.pk})
    browser = signed_in("forms.change_form")
    assert browser.get(place(PAGE, "print", second.pk)).status_code == 404


def signed_in(*rights, **fields):
    browser = Client()
    browser.force_login(administrator_with(*rights, **fields))
    return browser


def test_whoever_may_see_only_forms_sees_no_entries_and_no_numbers(form):
    entry, browser = add(form, "Anna"), signed_in("forms.view_form")
    text = browser.get(place("forms_form")).content.decode()
    assert "Contact" in text and "form__id__exact" not in text
    assert "form__id__exact" not in browser.get(place("forms_form", "change", form.pk)).content.decode()
    for where in [("changelist",), ("change", entry.pk), ("export",), ("reply", entry.pk)]:
        assert browser.get(place(PAGE, *where), {"form__id__exact": form.pk}).status_code == 404


def test_whoever_may_see_entries_only_changes_none(form):
    entry, browser = add(form, "Anna"), signed_in("forms.view_entry")
    assert shown(browser, form) == [entry]
    assert "Anna" in text_at(browser, "change", entry.pk)
    assert browser.post(place(PAGE, "reply", entry.pk), {"reply": "x"}).status_code == 404
    assert act(browser, PAGE, "read", entry).status_code == 404
    assert browser.get(place("forms_form")).status_code == 404
    assert Entry.objects.get().state == "new"


def test_entries_of_other_sites_are_not_there(form):
    entry, browser = add(form, "Anna"), Client()
    own = Form.objects.create(site=SiteFactory(), name="Guests")
    browser.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    answer = browser.get(place(PAGE), {"form__id__exact": form.pk})
    assert [name for name, _site, _address in answer.context_data["links"]] == ["Guests"]
    for where in [("change", entry.pk), ("history", entry.pk), ("reply", entry.pk)]:
        assert browser.get(place(PAGE, *where)).status_code == 404
    assert browser.get(place(PAGE, "export"), {"form__id__exact": form.pk}).status_code == 404
    assert act(browser, PAGE, "delete", entry).status_code == 404
    assert browser.get(place("forms_form", "change", form.pk)).status_code == 404
    assert browser.get(place("forms_form", "add"), {"site": form.site_id}).status_code == 404
    assert Entry.objects.get() == entry


def test_old_entries_are_deleted_after_the_days_of_their_form(form, monkeypatch):
    monkeypatch.setattr("forms.purging.BATCH", 2)
    Form.objects.filter(pk=form.pk).update(keep_days=30)
    kept = Form.objects.create(site=form.site, name="Guests")
    Form.objects.create(site=form.site, name="Long", keep_days=2**31 - 1)
    for days in (29, 31, 32, 400):
        for each in (form, kept):
            add(each, created_at=clock.now() - timedelta(days=days))
    delete_old()
    assert (form.entries.count(), kept.entries.count()) == (1, 4)


def test_spam_is_deleted_thirty_days_after_it_became_spam(form, monkeypatch):
    old = add(form, created_at=clock.now() - timedelta(days=400))
    change_state(old, "spam", was="new")
    delete_old()
    assert Entry.objects.filter(pk=old.pk).exists()
    Entry.objects.update(spam_at=clock.now() - timedelta(days=31))
    change_state(old, "new", was="spam")
    delete_old()
    assert Entry.objects.filter(pk=old.pk).exists()
    Entry.objects.update(state="spam", spam_at=clock.now() - timedelta(days=31))
    delete_old()
    assert not Entry.objects.exists()
