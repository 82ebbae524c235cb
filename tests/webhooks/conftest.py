import pytest

from tests.webhooks.receivers import receiving


@pytest.fixture(autouse=True)
def loopback_is_allowed(settings):
    settings.CMS_WEBHOOK_NETWORKS = ["127.0.0.0/8"]


@pytest.fixture
def receiver():
    with receiving() as found:
        yield found


@pytest.fixture
def short(monkeypatch):
    """The time limit of a request is short, so that tests need not wait for it."""
    from webhooks import http_client

    monkeypatch.setattr(http_client, "SECONDS", 0.3)
