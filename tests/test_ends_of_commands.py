"""How commands end: by Ctrl-C, without a reader of their output, and with which exit code."""

import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tools import forking
from tools.programs import SECONDS, Program
from tools.servers import ROOT, Installation

OWN_SERVERS = True  # whatever database the suite runs on
pytestmark = pytest.mark.large
# Stops the load of the application at one of its modules.
STOP = """
import signal, sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == "accounts.models":
            print("loading", flush=True)
            signal.pause()

sys.meta_path.insert(0, Stop())
"""


# Arguments that name something that does not exist, and arguments that are always wrong.
ENDS = {
    1: [
        ["run_job", "12345"],
        ["export_site", "999"],
        ["export_pages", "nosuch", "folder"],
        ["check_templates", "999"],
        ["check_tree", "--site", "999"],
        ["purge", "trash", "--site", "999"],
        ["purge", "history", "--site", "999"],
        ["rotate_api_key", "nosuch"],
        ["create_api_key", "new", "--site", "999"],
        ["create_api_key", "new", "--administrator", "nosuch"],
        ["create_site", "Museum", "--site-dir", "museum", "--parent", "999"],
        ["unlock_account", "nobody"],
        ["reset_second_factor", "nobody"],
        ["verify_backup", "nosuch.tar"],
        ["import_templates", "999", "nosuch"],
        ["import_form", "999", "nosuch"],
        ["make_forms", "999"],
        ["createsuperuser", "--user_name", "captain"],
    ],
    2: [
        ["run_job"],
        ["run_job", "first"],
        ["export_site", "museum"],
        ["doctor", "--loud"],
        ["purge", "audit", "--older-than", "0"],
        ["restart", "--timeout", "-1"],
        ["create_api_key", "new", "--scope", "Nothing"],
        ["create_api_key", "new", "--expires", "yesterday"],
        ["create_api_key", "new", "--expires", "2001-01-01"],
        ["create_api_key", "new", "--requests-per-minute", "-1"],
        ["create_site", "Museum"],
        ["create_site", " ", "--root"],
    ],
}


@pytest.mark.parametrize(
    ("code", "arguments"), [(code, each) for code, rows in ENDS.items() for each in rows], ids=lambda each: str(each)
)
def test_the_exit_code_tells_what_cannot_be_done_from_a_wrong_call(installation, code, arguments):
    done, out, errors = forking.run(installation.environment, "manage.py", *arguments, seconds=SECONDS)
    assert done == code, errors
    assert errors.strip() and "Traceback" not in errors and not out


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """One whose failed backups are told to nobody else."""
    return Installation(tmp_path_factory.mktemp("installation"))


@pytest.fixture(autouse=True)
def heeded_interrupts():
    """What a shell starts in the background ignores Ctrl-C, and so would the commands that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def manage(*arguments):
    return [sys.executable, "manage.py", *map(str, arguments)]


def await_reading(process):
    """Wait until the process reads its standard input; Python loses an interrupt between a question and this call."""
    calls = Path(f"/proc/{process.pid}/syscall")
    while calls.read_text(encoding="ascii").split()[1:2] != ["0x0"]:
        assert process.poll() is None
        time.sleep(0.01)


def test_ctrl_c_while_a_command_loads_is_one_line(installation, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(STOP, encoding="utf-8")
    program = Program(manage("doctor"), cwd=ROOT, env=installation.environment | {"PYTHONPATH": str(tmp_path)})
    program.await_lines("loading")
    program.end(signal.SIGINT)
    assert (program.log, program.code) == ("loading\nInterrupted.\n", 130)


def test_ctrl_c_after_progress_bars_is_one_line_below_them(installation, tmp_path):
    installation.manage("backup", tmp_path / "backup.tar")
    terminal, end = os.openpty()
    termios.tcsetwinsize(end, (24, 80))
    process = subprocess.Popen(
        manage("restore", "--replace", tmp_path / "backup.tar"),
        cwd=ROOT, env=installation.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=end,
    )  # fmt: skip
    os.close(end)
    told = b""
    while b"will be deleted" not in told:  # the question follows
        told += os.read(terminal, 4096)
    await_reading(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(SECONDS) == 130
    told += os.read(terminal, 65536)
    os.close(terminal)
    process.stdin.close()
    assert b"%|" in told and b"Traceback" not in told
    assert told.endswith(b"\nInterrupted.\r\n")


def test_ctrl_c_at_a_question_is_one_line(installation):
    terminal, end = os.openpty()
    process = subprocess.Popen(
        manage("createsuperuser"),
        cwd=ROOT, env=installation.environment, stdin=end, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.read(1)  # of the question
    await_reading(process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    os.close(terminal)
    os.close(end)
    assert (process.returncode, errors) == (130, "\nOperation cancelled.\n")


@pytest.mark.parametrize(
    "arguments", [["doctor"], ["diffsettings", "--all"], ["backup", "-"]], ids=["at the end", "before", "archive"]
)
def test_output_without_a_reader_ends_quietly(installation, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        manage(*arguments),
        cwd=ROOT, env=installation.environment, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=SECONDS,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")
