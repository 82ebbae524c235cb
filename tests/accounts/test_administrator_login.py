"""`POST /administrators/actions/login`; what it has in common with users is in test_user_login.py."""

import pytest

from accounts.models import UserLog
from accounts.records import administrator_record
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, log_in, stored
from tests.assertions import assert_error

pytestmark = pytest.mark.django_db


def test_answers_the_administrator_with_an_access_token(stranger):
    administrator = account_of("administrators", display_name="Harbour desk")
    response = log_in(stranger, "administrators", administrator, PASSWORD)
    assert response.status_code == 200
    body = response.json()
    assert list(body) == ["value", "accessToken", "expiresAt"]
    assert body["value"] == administrator_record(stored(administrator))
    assert body["value"]["displayName"] == "Harbour desk"


@pytest.mark.parametrize(
    "typed, password, fields",
    [
        ("nobody", PASSWORD, {}),
        ("desk", OTHER, {}),
        ("desk", PASSWORD, {"is_locked_out": True}),
        ("desk", OTHER, {"is_locked_out": True}),
    ],
    ids=["unknown account", "wrong password", "locked", "locked and wrong"],
)
def test_refuses_everything_alike(stranger, typed, password, fields):
    account_of("administrators", user_name="desk", **fields)
    response = log_in(stranger, "administrators", typed, password)
    assert_error(response, 400, "sign_in_failed")
    assert response.content == log_in(stranger, "administrators", "an unknown user", "else-9").content


def test_each_refusal_counts_that_of_the_right_password_too(stranger):
    administrator = account_of("administrators", is_locked_out=True, last_activity_date="2020-01-01 00:00:00")
    log_in(stranger, "administrators", administrator, PASSWORD)
    log_in(stranger, "administrators", administrator, OTHER)
    after = stored(administrator)
    assert after.count_of_failed_login == 2
    assert after.last_activity_date.year > 2020


def test_an_ordinary_administrator_signs_in_too(stranger):
    administrator = account_of("administrators", is_superuser=False)
    assert log_in(stranger, "administrators", administrator, PASSWORD).status_code == 200


def test_administrators_have_no_log(stranger):
    administrator = account_of("administrators")
    log_in(stranger, "administrators", administrator, OTHER)
    log_in(stranger, "administrators", administrator, PASSWORD)
    assert not UserLog.objects.exists()
