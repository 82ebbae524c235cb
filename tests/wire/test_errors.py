"""Errors: one body on every path under /api/, whoever noticed what is wrong."""

import pytest

from tests.assertions import assert_error
from tests.cases import each_once
from tests.factories import ApiKeyFactory, ChannelFactory, ContentFactory
from tests.wire.addresses import creation, single
from tests.wire.probes import SECRET

UNKNOWN_ROUTES = [
    "/api",
    "/api/",
    "/api/v1",
    "/api/v1/",
    "/api/v2/contents",
    "/api/v1/contentz",
    "/api/v1/Contents",
    "/api/v1/contents/x",
    "/api/v1/contents/one/2/3",
    "/api/v1/contents/1/2/3/4",
    "/api/v1/contents/99999999999999999999/1/1",
    "/api/v1/contents/1/2/3%00",
    "/api/v1/%ED%A0%80",
    "/api/v1/%FF%FE",
    "/api/v1/中文",
    "/api/v1/../../etc/passwd",
]


@each_once(
    ("path", UNKNOWN_ROUTES),
    ("method", ["GET", "POST", "DELETE", "OPTIONS", "PATCH"]),
)
def test_an_unknown_route_is_404_without_a_key(stranger, method, path):
    assert_error(stranger.send(method, path), 404, "route_not_found")


def test_an_unknown_route_is_told_apart_from_a_missing_record(api):
    content = ContentFactory()
    route = assert_error(api.get("/api/v1/nothing"), 404)
    record = assert_error(api.get(single(content, id=0)), 404)
    assert route["message"].startswith("There is no endpoint /api/v1/nothing.")
    assert record["message"].startswith("Content 0 was not found in channel")
    assert route["code"] != record["code"]


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("contents/abc", "abc"),
        ("contents/1/news", "news"),
        ("contents/1/11/{id}", "{id}"),
        ("channels/home/11/actions/move", "home"),
        ("users/reader", "reader"),
        ("users/1.5/logs", "1.5"),
        ("contents/99999999999999999999/1/1", "99999999999999999999"),
    ],
)
def test_an_unknown_route_tells_what_would_have_to_be_a_number(stranger, path, part):
    told = assert_error(stranger.send("GET", f"/api/v1/{path}"), 404, "route_not_found")
    assert told["message"].startswith(f"There is no endpoint /api/v1/{path}. Use an id instead of {part}")


@pytest.mark.parametrize(
    "path",
    ["/api/v1/nothing", "/api/v1/contents/a/b", "/api/v1/stl/nothing", "/api/v1/captcha//actions/check", "/api/"],
)
def test_an_unknown_route_is_called_one_where_no_number_would_help(stranger, path):
    told = assert_error(stranger.send("GET", path), 404, "route_not_found")
    assert told["message"].endswith("Paths begin with /api/v1/ and are listed at /api/docs/.")


def test_the_404_names_what_was_not_found(api):
    content = ContentFactory()
    other = ContentFactory()
    site, channel = content.site_id, content.channel_id
    rows = [
        (single(content, site=0), "site_not_found", "Site 0 was not found."),
        (single(content, channel=0), "channel_not_found", f"Channel 0 was not found in site {site}."),
        (
            single(content, channel=other.channel_id),
            "channel_not_found",
            f"Channel {other.channel_id} was not found in site {site}.",
        ),
        (
            single(content, id=other.pk),
            "content_not_found",
            f"Content {other.pk} was not found in channel {channel} of site {site}.",
        ),
    ]
    for path, code, message in rows:
        assert assert_error(api.get(path), 404, code)["message"] == message


WRONG_VERBS = [
    ("GET", "/api/v1/contents", {"POST"}),
    ("PUT", "/api/v1/contents", {"POST"}),
    ("PATCH", "/api/v1/contents", {"POST"}),
    ("OPTIONS", "/api/v1/contents", {"POST"}),
    ("GET", "/api/v1/contents/check", {"POST"}),
    ("POST", "/api/v1/contents/1", {"GET", "HEAD"}),
    ("PUT", "/api/v1/contents/1/2", {"GET", "HEAD", "POST"}),
    ("PATCH", "/api/v1/contents/1/2/3", {"GET", "HEAD", "PUT", "DELETE"}),
    ("PUT", "/api/v1/channels/1", {"GET", "HEAD", "POST"}),
    ("POST", "/api/v1/channels/1/2", {"GET", "HEAD", "PUT", "DELETE"}),
    ("GET", "/api/v1/channels/1/2/actions/move", {"POST"}),
    ("POST", "/api/v1/contents/1/2/3", {"GET", "HEAD", "PUT", "DELETE"}),
    ("POST", "/api/v1/ping", {"GET", "HEAD"}),
    ("TRACE", "/api/v1/ping", {"GET", "HEAD"}),
    ("DISPATCH", "/api/v1/ping", {"GET", "HEAD"}),
    ("QUERY", "/api/v1/ping/", {"GET", "HEAD"}),
]


@pytest.mark.parametrize(("method", "path", "allowed"), WRONG_VERBS)
def test_a_wrong_verb_is_405_without_a_key_and_says_which_are_right(stranger, method, path, allowed):
    response = stranger.send(method, path)
    message = assert_error(response, 405, "method_not_allowed")["message"]
    assert set(response.headers["Allow"].split(", ")) == allowed
    assert all(verb in message for verb in allowed - {"HEAD"})


def test_no_key_is_401_and_tells_both_ways_to_send_one(stranger):
    response = stranger.post("/api/v1/contents", {"siteId": 1})
    message = assert_error(response, 401, "key_missing")["message"]
    assert "X-SS-API-KEY" in message
    assert "apiKey" in message
    assert response.headers["WWW-Authenticate"] == "ApiKey"


def test_a_body_above_the_limit_is_413(api, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    channel = ChannelFactory()
    message = assert_error(api.post(creation(channel), {"title": "x" * 100}), 413, "body_too_large")["message"]
    assert "100 bytes" in message
    assert api.post(creation(channel), {"title": "x" * 60}).status_code == 200


@pytest.mark.parametrize("content_type", ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded"])
def test_a_form_above_the_limit_is_413(api, settings, content_type):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    assert_error(api.send("POST", creation(ChannelFactory()), b"x" * 101, content_type), 413, "body_too_large")


def test_a_query_with_too_many_members_is_400(api, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    settings.ROOT_URLCONF = "tests.wire.probes"
    assert_error(api.get("/api/v1/probe/users?a=1&b=2&c=3&d=4"), 400)


@pytest.mark.parametrize("host", ["evil.example", "bad host", "a" * 300])
def test_a_foreign_host_is_400(stranger, host):
    assert_error(stranger.get("/api/v1/ping", headers={"Host": host}), 400, "host_not_allowed")


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("name", ["failing", "unwritable"])
def test_a_bug_is_500_in_json_without_details(stranger, settings, name, debug):
    settings.DEBUG = debug
    response = stranger.get(f"/api/v1/probe/{name}")
    assert_error(response, 500, "server_error")
    for detail in (SECRET, "Traceback", "RuntimeError", "TypeError", "probes.py"):
        assert detail not in response.content.decode()


@pytest.mark.urls("tests.wire.probes")
def test_a_bug_is_logged_with_its_trace(stranger, caplog):
    stranger.get("/api/v1/probe/failing")
    (record,) = [record for record in caplog.records if record.name == "core.rest.errors"]
    assert record.levelname == "ERROR"
    assert "/api/v1/probe/failing" in record.getMessage()
    assert SECRET in str(record.exc_info[1])


def test_the_codes_of_unusable_keys_differ(client_with_key, stranger):
    content = ContentFactory()
    unknown = stranger.get(single(content), headers={"X-SS-API-KEY": "nonsense"})
    assert_error(unknown, 401, "key_unknown")
    assert_error(client_with_key(scopes="STL").get(single(content)), 401, "scope_missing")
    elsewhere = client_with_key(scopes="Contents", site_ids="0")
    assert_error(elsewhere.get(single(content)), 401, "site_not_allowed")


@pytest.mark.django_db
def test_an_error_repeats_no_key(stranger):
    token = ApiKeyFactory(scopes="").token
    for path in ("/api/v1/nothing", "/api/v1/contents/1/1/1", "/api/v1/contents"):
        response = stranger.get(f"{path}?apiKey={token}")
        assert response.status_code >= 400
        assert token not in response.content.decode() + str(response.headers)
