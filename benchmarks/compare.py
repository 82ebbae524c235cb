"""Compares the service with the limit (limit.py): same requests, server and database, at the same time.

    apt-get install wrk        (the load generator; https://github.com/wg/wrk)
    .venv/bin/python benchmarks/dataset.py --contents 100000 --users 100000
    .venv/bin/python benchmarks/compare.py

gunicorn serves both with two workers on the loopback interface: the service as `make run` does, with its
access log, the limit with synchronous workers and without a log, which is faster. For each operation, after a
warm-up, wrk measures them in alternating order (A B, B A, …) with 8 connections. The ratio is computed
for each round; the table shows the median ratio with the lowest and highest. Before the measurement, the
script checks that both return the same bodies. The last three columns show the processor time per
request (workers and PostgreSQL): on a busy machine, its ratio is more stable than the ratio of rates. At
the end, the script removes the contents that the operation "create" created. "channel-tree-first" uses a
service without a cache of channel trees (CMS_TREE_CACHE_BYTES=0). "users" requests all users in one
response, with one connection per worker and turns ten times as long; the line below the table shows how
far the peak memory of a worker rose above its memory before the measurement.
"""

import argparse
import json
import os
import random
import secrets
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import databases
import limit
from servers import Server

SCRIPT = Path(__file__).with_name("requests.lua")
CONNECTIONS, WORKERS = 8, 2
SEED = 7
CHECKED = 5  # requests per operation whose responses are compared
# Members of a new content that each program generates.
OWN = ("id", "taxis", "addDate", "lastEditDate", "addUserName", "lastEditUserName", "navigationUrl")


@dataclass(frozen=True)
class Operation:
    """Requests, as lines for requests.lua, and the goal as a share of the limit's rate."""

    name: str
    lines: list[str]
    goal: float | None
    keeps_trees: bool = True  # whether the service may use a cached channel tree
    is_long: bool = False  # whether a response takes seconds

    @property
    def creates(self) -> bool:
        """Whether the operation adds contents."""
        return self.name.startswith("create")


@dataclass(frozen=True)
class Figures:
    """Results of one turn of wrk; `p50` and `p99` are milliseconds."""

    requests: int
    seconds: float
    p50: float
    p99: float
    failed: int
    processor: float = 0.0  # microseconds per request, of the server's and database's processes

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds


def main() -> None:
    """Measure all operations and print the table."""
    options = read_options()
    if shutil.which("wrk") is None:
        sys.exit("The load generator wrk is missing: apt-get install wrk (or see https://github.com/wg/wrk).")
    databases.open_service(options.database, options.folder)
    limit.prepare(options.database)
    operations = [o for o in make_operations() if not options.only or o.name in options.only]
    key = issue_key()
    newest = newest_content()
    try:
        with (
            Server("limit:application") as bare,
            Server("cms_api.wsgi", is_deployed=True) as keeping,
            Server("cms_api.wsgi", is_deployed=True, CMS_TREE_CACHE_BYTES="0") as reading,
        ):
            servers = [(operation, bare, keeping if operation.keeps_trees else reading) for operation in operations]
            before = {server.port: memory(server, "VmRSS") for server in (bare, keeping)}
            for operation, _, ours in servers:
                check_answers(operation, bare, ours, key)
            print(f"{databases.name_of(options.database)}, {options.rounds} rounds of {options.seconds} s\n")
            print(
                "| operation | limit req/s | ours req/s | ours / limit | goal "
                "| p50/p99 ms limit | ours | CPU µs limit | ours | limit / ours |"
            )
            print("|---|" + "---:|" * 9)
            for operation, _, ours in servers:
                rounds = list(measure(operation, bare, ours, key, options))
                print(row(operation, rounds), flush=True)
                if operation.is_long:
                    risen = [memory(server, "VmHWM") - before[server.port] for server in (bare, ours)]
                    print(f"\nPeak memory of a worker: limit +{risen[0]:.0f} MB, ours +{risen[1]:.0f} MB\n")
    finally:
        remove_after(newest, options.database)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("CMS_DATABASE_URL") or f"{databases.POSTGRESQL}{databases.PREFIX}_100k"
    parser.add_argument("--database", default=default, help="made by dataset.py (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=3, help="of one turn (default: %(default)s)")
    parser.add_argument("--only", action="append", help="name of an operation; repeatable")
    databases.add_folder_option(parser)
    return parser.parse_args()


def make_operations() -> list[Operation]:
    """Build the requests, chosen at random with a fixed seed."""
    from accounts.models import User
    from channels_app.models import Channel
    from contents.models import Content

    chance = random.Random(SEED)
    small = Channel.objects.get(channel_name="Small", parents_count=1)
    leaves = list(Channel.objects.in_channel(small.pk).filter(children_count=0).values_list("pk", flat=True))
    site = small.site_id
    places = list(Content.objects.order_by("id").values_list("channel_id", "id"))
    chosen = chance.sample(places, min(2000, len(places)))

    def lists(size: int) -> list[str]:
        asked = [{"siteId": site, "channelId": c, "checked": True, "perPage": size} for c in leaves]
        return [f"POST\t/api/v1/contents\t{json.dumps(members)}" for members in asked]

    def creations(**members: str) -> list[str]:
        bodies = Content.objects.order_by("id").values_list("title", "body__text")[:200]
        made = [new_content(title, text) | members for title, text in bodies]
        return [f"POST\t/api/v1/contents/{site}/{chance.choice(leaves)}\t{json.dumps(new)}" for new in made]

    def elements(name: str, *queries: str) -> list[str]:
        return [f"GET\t/api/v1/stl/{name}?siteId={site}{query}\t" for query in queries]

    of_site = [f"POST\t/api/v1/contents\t{json.dumps({'siteId': site, 'perPage': 20})}"]
    numbers = dict(Channel.objects.filter(parents_count=1).values_list("index_name", "pk"))
    tree = [f"GET\t/api/v1/channels/{site}/{site}\t"]
    return [
        Operation("get", [f"GET\t/api/v1/contents/{site}/{c}/{number}\t" for c, number in chosen], 0.65),
        Operation("list20", lists(20), 0.9),
        Operation("list100", lists(100), 1.3),
        Operation("list20-site", of_site, None),
        Operation("create", creations(), 0.55),
        Operation("create-tagged", creations(tags="common1,common2", groupNameCollection="Group 1"), None),
        Operation("channel-tree-first", tree, 0.8, keeps_trees=False),
        Operation("channel-tree", tree, 6.0),
        # Only channels without contents of their own, which need no counting.
        Operation("stl-channel", elements("channel", *(f"&channelIndex={n}" for n in numbers if n != "news")), 0.7),
        Operation("stl-contents", elements("contents", f"&channelId={numbers['news']}&totalNum=10"), 0.8),
        Operation("stl-contents-site", elements("contents", "&scope=All&totalNum=10&order=AddDate"), None),
        Operation("stl-title", elements("content", *(f"&contentId={n}&type=title&wordNum=20" for _, n in chosen)), 0.6),
        Operation("stl-sites", ["GET\t/api/v1/stl/sites\t"], None),
        *([Operation("users", ["GET\t/api/v1/users\t"], 0.95, is_long=True)] if User.objects.exists() else []),
    ]


def new_content(title: str, text: str) -> dict[str, object]:
    """Return the body of a request that creates a content."""
    return {
        "title": title,
        "subTitle": "A subtitle",
        "author": "Somebody",
        "source": "Somewhere",
        "summary": "What it is about, in some words.",
        "imageUrl": "/upload/images/1.jpg",
        "addDate": "2025-06-01 09:30:00",
        "lastEditDate": "2025-06-01 09:30:00",
        "isChecked": True,
        "content": text,
    }


def issue_key(scopes: str = "Contents:write,Channels:read,STL:read,Users:read") -> str:
    """Issue an API key of a superuser and return its token."""
    from accounts.models import Administrator
    from apikeys.models import ApiKey

    name = f"benchmark-{secrets.token_hex(4)}"
    owner, _ = Administrator.objects.get_or_create(
        user_name="benchmark", defaults={"password": "!", "is_superuser": True}
    )
    _, token = ApiKey.objects.issue(name, owner, scopes=scopes)
    return token


def check_answers(operation: Operation, bare: Server, ours: Server, key: str) -> None:
    """Exit unless both servers return status 200 and the same bodies."""
    for line in operation.lines[:CHECKED]:
        method, path, body = line.split("\t")
        answers = [server.ask(method, path, body, key) for server in (bare, ours)]
        for status, text in answers:
            if status != 200:
                sys.exit(f"{operation.name}: {method} {path} was answered with {status}: {text[:500]!r}")
        first, second = (json.loads(text) for _, text in answers)
        if operation.creates:
            for answer in (first, second):
                for name in OWN:
                    answer["value"].pop(name)
        if first != second:
            sys.exit(f"{operation.name}: {method} {path} is answered differently:\n{first}\n{second}")


def measure(
    operation: Operation, bare: Server, ours: Server, key: str, options: argparse.Namespace
) -> Iterator[tuple[Figures, Figures]]:
    """Yield the figures of each round, first the limit's, then the service's."""
    lines = options.folder / f"{operation.name}.requests"
    lines.write_text("\n".join(operation.lines) + "\n", encoding="utf-8")
    connections, seconds = (WORKERS, 10 * options.seconds) if operation.is_long else (CONNECTIONS, options.seconds)
    for server in (bare, ours):
        load(server, lines, key, connections, 1)
    for number in range(options.rounds):
        order = (bare, ours) if number % 2 == 0 else (ours, bare)
        found = {server.port: load(server, lines, key, connections, seconds) for server in order}
        yield found[bare.port], found[ours.port]


def load(server: Server, lines: Path, key: str, connections: int, seconds: int) -> Figures:
    """Run wrk for one turn. Exits if a request fails."""
    before = processor_seconds(server)
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--timeout",
        "60s",
        "-s",
        str(SCRIPT),
        server.address,
        "--",
    ]
    answer = subprocess.run([*command, str(lines), key, server.header], capture_output=True, text=True, check=True)
    result = next(line for line in answer.stdout.splitlines() if line.startswith("RESULT "))
    figures = Figures(**json.loads(result.removeprefix("RESULT ")))
    if figures.failed:
        sys.exit(f"{figures.failed} of {figures.requests} requests failed.")
    time.sleep(0.3)  # lets pending requests finish before the other server's turn
    spent = processor_seconds(server) - before
    return replace(figures, processor=spent / max(figures.requests, 1) * 1e6)


def processor_seconds(server: Server) -> float:
    """Return the processor time of the workers and of PostgreSQL for this database so far, in seconds; Linux only."""
    return sum(used(pid) for pid in [*workers(server), *backends()])


def workers(server: Server) -> list[int]:
    """Return the process ids of the workers; Linux only."""
    return list(map(int, Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()))


def memory(server: Server, figure: str) -> float:
    """Return the largest VmRSS (current) or VmHWM (peak) among the server's workers, in megabytes."""
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in workers(server)]
    return max(int(text.partition(f"{figure}:")[2].split()[0]) for text in texts) / 1024


def backends() -> list[int]:
    """Return the ids of the PostgreSQL processes that serve this database; none with SQLite."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return [pid for (pid,) in cursor.fetchall()]


def used(pid: int) -> float:
    """Return the processor time of a process so far, in seconds; 0 if it is on another machine or has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row(operation: Operation, rounds: list[tuple[Figures, Figures]]) -> str:
    """Format the operation's row of the table."""
    ratios = [ours.rate / bare.rate for bare, ours in rounds]
    median = statistics.median(ratios)
    rates = [statistics.median(pair[side].rate for pair in rounds) for side in (0, 1)]
    used = [statistics.median(pair[side].processor for pair in rounds) for side in (0, 1)]
    waits = [
        "/".join(f"{statistics.median(getattr(pair[side], name) for pair in rounds):.1f}" for name in ("p50", "p99"))
        for side in (0, 1)
    ]
    figure = ".2f" if operation.is_long else ".0f"
    goal = "–" if operation.goal is None else f"{operation.goal} {'✓' if median >= operation.goal else '✗'}"
    return (
        f"| {operation.name} | {rates[0]:{figure}} | {rates[1]:{figure}} "
        f"| {median:.2f} [{min(ratios):.2f}–{max(ratios):.2f}] | {goal} | {waits[0]} | {waits[1]} "
        f"| {used[0]:.0f} | {used[1]:.0f} | {used[0] / used[1]:.2f} |"
    )


def newest_content() -> int:
    """Return the highest content id, 0 if there are no contents."""
    from contents.models import Content

    return Content.objects.order_by("-id").values_list("id", flat=True).first() or 0


def remove_after(newest: int, url: str) -> None:
    """Remove the contents with ids above `newest`."""
    from django.db import connection

    with connection.cursor() as cursor:
        for body, content in (("contents_contentbody", "contents_content"), ("bare_body", "bare_content")):
            cursor.execute(f"DELETE FROM {body} WHERE content_id > %s", [newest])
            cursor.execute(f"DELETE FROM {content} WHERE id > %s", [newest])
    connection.close()
    databases.settle(url)


if __name__ == "__main__":
    main()
