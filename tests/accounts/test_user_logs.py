"""/users/{id}/logs: what was noted of a user, newest first."""

from datetime import datetime

import pytest

from accounts import access_tokens, user_log
from accounts.models import UserLog
from tests.accounts.asking import USERS, listed, value
from tests.accounts.texts import ODD
from tests.assertions import assert_error
from tests.cases import each_once
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory, UserFactory

pytestmark = pytest.mark.django_db


def logs(user):
    return f"{USERS}/{user.pk}/logs"


def test_a_new_entry_is_answered_whole(api):
    user, before = UserFactory(user_name="reader"), datetime.now().replace(microsecond=0)
    response = api.post(logs(user), {"action": "访问", "summary": "Read the news."}, REMOTE_ADDR="203.0.113.7")
    entry = UserLog.objects.get()
    assert before <= entry.add_date <= datetime.now()
    assert list(value(response).items()) == [
        ("id", entry.pk),
        ("userName", "reader"),
        ("ipAddress", "203.0.113.7"),
        ("addDate", entry.add_date.isoformat(" ")),
        ("action", "访问"),
        ("summary", "Read the news."),
    ]
    assert entry.user == user
    assert listed(api, logs(user)) == [value(response)]


def test_entries_are_listed_newest_first_whole_or_in_pages(api):
    user, other = UserFactory(), UserFactory()
    for number in range(7):
        value(api.post(logs(user), {"action": str(number)}))
        value(api.post(logs(other), {"action": "other"}))
    assert [entry["action"] for entry in listed(api, logs(user))] == list("6543210")
    body = api.get(f"{logs(user)}?top=3&skip=3").json()
    assert [entry["action"] for entry in body["value"]] == list("321")
    assert body["count"] == 7
    assert {"first", "prev", "next", "last"} <= set(body)
    assert [entry["action"] for entry in api.get(body["next"].removeprefix("http://testserver")).json()["value"]] == [
        "0"
    ]


def test_a_long_log_is_listed_whole(api):
    user = UserFactory()
    UserLog.objects.bulk_create(UserLog(user=user, user_name="reader", action=str(n)) for n in range(2005))
    assert [entry["action"] for entry in listed(api, logs(user))] == [str(n) for n in reversed(range(2005))]


def test_a_user_without_entries_has_an_empty_list(api):
    assert listed(api, logs(UserFactory())) == []


@pytest.mark.parametrize("text", ODD)
def test_any_text_is_kept_in_any_letter_case_of_the_member(api, text):
    user = UserFactory()
    record = value(api.post(logs(user), {"Action": text, "SUMMARY": text}))
    assert (record["action"], record["summary"]) == (text, text)
    assert listed(api, logs(user)) == [record]


@pytest.mark.parametrize("body", [{}, {"action": None, "summary": None}, {"custom": 1}])
def test_texts_that_are_not_sent_are_empty(api, body):
    record = value(api.post(logs(UserFactory()), body))
    assert (record["action"], record["summary"]) == ("", "")


def test_what_is_no_member_of_an_entry_is_ignored(api):
    user, other = UserFactory(user_name="reader"), UserFactory()
    body = {
        "id": 4711,
        "userName": "x",
        "ipAddress": "x",
        "addDate": "2001-01-01",
        "userId": other.pk,
        "user": other.pk,
    }
    record = value(api.post(logs(user), body))
    assert record["id"] != 4711 and (record["userName"], record["ipAddress"]) == ("reader", "127.0.0.1")
    assert UserLog.objects.get().user == user


@each_once(
    ("wrong", [7, [], {}, True, "x" * 10_001]),
    ("name", ["action", "summary"]),
)
def test_a_wrong_value_is_400_naming_it(api, name, wrong):
    assert assert_error(api.post(logs(UserFactory()), {name: wrong}), 400, "invalid_value")["member"] == name
    assert not UserLog.objects.exists()


@each_once(
    ("text", [
    *(user_log.SIGN_IN, user_log.FAILED_SIGN_IN, user_log.NEW_PASSWORD, "The user signed in."),
    *(" failed  SIGN-IN\n", "Failed\u200b sign\u2010in.", "Ｆailed sign-in"),
    *("登录失败", "修改 密码", "用户登录成功"),
]),
    ("name", ["action", "summary"]),
)  # fmt: skip
def test_no_client_writes_what_looks_like_an_entry_of_the_service(api, name, text):
    user = UserFactory()
    owner = ApiClient(ApiKeyFactory(scopes="").token)
    for client, headers in ((api, {}), (owner, {"HTTP_X_SS_USER_TOKEN": access_tokens.issue(user)[0]})):
        refused = client.post(logs(user), {name: text}, **headers)
        assert assert_error(refused, 400, "invalid_value")["member"] == name
    assert not UserLog.objects.exists()


def test_an_unknown_user_is_404_whatever_is_sent(api):
    for response in (
        api.get(f"{USERS}/4711/logs?top=x"),
        api.post(f"{USERS}/4711/logs", {"action": 7}),
        api.send("POST", f"{USERS}/4711/logs", b"{"),
    ):
        assert assert_error(response, 404, "user_not_found")["message"] == "User 4711 was not found."


def test_reading_lists_and_writing_adds(client_with_key):
    user, reader = UserFactory(), client_with_key(scopes="Users:read")
    assert listed(reader, logs(user)) == []
    assert assert_error(reader.post(logs(user), {}), 401, "scope_missing")["scope"] == "Users:write"
    assert_error(client_with_key(scopes="Administrators").get(logs(user)), 401, "scope_missing")


def test_users_reach_their_own_log_by_their_token():
    user, other = UserFactory(), UserFactory()
    token, _ = access_tokens.issue(user)
    client = ApiClient(ApiKeyFactory(scopes="").token, HTTP_X_SS_USER_TOKEN=token)
    value(client.post(logs(user), {"action": "Visit"}))
    assert [entry["action"] for entry in listed(client, logs(user))] == ["Visit"]
    assert_error(client.get(logs(other)), 401, "user_token_of_another")
    assert_error(client.post(logs(other), {}), 401, "user_token_of_another")
