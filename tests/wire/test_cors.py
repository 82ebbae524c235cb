"""Pages of other origins: they can read every answer, errors included."""

import pytest

from tests.factories import ContentFactory
from tests.wire.addresses import single

ORIGIN = "https://www.example.com"
PREFLIGHT = {
    "Origin": ORIGIN,
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "content-type,x-ss-api-key",
}
PATHS = ["/api/v1/ping", "/api/v1/contents", "/api/v1/contents/1/2/3", "/api/v1/contents/", "/api/v1/nothing", "/api/"]


def assert_readable(response, origin=ORIGIN):
    assert response.headers["Access-Control-Allow-Origin"] == origin
    assert response.headers["Access-Control-Allow-Credentials"] == "true"
    assert "origin" in response.headers["Vary"].lower()


@pytest.mark.urls("tests.wire.probes")
def test_every_answer_can_be_read_by_a_page_of_any_origin(api, stranger, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    content = ContentFactory()
    headers = {"Origin": ORIGIN}
    rows = [
        (200, api.get(single(content), headers=headers)),
        (200, stranger.get("/api/v1/ping", headers=headers)),
        (400, api.post("/api/v1/contents", headers=headers)),
        (400, stranger.get("/api/v1/ping", headers=headers | {"Host": "evil.example"})),
        (401, stranger.get(single(content), headers=headers)),
        (404, api.get(single(content, id=0), headers=headers)),
        (404, stranger.get("/api/v1/nothing", headers=headers)),
        (404, stranger.get("/api/", headers=headers)),
        (405, stranger.get("/api/v1/contents", headers=headers)),
        (413, api.send("POST", "/api/v1/contents", b"x" * 11, headers=headers)),
        (500, stranger.get("/api/v1/probe/failing", headers=headers)),
        (500, stranger.get("/api/v1/probe/unwritable", headers=headers)),
    ]
    for status, response in rows:
        assert response.status_code == status, response.content
        assert_readable(response)


@pytest.mark.parametrize("origin", ["http://localhost:8080", "null", "https://xn--fsq.example"])
def test_the_origin_is_echoed_and_never_a_star(stranger, origin):
    assert_readable(stranger.get("/api/v1/ping", headers={"Origin": origin}), origin)


@pytest.mark.parametrize("path", PATHS)
def test_a_preflight_needs_no_key_and_allows_all_that_clients_send(stranger, path):
    response = stranger.send("OPTIONS", path, headers=PREFLIGHT)
    assert response.status_code == 200
    assert_readable(response)
    allowed = set(response.headers["Access-Control-Allow-Methods"].split(", "))
    assert {"GET", "POST", "PUT", "DELETE"} <= allowed
    allowed = set(response.headers["Access-Control-Allow-Headers"].split(", "))
    assert {"x-ss-api-key", "content-type", "accept", "cache-control", "pragma"} <= allowed


def test_a_request_without_an_origin_gets_no_permission(stranger):
    assert "Access-Control-Allow-Origin" not in stranger.get("/api/v1/ping").headers


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        (ORIGIN, True),
        ("https://app.example:8443", True),
        ("http://www.example.com", False),
        ("https://www.example.com.evil.example", False),
        ("https://app.example", False),
        ("null", False),
    ],
)
def test_named_origins_are_the_only_ones(stranger, settings, origin, is_allowed):
    settings.CORS_ALLOW_ALL_ORIGINS = False
    settings.CORS_ALLOWED_ORIGINS = [ORIGIN, "https://app.example:8443"]
    for response in (
        stranger.get("/api/v1/ping", headers={"Origin": origin}),
        stranger.get("/api/v1/nothing", headers={"Origin": origin}),
        stranger.send("OPTIONS", "/api/v1/contents", headers=PREFLIGHT | {"Origin": origin}),
    ):
        assert ("Access-Control-Allow-Origin" in response.headers) is is_allowed
        if is_allowed:
            assert_readable(response, origin)


def test_pages_outside_the_api_are_for_their_own_origin(stranger):
    response = stranger.send("OPTIONS", "/admin/", headers=PREFLIGHT)
    assert "Access-Control-Allow-Origin" not in response.headers


def test_the_api_sets_no_cookies_and_minds_none(api, stranger):
    content = ContentFactory()
    stranger.cookies["sessionid"] = "x"
    response = stranger.get(single(content), headers={"Origin": ORIGIN})
    assert response.status_code == 401
    assert not response.cookies
    assert not api.get(single(content)).cookies
