"""Selects the tests whose outcome may depend on the database or the cache: a plugin of `make test-on-postgresql`.

pytest-django refuses statements to a test without one of its marks or fixtures, so such a test is left out; servers
that it starts use SQLite in any case (`tools.servers`). Exceptions are modules that look at the connection without a
statement, and tests that are skipped unless a server is there, except those that start every server themselves
(`OWN_SERVERS`).

Tests marked `any_database` pass on any database and are left out too: rights, page texts, and requests that are
rejected before records are read.

The statements of most tests are the same for all parameters, so the last case represents them. Tests marked
`every_case` send a different statement with each and run completely.
"""

from itertools import groupby

_FIXTURES = {"db", "transactional_db", "django_db_setup", "live_server"}
_NAMES = ("connection", "connections", "POSTGRESQL")


def pytest_collection_modifyitems(config, items):
    asking = [item for item in items if asks_a_server(item)]
    kept = [item for _, cases in groupby(asking, _function) for item in representatives(list(cases))]
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


def asks_a_server(item):
    """Whether the outcome of the test may depend on the database or cache."""
    if item.get_closest_marker("any_database"):
        return False
    if not _FIXTURES.isdisjoint(item.fixturenames) or item.get_closest_marker("django_db"):
        return True
    if getattr(item.module, "OWN_SERVERS", False):
        return False
    return bool(item.get_closest_marker("skipif")) or any(hasattr(item.module, name) for name in _NAMES)


def _function(item):
    return item.nodeid.partition("[")[0]


def representatives(cases):
    """Return the cases of one test that run: all that are marked, or the last."""
    return cases if cases[0].get_closest_marker("every_case") else cases[-1:]
