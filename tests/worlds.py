"""Worlds: records that many tests in a row start with, made once for all of them.

The records are in a transaction around those of the tests. So each test takes back what it changes, and it gets objects
of its own. A world ends before the first test that does not have it. Tests with transactions of their own make theirs.
"""

from copy import deepcopy
from inspect import Parameter, Signature, signature

import pytest
from django.db import transaction

_open = []  # triples of a world, its transaction, which is within the one before, and its objects


def world(make):
    """A fixture of what the function returns; its parameters are other worlds."""

    def fixture(worlds, **_others):
        return worlds(make)

    parameters = ["worlds", "db", *signature(make).parameters]
    fixture.__signature__ = Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in parameters])
    fixture.__name__, fixture.__doc__, fixture.__module__ = make.__name__, make.__doc__, make.__module__
    fixture.world = make
    return pytest.fixture(fixture)


def open_worlds(request):
    """Open the worlds of a test, and return a function that gives it its own objects of each."""
    definitions = request.node._fixtureinfo.name2fixturedefs

    def world_named(name):
        return getattr(definitions[name][-1].func, "world", None) if name in definitions else None

    def others_of(make):
        return {name: world_named(name) for name in signature(make).parameters}

    def made(make, objects):
        """The objects of the world, which are added to those of others."""
        if make not in objects:
            objects[make] = make(**{name: made(other, objects) for name, other in others_of(make).items()})
        return objects[make]

    if _has_transactions(request):
        leave()
        own = {}
        return lambda make: made(make, own)
    names = [name for name in request.fixturenames if world_named(name)]
    wanted = {}
    for name in sorted(names, key=lambda name: len(definitions[name][-1].baseid)):  # those of more tests first
        make = world_named(name)
        wanted |= dict.fromkeys([*others_of(make).values(), make])
    wanted = list(wanted)
    leave(next((at for at, (make, *_) in enumerate(_open) if wanted[at : at + 1] != [make]), len(_open)))
    objects = {make: found for make, _, found in _open}
    for make in wanted[len(_open) :]:
        block = transaction.atomic()
        block.__enter__()
        _open.append((make, block, None))
        _open[-1] = (make, block, made(make, objects))
    return deepcopy(objects).__getitem__


def leave(number=0):
    """End all but the first worlds."""
    while len(_open) > number:
        _, block, _ = _open.pop()
        transaction.set_rollback(True)
        block.__exit__(None, None, None)


def _has_transactions(request):
    marker = request.node.get_closest_marker("django_db")
    return bool(
        (marker and (marker.kwargs.get("transaction") or marker.args))
        or not {"transactional_db", "live_server"}.isdisjoint(request.fixturenames)
    )
