"""Addresses of replicas that cannot be, and replicas that are left out."""

from time import monotonic

import pytest

from core.replicas.checks import wrong_replicas
from core.replicas.servers import Replica

GOOD = "postgres://cms:secret-1@db2:5432/cms"


@pytest.fixture
def told(settings):
    def told(*urls):
        settings.CMS_DATABASE_REPLICA_URLS = list(urls)
        settings.CMS_CACHE_URL = "redis://127.0.0.1:1/0"
        return [sentence for sentence in wrong_replicas() if "address" in sentence]

    return told


@pytest.mark.parametrize(
    "wrong",
    [
        "mysql://cms:secret-1@db2/cms",
        "sqlite:///cms.sqlite3",
        "postgres:///cms",
        "postgres://cms:secret-1@db2",
        "postgres://cms:secret-1@db2:port/cms",
        f"{GOOD}?nonsense=1",
        f"{GOOD}?pool=4",
        "db2",
    ],
)
def test_an_address_that_cannot_be_is_named_by_its_number_and_not_repeated(told, wrong):
    (sentence,) = told(GOOD, wrong)
    assert sentence.startswith("CMS_DATABASE_REPLICA_URLS: address 2 ")
    assert "secret" not in sentence


@pytest.mark.parametrize("good", [GOOD, "pgsql://db2/cms", f"{GOOD}?sslmode=require"])
def test_an_address_that_can_be_is_not_told(told, good):
    assert told(good) == []


def test_why_a_replica_is_left_out_is_logged_once_also_if_it_was_never_used(caplog):
    replica = Replica(GOOD)
    with caplog.at_level("INFO"):
        replica.measure(monotonic(), 0, float("-inf"))  # its lag is not known yet
        for _ in range(2):
            replica.leave_out("it is no longer a standby")
        assert (replica.is_fit, replica.lag) == (False, None)
        now = monotonic()
        replica.measure(now, 0, now - 0.5)
        assert (replica.is_fit, replica.lag) == (True, 0.5)
        replica.leave_out("it is no longer a standby")
    assert [record.message for record in caplog.records] == [
        "The replica db2:5432 is not used: it is no longer a standby",
        "The replica db2:5432 is in use.",
        "The replica db2:5432 is not used: it is no longer a standby",
    ]
