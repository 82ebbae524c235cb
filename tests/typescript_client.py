"""The TypeScript client, built for tests."""

import fcntl
import os
import shutil
import subprocess

import pytest

from tools.programs import SECONDS
from tools.servers import ROOT

FOLDER = ROOT / "client-ts"


def built_client():
    """Build the client if it is not up to date, and return its folder. Skips without npm, but not under CI."""
    if shutil.which("npm") is None:
        assert os.environ.get("CI") != "true", "npm is not installed."
        pytest.skip("npm is not installed.")
    with (FOLDER / "package.json").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # tests run in several processes
        run("make", "--silent", "client-ts", cwd=ROOT)
    return FOLDER


def run(*command, cwd=FOLDER, **environment):
    """Run a command and return its standard output. Raises AssertionError if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
