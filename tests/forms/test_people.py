"""A person is found in the entries of all forms; what is stored about them is exported and deleted, with a report."""

import csv
import json
import logging

import pytest

from forms import people
from forms.models import Entry, Form
from forms.people import Sought, find
from tests.admin.pages.browsing import noted, place
from tests.factories import SiteFactory
from tests.forms.test_rights import SEES, World

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
PERSON = place("forms_entry", "person")


@pytest.fixture
def form(db):
    made = Form.objects.create(site=SiteFactory(site_name="Harbour"), name="Contact")
    for key, kind in (("name", "text"), ("mail", "email"), ("phone", "tel"), ("kinds", "checkbox")):
        made.fields.create(key=key, label=key.title(), kind=kind)
    return made


def add(form, name="", mail="", phone="", kinds=(), **members):
    numbers = form.fields.order_by("pk").values_list("pk", flat=True)
    values = dict(zip(map(str, numbers), [name, mail, phone, list(kinds)], strict=True))
    return Entry.objects.create(form=form, values=values, **members)


def found(text, form=None):
    forms = Form.objects.all()
    result = find(forms.filter(pk=form.pk) if form else forms, Sought(text))
    assert result.position is None
    return [(each.entry, each.labels, each.is_apart) for each in result.found]


@pytest.mark.parametrize(
    ("text", "members", "labels", "is_apart"),
    [
        ("ann@example.org", {"mail": "Ann@Example.org"}, ["Mail"], True),
        ("ann@example.org", {"name": "Write to ann@example.org."}, ["Name"], True),
        ("ann@example.org", {"mail": "joann@example.org"}, ["Mail"], False),
        ("ann@example.org", {"mail": "ann@example.org.example.com"}, ["Mail"], True),
        ("  ann@example.org\u200b", {"mail": "ann@example.org"}, ["Mail"], True),
        ("+49 (170) 123-45", {"phone": "0049170 12345"}, ["Phone"], True),
        ("17012345", {"phone": "+49/170 - 12 34 5"}, ["Phone"], False),
        ("0049 170 12345", {"phone": "+49-170-12345"}, ["Phone"], True),
        ("13800138000", {"name": "138\u00a00013\u20118000"}, ["Name"], True),
        ("张三丰先生", {"name": "张三丰先生"}, ["Name"], True),
        ("张三", {"name": "张三"}, ["Name"], True),
        ('Ann "A\\B"', {"name": 'Ann "A\\B"'}, ["Name"], True),
        ("50%_off", {"name": "50%_off"}, ["Name"], True),
        ("ann@example.org", {"reply": "Dear ann@example.org"}, [""], True),
        ("blue boat", {"kinds": ["red", "blue boat"], "state": "spam"}, ["Kinds"], True),
    ],
)
def test_texts_are_found_in_values_and_replies(form, text, members, labels, is_apart):
    add(form, "Berta", "berta@example.org", "030 555", ["red"])
    add(form, "50 per off", phone="49 1 70 123 4 6")
    entry = add(form, **members)
    assert found(text) == [(entry, labels, is_apart)]


@pytest.mark.parametrize("text", ["123456", "name", "null", "}{", "____"])
def test_names_of_fields_and_signs_of_json_are_no_values(form, text):
    entry = add(form, "Ann")
    entry.values = {"123456": "x", **entry.values}
    entry.save()
    assert found(text) == []


def test_a_search_continues_where_it_stopped(form, monkeypatch):
    monkeypatch.setattr(people, "_PORTION", 3)
    entries = [add(form, f"Ann {number:04}") for number in range(10)]
    other = Form.objects.create(site=form.site, name="Guests")
    Entry.objects.create(form=other, values={"1": "Ann 0000"})
    assert [entry for entry, *_ in found("Ann 0", form)] == entries
    monkeypatch.setattr(people, "SECONDS", 0.0)  # of each search
    assert find(Form.objects.all(), Sought("Ann 0")).position == 0
    monkeypatch.setattr(people, "SECONDS", 9.0)
    monkeypatch.setattr(people, "MAX_FOUND", 4)
    first = find(Form.objects.filter(pk=form.pk), Sought("Ann 0"))
    second = find(Form.objects.filter(pk=form.pk), Sought("Ann 0"), first.position)
    assert [each.entry for each in [*first.found, *second.found]] == entries[:8]


@pytest.mark.parametrize("rank", SEES)
def test_people_are_found_where_entries_may_be_seen(rank):
    world = World()
    browser = world.browser(rank)
    answer = browser.post(PERSON, {"text": "ann@example.org"})
    seen = {each.entry.form.name for each in answer.context_data["result"].found}
    assert seen == SEES[rank]
    everything = {"text": "ann@example.org", "ids": [entry.pk for entry in Entry.objects.all()]}
    lines = b"".join(browser.post(PERSON, everything | {"act": "json"}).streaming_content)
    assert {each["form"] for each in json.loads(lines)} == SEES[rank]
    browser.post(PERSON, everything | {"act": "erased"})
    assert {entry.form.name for entry in Entry.objects.all()} == set(world.entries) - SEES[rank]


@pytest.mark.parametrize(("right", "acts"), [("view", set()), ("export", {"json", "csv"}), ("delete", {"erased"})])
def test_finding_exporting_and_deleting_are_three_rights(right, acts):
    world = World()
    browser, entry = world.browser("branch", f"forms.{right}_entry"), world.entries["own branch"]
    page = browser.post(PERSON, {"text": "ann@example.org"})
    assert entry in [each.entry for each in page.context_data["result"].found]
    for act in ("json", "csv", "erased"):
        answer = browser.post(PERSON, {"text": "ann@example.org", "ids": entry.pk, "act": act})
        if act == "erased":
            assert Entry.objects.filter(pk=entry.pk).exists() != (act in acts)
        else:
            assert (b"ann@" in b"".join(answer.streaming_content)) == (act in acts)
    assert world.browser("branch", "forms.change_form").get(PERSON).status_code == 404


def test_everything_stored_is_exported(highest, form):
    entry = add(form, "=Ann", "ann@example.org", kinds=["a", "b"], consent="Yes, store it.", page="/visit", reply="Hi")
    entry.files.create(form=form, field_id=1, name="ticket.pdf", path="x", media_type="application/pdf", size=7)
    entry.values["999"] = "left over"
    entry.save()
    add(form, "Berta")
    sent = {"text": "ann@example.org", "ids": entry.pk}
    answer = highest.post(PERSON, sent | {"act": "json"})
    (stored,) = json.loads(b"".join(answer.streaming_content))
    values = {each["name"]: each["value"] for each in stored["values"]}
    assert values == {"name": "=Ann", "mail": "ann@example.org", "phone": "", "kinds": ["a", "b"], "#999": "left over"}
    assert (stored["consent"], stored["page"], stored["reply"]) == ("Yes, store it.", "/visit", "Hi")
    assert stored["files"] == [{"name": "ticket.pdf", "type": "application/pdf", "bytes": 7}]
    text = b"".join(highest.post(PERSON, sent | {"act": "csv"}).streaming_content).decode("utf-8-sig")
    rows = {row["name"]: row["value"] for row in csv.DictReader(text.splitlines())}
    assert (rows["Name"], rows["Kinds"], rows["file"]) == ("'=Ann", "a, b", "ticket.pdf")
    assert [note.details for note in noted("entry.exported")] == [
        {"format": ending, "entries": 1} for ending in ("json", "csv")
    ]


def test_chosen_entries_are_deleted_after_a_question_and_reported(highest, form, caplog):
    caplog.set_level(logging.DEBUG)
    entries = [add(form, "Ann", "ann@example.org"), add(form, mail="ann@example.org", reply="Dear Ann"), add(form, "B")]
    sent = {"text": "ann@example.org", "ids": [entry.pk for entry in entries[:2]]}
    asked = highest.post(PERSON, sent | {"act": "erase"})
    assert "Delete 2 entries permanently?" in asked.content.decode()
    assert "cannot be undone" in asked.content.decode()
    assert Entry.objects.count() == 3
    hidden = asked.context_data["hidden"]
    again = {"text": dict(hidden)["text"], "act": "erased", "ids": [value for name, value in hidden if name == "ids"]}
    report = highest.post(PERSON, again).content.decode()
    assert list(Entry.objects.all()) == entries[2:]
    for words in (
        "2 entries were permanently deleted.",
        "ann@example.org",
        "harriet",
        "Harbour · Contact",
        "Name, Mail",
    ):
        assert words in report
    assert "Dear Ann" not in report
    (note,) = noted("entry.erased")
    assert (note.object_id, note.site_id, note.details) == (str(form.pk), form.site_id, {"entries": 2})
    assert "ann@" not in f"{note.object_name}{note.details}" and "ann@example.org" not in caplog.text
    assert "0 entries were permanently deleted." in highest.post(PERSON, again).content.decode()
    assert len(noted("entry.erased")) == 1


@pytest.mark.parametrize("text", ["", "ann", " a b ", "a\u200b\u200b\u200b\u200b", "张", "x" * 201])
def test_a_text_must_be_long_enough_to_mean_a_person(highest, form, text):
    add(form, "ann")
    answer = highest.post(PERSON, {"text": text})
    assert answer.context_data["form"].errors and "result" not in answer.context_data


def test_a_site_narrows_the_search(highest, form):
    add(form, "Ann Berg")
    other = Form.objects.create(site=SiteFactory(), name="Guests")
    second = Entry.objects.create(form=other, values={"1": "Ann Berg"})
    answer = highest.post(PERSON, {"text": "ann berg", "site": other.site_id})
    assert [each.entry for each in answer.context_data["result"].found] == [second]
    assert highest.post(PERSON, {"text": "ann berg", "site": "x"}).context_data["form"].errors
