"""Measures how the pages of the list of contents in the back end grow with the number of contents.

    .venv/bin/python benchmarks/back_end_lists.py                     (makes the databases that are missing)
    .venv/bin/python benchmarks/back_end_lists.py --sizes 1000 100000 --engines sqlite --keep

Each database is one of growth.py's (dataset.py). An administrator of the highest rank asks for pages of 50 in the
process, through Django's test client, so that the time is that of the whole page: session, menu, filters, statements
and templates. Each is the median of several after some that do not count. The growth is that from the smallest size
to the largest; the goal is at most 2 times. Rows that begin with `tree` are what the tree at the side asks for.

Databases are dropped at the end, unless --keep is given.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import databases
import growth

FACTOR = 2.0


def main() -> None:
    """Make the databases, measure each in a process of its own, print the tables."""
    options = read_options()
    if options.measure:
        print(json.dumps(measure(options.measure, options)))
        return
    for engine in options.engines:
        found = {}
        for size in options.sizes:
            url = growth.url_of(engine, size, options)
            made = growth.make(url, size, options)
            print(f"Measuring {databases.name_of(url)} …", file=sys.stderr)
            command = [sys.executable, __file__, "--measure", url, "--folder", str(options.folder)]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found[size] = json.loads(answer.splitlines()[-1])
            if made and not options.keep:
                databases.drop(url)
        print_table(engine, found)


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 1_000_000])
    parser.add_argument("--engines", nargs="+", default=["postgresql", "sqlite"])
    parser.add_argument("--server", default=databases.POSTGRESQL, help="PostgreSQL (default: %(default)s)")
    parser.add_argument("--keep", action="store_true", help="leave the databases for another run")
    parser.add_argument("--measure", help=argparse.SUPPRESS)  # one database, in a process of its own
    databases.add_folder_option(parser)
    return parser.parse_args()


def measure(url: str, options: argparse.Namespace) -> dict[str, float]:
    """Milliseconds of each page."""
    databases.open_service(url, options.folder)
    from django.conf import settings

    settings.ALLOWED_HOSTS = ["testserver"]
    return {name: growth.median(act) for name, act in pages()}


def pages() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is asked for, by name."""
    from django.test import Client
    from django.urls import reverse

    browser = Client()
    browser.force_login(administrator())
    address = reverse("admin:contents_content_changelist")
    for name, query in queries().items():
        yield name, asking(browser, address, query)
    tree = reverse("admin:contents_content_tree")
    large = channels()["Large"]
    yield "tree, sites", asking(browser, tree, {})
    yield "tree, below a channel", asking(browser, tree, {"parent": large})


def administrator() -> Any:
    """Somebody of the highest rank."""
    from accounts.models import Administrator

    found = Administrator.objects.filter(is_superuser=True).first()
    return found or Administrator.objects.create(user_name="benchmark", is_superuser=True)


def channels() -> dict[str, int]:
    """The channels of the first level by name."""
    from channels_app.models import Channel

    return dict(Channel.objects.filter(parents_count=1).values_list("channel_name", "pk"))


def queries() -> dict[str, dict[str, Any]]:
    """Filters and orders of the list, by name."""
    from channels_app.models import Channel
    from contents.models import ContentTag

    channel = "channel__id__exact"
    first = channels()
    leaf = Channel.objects.filter(parents_count=3).order_by("pk").values_list("pk", flat=True)[0]
    rare = ContentTag.objects.filter(tag_name__startswith="rare").order_by("-pk").values_list("tag_name", flat=True)[0]
    return {
        "all": {},
        "all, newest first": {"o": "-6"},
        "all, as on the site": {"o": "site"},
        "all, most read first": {"o": "-7"},
        "channel with 2,000 below": {channel: first["Large"]},
        "channel with 2,000 below, as on the site": {channel: first["Large"], "o": "site"},
        "one channel": {channel: first["News"]},
        "channel of the third level": {channel: leaf},
        "approved": {"state": "approved"},
        "not approved": {"state": "pending"},
        "drafts": {"state": "draft"},
        "passed a level": {"state": "passed"},
        "pinned": {"is_top__exact": "1"},
        "hot, newest first": {"is_hot__exact": "1", "o": "-6"},
        "group": {"group": "Group 3"},
        "common tag": {"tag": "common1"},
        "rare tag": {"tag": rare},
        "author": {"author": "Author 7"},
        "added on a day": {"added_from": "2023-05-05", "added_to": "2023-05-05"},
        "added since years": {"added_from": "2022-05-05"},
        "edited until": {"edited_to": "2024-05-05"},
        "common word": {"q": "library"},
        "beginning of a common word": {"q": "harb"},
        "two common words": {"q": "library museum"},
        "rare word": {"q": rare},
        "no such word": {"q": "zzzz"},
        "Chinese word": {"q": "博物馆"},
        "two characters": {"q": "图书"},
        "one character": {"q": "馆"},
        "rare run of characters": {"q": "城市河流市场"},
        "common word in a channel": {"q": "library", channel: first["Large"]},
        "hot with a common tag": {"is_hot__exact": "1", "tag": "common1"},
        "drafts of an author with a word": {"q": "museum", "state": "draft", "author": "Author 7"},
        "page 200": {"p": "200"},
        "page 1,000, newest first": {"p": "1000", "o": "-6"},
    }


def asking(browser: Any, address: str, query: dict[str, Any]) -> Callable[[], Any]:
    """The call that asks for the page, which must be there."""

    def ask() -> None:
        answer = browser.get(address, query)
        if answer.status_code != 200:
            raise RuntimeError(f"{query}: {answer.status_code}")

    return ask


def print_table(engine: str, found: dict[int, dict[str, float]]) -> None:
    """One row for each page, one column for each size."""
    sizes = sorted(found)
    print(f"\n### {engine}\n")
    print("| page | " + " | ".join(f"{size:,}, ms" for size in sizes) + f" | growth | ≤ {FACTOR:g} × |")
    print("|---|" + "---:|" * (len(sizes) + 1) + "---|")
    for name in found[sizes[0]]:
        times = [found[size][name] for size in sizes]
        factor = times[-1] / times[0]
        verdict = "yes" if factor <= FACTOR else "no"
        print(f"| {name} | " + " | ".join(f"{t:.0f}" for t in times) + f" | {factor:.1f} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
