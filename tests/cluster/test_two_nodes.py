"""Two nodes with data folders of their own on one database and one Redis: what is done on one holds on the other."""

import json
import shutil
from pathlib import Path

import pytest

from tests.assertions import assert_error
from tests.cluster.servers import await_that

ACCOUNT = {"account": "root", "password": "harbour-1"}


@pytest.fixture(scope="module")
def nodes(cluster, tmp_path_factory):
    folder, other = Path(cluster.installation.environment["CMS_DATA_DIR"]), tmp_path_factory.mktemp("right")
    for secret in ("secret_key", "password_pepper"):  # what all nodes of an installation are given
        shutil.copy(folder / secret, other)
    settings = {
        "CMS_DATABASE_REPLICA_URLS": "",  # test_replicas.py has them
        "CMS_RESTART_MIN_SECONDS": "0",
        "CMS_LOGIN_FAILURES_PER_ACCOUNT": "3",
    }
    serve = cluster.installation.serve
    with (
        serve(CMS_NODE_NAME="left", **settings) as left,
        serve(CMS_NODE_NAME="right", CMS_DATA_DIR=str(other), **settings) as right,
    ):
        yield left, right


def new_key(cluster, name, *options):
    return cluster.installation.manage("create_api_key", name, "--all-scopes", *options)


def test_a_key_that_is_made_or_rotated_is_so_on_both(cluster, nodes):
    key = new_key(cluster, "of two nodes")
    for node in nodes:
        assert cluster.ask(node, "GET", "channels/1", key=key).status_code == 200
    cluster.installation.manage("rotate_api_key", "of two nodes")
    for node in nodes:
        # Keys are read anew each second.
        await_that(lambda node=node: cluster.ask(node, "GET", "channels/1", key=key).status_code == 401)


def test_the_requests_of_a_key_are_counted_together(cluster, nodes):
    key = new_key(cluster, "limited", "--requests-per-minute", "6")
    answers = [cluster.ask(node, "GET", "channels/1", key=key).status_code for _ in range(4) for node in nodes]
    assert answers == [200] * 6 + [429] * 2


def test_a_captcha_of_one_node_is_answered_on_the_other_and_used_up_on_both(cluster, nodes):
    left, right = nodes
    picture = left.request("GET", "/api/v1/captcha/TWO-NODES")
    cookie = picture.headers["Set-Cookie"].partition(";")[0]
    token = cookie.partition("=")[2].strip('"')
    read = f"from accounts.captcha import characters; print(characters('TWO-NODES', {token!r}))"
    shown = cluster.installation.manage("shell", "--verbosity", "0", "--command", read)

    def check(node):
        body = json.dumps({"captcha": shown}).encode()
        return node.request("POST", "/api/v1/captcha/TWO-NODES/actions/check", body, {"Cookie": cookie})

    assert check(right).status_code == 200
    for node in nodes:
        assert_error(check(node), 400)


def test_failed_sign_ins_are_counted_together(cluster, nodes):
    def sign_in(node, password):
        return cluster.ask(node, "POST", "administrators/actions/login", ACCOUNT | {"password": password})

    left, right = nodes
    for node in (left, right, left):
        assert_error(sign_in(node, "not-this-1"), 400)
    for node in nodes:
        assert_error(sign_in(node, "harbour-1"), 429)
    cluster.installation.manage("unlock_account", "root")
    for node in nodes:
        assert sign_in(node, "harbour-1").status_code == 200


def test_a_change_of_the_tree_is_read_on_the_other_node_at_once(cluster, nodes):
    def names(node):
        return json.dumps(cluster.ask(node, "GET", "channels/1").json())

    left, right = nodes
    names(right)  # from now on it keeps the tree
    made = cluster.ask(left, "POST", "channels/1", {"channelName": "Two nodes"}).json()["value"]
    assert "Two nodes" in names(right)
    names(left)
    place = f"channels/1/{made['id']}"
    assert cluster.ask(right, "PUT", place, {"channelName": "Renamed"}).status_code == 200
    assert "Renamed" in names(left)
    assert cluster.ask(right, "DELETE", place).status_code == 200
    assert "Renamed" not in names(left)


def test_a_restart_that_is_asked_of_one_node_is_one_of_both(cluster, nodes):
    before = [node.log.count("Booting worker") for node in nodes]
    assert cluster.ask(nodes[0], "POST", "actions/restart").status_code == 200
    for node, number in zip(nodes, before, strict=True):
        node.await_lines("Booting worker", number + 1)
        assert node.request("GET", "/api/v1/ping").status_code == 200
