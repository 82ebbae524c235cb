"""Measures savings and costs of caching contents as JSON (CMS_CONTENT_CACHE_BYTES).

    .venv/bin/python benchmarks/dataset.py --contents 1000000 --database postgres:///cms_benchmark_1m
    .venv/bin/python benchmarks/content_cache.py --database postgres:///cms_benchmark_1m

gunicorn serves the service twice, as `make run` does: without the cache and with it. wrk measures both in alternating
order, as compare.py does, with requests for single contents and for pages of 20: of a few contents, which all fit into
the cache; of all contents by Zipf's law with the exponent 1; and of all contents alike. The ratio is computed for each
round; the table shows the median with the lowest and highest, and how far the memory of a worker rose.
"""

import argparse
import itertools
import json
import os
import random
import statistics
from collections import Counter
from collections.abc import Iterator

import compare
import databases
from servers import Server

LINES = 60_000  # requests of one operation, in the order of wrk
FEW = 2000  # contents that fit into the cache
PER_PAGE = 20


def main() -> None:
    """Measure all operations and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("CMS_DATABASE_URL") or f"{databases.POSTGRESQL}{databases.PREFIX}_100k"
    parser.add_argument("--database", default=default, help="made by dataset.py (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=5, help="of one turn (default: %(default)s)")
    databases.add_folder_option(parser)
    options = parser.parse_args()
    databases.open_service(options.database, options.folder)
    operations, key = list(make_operations()), compare.issue_key()
    print(f"{databases.name_of(options.database)}, {options.rounds} rounds of {options.seconds} s\n")
    print("| requests | without, req/s | with | with / without | CPU µs without | with | a worker's memory |")
    print("|---|" + "---:|" * 6)
    for operation in operations:
        # New servers, so that each operation begins with an empty cache.
        with (
            Server("cms_api.wsgi", is_deployed=True, CMS_CONTENT_CACHE_BYTES="0") as without,
            Server("cms_api.wsgi", is_deployed=True) as keeping,
        ):
            for server in (without, keeping):
                server.ask("GET", "/api/v1/ping", "", key)
            before = [compare.memory(server, "VmRSS") for server in (without, keeping)]
            rounds = list(compare.measure(operation, without, keeping, key, options))
            risen = [
                compare.memory(server, "VmHWM") - was for server, was in zip((without, keeping), before, strict=True)
            ]
            ratios = [second.rate / first.rate for first, second in rounds]
            cells = [statistics.median(pair[side].rate for pair in rounds) for side in (0, 1)]
            used = [statistics.median(pair[side].processor for pair in rounds) for side in (0, 1)]
            print(
                f"| {operation.name} | {cells[0]:.0f} | {cells[1]:.0f} "
                f"| {statistics.median(ratios):.2f} [{min(ratios):.2f}–{max(ratios):.2f}] "
                f"| {used[0]:.0f} | {used[1]:.0f} | +{risen[0]:.0f} / +{risen[1]:.0f} MB |",
                flush=True,
            )


def make_operations() -> Iterator[compare.Operation]:
    """Build the requests, chosen at random with a fixed seed."""
    from contents.models import Content

    chance = random.Random(compare.SEED)
    places = list(Content.objects.order_by("id").values_list("site_id", "channel_id", "id"))
    chance.shuffle(places)  # which contents are read most has nothing to do with their ids
    gets = [f"GET\t/api/v1/contents/{site}/{channel}/{number}\t" for site, channel, number in places]
    pages = [
        f"POST\t/api/v1/contents\t{json.dumps({'siteId': s, 'channelId': c, 'perPage': PER_PAGE, 'page': page})}"
        for (s, c), count in Counter((site, channel) for site, channel, _ in places).items()
        for page in range(1, count // PER_PAGE + 2)
    ]
    chance.shuffle(pages)
    for name, lines, of_one in (("get", gets, 1), ("list20", pages, PER_PAGE)):
        weights = list(itertools.accumulate(1 / rank for rank in range(1, len(lines) + 1)))
        yield compare.Operation(f"{name}, few", chance.choices(lines[: FEW // of_one], k=LINES), None)
        yield compare.Operation(f"{name}, Zipf", chance.choices(lines, cum_weights=weights, k=LINES), None)
        yield compare.Operation(f"{name}, alike", chance.choices(lines, k=LINES), None)


if __name__ == "__main__":
    main()
