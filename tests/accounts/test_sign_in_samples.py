"""The published samples of sign-ins and changes of passwords: the same members, types and order on data of our own."""

import json
from pathlib import Path

import pytest

from accounts.models import Administrator, User
from tests.accounts.signing_in import account_of
from tests.clients import ApiClient

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples."),
]
# The plain passwords that the samples' MD5 forms stand for.
OLD = {"21-administrators-resetPassword": "test888"}
LOGINS = ["29-users-login", "32-users-login", "33-administrators-login"]
RESETS = ["21-administrators-resetPassword", "67-users-resetPassword"]


def exchange(name):
    """The request and the answer of a sample."""
    sample = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return sample["request"], sample["response"]["body"]


def stored_as(name, request, published):
    """An account that signs in by what the request says, and otherwise says what the answer says."""
    value = published["value"]
    kind = name.split("-")[1]
    fields = {"display_name": value["displayName"], "email": value["email"], "mobile": value["mobile"]}
    names = {"user_name": request["body"]["account"], "count_of_login": value["countOfLogin"]}
    return account_of(kind, OLD.get(name, "demo888"), **fields, **names)


def shape(value):
    """Names in their order, and types."""
    if isinstance(value, dict):
        return [(name, shape(member)) for name, member in value.items()]
    return type(value)


@pytest.mark.parametrize("name", LOGINS)
def test_a_login_is_answered_as_published(stranger, name):
    request, published = exchange(name)
    account = stored_as(name, request, published)
    answer = stranger.post(request["path"], request["body"], headers=request["headers"]).json()
    # Older samples lack the token and when it expires, which stand beside the record.
    whole = published | {"accessToken": "", "expiresAt": ""}
    assert shape(answer) == shape(whole)
    assert answer["value"]["id"] == account.pk
    same = ("displayName", "email", "mobile", "passwordFormat", "isLockedOut")
    assert [answer["value"][member] for member in same] == [published["value"][member] for member in same]
    assert answer["value"]["countOfLogin"] == published["value"]["countOfLogin"] + 1


@pytest.mark.parametrize("name", RESETS)
def test_a_change_of_the_password_is_answered_as_published(api, name):
    request, published = exchange(name)
    account = stored_as(name, request, published)
    model = Administrator if "administrators" in name else User
    model.objects.update(last_activity_date="2018-06-30 12:26:54")
    answer = api.post(request["path"], request["body"]).json()
    assert shape(answer) == shape(published)
    assert answer["value"]["displayName"] == published["value"]["displayName"]
    login = {"account": account.user_name, "password": request["body"]["newPassword"]}
    kind = name.split("-")[1]
    assert ApiClient().post(f"/api/v1/{kind}/actions/login", login).status_code == 200


@pytest.mark.parametrize("name", RESETS)
def test_the_published_placeholder_of_a_key_opens_nothing(stranger, name):
    request, published = exchange(name)
    stored_as(name, request, published)
    assert stranger.post(request["path"], request["body"], headers=request["headers"]).status_code == 401
