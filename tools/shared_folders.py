"""Folders that take seconds to make: one process of a test run makes each, and the others use it."""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

_NAME = "CMS_TEST_SHARED_FOLDER"


def top() -> Path:
    """Return the folder above them, which processes inherit; the first one removes it when it exits."""
    if _NAME not in os.environ:
        os.environ[_NAME] = tempfile.mkdtemp(prefix="cms-shared-")
        atexit.register(shutil.rmtree, os.environ[_NAME], ignore_errors=True)
    return Path(os.environ[_NAME])


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of that name; `make` fills it unless another process has. Waits for one that does."""
    folder = top() / name
    with (top() / f"{name}.state").open("a+") as state:
        fcntl.flock(state, fcntl.LOCK_EX)
        state.seek(0)
        if not state.read():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            state.write("made")
    return folder
