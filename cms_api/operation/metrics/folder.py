"""Where the processes of one server keep their figures, so that each of them can tell all.

The folder belongs to the master process and outlives its restarts, which keep the process number. In it each worker
takes a place, a number, by locking a file. A worker that takes the place of one that has ended goes on counting where
that one has stopped: so counters never fall, and there are never more files than there have been workers at once.
(prometheus_client itself names files by process numbers, and keeps those of every worker that has ever been.)
"""

import fcntl
import hashlib
import itertools
import os
import shutil
import socket
from contextlib import suppress
from pathlib import Path

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # by which prometheus_client finds the folder
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - figures must not wait for a disk, nor end with it when it is full
_PREFIX = "cms-metrics"
_MASTER = "master"

_folder: Path | None = None
_place: str | None = None
_lock: int | None = None  # open file; the place is ours until this process ends, however it ends


def begin(data_folder: Path) -> None:
    """Make the folder of the server whose master this process is, or find it after a restart; remove what is left over.

    Before the first figure is made.
    """
    global _folder, _place
    from prometheus_client import values  # nobody else has use for it unless metrics are on

    top = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else data_folder
    common = _common_name(data_folder)
    _remove_left_over(top, common)
    folder = top / f"{common}-{os.getpid()}-{_begun_at(os.getpid())}"
    _make(folder)
    _folder, _place = folder, _MASTER  # only now: it is read, and removed at the end
    os.environ[_VARIABLE] = str(_folder)
    values.ValueClass = values.MultiProcessValue(own_place)  # type: ignore[no-untyped-call]


def keep() -> None:
    """Make the folder anew where a system that tidies up has removed it, as systemd-logind does with RemoveIPC."""
    if _folder is not None:
        _make(_folder)


def _make(folder: Path) -> None:
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to somebody else.")


def end() -> None:
    if _folder is not None and _place == _MASTER:
        shutil.rmtree(_folder, ignore_errors=True)


def shared_folder() -> Path | None:
    """The folder; None where this process is none of a server's, and knows its own figures only."""
    if _folder is None:
        os.environ.pop(_VARIABLE, None)  # inherited by a job, which has no place there
    return _folder


def own_place() -> str:
    """The place of this process, which it takes when it first needs one."""
    global _place
    if _place is None:
        _place = _take_place()
    return _place


def processes() -> dict[str, int]:
    """The process numbers of master and workers by their places, and nothing left of a worker that is gone."""
    if _folder is None:
        return {"0": os.getpid()}
    found = {_MASTER: int(_folder.name.split("-")[-2])}
    for path in sorted(_folder.glob("*.lock")):
        with path.open("r+b") as file:
            if _is_ours(file.fileno()):
                _forget_state(path.stem)
            else:
                found[path.stem] = int(file.read() or b"0")
    return found


def _take_place() -> str:
    global _lock
    assert _folder is not None  # noqa: S101 - nobody asks otherwise
    keep()
    for number in itertools.count():
        file = os.open(_folder / f"{number}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        if _is_ours(file):
            _lock = file
            os.truncate(file, 0)
            os.write(file, str(os.getpid()).encode())
            _forget_state(str(number))
            return str(number)
        os.close(file)
    raise AssertionError


def _is_ours(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _forget_state(place: str) -> None:
    """What tells how a worker is ends with it; what it has counted stays. Whoever calls this holds the lock."""
    assert _folder is not None  # noqa: S101
    for path in _folder.glob(f"gauge_live*_{place}.db"):
        path.unlink(missing_ok=True)


def _leave_place() -> None:
    """In a process that was just forked: the place is that of the process it was forked from."""
    global _place, _lock
    if _lock is not None:
        os.close(_lock)
    _place = _lock = None


os.register_at_fork(after_in_child=_leave_place)


def _common_name(data_folder: Path) -> str:
    told = f"{socket.gethostname()} {os.geteuid()} {data_folder}"
    return f"{_PREFIX}-{hashlib.sha256(told.encode()).hexdigest()[:12]}"


def _remove_left_over(top: Path, common: str) -> None:
    for folder in top.glob(f"{common}-*-*"):
        process, begun = folder.name.split("-")[-2:]
        if not process.isdecimal() or not _lives(int(process), begun):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(process: int, begun: str) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return _begun_at(process) == begun


def _begun_at(process: int) -> str:
    """What tells the process from a later one of the same number; stays when it runs another program."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:  # no such process, or a system without /proc
        return "0"
