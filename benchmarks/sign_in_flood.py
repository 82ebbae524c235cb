"""Measures how a flood of sign-ins affects other requests, and whether response times reveal which accounts exist.

    apt-get install wrk        (the load generator; https://github.com/wg/wrk)
    .venv/bin/python benchmarks/dataset.py --contents 1000
    .venv/bin/python benchmarks/sign_in_flood.py
    .venv/bin/python benchmarks/sign_in_flood.py --database sqlite:////tmp/cms-benchmarks/cms_benchmark_1k.sqlite3

The server runs as in production, with two workers of four threads. One client pings, reads one content and reads a list
of 20, in turn, while wrk floods the login endpoint. The floods alternate within each round; figures are medians of the
rounds. The clients of a flood send the next request immediately (closed loop) or after a pause of one second on average
(the floods named "a second"). The floods of pings show the effect of the same number of clients without sign-ins.

The second table shows single sign-ins without limits, in turn: failed sign-ins of known and unknown accounts should
take the same time.
"""

import argparse
import http.client
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import databases
from servers import Server

SCRIPT = Path(__file__).with_name("sign_in_flood.lua")
PASSWORD = "harbour-21"
LOGIN = "/api/v1/users/actions/login"
GOAL = 2.0  # maximum p99 under a flood, relative to the p99 without one


@dataclass(frozen=True)
class Flood:
    """Clients that send one kind of request; `limits` is the limit of failures per account, 0 for none."""

    name: str
    clients: int = 0
    body: dict[str, str] | None = None
    pause: int = 0  # milliseconds
    limits: str = "0"


def wrong(account: str) -> dict[str, str]:
    """Return the body of a sign-in with a wrong password."""
    return {"account": account, "password": "lantern-22"}


RIGHT = {"account": "flood0", "password": PASSWORD}
FLOODS = [
    Flood("none"),
    *(Flood(f"{n} clients, pings", n) for n in (20, 100)),
    *(Flood(f"{n} clients, one account, limits", n, wrong("flood0"), limits="10") for n in (20, 100)),
    *(Flood(f"{n} clients, many accounts, no limits", n, wrong("nobody{number}")) for n in (20, 100)),
    Flood("20 clients, right password", 20, RIGHT),
    Flood("50 a second, pings", 50, pause=1000),
    Flood("50 a second, many accounts, no limits", 50, wrong("nobody{number}"), 1000),
    Flood("50 a second, right password", 50, RIGHT, 1000),
    Flood("200 a second, many accounts, no limits", 200, wrong("nobody{number}"), 1000),
    Flood("200 a second, pings", 200, pause=1000),
    Flood("200 a second, one account, limits", 200, wrong("flood0"), 1000, limits="10"),
]


def main() -> None:
    """Measure the floods and single sign-ins, and print both tables."""
    options = read_options()
    if shutil.which("wrk") is None:
        sys.exit("The load generator wrk is missing: apt-get install wrk (or see https://github.com/wg/wrk).")
    databases.open_service(options.database, options.folder)
    prepare()
    requests = make_requests()
    floods = [flood for flood in FLOODS if not options.only or flood.name in options.only or flood.name == "none"]
    with serve("0") as without, serve("10") as limited:
        servers = {"0": without, "10": limited}
        for server in servers.values():
            probe(server, requests, 1.0)
        measured: dict[str, list] = {flood.name: [] for flood in floods}
        for turn in range(options.rounds):
            for flood in floods[:: 1 if turn % 2 else -1]:
                measured[flood.name].append(measure(servers[flood.limits], flood, requests, options.seconds))
        print_floods(measured, options)
        print_times(without, options.sign_ins)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_1k", help="made by dataset.py")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=4.0, help="of one turn (default: %(default)s)")
    parser.add_argument("--sign-ins", type=int, default=200, help="of each kind in the second table")
    parser.add_argument("--only", action="append", help="name of a flood; repeatable")
    databases.add_folder_option(parser)
    return parser.parse_args()


def prepare() -> None:
    """Migrate the database and create a user, a locked user and an administrator with passwords."""
    from django.core.management import call_command

    from accounts.models import Administrator, User

    call_command("migrate", verbosity=0)
    for kind, locked in ((User, False), (User, True), (Administrator, False)):
        account, _ = kind.objects.get_or_create(user_name=f"flood{int(locked)}")
        account.set_password(PASSWORD)
        account.is_locked_out = locked
        account.save()


def make_requests() -> dict[str, tuple[str, str, bytes, dict[str, str]]]:
    """Return the method, path, body and headers of the probing client's requests, by name."""
    from accounts.models import Administrator
    from apikeys.models import ApiKey
    from contents.models import Content

    owner, _ = Administrator.objects.get_or_create(user_name="floods", defaults={"is_superuser": True})
    ApiKey.objects.filter(name="floods").delete()
    _, token = ApiKey.objects.issue("floods", owner, scopes="Contents:read")
    headers = {"Content-Type": "application/json", "X-SS-API-KEY": token}
    content = Content.objects.first()
    path = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
    body = json.dumps({"siteId": content.site_id, "channelId": content.channel_id, "perPage": 20}).encode()
    return {
        "ping": ("GET", "/api/v1/ping", b"", headers),
        "content": ("GET", path, b"", headers),
        "list": ("POST", "/api/v1/contents", body, headers),
    }


def serve(limit: str) -> Server:
    """Return a server with four threads per worker, as in production, that trusts X-Forwarded-For of the flood."""
    server = Server(
        "cms_api.wsgi",
        CMS_LOGIN_FAILURES_PER_ACCOUNT=limit,
        CMS_LOGIN_FAILURES_PER_ADDRESS=f"{limit}0",
        CMS_TRUSTED_PROXIES="127.0.0.1",
        CMS_LOG_LEVEL="CRITICAL",  # no warnings about failed sign-ins, and no access log either
    )
    server._command += ["--worker-class", "gthread", "--threads", "4"]
    return server


def measure(server: Server, flood: Flood, requests: dict, seconds: float) -> tuple[dict[str, list[float]], dict]:
    """Return the times of the probing client's requests under the flood, in milliseconds, and wrk's result."""
    if not flood.clients:
        return probe(server, requests, seconds), {}
    method, path = ("POST", LOGIN) if flood.body else ("GET", "/api/v1/ping")
    text = json.dumps(flood.body) if flood.body else ""
    command = ["wrk", "-t1", f"-c{flood.clients}", f"-d{seconds + 1:.0f}s", "-s", str(SCRIPT), server.address]
    running = subprocess.Popen([*command, method, path, text, str(flood.pause)], stdout=subprocess.PIPE, text=True)
    time.sleep(0.7)  # lets the flood start
    times = probe(server, requests, seconds - 0.4)
    out, _ = running.communicate()
    line = next(line for line in out.splitlines() if line.startswith("RESULT "))
    return times, json.loads(line.removeprefix("RESULT "))


def probe(server: Server, requests: dict, seconds: float) -> dict[str, list[float]]:
    """Send the requests in turn for this number of seconds; return their times in milliseconds."""
    times: dict[str, list[float]] = {name: [] for name in requests}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        # Open a new connection each time, because an accepted connection stays with its worker.
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        for name, (method, path, body, headers) in requests.items():
            begin = time.perf_counter()
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            response.read()
            times[name].append((time.perf_counter() - begin) * 1000)
            assert response.status == 200, response.status
        connection.close()
    return times


def quantile(times: list[float], share: float) -> float:
    """Return the percentile `share` (0 to 100) of the times."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share / 100))]


def print_floods(measured: dict[str, list], options: argparse.Namespace) -> None:
    """Print the table of floods."""
    print(f"{databases.name_of(options.database)}, {options.rounds} rounds of {options.seconds:g} s\n")
    print("| flood | answered/s | of them 200 | ping p50/p99 ms | × | content | × | list | × |")
    print("|---|" + "---:|" * 8)
    rest: dict[str, float] = {}
    for flood, rounds in measured.items():
        cells = [flood, *became(rounds)]
        for name in rounds[0][0]:
            middle, tail = (
                statistics.median(quantile(times[name], share) for times, _ in rounds) for share in (50, 99)
            )
            worst = tail / rest.setdefault(name, tail)
            cells += [f"{middle:.1f}/{tail:.1f}", f"{worst:.1f}{' ✓' if worst <= GOAL else ''}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def became(rounds: list) -> Iterator[str]:
    """Yield the responses to the flood per second, and the number with status 200."""
    results = [result for _, result in rounds if result]
    if not results:
        yield from ("–", "–")
        return
    yield f"{statistics.median(result['requests'] / result['seconds'] for result in results):.0f}"
    yield f"{statistics.median((r['requests'] - r['refused']) / r['seconds'] for r in results):.0f}"


def print_times(server: Server, sign_ins: int) -> None:
    """Print the table of single sign-ins."""
    print("\n| sign-in | users p50 ms | administrators p50 ms |\n|---|---:|---:|")
    ways = {
        "unknown account": wrong("nobody"),
        "wrong password": wrong("flood0"),
        "locked, wrong password": wrong("flood1"),
        "locked, right password": RIGHT | {"account": "flood1"},
        "right password": RIGHT,
    }
    taken: dict[tuple[str, str], list[float]] = {}
    for _ in range(sign_ins):
        for kind in ("users", "administrators"):
            for name, body in ways.items():
                begin = time.perf_counter()
                status, _ = server.ask("POST", f"/api/v1/{kind}/actions/login", json.dumps(body))
                taken.setdefault((name, kind), []).append((time.perf_counter() - begin) * 1000)
                assert status in {200, 400}, status
    for name in ways:
        users, administrators = (statistics.median(taken[name, kind]) for kind in ("users", "administrators"))
        print(f"| {name} | {users:.2f} | {administrators:.2f} |")


if __name__ == "__main__":
    main()
