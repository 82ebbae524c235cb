import pytest

from tests.webhooks.test_deliveries import Clock


@pytest.fixture(autouse=True)
def mail_server(settings):
    """E-mails are queued, and sent nowhere."""
    settings.CMS_EMAIL_URL = "smtp://127.0.0.1:9"
    settings.CMS_ADMIN_URL = "https://cms.example.org"


@pytest.fixture
def moved(monkeypatch):
    """The time, moved by hand: at noon."""
    from core.lib import clock

    hands = Clock()
    hands.time = hands.time.replace(hour=12, minute=0, second=0)
    monkeypatch.setattr(clock, "now", hands.now)
    return hands
