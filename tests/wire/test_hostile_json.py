"""Bodies that are no JSON object, or hold what must not be stored."""

import json

import pytest

from contents.models import Content
from core.rest.json import MAX_DEPTH
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory
from tests.wire.addresses import creation, single

BOM = b"\xef\xbb\xbf"
NO_OBJECTS = [
    b"[]",
    b'[{"title":"Launch"}]',
    b'"title"',
    b"5",
    b"true",
    b"null",
    b"{",
    b'{"title":"Launch"',
    b'{"title":"Launch"}}',
    b'{"title":"Launch"}{"title":"Launch"}',
    b'{"title":"Launch",}',
    b"{'title':'Launch'}",
    b"{title:1}",
    b'{"title":"Launch" /* why */}',
    b'{"title":"a\nb"}',
    b'{"title":"a\x00b"}',
    b'{"title":"\\x41"}',
    b'{"title":"Launch","hits":NaN}',
    b'{"title":"Launch","hits":Infinity}',
    b'{"title":"Launch","hits":-Infinity}',
    b'{"title":"Launch","hits":1e400}',
    b'{"title":"Launch","hits":01}',
    b'{"title":"Launch","hits":' + b"9" * 5000 + b"}",
    b'{"title":"Launch \xff"}',
    b'{"title":"Launch \xed\xa0\x80"}',
    b'{"title":"Launch \xc0\x80"}',
    '{"title":"Launch"}'.encode("utf-16"),
    '{"title":"开放日"}'.encode("gb2312"),
    b'{"title":"\\ud800"}',
    b'{"title":"\\udc00 x"}',
    b'{"title":"\\udc00\\ud800"}',
    b'{"\\ud800":"x","title":"Launch"}',
    BOM + BOM + b'{"title":"Launch"}',
    b"[" * 200,
    b'{"a":' * 200,
    b'{"title":"Launch","custom":[' + b"[]," * 200 + b"NaN]}",
    b'{"title":"Launch","custom":[' + b"[]," * 200 + b"9" * 5000 + b"]}",
    b"\x0b",  # a blank for Python, and none in JSON
]


def nested(levels):
    """An object with so many levels, itself included."""
    return b'{"title":"Launch","custom":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


REFUSED = [
    (b'{"title":"Launch\\u0000"}', "invalid_value", "title contains a NUL character"),
    (b'{"title":"Launch","custom":{"a":["\\u0000"]}}', "invalid_value", "a contains a NUL character"),
    (b'{"title":"Launch","cus\\u0000tom":1}', "invalid_value", "custom contains a NUL character"),
    (b'{"title":"Launch","hits":9223372036854775808}', "invalid_value", "hits is a number beyond 64 bits"),
    (b'{"title":"Launch","custom":[-9223372036854775809]}', "invalid_value", "custom is a number beyond 64 bits"),
    (b'{"title":"Launch","custom":' + b"9" * 300 + b"}", "invalid_value", "custom is a number beyond 64 bits"),
    (nested(MAX_DEPTH + 1), "body_too_deep", f"deeper than {MAX_DEPTH} levels"),
    *(
        (body, "body_too_deep", f"deeper than {MAX_DEPTH} levels")
        for body in (nested(1100), nested(100_000), b"[" * 100_000, b'{"a":' * 100_000)
    ),
    (b'{"title":"A","title":"B"}', "duplicate_member", "title appears twice"),
    (b'{"title":"A","title":"A"}', "duplicate_member", "title appears twice"),
    (b'{"title":"A", "\\u0074itle" : "B"}', "duplicate_member", "title appears twice"),
    (b'{"title":"A","custom":[{"b":{"c":1,"c":2}}]}', "duplicate_member", "c appears twice"),
]


@pytest.mark.any_database
@pytest.mark.parametrize("body", NO_OBJECTS, ids=lambda body: repr(body[:30]))
def test_what_is_no_json_object_is_400_and_stores_nothing(api, body):
    content = ContentFactory(title="Before")
    for response in (
        api.send("POST", creation(content.channel), body),
        api.send("PUT", single(content), body),
        api.send("POST", "/api/v1/contents", body),
    ):
        message = assert_error(response, 400, "body_not_object")["message"]
        assert message.startswith("The body must be a JSON object")
    assert list(Content.objects.values_list("title", flat=True)) == ["Before"]


@pytest.mark.parametrize(("body", "code", "reason"), REFUSED, ids=lambda part: repr(part[:30]))
def test_what_cannot_be_kept_is_400_with_the_reason_and_stores_nothing(api, body, code, reason):
    content = ContentFactory(title="Before")
    for response in (api.send("POST", creation(content.channel), body), api.send("PUT", single(content), body)):
        error = assert_error(response, 400, code)
        assert reason in error["message"]
        assert error.get("member", "") == ("" if code == "body_too_deep" else reason.split()[0])
    assert list(Content.objects.values_list("title", flat=True)) == ["Before"]


ODD_BUT_FINE = [
    BOM + b'{"title":"Launch"}',
    b' \r\n\t{"title" : "Launch"}\n ',
    b'{"title":"\\u004caunch"}',
    nested(MAX_DEPTH),
    b'{"title":"Launch","hits":9223372036854775807}',
    b'{"title":"Launch","custom":1234567890.12345678901234567890}',
    b'{"title":"Launch","custom":"99999999999999999999999999"}',
    b'{"title":"Launch","a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":2}]}',
    # What looks like a second member stands in a text.
    b'{"title":"Launch","summary":"{\\"title\\":\\"A\\",\\"title\\" : 1}"}',
    b'{"title":"Launch","custom\\\\":"\\\\\\":"}',
    b'{"title":"Launch","":1}',
]


@pytest.mark.parametrize("body", ODD_BUT_FINE, ids=lambda body: repr(body[:40]))
def test_what_is_odd_but_clear_is_read(api, body):
    response = api.send("POST", creation(ChannelFactory()), body)
    assert response.status_code == 200, response.content
    assert response.json()["value"]["title"] == "Launch"


def test_characters_beyond_the_first_plane_survive_as_escapes(api):
    body = json.dumps({"title": "𝒳 😀"}).encode()
    assert b"\\ud83d\\ude00" in body
    assert api.send("POST", creation(ChannelFactory()), body).json()["value"]["title"] == "𝒳 😀"
