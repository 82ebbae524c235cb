"""Tags and idempotency keys with real servers and processes, some of which are killed in the middle."""

import json
import signal
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection

import pytest
from cms_client import where

from tools.programs import SECONDS
from tools.servers import ROOT

pytestmark = pytest.mark.large

OWN_SERVERS = True  # whatever database the suite runs on
# A creation that somebody kills where `{place}` says, or nobody; it prints the status and what tells a replay.
CREATION = """
import os, signal, sys
import django
django.setup()
from django.test import Client
from core.rest import idempotency, views

def kill(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)

{place}
answer = Client().post(
    "/api/v1/contents/{site}/{site}", sys.argv[2], "application/json",
    headers={{"X-SS-API-KEY": sys.argv[1], "Idempotency-Key": sys.argv[3], "Host": "localhost"}},
)
print(answer.status_code, answer.headers.get("Idempotency-Replayed", ""))
"""
BEFORE_COMMIT = "idempotency._content = kill"
BEFORE_ANSWER = "views.ApiView.finalize_response = kill"


@pytest.fixture(scope="session")
def site(installation):
    """The number of a site, which is that of its home channel."""
    return int(installation.create_site("Quay"))


@pytest.fixture(scope="session")
def key(installation):
    return installation.manage("create_api_key", "safe writes", "--all-scopes")


@pytest.fixture
def create(installation, site, key):
    """Runs a creation in a process of its own; what it printed, and how the process ended."""

    def run(title, name, place=""):
        environment = installation.environment | {"DJANGO_SETTINGS_MODULE": "cms_api.settings"}
        command = [
            sys.executable,
            "-c",
            CREATION.format(site=site, place=place),
            key,
            json.dumps({"title": title}),
            name,
        ]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS)
        return done.stdout.split(), done.returncode

    return run


@pytest.fixture
def count(server, site, key):
    """How many contents there are of a title."""

    def asked(title):
        with server.client(key) as client:
            return client.contents.list(site, wheres=where("title", "=", title)).total

    return asked


def test_a_process_that_is_killed_before_the_commit_leaves_nothing(create, count):
    assert create("before", "before", BEFORE_COMMIT) == ([], -signal.SIGKILL)
    assert count("before") == 0
    assert create("before", "before") == (["200"], 0)
    assert create("before", "before") == (["200", "true"], 0)
    assert count("before") == 1


def test_a_process_that_is_killed_after_the_commit_has_answered_for_the_next_one(create, count):
    assert create("after", "after", BEFORE_ANSWER) == ([], -signal.SIGKILL)
    assert count("after") == 1
    assert create("after", "after") == (["200", "true"], 0)
    assert count("after") == 1


def test_a_connection_goes_on_after_an_answer_without_a_body(server, site, key):
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)) as connection:

        def ask(**headers):
            connection.request("GET", f"/api/v1/channels/{site}", headers={"X-SS-API-KEY": key} | headers)
            answer = connection.getresponse()
            return answer.status, answer.headers["ETag"], answer.read()

        status, tag, body = ask()
        socket = connection.sock
        for _ in range(3):
            assert ask(**{"If-None-Match": tag}) == (304, tag, b"")
            assert ask() == (status, tag, body)
        assert connection.sock is socket


def test_the_workers_of_a_server_make_the_same_tag(server, key):
    with server.client(key) as client:
        (tag,) = {client.with_etags.users.list().etag for _ in range(20)}
    assert tag
