import pytest
from argon2 import PasswordHasher, Type

from accounts import hashers
from tests.accounts.signing_in import nothing_counted
from tests.migration.people.moving import Migration

__all__ = ["nothing_counted"]


@pytest.fixture
def migration(db, tmp_path):
    """Makes a migration of the rows of some tables: `migration(User=[…])`."""
    return lambda **tables: Migration(tmp_path, **tables)


@pytest.fixture(autouse=True)
def cheap_hashing(monkeypatch):
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID)
    monkeypatch.setattr(hashers, "_ARGON2", cheap)
