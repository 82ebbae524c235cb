from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def missing_migrations() -> list[tuple[str, str]]:
    """Return app and name of each migration of this code that the database lacks; later migrations do not matter."""
    return compare_migrations()[0]


def compare_migrations() -> tuple[list[tuple[str, str]], bool]:
    """Return the missing migrations, and whether newer code was the last to migrate the database."""
    applied = MigrationRecorder(connection).applied_migrations()
    own, last = _own_migrations(), max(applied.items(), key=lambda entry: entry[1].pk, default=None)
    return sorted(own - applied.keys()), last is not None and last[0] not in own


@cache
def _own_migrations() -> frozenset[tuple[str, str]]:
    found = set()
    for app in apps.get_app_configs():
        name, _ = MigrationLoader.migrations_module(app.label)
        if name is not None and find_spec(name) is not None:
            modules = iter_modules(import_module(name).__path__)
            found |= {(app.label, each.name) for each in modules if not each.ispkg and each.name[0] not in "_~"}
    return frozenset(found)
