"""What the tests of the SQL endpoint share: the reader's account, and a committed world.

Their modules are marked with `django_db`; without a mark in sight pytest-django makes no database for tests.
"""

import io

import pytest
from django.core.management import call_command

from sql_sandbox.running import process_pool
from tests import worlds


def pytest_itemcollected(item):
    item.add_marker("every_case")


@pytest.fixture(scope="module")
def sql_reader(django_db_setup, django_db_blocker):
    """The account that statements are run with on PostgreSQL, while the tests of a module last."""
    from cms_api.sql_endpoint import sandbox

    with django_db_blocker.unblock():
        worlds.leave()
        call_command("set_up_sql_reader", stdout=io.StringIO())
    yield
    sandbox.close()
    with django_db_blocker.unblock():
        worlds.leave()
        call_command("set_up_sql_reader", remove=True, stdout=io.StringIO())


@pytest.fixture(scope="module")
def committed_world(sql_reader, django_db_blocker):
    """The rows of `tests.sql.world`, in the database itself while the tests of a module last."""
    from tests.databases import empty_tables
    from tests.sql import world

    with django_db_blocker.unblock():
        world.load()
    yield world
    with django_db_blocker.unblock():
        worlds.leave()
        empty_tables()


@pytest.fixture
def world(committed_world, db):
    """The world; what a test itself writes is undone."""
    return committed_world


@pytest.fixture(autouse=True)
def children_may_start_slowly(monkeypatch):
    """On a busy machine a child starts in seconds, which are no part of a statement's time here."""
    monkeypatch.setattr(process_pool, "_FREE_SECONDS", 60)
    monkeypatch.setattr(process_pool, "_START_SECONDS", 60)


@pytest.fixture
def impatient_box(settings):
    """A sandbox that gives statements less time, since many of the attacks take all they get."""
    settings.CMS_SQL_SECONDS = 0.3


@pytest.fixture
def patient_box(settings):
    """A sandbox that gives statements more time than any needs, on however busy a machine."""
    settings.CMS_SQL_SECONDS = 30
