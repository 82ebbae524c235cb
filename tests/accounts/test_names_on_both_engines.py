"""Names, e-mail addresses and mobiles are equal on SQLite and PostgreSQL alike, whatever their letters."""

import io
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from accounts import folding, sign_in
from accounts.models import Administrator, User
from accounts.uniqueness import owners_of
from core.lib.folding import doubled, fold
from core.operation import doctor
from tests.accounts.asking import ADMINISTRATORS, USERS, listed
from tests.assertions import assert_error
from tests.factories import AdministratorFactory, UserFactory

pytestmark = pytest.mark.django_db

SPELLINGS = [
    ("Ärger", "ärger"),
    ("ΟΔΟΣ", "οδος"),
    ("Straße", "STRASSE"),
    ("İnci", "inci"),
    ("\u212aate", "kate"),
    ("ａｄｍｉｎ", "admin"),
    ("ad\u200bmin", "Admin"),
]
MEMBERS = [("userName", "{}"), ("email", "{}@example.org"), ("mobile", "{}")]


@pytest.mark.parametrize("one,other", SPELLINGS)
@pytest.mark.parametrize("member,form", MEMBERS)
def test_a_second_user_cannot_have_it_in_another_spelling(api, one, other, member, form):
    body = {"userName": "first", "password": "lantern-27", member: form.format(one)}
    assert api.post(USERS, body).status_code == 200
    body = {"userName": "second", "password": "lantern-27", member: form.format(other)}
    refused = assert_error(api.post(USERS, body), 400)
    assert refused["code"].endswith("_taken")
    assert User.objects.count() == 1


@pytest.mark.parametrize("one,other", SPELLINGS)
def test_people_sign_in_and_are_found_in_any_spelling(api, one, other):
    user = UserFactory(user_name=one, email=f"{one}@example.org", mobile=f"{one}7", display_name=f"Dr. {one}")
    user.set_password("lantern-27")
    user.save()
    for text in (other, f"{other}@EXAMPLE.org", f"{other}7"):
        login = api.post(f"{USERS}/actions/login", {"account": text, "password": "lantern-27"})
        assert login.status_code == 200, text
    for query in (
        {"userName": other},
        {"email": f"{other}@example.org"},
        {"mobile": f"{other}7"},
        {"displayName": other},
        {"keyword": other},
    ):
        found = listed(api, f"{USERS}?{urlencode(query)}")
        assert [record["id"] for record in found] == [user.pk], query
    assert list(User.objects.all().beginning(other)) == [user]


@pytest.mark.parametrize("one,other", SPELLINGS)
def test_administrators_are_found_in_any_spelling(one, other):
    administrator = AdministratorFactory(user_name=one, email=f"{one}@example.org")
    assert Administrator.objects.get_by_natural_key(other) == administrator
    assert Administrator.objects.get_queryset().with_email(f"{other}@EXAMPLE.ORG").get() == administrator
    with pytest.raises(IntegrityError), transaction.atomic():
        AdministratorFactory(user_name=other)


def test_a_new_name_in_another_letter_case_is_folded_anew(api):
    user = UserFactory(user_name="ärger")
    assert api.put(f"{USERS}/{user.pk}", {"userName": "ÄRGER"}).status_code == 200
    user.refresh_from_db()
    assert (user.folded_user_name, user.folding_stamp is None) == ("ärger", False)


def twins():
    """Two users as SQLite could hold them before, the later one found by its exact name only."""
    first, later = UserFactory(user_name="Ärger"), UserFactory(user_name="other")
    User.objects.filter(pk=later.pk).update(user_name="ärger", folded_user_name=doubled("ärger"), folding_stamp=7)
    for user in (first, later):
        user.refresh_from_db()
        user.set_password(f"lantern-{user.pk}-x")
        user.save()
    return first, later


def test_twins_go_on_signing_in_until_one_is_renamed(api):
    first, later = twins()
    find = sign_in.find_by_account
    assert [find(User, text) for text in ("Ärger", "ÄRGER", "ärger")] == [first, first, later]
    assert owners_of(User, ["ärger"]) == {"ärger": {first.pk, later.pk}}
    assert User.objects.get(pk=later.pk).folded_user_name == doubled("ärger")  # was saved in the meantime
    assert_error(api.post(USERS, {"userName": "ärgeR", "password": "lantern-27"}), 400, "user_name_taken")

    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("check_accounts", stdout=out)
    assert f"user {later.pk} (ärger) has nearly the same user name as user {first.pk} (Ärger)." in out.getvalue()
    findings = {result.subject: result.findings for result in doctor.run_checks()}["Names of accounts"]
    assert "check_accounts --repair" in findings[0].remedy

    assert api.put(f"{USERS}/{first.pk}", {"userName": "zorn"}).status_code == 200
    out = io.StringIO()
    call_command("check_accounts", repair=True, stdout=out)
    assert out.getvalue() == "Wrong forms: 1. All were repaired.\n"
    assert find(User, "ÄRGER") == later
    call_command("check_accounts", stdout=(out := io.StringIO()))
    assert out.getvalue() == "The names of the accounts are correct.\n"


def as_the_last_release(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def copied(name):
    """A user that code without the folded columns stores."""
    pattern = UserFactory()
    known = [
        field.column
        for field in User._meta.concrete_fields
        if not field.column.startswith("fold") and field.column not in {"id", "user_name", "email", "mobile"}
    ]
    columns = ", ".join(known)
    as_the_last_release(
        f"INSERT INTO accounts_user (user_name, email, mobile, {columns})"
        f" SELECT %s, %s, '', {columns} FROM accounts_user WHERE id = %s",
        *(name, f"{name}@example.org", pattern.pk),
    )
    return User.objects.get(user_name=name)


@pytest.mark.parametrize("name", ["Reader", "海港", "Ärger", "Straße"])
def test_what_the_last_release_stores_is_found_at_once_and_folded_soon(name):
    user = copied(name)
    assert user.folding_stamp is None
    assert sign_in.find_by_account(User, name) == user or name in {"Ärger", "Straße"}
    folding.fold_guessed()
    user.refresh_from_db()
    assert (user.folded_user_name, user.folded_email) == (fold(name), fold(f"{name}@example.org"))
    assert user.folding_stamp is not None
    assert sign_in.find_by_account(User, name.swapcase()) == user

    as_the_last_release("UPDATE accounts_user SET user_name = %s WHERE id = %s", "New One", user.pk)
    user.refresh_from_db()
    assert (user.folded_user_name, user.folding_stamp) == ("new one", None)
    assert user.folded_email == fold(f"{name}@example.org")
    as_the_last_release("UPDATE accounts_user SET count_of_login = 7 WHERE id = %s", user.pk)
    folding.fold_guessed()
    assert not User.objects.filter(folding_stamp=None).exists()


def test_the_last_release_may_store_a_twin():
    first, later = UserFactory(user_name="admin"), copied("ａｄｍｉｎ")
    folding.fold_guessed()
    later.refresh_from_db()
    assert later.folded_user_name == doubled("ａｄｍｉｎ")
    assert [sign_in.find_by_account(User, name) for name in ("ADMIN", "ａｄｍｉｎ")] == [first, later]


def test_the_lists_of_both_kinds_work_with_any_letters(api):
    AdministratorFactory(user_name="Ünal", display_name="")
    assert [record["userName"] for record in listed(api, f"{ADMINISTRATORS}?displayName=ÜN")] == ["Ünal"]


@pytest.mark.parametrize("lookup", ["icontains", "istartswith", "iendswith", "iexact"])
@pytest.mark.parametrize(
    "text,same", [("ärger", "ÄRGER"), ("ΟΔΟΣ", "οδοσ"), ("Straße", "STRAßE"), ("50%_\\", "50%_\\")]
)
def test_django_s_own_lookups_ignore_the_case_of_every_letter(lookup, text, same):
    UserFactory(signature=text)
    assert User.objects.filter((f"signature__{lookup}", same)).count() == 1
    assert not User.objects.filter((f"signature__{lookup}", "STRASSE" if "ß" in text else "x")).exists()
