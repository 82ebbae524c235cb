"""Which endpoints need a key: all but the six that the interface names, the two of health, the
OpenAPI document, previews, whose token is the key, and forms of visitors."""

import pytest
from django.urls import URLResolver, get_resolver

from core.rest.operations import has_method
from core.rest.views import ApiView
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory
from tests.routes import path_of

# The interface's table of open endpoints: (method, path).
OPEN = {
    ("GET", "api/v1/users/<id:user_id>/avatar"),
    ("POST", "api/v1/users/actions/login"),
    ("POST", "api/v1/administrators/actions/login"),
    ("GET", "api/v1/captcha/<name>"),
    ("POST", "api/v1/captcha/<name>/actions/check"),
    ("GET", "api/v1/ping"),
    # Not of the interface.
    ("GET", "api/v1/health/live"),
    ("GET", "api/v1/health/ready"),
    ("GET", "api/v1/openapi.json"),
    ("GET", "api/v1/previews/<token>"),
    ("GET", "api/v1/previews/<token>/page"),
    # Forms of visitors; of entries, only a public list.
    ("GET", "api/v1/forms"),
    ("POST", "api/v1/forms"),
    ("GET", "api/v1/forms/styles"),
}


def endpoints(resolver=None, prefix=""):
    """Every method and path of the API that the project declares."""
    for pattern in (resolver or get_resolver()).url_patterns:
        path = prefix + path_of(pattern)
        view = getattr(getattr(pattern, "callback", None), "view_class", None)
        if isinstance(pattern, URLResolver):
            yield from endpoints(pattern, path)
        elif view is not None and issubclass(view, ApiView):
            for method in ("GET", "POST", "PUT", "DELETE"):
                if has_method(view, method):
                    yield method, path


def fill(path):
    """The path with something in each place of a parameter."""
    parts = ("1" if part.startswith("<") else part for part in path.split("/"))
    return "/" + "/".join(parts)


def test_needs_a_key(stranger):
    answers = {each: stranger.send(each[0], fill(each[1])) for each in set(endpoints()) - OPEN}
    assert {each for each, answer in answers.items() if answer.status_code != 401} == set()
    assert {answer.json()["code"] for answer in answers.values()} == {"key_missing"}


def test_the_project_declares_its_endpoints_where_this_test_looks():
    declared = set(endpoints())
    assert ("GET", "api/v1/ping") in declared
    assert ("POST", "api/v1/contents") in declared


@pytest.mark.django_db
@pytest.mark.parametrize("slash", ["", "/"])
def test_ping_answers_without_a_key_with_a_good_and_with_a_bad_one(stranger, slash):
    good = ApiKeyFactory(scopes="").token
    for token in (None, good, good[:-1] + "_", "nonsense", "\xe9", " "):
        assert ApiClient(token).get(f"/api/v1/ping{slash}").content == b"pong"
    for query in ("?apiKey=" + good, "?apikey=nonsense", "?apiKey=", "?APIKEY=%00"):
        assert stranger.get(f"/api/v1/ping{slash}{query}").content == b"pong"


def test_ping_asks_no_database(api, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert api.get("/api/v1/ping").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/users/actions/login", "/api/v1/captcha/x/actions/check"])
def test_a_large_body_is_refused_before_it_is_read(stranger, path):
    body = b'{"account": "x", "password": "y", "more": "' + b"x" * 16_384 + b'"}'
    assert_error(stranger.send("POST", path, body), 413, "body_too_large")
