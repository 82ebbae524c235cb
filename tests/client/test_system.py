"""What no resource owns, and captchas, through both clients, against a real server."""

import pytest
from cms_client import BadRequest, Unauthorized, Unavailable

pytestmark = pytest.mark.large

SHOW = "from core.captcha import characters; print(characters('yzm', '{}'))"


def test_the_service_is_there(make, address):
    assert make(address).ping() is True


def test_the_server_is_ready(client):
    try:
        assert client.health()["status"] in {"ready", "degraded"}
    except Unavailable as refusal:  # its probes have half a second, which a busy machine may exceed
        assert refusal.code == "not_ready"
        assert any(look["message"] == "Timed out." for look in refusal.members["probes"])


def test_the_service_restarts(make, museum):
    with museum.serve(CMS_RESTART_MIN_SECONDS="0") as server:
        assert make(server.address, museum.key).restart() is True
        server.await_lines("Listening at: ", 2)


def test_a_captcha_is_read_once(make, address, museum):
    client = make(address)
    picture = client.captcha.draw("yzm")
    assert picture.png.startswith(b"\x89PNG")
    token = picture.cookie.partition("=")[2].strip('"')
    assert token not in repr(picture)
    answer = museum.manage("shell", "-v0", "-c", SHOW.format(token)).splitlines()[-1]
    assert client.captcha.check(picture, answer) is True
    with pytest.raises(BadRequest) as caught:
        client.captcha.check(picture, answer)
    assert caught.value.code == "captcha_expired"


def test_without_a_key_the_rest_is_closed(make, address):
    with pytest.raises(Unauthorized) as caught:
        make(address).contents.list(1)
    assert caught.value.code == "key_missing"
