"""GET /administrators/{id}."""

import pytest

from tests.accounts.asking import ADMINISTRATORS, listed, value
from tests.assertions import assert_error
from tests.factories import AdministratorFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_answers_what_the_list_answers(api):
    administrator = AdministratorFactory(display_name="", site_id_collection="1")
    record = value(api.get(f"{ADMINISTRATORS}/{administrator.pk}"))
    assert list(record.items()) == list(listed(api, ADMINISTRATORS)[-1].items())
    assert record["displayName"] == administrator.user_name


@pytest.mark.parametrize("number", [0, -1, 4711])
def test_an_unknown_id_is_404_naming_it(api, number):
    UserFactory(pk=4711)
    body = assert_error(api.get(f"{ADMINISTRATORS}/{number}"), 404, "administrator_not_found")
    assert body["message"] == f"Administrator {number} was not found."


def test_reading_is_enough_and_needed(client_with_key):
    path = f"{ADMINISTRATORS}/{AdministratorFactory().pk}"
    assert client_with_key(scopes="Administrators:read").get(path).status_code == 200
    assert_error(client_with_key(scopes="Users").get(path), 401, "scope_missing")


def test_a_token_of_an_administrator_stands_in_for_no_scope(client_with_key):
    from accounts import access_tokens

    administrator = AdministratorFactory()
    token, _ = access_tokens.issue(administrator)
    client = client_with_key(scopes="")
    path = f"{ADMINISTRATORS}/{administrator.pk}"
    assert_error(client.get(path, HTTP_X_SS_ADMIN_TOKEN=token), 401, "scope_missing")
