"""Addresses of replicas that cannot be."""

import pytest

from cms_api.replicas.checks import wrong_replicas

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
