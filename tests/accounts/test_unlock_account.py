"""`manage.py unlock_account NAME [--user]`"""

import io

import pytest
from django.core.management import CommandError, call_command

from tests.accounts.signing_in import OTHER, PASSWORD, account_of, both_kinds, log_in, stored
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory

pytestmark = pytest.mark.django_db


def unlock(kind, name):
    """What the command says."""
    said = io.StringIO()
    call_command("unlock_account", name, *(["--user"] if kind == "users" else []), stdout=said)
    return said.getvalue()


@both_kinds
@pytest.mark.parametrize("typed", ["desk", "DESK@example.org", "13800000000"])
def test_lets_a_locked_account_sign_in(stranger, settings, kind, typed):
    settings.CMS_LOCKOUT = "forever"
    fields = {"email": "desk@example.org", "mobile": "13800000000"}
    account = account_of(kind, user_name="Desk", is_locked_out=True, count_of_failed_login=7, **fields)
    said = unlock(kind, typed)
    after = stored(account)
    assert (after.is_locked_out, after.count_of_failed_login) == (False, 0)
    assert "Desk" in said and "unlocked" in said
    assert log_in(stranger, kind, account, PASSWORD).status_code == 200


@both_kinds
def test_forgets_the_failures_counted_under_every_way_to_sign_in(stranger, settings, kind):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 1
    ways = ["desk", "desk@example.org", "13800000000"]
    account_of(kind, **dict(zip(("user_name", "email", "mobile"), ways, strict=True)))
    for way in ways:
        log_in(stranger, kind, way, OTHER)
        assert log_in(stranger, kind, way, PASSWORD).status_code == 429
    unlock(kind, "desk")
    for way in ways:
        assert log_in(stranger, kind, way, PASSWORD).status_code == 200


def test_changes_nothing_else(stranger):
    account = account_of("users", is_locked_out=True, count_of_login=3, last_activity_date="2020-01-01 00:00:00")
    unlock("users", account.user_name)
    before, after = vars(stored(account)) | {"_state": None}, vars(account) | {"_state": None}
    changed = {name for name in before if str(before[name]) != str(after[name])}
    assert changed == {"is_locked_out", "unlocked_at"}


@both_kinds
def test_says_when_there_is_no_such_account(kind):
    other = "administrators" if kind == "users" else "users"
    account_of(other, user_name="desk")
    with pytest.raises(CommandError, match=rf"no {kind[:-1]} 'desk'"):
        unlock(kind, "desk")


def test_says_that_a_user_is_still_not_approved():
    user = account_of("users", is_locked_out=True, is_checked=False)
    assert "not approved" in unlock("users", user.user_name)
    assert "not approved" not in unlock("users", account_of("users").user_name)


def test_the_keys_of_an_unlocked_administrator_open_again():
    administrator = account_of("administrators", is_locked_out=True)
    client = ApiClient(ApiKeyFactory(administrator=administrator, scopes="Users:read").token)
    assert client.get("/api/v1/users").status_code == 401
    unlock("administrators", administrator.user_name)
    assert client.get("/api/v1/users").status_code == 200


def test_explains_itself(capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("unlock_account", "--help")
    assert ended.value.code == 0
    assert "--user" in capsys.readouterr().out
