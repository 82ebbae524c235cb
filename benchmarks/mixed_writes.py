"""Measures long-lasting writes, and their effect on the tables: sizes of indexes, bloat, response times.

    .venv/bin/python benchmarks/dataset.py --contents 1550000 --database postgres:///cms_benchmark_10m_rows
    .venv/bin/python benchmarks/mixed_writes.py --database postgres:///cms_benchmark_10m_rows --minutes 60

The service runs as `make run` starts it, PostgreSQL with its configured autovacuum. Several clients send requests
without pause, each over its own connection: each reads a page of a random channel, then for its contents sends ten
requests, which create a content, change a text, change groups, tags and the mark "top", approve, move, delete (to the
trash) or read one (SHARES). The script prints response times for each of six equal parts of the time, and for each
table and index its size before and after, how full the leaves of indexes are and how much of tables is free
(PostgreSQL's extension pgstattuple).
"""

import argparse
import http.client
import json
import random
import statistics
import threading
import time
from collections import defaultdict
from itertools import islice
from typing import Any

import batches
import compare
import databases
from servers import Server

PARTS = 6
SHARES = {"create": 35, "text": 30, "lists": 10, "check": 5, "move": 5, "delete": 5, "get": 10}
PER_LIST = 10  # requests per list that is read
TABLES = ("contents_content", "contents_contentbody", "contents_listedcontent", "contents_listedcount")


def main() -> None:
    """Run the clients and print the tables."""
    options = read_options()
    databases.open_service(options.database, options.folder)
    from channels_app.models import Channel

    key = compare.issue_key()
    site = Channel.objects.get(index_name="news").site_id
    channels = list(Channel.objects.filter(index_name="news").values_list("pk", flat=True))
    channels += Channel.objects.filter(site_id=site, children_count=0).values_list("pk", flat=True)[:500]
    before = sizes()
    with Server("cms_api.wsgi", is_deployed=True) as server:
        end = time.monotonic() + options.minutes * 60
        root = f"/api/v1/contents/{site}"
        clients = [Client(server, key, root, channels, end, number) for number in range(options.clients)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    print_times([each for client in clients for each in client.sent], options.minutes * 60)
    print_sizes(before, sizes())


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_10m_rows")
    parser.add_argument("--minutes", type=float, default=60, help="default: %(default)s")
    parser.add_argument("--clients", type=int, default=6, help="default: %(default)s")
    databases.add_folder_option(parser)
    return parser.parse_args()


class Client(threading.Thread):
    """Sends requests until the end; records start, name and seconds of each."""

    def __init__(self, server: Server, key: str, root: str, channels: list[int], end: float, number: int) -> None:
        super().__init__()
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
        self._headers = {"Content-Type": "application/json", "X-SS-API-KEY": key}
        self._root, self._channels, self._end = root, channels, end
        self._chance = random.Random(number)
        self._bodies = list(islice(batches.sample(), 200))
        self._begin = time.monotonic()
        self.sent: list[tuple[float, str, float]] = []

    def run(self) -> None:
        while time.monotonic() < self._end:
            channel, page = self._chance.choice(self._channels), self._chance.randrange(1, 10)
            listed = self._send("list20", "GET", f"{self._root}/{channel}?perPage=20&page={page}")
            ids = [each["id"] for each in listed["value"] if each["channelId"] == channel]
            for name in self._chance.choices(list(SHARES), list(SHARES.values()), k=PER_LIST):
                if name == "create":
                    self._send(name, "POST", f"{self._root}/{channel}", self._chance.choice(self._bodies))
                elif ids:
                    self._send(name, *self._request(name, f"{self._root}/{channel}", ids))

    def _request(self, name: str, root: str, ids: list[int]) -> tuple[str, str, Any]:
        content = self._chance.choice(ids)
        body = self._chance.choice(self._bodies)
        if name == "get":
            return "GET", f"{root}/{content}", None
        if name == "check":
            return "POST", f"{root}/batch/check", {"ids": [content], "reasons": "read"}
        if name == "text":
            return "PUT", f"{root}/{content}", {"title": body["title"], "content": body["content"]}
        if name == "lists":
            changes = {"tags": body["tags"], "groupNameCollection": body["groupNameCollection"]}
            return "PUT", f"{root}/{content}", changes | {"isTop": self._chance.random() < 0.01}
        ids.remove(content)
        if name == "move":
            targets = [each for each in self._channels if not root.endswith(f"/{each}")]
            return "POST", f"{root}/batch/move", {"ids": [content], "targetChannelId": self._chance.choice(targets)}
        return "DELETE", f"{root}/{content}", None

    def _send(self, name: str, method: str, path: str, body: Any = None) -> Any:
        text = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        sent = time.monotonic()
        self._connection.request(method, path, text, self._headers)
        response = self._connection.getresponse()
        answer = response.read()
        # Another client may have moved or deleted the content since this one read the list.
        if response.status == 404:
            return None
        assert response.status == 200, (response.status, answer[:500])
        self.sent.append((sent - self._begin, name, time.monotonic() - sent))
        return json.loads(answer)


def print_times(sent: list[tuple[float, str, float]], seconds: float) -> None:
    """Print for each request its number, and median and p99 of each part of the time."""
    parts: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in range(PARTS)])
    for when, name, took in sent:
        parts[name][min(PARTS - 1, int(when / seconds * PARTS))].append(took * 1000)
    print(f"| request | number |{''.join(f' p50/p99 ms in part {number + 1} |' for number in range(PARTS))}")
    print("|---|" + "---:|" * (PARTS + 1))
    for name, found in sorted(parts.items()):
        cells = [f"{statistics.median(p):.1f}/{quantile(p, 0.99):.1f}" if p else "–" for p in found]
        print(f"| {name} | {sum(map(len, found)):,} | {' | '.join(cells)} |")


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def sizes() -> dict[str, tuple[int, str]]:
    """Return the bytes of each table and index, and how full they are."""
    from django.db import connection

    found = {}
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pgstattuple")
        cursor.execute(
            """SELECT c.relname, c.oid, c.relkind, a.amname FROM pg_class c JOIN pg_am a ON a.oid = c.relam
            LEFT JOIN pg_index i ON i.indexrelid = c.oid
            WHERE coalesce(i.indrelid, c.oid) = ANY (SELECT to_regclass(name) FROM unnest(%s::text[]) AS name)
            ORDER BY coalesce(i.indrelid, c.oid), c.relkind DESC, c.relname""",
            [list(TABLES)],
        )
        for name, oid, kind, method in cursor.fetchall():
            density = "–"
            if kind == "r":
                cursor.execute("SELECT approx_tuple_count, approx_free_percent FROM pgstattuple_approx(%s)", [oid])
                rows, free = cursor.fetchone()
                density = f"{rows:,.0f} rows, {free:.0f} % free"
            elif method == "btree":
                cursor.execute("SELECT avg_leaf_density FROM pgstatindex(%s::regclass)", [oid])
                density = f"leaves {cursor.fetchone()[0]:.0f} % full"
            cursor.execute("SELECT pg_relation_size(%s)", [oid])
            found[name] = (cursor.fetchone()[0], density)
    return found


def print_sizes(before: dict[str, tuple[int, str]], after: dict[str, tuple[int, str]]) -> None:
    print("\n| table or index | MB before | | MB after | |\n|---|---:|---|---:|---|")
    for name, (size, density) in before.items():
        print(f"| {name} | {size / 1e6:,.0f} | {density} | {after[name][0] / 1e6:,.0f} | {after[name][1]} |")


if __name__ == "__main__":
    main()
