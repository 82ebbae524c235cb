import fcntl
import mmap
import os
from pathlib import Path

_SIZE = 8


class ChangeNumber:
    """A counter in a memory-mapped file, shared by the processes of a machine; reading costs no system call.

    A reader notes it before filling its cache and trusts the entry while it is unchanged; a writer bumps it after the
    commit and before it responds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._map: mmap.mmap | None = None

    def read(self) -> bytes:
        """Return the number, for comparison only. If the file is unusable, no two numbers are equal."""
        try:
            return self._mapped()[:_SIZE]
        except OSError:
            return os.urandom(_SIZE)

    def bump(self) -> None:
        """Increment the number; raises OSError if the file cannot be written."""
        mapped = self._mapped()
        with self._path.open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            number = int.from_bytes(mapped[:_SIZE], "little") + 1
            mapped[:_SIZE] = number.to_bytes(_SIZE, "little")

    def _mapped(self) -> mmap.mmap:
        if self._map is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if os.fstat(handle).st_size < _SIZE:
                    os.ftruncate(handle, _SIZE)
                self._map = mmap.mmap(handle, _SIZE)
            finally:
                os.close(handle)
        return self._map
