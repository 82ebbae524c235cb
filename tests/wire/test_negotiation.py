"""Accept and Content-Type: any answer is JSON, any body that is a JSON object is read."""

import pytest

from contents.models import Content
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory
from tests.wire.addresses import creation, single

ACCEPTS = [
    "application/vnd.siteserver+json; version=1",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/html",
    "image/png",
    "application/json; version=9",
    "*/*",
    "",
    "nonsense",
    ";;;,,=",
]
CONTENT_TYPES = [
    "application/json",
    "application/json;charset=UTF-8",
    "application/json;charset=utf8",
    "application/json; charset=gb2312",
    "application/json; charset=utf-16",
    "application/json; charset=klingon",
    "application/json; charset=",
    "application/json;;;",
    'application/json; charset="',
    "APPLICATION/JSON",
    "application/vnd.siteserver+json; version=1",
    "text/plain",
    "application/xml",
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; charset=gbk",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "undefined",
    "",
    "中文",
]


@pytest.mark.parametrize("accept", ACCEPTS)
def test_any_accept_header_gets_json(api, stranger, accept):
    headers = {"Accept": accept}
    response = api.get(single(ContentFactory()), headers=headers)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    assert_error(stranger.get("/api/v1/contents/1/1/1", headers=headers), 401)
    assert_error(stranger.get("/api/v1/nothing", headers=headers), 404)
    assert_error(stranger.get("/api/v1/contents", headers=headers), 405)


@pytest.mark.parametrize("query", ["?format=html", "?format=api", "?format=xml"])
def test_no_parameter_changes_the_format(api, query):
    response = api.get(single(ContentFactory()) + query)
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"


@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_a_json_object_is_read_whatever_its_content_type(api, content_type):
    response = api.send("POST", creation(ChannelFactory()), '{"title":"开放日"}'.encode(), content_type)
    assert response.status_code == 200, response.content
    assert response.json()["value"]["title"] == "开放日"


FORMS = [
    (b"title=Launch&content=x", "application/x-www-form-urlencoded"),
    (b"title=Launch", "application/json"),
    (b"title=Launch", "undefined"),
    (
        b'--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nLaunch\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
    ),
    (b"<content><title>Launch</title></content>", "application/xml"),
]


@pytest.mark.parametrize(("body", "content_type"), FORMS)
def test_a_form_is_400_and_says_that_a_json_object_is_expected(api, body, content_type):
    response = api.send("POST", creation(ChannelFactory()), body, content_type)
    message = assert_error(response, 400, "body_not_object")["message"]
    assert message.startswith("The body must be a JSON object")
    assert not Content.objects.exists()


@pytest.mark.parametrize("content_type", ["application/json;charset=UTF-8", "application/x-www-form-urlencoded", ""])
@pytest.mark.parametrize("body", [b"", b"  \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"])
def test_an_empty_body_counts_as_an_empty_object(api, body, content_type):
    content = ContentFactory(title="Launch")
    created = api.send("POST", creation(content.channel), body, content_type)
    assert "title is required" in assert_error(created, 400, "missing_member")["message"]
    updated = api.send("PUT", single(content), body, content_type)
    assert updated.json()["value"]["title"] == "Launch"


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"title=x", b"[]"])
def test_a_body_that_no_one_asked_for_is_not_looked_at(api, stranger, body):
    content = ContentFactory()
    assert api.send("GET", single(content), body, "application/json;charset=UTF-8").status_code == 200
    assert api.send("DELETE", single(content), body, "application/json;charset=UTF-8").status_code == 200
    assert stranger.send("GET", "/api/v1/ping", body).content == b"pong"
