"""Reads of the API from a streaming standby, with every promise made to clients."""

import json
import signal
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from tests.assertions import assert_error
from tests.cluster.clients import await_more, load
from tests.cluster.conftest import CACHE, LAG, LEFT_OUT, SERVED
from tests.cluster.servers import await_that
from tests.redis_server import RedisServer
from tests.servers import ROOT


@pytest.fixture
def node(cluster):
    with cluster.serve() as server:
        yield server


def titles(cluster, server, key=None):
    answer = cluster.ask(server, "POST", "contents", {"siteId": 1, "perPage": 1000}, key)
    assert answer.status_code == 200, answer.content
    return {content["title"] for content in answer.json()["contents"]}


def new_key(cluster, name):
    return cluster.installation.manage("create_api_key", name, "--all-scopes")


def test_every_kind_of_read_comes_to_the_replica(cluster, node):
    place = cluster.create(node, "Read there")
    cluster.await_reads_on_standby(node)
    for path in (place, "channels/1", "channels/1/1", "stl/contents?scope=All", "stl/sites", "users", "administrators"):
        cluster.await_reads_on_standby(node, path)


def test_what_a_key_wrote_it_reads_at_once_and_on_every_node(cluster):
    other_key = new_key(cluster, "reader")
    with cluster.serve(2) as (here, there):
        with cluster.paused_replay():
            place = cluster.create(here, "Just written")
            for server in (here, there, here, there):
                assert cluster.ask(server, "GET", place).json()["value"]["title"] == "Just written"
                assert "Just written" in titles(cluster, server)
                # The replica does not have it, and is read from by whoever has not written.
                assert_error(cluster.ask(server, "GET", place, key=other_key), 404)
            changed = cluster.ask(there, "PUT", place, {"title": "Changed there"})
            assert changed.status_code == 200
            assert cluster.ask(here, "GET", place).json()["value"]["title"] == "Changed there"
        # As soon as the replica has it, it serves that key again.
        cluster.await_reads_on_standby(here)
        assert cluster.ask(here, "GET", place).json()["value"]["title"] == "Changed there"


def test_a_refused_write_leaves_a_key_with_the_replica(cluster, node):
    other = new_key(cluster, "other")  # not below, where it would begin the lag
    with cluster.paused_replay():
        place = cluster.create(node, "Of another", key=other)
        assert_error(cluster.ask(node, "PUT", "contents/1/1/999999", {"title": "Nothing"}), 404)
        assert_error(cluster.ask(node, "GET", place), 404)


def test_a_replica_that_lags_is_left_out_and_comes_back(cluster, node):
    writer = new_key(cluster, "writer")
    with cluster.paused_replay():
        place = cluster.create(node, "Behind", key=writer)
        await_that(lambda: cluster.ask(node, "GET", place).status_code != 404)  # as others may for so long
        assert "seconds behind" in node.log
        served = node.log.count(SERVED)
    node.await_lines(SERVED, served + 1)
    cluster.await_reads_on_standby(node)
    assert cluster.ask(node, "GET", place).json()["value"]["title"] == "Behind"


def test_a_primary_where_nothing_happens_is_no_lag(cluster, node):
    cluster.primary.execute("SELECT pg_switch_wal()")
    cluster.await_replayed()
    left_out = node.log.count(LEFT_OUT)
    pause = threading.Event()
    for _ in range(4 * LAG):  # twice as long as the bound
        pause.wait(0.5)
        cluster.await_reads_on_standby(node)
    assert node.log.count(LEFT_OUT) == left_out


@pytest.mark.parametrize("pool", ["0", "3"], ids=["kept connections", "a pool"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT, signal.SIGKILL], ids=["fast", "immediate", "killed"])
def test_no_read_fails_while_the_replica_goes_and_comes_back(cluster, how, pool):
    with cluster.serve(CMS_DATABASE_POOL_SIZE=pool) as node:
        place = cluster.create(node, "Under load")
        cluster.await_reads_on_standby(node)
        served = node.log.count(SERVED)
        with load(cluster, node, place) as answers:
            await_more(answers)
            cluster.standby.stop(how)
            try:
                node.await_lines(LEFT_OUT, 1)
                await_more(answers)
            finally:
                cluster.standby.start()
            node.await_lines(SERVED, served + 1)
            await_more(answers)
        assert set(answers) == {200}
        assert "Traceback" not in node.log
        cluster.await_reads_on_standby(node)


@pytest.mark.parametrize("pool", ["0", "3"], ids=["kept connections", "a pool"])
def test_no_read_waits_for_a_replica_that_hangs(cluster, pool):
    with cluster.serve(CMS_DATABASE_POOL_SIZE=pool) as node:
        place = cluster.create(node, "Beside a silent host")
        cluster.await_reads_on_standby(node)
        served = node.log.count(SERVED)
        with load(cluster, node, place) as answers:
            await_more(answers)
            with cluster.standby.silent():
                node.await_lines(LEFT_OUT, 1)
                await_more(answers)
            node.await_lines(SERVED, served + 1)
        assert set(answers) == {200}
        assert "Traceback" not in node.log


def test_a_replica_that_has_become_a_primary_is_left_out(cluster, node):
    from tests.cluster.servers import Standby

    lone = Standby(cluster.primary)
    try:
        lone.start().execute("SELECT pg_promote()")
        url = f"postgres://cms@127.0.0.1:{lone.port}/cms"
        with cluster.installation.serve(CMS_DATABASE_REPLICA_URLS=f"{url},{cluster.replica_url}") as server:
            cluster.await_reads_on_standby(server)
            lone.execute("DROP TABLE contents_content CASCADE", database="cms")  # whoever read there would fail
            for _ in range(30):
                assert cluster.ask(server, "POST", "contents", {"siteId": 1}).status_code == 200
    finally:
        lone.close()


def test_a_revoked_key_ends_at_once(cluster, node):
    key = new_key(cluster, "revoked")
    with cluster.paused_replay():
        assert cluster.ask(node, "GET", "channels/1", key=key).status_code == 200  # which the replica does not know
        cluster.installation.manage("rotate_api_key", "revoked")
        assert_error(cluster.ask(node, "GET", "channels/1", key=key), 401)


def test_without_redis_the_primary_is_read(cluster):
    with closing(RedisServer()) as redis, cluster.serve(CMS_CACHE_URL=redis.url) as node:
        place = cluster.create(node, "Without Redis")
        cluster.await_reads_on_standby(node)
        redis.kill()
        assert not cluster.is_read_from_standby(node, place)
        assert cluster.ask(node, "PUT", place, {"title": "Still"}).status_code == 200
        with cluster.paused_replay():
            assert cluster.ask(node, "PUT", place, {"title": "Still here"}).status_code == 200
            assert cluster.ask(node, "GET", place).json()["value"]["title"] == "Still here"
    assert "Redis does not answer" in node.log


def test_what_a_key_wrote_it_reads_after_redis_was_killed_and_started_again(cluster):
    with closing(RedisServer()) as redis, cluster.serve(2, CMS_CACHE_URL=redis.url) as nodes, cluster.paused_replay():
        place = cluster.create(nodes[0], "Forgotten by Redis")
        redis.kill()
        redis.start()
        for node in nodes:  # of which neither has asked meanwhile
            answer = cluster.ask(node, "GET", place)
            assert answer.status_code == 200, answer.content
            assert answer.json()["value"]["title"] == "Forgotten by Redis"
            assert "Forgotten by Redis" in titles(cluster, node)


def test_the_doctor_names_a_replica_that_is_not_read_from_and_why(cluster):
    def told(urls):
        command = [sys.executable, "manage.py", "doctor", "--json"]
        environment = cluster.installation.environment | {"CMS_DATABASE_REPLICA_URLS": urls}
        said = json.loads(subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True).stdout)
        (replicas,) = (each["findings"] for each in said["subjects"] if each["subject"] == "Replicas")
        return [(finding["grade"], finding["message"]) for finding in replicas]

    assert told(cluster.replica_url) == []
    ((grade, message),) = told(f"{cluster.replica_url},postgres://cms@127.0.0.1:1/cms")
    assert grade == "risky"
    assert message.startswith("The replica 127.0.0.1:1 is not read from: ") and "refused" in message


def test_the_settings_are_checked(cluster):
    def told(**settings):
        environment = cluster.installation.environment | settings
        return subprocess.run(
            [sys.executable, "manage.py", "check"], cwd=ROOT, env=environment, capture_output=True, text=True
        ).stderr

    assert told() == ""
    assert "needs Redis" in told(CMS_CACHE_URL="")
    assert "needs PostgreSQL" in told(CMS_DATABASE_URL="")
    assert "CMS_REPLICA_MAX_LAG_SECONDS must be" in told(CMS_REPLICA_MAX_LAG_SECONDS="1")
    wrong = told(CMS_DATABASE_REPLICA_URLS="postgres://cms@127.0.0.1/cms,mysql://secret@127.0.0.1/cms")
    assert "address 2" in wrong
    assert "secret" not in wrong
    assert CACHE not in wrong
