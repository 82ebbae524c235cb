"""Plays the scenario against a fresh sample site: `python -m tools.openapi.recording` prints the responses.

In a process and a data folder of its own, whose clock stands still and whose secrets are known, so that the same is
answered each time.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

ROOT = Path(__file__).resolve().parents[2]
NOW = 1_772_357_400  # 2026-03-01 09:30:00 UTC
KEY, LIMITED_KEY = "every scope", "one request a minute"
PICTURE = ROOT / "accounts" / "default_avatar.png"
# A client that is not on the server's own machine.
CLIENT_ADDRESS = "203.0.113.7"


def record():
    """The examples, out of a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("CMS_", "DJANGO_"))}
        environment |= {
            "CMS_DATA_DIR": folder,
            "CMS_SECRET_KEY": "the examples are recorded with this one, and nothing else has it",
            "CMS_PASSWORD_PEPPERS": "p1:the examples are recorded with this one",
            "CMS_JOBS_AT_ONCE": "0",
            "CMS_METRICS": "true",
            "DJANGO_SETTINGS_MODULE": "cms_api.settings",
        }
        command = [sys.executable, "-m", "tools.openapi.recording"]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---- in the process of its own


class Player:
    """Sends the requests of the scenario, one after the other."""

    def __init__(self, token):
        from django.test import Client

        from core.rest.operations import operations

        self._client = Client(
            raise_request_exception=False, SERVER_NAME="127.0.0.1", SERVER_PORT="8000", REMOTE_ADDR=CLIENT_ADDRESS
        )
        self._key = {"X-SS-API-KEY": token}
        self._described = described()
        self._open = {(each.method, each.path) for each in operations() if not each.needs_key}
        self.values = {}

    def play(self, step):
        """The example of a step."""
        response = self._send(step)
        assert response.status_code == step.status, (step, response.status_code, response.content[:500])
        self._take(step, response)
        return {
            "name": step.name,
            "summary": step.summary,
            "path": step.path,
            "query": step.query,
            "headers": step.headers,
            "body": step.body,
            "status": step.status,
            "answer": _answer(response) if step.keeps_answer else None,
        }

    def _take(self, step, response):
        """Store values for later steps, such as the text that a person reads from a captcha."""
        from core import captcha
        from tools.openapi.scenario import member_at

        for name, place in step.gives.items():
            self.values[name] = member_at(place, response.json())
        if step.operation == "getCaptcha":
            token = self._client.cookies["SS-LOGIN-CAPTCHA"].value
            self.values["captcha"] = captcha.characters("LOGIN-CAPTCHA", token)

    def _send(self, step):
        from tools.openapi.examples import filled

        one = self._described[step.operation]
        path = "/api/v1" + one.path.format(**filled(step.path, self.values))
        headers = filled(step.headers, self.values)
        headers |= {} if (one.method, one.path) in self._open else self._key
        if step.operation == "uploadUserAvatar":
            with PICTURE.open("rb") as picture:
                return self._client.post(path, {"avatar": picture}, headers=headers)
        body = json.dumps(filled(step.body, self.values)) if step.body is not None else ""
        return self._client.generic(
            one.method, path, body, "application/json", headers=headers, query_params=step.query
        )


def described():
    """The apps' descriptions, by the names of the operations."""
    from tools.openapi.generator import DESCRIPTIONS

    return {each.id: each for module in DESCRIPTIONS for each in module.OPERATIONS}


def _answer(response):
    content_type = response.headers["Content-Type"]
    if content_type.startswith("application/json"):
        return json.loads(response.getvalue())
    return response.content.decode() if content_type.startswith("text/") else None


def play_all(steps):
    """The examples of the operations, and the errors that are the same everywhere."""
    from apikeys.models import ApiKey

    owner = _administrator()
    scopes = "Channels,Contents,Media,Forms,Administrators,Users,STL,SQL,System"
    _, token = ApiKey.objects.issue(KEY, owner, scopes=scopes)
    player, examples = Player(token), {}
    errors = shared_errors(owner)  # before the scenario locks and deletes
    for step in steps:
        examples.setdefault(step.operation, []).append(player.play(step))
    return {"operations": examples, "errors": errors, "values": player.values}


def _administrator():
    from django.core.management import call_command

    from accounts.models import Administrator

    call_command("migrate", verbosity=0)
    call_command("load_sample_site", stdout=io.StringIO())
    call_command("rebuild_search", stdout=io.StringIO())
    _add_form()
    return Administrator.objects.create_superuser("admin", password="lantern-27")


def _add_form():
    from forms.models import Field, Form

    form = Form.objects.create(site_id=1, name="visit", title="Book a visit")
    Form.objects.update(updated_at=form.created_at)  # the clock of Django runs
    fields = [("name", "Name", "text"), ("email", "Email", "email"), ("days", "Days", "checkbox")]
    for place, (key, label, kind) in enumerate(fields):
        choices = ["Monday", "Friday"] if kind == "checkbox" else []
        Field.objects.create(form=form, key=key, label=label, kind=kind, choices=choices, taxis=place)


def shared_errors(owner):
    """Errors of any operation, by code; errors that no request can cause come from the code."""
    return dict(
        _example(summary, status, answer)
        for summary, status, answer in [*_asked_for(owner), *_of_the_code()]
        if answer is not None
    )


def _example(summary, status, answer):
    return answer["code"], {"summary": summary, "status": status, "answer": answer}


def _asked_for(owner):
    from django.test import Client

    from apikeys.models import ApiKey

    def send(method, path, body="", *, token="", **headers):
        keys = {"X-SS-API-KEY": token} if token else {}
        client = Client(SERVER_NAME="127.0.0.1", SERVER_PORT="8000", REMOTE_ADDR=CLIENT_ADDRESS)
        response = client.generic(method, f"/api/v1{path}", body, "application/json", headers=keys | headers)
        return response.status_code, json.loads(response.content)

    _, reader = ApiKey.objects.issue("reads contents", owner, scopes="Contents:read", site_ids="2")
    _, limited = ApiKey.objects.issue(LIMITED_KEY, owner, scopes="Contents:write", requests_per_minute=1)
    yield "No key was sent", *send("GET", "/users")
    yield "The key is not known", *send("GET", "/users", token=f"{reader[:-1]}{'a' if reader[-1] != 'a' else 'b'}")
    yield "The key lacks the scope", *send("POST", "/contents/2/2", "{}", token=reader)
    yield "The key does not reach the site", *send("GET", "/contents/1/11/1", token=reader)
    yield "The body is no JSON object", *send("POST", "/users/actions/login", "[]")
    yield "The path has no number where there should be one", *send("GET", "/users/none")
    yield "The body is too large", *send("POST", "/users/actions/login", "{" + " " * 20_000 + "}")
    send("GET", "/contents/1/11/1", token=limited)
    yield "The key has no request left in this minute", *send("GET", "/contents/1/11/1", token=limited)
    once = {"Idempotency-Key": "1f0c2c0e-5b1c-4f57-8d0e-6f1f3c1a9b11"}
    send("POST", "/contents/check", '{"siteId": 1, "contents": []}', token=_writer(owner), **once)
    reused = send(
        "POST", "/contents/check", '{"siteId": 1, "contents": [], "reasons": "x"}', token=_writer(owner), **once
    )
    yield "The Idempotency-Key belongs to another request", *reused


_writers = []


def _writer(owner):
    from apikeys.models import ApiKey

    if not _writers:
        _writers.append(ApiKey.objects.issue("writes contents", owner, scopes="Contents:write")[1])
    return _writers[0]


def _of_the_code():
    from django.test import RequestFactory
    from rest_framework.request import Request

    from core.lib.database_faults import Fault
    from core.rest.errors import _WITHOUT_DATABASE, answer_exception
    from core.rest.views import OpenView
    from server.serving import responses

    request = Request(RequestFactory().get("/api/v1/contents"))
    context = {"request": request, "view": OpenView()}
    message, _ = _WITHOUT_DATABASE[Fault.UNAVAILABLE]
    yield "The database does not answer", 503, {"message": message, "code": Fault.UNAVAILABLE.value}
    yield "A fault of the service", 500, answer_exception(ValueError("a fault"), context).data
    asked = responses.ReceivedRequest(b"", "")
    yield "More requests than can be answered", 503, json.loads(responses.overloaded(asked, 1).body)
    yield "The request took too long to come", 408, json.loads(responses.too_slow(asked, 30).body)
    yield "An address that is too long", 414, json.loads(responses.line_too_long(asked, 8190).body)
    yield "A header that is too large", 431, json.loads(responses.headers_too_large(asked, 100, 8190).body)


def main():
    import logging

    import django
    from django.conf import settings

    django.setup()
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    logging.disable()
    from tools.openapi.scenario import STEPS

    with ExitStack() as stack:
        for each in fixtures():
            stack.enter_context(each)
        print(json.dumps(play_all(STEPS)))


def fixtures():
    """Fixes the time and random values, so that recordings are reproducible."""
    from datetime import datetime
    from itertools import count

    from events.feed import change

    tokens = count(1)

    class Stopped(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime.fromtimestamp(NOW, zone)  # no subclass, which is not written as JSON

    def drawn(length=12, *alphabet):
        return "A" * length

    def drawn_for_token(length):
        return str(next(tokens)).rjust(length, "A")  # an ended token must not end the others

    yield patch("core.lib.clock.datetime", Stopped)
    yield patch("time.time", lambda: float(NOW))
    # No request of a webhook leaves the machine.
    from webhooks.http_client import Outcome

    yield patch("webhooks.services.post", lambda url, body, headers: Outcome(204, "", "", 42))
    yield patch("webhooks.messages.secrets.token_bytes", lambda length: b"A" * length)
    yield patch("accounts.models.get_random_string", drawn)
    yield patch("accounts.access_tokens.get_random_string", drawn_for_token)
    yield patch("core.captcha.secrets.token_urlsafe", lambda length: "A" * 22)
    # No server runs here that could be restarted.
    yield patch("core.operation.views.is_possible", lambda: True)
    yield patch("events.feed.change", lambda event: change(event) | {"at": str(datetime.fromtimestamp(NOW))})
    from forms.models import Entry

    number = UUID("6f1f3c1a-9b11-4f57-8d0e-1f0c2c0e5b1c")
    yield patch.object(Entry._meta.get_field("token"), "_get_default", lambda: number)
    yield patch("sites.upload_kinds.new_letters", lambda count: "example7"[:count])
    yield patch("accounts.avatars.new_picture_name", lambda folder: f"{folder}/example.png")


if __name__ == "__main__":
    main()
