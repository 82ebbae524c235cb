"""Successes: 200 and `{"value": …}`, apart from the answers that have names of their own."""

import pytest

from tests.factories import ChannelFactory, ContentFactory
from tests.wire.addresses import creation, single
from tests.wire.probes import ValueView


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize("name", ValueView.values)
def test_every_kind_of_value_stands_in_the_envelope(stranger, name):
    response = stranger.get(f"/api/v1/probe/value/{name}")
    assert response.status_code == 200
    assert response.json() == {"value": ValueView.values[name]}


@pytest.mark.urls("tests.wire.probes")
def test_text_is_utf_8_and_is_called_so(stranger):
    response = stranger.get("/api/v1/probe/value/text")
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    assert response.content == '{"value":"中文"}'.encode()


def test_creating_answers_200_and_the_record_as_value(api):
    response = api.post(creation(ChannelFactory()), {"title": "Launch"})
    assert response.status_code == 200
    assert list(response.json()) == ["value"]
    assert response.json()["value"]["title"] == "Launch"


def test_reading_updating_and_deleting_answer_200_and_the_record_as_value(api):
    content = ContentFactory()
    for response in (
        api.get(single(content)),
        api.put(single(content), {"title": "Later"}),
        api.delete(single(content)),
    ):
        assert response.status_code == 200
        assert list(response.json()) == ["value"]
        assert response.json()["value"]["id"] == content.pk


def test_the_content_list_has_its_two_members_at_top_level(api):
    content = ContentFactory()
    response = api.post("/api/v1/contents", {"siteId": content.site_id})
    assert list(response.json()) == ["totalCount", "contents"]


def test_the_approval_has_contents_at_top_level(api):
    content = ContentFactory()
    body = {"siteId": content.site_id, "contents": [{"channelId": content.channel_id, "id": content.pk}]}
    for path in ("/api/v1/contents/check", "/api/v1/contents/actions/check"):
        assert list(api.post(path, body).json()) == ["contents"]


def test_ping_is_bare_text(stranger):
    response = stranger.get("/api/v1/ping")
    assert (response.status_code, response.content) == (200, b"pong")
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"


def test_head_answers_like_get(stranger):
    assert stranger.head("/api/v1/ping").status_code == 200
