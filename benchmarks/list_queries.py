"""Measures options of lists of contents: cursors, no count, selected members, GET lists.

    .venv/bin/python benchmarks/list_queries.py                        (creates missing databases)
    .venv/bin/python benchmarks/list_queries.py --size 100000 --engines sqlite --keep

For each engine, the script creates a dataset (dataset.py); a million contents take a while and several gigabytes. It
measures requests in the process, without HTTP, after a warm-up, on one connection: page, total and records, before
their conversion to JSON. Each round runs all requests in turn, so that other work on the machine affects all of them. A
figure is the median of its rounds; a ratio is relative to the first row. Compare ratios within one run only.

The script drops the databases that it created, unless --keep is given.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import databases
import growth

ROUNDS, PER_PAGE = 60, 20
FIRST = "page 1"
SLOW = 0.05  # seconds; slower requests run only five times
FIELDS = ("id", "title", "addDate")


def main() -> None:
    """Create the databases, measure each in a separate process, and print the table."""
    options = read_options()
    if options.measure:
        print(json.dumps(measure(options.measure, options)))
        return
    found = {}
    for engine in options.engines:
        url = growth.url_of(engine, options.size, options)
        made = growth.make(url, options.size, options)
        command = [sys.executable, __file__, "--measure", url, "--folder", str(options.folder)]
        found[engine] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        if made and not options.keep:
            databases.drop(url)
    print_table(found)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1_000_000, help="contents (default: %(default)s)")
    databases.add_measuring_options(parser)
    return parser.parse_args()


# ---- One database


def measure(url: str, options: argparse.Namespace) -> dict[str, float]:
    """Return the time of each request in milliseconds."""
    os.environ["CMS_STATEMENT_SECONDS"] = "60"
    databases.open_service(url, options.folder)
    acts = requests()
    times: dict[str, list[float]] = {name: [] for name in acts}
    for name, act in acts.items():
        print(name, file=sys.stderr)
        act()  # loads pages into memory
    for number in range(ROUNDS):
        for name, act in acts.items():
            is_slow = number > 0 and statistics.median(times[name]) > SLOW
            if is_slow and number > 4:
                continue
            if not is_slow:
                act()  # the first call after a slow request may wait for the processor
            start = time.perf_counter()
            act()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(taken) * 1000 for name, taken in times.items()}


def requests() -> dict[str, Callable[[], Any]]:
    """Return calls that make the requests, by name."""
    from contents.models import Content
    from core.rest.rules import OrderRule

    newest = {"orders": (OrderRule("addDate", True),)}
    edited = {"orders": (OrderRule("lastEditDate", True),)}
    last = Content.objects.count() // PER_PAGE
    get = {"is_by_taxis": True, "checked": True}
    acts: dict[str, Callable[[], Any]] = {}
    for name, members in {"": {}, ", by addDate": newest, ", by lastEditDate": edited}.items():
        cursor = cursor_of(last, **members)
        acts |= {
            f"{FIRST}{name}": reading(page=1, **members),
            f"page 1 by cursor{name}": reading(cursor="", **members),
            f"page {last:,} by cursor{name}": reading(cursor=cursor, **members),
            f"page {last:,}{name}": reading(page=last, **members),
        }
    return acts | {
        "page 1, not counted": reading(page=1, count="none"),
        "page 1, three members": reading(page=1, fields=FIELDS),
        "page 1, three members, not counted": reading(page=1, fields=FIELDS, count="none"),
        "page 1 of two groups": reading(page=1, group_names=("Group 0", "Group 1")),
        "page 1 of two groups, not counted": reading(page=1, group_names=("Group 0", "Group 1"), count="none"),
        "GET list": reading(skip=0, **get),
        "GET list, three members": reading(skip=0, fields=FIELDS, **get),
        "GET list, half of it skipped": reading(skip=last * PER_PAGE // 2, **get),
        "GET list, not approved": reading(skip=0, is_by_taxis=True, checked=False),
        "GET list, not approved, not pinned": reading(skip=0, is_by_taxis=True, checked=False, top=False),
        "GET list of a group": reading(skip=0, group_names=("Group 0",), **get),
    }


def reading(**members: Any) -> Callable[[], Any]:
    """Return a call that reads the page and builds its records."""
    from contents.lists.page import read_page
    from contents.lists.request import ListRequest
    from sites.models import Site

    asked = {"site_id": Site.objects.get().pk, "per_page": PER_PAGE, **members}
    return lambda: read_page(ListRequest(**asked)).fragments


def cursor_of(page: int, **members: Any) -> str:
    """Return the cursor of a page, which the previous page would return, without iterating to it."""
    from contents.lists.cursor import write_cursor
    from contents.lists.page import compose
    from contents.lists.request import ListRequest
    from contents.models import Content

    record = reading(page=page - 1, **members)()[-1]
    content = Content.objects.get(pk=record["id"])
    asked = ListRequest(content.site_id, per_page=PER_PAGE, cursor="", **members)
    columns = compose(asked).keys
    return write_cursor(asked, columns, [getattr(content, column.name) for column in columns])


# ---- The table


def print_table(found: dict[str, dict[str, float]]) -> None:
    """Print a table with a row for each request, and the time and its ratio to the first row for each engine."""
    heads = [f"{engine} ms | of the first" for engine in found]
    print("| request | " + " | ".join(heads) + " |\n|---|" + "---:|" * 2 * len(found))
    for name in next(iter(found.values())):
        cells = (f"{times[name]:.2f} | {times[name] / times[FIRST]:.2f}" for times in found.values())
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
