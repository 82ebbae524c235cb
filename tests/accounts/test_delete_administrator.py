"""DELETE /administrators/{id}: for good, with the API keys; the last of the highest rank stays."""

import pytest
from django.contrib.admin.models import CHANGE, LogEntry

from accounts.models import Administrator
from apikeys.models import ApiKey
from tests.accounts.asking import ADMINISTRATORS, listed, value
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.contents.threads import at_once
from tests.factories import AdministratorFactory, ApiKeyFactory

pytestmark = pytest.mark.django_db


def test_answers_the_record_as_it_was_and_the_administrator_is_gone(api):
    administrator = AdministratorFactory(display_name="看守", site_id_collection="1")
    record = value(api.get(f"{ADMINISTRATORS}/{administrator.pk}"))
    assert value(api.delete(f"{ADMINISTRATORS}/{administrator.pk}")) == record
    assert_error(api.get(f"{ADMINISTRATORS}/{administrator.pk}"), 404, "administrator_not_found")
    assert administrator.pk not in [each["id"] for each in listed(api, ADMINISTRATORS)]


def test_an_unknown_id_is_404_naming_it(api):
    body = assert_error(api.delete(f"{ADMINISTRATORS}/4711"), 404, "administrator_not_found")
    assert body["message"] == "Administrator 4711 was not found."


def test_what_they_did_in_the_back_end_does_not_hold_them(api):
    administrator = AdministratorFactory()
    LogEntry.objects.create(user=administrator, action_flag=CHANGE, object_repr="x")
    value(api.delete(f"{ADMINISTRATORS}/{administrator.pk}"))


def test_the_last_of_the_highest_rank_stays_and_their_keys_too(client_with_key):
    root = AdministratorFactory()
    client = client_with_key(administrator=root)
    AdministratorFactory(is_locked_out=True)
    ordinary = AdministratorFactory(is_superuser=False)
    assert_error(client.delete(f"{ADMINISTRATORS}/{root.pk}"), 400, "last_administrator")
    value(client.delete(f"{ADMINISTRATORS}/{ordinary.pk}"))
    assert Administrator.objects.filter(pk=root.pk).exists()
    assert value(client.get(f"{ADMINISTRATORS}/{root.pk}"))["id"] == root.pk


def test_one_who_is_locked_may_go(client_with_key):
    root, locked = AdministratorFactory(), AdministratorFactory(is_locked_out=True)
    value(client_with_key(administrator=root).delete(f"{ADMINISTRATORS}/{locked.pk}"))


@pytest.mark.parametrize("scopes", ["Administrators:read", "Users", ""])
def test_writing_is_needed(client_with_key, scopes):
    administrator = AdministratorFactory()
    response = client_with_key(scopes=scopes).delete(f"{ADMINISTRATORS}/{administrator.pk}")
    assert_error(response, 401, "scope_missing")
    assert Administrator.objects.filter(pk=administrator.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_their_keys_are_refused_at_once():
    leaving = AdministratorFactory()
    client = ApiClient(ApiKeyFactory(scopes="Administrators").token)
    keys = [ApiClient(ApiKeyFactory(administrator=leaving, scopes="Users").token) for _ in range(2)]
    assert {key.get("/api/v1/users").status_code for key in keys} == {200}
    value(client.delete(f"{ADMINISTRATORS}/{leaving.pk}"))
    for key in keys:
        assert_error(key.get("/api/v1/users"), 401, "key_unknown")
    assert ApiKey.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_administrators_may_delete_themselves_while_there_is_another():
    AdministratorFactory()
    leaving = AdministratorFactory()
    client = ApiClient(ApiKeyFactory(administrator=leaving, scopes="Administrators").token)
    assert value(client.delete(f"{ADMINISTRATORS}/{leaving.pk}"))["id"] == leaving.pk
    assert_error(client.get(ADMINISTRATORS), 401, "key_unknown")


@pytest.mark.django_db(transaction=True)
def test_of_parallel_deletes_exactly_one_succeeds():
    token, path = ApiKeyFactory(scopes="Administrators").token, f"{ADMINISTRATORS}/{AdministratorFactory().pk}"
    answers = at_once(token, *[lambda client: client.delete(path)] * 6)
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 5
