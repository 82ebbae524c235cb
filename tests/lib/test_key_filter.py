"""API keys in logs."""

import io
import logging

import pytest

from core.lib.key_filter import hide_keys
from core.operation.logs.secrets import WithoutSecrets

KEY = "ssk1_CaNaRy00_" + "k" * 38


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (KEY, "ssk1_***"),
        (f"GET /api/v1/ping?apiKey={KEY}&a=1 HTTP/1.1", "GET /api/v1/ping?apiKey=***&a=1 HTTP/1.1"),
        (f"'{KEY}' and '{KEY}'", "'ssk1_***' and 'ssk1_***'"),
        ("/x?APIKEY=secret&siteId=1", "/x?APIKEY=***&siteId=1"),
        ("/x?X-SS-API-KEY=secret", "/x?X-SS-API-KEY=***"),
        ("'/x?apikey=secret'", "'/x?apikey=***'"),
        ("/x?apiKey=&siteId=1", "/x?apiKey=&siteId=1"),
        ("ssk1_short", "ssk1_short"),
        ("an apiKey is missing", "an apiKey is missing"),
        ("", ""),
    ],
)
def test_keys_become_stars(text, hidden):
    assert hide_keys(text) == hidden


@pytest.fixture
def log():
    """A logger whose handler hides keys, and what it has written."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(WithoutSecrets())
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger, written


def test_arguments_of_a_message_are_looked_at_too(log):
    logger, written = log
    logger.warning("Invalid request line %r from %s", f"/api/v1/ping?apiKey={KEY}", "127.0.0.1")
    assert written.getvalue() == "Invalid request line '/api/v1/ping?apiKey=***' from 127.0.0.1\n"


def test_arguments_by_name_are_looked_at_too(log):
    logger, written = log
    logger.info("%(r)s %(s)s", {"r": f"GET /?apiKey={KEY} HTTP/1.1", "s": "200"})
    assert written.getvalue() == "GET /?apiKey=*** HTTP/1.1 200\n"


def test_traces_are_looked_at_too(log):
    logger, written = log
    try:
        raise ValueError(f"no such thing: {KEY}")
    except ValueError:
        logger.exception("It failed.")
    assert "ValueError: no such thing: ssk1_***" in written.getvalue()
    assert KEY not in written.getvalue()
    assert "Traceback" in written.getvalue()


def test_other_records_pass_as_they_are(log):
    logger, written = log
    logger.info("%s of %d", "1", 2)
    assert written.getvalue() == "1 of 2\n"
