"""Claims that many tests make."""

import re

_SENTENCE = re.compile(r"\S[^\n]* [^\n]*[^\s.]\.")
_CODE = re.compile(r"[a-z]+(_[a-z]+)*")


def assert_error(response, status, code=None):
    """The answer is the API's error body: one sentence for people, one stable word for programs."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    body = response.json()
    assert _SENTENCE.fullmatch(body["message"]), body
    assert _CODE.fullmatch(body["code"]), body
    assert "Traceback" not in body["message"]
    if code is not None:
        assert body["code"] == code, body
    return body
