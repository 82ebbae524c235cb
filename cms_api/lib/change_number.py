"""A number that all processes of one machine share, raised whenever something cached has changed."""

import fcntl
import mmap
import os
from pathlib import Path

_SIZE = 8


class ChangeNumber:
    """A counter in a file that is mapped into memory: reading it costs no system call.

    A reader notes the number before it fills its cache and trusts the entry only while the number
    stays the same. A writer raises it after its change is committed and before it answers.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._map: mmap.mmap | None = None

    def read(self) -> bytes:
        """The present number, as bytes that are only ever compared.

        Where the file cannot be used, because another account made it, no two numbers are equal:
        then nothing cached is trusted.
        """
        try:
            return self._mapped()[:_SIZE]
        except OSError:
            return os.urandom(_SIZE)

    def bump(self) -> None:
        """Raise the number; raises OSError when the file cannot be written."""
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
