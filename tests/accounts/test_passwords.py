"""How passwords are stored: both wire forms verify, and a stored form opens nothing."""

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import check_password, make_password
from django.core.exceptions import ValidationError

from accounts.hashers import WirePasswordHasher, is_md5_form, md5_form
from accounts.validators import CompositionValidator
from tests.factories import AdministratorFactory, UserFactory

# Published pairs of password and what clients send for it.
VECTORS = [("demo888", "7d683abba984a7804078471700c39fb9"), ("test888", "e2e31a427d2e8c4851b53f7eeb9fff95")]
hasher = WirePasswordHasher()


@pytest.mark.parametrize("plain, md5", VECTORS)
def test_clients_send_the_published_md5(plain, md5):
    assert md5_form(plain) == md5


@pytest.mark.parametrize("plain, md5", VECTORS)
def test_the_plain_password_and_its_md5_verify(plain, md5):
    stored = make_password(plain)
    assert check_password(plain, stored)
    assert hasher.verify_md5(md5, stored)
    assert hasher.verify_md5(md5.upper(), stored)


@pytest.mark.parametrize("offered", [md5_form("test888"), "Test888", "test888 ", "", "测试888"])
def test_anything_else_does_not_verify_as_a_plain_password(offered):
    assert not check_password(offered, make_password("test888"))


def test_what_is_stored_opens_nothing():
    stored = make_password("test888")
    assert not check_password(stored, stored)
    assert not hasher.verify_md5(stored, stored)
    assert "test888" not in stored and md5_form("test888") not in stored


def test_equal_passwords_are_stored_differently():
    assert make_password("test888") != make_password("test888")


def test_a_damaged_form_does_not_verify():
    assert not hasher.verify_md5(md5_form("test888"), "wire_argon2id$p1$argon2id$v=19$damaged")


def test_an_account_without_a_password_does_not_verify():
    assert not hasher.verify_md5(md5_form("test888"), make_password(None))


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


def test_the_pepper_is_named_and_not_shown():
    stored = make_password("test888")
    assert hasher.safe_summary(stored) == {"algorithm": "wire_argon2id", "pepper": "p1"}


@pytest.mark.parametrize("text, is_md5", [("a" * 32, True), ("A0" * 16, True), ("a" * 31, False), ("g" * 32, False)])
def test_md5_is_32_hexadecimal_digits(text, is_md5):
    assert is_md5_form(text) is is_md5


@pytest.mark.parametrize("password", ["abc12", "abcdef", "123456", "汉字汉字汉字", ""])
def test_a_weak_password_is_refused(password):
    with pytest.raises(ValidationError):
        CompositionValidator().validate(password)


@pytest.mark.parametrize("password", ["abc123", "汉字汉字汉1", "a 1 b 2"])
def test_a_letter_and_a_digit_are_enough(password):
    CompositionValidator().validate(password)


def test_the_least_length_is_a_setting(settings):
    settings.PASSWORD_MIN_LENGTH = 10
    with pytest.raises(ValidationError, match="10 characters"):
        CompositionValidator().validate("abc123")
    assert "10 characters" in CompositionValidator().get_help_text()


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
