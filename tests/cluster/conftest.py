"""A primary with a streaming standby, and the service on two nodes with Redis. Nothing here is skipped."""

import json
import os
from contextlib import ExitStack, contextmanager

import psycopg
import pytest
import redis

from tests.cluster.servers import PostgreSQL, Standby, await_that
from tools.servers import Installation

CACHE = os.environ.get("CMS_TEST_CACHE_URL", "redis://127.0.0.1:6379/13")
LAG = 4  # seconds, CMS_REPLICA_MAX_LAG_SECONDS
SERVED = "is in use."
LEFT_OUT = "is not used: "


class Cluster:
    """The servers, an installation on them with a site, and a key of every scope."""

    def __init__(self, folder, primary, standby):
        self.primary, self.standby = primary, standby
        self.installation = Installation(folder, administrator=False)
        self.installation.environment |= {
            "CMS_DATABASE_URL": f"postgres://cms@127.0.0.1:{primary.port}/cms",
            "CMS_DATABASE_REPLICA_URLS": self.replica_url,
            "CMS_REPLICA_MAX_LAG_SECONDS": str(LAG),
            "CMS_CACHE_URL": CACHE,
            "CMS_WORKERS": "1",
        }
        manage = self.installation.manage
        manage("migrate", "--verbosity", "0")
        manage("createsuperuser", "--noinput", "--user_name", "root")
        manage("create_site", "Harbour", "--root")
        self.key = manage("create_api_key", "cluster", "--all-scopes")

    @property
    def replica_url(self):
        return f"postgres://cms@127.0.0.1:{self.standby.port}/cms"

    @contextmanager
    def serve(self, nodes=1, **settings):
        """So many nodes, each of whose processes reads from the replica already."""
        with ExitStack() as stack:
            servers = [
                stack.enter_context(self.installation.serve(CMS_NODE_NAME=f"node {number}", **settings))
                for number in range(nodes)
            ]
            for server in servers:
                self.await_reads_on_standby(server)
            yield servers if nodes > 1 else servers[0]

    def client(self, server, key=None):
        """A client of a node while the block lasts."""
        return server.client(key or self.key)

    def ask(self, server, method, path, body=None, key=None):
        sent = None if body is None else json.dumps(body).encode()
        # The proxy says so of itself; nodes that are asked past it want to hear it, too (CMS_SECURE).
        headers = {"X-SS-API-KEY": key or self.key, "X-Forwarded-Proto": "https"}
        return server.request(method, f"/api/v1/{path}", sent, headers)

    def create(self, server, title, key=None):
        made = self.ask(server, "POST", "contents/1/1", {"title": title}, key)
        assert made.status_code == 200, made.content
        return f"contents/1/1/{made.json()['value']['id']}"

    def await_reads_on_standby(self, server, path="stl/sites"):
        """Ask until such a read comes to the replica, which processes know to be fit only after a while."""
        await_that(lambda: self.is_read_from_standby(server, path))

    def is_read_from_standby(self, server, path="stl/sites"):
        """Whether a read that is made now comes to the replica."""
        before = self.last_read()
        assert self.ask(server, "GET", path).status_code == 200
        after = self.last_read()
        return after is not None and (before is None or after > before)  # an earlier one: a connection was closed

    def last_read(self):
        """When the standby was last asked for what a request reads."""
        # Beside the reads there are the measures, twice a second, and what Django sets on a new connection.
        statement = (
            "SELECT max(query_start) FROM pg_stat_activity WHERE usename = 'cms'"
            " AND query NOT LIKE '%pg_last_wal_replay_lsn%' AND query NOT LIKE '%set_config%'"
        )
        return self.standby.execute(statement)[0][0]

    def await_replayed(self):
        """Return when the standby has everything."""
        (end,) = self.primary.execute("SELECT pg_current_wal_insert_lsn()::text")[0]
        caught_up = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        with psycopg.connect(self.standby.url(), autocommit=True) as connection:
            await_that(lambda: connection.execute(caught_up, [end]).fetchone()[0])

    @contextmanager
    def paused_replay(self):
        """The standby stays as it is in the block."""
        self.await_replayed()
        self.standby.execute("SELECT pg_wal_replay_pause()")
        with psycopg.connect(self.standby.url(), autocommit=True) as connection:
            state = "SELECT pg_get_wal_replay_pause_state()"
            await_that(lambda: connection.execute(state).fetchone()[0] == "paused")
        try:
            yield
        finally:
            self.standby.execute("SELECT pg_wal_replay_resume()")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    redis.Redis.from_url(CACHE).flushdb()
    with ExitStack() as stack:
        primary = PostgreSQL(wal_level="replica")
        stack.callback(primary.close)
        primary.start().execute("CREATE ROLE cms LOGIN")
        primary.execute("CREATE DATABASE cms OWNER cms")
        standby = Standby(primary)
        stack.callback(standby.close)
        standby.start()
        yield Cluster(tmp_path_factory.mktemp("cluster"), primary, standby)
