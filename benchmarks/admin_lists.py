"""Measures how the response time of the admin's lists grows with the number of contents.

    .venv/bin/python benchmarks/admin_lists.py                     (creates missing databases)
    .venv/bin/python benchmarks/admin_lists.py --sizes 1000 100000 --engines sqlite --keep

The script uses the databases of growth.py (dataset.py) and adds a change of every tenth content by one of fifty people,
every hundredth content in the trash, and a second site without contents. A superuser requests pages of 50 rows in this
process through Django's test client, so the time covers the whole page: session, menu, filters, statements and
templates. Each figure is the median processor time of several requests after a warm-up, with that of PostgreSQL for
the connection. The growth is the ratio of the largest size to the smallest; the goals are at most 2 and at most 300 ms.
If a list has fewer rows at the smallest size, the script compares it with the
first row of the table at that size, which has a full page. Rows that begin with `tree` measure the requests of the
channel tree in the sidebar; rows that begin with `two sites` measure the pages of an administrator of these two sites.

The script drops the databases that it created, unless --keep is given.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import databases
import growth

FACTOR, MILLISECONDS = 2.0, 300
# Queries of an administrator of several sites; the list merges the contents of these sites.
OF_TWO_SITES = ["all", "all, newest first", "approved", "not approved", "hot, newest first", "common word", "page 200"]


def main() -> None:
    """Create the databases, measure each in a separate process, and print the tables."""
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 1_000_000])
    databases.add_measuring_options(parser)
    return parser.parse_args()


def measure(url: str, options: argparse.Namespace) -> dict[str, tuple[float, int]]:
    """Return the time in milliseconds and the number of rows of each page."""
    databases.open_service(url, options.folder)
    from django.conf import settings

    add_past()
    build_index()
    databases.settle(url)
    settings.ALLOWED_HOSTS = ["testserver"]
    return {name: (growth.median(ask, processor_time), ask()) for name, ask in pages()}


def processor_time() -> float:
    """Return the seconds of this process and, on PostgreSQL, of the server's process for the connection."""
    from django.db import connection

    if connection.vendor == "sqlite":
        return time.process_time()
    nanoseconds = (
        Path(f"/proc/{connection.connection.info.backend_pid}/schedstat").read_text(encoding="ascii").split()[0]
    )
    return time.process_time() + int(nanoseconds) / 1e9


def build_index() -> None:
    """Build the index of words, unless it is there."""
    from django.core.management import call_command

    from search.models import SearchProgress

    if not SearchProgress.objects.filter(kind="content", built_to=None).exists():
        call_command("rebuild_search", quiet=True, stdout=sys.stderr)


def add_past() -> None:
    """Add changes, trash and a second site, which dataset.py does not create, unless they exist."""
    from django.core.management import call_command
    from django.db import connection, transaction

    from contents.models import ContentChange

    if ContentChange.objects.exists():
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO contents_contentchange (content_id, site_id, version, at, kind, actor_kind, administrator_id, "
            "actor_name, key_name, request_id, reasons, before) SELECT id, site_id, 2, last_edit_date, "
            "CASE WHEN id % 100 = 0 THEN 'approved' ELSE 'changed' END, 'administrator', 1 + id % 50, "
            """'Editor ' || (1 + id % 50), '', '', '', '{"title":"Before"}' FROM contents_content WHERE id % 10 = 0"""
        )
        cursor.execute("UPDATE contents_content SET version = 2 WHERE id % 10 = 0")
        cursor.execute("UPDATE contents_content SET trashed_at = last_edit_date WHERE id % 100 = 7")
    call_command("create_site", "Another", site_dir="another")


def pages() -> Iterator[tuple[str, Callable[[], int]]]:
    """Yield the name of each page with a call that requests it and returns its number of rows."""
    from django.test import Client
    from django.urls import reverse

    browser = Client()
    browser.force_login(administrator("benchmark", is_superuser=True))
    address = reverse("admin:contents_content_changelist")
    for name, query in queries().items():
        yield name, asking(browser, address, query)
    tree = reverse("admin:contents_content_tree")
    large = channels()["Large"]
    yield "tree, sites", asking(browser, tree, {})
    yield "tree, below a channel", asking(browser, tree, {"parent": large})
    for name, (page, query) in other_lists().items():
        yield name, asking(browser, reverse(f"admin:{page}"), query)
    of_sites = Client()
    of_sites.force_login(administrator("two-sites"))
    yield "two sites: start page", asking(of_sites, reverse("admin:index"), {})
    for name in OF_TWO_SITES:
        yield f"two sites: {name}", asking(of_sites, address, queries()[name])
    for name, (page, query) in other_lists().items():
        if page.startswith("contents_"):
            yield f"two sites: {name}", asking(of_sites, reverse(f"admin:{page}"), query)


def administrator(name: str, **rank: bool) -> Any:
    """Return the administrator, created if missing with this rank or, without one, with access to all sites."""
    from accounts.models import Administrator
    from sites.models import Site

    numbers = ",".join(map(str, Site.objects.order_by("pk").values_list("pk", flat=True)))
    defaults: dict[str, Any] = rank or {"site_id_collection": numbers}
    found, _ = Administrator.objects.get_or_create(user_name=name, defaults=defaults)
    return found


def other_lists() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the view and query of the pages other than the list of contents, by name."""
    return {
        "start page": ("index", {}),
        "waiting": ("contents_content_waiting", {}),
        "unfinished": ("contents_content_unfinished", {}),
        "changes": ("contents_contentchange_changelist", {}),
        "changes by a person": ("contents_contentchange_changelist", {"actor": "7"}),
        "approvals": ("contents_contentchange_changelist", {"kind": "approved"}),
        "trash": ("contents_trashedcontent_changelist", {}),
        "trash, common word": ("contents_trashedcontent_changelist", {"q": "library"}),
        "groups": ("contents_contentgroup_changelist", {}),
        "tags": ("contents_contenttag_changelist", {}),
        "channels": ("channels_app_channel_changelist", {}),
    }


def channels() -> dict[str, int]:
    """Return the ids of the first-level channels by channel name."""
    from channels_app.models import Channel

    return dict(Channel.objects.filter(parents_count=1).values_list("channel_name", "pk"))


def queries() -> dict[str, dict[str, Any]]:
    """Return the queries of the list of contents, by name."""
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


def asking(browser: Any, address: str, query: dict[str, Any]) -> Callable[[], int]:
    """Return a call that requests the page and returns its number of rows, 0 if it is not a list.

    The call raises RuntimeError unless the status is 200.
    """

    def ask() -> int:
        answer = browser.get(address, query)
        if answer.status_code != 200:
            raise RuntimeError(f"{query}: {answer.status_code}")
        shown = (getattr(answer, "context_data", None) or {}).get("cl")
        return len(shown.result_list) if shown else 0

    return ask


def print_table(engine: str, found: dict[int, dict[str, tuple[float, int]]]) -> None:
    """Print a table with a row for each page and two columns for each size."""
    sizes = sorted(found)
    smallest, largest = found[sizes[0]], found[sizes[-1]]
    full, _rows = next(iter(smallest.values()))
    print(f"\n### {engine}\n")
    print(
        "| page | "
        + " | ".join(f"{size:,}, ms | rows" for size in sizes)
        + f" | growth | ≤ {FACTOR:g} × | ≤ {MILLISECONDS} ms |"
    )
    print("|---|" + "---:|" * (2 * len(sizes) + 1) + "---|---|")
    for name, (first, rows) in smallest.items():
        last, most = largest[name]
        factor = last / (first if rows >= most else max(first, full))
        cells = " | ".join(f"{found[size][name][0]:.0f} | {found[size][name][1] or ''}" for size in sizes)
        verdict = " | ".join("yes" if met else "no" for met in (factor <= FACTOR, last <= MILLISECONDS))
        print(f"| {name} | {cells} | {factor:.1f} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
