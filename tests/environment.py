"""The environment of a test run: a data folder for each process, and the database and cache to test on.

A plugin named in setup.cfg and not a fixture: pytest-django reads the settings, and they the
environment, before the first conftest.py is loaded.
"""

import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from _pytest.main import wrap_session
from hypothesis import HealthCheck, settings

from tools import shared_folders

# No test touches an installation beside it. Processes of pytest-xdist do not share a folder either,
# since a change of keys in one would empty the memory of the others.
_folder = os.environ["CMS_DATA_DIR"] = tempfile.mkdtemp(prefix="cms-tests-")

# Before xdist starts its processes, so that they have the same.
shared_folders.top()

# As an installation that has accounts has it: tests add peppers to this one.
_pepper = Path(_folder) / "password_pepper"
_pepper.touch(mode=0o600)
_pepper.write_text("5d1e0c7b94a2f863" * 4 + "\n")

# Processes of their own would work on the database that is not of the test.
os.environ["CMS_JOBS_AT_ONCE"] = "0"

# The machine may be busy with something else.
settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")

# The server's threshold, so that tests spend as little time on garbage collection.
gc.set_threshold(50_000, 20, 20)

# CPython takes frames from pieces of 16 KiB, and returns each to the system once it is empty: where one ends within a
# loop, for example of a template, each round costs two system calls. A large frame gets a large piece, which has room
# for the frames of all tests.
wrap_session.__code__ = wrap_session.__code__.replace(co_stacksize=(1 << 17) + 1)

for name in ("DATABASE_URL", "CACHE_URL"):
    if f"CMS_TEST_{name}" in os.environ:
        os.environ[f"CMS_{name}"] = os.environ[f"CMS_TEST_{name}"]


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without looking for garbage among the tests, and let nobody look there later: all of them stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure():
    """Remove the folder when the run is over."""
    shutil.rmtree(_folder, ignore_errors=True)
