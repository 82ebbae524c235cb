"""The service as it really runs: gunicorn in processes of its own, over a data folder of its own."""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import httpx
from cms_client import Client, Retries

from tests.programs import SECONDS, Program

ROOT = Path(__file__).resolve().parent.parent
_LISTENING = re.compile(r"Listening at: http://127\.0\.0\.1:(\d+)")
_NOTHING_KEPT = httpx.Limits(max_keepalive_connections=0)


class Installation:
    """A data folder with a migrated SQLite database and an administrator of the highest rank, or an empty one."""

    def __init__(self, folder, *, administrator=True):
        # pytest names the settings; users' servers find them by themselves.
        inherited = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        self.environment = inherited | {
            "CMS_DATA_DIR": str(folder),
            "CMS_DATABASE_URL": "",
            "CMS_CACHE_URL": "",
            "CMS_JOBS_AT_ONCE": "1",
            "DJANGO_SUPERUSER_PASSWORD": "harbour-21",
        }
        if not administrator:
            return
        self.manage("migrate", "--verbosity", "0")
        self.manage("createsuperuser", "--noinput", "--user_name", "root")

    def manage(self, *arguments):
        """The standard output of a management command, run as a process."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def create_site(self, name):
        """The number of a new site in a folder that no other has: fixtures may be set up more than once."""
        folder = f"site-{secrets.token_hex(6)}"
        return self.manage("create_site", name, "--site-dir", folder).rpartition("siteId=")[2]

    @contextmanager
    def serve(self, *options, **settings):
        """Run the server while the block lasts; it ends with the block, its log complete."""
        server = Server(self.environment | {"PORT": "0", "CMS_WORKERS": "2"} | settings, options)
        try:
            yield server
        finally:
            server.stop()


class Server(Program):
    """A running gunicorn on a port that the system chose."""

    def __init__(self, environment, options=()):
        command = [sys.executable, "-m", "gunicorn", "-c", "python:cms_api.operation.server", *options, "cms_api.wsgi"]
        super().__init__(command, cwd=ROOT, env=environment)
        self.await_lines("Listening at: ")
        self.port = int(_LISTENING.search(self.log)[1])

    @property
    def workers(self):
        """The numbers of the processes that it has started."""
        return [int(number) for number in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    @property
    def address(self):
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def client(self, key=None, **options):
        """A client of the service while the block lasts, as programs have one; options are those of `httpx.Client`.

        Each request has a connection of its own, so that any of the workers may answer it, and is sent once, so that no
        test passes at the second try.
        """
        options = {"timeout": SECONDS, "limits": _NOTHING_KEPT, "trust_env": False} | options
        with httpx.Client(**options) as http:
            yield Client(self.address, key, http=http, retries=Retries(times=0))

    def stop(self):
        """End the server as a service manager does, and wait for its last line."""
        self.end(signal.SIGTERM)

    def request(self, method, path, body=None, headers=None):
        """Status, headers and body of an answer; an iterable body is sent in chunks."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        chunked = body is not None and not isinstance(body, bytes)
        headers = (headers or {}) | ({"Transfer-Encoding": "chunked"} if chunked else {})
        try:
            connection.request(method, path, body, headers, encode_chunked=chunked)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()


class Answer:
    """An answer, with the names that Django's test client uses."""

    def __init__(self, status_code, headers, content):
        self.status_code, self.headers, self.content = status_code, headers, content

    def json(self):
        return json.loads(self.content)
