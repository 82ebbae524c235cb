"""DELETE /users/{id}: for good."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from accounts import access_tokens
from accounts.models import User, UserLog
from tests.accounts.asking import USERS, listed, value
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.contents.threads import at_once
from tests.factories import ApiKeyFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_answers_the_record_as_it_was_and_the_user_is_gone(api):
    user, other = UserFactory(display_name="读者", avatar_url="/me.png"), UserFactory()
    record = value(api.get(f"{USERS}/{user.pk}"))
    assert value(api.delete(f"{USERS}/{user.pk}")) == record
    assert_error(api.get(f"{USERS}/{user.pk}"), 404, "user_not_found")
    assert [each["id"] for each in listed(api, USERS)] == [other.pk]


def test_an_unknown_id_is_404_naming_it(api):
    assert assert_error(api.delete(f"{USERS}/4711"), 404, "user_not_found")["message"] == "User 4711 was not found."


def test_a_body_is_not_looked_at(api):
    assert api.send("DELETE", f"{USERS}/{UserFactory().pk}", b"{").status_code == 200


def test_entries_of_the_log_stay(api):
    user = UserFactory(user_name="reader")
    api.post(f"{USERS}/{user.pk}/logs", {"action": "Visit"})
    value(api.delete(f"{USERS}/{user.pk}"))
    entry = UserLog.objects.get()
    assert (entry.user, entry.user_name, entry.action) == (None, "reader", "Visit")


def test_the_name_is_free_again(api):
    user = UserFactory(user_name="reader", email="reader@example.org")
    value(api.delete(f"{USERS}/{user.pk}"))
    body = {"userName": "READER", "password": "harbour-27", "email": "reader@example.org"}
    assert value(api.post(USERS, body))["id"] != user.pk


def test_the_uploaded_picture_goes_as_well(api, django_capture_on_commit_callbacks):
    name = default_storage.save("avatars/aa/1.png", ContentFile(b"picture"))
    user = UserFactory(avatar_file=name)
    with django_capture_on_commit_callbacks(execute=True):
        assert value(api.delete(f"{USERS}/{user.pk}"))["avatarUrl"] == f"http://testserver/media/{name}"
        assert default_storage.exists(name)
    assert not default_storage.exists(name)


@pytest.mark.parametrize("scopes", ["Users:read", "", "Administrators"])
def test_writing_is_needed(client_with_key, scopes):
    user = UserFactory()
    assert_error(client_with_key(scopes=scopes).delete(f"{USERS}/{user.pk}"), 401, "scope_missing")
    assert User.objects.filter(pk=user.pk).exists()


def test_users_may_delete_themselves_and_nobody_else():
    user, other = UserFactory(), UserFactory()
    token, _ = access_tokens.issue(user)
    client = ApiClient(ApiKeyFactory(scopes="").token, HTTP_X_SS_USER_TOKEN=token)
    assert_error(client.delete(f"{USERS}/{other.pk}"), 401, "user_token_of_another")
    assert client.delete(f"{USERS}/{user.pk}").status_code == 200
    assert_error(client.delete(f"{USERS}/{user.pk}"), 401, "user_token_invalid")
    assert list(User.objects.all()) == [other]


@pytest.mark.django_db(transaction=True)
def test_of_parallel_deletes_exactly_one_succeeds():
    path, token = f"{USERS}/{UserFactory().pk}", ApiKeyFactory(scopes="Users").token
    answers = at_once(token, *[lambda client: client.delete(path)] * 8)
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 7


@pytest.mark.django_db(transaction=True)
def test_changes_and_entries_of_a_user_who_is_deleted_meanwhile_are_200_or_404():
    path, token = f"{USERS}/{UserFactory().pk}", ApiKeyFactory(scopes="Users").token
    acts = [
        lambda client: client.put(path, {"userName": "new", "avatarUrl": ""}),
        lambda client: client.post(f"{path}/logs", {"action": "Visit"}),
        lambda client: client.delete(path),
    ]
    answers = at_once(token, *acts * 4)
    assert {answer.status_code for answer in answers} <= {200, 404}
    assert [answer.status_code for answer in answers[2::3]].count(200) == 1
    assert not User.objects.exists()
    assert set(UserLog.objects.values_list("user", flat=True)) <= {None}
