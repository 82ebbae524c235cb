"""Measures how the response time of a request grows with the number of contents.

    .venv/bin/python benchmarks/growth.py                     (creates missing databases)
    .venv/bin/python benchmarks/growth.py --sizes 1000 100000 --engines sqlite --keep

For each engine and size, the script creates a dataset (dataset.py); a million contents take a while and
several gigabytes. It measures requests in the process, without HTTP, after a warm-up, on one connection;
each figure is the median of many. It measures contents.lists.detail.read_content and
contents.lists.page.read_page (page and totalCount), the stl elements `contents` (a page) and `count`, and
a channel with 2,000 descendants as JSON, with and without a cached channel tree. The growth is the ratio
of the largest size to the smallest; it passes if it is at most 2 or if the difference is at most 2 ms.
The deep page is compared with a plain statement for the same rows: it reads the full rows in the order of
a matching index and skips with OFFSET.

With --events, it measures the periodic tasks of events instead, with that many stored events: numbering ten new ones
and finding none, deleting when none is old, and reading the last page of changes. The service numbered the last
200,000 of them, and autovacuum is off for their table, so that dead entries of indexes stay.

The script drops the databases that it created, unless --keep is given.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import databases
import dataset

FACTOR, MILLISECONDS = 2.0, 2.0
PATIENCE = 1.5  # maximum seconds for the repetitions of one request
REPETITIONS = 200
BY_SERVICE = 200_000  # events that the service numbers
DEEP_SHARE, PER_PAGE = 0.5, 20  # the deep page is in the middle: page 25,000 of a million contents
NEWEST_FIRST = (("addDate", True),)  # column, descending
PLAIN, DEEP = "deep page, plain OFFSET", "deep page"


def main() -> None:
    """Create the databases, measure each in a separate process, and print the tables."""
    options = read_options()
    if options.measure:
        print(json.dumps((measure_events if options.events else measure)(options.measure, options)))
        return
    for engine in options.engines:
        if options.events:
            print_table(engine, grow_events(engine, options))
            continue
        found = {}
        for size in options.sizes:
            url = url_of(engine, size, options)
            made = make(url, size, options)
            print(f"Measuring {databases.name_of(url)} …", file=sys.stderr)
            command = [sys.executable, __file__, "--measure", url, "--folder", str(options.folder)]
            found[size] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            if made and not options.keep:
                databases.drop(url)
        print_table(engine, found)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 100_000, 1_000_000])
    parser.add_argument("--events", type=int, nargs="+", help="such as 1000 1000000 10000000")
    databases.add_measuring_options(parser)
    return parser.parse_args()


def url_of(engine: str, size: int, options: argparse.Namespace) -> str:
    """Return the URL of the database for this number of contents."""
    name = f"{databases.PREFIX}_growth_{size}"
    return f"sqlite:///{options.folder}/{name}.sqlite3" if engine == "sqlite" else f"{options.server}{name}"


def make(url: str, size: int, options: argparse.Namespace) -> bool:
    """Create the dataset; return False if it already exists."""
    if databases.exists(url):
        return False
    command = [sys.executable, dataset.__file__, "--contents", str(size), "--database", url]
    subprocess.run([*command, "--folder", str(options.folder)], check=True, stdout=sys.stderr)
    return True


# ---- One database


def measure(url: str, options: argparse.Namespace) -> dict[str, float]:
    """Return the time of each request in milliseconds."""
    databases.open_service(url, options.folder)
    found = {name: median(act) for name, act in requests()}
    plain = plain_deep_page()
    try:
        found[PLAIN] = median(plain)
    finally:
        drop_plain_index()
    return found


def median(act: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the median time of a call in milliseconds, after a warm-up."""
    times: list[float] = []
    end = time.perf_counter() + PATIENCE
    for _ in range(10):  # warm-up: prepares statements and loads pages into memory
        act()
    while len(times) < 5 or (len(times) < REPETITIONS and time.perf_counter() < end):
        start = clock()
        act()
        times.append(clock() - start)
    return statistics.median(times) * 1000


def requests() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of each request with a call that makes it."""
    from contents.lists.detail import read_content
    from contents.models import Content

    place = Content.objects.order_by("id").values("site_id", "channel_id", "id")[Content.objects.count() // 2]
    yield "get", lambda: read_content(place["site_id"], place["channel_id"], place["id"])
    for name, members in filters().items():
        yield name, reading(**members)
        yield f"{name}, by addDate", reading(**members, orders=NEWEST_FIRST)
    yield from elements()
    yield from trees()
    page = int(Content.objects.count() * DEEP_SHARE) // PER_PAGE
    yield DEEP, reading(page=page)
    yield f"{DEEP}, by addDate", reading(page=page, orders=NEWEST_FIRST)
    yield f"{DEEP}, checked", reading(page=page, checked=True)


def filters() -> dict[str, dict[str, Any]]:
    """Return the filters of lists, by name."""
    from channels_app.models import Channel
    from contents.models import ContentTag, ListedCount, ListKind

    first = dict(Channel.objects.filter(parents_count=1).values_list("channel_name", "pk"))
    rare = ContentTag.objects.filter(tag_name__startswith="rare").values_list("pk", "tag_name")
    sizes = dict(ListedCount.objects.filter(kind=ListKind.TAG).values_list("owner_id").annotate(n=total()))
    # A tag with about 40 contents, like most rare tags.
    rare_tag = min(rare, key=lambda row: abs(sizes.get(row[0], 0) - 40))[1]
    return {
        "site": {},
        "site, checked": {"checked": True},
        "one channel": {"channel_id": first["News"]},
        "one channel, checked": {"channel_id": first["News"], "checked": True},
        "channel with 20 below": {"channel_id": first["Small"]},
        "channel with 200 below": {"channel_id": first["Medium"]},
        "channel with 2,000 below": {"channel_id": first["Large"]},
        "channel with 2,000 below, checked": {"channel_id": first["Large"], "checked": True},
        "top": {"top": True},
        "not top": {"top": False},
        "recommend": {"recommend": True},
        "hot": {"hot": True},
        "colour": {"color": True},
        "checked, hot": {"checked": True, "hot": True},
        "channel with 2,000 below, hot": {"channel_id": first["Large"], "hot": True},
        "common tag": {"tag_names": (dataset.COMMON_TAGS[0],)},
        "rare tag": {"tag_names": (rare_tag,)},
        "rare tag, checked": {"tag_names": (rare_tag,), "checked": True},
        "group": {"group_names": (dataset.GROUPS[0],)},
        "group, checked": {"group_names": (dataset.GROUPS[0],), "checked": True},
    }


def total() -> Any:
    from django.db.models import Sum

    return Sum("contents")


def reading(**members: Any) -> Callable[[], Any]:
    """Return a call that reads a page of the list."""
    from contents.lists.page import read_page
    from contents.lists.request import ListRequest
    from core.rest.rules import OrderRule
    from sites.models import Site

    asked = {"site_id": Site.objects.get().pk, "per_page": PER_PAGE, **members}
    orders = tuple(OrderRule(*order) for order in asked.pop("orders", ()))
    return lambda: read_page(ListRequest(**asked, orders=orders)).fragments


def elements() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of each stl list and count with a call that evaluates it."""
    from contents.stl.elements import ContentsView, CountView

    for place, asked in {
        "one channel": {"channelIndex": "news"},
        "channel with 2,000 below": {"channelIndex": "large", "scope": "All"},
        "site": {"scope": "All"},
    }.items():
        page = {**asked, "totalNum": str(PER_PAGE)}
        yield f"stl/contents, {place}", evaluation(ContentsView, page)
        yield f"stl/contents, {place}, by AddDate", evaluation(ContentsView, page | {"order": "AddDate"})
        yield f"stl/count, {place}", evaluation(CountView, asked)
        yield f"stl/count, {place}, of ten years", evaluation(CountView, asked | {"since": "10y"})


def evaluation(view: type[Any], asked: dict[str, str]) -> Callable[[], Any]:
    """Return a call that evaluates the element for an API key with access to every site."""
    from core.stl.attributes import Attributes

    evaluated = view()
    evaluated.request = SimpleNamespace(auth=SimpleNamespace(site_ids=None, require_site=lambda site_id: None))
    # A list is a generator of chunks; a count is a string.
    return lambda: list(evaluated.evaluate(Attributes(asked.items())))


def trees() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield calls that return a channel with its descendants, with and without a cached tree."""
    from channels_app import tree
    from channels_app.models import Channel

    channel = Channel.objects.get(index_name="large")

    def answer() -> Any:
        site = tree.read_tree(channel.site_id)
        return site.answer(site.find(channel.pk), lambda tag: None)

    def read_and_answer() -> Any:
        tree._kept.clear()
        return answer()

    yield "tree of channels, kept", answer
    yield "tree of channels, read anew", read_and_answer


def plain_deep_page() -> Callable[[], Any]:
    """Create an index in the default order; return a call that reads the deep page with a plain OFFSET."""
    from django.db import connection

    from contents.models import Content
    from contents.wire.records import selection_of

    order = "c.is_top DESC, c.channel_id DESC, c.taxis DESC, c.id DESC"
    offset = int(Content.objects.count() * DEEP_SHARE) // PER_PAGE * PER_PAGE - PER_PAGE
    with connection.cursor() as cursor:
        drop_plain_index()
        cursor.execute("CREATE INDEX benchmark_plain ON contents_content (site_id, is_top, channel_id, taxis, id)")
        cursor.execute("ANALYZE contents_content")
    site_id = Content.objects.values_list("site_id", flat=True)[0]
    statement = (
        f"SELECT {selection_of().select} FROM contents_content c "
        "JOIN contents_contentbody b ON b.content_id = c.id "
        f"WHERE c.site_id = {site_id} ORDER BY {order} LIMIT {PER_PAGE} OFFSET {offset}"
    )

    def read() -> list[Any]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    return read


def drop_plain_index() -> None:
    """Drop the index that plain_deep_page() created."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX IF EXISTS benchmark_plain")


# ---- Events


def grow_events(engine: str, options: argparse.Namespace) -> dict[int, dict[str, float]]:
    """Measure one database with more and more events."""
    url, found = url_of(engine, 1000, options), {}
    made = make(url, 1000, options)
    for number in sorted(options.events):
        print(f"Measuring {number:,} events …", file=sys.stderr)
        command = [sys.executable, __file__, "--measure", url, "--folder", str(options.folder), "--events", str(number)]
        found[number] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if made and not options.keep:
        databases.drop(url)
    return found


def measure_events(url: str, options: argparse.Namespace) -> dict[str, float]:
    databases.open_service(url, options.folder)
    from events import feed, numbering, retention
    from events.models import Event

    if not databases.is_sqlite(url):
        execute("ALTER TABLE events_event SET (autovacuum_enabled = false)")
    keep_events(options.events[0] - Event.objects.count() - BY_SERVICE)
    while (missing := options.events[0] - Event.objects.count()) > 0:
        write_events(min(missing, 100_000))
        numbering.number_new()
    every = feed.Visibility(list(feed.SUBJECTS.values()), None)
    return {
        "look for new events": median(numbering.number_new),
        "number 10 new events, their insertion included": median(lambda: (write_events(10), numbering.number_new())),
        "delete no old event": median(retention.delete_old),
        "last page of changes": median(lambda: feed.read_page(feed.last_position() - 20, every, 100)),
    }


def keep_events(number: int) -> None:
    """Write numbered events, as an installation stores them."""
    from events.models import Event, Numbering

    if number > 0:
        numbering, newest = Numbering.objects.get(), newest_event()
        write_events(number)
        execute(
            "UPDATE events_event SET position = id - %s + %s WHERE id > %s", newest, numbering.last_position, newest
        )
        numbering.last_position = Event.objects.latest("position").position
        numbering.numbered_id = newest_event()
        numbering.next_numbered_id = numbering.next_after_transaction = None
        numbering.save()


def newest_event() -> int:
    from events.models import Event

    return Event.objects.order_by("-id").values_list("id", flat=True).first() or 0


def write_events(number: int) -> None:
    """Write events as the triggers do, one for each of the first contents again and again."""
    from django.db import connection

    transaction = "txid_current()" if connection.vendor == "postgresql" else "NULL"
    execute(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s) "
        "INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, subject_id, version, fields) "
        f"SELECT CURRENT_TIMESTAMP, {transaction}, 'content.changed', 1, 2, n %% 1000, n, '[\"title\"]' FROM numbers",
        number,
    )


def execute(statement: str, *values: object) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, values)


# ---- The tables


def print_table(engine: str, found: dict[int, dict[str, float]]) -> None:
    """Print a table with a row for each request and a column for each size."""
    sizes = sorted(found)
    print(f"\n### {engine}\n")
    print("| request | " + " | ".join(f"{size:,}, ms" for size in sizes) + " | growth | ≤ 2 × or ≤ +2 ms |")
    print("|---|" + "---:|" * (len(sizes) + 1) + "---|")
    for name in found[sizes[0]]:
        times = [found[size][name] for size in sizes]
        factor, more = times[-1] / times[0], times[-1] - times[0]
        passed = "yes" if factor <= FACTOR or more <= MILLISECONDS else "no"
        verdict = "–" if name == PLAIN else passed
        print(f"| {name} | " + " | ".join(f"{t:.2f}" for t in times) + f" | {factor:.1f} | {verdict} |")
    largest = found[sizes[-1]]
    if DEEP in largest:
        print(f"\nDeep page in plain OFFSET's time: {largest[DEEP] / largest[PLAIN]:.3f}", flush=True)


if __name__ == "__main__":
    main()
