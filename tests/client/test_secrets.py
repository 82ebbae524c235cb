"""The API key goes into its header and nowhere else."""

import asyncio
import logging
import traceback

import httpx
import pytest
from cms_client import AsyncClient, Client, CmsError, Picture, Retries

from tests.cases import each_once
from tests.client.faulty import answer, drop

# In parts: a traceback shows lines of this file.
HIDDEN = "nobody" + "-sees"
KEY = f"ssk1_a-key-that-{HIDDEN}"


def test_the_key_is_in_the_header_only(make, faulty):
    client = make(faulty.address, KEY)
    faulty.acts[:] = [answer(200, {"totalCount": 0, "contents": []})]
    client.contents.list(1)
    (request,) = faulty.requests
    assert request.headers["X-SS-API-KEY"] == KEY
    assert KEY not in request.path
    assert KEY.encode() not in request.body


@pytest.mark.parametrize("ask", [lambda client: client.ping(), lambda client: client.users.avatar_url(1)])
def test_open_operations_go_without_it(make, faulty, ask):
    faulty.acts[:] = [answer(200, {"value": "pong"})]
    ask(make(faulty.address, KEY))
    assert "X-SS-API-KEY" not in faulty.requests[0].headers


@pytest.mark.parametrize("act", [drop, answer(400, {"message": "Wrong."}), answer(200, "<html>")])
def test_no_log_and_no_error_shows_it(make, faulty, act, caplog):
    caplog.set_level(logging.DEBUG)
    faulty.acts[:] = [act]
    client = make(faulty.address, KEY, retries=Retries(times=0))
    with pytest.raises(CmsError) as caught:
        client.users.log_out(f"a-token-that-{HIDDEN}")
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(vars(caught.value))
    assert HIDDEN in faulty.requests[0].headers["X-SS-API-KEY"]
    assert HIDDEN not in shown + caplog.text + repr(client)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None  # whose request would have it


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_nothing_that_is_shown_of_a_client_has_it(kind):
    client = kind("http://127.0.0.1:1", KEY)
    shown = [client, vars(client), client._driver, client._driver.setting, client._server]
    assert KEY not in repr(shown)


def test_a_redirect_does_not_take_it_elsewhere(faulty, original):
    """Even where the caller's own httpx client follows redirects."""
    faulty.acts[:] = [answer(307, None, Location=f"{original.address}/v1/contents")]
    with httpx.Client(follow_redirects=True) as http, pytest.raises(CmsError):
        Client(faulty.address, KEY, http=http).contents.list(1)
    assert original.asked == []


@pytest.mark.parametrize("key", ["", " ", "ssk1_ü", "ssk1_a\r\nHost: elsewhere", " ssk1_a", "ssk1_a ", "ssk1_a\n"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key):
    with pytest.raises(ValueError, match="api_key") as caught:
        Client("http://127.0.0.1:1", key)
    assert not key.strip() or key not in str(caught.value)


@each_once(
    ("value", ["{}\n", " {}", "{} ", "{}ü", "{}\r\nHost: elsewhere"]),
    (
        ("ask", "name"),
        [
            (lambda client, value: client.users.log_out(value), "X-SS-USER-TOKEN"),
            (lambda client, value: client.administrators.log_out(value), "X-SS-ADMIN-TOKEN"),
            (lambda client, value: client.users.get(1, user_token=value), "X-SS-USER-TOKEN"),
            (lambda client, value: client.contents.get(1, 11, 5, if_none_match=value), "If-None-Match"),
            (lambda client, value: client.contents.delete(1, 11, 5, if_match=value), "If-Match"),
            (lambda client, value: client.contents.create(1, 11, {}, idempotency_key=value), "idempotency key"),
            (lambda client, value: client.captcha.check(Picture("yzm", b"", value), "a"), "Cookie"),
        ],
    ),
)
def test_no_other_value_that_a_header_cannot_carry_is_sent_or_shown(make, faulty, ask, name, value):
    with pytest.raises(ValueError, match=name) as caught:
        ask(make(faulty.address, KEY), value.format(HIDDEN))
    assert type(caught.value) is ValueError
    assert HIDDEN not in "".join(traceback.format_exception(caught.value))
    assert faulty.requests == []


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_header_of_the_callers_client_that_cannot_be_sent_is_not_shown(kind, faulty):
    slept = []
    with pytest.raises(CmsError) as caught:
        pings(kind, faulty.address, sleep=slept.append, headers={"X-Gate": f" {HIDDEN}"})
    assert str(caught.value) == "The request cannot be sent: LocalProtocolError"
    assert HIDDEN not in "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert (faulty.requests, slept) == ([], [])


def pings(kind, address, *, sleep=None, **options):
    """Ask twice, through an httpx client of the caller."""
    if kind is Client:
        with httpx.Client(**options) as http:
            client = Client(address, KEY, http=http, sleep=sleep)
            return [client.ping(), client.ping()]

    async def ask():
        async with httpx.AsyncClient(**options) as http:
            client = AsyncClient(address, KEY, http=http, sleep=sleep)
            return [await client.ping(), await client.ping()]

    return asyncio.run(ask())


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_client_of_the_caller_sends_no_cookies_of_answers(kind, faulty):
    faulty.acts[:] = [answer(200, "pong", Set_Cookie="SS-ADMIN-TOKEN=abc; Path=/"), answer(200, "pong")]
    assert pings(kind, faulty.address) == [True, True]
    assert "Cookie" not in faulty.requests[1].headers


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_cookie_among_the_headers_of_the_callers_client_is_sent(kind, faulty):
    faulty.acts[:] = [answer(200, "pong", Set_Cookie="SS-ADMIN-TOKEN=abc; Path=/"), answer(200, "pong")]
    assert pings(kind, faulty.address, headers={"Cookie": "gate=1"}) == [True, True]
    assert [request.headers["Cookie"] for request in faulty.requests] == ["gate=1"] * 2


def test_a_client_keeps_no_cookies(make, faulty):
    """One of a login would say on some servers whose requests these are."""
    faulty.acts[:] = [answer(200, "pong", Set_Cookie="SS-ADMIN-TOKEN=abc; Path=/"), answer(200, "pong")]
    client = make(faulty.address, KEY)
    assert client.ping()
    assert client.ping()
    assert "Cookie" not in faulty.requests[1].headers
