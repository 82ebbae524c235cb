"""The limit of a key's requests: who is counted where, what answers tell of it, and that it never stops the service.

What is written as a test of `counts` holds in the database and in Redis.
"""

import re
from datetime import timedelta

import pytest
from django.db import connection

from apikeys import throttling
from core.lib import circuit_breaker
from core.lib.circuit_breaker import CircuitBreaker
from core.models import SharedCounter
from core.shared_counts import in_redis
from tests.apikeys.key_pages import Browser, errors, place
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.counting import (  # noqa: F401
    counts_in_each_place,
    forgotten_servers,
    in_threads,
    redis_server_of_one_test,
    started_redis_server,
)
from tests.factories import ApiKeyFactory, ContentFactory
from tests.wire.addresses import single

pytestmark = [pytest.mark.urls("tests.wire.probes"), pytest.mark.django_db(transaction=True)]
PROBE, OTHER_SCOPE = "/api/v1/probe/scope/Contents", "/api/v1/probe/scope/Users"
TOLD = re.compile(r'"key";r=(\d+);t=(\d+)')
DEAD = "redis://127.0.0.1:1/0"  # nobody listens at that port


@pytest.fixture(autouse=True)
def nothing_counted(settings, monkeypatch):
    """Keys have their numbers from tests of before, whose requests do not count; and the database counts by default."""
    settings.CMS_CACHE_URL = ""
    monkeypatch.setattr(throttling, "_full", {})
    monkeypatch.setattr(throttling, "_counting", CircuitBreaker(throttling._PAUSE, throttling._warn))


@pytest.fixture
def later(monkeypatch):
    """Moves the clock of the process on by so many seconds."""
    start = throttling.monotonic()

    def move(seconds):
        for module in (throttling, circuit_breaker):
            monkeypatch.setattr(module, "monotonic", lambda: start + seconds)

    move(0)
    return move


@pytest.fixture
def warnings(caplog):
    """The warnings of the limit so far."""
    return lambda: [record.getMessage() for record in caplog.records if record.name == "apikeys.throttling"]


def limited(limit, **fields):
    """A client whose key may send so many requests a minute."""
    return ApiClient(ApiKeyFactory(scopes="Contents", requests_per_minute=limit, **fields).token)


def statuses(client, times, path=PROBE):
    return [client.get(path).status_code for _ in range(times)]


def left(response):
    """The requests that the answer says are left."""
    return int(TOLD.fullmatch(response.headers["RateLimit"])[1])


def seconds(response):
    """In how many seconds the minute ends, as the answer says."""
    return int(TOLD.fullmatch(response.headers["RateLimit"])[2])


# ---- What answers tell


def test_each_answer_tells_the_limit_what_is_left_and_for_how_long(counts):
    client = limited(3)
    first = client.get(PROBE)
    assert first.status_code == 200
    assert first.headers["RateLimit-Policy"] == '"key";q=3;w=60'
    assert first.headers["RateLimit"] == '"key";r=2;t=60'
    counts.pass_seconds(20)
    answers = [client.get(PROBE), client.get(PROBE)]
    assert [left(answer) for answer in answers] == [1, 0]
    assert all(1 <= seconds(answer) <= 40 for answer in answers)
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"key";q=3;w=60'}


def test_beyond_the_limit_the_answer_is_429_and_says_when_to_come_again(counts):
    client = limited(2)
    statuses(client, 2)
    refused = client.get(PROBE)
    said, wait = assert_error(refused, 429, "rate_limited")["message"], seconds(refused)
    assert 1 <= wait <= 60
    assert said == f"The API key has sent the 2 requests that it may send in a minute; try again in {wait} seconds."
    assert refused.headers["Retry-After"] == str(wait)
    assert refused.headers["RateLimit"] == f'"key";r=0;t={wait}'
    assert refused.headers["RateLimit-Policy"] == '"key";q=2;w=60'


def test_refusals_of_every_kind_count_and_tell_it_too():
    client = limited(10, site_ids="7")
    refused = [
        client.get(OTHER_SCOPE),
        client.get("/api/v1/probe/site/8/Contents"),
        client.get(single(ContentFactory(), id=0)),
        client.send("POST", "/api/v1/contents", b"{"),
    ]
    assert [answer.status_code for answer in refused] == [401, 401, 401, 400]
    assert [left(answer) for answer in refused] == [9, 8, 7, 6]


def test_a_view_does_nothing_for_a_request_beyond_the_limit():
    content = ContentFactory(title="Launch")
    client = ApiClient(ApiKeyFactory(scopes="Contents", requests_per_minute=1).token)
    assert client.get(single(content)).status_code == 200
    assert_error(client.put(single(content), {"title": "Landing"}), 429, "rate_limited")
    content.refresh_from_db()
    assert content.title == "Launch"


def test_a_page_of_another_origin_can_read_the_headers():
    shown = limited(3).get(PROBE, headers={"Origin": "https://www.example.com"}).headers
    assert {"ratelimit", "ratelimit-policy", "retry-after"} <= set(shown["Access-Control-Expose-Headers"].split(", "))


# ---- Which limit


@pytest.mark.parametrize(
    ("own", "common", "passed"), [(None, 0, 6), (None, 2, 2), (4, 2, 4), (1, 2, 1), (0, 2, 6), (3, 0, 3)]
)
def test_a_key_has_its_own_limit_or_that_of_all(settings, own, common, passed):
    settings.CMS_KEY_REQUESTS_PER_MINUTE = common
    assert statuses(limited(own), 6) == [200] * passed + [429] * (6 - passed)


def test_keys_are_counted_apart():
    one, other = limited(1), limited(1)
    assert [statuses(client, 2) for client in (one, other)] == [[200, 429]] * 2


def test_both_tokens_of_a_key_are_counted_together():
    key = ApiKeyFactory(scopes="Contents", requests_per_minute=2)
    other = key.rotate(timedelta(hours=1))
    assert [ApiClient(token).get(PROBE).status_code for token in (key.token, other, key.token, other)] == [
        *(200, 200, 429, 429)
    ]


def test_a_change_of_the_limit_holds_for_the_next_request():
    key = ApiKeyFactory(scopes="Contents", requests_per_minute=2)
    client = ApiClient(key.token)
    assert statuses(client, 3) == [200, 200, 429]
    key.change({"requests_per_minute": 5})
    answer = client.get(PROBE)
    assert (answer.status_code, left(answer)) == (200, 1), "the refused one has been counted"
    key.change({"requests_per_minute": 3})
    assert client.get(PROBE).status_code == 429
    key.change({"requests_per_minute": 0})
    free = client.get(PROBE)
    assert (free.status_code, "RateLimit" in free.headers) == (200, False)


# ---- The minute


def test_a_new_minute_begins_when_the_old_one_is_over(counts, later):
    client = limited(2)
    assert statuses(client, 3) == [200, 200, 429]
    counts.pass_seconds(30)
    later(30)
    refused = client.get(PROBE)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, str(seconds(refused)))
    assert 1 <= seconds(refused) <= 30
    counts.end_all()
    later(60)
    assert statuses(client, 3) == [200, 200, 429]


# ---- At the same time


@pytest.mark.large
def test_of_many_requests_at_once_exactly_the_limit_passes(counts, monkeypatch):
    monkeypatch.setattr(throttling, "_PATIENCE", 20)  # of SQLite's writers, however slow the machine
    client = limited(20)
    answers = in_threads(lambda: ApiClient(client.token).get(PROBE).status_code, 80)
    assert sorted(answers) == [200] * 20 + [429] * 60


@pytest.mark.large
@pytest.mark.parametrize("counted_in", ["database", "redis"])
def test_two_servers_count_together(installation, counted_in, request):
    cache = request.getfixturevalue("redis_server").url if counted_in == "redis" else ""
    name = f"counted in {counted_in}"
    token = installation.manage("create_api_key", name, "--scope", "Contents", "--requests-per-minute", "5")
    with installation.serve(CMS_CACHE_URL=cache) as one, installation.serve(CMS_CACHE_URL=cache) as other:
        answers = [
            server.request("POST", "/api/v1/contents", b'{"siteId":0}', {"X-SS-API-KEY": token}).status_code
            for _ in range(5)
            for server in (one, other)
        ]
    assert answers == [400] * 5 + [429] * 5


# ---- What it costs


def test_without_a_limit_nothing_is_counted_or_told(counts, django_assert_num_queries):
    client = limited(None)
    client.get(PROBE)
    with django_assert_num_queries(0):
        answer = client.get(PROBE)
    assert counts.size() == 0
    assert not {"RateLimit", "RateLimit-Policy", "Retry-After"} & set(answer.headers)


def test_a_count_in_the_database_is_one_statement(django_assert_num_queries):
    client = limited(10)
    client.get(PROBE)
    with django_assert_num_queries(1):
        assert client.get(PROBE).status_code == 200


def test_a_count_in_redis_is_one_command_and_no_statement(redis_server, settings, django_assert_num_queries):
    settings.CMS_CACHE_URL = redis_server.url
    redis_server.client.flushdb()
    client = limited(10)
    client.get(PROBE)
    # What the script itself does is counted as commands, too.
    before = redis_server.client.info("commandstats")["cmdstat_evalsha"]["calls"]
    with django_assert_num_queries(0):
        assert client.get(PROBE).status_code == 200
    assert redis_server.client.info("commandstats")["cmdstat_evalsha"]["calls"] == before + 1


def test_a_flood_beyond_the_limit_is_counted_no_further(counts, django_assert_num_queries):
    client = limited(1)
    assert statuses(client, 2) == [200, 429]
    counted = counts.texts()
    with django_assert_num_queries(0):
        assert statuses(client, 20) == [429] * 20
    assert counts.texts() == counted


# ---- What is not counted


def test_open_endpoints_and_wrong_verbs_do_not_count(settings):
    settings.CMS_METRICS = True
    key = ApiKeyFactory(scopes="Contents,System", requests_per_minute=1)
    client = ApiClient(key.token)
    user = key.administrator.pk
    answers = [
        client.get("/api/v1/ping"),
        client.get("/api/v1/health/live"),
        client.get("/api/v1/health/ready", REMOTE_ADDR="192.0.2.1"),
        client.get("/api/v1/metrics"),
        client.get("/api/v1/captcha/a"),
        client.get(f"/api/v1/users/{user}/avatar"),
        client.post("/api/v1/users/actions/login", {"account": "nobody", "password": "wrong-1"}),
        client.get("/api/v1/contents"),
        client.get("/api/v1/nothing"),
        client.send("OPTIONS", PROBE, headers={"Origin": "null", "Access-Control-Request-Method": "GET"}),
    ]
    assert [answer.status_code for answer in answers] == [200] * 6 + [400, 405, 404, 200]
    assert not any("RateLimit" in answer.headers for answer in answers)
    assert statuses(client, 2) == [200, 429]


def test_a_key_that_is_refused_does_not_count(counts):
    key = ApiKeyFactory(scopes="Contents", requests_per_minute=1)
    key.revoke()
    for token in (key.token, key.token[:-1] + "x", ""):
        answer = ApiClient(token).get(PROBE)
        assert (answer.status_code, "RateLimit" in answer.headers) == (401, False)
    assert counts.size() == 0


# ---- When counting fails


def test_while_redis_is_away_the_database_counts(settings, caplog):
    settings.CMS_CACHE_URL = DEAD
    assert statuses(limited(3), 5) == [200] * 3 + [429] * 2
    told = [record for record in caplog.records if record.name == in_redis.__name__]
    assert len(told) == 1


@pytest.fixture
def uncountable():
    """The database refuses to count, through the engine itself."""

    def refuse(execute, sql, params, many, context):
        if SharedCounter._meta.db_table in sql:
            return execute("UPDATE no_such_table SET a = 1", (), many, context)
        return execute(sql, params, many, context)

    return lambda: connection.execute_wrapper(refuse)


def test_what_cannot_be_counted_passes_and_is_told_once_a_minute(uncountable, later, warnings):
    client = limited(1)
    with uncountable():
        for moment in (0, 1, 30, 59):
            later(moment)
            answer = client.get(PROBE)
            assert (answer.status_code, "RateLimit" in answer.headers) == (200, False)
        assert len(warnings()) == 1 and "no_such_table" in warnings()[0]
        later(65)
        client.get(PROBE)
        assert len(warnings()) == 2


def test_counting_rests_after_a_failure_and_begins_again(uncountable, later, django_assert_num_queries):
    client = limited(1)
    with uncountable():
        client.get(PROBE)
    with django_assert_num_queries(0):
        assert client.get(PROBE).status_code == 200
    later(throttling._PAUSE)
    assert statuses(client, 2) == [200, 429]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's writers do not lock each other out")
def test_a_read_is_answered_while_another_connection_writes(monkeypatch, warnings):
    monkeypatch.setattr(throttling, "_PATIENCE", 0.001)
    client = limited(1)
    writer = connection.copy()
    with writer.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        assert statuses(client, 2) == [200, 200]
        cursor.execute("ROLLBACK")
    writer.close()
    assert len(warnings()) == 1
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone()[0] == 20_000


# ---- In the back end


def test_the_form_sets_the_limit_and_pages_show_it(settings):
    settings.CMS_KEY_REQUESTS_PER_MINUTE = 90
    browser = Browser()
    browser.issue(requests_per_minute="")
    (key,) = browser.administrator.api_keys.all()
    assert key.requests_per_minute is None
    assert all("<td>90" in page or "<p>90" in page for page in shown(browser, key))
    browser.edit(key, requests_per_minute="600")
    key.refresh_from_db()
    assert key.requests_per_minute == 600
    assert all("<td>600" in page or "<p>600" in page for page in shown(browser, key))
    browser.edit(key, name="renamed")
    key.refresh_from_db()
    assert (key.name, key.requests_per_minute) == ("renamed", 600)
    browser.edit(key, requests_per_minute="0")
    assert all("any number" in page for page in shown(browser, key))


def shown(browser, key):
    return [browser.get(place(name, key)).content.decode() for name in ("change", "operations")]


@pytest.mark.parametrize("sent", ["-1", "1000001", "1.5", "many"])
def test_a_limit_that_is_none_is_refused_at_its_field(sent):
    assert list(errors(Browser().issue(requests_per_minute=sent))) == ["requests_per_minute"]
