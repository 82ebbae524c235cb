"""Programs that tests run beside themselves, and what they write."""

import subprocess
import threading

SECONDS = 180  # until a program that says nothing counts as stuck


class Program:
    """A running program and the lines that it writes, of its errors too. Options are those of `Popen`."""

    def __init__(self, command, **options):
        self._lines, self._written, self._has_ended = [], threading.Condition(), False
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def log(self):
        """All that it has written so far."""
        return "".join(self._lines)

    @property
    def pid(self):
        """The number of its first process."""
        return self._process.pid

    @property
    def is_running(self):
        """Whether its first process has not ended."""
        return self._process.poll() is None

    def await_lines(self, text, number=1):
        """Return as soon as so many lines with the text have been written; AssertionError if it ends without them."""
        with self._written:
            self._written.wait_for(lambda: self._has_ended or self._is_written(text, number), SECONDS)
            assert self._is_written(text, number), self.log

    def send(self, signal):
        """Send its first process a signal."""
        self._process.send_signal(signal)

    def end(self, signal):
        """Send the signal, and return when it has ended and all that it has written is in the log."""
        self.send(signal)
        self._process.wait(SECONDS)
        self._reader.join(SECONDS)

    def _is_written(self, text, number):
        return sum(text in line for line in self._lines) >= number

    def _read(self):
        with self._process.stdout as lines:
            for line in lines:
                with self._written:
                    self._lines.append(line)
                    self._written.notify_all()
        with self._written:
            self._has_ended = True
            self._written.notify_all()
