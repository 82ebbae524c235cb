"""The text of a key: its form, its checksum, and what nonsense costs."""

import re
import string
import zlib
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apikeys import tokens
from apikeys.models import ApiKey
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory

BASE_62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
BODY = "ssk1_00000000_" + "0" * 32


def test_a_token_has_the_form_that_scanners_look_for():
    assert re.fullmatch(r"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}", tokens.make())
    assert len(tokens.make()) == 52


def test_a_token_survives_a_query_string_as_it_is():
    assert re.fullmatch(r"[0-9A-Za-z_]+", tokens.make())


def test_tokens_differ_in_both_parts():
    made = [tokens.make() for _ in range(200)]
    assert len({tokens.public_part(token) for token in made}) == 200
    assert len({token[14:46] for token in made}) == 200


def test_the_checksum_is_crc32_in_base_62():
    token = tokens.make()
    number = 0
    for letter in token[-6:]:
        number = number * 62 + BASE_62.index(letter)
    assert number == zlib.crc32(token[:-6].encode())


@given(place=st.integers(0, 51), letter=st.sampled_from(BASE_62 + "_ é\0"))
def test_one_wrong_letter_is_noticed(place, letter):
    token = tokens.make()
    wrong = token[:place] + letter + token[place + 1 :]
    assert tokens.is_well_formed(wrong) is (wrong == token)


NONSENSE = [
    "nonsense",
    "ssk1_",
    BODY,
    BODY + "000000",
    BODY + "00000",
    "x" * 100_000,
    "null",
    "Bearer abc",
    "' OR 1=1 --",
    "ssk1_0000000é_" + "0" * 38,
    "ssk1_00000000_" + "0" * 37 + "\uff10",
    "ssk1_00000000_" + "0" * 38 + "\n",
    "ssk2_00000000_" + "0" * 38,
]


@pytest.mark.parametrize("text", NONSENSE, ids=lambda text: text[:20])
def test_nonsense_is_401_and_asks_no_database(stranger, db, django_assert_num_queries, text):
    headers = {"X-SS-API-KEY": text.encode().decode("latin-1")}
    with django_assert_num_queries(0):
        response = stranger.get("/api/v1/contents/1/1/1", headers=headers)
        assert_error(response, 401, "key_unknown")


@pytest.mark.parametrize("text", ["%00", "%FF", "%ED%A0%80", "a%0Ab", "%E4%B8%AD", "nonsense"])
def test_nonsense_in_the_query_is_401_and_asks_no_database(stranger, db, django_assert_num_queries, text):
    with django_assert_num_queries(0):
        assert_error(stranger.get(f"/api/v1/contents/1/1/1?apiKey={text}"), 401, "key_unknown")


@pytest.mark.django_db
def test_an_unknown_key_with_the_right_checksum_is_401():
    assert_error(ApiClient(tokens.make()).get("/api/v1/contents/1/1/1"), 401, "key_unknown")


@pytest.mark.django_db
def test_the_public_part_of_a_key_opens_nothing():
    token = ApiKeyFactory().token
    forged = token[:14] + "0" * 32
    forged += tokens._checksum(forged)
    assert_error(ApiClient(forged).get("/api/v1/contents/1/1/1"), 401, "key_unknown")


@pytest.mark.django_db
def test_nothing_that_is_stored_opens_anything(stranger):
    token = ApiKeyFactory().token
    key = ApiKey.objects.get()
    key.rotate(timedelta(hours=1))
    for row in [*ApiKey.objects.values_list(), *key.tokens.values_list()]:
        for value in map(str, row):
            assert token not in value
            assert token[14:46] not in value
            for text in (value, f"ssk1_{value}", BODY[:5] + value):
                client = ApiClient(text.replace("\n", ""))
                assert_error(client.get("/api/v1/contents/1/1/1"), 401)


@pytest.mark.django_db
def test_the_token_is_shown_at_creation_only():
    key, token = ApiKey.objects.issue("robot", AdministratorFactory())
    assert tokens.is_well_formed(token)
    assert token not in repr(ApiKey.objects.get(pk=key.pk).__dict__) + repr(key.tokens.get().__dict__)
