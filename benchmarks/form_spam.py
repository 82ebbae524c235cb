"""Sends 1,000 posts of several kinds of robots to forms with each protection, and of visitors at the same time.

    .venv/bin/python benchmarks/form_spam.py
    .venv/bin/python benchmarks/form_spam.py --guards proof --posts 100

The server is gunicorn as `make run` starts it, with two workers and a new SQLite database in /tmp. Each row has a form
of its own, so that no row uses up what another may send. Networks are addresses in X-Forwarded-For. The robots:

- `fills all`: the form of the page with every input, also the one that people do not see
- `direct`: JSON without a token
- `at once`: a token, and the post in the next moment
- `waits`: a token, and the post after three seconds, without a proof or an answer
- `solves`: as before with the proof of work, or with the sum, as a robot that was written for this service

Visitors have tokens, proofs and answers. The costs are processor time for each post: of the server with its workers,
and of the robot for the proof. A post of `waits` and `solves` also takes three seconds.
"""

import argparse
import os
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import altcha
import orjson

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.servers import Installation, Server  # noqa: E402

GUARDS = ("off", "basic", "proof", "captcha")
ROBOTS = {
    "off": ("fills all", "direct"),
    "basic": ("fills all", "direct", "at once", "waits"),
    "proof": ("fills all", "direct", "at once", "waits", "solves"),
    "captcha": ("fills all", "direct", "at once", "waits", "solves"),
}
NETWORKS = ("one", "many")
VISITORS = 20
WAIT = 3.2  # seconds
_MAKE = """
import json
from channels_app.services import create_site
from forms.models import Form
from pages.models import Template
site = create_site("Harbour", site_dir="harbour")
Template.objects.create(site=site, kind="FileTemplate", name="t", page_path="visit.html", text="Visit")
made = {{}}
for name, guard in {forms}:
    form = Form.objects.create(site=site, name=name, guard=guard)
    form.fields.create(key="name", label="Name")
    form.fields.create(key="message", label="Message", kind="textarea")
    made[name] = form.pk
print(json.dumps(made))
"""
_STATES = """
import json
from forms.models import Entry
rows = Entry.objects.values_list("form__name", "state", "values")
print(json.dumps([[name, state, " ".join(values.values())] for name, state, values in rows]))
"""
_local = threading.local()


def main() -> None:
    given = read_options()
    rows = [
        (f"{guard}|{robot}|{networks}", guard, robot, networks)
        for guard in given.guards
        for robot in ROBOTS[guard]
        for networks in NETWORKS
        # It sends no more from one network than `waits`, and solving takes minutes.
        if (robot, networks) != ("solves", "one")
    ]
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(Path(folder))
        forms = [(name, guard) for name, guard, _robot, _networks in rows]
        made = orjson.loads(installation.manage("shell", "-v", "0", "-c", _MAKE.format(forms=forms)))
        # A worker that is replaced after many requests would take its processor time along.
        options = ("--max-requests", "0")
        with installation.serve(*options, CMS_TRUSTED_PROXIES="127.0.0.1", CMS_LOG_LEVEL="CRITICAL") as server:
            runs = {name: Run(server, made[name], robot, networks, given.posts) for name, _, robot, networks in rows}
            for run in runs.values():
                run.prepare()
            time.sleep(WAIT)
            for run in runs.values():
                run.send()
        print_rows(runs, orjson.loads(installation.manage("shell", "-v", "0", "-c", _STATES)))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=1_000, help="of each robot (default: %(default)s)")
    parser.add_argument("--guards", nargs="+", choices=GUARDS, default=GUARDS)
    return parser.parse_args()


class Run:
    """The posts of one robot to one form, and those of visitors."""

    def __init__(self, server: Server, form: int, robot: str, networks: str, posts: int) -> None:
        self.server, self.path, self.robot, self.networks = server, f"/harbour/_forms/{form}", robot, networks
        self.posts = range(posts)
        self.statuses: Counter[int] = Counter()
        self.visitors: list[float] = []  # seconds of their posts
        self.server_time = self.robot_time = 0.0  # seconds of processors

    def prepare(self) -> None:
        """Get the tokens of visitors, and those of a robot that waits."""
        begun = self._processor_time()
        with ThreadPoolExecutor(4) as pool:
            self._known = list(pool.map(lambda number: self._members(f"10.0.0.{number}"), range(VISITORS)))
            needs_wait = self.robot in {"waits", "solves"}
            self._tokens = list(pool.map(self._robot_members, self.posts)) if needs_wait else [{}] * len(self.posts)
        self.server_time += self._processor_time() - begun

    def send(self) -> None:
        begun = self._processor_time()
        with ThreadPoolExecutor(4) as robots, ThreadPoolExecutor(1) as visitors:
            sent = visitors.map(self._visit, range(VISITORS), self._known)
            self.statuses.update(robots.map(self._attack, self.posts, self._tokens))
            list(sent)
        self.server_time += self._processor_time() - begun

    def _network(self, number: int) -> str:
        return "203.0.113.7" if self.networks == "one" else f"198.18.{number // 250}.{number % 250}"

    def _robot_members(self, number: int) -> dict[str, str]:
        return self._members(self._network(number), is_solved=self.robot == "solves", is_robot=True)

    def _attack(self, number: int, members: dict[str, str]) -> int:
        values, network = {"name": f"robot {number}", "message": "Buy this"}, self._network(number)
        if self.robot == "fills all":
            values["_website"] = "https://robot.example"
        if self.robot == "at once":
            members = self._members(network, is_solved=False)
        return self._request("POST", self.path, network, values | members)[0]

    def _visit(self, number: int, members: dict[str, str]) -> None:
        time.sleep(0.05)
        begun = time.perf_counter()
        values = {"name": f"visitor {number}", "message": "When do you open?"}
        self._request("POST", self.path, f"10.0.0.{number}", values | members)
        self.visitors.append(time.perf_counter() - begun)

    def _members(self, network: str, *, is_solved: bool = True, is_robot: bool = False) -> dict[str, str]:
        status, body = self._request("GET", f"{self.path}/token", network)
        assert status == 200, (status, body)
        answer = orjson.loads(body)
        members = {"_token": answer["token"]}
        if is_solved and "proof" in answer:
            begun = time.thread_time()
            challenge = altcha.Challenge.from_dict(answer["proof"])
            members["_proof"] = altcha.Payload(challenge, altcha.solve_challenge(challenge)).to_base64()
            self.robot_time += (time.thread_time() - begun) * is_robot
        if is_solved and "captcha" in answer:
            members["_captcha"] = str(sum(int(text) for text in re.findall(r"\b(\d\d)\b(?= and|:)", answer["captcha"])))
        return members

    def _request(self, method: str, path: str, network: str, members: Any = None) -> tuple[int, bytes]:
        headers = {"X-Forwarded-For": network, "Content-Type": "application/json"}
        body = None if members is None else orjson.dumps(members)
        connection = getattr(_local, "connection", None)
        if connection is None:
            connection = _local.connection = HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
        except (OSError, ValueError):  # the server has closed it
            connection.close()
            connection.request(method, path, body, headers)
            response = connection.getresponse()
        return response.status, response.read()

    def _processor_time(self) -> float:
        ticks = 0
        for pid in (self.server.pid, *self.server.workers):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


def print_rows(runs: dict[str, Run], entries: list[tuple[str, str, str]]) -> None:
    print("| protection | robot | networks | new | spam | 400 | 429 | server ms | robot ms | visitors | visitor ms |")
    print("|---|---|---|" + "---:|" * 8)
    stored = Counter((name, state, text.partition(" ")[0]) for name, state, text in entries)
    for name, run in runs.items():
        posts, times = len(run.posts), sorted(run.visitors)
        cells = [
            *name.split("|"),
            *(stored[name, state, "robot"] for state in ("new", "spam")),
            *(run.statuses[status] for status in (400, 429)),
            *(f"{seconds * 1_000 / posts:.1f}" for seconds in (run.server_time, run.robot_time)),
            f"{stored[name, 'new', 'visitor']} of {VISITORS}",
            f"{times[len(times) // 2] * 1_000:.0f}",
        ]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
