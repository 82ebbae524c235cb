"""The pepper of passwords that is generated, lost or replaced."""

import pytest
from django.contrib.auth.hashers import check_password, make_password
from django.core.exceptions import ImproperlyConfigured

from accounts import peppers
from accounts.checks import check_peppers
from accounts.models import PepperDigest
from core.operation.doctor import run_checks
from tests.accounts.signing_in import PASSWORD, account_of, log_in
from tests.assertions import assert_error

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _nothing_replaced():
    """What the start of a server found is forgotten."""
    yield
    peppers._replaced.clear()


@pytest.fixture
def without_file(settings, tmp_path):
    """A data folder without the file; CMS_PASSWORD_PEPPERS is not set."""

    def take_away():
        settings.PASSWORD_PEPPERS, settings.PASSWORD_PEPPER_FILE = {}, tmp_path / "password_pepper"
        return settings.PASSWORD_PEPPER_FILE

    return take_away


def told():
    return [message.msg for message in check_peppers(databases=["default"])]


def test_a_pepper_is_generated_for_a_database_without_passwords(settings, without_file):
    path = without_file()
    stored = make_password(PASSWORD)
    assert {"p1": path.read_text().strip()} == settings.PASSWORD_PEPPERS
    assert check_password(PASSWORD, stored)


def test_no_pepper_is_generated_while_stored_passwords_use_another(stranger, without_file):
    user = account_of("users")
    path = without_file()
    assert_error(log_in(stranger, "users", user, PASSWORD), 400, "sign_in_failed")
    with pytest.raises(ImproperlyConfigured, match="is missing, but stored passwords need it"):
        make_password(PASSWORD)
    peppers.record()
    assert not path.exists()
    assert told() == ["Passwords of administrators (0) and users (1) need a pepper that is missing."]


def test_a_pepper_that_was_replaced_is_noticed_and_used_no_more(settings, stranger):
    user = account_of("users")
    peppers.record()
    assert told() == []
    settings.PASSWORD_PEPPERS = {"p1": "another secret"}
    peppers.record()
    (message,) = told()
    assert message == "The pepper p1 is not the one used for stored passwords: they are rejected."
    assert "another secret" not in message
    assert [finding for finding in doctor() if message in finding]
    with pytest.raises(ImproperlyConfigured):
        make_password(PASSWORD)
    assert_error(log_in(stranger, "users", user, PASSWORD), 400, "sign_in_failed")


def test_a_newer_pepper_that_was_replaced_leaves_other_passwords_alone(settings, stranger):
    user, secrets = account_of("users"), settings.PASSWORD_PEPPERS
    settings.PASSWORD_PEPPERS = {"p2": "a newer secret"} | secrets
    account_of("administrators")
    peppers.record()
    settings.PASSWORD_PEPPERS = {"p2": "another secret"} | secrets
    peppers.record()
    assert peppers._replaced == {"p2"}
    assert log_in(stranger, "users", user, PASSWORD).status_code == 200


def doctor():
    return [finding.told for result in run_checks() for finding in result.findings]


def test_a_pepper_comes_back(settings, stranger):
    user, secrets = account_of("users"), settings.PASSWORD_PEPPERS
    peppers.record()
    settings.PASSWORD_PEPPERS = {"p1": "another secret"}
    peppers.record()
    settings.PASSWORD_PEPPERS = secrets
    peppers.record()
    assert told() == []
    assert log_in(stranger, "users", user, PASSWORD).status_code == 200


def test_a_pepper_that_no_password_uses_may_be_another(settings):
    peppers.record()
    settings.PASSWORD_PEPPERS = {"p1": "another secret"}
    peppers.record()
    assert told() == []
    assert peppers._is_same(PepperDigest.objects.get().digest, "another secret")


def test_the_digest_does_not_hold_the_pepper(settings):
    settings.PASSWORD_PEPPERS = {"p1": "another secret"}
    peppers.record()
    digest = PepperDigest.objects.get().digest
    assert digest.startswith("$argon2id$") and "another secret" not in digest
