"""What tests of the back end share."""

import pytest


@pytest.fixture
def highest(client, db):
    """A browser in which an administrator of the highest rank has signed in."""
    from tests.factories import AdministratorFactory

    client.force_login(AdministratorFactory(user_name="harriet"))
    return client
