"""Logs as JSON: one object a line, with what is known of the request and without a secret, whoever writes it."""

import json
import logging
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from time import process_time

import pytest
from django.test import RequestFactory

from core.operation.logs.current import current_request
from core.operation.logs.json_lines import EXTRA, JsonLines
from core.operation.logs.secrets import WithoutSecrets, hide_secrets
from tests.wire.test_logs import CANARY, MALFORMED, PATHS, QUERIES, send_raw

ENCODED = "".join(f"%{ord(letter):02x}" for letter in CANARY)
HALF_ENCODED = CANARY.replace("_", "%5F")
# What may stand in a line, and what must be left of it: nothing of this word.
SECRET = "lighthouse7"
TEXTS = [
    f"GET /api/v1/ping?apiKey={SECRET} HTTP/1.1",
    f"GET /api/v1/ping?a=1&API-KEY={SECRET}&b=2",
    f"GET /?%61pi%4Bey={SECRET}&b=1",
    f"GET /?x-ss-api-key={SECRET}",
    f"X-SS-API-KEY: {SECRET}",
    f"{{'HTTP_X_SS_API_KEY': '{SECRET}'}}",
    f"X-SS-USER-TOKEN:{SECRET}",
    f"X-SS-ADMIN-TOKEN: {SECRET}:{SECRET}",
    f"Authorization: Bearer {SECRET}",
    f'"authorization": "Basic {SECRET}="',
    f"Cookie: cms_session={SECRET}; cms_csrf={SECRET}",
    f"Set-Cookie: cms_session={SECRET}",
    f'{{"account": "x", "password": "{SECRET}"}}',
    f"newPassword={SECRET}&a=b",
    f"password: '{SECRET}'",
    f"accessToken={SECRET}",
    f"postgres://cms:{SECRET}@db/cms",
    f"redis://:{SECRET}@cache/0",
    f"secret_key={SECRET}",
    f'{{"password": "a, {SECRET}", "b": 1}}',
    f"password='a \"{SECRET}'",
    f"('password', '{SECRET}')",
    f"CMS_PASSWORD_PEPPERS=p1:{SECRET}",
    f"AWS_SECRET_ACCESS_KEY={SECRET}",
    f"aws_access_key_id: {SECRET}",
    f"passwd={SECRET}",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_is_hidden_by_its_name(text):
    assert SECRET not in hide_secrets(text)
    assert "***" in hide_secrets(text)


@pytest.mark.parametrize("token", [CANARY, ENCODED, ENCODED.upper(), HALF_ENCODED, f"x{ENCODED}y"])
def test_a_key_is_hidden_by_its_form_in_any_spelling(token):
    shown = hide_secrets(f"GET /path/{token}?q={token}")
    assert CANARY[-38:] not in shown
    assert "%6b%6b%6b" not in shown.lower()


@pytest.mark.parametrize(
    "text",
    [
        '[22/Nov/2026:03:11:21 +0000] 127.0.0.1 "GET /api/v1/contents/1/1/1" 200 1186 bytes 2 ms a38c38255749',
        "A statement took 612 ms: SELECT a FROM b WHERE c LIKE '%x%' AND d = %s",
        "Worker (pid:7) was sent SIGKILL! Perhaps out of memory?",
        "The author and the password of a token.",
    ],
)
def test_what_is_no_secret_stays(text):
    assert hide_secrets(text) == text


@pytest.mark.parametrize(
    "part",
    ["x", "a%", "x-ss-a-", "password ", "token=", "://a", "a_-", "%61piKey=", "cookie ", "secret_", "a=%41&", 'pwd="'],
)
def test_a_long_line_takes_no_longer_than_its_letters(part):
    text = "%" + part * (200_000 // len(part))
    begun = process_time()
    hide_secrets(text)
    # A tenth of a second; a pattern that went on from each letter to the end would take minutes.
    assert process_time() - begun < 20.0


def line_of(record):
    return json.loads(JsonLines().format(record))


def record_of(message, *arguments, **members):
    record = logging.LogRecord("cms_api.test", logging.WARNING, __file__, 1, message, arguments, None)
    vars(record).update(members)
    return record


def test_a_line_has_these_members_and_no_others():
    line = line_of(record_of("%s tells %d", "A word", 7))
    assert {*line} == {"time", "level", "logger", "message", "node"}
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "cms_api.test", "A word tells 7")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])


def test_a_line_tells_its_request_but_nothing_that_the_client_has_made_up():
    request = RequestFactory().get("/api/v1/ping?a=1", headers={"X-SS-API-KEY": f"{SECRET} {CANARY}", "Cookie": SECRET})
    request.request_id = "number"
    token = current_request.set(request)
    try:
        line = line_of(record_of("Told."))
    finally:
        current_request.reset(token)
    assert line["request"] == "number"
    assert (line["method"], line["address"]) == ("GET", "127.0.0.1")
    assert "key" not in line and SECRET not in repr(line)
    assert line_of(record_of("Told later.", request=request))["request"] == "number"


def test_an_exception_is_a_member_without_secrets():
    try:
        raise RuntimeError(f"apiKey={SECRET} and {ENCODED} and X-SS-USER-TOKEN: {SECRET}")
    except RuntimeError:
        record = record_of("It failed.", exc_info=sys.exc_info())
    line = line_of(record)
    assert line["exception"].startswith("Traceback (most recent call last)")
    assert "RuntimeError" in line["exception"]
    for text in (json.dumps(line), logging.Formatter().format(record) if WithoutSecrets().filter(record) else ""):
        assert text and SECRET not in text and "%6b%6b%6b" not in text.lower()


def test_any_text_can_be_a_line():
    for text in ("half of a pair \ud800", "\x00", "line\nbreak", '"quoted" \\', "中文"):
        assert line_of(record_of("%s", text, **{EXTRA: {"more": text}}))["more"] == text


@pytest.mark.large
def test_a_real_server_writes_json_and_never_a_key(installation):
    token = installation.manage("create_api_key", "canary of JSON", "--scope", "Contents")
    encoded = "".join(f"%{ord(letter):02x}" for letter in token)
    database = Path(installation.environment["CMS_DATA_DIR"]) / "db.sqlite3"
    settings = {"CMS_LOG_LEVEL": "DEBUG", "CMS_LOG_FORMAT": "json", "CMS_SLOW_STATEMENT_MILLISECONDS": "100"}
    with installation.serve("--log-level", "debug", **settings) as server:
        for query in [*QUERIES, f"?apiKey={encoded}", f"?other={encoded}"]:
            for method, path in PATHS:
                server.request(method, path + query.replace(CANARY, token))
        server.request("GET", f"/api/v1/nothing/{token}")
        for text in MALFORMED:
            for spelling in (token, encoded):
                send_raw(server.port, text.replace(b"%s", spelling.encode(), 1))
        listed = server.request("POST", f"/api/v1/contents?apiKey={token}", b'{"siteId":0}')
        named = server.request("POST", "/api/v1/contents", b'{"siteId":0}', {"X-SS-API-KEY": token})
        # A writer that waits for another one has a slow statement, whatever the machine.
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            login = b'{"account": "nobody", "password": "lighthouse7"}'
            release = other.execute
            answered = _while_waiting(server, login, release)
    lines = [json.loads(line) for line in server.log.splitlines()]

    text = server.log
    assert token not in text and token[-38:] not in text
    assert encoded not in text and encoded[-114:] not in text.lower()
    assert SECRET not in text

    access = {line["request"]: line for line in lines if line["logger"] == "gunicorn.access" and "request" in line}
    for answer in (listed, named):
        line = access[answer.headers["X-Request-Id"]]
        assert line["key"] == token[5:13]
        assert line["keyName"] == "canary of JSON"
        assert line["administrator"] > 0
        assert (line["method"], line["path"], line["status"]) == ("POST", "/api/v1/contents", 400)
        assert line["route"] == "/api/v1/contents"
        assert line["milliseconds"] >= 0 and line["bytes"] > 0 and line["address"] == "127.0.0.1"
    assert any(line["message"].startswith("Listening at") for line in lines)
    assert len({line["node"] for line in lines if line["logger"] == "gunicorn.access"}) == 1

    (slow,) = [
        line
        for line in lines
        if line["logger"] == "core.operation.logs.statements"
        and line.get("request") == answered.headers["X-Request-Id"]
    ][:1]
    assert slow["level"] == "WARNING" and slow["milliseconds"] >= 100
    assert slow["route"] == "/api/v1/users/actions/login"
    assert slow["statement"].split()[0] in {"BEGIN", "INSERT"}


def _while_waiting(server, body, release):
    """The answer to a login that had to wait until it could write."""
    from concurrent.futures import ThreadPoolExecutor, wait

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(server.request, "POST", "/api/v1/users/actions/login", body)
        wait([asked], timeout=5)  # it never ends by itself
        release("ROLLBACK")
        return asked.result()
