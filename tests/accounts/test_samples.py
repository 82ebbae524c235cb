"""The published samples of users and administrators: the same members, types and order on data of our own."""

import json
from pathlib import Path

import pytest

from accounts.models import Administrator, User
from tests.accounts.asking import ADMINISTRATORS, PASSWORD, USERS, listed, value
from tests.factories import AdministratorFactory, UserFactory

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples."),
]
# Follow from what is not ours to give: numbers, moments, and texts that stand for passwords.
OWN = {"id", "password", "passwordSalt"}
DATES = {"creationDate", "createDate", "lastResetPasswordDate", "lastActivityDate"}
WIRE = {field.attname.replace("_", ""): field.attname for kind in (User, Administrator) for field in kind._meta.fields}


def sample(name):
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def told(record, *besides):
    return {name: member for name, member in record.items() if name not in OWN.union(*besides)}


def assert_alike(record, expected, *besides):
    """The same members of the same types in the same order, and the same values but our own."""
    assert [(name, type(member)) for name, member in record.items()] == [
        (name, type(member)) for name, member in expected.items()
    ]
    assert told(record, *besides) == told(expected, *besides)
    # 32 bytes stand for a password, whatever its length, 16 for a salt, in Base64.
    assert (len(record["password"]), len(record["passwordSalt"])) == (44, len(expected["passwordSalt"]))


def store(factory, record):
    """An account that says what the record says."""
    return factory(**{WIRE[n.lower()]: m for n, m in told(record).items() if n != "passwordFormat"})


@pytest.mark.parametrize(
    ("name", "path", "factory"),
    [("20-administrators-list", ADMINISTRATORS, AdministratorFactory), ("23-users-list", USERS, UserFactory)],
)
def test_accounts_are_listed_as_published(client_with_key, name, path, factory):
    expected = sample(name)["response"]["body"]["value"]
    made = [store(factory, record) for record in expected]
    # The administrators of the sample are the only ones, so the key belongs to one of them.
    owner = made[0] if factory is AdministratorFactory else AdministratorFactory()
    if factory is AdministratorFactory:
        Administrator.objects.update(is_superuser=True)
    records = listed(client_with_key(administrator=owner), path)
    assert len(records) == len(expected)
    for record, wanted in zip(records, expected, strict=True):
        assert_alike(record, wanted)


@pytest.mark.parametrize(("name", "path"), [("24-users-create", USERS), ("57-administrators-create", ADMINISTRATORS)])
def test_the_published_creation_is_carried_out(api, name, path):
    published = sample(name)
    body = published["request"]["body"]
    if path == ADMINISTRATORS:
        body |= {"password": PASSWORD}  # the published one is too weak
    record = value(api.post(path, body))
    assert_alike(record, published["response"]["body"]["value"], DATES, {"creatorUserName"})  # of the key
    assert len({record[date] for date in DATES & record.keys()}) == 1


def test_a_user_is_answered_as_published(api):
    expected = sample("65-users-get")["response"]["body"]["value"]
    assert_alike(value(api.get(f"{USERS}/{store(UserFactory, expected).pk}")), expected)
