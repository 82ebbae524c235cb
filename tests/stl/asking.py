"""Requests to the stl elements, and what they answer."""

import json
from urllib.parse import urlencode

from tests.assertions import assert_error

ELEMENTS = ("site", "sites", "value", "channel", "channels", "content", "contents", "a", "count")
MISSING = 10**9


def path(element, query=(), **more):
    """The address of an element; the query is text as it is sent, pairs or a mapping, and further parameters."""
    text = query if isinstance(query, str) else urlencode(query)
    return f"/api/v1/stl/{element}?" + "&".join(filter(None, [text, urlencode(more)]))


def ask(client, element, query=(), **more):
    """The value that is answered, and nothing but a value."""
    response = client.get(path(element, query, **more))
    assert response.status_code == 200, response.content
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    body = json.loads(response.getvalue())
    assert list(body) == ["value"]
    return body["value"]


def names(client, element, query=(), **more):
    """The names or titles of the listed sites, channels or contents, in a line."""
    member = {"sites": "siteName", "channels": "channelName", "contents": "title"}[element]
    return " ".join(record[member] for record in ask(client, element, query, **more))


def refused(client, element, code, query=(), **more):
    """The error body of a 400 with the code."""
    return assert_error(client.get(path(element, query, **more)), 400, code)
