"""What all tests share."""

import pytest

ALL_SCOPES = "Channels,Contents,Administrators,Users,STL,SQL,System"


@pytest.fixture(scope="session", autouse=True)
def audit_is_emptied():
    """Tests with transactions of their own end with a flush, which the triggers of the audit would refuse.

    So its entries go before, in the one way there is. TestCase has another end, which rolls back.
    """
    from django.test import TransactionTestCase

    def empty_and_flush(self):
        empty_audit()
        flush(self)

    with pytest.MonkeyPatch.context() as patch:
        flush = TransactionTestCase._fixture_teardown
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_and_flush)
        yield


def empty_audit():
    """Delete every entry of the audit, as a purge does that keeps none."""
    from django.db import transaction

    from cms_api.models import AuditEntry, AuditRetention

    with transaction.atomic():
        AuditRetention.objects.create(before="9999-01-01 00:00:00")
        AuditEntry.objects.all().delete()
        AuditRetention.objects.all().delete()


@pytest.fixture
def client_with_key(db):
    """Makes clients, each with a new key: `client_with_key(scopes="STL:read", site_ids="1")`."""
    # Imported here, since Django is not set up while this module is loaded.
    from tests.clients import ApiClient
    from tests.factories import ApiKeyFactory

    def make(**fields):
        return ApiClient(ApiKeyFactory(**({"scopes": ALL_SCOPES} | fields)).token)

    return make


@pytest.fixture
def api(client_with_key):
    """A client whose key has every scope and reaches every site."""
    return client_with_key()


@pytest.fixture
def stranger():
    """A client without a key."""
    from tests.clients import ApiClient

    return ApiClient()


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """A data folder for real servers and commands, apart from the database of the other tests."""
    from tests.servers import Installation

    return Installation(tmp_path_factory.mktemp("installation"))


@pytest.fixture(scope="session")
def server(installation):
    """A real gunicorn with two workers; bodies may have 2 000 000 bytes."""
    with installation.serve(CMS_MAX_BODY_BYTES="2000000") as running:
        yield running
