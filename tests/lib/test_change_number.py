"""The number that processes of one machine share."""

import subprocess
import sys

import pytest

from core.lib.change_number import ChangeNumber

BUMP = """
import sys
from pathlib import Path
from core.lib.change_number import ChangeNumber
number = ChangeNumber(Path(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    number.bump()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "changes"


def bump_elsewhere(path, times):
    return subprocess.Popen([sys.executable, "-c", BUMP, str(path), str(times)])


def test_stays_the_same_until_it_is_raised(path):
    number = ChangeNumber(path)
    before = number.read()
    assert number.read() == before
    number.bump()
    assert number.read() != before


def test_every_raise_gives_a_new_number(path):
    number, seen = ChangeNumber(path), set()
    for _ in range(1000):
        seen.add(number.read())
        number.bump()
    assert len(seen) == 1000


def test_all_that_map_the_file_see_a_raise(path):
    one, other = ChangeNumber(path), ChangeNumber(path)
    assert one.read() == other.read()
    other.bump()
    assert one.read() == other.read() != bytes(8)


def test_raises_of_many_processes_are_all_counted(path):
    number = ChangeNumber(path)
    number.read()
    processes = [bump_elsewhere(path, 500) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert int.from_bytes(number.read(), "little") == 1500


def test_the_file_is_for_its_owner_alone(path):
    ChangeNumber(path).read()
    assert path.stat().st_mode & 0o777 == 0o600


def test_goes_on_where_it_was_after_a_restart(path):
    ChangeNumber(path).bump()
    assert ChangeNumber(path).read() == (1).to_bytes(8, "little")
