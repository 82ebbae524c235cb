"""GET lists: whole, or in pages when the client asks for pages."""

import json
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from accounts.models import User
from core.rest.pagination import PagedList
from tests.assertions import assert_error
from tests.cases import each_once

USERS = "/api/v1/probe/users"
NEWEST = "/api/v1/probe/newest-users"
LINKS = ("first", "prev", "next", "last")
pytestmark = [pytest.mark.urls("tests.wire.probes"), pytest.mark.django_db]


@pytest.fixture(params=[2000, 3, 1], ids="chunks of {}".format)
def chunk(request, monkeypatch):
    """Lists are read in chunks of this many rows."""
    monkeypatch.setattr(PagedList, "chunk", request.param)
    return request.param


def make_users(count):
    # Not in the order of their ids, which is the order of the answer.
    User.objects.bulk_create([User(user_name=f"user{number:04}", password="!") for number in range(count)])
    return list(User.objects.order_by("pk").values_list("user_name", flat=True))


def answer(client, query="", path=USERS):
    response = client.get(path + query)
    assert response.status_code == 200, response.content
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    return json.loads(response.getvalue())


def names(body):
    return [user["userName"] for user in body["value"]]


def windows(body):
    """The links as (skip, top)."""
    pages = {}
    for link in LINKS:
        if link in body:
            query = parse_qs(urlsplit(body[link]).query)
            pages[link] = (int(query["skip"][0]), int(query["top"][0]))
    return pages


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7])
def test_without_parameters_the_whole_list_stands_in_value_alone(api, chunk, count):
    users = make_users(count)
    body = answer(api)
    assert list(body) == ["value"]
    assert names(body) == users


def test_the_order_is_by_id_ascending(api):
    make_users(5)
    ids = [user["id"] for user in answer(api)["value"]]
    assert ids == sorted(ids)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 7])
def test_the_order_may_be_the_newest_first(api, chunk, count):
    users = make_users(count)[::-1]
    assert names(answer(api, path=NEWEST)) == users
    for skip in range(count):
        body = answer(api, f"?top=2&skip={skip}", NEWEST)
        assert (names(body), body["count"]) == (users[skip : skip + 2], count)


def test_a_long_list_is_read_and_sent_in_chunks(api, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(PagedList, "chunk", 500)
    users = make_users(1100)
    api.get(USERS + "?top=1")  # the key is known from here on
    with django_assert_num_queries(3) as queries:
        response = api.get(USERS)
        parts = list(response.streaming_content)
    assert all(query["sql"].endswith("LIMIT 500") for query in queries.captured_queries)
    assert [len(json.loads(b"[" + part.lstrip(b",") + b"]")) for part in parts[1:-1]] == [500, 500, 100]
    assert names(json.loads(b"".join(parts))) == users


def test_a_row_that_is_deleted_meanwhile_neither_hides_nor_repeats_another(api, monkeypatch):
    monkeypatch.setattr(PagedList, "chunk", 2)
    users = make_users(6)
    stream = iter(api.get(USERS).streaming_content)
    begun = next(stream) + next(stream)
    User.objects.filter(user_name__in=[users[0], users[3]]).delete()
    body = json.loads(begun + b"".join(stream))
    assert names(body) == [users[0], users[1], users[2], users[4], users[5]]


PAGES = [
    # users, query, first and number of the page's users, links
    (0, "?top=5", 0, 0, {}),
    (0, "?skip=5", 0, 0, {"first": (0, 20), "prev": (0, 20)}),
    (45, "?top=20", 0, 20, {"next": (20, 20), "last": (40, 20)}),
    (45, "?skip=0", 0, 20, {"next": (20, 20), "last": (40, 20)}),
    (45, "?top=20&skip=20", 20, 20, {"first": (0, 20), "prev": (0, 20), "next": (40, 20), "last": (40, 20)}),
    (45, "?skip=20&top=20", 20, 20, {"first": (0, 20), "prev": (0, 20), "next": (40, 20), "last": (40, 20)}),
    (45, "?top=20&skip=40", 40, 5, {"first": (0, 20), "prev": (20, 20)}),
    # A multiple of top, where the original's links end one page short.
    (40, "?top=20", 0, 20, {"next": (20, 20), "last": (20, 20)}),
    (40, "?top=20&skip=20", 20, 20, {"first": (0, 20), "prev": (0, 20)}),
    (40, "?top=40", 0, 40, {}),
    (40, "?top=10&skip=10", 10, 10, {"first": (0, 10), "prev": (0, 10), "next": (20, 10), "last": (30, 10)}),
    (40, "?top=39", 0, 39, {"next": (39, 39), "last": (39, 39)}),
    (40, "?top=41", 0, 40, {}),
    # A page that begins in the middle of another: `next` leads to `last`.
    (45, "?top=20&skip=5", 5, 20, {"first": (0, 20), "prev": (0, 20), "next": (25, 20), "last": (25, 20)}),
    (45, "?top=10&skip=3", 3, 10, {"first": (0, 10), "prev": (0, 10), "next": (13, 10), "last": (43, 10)}),
    # Past the end.
    (45, "?top=20&skip=45", 0, 0, {"first": (0, 20), "prev": (40, 20)}),
    (45, "?top=20&skip=1000", 0, 0, {"first": (0, 20), "prev": (40, 20)}),
    (45, "?skip=9223372036854775807", 0, 0, {"first": (0, 20), "prev": (40, 20)}),
    (45, "?top=9223372036854775807", 0, 45, {}),
    (3, "?top=9223372036854775807&skip=1", 1, 2, {"first": (0, 2**63 - 1), "prev": (0, 2**63 - 1)}),
    # 0 and less mean the default.
    (25, "?top=0", 0, 20, {"next": (20, 20), "last": (20, 20)}),
    (25, "?top=-5", 0, 20, {"next": (20, 20), "last": (20, 20)}),
    (25, "?skip=-5", 0, 20, {"next": (20, 20), "last": (20, 20)}),
    (25, "?TOP=2&sKip=1", 1, 2, {"first": (0, 2), "prev": (0, 2), "next": (3, 2), "last": (23, 2)}),
]


@pytest.mark.parametrize(("count", "query", "start", "length", "links"), PAGES)
def test_a_page_has_value_count_and_links(api, count, query, start, length, links):
    users = make_users(count)
    body = answer(api, query)
    assert names(body) == users[start : start + length]
    assert body["count"] == count
    assert windows(body) == links
    assert set(body) == {"value", "count", *links}


@pytest.mark.parametrize("top", [1, 4, 7, 20])
def test_following_next_reads_everything_once_and_ends_at_last(api, chunk, top):
    users = make_users(21)
    body, read = answer(api, f"?top={top}"), []
    last = body.get("last")
    while True:
        read += names(body)
        if "next" not in body:
            break
        path = body["next"].removeprefix("http://testserver")
        body = answer(api, path.removeprefix(USERS))
    assert read == users
    assert last is None or path == last.removeprefix("http://testserver")


def test_links_are_absolute_and_keep_all_other_parameters(api):
    make_users(3)
    body = answer(api, "?Top=1&name=a%26b&name=%E4%B8%AD&1590000000000&SKIP=1")
    for link in LINKS:
        parts = urlsplit(body[link])
        assert (parts.scheme, parts.netloc, parts.path) == ("http", "testserver", USERS)
        members = parse_qsl(parts.query, keep_blank_values=True)
        assert members[:3] == [("name", "a&b"), ("name", "中"), ("1590000000000", "")]
        assert [name for name, _ in members[3:]] == ["top", "skip"]


@pytest.mark.parametrize("name", ["apiKey", "apikey", "APIKEY", "api%4bey", "%61piKey"])
def test_no_link_repeats_an_api_key(api, stranger, name):
    make_users(3)
    body = answer(stranger, f"?a=1&{name}={api.token}&top=1&skip=1")
    assert len(windows(body)) == 4
    assert api.token not in json.dumps(body)
    assert "key" not in json.dumps(body).lower()


def test_no_link_repeats_a_key_under_the_name_of_the_header(api):
    make_users(3)
    assert api.token not in json.dumps(answer(api, f"?X-SS-API-KEY={api.token}&top=1&skip=1"))


@pytest.mark.any_database
@each_once(
    ("name", ["top", "skip", "Top", "SKIP"]),
    ("value", ["", "ten", "1.5", "1e3", "0x10", "9223372036854775808", "１", "1%00", "%00", "null"]),
)
def test_a_bad_value_is_400_naming_the_parameter(api, name, value):
    message = assert_error(api.get(f"{USERS}?{name}={value}"), 400, "invalid_value")["message"]
    assert message == f"{name} must be an integer of at most 64 bits."


def test_a_parameter_in_two_spellings_is_400(api):
    assert_error(api.get(f"{USERS}?top=1&Top=1"), 400, "duplicate_member")


def test_a_list_needs_a_key_before_its_parameters_are_read(stranger):
    assert_error(stranger.get(f"{USERS}?top=ten"), 401, "key_missing")
