"""Every script of this folder, on a small scale: `make test-operation`."""

import subprocess
import sys

import pytest

from tools.servers import ROOT

SCRIPTS = {
    "clock_jumps": ["--jumps=+2h,-3h"],
    "database_gone": ["--times", "2", "--seconds", "1"],
    "disk_full": ["--times", "2"],
    "kill_postgresql": ["--times", "2"],
    "kill_workers": ["--times", "2"],
    # What these measure of time and memory depends on the machine: bounds are far away here.
    "overload": ["--seconds", "3", "--p99", "60000", "--growth", "1000"],
    "redis_gone": ["--times", "2", "--seconds", "1"],
    "slow_clients": ["--seconds", "3", "--settle", "5", "--p99", "60000"],
    "soak": ["--minutes", "0.1", "--growth", "1000"],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_finds_nothing_wrong(name):
    command = [sys.executable, "-m", f"tests.faults.{name}", *SCRIPTS[name]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("| ")


def test_no_script_is_left_out():
    shared = {"__init__", "clients", "common", "test_scripts", "writing"}
    assert {path.stem for path in (ROOT / "tests" / "faults").glob("*.py")} - shared == set(SCRIPTS)
