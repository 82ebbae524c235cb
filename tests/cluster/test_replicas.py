"""Reads of the API from a streaming standby, with every promise made to clients."""

import json
import signal
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from cms_client import NotFound, Unauthorized

from tests.cluster.clients import await_more, load
from tests.cluster.conftest import CACHE, LAG, LEFT_OUT, SERVED
from tests.cluster.servers import await_that
from tests.redis_server import RedisServer
from tools.servers import ROOT


@pytest.fixture
def node(cluster):
    with cluster.serve() as server:
        yield server


@pytest.fixture
def client(cluster, node):
    with cluster.client(node) as client:
        yield client


def create(client, title):
    """The number of a new content."""
    return client.contents.create(1, 1, {"title": title})["id"]


def title(client, content):
    return client.contents.get(1, 1, content)["title"]


def titles(client):
    return {content["title"] for content in client.contents.iterate(1)}


def new_key(cluster, name):
    return cluster.installation.manage("create_api_key", name, "--all-scopes")


def test_every_kind_of_read_comes_to_the_replica(cluster, node):
    place = cluster.create(node, "Read there")
    cluster.await_reads_on_standby(node)
    for path in (place, "channels/1", "channels/1/1", "stl/contents?scope=All", "stl/sites", "users", "administrators"):
        cluster.await_reads_on_standby(node, path)


def test_what_a_key_wrote_it_reads_at_once_and_on_every_node(cluster):
    other_key = new_key(cluster, "reader")
    with cluster.serve(2) as nodes, cluster.client(nodes[0]) as here, cluster.client(nodes[1]) as there:
        with cluster.paused_replay():
            content = create(here, "Just written")
            for client, node in [(here, nodes[0]), (there, nodes[1])] * 2:
                assert title(client, content) == "Just written"
                assert "Just written" in titles(client)
                # The replica does not have it, and is read from by whoever has not written.
                with cluster.client(node, other_key) as other, pytest.raises(NotFound):
                    title(other, content)
            there.contents.update(1, 1, content, {"title": "Changed there"})
            assert title(here, content) == "Changed there"
        # As soon as the replica has it, it serves that key again.
        cluster.await_reads_on_standby(nodes[0])
        assert title(here, content) == "Changed there"


def test_a_refused_write_leaves_a_key_with_the_replica(cluster, node, client):
    other_key = new_key(cluster, "other")  # not below, where it would begin the lag
    with cluster.paused_replay(), cluster.client(node, other_key) as other:
        content = create(other, "Of another")
        with pytest.raises(NotFound):
            client.contents.update(1, 1, 999999, {"title": "Nothing"})
        with pytest.raises(NotFound):
            title(client, content)


def test_a_replica_that_lags_is_left_out_and_comes_back(cluster, node, client):
    with cluster.client(node, new_key(cluster, "writer")) as writer, cluster.paused_replay():
        content = create(writer, "Behind")
        await_that(lambda: "Behind" in titles(client))  # as others may for so long
        assert "seconds behind" in node.log
        served = node.log.count(SERVED)
    node.await_lines(SERVED, served + 1)
    cluster.await_reads_on_standby(node)
    assert title(client, content) == "Behind"


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
            with cluster.client(server) as client:
                for _ in range(30):
                    assert client.contents.list(1).total is not None
            server.await_lines(f"127.0.0.1:{lone.port} is not used: it is no longer a standby", 1)
    finally:
        lone.close()


def test_a_revoked_key_ends_at_once(cluster, node):
    with cluster.client(node, new_key(cluster, "revoked")) as client, cluster.paused_replay():
        client.channels.get(1, 1)  # by a key that the replica does not know
        cluster.installation.manage("rotate_api_key", "revoked")
        with pytest.raises(Unauthorized):
            client.channels.get(1, 1)


def test_without_redis_the_primary_is_read(cluster):
    with (
        closing(RedisServer()) as redis,
        cluster.serve(CMS_CACHE_URL=redis.url) as node,
        cluster.client(node) as client,
    ):
        content = create(client, "Without Redis")
        cluster.await_reads_on_standby(node)
        redis.kill()
        assert not cluster.is_read_from_standby(node, f"contents/1/1/{content}")
        client.contents.update(1, 1, content, {"title": "Still"})
        with cluster.paused_replay():
            client.contents.update(1, 1, content, {"title": "Still here"})
            assert title(client, content) == "Still here"
    assert "Redis does not respond" in node.log


def test_what_a_key_wrote_it_reads_after_redis_was_killed_and_started_again(cluster):
    with closing(RedisServer()) as redis, cluster.serve(2, CMS_CACHE_URL=redis.url) as nodes, cluster.paused_replay():
        with cluster.client(nodes[0]) as client:
            content = create(client, "Forgotten by Redis")
        redis.kill()
        redis.start()
        for node in nodes:  # of which neither has asked meanwhile
            with cluster.client(node) as client:
                assert title(client, content) == "Forgotten by Redis"
                assert "Forgotten by Redis" in titles(client)


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
    assert message.startswith("The replica 127.0.0.1:1 is not used: ") and "refused" in message


def test_the_settings_are_checked(cluster):
    def told(**settings):
        environment = cluster.installation.environment | settings
        return subprocess.run(
            [sys.executable, "manage.py", "check"], cwd=ROOT, env=environment, capture_output=True, text=True
        ).stderr

    assert told() == ""
    assert "needs Redis" in told(CMS_CACHE_URL="")
    assert "needs PostgreSQL" in told(CMS_DATABASE_URL="")
    wrong = told(CMS_DATABASE_REPLICA_URLS="postgres://cms@127.0.0.1/cms,mysql://secret@127.0.0.1/cms")
    assert "address 2" in wrong
    assert "secret" not in wrong
    assert CACHE not in wrong
