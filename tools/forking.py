"""Commands in processes of their own that do not load Django again: each is forked from one that has loaded it.

A start takes a second of the processor, a fork some milliseconds. Servers, and commands whose start is tested, are
started as in production.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent
_MAX_KEPT = 4  # each has as much memory as a worker of the server


class Loaded:
    """A process that has loaded the project in an environment, and runs commands in forks of itself."""

    def __init__(self, environment):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.forking"],
            cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, arguments, seconds):
        with tempfile.TemporaryDirectory(prefix="cms-forked-") as folder:
            out, errors = Path(folder) / "out", Path(folder) / "errors"
            asked = {"arguments": arguments, "out": str(out), "errors": str(errors), "seconds": seconds}
            self._process.stdin.write(f"{json.dumps(asked)}\n")
            self._process.stdin.flush()
            code = self._process.stdout.readline()
            assert code, "The project cannot be loaded; the reason is in the standard error of the tests."
            return int(code), out.read_text(encoding="utf-8"), errors.read_text(encoding="utf-8")

    def end(self):
        self._process.communicate()


_loaded = {}
_inherited = []


def _leave_to_the_parent():
    _inherited.append(_loaded.copy())
    _loaded.clear()


os.register_at_fork(after_in_child=_leave_to_the_parent)


def run(environment, *arguments, seconds):
    """Run Python with these arguments in the project's folder; return its exit code, output and errors.

    The first argument is `manage.py`, `-m` or `-c`. A process that takes longer ends by SIGALRM, with the code -14.
    """
    # The settings have the pepper of the file that is there when they are loaded; the first password makes it.
    key = frozenset(environment.items()), (Path(environment["CMS_DATA_DIR"]) / "password_pepper").exists()
    loaded = _loaded[key] = _loaded.pop(key, None) or Loaded(environment)
    if len(_loaded) > _MAX_KEPT:
        _loaded.pop(next(iter(_loaded))).end()
    return loaded.run(arguments, seconds)


@atexit.register
def _end_all():
    while _loaded:
        _loaded.popitem()[1].end()


def _await_command():
    """Fork for each requested command, and return the request in the fork."""
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            return asked
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return None


def _stand_in(asked):
    """Make this process one that was started with these arguments, as far as its standard streams and names go."""
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, (path, mode) in enumerate([(os.devnull, os.O_RDONLY), (asked["out"], write), (asked["errors"], write)]):
        opened = os.open(path, mode)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8")  # data that the parent had read ahead do not belong to this process
    signal.alarm(asked["seconds"])


def _execute(kind, *arguments):
    if kind == "-c":
        sys.argv = [kind, *arguments[1:]]
        exec(compile(arguments[0], "<string>", "exec"), {"__name__": "__main__"})
    elif kind == "-m":
        sys.argv = list(arguments)
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [kind, *arguments]
        runpy.run_path(kind, run_name="__main__")


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")
    django.setup()
    import cms_api.urls  # noqa: F401 - the commands' checks load it

    gc.collect()
    gc.freeze()
    if asked := _await_command():
        _stand_in(asked)
        _execute(*asked["arguments"])


if __name__ == "__main__":
    main()
