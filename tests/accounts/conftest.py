"""What all tests of accounts share."""

import pytest
from argon2 import PasswordHasher, Type

from accounts import hashers
from tests.accounts.signing_in import nothing_counted

__all__ = ["nothing_counted"]


@pytest.fixture(autouse=True)
def _cheap_hashing(request, monkeypatch):
    """The same scheme at the least cost, unless a module is about the cost itself (`REAL_COST = True`)."""
    if not getattr(request.module, "REAL_COST", False):
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID)
        monkeypatch.setattr(hashers, "_ARGON2", cheap)
