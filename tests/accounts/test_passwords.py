"""How passwords are stored: both wire forms verify, and a stored form opens nothing."""

import os
import subprocess
import sys

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import check_password, make_password
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts import hashers
from accounts.checks import check_peppers
from accounts.hashers import WirePasswordHasher, is_md5_form, md5_form, verify_md5
from accounts.models import Administrator, User
from accounts.validators import CompositionValidator, raise_if_weak, why_weak
from core.lib.errors import InvalidInput
from tests.accounts.asking import ADMINISTRATORS
from tests.accounts.signing_in import account_of, counted_hashings
from tests.assertions import assert_error
from tests.factories import AdministratorFactory, UserFactory

REAL = hashers._ARGON2
# Published pairs of password and what clients send for it.
VECTORS = [("demo888", "7d683abba984a7804078471700c39fb9"), ("test888", "e2e31a427d2e8c4851b53f7eeb9fff95")]
hasher = WirePasswordHasher()


@pytest.fixture(autouse=True)
def real_cost(monkeypatch):
    """The cost is what an installation has."""
    monkeypatch.setattr(hashers, "_ARGON2", REAL)


@pytest.mark.parametrize("plain, md5", VECTORS)
def test_clients_send_the_published_md5(plain, md5):
    assert md5_form(plain) == md5


@pytest.mark.parametrize("plain, md5", VECTORS)
def test_the_plain_password_and_its_md5_verify(plain, md5):
    stored = make_password(plain)
    assert check_password(plain, stored)
    assert verify_md5(md5, stored)
    assert verify_md5(md5.upper(), stored)


@pytest.mark.parametrize("offered", [md5_form("test888"), "Test888", "test888 ", "", "测试888"])
def test_anything_else_does_not_verify_as_a_plain_password(offered):
    assert not check_password(offered, make_password("test888"))


def test_what_is_stored_opens_nothing():
    stored = make_password("test888")
    assert not check_password(stored, stored)
    assert not verify_md5(stored, stored)
    assert "test888" not in stored and md5_form("test888") not in stored


def test_equal_passwords_are_stored_differently():
    assert make_password("test888") != make_password("test888")


def test_a_damaged_form_does_not_verify():
    assert not verify_md5(md5_form("test888"), "wire_argon2id$p1$argon2id$v=19$damaged")


def test_an_account_without_a_password_does_not_verify():
    assert not verify_md5(md5_form("test888"), make_password(None))


def test_a_new_pepper_keeps_the_old_passwords_and_asks_for_an_upgrade(settings):
    stored = make_password("test888")
    settings.PASSWORD_PEPPERS = {"p2": "another secret"} | settings.PASSWORD_PEPPERS
    assert check_password("test888", stored)
    assert hasher.must_update(stored)
    assert not hasher.must_update(make_password("test888"))


def test_without_its_pepper_a_password_does_not_verify(settings):
    stored = make_password("test888")
    settings.PASSWORD_PEPPERS = {"p2": "another secret"}
    assert not check_password("test888", stored)


def warnings():
    return check_peppers(databases=["default"])


@pytest.mark.django_db
def test_accounts_whose_pepper_is_missing_are_counted(settings):
    account_of("administrators")
    account_of("users")
    account_of("users")
    UserFactory(password=make_password(None))  # signs in under no pepper
    settings.PASSWORD_PEPPERS = {"p2": "another secret"} | settings.PASSWORD_PEPPERS
    account_of("users")
    assert warnings() == []
    del settings.PASSWORD_PEPPERS["p1"]
    (message,) = warnings()
    assert message.id == "accounts.W001" and not message.is_serious()
    assert "administrators (1) and users (2)" in message.msg
    assert "another secret" not in message.msg + message.hint


@pytest.mark.django_db
@pytest.mark.parametrize("other", ["P1", "p", "p11", "p_"])
def test_ids_of_peppers_are_told_apart_exactly(settings, other):
    account_of("users")
    settings.PASSWORD_PEPPERS = {other: "another secret"}
    assert len(warnings()) == 1


@pytest.mark.django_db
def test_peppers_cost_one_query_for_each_table(django_assert_num_queries):
    with django_assert_num_queries(3):
        assert warnings() == []


def test_no_database_is_asked_when_none_may_be():
    assert check_peppers(databases=None) == check_peppers(databases=["other"]) == []


def test_the_pepper_is_named_and_not_shown():
    stored = make_password("test888")
    assert hasher.safe_summary(stored) == {"algorithm": "wire_argon2id", "pepper": "p1"}


@pytest.mark.parametrize("text, is_md5", [("a" * 32, True), ("A0" * 16, True), ("a" * 31, False), ("g" * 32, False)])
def test_md5_is_32_hexadecimal_digits(text, is_md5):
    assert is_md5_form(text) is is_md5


# Compositions, and passwords that they take and refuse.
COMPOSED = {
    "None": (["aaaaaa", "      ", "汉字汉字汉字"], ["aaaaa", ""]),
    "LetterAndDigit": (
        ["abc123", "汉字汉字汉1", "a 1 b 2", "абвгд٣"],
        ["abcdef", "123456", "汉字汉字汉字", "abcde²", "!!!!!1"],
    ),
    "LetterAndDigitAndSymbol": (
        ["abc12!", "a1    ", "汉字1。汉字", "abcd1²"],
        ["abc123", "abcde!", "12345!", "汉字汉字汉1"],
    ),
}
ACCEPTED = [(name, password) for name, (taken, _) in COMPOSED.items() for password in taken]
REFUSED = [(name, password) for name, (_, refused) in COMPOSED.items() for password in refused]


@pytest.mark.parametrize("composition, password", ACCEPTED)
def test_a_password_of_the_right_composition_is_taken(settings, composition, password):
    settings.CMS_PASSWORD_COMPOSITION = composition
    CompositionValidator().validate(password)


@pytest.mark.parametrize("composition, password", REFUSED)
def test_a_weak_password_is_refused(settings, composition, password):
    settings.CMS_PASSWORD_COMPOSITION = composition
    with pytest.raises(ValidationError):
        CompositionValidator().validate(password)


def test_the_least_length_is_a_setting(settings):
    settings.CMS_PASSWORD_MIN_LENGTH = 10
    with pytest.raises(ValidationError, match="at least 10 characters"):
        CompositionValidator().validate("abcdef123")
    CompositionValidator().validate("abcdef1234")
    assert "10 characters" in CompositionValidator().get_help_text()


def test_an_empty_password_is_refused_whatever_the_settings(settings):
    settings.CMS_PASSWORD_MIN_LENGTH, settings.CMS_PASSWORD_COMPOSITION = 0, "None"
    with pytest.raises(ValidationError, match="at least 1 character"):
        CompositionValidator().validate("")
    CompositionValidator().validate("x")
    assert CompositionValidator().get_help_text() == "At least 1 character."


def test_a_password_has_at_most_256_characters():
    CompositionValidator().validate("a1" * 128)
    with pytest.raises(ValidationError, match="at most 256 characters"):
        CompositionValidator().validate("a1" * 128 + "x")


def test_the_refusal_of_a_request_names_member_and_rule(settings):
    settings.CMS_PASSWORD_COMPOSITION = "LetterAndDigitAndSymbol"
    with pytest.raises(InvalidInput) as refused:
        raise_if_weak(User(), "abc123", member="newPassword")
    assert (refused.value.code, refused.value.members) == ("password_too_weak", {"member": "newPassword"})
    assert refused.value.message == "newPassword is too weak. A password must contain a letter, a digit and a symbol."
    raise_if_weak(User(), "abc12!", member="newPassword")


# Passwords that administrators may not have, with the rule that each breaks.
WEAK = {
    "harb-27": "at least 8 characters",
    "harbour-two": "a letter and a digit",
    "qwerty12345": "too common",
    "lightkeeper1": "too similar to the name",
    "keeper@example.org1": "too similar to the email address",
}


def test_eight_characters_are_enough_for_an_administrator():
    assert why_weak(Administrator(user_name="keeper"), "harb-278") == ""


@pytest.mark.parametrize("password", WEAK)
def test_an_administrator_has_a_stronger_password_than_a_user(password):
    names = {"user_name": "lightkeeper", "email": "keeper@example.org"}
    assert WEAK[password] in why_weak(Administrator(**names), password)
    assert (WEAK[password] == "a letter and a digit") is bool(why_weak(User(**names), password))


@pytest.mark.django_db
def test_the_api_refuses_a_weak_password_of_an_administrator(api):
    response = api.post(ADMINISTRATORS, {"userName": "keeper", "password": "qwerty12345"})
    assert assert_error(response, 400, "password_too_weak")["member"] == "password"
    assert not Administrator.objects.filter(user_name="keeper").exists()


@pytest.mark.parametrize("password", ["harb-27", "qwerty12345", "guardian-77"])
@pytest.mark.django_db
def test_a_weak_password_from_the_environment_makes_no_administrator(monkeypatch, password):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", password)
    with pytest.raises(CommandError, match="password"):
        call_command("createsuperuser", user_name="guardian", interactive=False)
    assert not Administrator.objects.exists()


@pytest.mark.large
@pytest.mark.parametrize(
    "least, told",
    [
        ("0", "['', '', 'A password must have at least 6 characters.']"),
        # The samples of SiteServer have `test888`.
        ("7", "['', 'A password must have at least 7 characters.', 'A password must have at least 7 characters.']"),
    ],
)
def test_shorter_passwords_of_administrators_are_a_setting(least, told):
    code = "from accounts.models import Administrator; from accounts.validators import why_weak"
    code += "; print([why_weak(Administrator(), password) for password in ('test888', 'abc123', 'abc12')])"
    environment = {**os.environ, "CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH": least}
    ran = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "--command", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == told


@pytest.mark.parametrize(
    "encoded", ["", "!", "!abc", "nonsense", "wire_argon2id", "wire_argon2id$p1$argon2id$v=19$x", "测试"]
)
def test_what_cannot_be_verified_costs_as_much(monkeypatch, encoded):
    with counted_hashings(monkeypatch) as done:
        assert not verify_md5(md5_form("test888"), encoded)
    assert done == ["verify"]


def test_what_stands_for_nobody_costs_as_much_as_any_other():
    nobodys, anybodys = (text.split("$")[:-2] for text in (hashers._NOBODYS, "$" + make_password("x").split("$", 2)[2]))
    assert nobodys == anybodys


@pytest.mark.django_db
def test_an_administrator_signs_in_with_the_plain_password_only():
    administrator = AdministratorFactory()
    administrator.set_password("test888")
    administrator.save()
    assert authenticate(username=administrator.user_name, password="test888") == administrator
    assert authenticate(username=administrator.user_name, password=md5_form("test888")) is None


@pytest.mark.django_db
def test_a_locked_administrator_does_not_sign_in():
    administrator = AdministratorFactory(is_locked_out=True)
    administrator.set_password("test888")
    administrator.save()
    assert authenticate(username=administrator.user_name, password="test888") is None


@pytest.mark.django_db
def test_a_new_password_is_dated():
    user = UserFactory(last_reset_password_date="2020-01-01 00:00:00")
    user.set_password("test888")
    assert user.check_password("test888")
    assert user.last_reset_password_date.year > 2020
