"""Users from and to tables."""

import pytest
from django.test import Client

from accounts.models import User
from core.models import PendingImport
from tests.admin.pages.browsing import noted
from tests.admin.tables.files import (
    address,
    csv_file,
    export,
    preview_of,
    problems_of,
    sent_csv,
    stored,
    upload,
    xlsx_file,
)
from tests.admin.world import administrator_with
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
PAGE = "accounts_user"


def look(browser, *rows):
    answer, place = upload(browser, PAGE, csv_file(*rows))
    assert answer.status_code == 302, answer.context["form"].errors
    return browser.get(place), place


def store(browser, place, **sent):
    return browser.post(place, {"import": "1"} | sent)


def test_users_are_exported_without_anything_secret(highest):
    user = UserFactory(user_name="ann", mobile="+861380000")
    user.set_password("harbour1")
    user.save()
    names = [name for name, _label in highest.get(address(f"{PAGE}_export")).context["form"].fields["columns"].choices]
    rows = sent_csv(export(highest, PAGE, names))
    assert rows[0][:5] == ["id", "userName", "displayName", "email", "mobile"]
    assert rows[1][:5] == [str(user.pk), "ann", "", "", "'+861380000"]
    text = str(rows)
    assert not any(secret in text for secret in (user.password, user.password_stamp, "argon2", "harbour1"))
    assert "password" not in text.casefold()
    assert [entry.details["format"] for entry in noted("user.exported")] == ["csv"]


def test_users_are_made_and_changed_by_number_or_name(highest):
    UserFactory(user_name="Ann", email="a@example.org")
    ben = UserFactory(user_name="ben")
    answer, place = look(
        highest,
        ["id", "userName", "Display Name", "isChecked"],
        ["", "ann", "Ann A.", ""],
        [ben.pk, "benjamin", "", "False"],
        ["", "carl", "Carl", ""],
    )
    assert preview_of(answer) == {"wrong": 0, "new": 1, "changed": 2, "unchanged": 0}
    assert stored(store(highest, place)) == {"wrong": 0, "new": 1, "changed": 2, "unchanged": 0}
    rows = User.objects.order_by("pk").values_list("user_name", "display_name", "is_checked", "email")
    assert list(rows) == [
        ("ann", "Ann A.", True, "a@example.org"),
        ("benjamin", "", False, ""),
        ("carl", "Carl", True, ""),
    ]
    assert [entry.action for entry in noted()] == ["user.changed", "user.changed", "user.created", "user.imported"]


def test_new_users_have_the_password_of_the_table_or_none_that_anybody_knows(highest):
    answer, place = look(highest, ["userName", "password"], ["ann", "lantern7"], ["ben", ""])
    assert "lantern7" not in answer.content.decode()
    assert b"lantern7" not in bytes(PendingImport.objects.get().data)
    store(highest, place)
    ann, ben = User.objects.order_by("pk")
    assert ann.check_password("lantern7")
    assert not ben.check_password("")
    assert ben.password.startswith(ann.password.split("$")[0])  # of the same kind, so that failures take the same time


WRONG = {
    "a name that is taken": (["userName", "email"], ["new", "A@example.org"], 2),
    "a name of an earlier row": (["userName"], ["Twice"], 3),
    "another's address as name": (["userName"], ["a@example.org"], 2),
    "a weak password": (["userName", "password"], ["new", "short"], 2),
    "no name": (["userName", "displayName"], ["", "Nobody"], 2),
    "a name that is none": (["userName"], ['a"b'], 2),
    "a mobile that is taken, as a table has it": (["userName", "mobile"], ["new", "'+861"], 2),
    "no such number": (["id", "userName"], ["999999", "new"], 2),
}


@pytest.mark.parametrize("headings,cells,row", WRONG.values(), ids=WRONG)
def test_wrong_rows_store_nothing(highest, headings, cells, row):
    UserFactory(user_name="ann", email="a@example.org", mobile="+861")
    before = list(User.objects.values())
    rows = [cells] if row == 2 else [["twice"], cells]
    answer, place = look(highest, headings, *rows)
    assert list(problems_of(answer)) == [row]
    assert store(highest, place).status_code == 200
    assert list(User.objects.values()) == before


REASONS = {
    "no name": (["", ""], "A user needs a name."),
    "a blank in the name": (
        ["bad name", ""],
        "A name must not contain spaces, control characters or any of ' : \" < > |.",
    ),
    "a short password": (["new", "a1"], "A password must have at least 6 characters."),
    "a simple password": (["new", "lantern"], "A password must contain a letter and a digit."),
}


@pytest.mark.parametrize("cells,sentence", REASONS.values(), ids=REASONS)
def test_the_rule_that_a_row_breaks_is_told(highest, settings, cells, sentence):
    settings.CMS_PASSWORD_COMPOSITION, settings.CMS_PASSWORD_MIN_LENGTH = "LetterAndDigit", 6
    answer, _place = look(highest, ["userName", "password", "displayName"], [*cells, "a"])
    assert [text for _column, text in problems_of(answer)[2]] == [sentence]


@pytest.mark.parametrize("number,sentence", [("abc", "Enter a whole number."), ("999999", "No user has this ID")])
def test_what_is_no_number_is_told_apart_from_a_number_of_nobody(highest, number, sentence):
    answer, _place = look(highest, ["id", "userName"], [number, "new"])
    ((_column, told),) = problems_of(answer)[2]
    assert told.startswith(sentence)


def test_a_password_of_a_user_whom_there_is_is_passed_over_and_told(highest):
    ann = UserFactory(user_name="ann")
    ann.set_password("harbour1")
    ann.save()
    rows = ["ann", "lantern7", ann.display_name], ["ben", "lantern7", ""]
    answer, place = look(highest, ["userName", "password", "displayName"], *rows)
    assert preview_of(answer) == {"wrong": 0, "new": 1, "changed": 0, "unchanged": 1}
    assert [(column, count) for column, _text, count in answer.context["preview"].notes] == [
        ("password for a new user", 1)
    ]
    assert "Password for a new user: Skipped, because the user already exists." in answer.content.decode()
    assert "lantern7" not in answer.content.decode()
    store(highest, place)
    ann.refresh_from_db()
    assert ann.check_password("harbour1")


def test_the_first_page_lists_the_heading_of_passwords(highest):
    shown = highest.get(address(f"{PAGE}_import")).content.decode()
    assert "<td>Password for a new user</td><td><code>password</code></td>" in shown
    names = [name for name, _label in highest.get(address(f"{PAGE}_export")).context["form"].fields["columns"].choices]
    assert "password" not in names


def test_the_preview_begins_with_all_rows_that_matter_the_wrong_ones_first(highest):
    answer, _place = look(highest, ["userName", "isChecked"], ["one", ""], ["two", "perhaps"], ["three", ""])
    shown = answer.context["preview"]
    assert [row.kind for row in shown.rows] == ["wrong", "new", "new"]
    assert [(tab.kind, tab.count) for tab in shown.tabs][:2] == [("doing", 3), ("wrong", 1)]


def test_a_page_of_the_preview_has_fifty_rows(highest):
    answer, place = look(highest, ["userName"], *([f"user{number}"] for number in range(2, 54)))
    shown = [
        [row.number for row in highest.get(f"{place}?page={page}").context["preview"].rows] for page in ("x", 2, 9)
    ]
    assert shown == [list(range(2, 52)), [52, 53], [52, 53]]
    assert f'href="{place}?show=doing&amp;page=2" rel="next"' in answer.content.decode()


def test_a_workbook_is_read_once(highest, monkeypatch):
    _answer, place = upload(highest, PAGE, xlsx_file(["userName"], ["ann"]))
    monkeypatch.setattr("core.tables.reading.read_workbook", None)
    assert preview_of(highest.get(place))["new"] == 1
    assert stored(store(highest, place))["new"] == 1


def test_what_became_wrong_since_the_preview_stores_nothing(highest):
    _answer, place = look(highest, ["userName", "email"], ["ann", "a@example.org"], ["ben", "b@example.org"])
    UserFactory(user_name="other", email="B@example.org")
    assert store(highest, place, leave_out="on").status_code == 200
    assert [user.user_name for user in User.objects.all()] == ["other"]


@pytest.mark.parametrize(
    "rights,wrong",
    [(["add"], [2]), (["change"], [3]), (["change", "add"], [])],
)
def test_rights_decide_row_by_row(rights, wrong):
    UserFactory(user_name="ann")
    browser = Client()
    browser.force_login(administrator_with(*(f"accounts.{right}_user" for right in rights)))
    answer, _place = look(browser, ["userName", "displayName"], ["ann", "A"], ["new", "N"])
    assert sorted(problems_of(answer)) == wrong


@pytest.mark.parametrize("right,status", [("view", 404), ("change", 404), ("export", 200)])
def test_the_export_is_a_right_of_its_own(right, status):
    browser = Client()
    browser.force_login(administrator_with(f"accounts.{right}_user"))
    assert browser.get(address(f"{PAGE}_export")).status_code == status
    assert export(browser, PAGE, ["user_name"]).status_code == status


def test_a_row_is_about_the_user_whose_name_is_equal_in_the_database(highest):
    user = UserFactory(user_name="Straße")
    answer, place = look(highest, ["userName", "signature"], ["STRASSE", "new"])
    assert preview_of(answer) == {"wrong": 0, "new": 0, "changed": 1, "unchanged": 0}
    store(highest, place)
    user.refresh_from_db()
    assert (User.objects.count(), user.signature) == (1, "new")
