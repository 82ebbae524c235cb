"""Databases of their own on the PostgreSQL server of the test run."""

import os
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.utils.crypto import get_random_string

_TESTED = os.environ.get("CMS_TEST_DATABASE_URL", "")
HAS_POSTGRESQL = _TESTED.startswith("postgres")


@contextmanager
def new_database():
    """The address of an empty database, which is dropped after the block."""
    name = f"cms_test_{get_random_string(12, 'abcdefghijklmnopqrstuvwxyz')}"
    address = urlsplit(_TESTED)
    with psycopg.connect(urlunsplit(address._replace(path="/postgres")), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield urlunsplit(address._replace(path=f"/{name}"))
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
