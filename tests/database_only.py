"""Leaves out the tests that no server of a database or cache can change: a plugin of `make test-on-postgresql`.

These have no mark or fixture of pytest-django, which therefore refuses them every statement; the servers that some of
them start work on SQLite in any case (`tests.servers`). What asks a server in a way of its own stays: it is skipped
where there is none. So do modules that look at the connection without a statement, at its engine for instance, unless
they say that they start all servers themselves (`OWN_SERVERS`). Tests that pass on any database, and say so with the
mark `any_database`, are left out too: rights, page texts, and requests that are rejected before records are read.
"""

_FIXTURES = {"db", "transactional_db", "django_db_setup", "live_server"}
_NAMES = ("connection", "connections", "POSTGRESQL")


def pytest_collection_modifyitems(config, items):
    """Keep what a server can change."""
    config.hook.pytest_deselected(items=[item for item in items if not asks_a_server(item)])
    items[:] = filter(asks_a_server, items)


def asks_a_server(item):
    """Whether the outcome of the test may depend on the database or cache."""
    if item.get_closest_marker("any_database"):
        return False
    if not _FIXTURES.isdisjoint(item.fixturenames) or item.get_closest_marker("django_db"):
        return True
    if getattr(item.module, "OWN_SERVERS", False):
        return False
    return bool(item.get_closest_marker("skipif")) or any(hasattr(item.module, name) for name in _NAMES)
