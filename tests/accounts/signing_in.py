"""Accounts with a password, and how tests sign them in."""

from contextlib import contextmanager

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.crypto import get_random_string

from accounts import attempts, hashers
from accounts.hashers import md5_form
from tests.factories import AdministratorFactory, UserFactory

PASSWORD, OTHER = "harbour-21", "lantern-22"
FACTORIES = {"users": UserFactory, "administrators": AdministratorFactory}
both_kinds = pytest.mark.parametrize("kind", list(FACTORIES))


def account_of(kind, password=PASSWORD, **fields):
    """A new user or administrator with a password."""
    account = FACTORIES[kind].build(**fields)
    account.set_password(password)
    account.save()
    return account


def log_in(client, kind, account, password, **options):
    """The answer to a login; `account` is the object or what is typed."""
    typed = account if isinstance(account, str) else account.user_name
    body = {"account": typed, "password": password}
    return client.post(f"/api/v1/{kind}/actions/login", body, **options)


def reset(client, kind, account, old=PASSWORD, new=OTHER, **options):
    """The answer to a change of the password by the body's account; `old` is plain here, and sent as its MD5."""
    typed = account if isinstance(account, str) else account.user_name
    body = {"account": typed, "password": md5_form(old), "newPassword": new}
    return client.post(f"/api/v1/{kind}/actions/resetPassword", body, **options)


def token_of(client, kind, account, password=PASSWORD):
    """An access token, by a login."""
    return log_in(client, kind, account, password).json()["accessToken"]


def stored(account):
    """The row as it is now."""
    return type(account).objects.get(pk=account.pk)


@contextmanager
def counted_hashings(monkeypatch):
    """A list that grows by one with each hashing of a password."""
    done, real = [], hashers._ARGON2

    class Counting:
        def verify(self, *arguments):
            done.append("verify")
            return real.verify(*arguments)

        def hash(self, *arguments):
            done.append("hash")
            return real.hash(*arguments)

        def __getattr__(self, name):
            return getattr(real, name)

    with monkeypatch.context() as patch:
        patch.setattr(hashers, "_ARGON2", Counting())
        yield done


@contextmanager
def statements():
    """A list that fills with the statements that the database was asked, when the block is over.

    Without those that only come now and then: keys are remembered for a while, and old counts swept away.
    """
    asked = []
    with CaptureQueriesContext(connection) as captured:
        yield asked
    everything = [query["sql"] for query in captured]
    asked += [sql for sql in everything if "apikeys_" not in sql and not sql.startswith("DELETE FROM cms_api_shared")]


@pytest.fixture(autouse=True)
def nothing_counted(monkeypatch):
    """No failures of other tests, which a process and a Redis server remember."""
    attempts.forget_refusals()
    monkeypatch.setattr(attempts, "_PREFIX", get_random_string(12))
