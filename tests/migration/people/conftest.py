import pytest

from tests.accounts.signing_in import nothing_counted
from tests.migration.people.moving import Migration

__all__ = ["nothing_counted"]


@pytest.fixture
def migration(db, tmp_path):
    """Makes a migration of the rows of some tables: `migration(User=[…])`."""
    return lambda **tables: Migration(tmp_path, **tables)
