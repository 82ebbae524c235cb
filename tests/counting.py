"""The places of counts that all processes keep together, as tests use them: the database, and a Redis of their own.

Modules import the fixtures by the names of their functions, and tests ask for them by shorter ones.
"""

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from django.db import connections
from django.db.models import F

from core.models import SharedCounter
from core.shared_counts import in_redis
from tests.redis_server import RedisServer


def _redis_server():
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not installed")
    return closing(RedisServer())


@pytest.fixture(name="redis_server", scope="module")
def started_redis_server():
    with _redis_server() as server:
        yield server


@pytest.fixture(name="mortal_server")
def redis_server_of_one_test(settings):
    """A Redis server that one test may treat as it likes."""
    with _redis_server() as server:
        settings.CMS_CACHE_URL = server.url
        yield server


class InDatabase:
    """What tests do to counts in the database behind their back."""

    def end_all(self):
        SharedCounter.objects.update(ends_at=F("ends_at") - 10_000)

    def pass_seconds(self, seconds):
        SharedCounter.objects.update(ends_at=F("ends_at") - seconds)

    def texts(self):
        return str(list(SharedCounter.objects.values_list()))

    def size(self):
        return SharedCounter.objects.count()


class InRedis:
    """The same in Redis."""

    def __init__(self, client):
        self._client = client

    def end_all(self):
        # A time in the past takes a key away at once, as its end does.
        for key in self._client.scan_iter():
            self._client.pexpire(key, -1)

    def pass_seconds(self, seconds):
        for key in self._client.scan_iter():
            self._client.pexpire(key, self._client.pttl(key) - seconds * 1000)

    def texts(self):
        return str([(key, self._client.get(key)) for key in self._client.scan_iter()])

    def size(self):
        return self._client.dbsize()


@pytest.fixture(name="counts", params=["database", "redis"])
def counts_in_each_place(request, settings):
    """One place after the other, empty."""
    if request.param == "database":
        settings.CMS_CACHE_URL = ""
        return InDatabase()
    server = request.getfixturevalue("redis_server")
    settings.CMS_CACHE_URL = server.url
    server.client.flushdb()
    return InRedis(server.client)


@pytest.fixture(autouse=True)
def forgotten_servers():
    """No test learns from another one that a server does not answer."""
    in_redis._server.cache_clear()
    yield
    in_redis._server.cache_clear()


def in_threads(act, times, threads=16):
    """What the act returns so many times, called from many threads at once."""

    def run(_):
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(times)))
