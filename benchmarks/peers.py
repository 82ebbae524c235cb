"""Compares the service with Wagtail, Directus and Strapi: same contents, requests, database and number of processes.

    apt-get install wrk
    python3 -m venv FOLDER/wagtail
    FOLDER/wagtail/bin/pip install wagtail==8.0.1 gunicorn 'psycopg[c]'
    npm install --prefix FOLDER/directus directus@11.3.5
    npm install --prefix FOLDER/strapi @strapi/strapi@5.54.0 @strapi/plugin-users-permissions@5.54.0 pg \\
        react@18 react-dom@18 react-router-dom@6 styled-components@6
    .venv/bin/python benchmarks/peers.py FOLDER --set-up
    .venv/bin/python benchmarks/peers.py FOLDER

FOLDER must be outside the repository, and PostgreSQL must accept the user who runs the script on its socket without a
password. --set-up creates the databases peers_ours, peers_wagtail, peers_directus and peers_strapi with the contents of
dataset.py. A measurement works on copies of them, whose names end in _copy, and takes about eleven minutes.

Each product runs in production mode with two processes: workers of gunicorn or of Node's cluster module
(peer_servers.py). The script first checks that all products return the same contents and counts. After a warm-up, wrk
measures them one after the other, in reverse order every second round, with 8 connections. Figures are medians of the
rounds; ratios are computed for each round. CPU is the processor time per request, workers and PostgreSQL together.
"""

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import compare
import databases
import dataset
import psycopg
from peer_servers import FILES, Directus, Ours, Strapi, Wagtail

databases.PREFIX = "peers"  # of the databases that this script creates and drops
PRODUCTS = {product.name: product for product in (Ours, Wagtail, Directus, Strapi)}
CONNECTIONS, WARM_UP, GOAL = 8, 3, 4
COLUMNS = (
    "id, channel_id, title, sub_title, summary, author, source, image_url, tags, text AS body, add_date, "
    "last_edit_date, add_user_name, last_edit_user_name, "
    "is_top, is_recommend, is_hot, is_color, is_checked, hits, taxis"
)


def url_of(name: str) -> str:
    return f"{databases.POSTGRESQL}peers_{name}"


def main() -> None:
    """Create the databases, or measure all requests and print the tables."""
    options = read_options()
    if options.set_up:
        set_up(options)
    else:
        measure_all(options)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("products", type=Path, metavar="FOLDER", help="where the other products are installed")
    parser.add_argument("--set-up", action="store_true", help="create the databases, replacing those that exist")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PRODUCTS,
        default=list(PRODUCTS),
        help="products; a measurement needs ours (default: all)",
    )
    parser.add_argument("--contents", type=int, default=100_000, help="with --set-up (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=5, help="of one turn (default: %(default)s)")
    databases.add_folder_option(parser)
    options = parser.parse_args()
    options.products = options.products.resolve()
    return options


def set_up(options: argparse.Namespace) -> None:
    """Create the database of each product and copy the service's contents into it."""
    for name in options.only:
        databases.create(url_of(name), replace=True)
        if name == "ours":
            databases.open_service(url_of(name), options.folder)
            dataset.fill(options.contents, url_of(name))
        else:
            PRODUCTS[name](options.products).make_schema()
            copy_contents(name)
        databases.settle(url_of(name))
        print(f"{name}: set up", flush=True)


def copy_contents(name: str) -> None:
    """Copy the service's contents into a table "staged" and from there into the tables of the product."""
    chosen = f"SELECT {COLUMNS} FROM contents_content JOIN contents_contentbody ON content_id = id ORDER BY id"
    with psycopg.connect(url_of("ours")) as ours, psycopg.connect(url_of(name)) as own:
        types = ours.execute(f"SELECT * FROM ({chosen}) AS c LIMIT 0").description or ()
        columns = ", ".join(f"{column.name} {column.type_display}" for column in types)
        own.execute(f"CREATE TABLE staged ({columns})")
        with (
            ours.cursor().copy(f"COPY ({chosen}) TO STDOUT") as source,
            own.cursor().copy("COPY staged FROM STDIN") as target,
        ):
            for block in source:
                target.write(block)
        own.execute((FILES / f"{name}.sql").read_text())


def measure_all(options: argparse.Namespace) -> None:
    """Measure all requests on fresh copies of the databases."""
    for name in options.only:
        databases.drop(url_of(f"{name}_copy"))
        with psycopg.connect(f"{databases.POSTGRESQL}postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE peers_{name}_copy TEMPLATE peers_{name} STRATEGY FILE_COPY")
    databases.open_service(url_of("ours_copy"), options.folder)
    operations = make_operations()
    with ExitStack() as stack:
        servers = [stack.enter_context(PRODUCTS[name](options.products)) for name in options.only]
        sizes = {name: check(name, lines_of, servers) for name, lines_of in operations.items()}
        print("| request | product | req/s | p50/p99 ms | CPU µs | KB | ours / it |")
        print("|---|---|---:|---:|---:|---:|---:|")
        for name, lines_of in operations.items():
            rounds = list(measure(lines_of, servers, options))
            for server in servers:
                print(row(name, server, rounds, sizes[name][server.name]), flush=True)
        print("\n| product | memory of a worker, MB | of all processes, MB |\n|---|---:|---:|")
        for server in servers:
            print(f"| {server.name} | {compare.memory(server, 'VmRSS'):.0f} | {all_memory(server):.0f} |")


def make_operations() -> dict[str, Callable[[Any], list[str]]]:
    """Return the requests by name, as functions that write them for a server."""
    from channels_app.models import Channel
    from contents.models import Content

    chance = random.Random(compare.SEED)
    small = Channel.objects.get(channel_name="Small", parents_count=1)
    leaves = list(Channel.objects.in_channel(small.pk).filter(children_count=0).values_list("pk", flat=True))
    places = list(Content.objects.checked().order_by("id").values_list("channel_id", "id"))
    chosen = chance.sample(places, min(2000, len(places)))
    bodies = Content.objects.order_by("id").values_list("title", "body__text")[:2000]
    # In turn, since Wagtail fails to create two children of one page at the same time.
    new = [(channel, compare.new_content(*body)) for channel, body in zip(cycle(leaves), bodies, strict=False)]
    return {
        "get": lambda server: [server.get(*place) for place in chosen],
        "list20": lambda server: [server.list(channel, 20) for channel in leaves],
        "list100": lambda server: [server.list(channel, 100) for channel in leaves],
        "list20-site": lambda server: [server.list(None, 20)],
        "create": lambda server: [server.create(channel, members) for channel, members in new],
    }


def check(name: str, lines_of: Callable[[Any], list[str]], servers: list[Any]) -> dict[str, float]:
    """Exit unless all servers return the same contents; return the size of a response in KB for each server."""
    answers, sizes = {}, {}
    for server in servers:
        for line in lines_of(server)[: compare.CHECKED]:
            method, path, body = line.split("\t")
            status, text = server.ask(method, path, body, server.key)
            if status not in (200, 201):
                sys.exit(f"{name}: {server.name} answered {method} {path} with {status}: {text[:1000]!r}")
            answers.setdefault(server.name, []).append(server.read(json.loads(text)))
            sizes[server.name] = len(text) / 1024
        if answers[server.name] != answers["ours"]:
            sys.exit(f"{name}: {server.name} answered differently: {str(answers)[:1000]}")
    return sizes


def measure(
    lines_of: Callable[[Any], list[str]], servers: list[Any], options: argparse.Namespace
) -> Iterator[dict[str, compare.Figures]]:
    """Yield the figures of each round by product, after a warm-up."""
    for number in range(-1, options.rounds):
        found = {}
        for server in servers[:: 1 if number % 2 == 0 else -1]:
            lines = options.folder / f"{server.name}.requests"
            lines.write_text("\n".join(lines_of(server)) + "\n", encoding="utf-8")
            before = processor_seconds(server)
            seconds = WARM_UP if number < 0 else options.seconds
            figures = compare.load(server, lines, server.key, CONNECTIONS, seconds)
            spent = processor_seconds(server) - before
            found[server.name] = replace(figures, processor=spent / figures.requests * 1e6)
        if number >= 0:
            yield found


def processor_seconds(server: Any) -> float:
    """Return the processor time of the server's workers and of its database's processes so far; Linux only."""
    with psycopg.connect(f"{databases.POSTGRESQL}postgres") as connection:
        rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE datname = %s", [f"peers_{server.name}_copy"])
        return sum(map(compare.used, [*compare.workers(server), *(pid for (pid,) in rows)]))


def all_memory(server: Any) -> float:
    """Return the memory of all processes in megabytes, with shared memory counted once; Linux only."""
    texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in (server.pid, *compare.workers(server))]
    return sum(int(text.partition("\nPss:")[2].split()[0]) for text in texts) / 1024


def row(name: str, server: Any, rounds: list[dict[str, compare.Figures]], size: float) -> str:
    """Format the row of a product in the table of a request."""
    own = [found[server.name] for found in rounds]
    rate, p50, p99, processor = (
        statistics.median(getattr(figures, column) for figures in own) for column in ("rate", "p50", "p99", "processor")
    )
    share = "–"
    if server.name != "ours":
        ratios = [found["ours"].rate / found[server.name].rate for found in rounds]
        median = statistics.median(ratios)
        share = f"{median:.1f} [{min(ratios):.1f}–{max(ratios):.1f}] {'✓' if median >= GOAL else '✗'}"
    return f"| {name} | {server.name} | {rate:.0f} | {p50:.1f}/{p99:.1f} | {processor:.0f} | {size:.0f} | {share} |"


if __name__ == "__main__":
    main()
