"""The service as it really runs: gunicorn in processes of its own, over a data folder of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parent.parent
_LISTENING = re.compile(r"Listening at: http://127\.0\.0\.1:(\d+)")
_SECONDS = 180  # until a process that says nothing counts as stuck


class Installation:
    """A data folder with a migrated SQLite database and an administrator of the highest rank, or an empty one."""

    def __init__(self, folder, *, administrator=True):
        self.environment = os.environ | {
            "CMS_DATA_DIR": str(folder),
            "CMS_DATABASE_URL": "",
            "CMS_CACHE_URL": "",
            "CMS_JOBS_AT_ONCE": "1",
            "DJANGO_SUPERUSER_PASSWORD": "harbour-1",
        }
        if not administrator:
            return
        self.manage("migrate", "--verbosity", "0")
        self.manage("createsuperuser", "--noinput", "--user_name", "root")

    def manage(self, *arguments):
        """The standard output of a management command, run as a process."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=_SECONDS)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    @contextmanager
    def serve(self, *options, **settings):
        """Run the server while the block lasts; it ends with the block, its log complete."""
        server = Server(self.environment | {"PORT": "0", "CMS_WORKERS": "2"} | settings, options)
        try:
            yield server
        finally:
            server.stop()


class Server:
    """A running gunicorn on a port that the system chose."""

    def __init__(self, environment, options=()):
        self._lines, self._written, ports = [], threading.Condition(), Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "-c", "python:cms_api.server", *options, "cms_api.wsgi"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, args=(ports,), daemon=True)
        self._reader.start()
        self.port = ports.get(timeout=_SECONDS)
        assert self.port, self.log

    @property
    def log(self):
        """All that the server has written so far."""
        return "".join(self._lines)

    @property
    def pid(self):
        """The number of the master process."""
        return self._process.pid

    @property
    def workers(self):
        """The numbers of the processes that it has started."""
        return [int(number) for number in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def await_lines(self, text, number):
        """Return as soon as so many lines with the text have been written."""
        with self._written:
            met = self._written.wait_for(lambda: sum(text in line for line in self._lines) >= number, _SECONDS)
        assert met, self.log

    def stop(self):
        """End the server as a service manager does, and wait for its last line."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(_SECONDS)
        self._reader.join(_SECONDS)
        self._process.stdout.close()

    def request(self, method, path, body=None, headers=None):
        """Status, headers and body of an answer; an iterable body is sent in chunks."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        chunked = body is not None and not isinstance(body, bytes)
        headers = (headers or {}) | ({"Transfer-Encoding": "chunked"} if chunked else {})
        try:
            connection.request(method, path, body, headers, encode_chunked=chunked)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def _read(self, ports):
        for line in self._process.stdout:
            with self._written:
                self._lines.append(line)
                self._written.notify_all()
            if match := _LISTENING.search(line):
                ports.put(int(match[1]))
        ports.put(None)  # it ended before it listened


class Answer:
    """An answer, with the names that Django's test client uses."""

    def __init__(self, status_code, headers, content):
        self.status_code, self.headers, self.content = status_code, headers, content

    def json(self):
        return json.loads(self.content)
