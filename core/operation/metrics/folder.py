"""The folder for sharing metrics among the processes of one server.

The folder belongs to the master process and survives its restarts. Each worker locks a numbered file there and
continues the counters of a previous holder, so counters never fall and files never outnumber workers.
(prometheus_client leaves files of every past worker.)
"""

import fcntl
import hashlib
import itertools
import os
import shutil
import socket
from contextlib import suppress
from pathlib import Path

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # where prometheus_client finds the folder
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - metrics must not wait for a disk or fail with a full one
_MASTER = "master"

_folder: Path | None = None
_place: str | None = None
_lock: int | None = None  # open file; holds the place until this process ends in any way


def begin(data_folder: Path) -> None:
    """Create this master's folder, or find it after a restart, and remove leftovers; before the first metric."""
    global _folder, _place
    from prometheus_client import values  # needed only if metrics are on

    top = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else data_folder
    told = f"{socket.gethostname()} {os.geteuid()} {data_folder}"
    common = f"cms-metrics-{hashlib.sha256(told.encode()).hexdigest()[:12]}"
    for former in top.glob(f"{common}-*-*"):
        process, begun = former.name.split("-")[-2:]
        if not process.isdecimal() or not _lives(int(process), begun):
            shutil.rmtree(former, ignore_errors=True)
    folder = top / f"{common}-{os.getpid()}-{_begun_at(os.getpid())}"
    _make(folder)
    _folder, _place = folder, _MASTER  # last: it is read, and removed at the end
    os.environ[_VARIABLE] = str(_folder)
    values.ValueClass = values.MultiProcessValue(own_place)  # type: ignore[no-untyped-call]


def remove() -> None:
    """Remove the folder, if this process is the master."""
    if _folder is not None and _place == _MASTER:
        shutil.rmtree(_folder, ignore_errors=True)


def renew() -> None:
    """Create the folder again after the system has removed it (systemd-logind with RemoveIPC)."""
    if _folder is not None:
        _make(_folder)


def _make(folder: Path) -> None:
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user.")


def shared_folder() -> Path | None:
    """Return the folder; None if this process does not belong to a server and has only its own metrics."""
    if _folder is None:
        os.environ.pop(_VARIABLE, None)  # inherited by a job, which has no place in the folder
    return _folder


def own_place() -> str:
    global _lock, _place
    if _place is not None:
        return _place
    assert _folder is not None  # noqa: S101 - only called after begin
    _make(_folder)
    for number in itertools.count():
        file = os.open(_folder / f"{number}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        if _is_ours(file):
            _lock = file
            os.truncate(file, 0)
            os.write(file, str(os.getpid()).encode())
            _forget_state(_folder, str(number))
            _place = str(number)
            return _place
        os.close(file)
    raise AssertionError


def processes() -> dict[str, int]:
    """Return the process ids of master and workers by place; removes the gauges of ended workers."""
    if _folder is None:
        return {"0": os.getpid()}
    found = {_MASTER: int(_folder.name.split("-")[-2])}
    for path in sorted(_folder.glob("*.lock")):
        with path.open("r+b") as file:
            if _is_ours(file.fileno()):
                _forget_state(_folder, path.stem)
            else:
                found[path.stem] = int(file.read() or b"0")
    return found


def _is_ours(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _forget_state(folder: Path, place: str) -> None:
    """Remove a worker's gauges and keep its counters; the caller holds the lock."""
    for path in folder.glob(f"gauge_live*_{place}.db"):
        path.unlink(missing_ok=True)


def _leave_place() -> None:
    global _place, _lock
    if _lock is not None:
        os.close(_lock)
    _place = _lock = None


os.register_at_fork(after_in_child=_leave_place)


def _lives(process: int, begun: str) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return _begun_at(process) == begun


def _begun_at(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:  # no such process, or a system without /proc
        return "0"
