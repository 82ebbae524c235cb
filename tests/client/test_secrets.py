"""The API key goes into its header and nowhere else."""

import logging
import traceback

import httpx
import pytest
from cms_client import AsyncClient, Client, CmsError, Retries

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


@pytest.mark.parametrize("key", ["", " ", "ssk1_ü", "ssk1_a\r\nHost: elsewhere"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key):
    with pytest.raises(ValueError, match="api_key") as caught:
        Client("http://127.0.0.1:1", key)
    assert not key.strip() or key not in str(caught.value)


def test_a_client_keeps_no_cookies(make, faulty):
    """One of a login would say on some servers whose requests these are."""
    faulty.acts[:] = [answer(200, "pong", Set_Cookie="SS-ADMIN-TOKEN=abc; Path=/"), answer(200, "pong")]
    client = make(faulty.address, KEY)
    assert client.ping()
    assert client.ping()
    assert "Cookie" not in faulty.requests[1].headers
