"""What all tests of accounts share."""

from tests.accounts.signing_in import nothing_counted

__all__ = ["nothing_counted"]
