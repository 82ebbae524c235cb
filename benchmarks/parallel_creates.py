"""Measures clients that create contents in one channel at the same time, on PostgreSQL.

    .venv/bin/python benchmarks/dataset.py --contents 10000 --database postgres:///cms_benchmark_10k
    .venv/bin/python benchmarks/parallel_creates.py --database postgres:///cms_benchmark_10k --clients 1 16 200

The service runs as `make run` starts it; wrk creates contents over as many connections as there are clients. The order
of the contents of a channel and its counts are rows that all of these transactions change. The contents stay. Figures
are medians of the rounds, brackets give the slowest and fastest; the first round is not counted. To compare two
versions, run the script in two checkouts in turns.
"""

import argparse
import json
import statistics
from itertools import islice

import batches
import compare
import databases
from servers import Server

CONTENTS = 500  # different bodies


def main() -> None:
    """Measure each number of clients and print the table."""
    options = read_options()
    databases.open_service(options.database, options.folder)
    from channels_app.models import Channel

    key, news = compare.issue_key(), Channel.objects.get(index_name="news")
    path = f"/api/v1/contents/{news.site_id}/{news.pk}"
    bodies = (json.dumps(body, ensure_ascii=False) for body in islice(batches.sample(), CONTENTS))
    lines = options.folder / "parallel-creates.requests"
    lines.write_text("".join(f"POST\t{path}\t{body}\n" for body in bodies), encoding="utf-8")
    print("| clients | contents/s | p50 ms | p99 ms |\n|---:|---:|---:|---:|")
    # No request is refused because it waits.
    waiting = {"CMS_MAX_QUEUE": "1000", "CMS_MAX_QUEUE_SECONDS": "30"}
    with Server("cms_api.wsgi", is_deployed=True, **waiting) as server:
        for clients in options.clients:
            rounds = [compare.load(server, lines, key, clients, options.seconds) for _ in range(options.rounds + 1)][1:]
            cells = [spread([figures.rate for figures in rounds], 0)]
            cells += [spread([getattr(figures, name) for figures in rounds], 1) for name in ("p50", "p99")]
            print(f"| {clients} | {' | '.join(cells)} |")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_10k")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 16, 200])
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=5, help="per round (default: %(default)s)")
    databases.add_folder_option(parser)
    return parser.parse_args()


def spread(values: list[float], digits: int) -> str:
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f}–{max(values):.{digits}f}]"


if __name__ == "__main__":
    main()
