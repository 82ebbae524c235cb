"""PUT /users/{id}: only what is sent changes, and never a password."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts import access_tokens
from accounts.models import User
from tests.accounts.asking import USERS, fields, value
from tests.accounts.test_create_user import CODES, IGNORED, TEXTS
from tests.accounts.texts import ODD
from tests.assertions import assert_error
from tests.cases import each_once
from tests.clients import ApiClient
from tests.contents.threads import at_once
from tests.factories import ApiKeyFactory, UserFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db

# Wire name, column and a new value of every member that may change.
COLUMNS = {name: name for name in TEXTS} | {
    "userName": "user_name",
    "isChecked": "is_checked",
    "isLockedOut": "is_locked_out",
    "displayName": "display_name",
    "avatarUrl": "avatar_url",
    "weiXin": "wei_xin",
    "weiBo": "wei_bo",
}
NEW = {name: f"new-{name}" for name in (*TEXTS, "userName")} | {"isChecked": False, "isLockedOut": True}


def address(user):
    return f"{USERS}/{user.pk}"


@world
def user():
    made = UserFactory(**{COLUMNS[name]: f"old {name}" for name in TEXTS})
    made.set_password("harbour-27")
    made.save()
    return made


@pytest.mark.parametrize("name", COLUMNS)
def test_one_member_changes_and_nothing_else(api, user, name):
    before, record = fields(user), value(api.get(address(user)))
    answered = value(api.put(address(user), {name: NEW[name]}))
    assert fields(user) == before | {COLUMNS[name]: NEW[name]}
    shown = f"http://testserver/{NEW[name]}" if name == "avatarUrl" else NEW[name]
    assert answered == record | {name: shown} == value(api.get(address(user)))


@pytest.mark.parametrize(("column", "text"), [("user_name", 'a,b"c<d>'), ("avatar_url", "javascript:void(0)")])
def test_what_a_migration_brought_may_be_sent_back(api, user, column, text):
    User.objects.filter(pk=user.pk).update(**{column: text})
    before, record = fields(user), value(api.get(address(user)))
    assert value(api.put(address(user), record)) == record
    assert fields(user) == before
    assert value(api.put(address(user), record | {"qq": "27"})) == record | {"qq": "27"}
    assert_error(api.put(address(user), record | {"userName": 'a,b"c<e>'}), 400, "invalid_value")


def test_all_members_change_at_once_and_counters_and_dates_stay(api, user):
    before = fields(user)
    record = value(api.put(address(user), {name[0].upper() + name[1:]: member for name, member in NEW.items()}))
    assert fields(user) == before | {COLUMNS[name]: member for name, member in NEW.items()}
    assert record | NEW | {"avatarUrl": "http://testserver/new-avatarUrl"} == record


@pytest.mark.parametrize("body", [b"", b"{}", b'{"userName": null, "isChecked": null, "email": null}', b'{"x": 1}'])
def test_nothing_sent_changes_nothing_and_is_200(api, user, body):
    before, record = fields(user), value(api.get(address(user)))
    assert value(api.send("PUT", address(user), body)) == record
    assert fields(user) == before


def test_a_whole_record_may_be_sent_back(api):
    user = UserFactory(avatar_file="avatars/aa/1.png", avatar_url="https://pictures.example.org/1.png", email="a@b")
    before, record = fields(user), value(api.get(address(user)))
    assert value(api.put(address(user), record)) == record
    assert fields(user) == before


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_text_may_be_emptied(api, user, name):
    value(api.put(address(user), {name: ""}))
    assert fields(user)[COLUMNS[name]] == ""


@pytest.mark.parametrize("text", ODD)
def test_any_text_comes_back_as_it_was_sent(api, user, text):
    assert value(api.put(address(user), {"signature": text}))["signature"] == text


@pytest.mark.any_database
@each_once(
    ("name", COLUMNS),
    ("wrong", ["x" * 2001, 7, ["x"], {}]),
)
def test_a_wrong_value_is_400_naming_it_and_nothing_changes(api, user, name, wrong):
    before = fields(user)
    body = assert_error(api.put(address(user), {"signature": "new", name: wrong}), 400, "invalid_value")
    assert body["member"] == name
    assert fields(user) == before


@pytest.mark.parametrize(
    "body", [{"email": "a", "EMAIL": "a"}, {"isChecked": True, "IsChecked": True}, {"X": 1, "x": 1}]
)
def test_a_member_in_two_spellings_is_400(api, user, body):
    before = fields(user)
    assert_error(api.put(address(user), body), 400, "duplicate_member")
    assert fields(user) == before


@pytest.mark.parametrize("letter", [" ", ":", "\n"])
def test_a_new_name_is_checked_like_a_first_one(api, user, letter):
    assert_error(api.put(address(user), {"userName": f"a{letter}"}), 400, "invalid_value")


def test_e_mail_address_and_mobile_lose_the_blanks_around_them(api, user):
    record = value(api.put(address(user), {"email": " a@example.org ", "mobile": "\t138 "}))
    assert (record["email"], record["mobile"]) == ("a@example.org", "138")


PASSWORDS = {"password": "another8", "passwordFormat": "Clear", "passwordSalt": "x", "newPassword": "another8"}


def test_password_members_are_ignored(api, user):
    record = value(api.get(address(user)))
    assert value(api.put(address(user), PASSWORDS)) == record
    assert value(api.put(address(user), {"password": 7, "passwordFormat": "none"})) == record
    assert User.objects.get().check_password("harbour-27")


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=3,
)
NAMES = [*COLUMNS, *COLUMNS.values(), *IGNORED, *PASSWORDS, *(field.attname for field in User._meta.concrete_fields)]
PROTECTED = {field.attname for field in User._meta.concrete_fields} - set(COLUMNS.values()) - {"avatar_file"}


@hypothesis_settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(body=st.dictionaries(st.sampled_from(sorted(set(NAMES))), ANY_JSON | st.sampled_from(list(NEW.values()))))
def test_no_request_sets_what_it_must_not(api, body):
    """T14 of the threats: mass assignment."""
    user = UserFactory()
    before = fields(user)
    response = api.put(address(user), body)
    assert response.status_code in {200, 400}, response.content
    after = fields(user)
    sent = {name.casefold() for name in body}
    changeable = {column for name, column in COLUMNS.items() if name.casefold() in sent}
    changed = {column for column in after if after[column] != before[column]}
    assert changed <= changeable and not changed & PROTECTED
    assert response.status_code == 200 or not changed


TAKEN = [
    ({"userName": "KEEPER"}, "userName"),
    ({"userName": "keeper@Example.org"}, "userName"),
    ({"userName": "138"}, "userName"),
    ({"email": " KEEPER@example.ORG "}, "email"),
    ({"email": "Keeper"}, "email"),
    ({"mobile": "138 "}, "mobile"),
    ({"mobile": "keeper"}, "mobile"),
]


@pytest.mark.parametrize(("members", "member"), TAKEN)
def test_what_another_user_has_is_400_and_nothing_changes(api, user, members, member):
    UserFactory(user_name="Keeper", email="keeper@example.org", mobile="138")
    before = fields(user)
    body = assert_error(api.put(address(user), {"signature": "new"} | members), 400, CODES[member])
    assert body["member"] == member
    assert fields(user) == before


def test_ones_own_values_may_be_sent_again_and_in_another_letter_case(api):
    user = UserFactory(user_name="reader", email="reader@example.org", mobile="138")
    body = {"userName": "READER", "email": "Reader@Example.org", "mobile": "138"}
    record = value(api.put(address(user), body))
    assert record | body == record


def test_what_was_doubtful_before_may_stay(api):
    """Imported accounts may shadow each other; that is no reason to refuse an echo of the record."""
    user = UserFactory(user_name="keeper@example.org")
    UserFactory(email="keeper@example.org")
    assert value(api.put(address(user), {"userName": "keeper@example.org", "signature": "x"}))["signature"] == "x"


@pytest.mark.parametrize("number", [0, 4711])
def test_an_unknown_id_is_404_whatever_the_body(api, number):
    for body in (b"{}", b"{", b'{"userName": ""}'):
        assert_error(api.send("PUT", f"{USERS}/{number}", body), 404, "user_not_found")


@pytest.mark.parametrize("scopes", ["Users:read", "", "Administrators"])
def test_writing_is_needed(client_with_key, user, scopes):
    before = fields(user)
    body = assert_error(client_with_key(scopes=scopes).put(address(user), {"signature": "x"}), 401, "scope_missing")
    assert body["scope"] == "Users:write"
    assert fields(user) == before


# ---- The uploaded picture


@pytest.fixture
def pictured():
    made = UserFactory(avatar_file=default_storage.save("avatars/aa/1.png", ContentFile(b"picture")))
    yield made
    default_storage.delete(made.avatar_file)


@pytest.mark.parametrize(
    "sent",
    [
        "http://testserver/media/{}",
        "/media/{}",
        "https://inside.example.org/media/{}",
        "https://inside.example.org/media/{}?r=1",
    ],
)
def test_the_address_of_the_uploaded_picture_may_be_sent_back(api, pictured, sent, django_capture_on_commit_callbacks):
    before, file = fields(pictured), pictured.avatar_file
    with django_capture_on_commit_callbacks(execute=True):
        record = value(api.put(address(pictured), {"avatarUrl": sent.format(file)}))
    assert record["avatarUrl"] == f"http://testserver/media/{file}"
    assert fields(pictured) == before
    assert default_storage.exists(pictured.avatar_file)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [("https://pictures.example.org/1.png", "https://pictures.example.org/1.png"), ("", ""), ("http://[", "http://[")],
)
def test_another_address_replaces_the_uploaded_picture(api, pictured, sent, shown, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        assert value(api.put(address(pictured), {"avatarUrl": sent}))["avatarUrl"] == shown
    assert (fields(pictured)["avatar_file"], fields(pictured)["avatar_url"]) == ("", sent)
    assert not default_storage.exists(pictured.avatar_file)


def test_a_refused_change_keeps_the_picture(api, pictured, django_capture_on_commit_callbacks):
    UserFactory(user_name="keeper")
    with django_capture_on_commit_callbacks(execute=True):
        assert_error(api.put(address(pictured), {"avatarUrl": "", "userName": "keeper"}), 400, "user_name_taken")
    assert default_storage.exists(pictured.avatar_file)


@pytest.mark.parametrize("given", ["/me.png", "https://pictures.example.org/1.png", "http://["])
def test_a_given_address_may_be_sent_back_as_it_is_shown(api, given):
    user = UserFactory(avatar_url=given)
    shown = value(api.get(address(user)))["avatarUrl"]
    for sent in (shown, given):
        assert value(api.put(address(user), {"avatarUrl": sent}))["avatarUrl"] == shown
        assert fields(user)["avatar_url"] == given


# ---- The user's own token


@pytest.fixture(params=["", None], ids=["a key without a scope", "no key"])
def own_client(request, user):
    """The user, with a key that opens nothing or without a key."""
    token, _ = access_tokens.issue(user)
    key = None if request.param is None else ApiKeyFactory(scopes=request.param).token
    return ApiClient(key, HTTP_X_SS_USER_TOKEN=token)


def test_a_user_changes_their_own_record(own_client, user):
    assert value(own_client.get(address(user)))["id"] == user.pk
    assert value(own_client.put(address(user), {"signature": "Ahoy"}))["signature"] == "Ahoy"


def test_a_user_reaches_no_other(own_client):
    other = UserFactory()
    assert_error(own_client.put(address(other), {"signature": "x"}), 401, "user_token_of_another")
    assert_error(own_client.get(address(other)), 401, "user_token_of_another")
    assert_error(own_client.get(f"{USERS}/0"), 401, "user_token_of_another")
    assert own_client.get(USERS).status_code == 401


@pytest.mark.parametrize(("name", "present"), [("isChecked", True), ("isLockedOut", False)])
def test_a_user_does_not_decide_about_their_own_standing(own_client, user, name, present):
    before = fields(user)
    body = assert_error(own_client.put(address(user), {"signature": "x", name: not present}), 401, "scope_missing")
    assert name in body["message"] and body["scope"] == "Users:write"
    assert fields(user) == before
    for same in (present, str(present)):
        assert value(own_client.put(address(user), {name: same, "signature": "x"}))[name] is present


def test_the_token_in_the_query_is_enough_and_reaches_no_log(stranger, user, caplog):
    token, _ = access_tokens.issue(user)
    caplog.set_level("DEBUG")
    response = stranger.put(f"{address(user)}?userToken={token}&1590000000000", {"signature": "Ahoy"})
    assert value(response)["signature"] == "Ahoy"
    assert token not in response.wsgi_request.get_full_path() and token not in caplog.text
    assert_error(stranger.put(f"{address(user)}?userToken=x", {"signature": "x"}), 401, "user_token_invalid")
    assert_error(ApiClient("ssk1_wrong").put(f"{address(user)}?userToken={token}"), 401, "key_unknown")


def test_a_user_sends_back_the_whole_record(own_client, user):
    record = value(own_client.get(address(user)))
    assert value(own_client.put(address(user), record)) == record


def test_a_key_that_reads_lets_the_user_write(user):
    token, _ = access_tokens.issue(user)
    client = ApiClient(ApiKeyFactory(scopes="Users:read").token, HTTP_X_SS_USER_TOKEN=token)
    assert value(client.put(address(user), {"signature": "Ahoy"}))["signature"] == "Ahoy"
    assert_error(client.put(address(user), {"isLockedOut": True}), 401, "scope_missing")
    assert_error(client.put(address(UserFactory()), {"signature": "x"}), 401, "user_token_of_another")


# ---- At the same moment


@pytest.mark.django_db(transaction=True)
def test_of_parallel_updates_to_one_name_exactly_one_succeeds():
    users, token = UserFactory.create_batch(8), ApiKeyFactory(scopes="Users").token
    spellings = ["Reader", "reader", "READER", "rEADER"] * 2
    acts = [
        lambda client, user=user, name=name: client.put(address(user), {"userName": name})
        for user, name in zip(users, spellings, strict=True)
    ]
    answers = at_once(token, *acts)
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7
    assert {answer.json().get("code") for answer in answers} == {None, "user_name_taken"}
    assert User.objects.named("reader").count() == 1


@pytest.mark.django_db(transaction=True)
def test_parallel_updates_of_different_members_lose_nothing():
    user, token = UserFactory(), ApiKeyFactory(scopes="Users").token
    acts = [lambda client, name=name: client.put(address(user), {name: NEW[name]}) for name in NEW]
    assert {answer.status_code for answer in at_once(token, *acts)} == {200}
    stored = fields(user)
    assert stored | {COLUMNS[name]: member for name, member in NEW.items()} == stored


@pytest.mark.django_db(transaction=True)
def test_users_that_swap_their_addresses_at_once_end_with_one_each():
    first, second = UserFactory(email="a@example.org"), UserFactory(email="b@example.org")
    token = ApiKeyFactory(scopes="Users").token
    acts = [
        lambda client, user=user, email=email: client.put(address(user), {"email": email})
        for user, email in [(first, "b@example.org"), (second, "a@example.org")] * 4
    ]
    assert {answer.status_code for answer in at_once(token, *acts)} <= {200, 400}
    assert set(User.objects.values_list("email", flat=True)) == {"a@example.org", "b@example.org"}
