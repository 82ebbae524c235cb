import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Python, the parser and the drivers map about 70 MiB. The rest is for the widest row: sixteen long texts of 10 MiB in
# the driver's buffer, which doubles as it grows, and again as Python texts.
ADDRESS_SPACE = 768 * 1024 * 1024
FILE_SIZE = 64 * 1024 * 1024  # each temporary file of a sort
_OPEN_FILES = 64
_NICENESS = 5

_LIMITS = {
    resource.RLIMIT_AS: ADDRESS_SPACE,
    resource.RLIMIT_FSIZE: FILE_SIZE,
    resource.RLIMIT_CORE: 0,  # a dump of the memory could contain rows and a password
    resource.RLIMIT_NOFILE: _OPEN_FILES,
    resource.RLIMIT_NPROC: 0,  # no further process or thread; not applied to root
}


def limit_process() -> None:
    for limit, value in _LIMITS.items():
        _, highest = resource.getrlimit(limit)
        value = value if highest == resource.RLIM_INFINITY else min(value, highest)
        resource.setrlimit(limit, (value, value))
    os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the worker ends its children itself
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file at its limit is an error of that write


@contextmanager
def ending_at(deadline: float) -> Iterator[None]:
    """End this process if the block is still running at that time of time.monotonic()."""
    # The default action: Python would run a handler only between two bytecode instructions.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def memory_peak() -> int:
    """Return the peak memory of this process in bytes."""
    # Not ru_maxrss if avoidable: on Linux it is inherited from the parent.
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
