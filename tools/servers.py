"""The service as in production: gunicorn in separate processes with its own data folder."""

import json
import os
import re
import secrets
import shutil
import signal
import sys
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import httpx
from cms_client import Client, Retries

from tools import forking
from tools.programs import SECONDS, Program
from tools.shared_folders import made_once

ROOT = Path(__file__).resolve().parent.parent
_LISTENING = re.compile(r"Listening at: http://127\.0\.0\.1:(\d+)")
_COLLECT = ("collectstatic", "--noinput", "--verbosity", "0")  # as each first start of a server would
_PRINTED = "printed"
_NOTHING_KEPT = httpx.Limits(max_keepalive_connections=0)


class Installation:
    """A data folder with a migrated SQLite database, a superuser and, if requested, the sample site.

    With `administrator=False`, the folder stays unchanged.
    """

    def __init__(self, folder, *, administrator=True, sample_site=False):
        # pytest sets this variable; a server in production finds its settings without it.
        inherited = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        self.environment = inherited | {
            "CMS_DATA_DIR": str(folder),
            "CMS_DATABASE_URL": "",
            "CMS_CACHE_URL": "",
            "CMS_JOBS_AT_ONCE": "1",
            "DJANGO_SUPERUSER_PASSWORD": "harbour-21",
        }
        if administrator:
            _copy(_with_sample_site if sample_site else _with_administrator, folder)

    @classmethod
    def first_started(cls, folder):
        """Return an installation as after `make run`, and what `first_start` has printed."""
        made = _copy(_with_first_start, folder)
        return cls(folder, administrator=False), (made / _PRINTED).read_text()

    def manage(self, *arguments):
        """Run a management command in a process and return its standard output."""
        code, out, errors = forking.run(self.environment, "manage.py", *map(str, arguments), seconds=SECONDS)
        assert code == 0, errors
        return out.strip()

    def create_site(self, name):
        """Create a site and return its id. Its folder is unique, because fixtures may run more than once."""
        folder = f"site-{secrets.token_hex(6)}"
        return self.manage("create_site", name, "--site-dir", folder).rpartition("siteId=")[2]

    @contextmanager
    def serve(self, *options, **settings):
        """Run the server for the duration of the block. Afterwards, the log is complete."""
        server = Server(self.environment | {"PORT": "0", "CMS_WORKERS": "2"} | settings, options)
        try:
            yield server
        finally:
            server.stop()


def _copy(make, folder):
    """Copy what `make` makes once for all into the folder; return the original."""
    made = made_once(f"installation{make.__name__}", make)
    shutil.copytree(made, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("static", _PRINTED))
    if not (static := Path(folder) / "static").exists():
        static.symlink_to(made / "static")
    return made


def _with_first_start(folder):
    installation = Installation(folder, administrator=False)
    (folder / _PRINTED).write_text(installation.manage("first_start"))
    installation.manage(*_COLLECT)


def _with_sample_site(folder):
    Installation(folder, administrator=True).manage("load_sample_site")


def _with_administrator(folder):
    """As commands make it, each of which takes seconds."""
    installation = Installation(folder, administrator=False)
    installation.manage("migrate", "--verbosity", "0")
    installation.manage("createsuperuser", "--noinput", "--user_name", "root")
    installation.manage(*_COLLECT)


class Server(Program):
    """A running gunicorn on a port that the operating system chooses."""

    def __init__(self, environment, options=()):
        command = [sys.executable, "-m", "gunicorn", "-c", "python:server.configuration", *options, "cms_api.wsgi"]
        super().__init__(command, cwd=ROOT, env=environment)
        self.await_lines("Listening at: ")
        self.port = int(_LISTENING.search(self.log)[1])

    @property
    def workers(self):
        """The ids of its child processes."""
        return [int(number) for number in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def client(self, key=None, **options):
        """Provide an API client for the duration of the block; options are as for `httpx.Client`.

        Each request opens its own connection, so that any worker may respond. The client never retries, so that no test
        passes only on the second attempt.
        """
        options = {"timeout": SECONDS, "limits": _NOTHING_KEPT, "trust_env": False} | options
        with httpx.Client(**options) as http:
            yield Client(self.address, key, http=http, retries=Retries(times=0))

    def stop(self):
        """Stop the server with SIGTERM, like a service manager, and wait until its log is complete."""
        self.end(signal.SIGTERM)

    def request(self, method, path, body=None, headers=None):
        """Send a request and return the response; sends an iterable body in chunks."""
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
    """A response with the attributes of Django's test client."""

    def __init__(self, status_code, headers, content):
        self.status_code, self.headers, self.content = status_code, headers, content

    def json(self):
        return json.loads(self.content)
