"""The published samples of what no resource owns."""

import json
from pathlib import Path

import pytest

from tests.assertions import assert_error
from tests.clients import ApiClient

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples.")


def sample(name):
    shown = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return shown["request"], shown["response"]["body"]


def test_the_ping_is_answered_as_published(stranger):
    request, published = sample("36-ping")
    assert stranger.get(request["path"]).content.decode() == published


@pytest.mark.parametrize("name", ["70-authentication-example", "71-authentication-example"])
def test_both_published_ways_to_send_a_key_are_ways_here(api, name):
    """The example's endpoint is none of the interface: its ways are taken, and its path is said to be none."""
    request, _ = sample(name)
    assert_error(ApiClient().get(request["path"], query_params=request["query"], headers=request["headers"]), 404,
                 "route_not_found")  # fmt: skip
    headers = dict.fromkeys(request["headers"], api.token)
    query = dict.fromkeys(request["query"], api.token)
    answer = ApiClient().get("/api/v1/users", query_params=query, headers=headers)
    assert answer.status_code == 200
    assert ApiClient().get("/api/v1/users").status_code == 401
