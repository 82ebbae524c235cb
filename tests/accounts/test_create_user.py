"""POST /users: a new user out of what the interface lists, and of nothing else."""

import json
from datetime import datetime
from threading import Thread

import pytest
from django.db import connection

from accounts.models import User
from tests.accounts.asking import PASSWORD, USERS, value
from tests.accounts.texts import ODD
from tests.assertions import assert_error
from tests.cases import each_once
from tests.clients import ApiClient
from tests.contents.threads import at_once
from tests.factories import AdministratorFactory, ApiKeyFactory, UserFactory

pytestmark = pytest.mark.django_db
needs_many_writers = pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time.")

# Every optional text, with its longest form.
TEXTS = {
    "displayName": 255,
    "email": 255,
    "mobile": 50,
    "avatarUrl": 2000,
    "organization": 255,
    "department": 255,
    "position": 255,
    "gender": 50,
    "birthday": 50,
    "education": 255,
    "graduation": 255,
    "address": 255,
    "weiXin": 255,
    "qq": 50,
    "weiBo": 255,
    "interests": 255,
    "signature": 255,
}
FLAGS = {"isChecked": True, "isLockedOut": False}


def new(**members):
    return {"userName": "reader", "password": PASSWORD} | members


def create(client, **members):
    return client.post(USERS, new(**members))


def test_answers_the_whole_record(api):
    before = datetime.now().replace(microsecond=0)
    record = value(create(api, displayName="读者", email="reader@example.org", mobile="13800000000"))
    user = User.objects.get()
    assert before <= user.create_date <= datetime.now()
    now = user.create_date.isoformat(" ")
    expected = {
        "id": user.pk,
        "userName": "reader",
        "password": record["password"],
        "passwordFormat": "Encrypted",
        "passwordSalt": record["passwordSalt"],
        "createDate": now,
        "lastResetPasswordDate": now,
        "lastActivityDate": now,
        "countOfLogin": 0,
        "countOfFailedLogin": 0,
        "countOfWriting": 0,
        "isChecked": True,
        "isLockedOut": False,
        "displayName": "读者",
        "email": "reader@example.org",
        "mobile": "13800000000",
        "avatarUrl": "",
        "organization": "",
        "department": "",
        "position": "",
        "gender": "",
        "birthday": "",
        "education": "",
        "graduation": "",
        "address": "",
        "weiXin": "",
        "qq": "",
        "weiBo": "",
        "interests": "",
        "signature": "",
    }
    assert list(record.items()) == list(expected.items())
    assert (len(record["password"]), len(record["passwordSalt"])) == (44, 24)
    assert value(api.get(f"{USERS}/{user.pk}")) == record


def test_only_a_hash_of_the_password_is_stored_and_nothing_of_it_answered(api):
    response = create(api)
    user = User.objects.get()
    assert user.check_password(PASSWORD)
    assert not any(PASSWORD in str(stored) for stored in vars(user).values())
    for secret in (PASSWORD, user.password, user.password_stamp, "argon2"):
        assert secret not in response.content.decode()


def test_the_same_password_shows_differently(api):
    first, second = value(create(api)), value(create(api, userName="other"))
    assert first["password"] != second["password"]
    assert first["passwordSalt"] != second["passwordSalt"]


@pytest.mark.parametrize("spell", [str, lambda name: name[0].upper() + name[1:], str.upper, str.lower])
def test_every_member_of_the_interface_is_stored_in_any_letter_case(api, spell):
    members = {name: f"{name} 文" for name in TEXTS} | {"isChecked": False, "isLockedOut": True}
    record = value(api.post(USERS, {spell(name): member for name, member in new(**members).items()}))
    assert record | members | {"avatarUrl": record["avatarUrl"]} == record
    assert record["avatarUrl"].endswith("avatarUrl 文")


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_has_a_length(api, name):
    record = value(create(api, **{name: "x" * TEXTS[name]}))
    assert record[name].endswith("x" * TEXTS[name])
    body = assert_error(create(api, userName="other", **{name: "é" * (TEXTS[name] + 1)}), 400, "invalid_value")
    assert body["member"] == name and str(TEXTS[name]) in body["message"]
    assert User.objects.count() == 1


@pytest.mark.any_database
@each_once(
    ("name", [*TEXTS, "userName", "password", "passwordFormat"]),
    ("wrong", [0, 1.5, True, [], {}, ["x"]]),
)
def test_a_text_of_another_type_is_400_naming_it(api, name, wrong):
    assert assert_error(create(api, **{name: wrong}), 400, "invalid_value")["member"] == name
    assert not User.objects.exists()


@each_once(
    ("name", FLAGS),
    (
        ("sent", "stored"),
        [(True, True), (False, False), ("True", True), ("false", False), ("FALSE", False), (" true ", True)],
    ),
)
def test_a_boolean_may_be_a_text(api, name, sent, stored):
    assert value(create(api, **{name: sent}))[name] is stored


@each_once(
    ("wrong", [0, 1, "", "yes", "1", [], {}]),
    ("name", FLAGS),
)
def test_another_boolean_is_400_naming_it(api, name, wrong):
    assert assert_error(create(api, **{name: wrong}), 400, "invalid_value")["member"] == name
    assert not User.objects.exists()


@pytest.mark.parametrize("name", [*TEXTS, *FLAGS, "passwordFormat"])
def test_null_counts_as_not_sent(api, name):
    default = FLAGS.get(name, "Encrypted" if name == "passwordFormat" else "")
    assert value(create(api, **{name: None}))[name] == default


@each_once(
    ("name", sorted(TEXTS.keys() - {"email", "mobile", "avatarUrl"})),
    ("text", ODD),
)
def test_any_text_comes_back_as_it_was_sent(api, name, text):
    assert value(create(api, **{name: text}))[name] == text


@pytest.mark.any_database
@each_once(
    ("name", ["userName", "password", "passwordFormat", "isChecked", *TEXTS]),
    ("text", ['"a\\u0000b"', '"\\ud83d"', '"\\udc00x"', '"\xed\xa0\x80"']),
)
def test_nul_and_half_characters_are_400(api, name, text):
    body = json.dumps({key: member for key, member in new().items() if key != name})[:-1]
    assert_error(api.send("POST", USERS, f'{body}, "{name}": {text}}}'.encode("latin-1")), 400)
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["userName", "password", "email", "isChecked"])
def test_a_member_in_two_spellings_is_400(api, name):
    body = new(email="a@example.org", isChecked=True)
    assert_error(api.post(USERS, body | {name.upper(): body[name]}), 400, "duplicate_member")
    assert not User.objects.exists()


# Members of the interface that a client cannot set, and such as other systems or this one's database know.
IGNORED = {
    "id": 4711,
    "passwordSalt": "VohMFwNz4s006ZytezfUxg==",
    "createDate": "2001-01-01 00:00:00",
    "lastResetPasswordDate": "2001-01-01 00:00:00",
    "lastActivityDate": "2001-01-01 00:00:00",
    "countOfLogin": 99,
    "countOfFailedLogin": 99,
    "countOfWriting": 99,
    "groupId": 1,
    "is_checked": False,
    "is_locked_out": True,
    "isSuperuser": True,
    "is_superuser": True,
    "passwordStamp": "x",
    "password_stamp": "x",
    "avatarFile": "../../secret",
    "avatar_file": "../../secret",
    "pk": 4711,
    "_state": {},
    "__class__": "Administrator",
    "user_name": "other",
    "logs": [],
    "custom": {"kept": False},
}


def test_what_is_no_member_of_a_creation_is_ignored(api):
    plain, sent = value(create(api)), value(api.post(USERS, IGNORED | new(userName="second")))
    own = ("id", "userName", "password", "passwordSalt", "createDate", "lastResetPasswordDate", "lastActivityDate")
    assert {name: sent[name] for name in plain if name not in own} == {
        name: plain[name] for name in plain if name not in own
    }
    user = User.objects.get(user_name="second")
    assert user.pk != 4711 and user.create_date.year > 2001
    assert (user.avatar_file, user.count_of_login, len(user.password_stamp)) == ("", 0, 22)


@pytest.mark.parametrize("missing", ["userName", "password"])
@pytest.mark.parametrize("null", [True, False])
def test_name_and_password_are_required(api, missing, null):
    body = new() | {missing: None} if null else {name: text for name, text in new().items() if name != missing}
    assert assert_error(api.post(USERS, body), 400, "missing_member")["member"] == missing
    assert not User.objects.exists()


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"null", b'"x"', b"{", b"\xff"])
def test_a_body_that_makes_no_user_is_400(api, body):
    assert_error(api.send("POST", USERS, body), 400)


@pytest.mark.parametrize("format", ["Clear", "clear", "Encrypt", "ENCRYPTED", "Hashed", "hashed"])
def test_every_format_of_a_password_is_stored_alike(api, format):
    assert value(create(api, passwordFormat=format))["passwordFormat"] == "Encrypted"
    user = User.objects.get()
    assert user.check_password(PASSWORD) and user.password.startswith("wire_argon2id$")


@pytest.mark.parametrize("wrong", ["", "Plain", "clear text", " Clear", "MD5"])
def test_another_format_of_a_password_is_400(api, wrong):
    body = assert_error(create(api, passwordFormat=wrong), 400, "invalid_value")
    assert body["member"] == "passwordFormat" and "Clear, Encrypt, Encrypted, Hashed" in body["message"]


@pytest.mark.parametrize("weak", ["", "abc12", "abcdef", "123456", "!!!!!!", "汉字汉字汉字", "a1" * 5000])
def test_a_weak_password_is_400_saying_why(api, weak):
    body = assert_error(create(api, password=weak), 400, "password_too_weak")
    assert body["member"] == "password" and "A password must" in body["message"]
    assert weak == "" or weak not in body["message"]
    assert not User.objects.exists()


@pytest.mark.parametrize("password", ["abc123", " ab1 cd2 ", "汉字汉字汉1", "🚢a1🚢🚢🚢"])
def test_a_password_is_taken_as_it_is(api, password):
    create(api, password=password)
    assert User.objects.get().check_password(password)
    assert not User.objects.get().check_password(password + " ")


NAMES = ["a", "reader@example.org", "first.last", "读者", "שלום", "🚢", "O-1_%*?/\\#&=+,;()[]{}", "x" * 255, "@.", "0"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_may_have_other_characters(api, name):
    assert value(create(api, userName=name))["userName"] == name


FORBIDDEN = {
    " ": "blanks",
    "\u3000": "U+3000",
    "'": "'",
    ":": ":",
    '"': '"',
    "<": "<",
    ">": ">",
    "|": "|",
    "\t": "U+0009",
    "\n": "U+000A",
    "\x1f": "U+001F",
    "\x7f": "U+007F",
    "\x85": "U+0085",
    "\u2028": "U+2028",
}


@pytest.mark.any_database
@each_once(
    ("place", ["{}reader", "rea{}der", "reader{}", "rea@{}.der"]),
    (("letter", "shown"), FORBIDDEN.items()),
)
def test_a_forbidden_character_of_a_name_is_400_naming_it(api, letter, shown, place):
    body = assert_error(create(api, userName=place.format(letter)), 400, "invalid_value")
    assert body["member"] == "userName"
    assert body["message"] == f"userName must be a name without {shown}."
    assert not User.objects.exists()


@pytest.mark.parametrize(("wrong", "shown"), [("", "a text that is not empty"), ("x" * 256, "at most 255 characters")])
def test_a_name_is_not_empty_and_not_too_long(api, wrong, shown):
    assert shown in assert_error(create(api, userName=wrong), 400, "invalid_value")["message"]


def test_e_mail_address_and_mobile_lose_the_blanks_around_them_and_are_not_checked_otherwise(api):
    record = value(create(api, email=" no address\t", mobile="\u3000+86 138 "))
    assert (record["email"], record["mobile"]) == ("no address", "+86 138")
    record = value(create(api, userName="other", email="  ", mobile=" "))
    assert (record["email"], record["mobile"]) == ("", "")


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", " JavaScript:x", "data:image/png;base64,x", "java\tscript:x"]
)
def test_an_avatar_whose_address_runs_code_is_400(api, address):
    assert assert_error(create(api, avatarUrl=address), 400, "invalid_value")["member"] == "avatarUrl"


TAKEN = [
    ({"userName": "keeper"}, "userName"),
    ({"userName": "KEEPER"}, "userName"),
    ({"userName": "keeper@Example.org"}, "userName"),
    ({"userName": "13800000000"}, "userName"),
    ({"email": "keeper@example.org"}, "email"),
    ({"email": " KEEPER@example.ORG "}, "email"),
    ({"email": "Keeper"}, "email"),
    ({"mobile": "13800000000"}, "mobile"),
    ({"mobile": " 13800000000 "}, "mobile"),
    ({"mobile": "keeper"}, "mobile"),
]
CODES = {"userName": "user_name_taken", "email": "email_taken", "mobile": "mobile_taken"}


@pytest.mark.parametrize(("members", "member"), TAKEN)
def test_a_name_an_e_mail_address_and_a_mobile_belong_to_one_user(api, members, member):
    UserFactory(user_name="Keeper", email="keeper@example.org", mobile="13800000000")
    body = assert_error(create(api, **members), 400, CODES[member])
    assert body["member"] == member and body["message"].startswith(f"{member} is taken")
    assert User.objects.count() == 1


def test_what_no_user_has_is_free(api):
    UserFactory(user_name="keeper", email="", mobile="")
    AdministratorFactory(user_name="reader", email="reader@example.org", mobile="139")
    value(create(api, email="reader@example.org", mobile="139"))
    value(create(api, userName="another", email="", mobile=""))


def test_a_name_may_be_ones_own_e_mail_address_and_mobile(api):
    record = value(create(api, userName="reader@example.org", email="Reader@example.org", mobile="reader@example.org"))
    assert record["email"] == "Reader@example.org"


ORDER = [
    # In the order of the original: each body lacks what the ones before it are refused for.
    ({"userName": "bad name", "email": "keeper@example.org", "mobile": "138"}, "invalid_value"),
    ({"password": "weak", "userName": "keeper", "email": "keeper@example.org", "mobile": "138"}, "password_too_weak"),
    ({"userName": "keeper", "email": "keeper@example.org", "mobile": "138"}, "user_name_taken"),
    ({"email": "keeper@example.org", "mobile": "138"}, "email_taken"),
    ({"mobile": "138"}, "mobile_taken"),
    ({"email": "138"}, "email_taken"),
    ({"mobile": "keeper@example.org"}, "mobile_taken"),
]


@pytest.mark.parametrize(("members", "code"), ORDER)
def test_of_several_reasons_the_first_is_told(api, members, code):
    UserFactory(user_name="keeper", email="keeper@example.org", mobile="138")
    assert_error(create(api, **members), 400, code)


@pytest.mark.django_db(transaction=True)
@needs_many_writers
def test_an_account_that_came_between_is_400_as_well(api, monkeypatch):
    """The back end or a command does not wait for the API: then the constraints of the database decide."""
    save = User.save

    def save_late(user, **options):
        monkeypatch.setattr(User, "save", save)
        at_once(None, lambda client: UserFactory(user_name="READER"))
        save(user, **options)

    monkeypatch.setattr(User, "save", save_late)
    assert_error(create(api), 400, "user_name_taken")
    assert User.objects.get().user_name == "READER"


@pytest.mark.parametrize("scopes", ["Users:read", "", "Administrators,Contents"])
def test_writing_is_needed(client_with_key, scopes):
    body = assert_error(create(client_with_key(scopes=scopes), userName=""), 401, "scope_missing")
    assert body["scope"] == "Users:write"
    assert not User.objects.exists()


# ---- At the same moment


def owner_key():
    return ApiKeyFactory(scopes="Users,Administrators").token


@pytest.mark.django_db(transaction=True)
def test_of_parallel_creates_of_one_name_exactly_one_succeeds():
    spellings = ["Reader", "reader", "READER", "rEADER"] * 4
    answers = at_once(owner_key(), *[lambda client, name=name: create(client, userName=name) for name in spellings])
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 15
    assert {answer.json()["code"] for answer in answers if answer.status_code == 400} == {"user_name_taken"}
    assert User.objects.count() == 1


SIGN_INS = [
    {"userName": "one@example.org"},
    {"userName": "reader1", "email": "one@example.org"},
    {"userName": "reader2", "mobile": "one@example.org"},
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("others", [(1, 2), (1,), (2,)])
def test_a_name_never_becomes_an_address_of_another_at_the_same_moment(others):
    """Of which the constraints of the database know nothing."""
    bodies = [SIGN_INS[0], *(SIGN_INS[number] for number in others)] * 4
    answers = at_once(owner_key(), *[lambda client, body=body: create(client, **body) for body in bodies])
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * (len(bodies) - 1)
    assert User.objects.count() == 1


@needs_many_writers
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0), (0, 2), (2, 0)])
def test_who_wants_what_another_is_about_to_get_waits(monkeypatch, first, second):
    token, save, started = owner_key(), User.save, []

    def save_while_another_waits(user, **options):
        monkeypatch.setattr(User, "save", save)
        other = Thread(target=lambda: started.extend(at_once(token, lambda client: create(client, **SIGN_INS[second]))))
        started.append(other)
        other.start()
        while other.is_alive() and not waiting_for_a_name():
            other.join(0.01)
        save(user, **options)

    monkeypatch.setattr(User, "save", save_while_another_waits)
    assert create(ApiClient(token), **SIGN_INS[first]).status_code == 200
    other, *_ = started
    other.join()
    assert_error(started[1], 400)
    assert User.objects.count() == 1


def waiting_for_a_name():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND "
            "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return cursor.fetchone()[0] > 0


@pytest.mark.django_db(transaction=True)
def test_parallel_creates_of_many_names_in_mixed_case_make_each_once():
    names = [f"reader{number}" for number in range(5)]

    def create_all(client, turn):
        spelt = [name.upper() if (turn + number) % 2 else name for number, name in enumerate(names)]
        return [create(client, userName=name).status_code for name in spelt[turn % 5 :] + spelt[: turn % 5]]

    answers = at_once(owner_key(), *[lambda client, turn=turn: create_all(client, turn) for turn in range(8)])
    codes = [code for each in answers for code in each]
    assert sorted(codes) == [200] * 5 + [400] * 35
    assert sorted(name.lower() for name in User.objects.values_list("user_name", flat=True)) == names


@pytest.mark.django_db(transaction=True)
def test_parallel_creates_of_different_users_all_succeed():
    acts = [lambda client, n=n: create(client, userName=f"reader{n}", email=f"{n}@example.org") for n in range(10)]
    assert {answer.status_code for answer in at_once(owner_key(), *acts)} == {200}


def test_a_client_of_the_original_can_send_its_own_spelling(api):
    """What the original's user centre sends to register somebody."""
    body = {
        "userName": "reader",
        "password": PASSWORD,
        "groupId": 0,
        "DisplayName": "读者",
        "Mobile": "138",
        "Email": "",
    }
    response = ApiClient(api.token).post(f"{USERS}/?1590000000000", body)
    record = value(response)
    assert (record["displayName"], record["mobile"], record["isChecked"]) == ("读者", "138", True)
