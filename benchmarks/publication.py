"""Measures how long after its time a scheduled draft is public, and the cost of clients that wait for changes.

    .venv/bin/python benchmarks/dataset.py --contents 10000 --database postgres:///cms_benchmark_10k
    .venv/bin/python benchmarks/publication.py --database postgres:///cms_benchmark_10k

Two nodes run as `make run` starts them. Each round stores the draft of a content, due at the next second but one; the
second node is then polled for the content and its page until both have it, a client waits for the change with a long
poll, and a webhook receiver for its request. Delays are from the due time, medians and maxima. Then wrk reads contents
from a node, in alternating order with and without clients that wait for changes.
"""

import argparse
import http.client
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import compare
import databases
from servers import Server

PATIENCE = 30  # seconds
PAUSE = 0.01  # between two requests for the same
TEMPLATE = "<!DOCTYPE html><title>{content.title}</title>"


def main() -> None:
    """Measure and print both tables."""
    options = read_options()
    databases.open_service(options.database, options.folder)
    key = compare.issue_key("Contents:write,System:write")
    nodes = {"CMS_WEBHOOK_NETWORKS": "127.0.0.0/8"}
    with (
        template() as site_id,
        Server("cms_api.wsgi", is_deployed=True, CMS_NODE_NAME="first", **nodes),
        Server("cms_api.wsgi", is_deployed=True, CMS_NODE_NAME="second", **nodes) as node,
    ):
        print("| public after its time, ms | median | maximum |\n|---|---:|---:|")
        for name, delays in measure_delays(node, key, site_id, options.rounds).items():
            print(f"| {name} | {statistics.median(delays):.0f} | {max(delays):.0f} |", flush=True)
        measure_waiting(node, key, site_id, options)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_10k")
    parser.add_argument("--rounds", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--clients", type=int, default=100, help="that wait for changes (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=5, help="with waiting clients, and without (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=3, help="of one turn (default: %(default)s)")
    databases.add_folder_option(parser)
    return parser.parse_args()


@contextmanager
def template() -> Iterator[int]:
    """Give the site of the dataset a template for contents within the block; yield the site's id."""
    from pages.models import Template, TemplateKind
    from sites.models import Site

    site = Site.objects.get(site_dir="benchmark")
    kept = Template.objects.create(
        site=site, kind=TemplateKind.CONTENT, name="publication", text=TEMPLATE, is_default=True
    )
    try:
        yield site.pk
    finally:
        kept.delete()


def measure_delays(node: Server, key: str, site_id: int, rounds: int) -> dict[str, list[float]]:
    """Return the delays of each round, in milliseconds, by receiver of the change."""
    from contents.models import Content

    found: dict[str, list[float]] = {}
    places = Content.objects.filter(site_id=site_id, is_checked=True).order_by("id").values_list("channel_id", "id")
    with receiver() as (url, arrivals):
        hook = call(node, key, "POST", "/api/v1/webhooks", {"name": "benchmark", "url": url, "siteId": site_id})
        for number, (channel_id, content_id) in enumerate(places[:rounds], start=1):
            place = f"/api/v1/contents/{site_id}/{channel_id}/{content_id}"
            for name, delay in publish(node, key, place, lambda number=number: len(arrivals) >= number).items():
                found.setdefault(name, []).append(delay)
        call(node, key, "DELETE", f"/api/v1/webhooks/{hook['value']['id']}")
    return found


def publish(node: Server, key: str, place: str, has_arrived: Callable[[], bool]) -> dict[str, float]:
    """Publish a draft by schedule; return the delays by receiver of the change."""
    record = call(node, key, "GET", place)["value"]
    due = datetime.now().replace(microsecond=0) + timedelta(seconds=2)
    title = f"Published at {due}"
    call(node, key, "PUT", place, {"isDraft": True, "title": title, "publishAt": f"{due:%Y-%m-%d %H:%M:%S}"})
    feed = f"/api/v1/changes?siteId={record['siteId']}"
    following = f"{feed}&after={call(node, key, 'GET', feed)['nextCursor']}&wait=20"
    looks = {
        "content of the API": lambda: call(node, key, "GET", place)["value"]["title"] == title,
        "page": lambda: title.encode() in node.ask("GET", record["navigationUrl"])[1],
        "change feed": lambda: bool(call(node, key, "GET", following)["changes"]),
        "webhook": has_arrived,
    }

    def delay_of(is_there: Callable[[], bool]) -> float:
        end = time.monotonic() + PATIENCE
        while not is_there():
            if time.monotonic() > end:
                sys.exit(f"{title} is not there after {PATIENCE} seconds.")
            time.sleep(PAUSE)
        return (datetime.now() - due).total_seconds() * 1000

    with ThreadPoolExecutor(len(looks)) as pool:
        return dict(zip(looks, pool.map(delay_of, looks.values()), strict=True))


def measure_waiting(node: Server, key: str, site_id: int, options: argparse.Namespace) -> None:
    """Print the rate of reads, and the threads of the workers, with and without waiting clients."""
    from contents.models import Content

    places = Content.objects.filter(site_id=site_id, is_checked=True).values_list("channel_id", "id")[:1000]
    lines = options.folder / "publication.requests"
    lines.write_text("".join(f"GET\t/api/v1/contents/{site_id}/{channel}/{pk}\t\n" for channel, pk in places))
    compare.load(node, lines, key, 8, 1)
    rates: dict[int, list[float]] = {0: [], options.clients: []}
    threads: dict[int, int] = {}
    for _ in range(options.turns):
        for clients in rates:
            with ExitStack() as waiting:
                for _number in range(clients):
                    waiting.enter_context(waits(node, key, site_id))
                rates[clients].append(compare.load(node, lines, key, 8, options.seconds).rate)
                threads[clients] = sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in compare.workers(node))
    print("\n| waiting clients | reads/s | threads of the workers |\n|---:|---:|---:|")
    for clients, found in rates.items():
        print(f"| {clients} | {statistics.median(found):.0f} | {threads[clients]} |")
    ratios = [with_ / without for without, with_ in zip(*rates.values(), strict=True)]
    print(f"\nratio {statistics.median(ratios):.2f} [{min(ratios):.2f}–{max(ratios):.2f}]")


@contextmanager
def waits(node: Server, key: str, site_id: int) -> Iterator[None]:
    """Hold a request that waits for the next change of the site."""
    connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=60)
    connection.request("GET", f"/api/v1/changes?siteId={site_id}&wait=30", headers={node.header: key})
    try:
        yield
    finally:
        connection.close()


@contextmanager
def receiver() -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a receiver of webhooks, and the events of changed contents that it gets."""
    arrivals: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if body["type"] == "content.changed":
                arrivals.append(body["type"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *arguments: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/", arrivals
    finally:
        server.shutdown()
        server.server_close()


def call(node: Server, key: str, method: str, path: str, body: Any = None) -> Any:
    status, answer = node.ask(method, path, "" if body is None else json.dumps(body), key)
    if status != 200:
        raise RuntimeError(f"{method} {path}: {status} {answer[:300]!r}")
    return json.loads(answer)


if __name__ == "__main__":
    main()
