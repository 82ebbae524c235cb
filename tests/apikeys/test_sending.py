"""How a key is sent: header or query, and which of them counts."""

import pytest

from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory, ContentFactory
from tests.wire.addresses import single

BAD = "ssk1_00000000_" + "0" * 38


@pytest.fixture
def token(db):
    return ApiKeyFactory(scopes="Contents").token


@pytest.fixture
def path(db):
    return single(ContentFactory())


def test_the_header_is_enough(token, path):
    assert ApiClient(token).get(path).status_code == 200


@pytest.mark.parametrize("name", ["X-SS-API-KEY", "x-ss-api-key", "X-Ss-Api-Key"])
def test_the_header_is_read_in_any_letter_case(stranger, token, path, name):
    assert stranger.get(path, headers={name: token}).status_code == 200


@pytest.mark.parametrize("name", ["apiKey", "apikey", "APIKEY", "ApiKey", "%61pi%4Bey", "+apiKey"])
def test_the_query_is_enough_in_any_letter_case(stranger, token, path, name):
    assert stranger.get(f"{path}?{name}={token}").status_code == 200


@pytest.mark.parametrize(
    "query", ["?a=1&apiKey={}", "?&apiKey={}", "?1590000000000&apiKey={}&b", "?apiKey={}&1590000000000", "?%&apiKey={}"]
)
def test_the_query_may_hold_more(stranger, token, path, query):
    assert stranger.get(path + query.format(token)).status_code == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_every_verb_takes_the_key_of_the_query(stranger, token, path, method):
    assert stranger.send(method, f"{path}/?apiKey={token}").status_code == 200


@pytest.mark.parametrize("spaced", [" {}", "{} ", "\t{}"])
def test_blanks_around_a_key_do_not_count(stranger, token, path, spaced):
    assert stranger.get(path, headers={"X-SS-API-KEY": spaced.format(token)}).status_code == 200
    assert stranger.get(f"{path}?apiKey=+{token}%20").status_code == 200


def test_a_good_header_wins_over_a_bad_query(token, path):
    assert ApiClient(token).get(f"{path}?apiKey={BAD}").status_code == 200


def test_a_bad_header_is_not_rescued_by_a_good_query(token, path):
    assert_error(ApiClient(BAD).get(f"{path}?apiKey={token}"), 401, "key_unknown")
    assert_error(ApiClient("nonsense").get(f"{path}?apiKey={token}"), 401, "key_unknown")


def test_the_header_decides_whose_scopes_count(client_with_key, token, path):
    weak = client_with_key(scopes="")
    assert_error(weak.get(f"{path}?apiKey={token}"), 401, "scope_missing")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER "])
def test_the_key_as_a_bearer_token(stranger, token, path, scheme):
    assert stranger.get(path, headers={"Authorization": f"{scheme} {token}"}).status_code == 200
    assert_error(stranger.get(path, headers={"Authorization": f"{scheme} {BAD}"}), 401, "key_unknown")


def test_a_bearer_token_comes_between_the_header_and_the_query(stranger, token, path):
    bearer = {"Authorization": f"Bearer {token}"}
    assert stranger.get(f"{path}?apiKey={BAD}", headers=bearer).status_code == 200
    assert_error(stranger.get(path, headers={**bearer, "X-SS-API-KEY": BAD}), 401, "key_unknown")


def test_another_bearer_token_is_no_key(stranger, token, path):
    headers = {"Authorization": "Bearer eyJhbGciOiJub25lIn0."}
    assert_error(stranger.get(path, headers=headers), 401, "key_missing")
    assert stranger.get(f"{path}?apiKey={token}", headers=headers).status_code == 200


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_header_counts_as_none(stranger, token, path, empty):
    headers = {"X-SS-API-KEY": empty}
    assert stranger.get(f"{path}?apiKey={token}", headers=headers).status_code == 200
    assert_error(stranger.get(path, headers=headers), 401, "key_missing")


@pytest.mark.parametrize(
    "query", ["", "?apiKey=", "?apiKey", "?apiKey=&apikey=", "?key=x", "?api_key=x", "?myapiKey=x"]
)
def test_no_key_is_no_key(stranger, path, query):
    assert_error(stranger.get(path + query), 401, "key_missing")


def test_the_first_key_of_the_query_that_is_not_empty_counts(stranger, token, path):
    assert stranger.get(f"{path}?apiKey=&apikey={token}&apiKey={BAD}").status_code == 200
    assert_error(stranger.get(f"{path}?apiKey={BAD}&apiKey={token}"), 401, "key_unknown")


def test_a_key_in_the_body_or_in_another_header_is_no_key(stranger, token, path):
    assert_error(stranger.put(path, {"apiKey": token}), 401, "key_missing")
    for name in ("Authorization", "X-API-KEY", "apiKey"):
        assert_error(stranger.get(path, headers={name: token}), 401, "key_missing")


def test_a_cookie_is_no_key(stranger, token, path):
    stranger.cookies["apiKey"] = stranger.cookies["X-SS-API-KEY"] = token
    assert_error(stranger.get(path), 401, "key_missing")
