"""Two nodes with data folders of their own behind nginx, on a primary with a standby: what one does holds on the other.

Everything is asked of the proxy, which sends one request to the one node and the next to the other.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.assertions import assert_error
from tests.cluster.clients import Desk, await_more, load
from tests.cluster.proxy import NODES, Proxy
from tests.cluster.servers import await_that

ROOT = {"account": "root", "password": "harbour-21"}
VALID = {(200, None)}
FAILURES = 3  # of an account, and two more of an address


@pytest.fixture(scope="module")
def proxy(cluster, tmp_path_factory):
    limits = {
        "CMS_LOGIN_FAILURES_PER_ACCOUNT": str(FAILURES),
        "CMS_LOGIN_FAILURES_PER_ADDRESS": str(FAILURES + 2),
    }
    with Proxy(cluster, tmp_path_factory.mktemp("two_nodes"), **limits) as running:
        yield running


@pytest.fixture(scope="module")
def desk(proxy):
    return Desk(proxy, "root", "harbour-21")


@pytest.fixture
def told(cluster, proxy):
    """What both nodes answer to a key at its next requests: statuses with codes of errors."""

    def told(key):
        answers = proxy.repeat(lambda: cluster.ask(proxy, "GET", "channels/1", key=key))
        return {(answer.status_code, answer.json().get("code")) for answer in answers}

    return told


@pytest.fixture
def await_told(told):
    """Return when both answer so: the other node reads a key again within a second of its change."""
    return lambda key, expected: await_that(lambda: told(key) == expected)


def new_key(cluster, name, *options):
    return cluster.installation.manage("create_api_key", name, "--all-scopes", *options)


def at_once(ask, times):
    """The answers to so many requests that are under way together."""
    with ThreadPoolExecutor(8) as threads:
        return [each.result() for each in [threads.submit(ask) for _ in range(times)]]


def statuses(answers):
    return [answer.status_code for answer in answers]


# ---- Reads from the standby


def test_both_nodes_read_from_the_standby(cluster, proxy):
    readers = set()

    def both_have_read():
        before = cluster.last_read()
        answer = cluster.ask(proxy, "GET", "stl/sites")
        assert answer.status_code == 200
        if cluster.last_read() != before:
            readers.add(proxy.node_of(answer))
        return readers == set(NODES)

    await_that(both_have_read)


def test_what_a_client_wrote_it_reads_through_the_proxy_while_the_standby_stands_still(cluster, proxy):
    await_that(lambda: cluster.is_read_from_standby(proxy))
    with cluster.paused_replay():
        for number in range(4):
            place = cluster.create(proxy, f"Written {number}")
            reads = proxy.repeat(lambda place=place: cluster.ask(proxy, "GET", place))
            assert [read.json()["value"]["title"] for read in reads] == [f"Written {number}"] * 4
            assert cluster.ask(proxy, "DELETE", place).status_code == 200
            gone = proxy.repeat(lambda place=place: cluster.ask(proxy, "GET", place))
            assert statuses(gone) == [404] * 4


# ---- Keys


def test_a_key_that_is_made_or_rotated_is_so_on_both(cluster, told):
    key = new_key(cluster, "of two nodes")
    assert told(key) == VALID
    rotated = cluster.installation.manage("rotate_api_key", "of two nodes")
    # A node learns of a change on another machine within a second, which is longer than the command.
    await_that(lambda: told(key) == {(401, "key_unknown")})
    assert told(rotated) == VALID


@pytest.fixture
def owner(cluster, proxy):
    """The number of an administrator who may be locked."""
    sent = {"userName": "keeper", "password": "lantern-22", "siteIdCollection": "1"}
    return cluster.ask(proxy, "POST", "administrators", sent).json()["value"]["id"]


def test_each_change_of_a_key_in_the_back_end_counts_on_both_within_a_second(cluster, desk, await_told, owner):
    fields = {"name": "of the desk", "administrator": owner, "scope_Channels": "read"}
    number, first = desk.issue_key(**fields)
    await_told(first, VALID)

    second = desk.act_on_key("rotate", number, overlap=3600)
    await_told(second, VALID)
    await_told(first, VALID)
    desk.act_on_key("end", number)
    await_told(first, {(401, "key_unknown")})
    await_told(second, VALID)
    key = desk.act_on_key("reset", number)
    await_told(second, {(401, "key_unknown")})
    await_told(key, VALID)

    desk.edit_key(number, **fields | {"scope_Channels": "", "scope_STL": "read"})
    await_told(key, {(401, "scope_missing")})
    desk.edit_key(number, **fields)
    await_told(key, VALID)
    elsewhere = cluster.installation.manage("create_site", "Elsewhere", "--site-dir", "elsewhere").partition("=")[2]
    desk.edit_key(number, **fields | {"reach": "some", "sites": elsewhere})
    await_told(key, {(401, "site_not_allowed")})
    desk.edit_key(number, **fields)
    await_told(key, VALID)

    desk.act_on_administrator("lock", owner)
    await_told(key, {(401, "key_owner_locked")})
    desk.act_on_administrator("unlock", owner)
    await_told(key, VALID)
    desk.act_on_key("revoke", number)
    await_told(key, {(401, "key_revoked")})
    desk.act_on_key("delete", number)
    await_told(key, {(401, "key_unknown")})


# ---- Limits


def test_the_requests_of_a_key_are_counted_together(cluster, proxy):
    key = new_key(cluster, "limited", "--requests-per-minute", "6")
    answers = proxy.repeat(lambda: cluster.ask(proxy, "GET", "channels/1", key=key), 8)
    assert statuses(answers) == [200] * 6 + [429] * 2
    proxy.assert_of_both(answers[:6])
    proxy.assert_of_both(answers[6:])
    left = [answer.headers["RateLimit"].split(";")[1] for answer in answers]
    assert left == [f"r={number}" for number in (5, 4, 3, 2, 1, 0, 0, 0)]


def test_requests_of_a_key_that_come_together_are_counted_exactly(cluster, proxy):
    key = new_key(cluster, "limited at once", "--requests-per-minute", "20")
    answers = at_once(lambda: cluster.ask(proxy, "GET", "channels/1", key=key), 40)
    assert sorted(statuses(answers)) == [200] * 20 + [429] * 20
    proxy.assert_of_both(answers)


@pytest.fixture
def sign_in(proxy):
    def sign_in(source, **sent):
        headers = {"Content-Type": "application/json"}
        body = json.dumps(ROOT | sent).encode()
        return proxy.request("POST", "/api/v1/administrators/actions/login", body, headers, source)

    return sign_in


def test_failed_sign_ins_are_counted_together(cluster, proxy, sign_in):
    failed = proxy.repeat(lambda: sign_in("127.0.0.11", password="not-this-1"), FAILURES)
    for answer in failed:
        assert_error(answer, 400)
    for answer in proxy.repeat(lambda: sign_in("127.0.0.11")):
        assert_error(answer, 429)
    assert statuses(proxy.repeat(lambda: sign_in("127.0.0.12"))) == [200] * 4
    cluster.installation.manage("unlock_account", "root")
    # Each process repeats a refusal for a second.
    await_that(lambda: statuses(proxy.repeat(lambda: sign_in("127.0.0.11"))) == [200] * 4)


def test_failed_sign_ins_from_an_address_are_counted_together(proxy, sign_in):
    def try_somebody(number):
        return sign_in("127.0.0.13", account=f"nobody {number}")

    failed = [try_somebody(number) for number in range(FAILURES + 2)]
    proxy.assert_of_both(failed)
    for answer in failed:
        assert_error(answer, 400)
    for answer in proxy.repeat(lambda: sign_in("127.0.0.13")):
        assert_error(answer, 429)
    assert statuses(proxy.repeat(lambda: sign_in("127.0.0.14"))) == [200] * 4


# ---- Captchas


class Captcha:
    """A captcha that the proxy was asked for, and what it shows."""

    def __init__(self, cluster, proxy):
        self._proxy, self.picture = proxy, proxy.request("GET", "/api/v1/captcha/TWO-NODES")
        self._cookie = self.picture.headers["Set-Cookie"].partition(";")[0]
        token = self._cookie.partition("=")[2].strip('"')
        read = f"from core.captcha import characters; print(characters('TWO-NODES', {token!r}))"
        self._shown = cluster.installation.manage("shell", "--verbosity", "0", "--command", read)

    def check(self):
        body = json.dumps({"captcha": self._shown}).encode()
        return self._proxy.request("POST", "/api/v1/captcha/TWO-NODES/actions/check", body, {"Cookie": self._cookie})


def test_a_captcha_of_one_node_is_answered_on_the_other_and_used_up_on_both(cluster, proxy):
    captcha = Captcha(cluster, proxy)
    checked = captcha.check()
    assert checked.status_code == 200, checked.content
    proxy.assert_of_both([captcha.picture, checked])
    for answer in proxy.repeat(captcha.check):
        assert_error(answer, 400, "captcha_expired")


def test_of_checks_of_a_captcha_that_come_together_one_counts(cluster, proxy):
    answers = at_once(Captcha(cluster, proxy).check, 16)
    assert sorted(statuses(answers)) == [200] + [400] * 15
    proxy.assert_of_both(answers)


# ---- Trees


def test_a_change_of_the_tree_is_in_that_of_both_nodes_at_once(cluster, proxy):
    def trees():
        return [answer.json()["value"] for answer in proxy.repeat(lambda: cluster.ask(proxy, "GET", "channels/1"))]

    def create(name):
        return cluster.ask(proxy, "POST", "channels/1", {"channelName": name}).json()["value"]["id"]

    def action(method, place, body=None):
        answer = cluster.ask(proxy, method, f"channels/1/{place}", body)
        assert answer.status_code == 200, answer.content

    await_that(lambda: cluster.is_read_from_standby(proxy))
    empty, *others = trees()  # from now on they keep the tree
    assert others == [empty] * 3
    with cluster.paused_replay():
        first, second = create("First"), create("Second")
        for tree in trees():
            assert shape(tree) == {first: ("First", {}), second: ("Second", {})} | shape(empty)
        action("PUT", second, {"channelName": "Renamed"})
        for tree in trees():
            assert shape(tree)[second] == ("Renamed", {})
        action("POST", f"{second}/actions/move", {"parentId": first})
        for tree in trees():
            assert shape(tree) == {first: ("First", {second: ("Renamed", {})})} | shape(empty)
        action("DELETE", first)
        assert trees() == [empty] * 4
    # Another client, who has written nothing, sees it as soon as the standby does.
    place = create("For others")
    cluster.await_replayed()
    key = new_key(cluster, "reader of trees")
    for answer in proxy.repeat(lambda: cluster.ask(proxy, "GET", "channels/1", key=key)):
        assert shape(answer.json()["value"])[place] == ("For others", {})


def shape(tree):
    """Names with what is below them, by number."""
    return {channel["id"]: (channel["channelName"], shape(channel["children"])) for channel in tree}


# ---- Nodes that come and go


def test_a_restart_that_is_asked_for_restarts_both_and_no_request_fails_meanwhile(cluster, proxy):
    place = cluster.create(proxy, "Through restarts")
    nodes = proxy.nodes.values()
    begun, ended = ([node.log.count(line) for node in nodes] for line in ("Booting worker", "Worker exiting"))
    with load(cluster, proxy, place) as answers:
        await_more(answers)
        assert cluster.ask(proxy, "POST", "actions/restart").json() == {"value": True}
        for node, booted, exited in zip(nodes, begun, ended, strict=True):
            node.await_lines("Booting worker", booted + 1)
            node.await_lines("Worker exiting", exited + 1)
        await_more(answers)
    assert set(answers) == {200}
    pongs = proxy.repeat(lambda: proxy.request("GET", "/api/v1/ping"))
    assert statuses(pongs) == [200] * 4


def test_a_node_that_is_killed_costs_no_read_and_is_used_again_when_it_is_back(cluster, proxy):
    place = cluster.create(proxy, "Without the left")
    with load(cluster, proxy, place, lists=False) as answers:
        await_more(answers)
        with proxy.without("left"):
            await_more(answers)
            assert proxy.node_of(cluster.ask(proxy, "GET", place)) == "right"
        await_that(lambda: proxy.node_of(cluster.ask(proxy, "GET", place)) == "left")
        await_more(answers)
    assert set(answers) == {200}
    reads = proxy.repeat(lambda: cluster.ask(proxy, "GET", place))
    assert statuses(reads) == [200] * 4
    cluster.await_reads_on_standby(proxy.nodes["left"])
