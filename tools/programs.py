"""Programs that tests run in the background, and their output."""

import subprocess
import threading

SECONDS = 180  # until a program without output counts as stuck


class Program:
    """A running program and its output, including standard error. Options are as for `Popen`."""

    def __init__(self, command, **options):
        self._lines, self._written, self._has_ended = [], threading.Condition(), False
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def log(self):
        """The program's output so far."""
        return "".join(self._lines)

    @property
    def pid(self):
        """The id of the program's first process."""
        return self._process.pid

    @property
    def code(self):
        """The exit code of the program's first process; None while it runs."""
        return self._process.poll()

    @property
    def is_running(self):
        """Whether the program's first process is running."""
        return self.code is None

    def await_lines(self, text, number=1):
        """Wait for this number of lines with the text. Raises AssertionError if the program ends or is stuck before."""
        with self._written:
            self._written.wait_for(lambda: self._has_ended or self._is_written(text, number), SECONDS)
            assert self._is_written(text, number), self.log

    def send(self, signal):
        """Send a signal to the program's first process."""
        self._process.send_signal(signal)

    def end(self, signal):
        """Send the signal and wait until the program has ended and the log is complete."""
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
