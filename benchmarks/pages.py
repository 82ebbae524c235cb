"""Measures pages of a site: cached ones against a bare WSGI function, rendered ones, and changes.

    .venv/bin/python benchmarks/dataset.py --contents 100000
    .venv/bin/python benchmarks/pages.py

The script gives the site of the dataset templates: an index page with eleven lists, and pages of contents with their
body, neighbours, way and a list. gunicorn serves the service and the bare function (bare_page.py) alike, as `make run`
does: two workers, the same configuration, an access log. wrk measures a kept page in alternating order with 8
connections, as compare.py does; both return the same bytes, headers included. Rendered pages come from a service
without the cache (CMS_PAGE_CACHE_BYTES=0), over one connection; contents are chosen at random with a fixed seed. At the
end, titles are changed by SQL, each followed by a request for the page, which must show the new one. The templates are
removed again.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import urlopen

import compare
import databases
from servers import Server

PARTS = ("kept", "rendered", "changes")
LISTS = 11
CONTENTS = 2000  # pages of contents to choose from
CHANGES = 200
OF_SERVER = {"Server", "Date", "Connection"}
INDEX = """<!DOCTYPE html>
<html><head><title>{stl.siteName}</title></head><body>
<stl:include file="include/head.html"></stl:include>
{lists}
</body></html>
"""
LIST = """<h2>{n}</h2><ul><stl:contents channelIndex="{channel}" scope="All" startNum="{start}" totalNum="6">
<li><a href="{{content.navigationUrl}}" title="{{content.title}}">
<stl:content type="title" wordNum="20"></stl:content></a>
<span><stl:content type="addDate" formatString="yyyy-MM-dd"></stl:content></span></li></stl:contents></ul>"""
HEAD = """<ul><stl:channels totalNum="8"><li><stl:a></stl:a></li></stl:channels></ul>"""
CONTENT = """<!DOCTYPE html>
<html><head><title>{content.title} - {stl.siteName}</title></head><body>
<stl:include file="include/head.html"></stl:include>
<p><stl:location></stl:location></p><h1>{content.title}</h1>
<p><stl:content type="author"></stl:content> <stl:content type="addDate" formatString="yyyy-MM-dd"></stl:content></p>
<stl:if type="imageUrl" operator="notEmpty"><stl:image></stl:image></stl:if>
<stl:content type="content"></stl:content>
<p><stl:navigation type="previousContent"></stl:navigation> <stl:navigation type="nextContent"></stl:navigation></p>
<ul><stl:contents totalNum="10"><li><stl:a></stl:a></li></stl:contents></ul>
</body></html>
"""


def main() -> None:
    """Measure and print the tables."""
    options = read_options()
    if shutil.which("wrk") is None:
        sys.exit("The load generator wrk is missing: apt-get install wrk (or see https://github.com/wg/wrk).")
    databases.open_service(options.database, options.folder)
    print(f"{databases.name_of(options.database)}, {options.rounds} rounds of {options.seconds} s\n")
    with templates():
        contents, index = content_paths(), "/benchmark/index.html"
        if "kept" in options.only:
            measure_kept({"content": contents[0], "index": index}, options)
        if "rendered" in options.only:
            measure_rendered({"content": contents, f"index, {LISTS} lists": [index]}, options)
        if "changes" in options.only:
            measure_changes(contents[0])


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("CMS_DATABASE_URL") or f"{databases.POSTGRESQL}{databases.PREFIX}_100k"
    parser.add_argument("--database", default=default, help="made by dataset.py (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=3, help="of one turn (default: %(default)s)")
    parser.add_argument(
        "--limit-worker", help="gunicorn's worker class for the bare function, such as gthread (default: ours)"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="default: all")
    databases.add_folder_option(parser)
    return parser.parse_args()


@contextmanager
def templates() -> Iterator[None]:
    """Give the site its templates within the block."""
    from pages.models import Template, TemplateKind
    from sites.models import Site

    site, channels = Site.objects.get(site_dir="benchmark"), ("news", "small", "medium", "large")
    lists = [LIST.format(n=n, channel=channels[n % 4], start=6 * (n // 4) + 1) for n in range(LISTS)]
    Template.objects.filter(site=site).delete()
    index = INDEX.replace("{lists}", "\n".join(lists))
    for kind, name, text in (
        (TemplateKind.INDEX, "index", index),
        (TemplateKind.CONTENT, "content", CONTENT),
        (TemplateKind.INCLUDE, "include/head.html", HEAD),
    ):
        is_default = kind != TemplateKind.INCLUDE
        Template.objects.create(site=site, kind=kind, name=name, text=text, is_default=is_default)
    try:
        yield
    finally:
        Template.objects.filter(site=site).delete()


def content_paths() -> list[str]:
    from contents.models import Content

    places = Content.objects.filter(is_checked=True).order_by("id").values_list("channel_id", "id")
    chosen = random.Random(compare.SEED).sample(list(places), CONTENTS)
    return [f"/benchmark/contents/{channel}/{number}.html" for channel, number in chosen]


def measure_kept(paths: dict[str, str], options: argparse.Namespace) -> None:
    print(
        "| kept page | KB | limit req/s | ours req/s | ours / limit | goal | CPU µs limit | ours |\n|---|" + "---:|" * 7
    )
    file = options.folder / "page.response"
    of_limit = ["--worker-class", options.limit_worker] if options.limit_worker else []
    for name, path in paths.items():
        with Server("cms_api.wsgi", is_deployed=True) as ours:
            content = page_of(ours, path)
            file.write_bytes(json.dumps(headers_of(ours, path)).encode() + b"\n" + content)
            with Server("bare_page:application", *of_limit, is_deployed=True, BENCHMARK_PAGE=str(file)) as bare:
                operation = compare.Operation(f"kept {name}", [f"GET\t{path}\t"], 0.8)
                rounds = list(compare.measure(operation, bare, ours, "", options))
        ratios = [second.rate / first.rate for first, second in rounds]
        median = statistics.median(ratios)
        cells = [statistics.median(pair[side].rate for pair in rounds) for side in (0, 1)]
        cells += [statistics.median(pair[side].processor for pair in rounds) for side in (0, 1)]
        print(
            f"| {name} | {len(content) / 1024:.0f} | {cells[0]:.0f} | {cells[1]:.0f} "
            f"| {median:.2f} [{min(ratios):.2f}–{max(ratios):.2f}] | 0.8 {'✓' if median >= 0.8 else '✗'} "
            f"| {cells[2]:.0f} | {cells[3]:.0f} |",
            flush=True,
        )


def measure_rendered(pages: dict[str, list[str]], options: argparse.Namespace) -> None:
    print("\n| rendered page | p50 ms | p99 ms | goal, p50 |\n|---|---:|---:|---:|")
    with Server("cms_api.wsgi", is_deployed=True, CMS_PAGE_CACHE_BYTES="0") as server:
        for (name, paths), goal in zip(pages.items(), (4, 12), strict=True):
            lines = options.folder / "pages.requests"
            lines.write_text("".join(f"GET\t{path}\t\n" for path in paths))
            compare.load(server, lines, "", 1, 1)
            rounds = [compare.load(server, lines, "", 1, options.seconds) for _ in range(options.rounds)]
            p50, p99 = (statistics.median(getattr(each, figure) for each in rounds) for figure in ("p50", "p99"))
            print(f"| {name} | {p50:.1f} | {p99:.1f} | {goal} {'✓' if p50 <= goal else '✗'} |", flush=True)


def measure_changes(path: str) -> None:
    """Change a title by SQL and request the page, many times; exit if a page shows an older title."""
    from django.db import connection

    number = int(path.rpartition("/")[2].removesuffix(".html"))
    with Server("cms_api.wsgi", is_deployed=True) as server, connection.cursor() as cursor:
        cursor.execute("SELECT title FROM contents_content WHERE id = %s", [number])
        (former,) = cursor.fetchone()
        try:
            for change in range(CHANGES):
                title = f"Change {change}."
                cursor.execute("UPDATE contents_content SET title = %s WHERE id = %s", [title, number])
                if title.encode() not in page_of(server, path):
                    sys.exit(f"{path} was not current after change {change}.")
        finally:
            cursor.execute("UPDATE contents_content SET title = %s WHERE id = %s", [former, number])
    print(f"\n{CHANGES} changes by SQL: each was in the page that was requested next.")


def headers_of(server: Server, path: str) -> list[tuple[str, str]]:
    """Return the application's headers of a cached page; the server adds its own."""
    with urlopen(f"{server.address}{path}") as response:
        return [(name, value) for name, value in response.headers.items() if name not in OF_SERVER]


def page_of(server: Server, path: str) -> bytes:
    status, content = server.ask("GET", path)
    if status != 200:
        sys.exit(f"GET {path} was answered with {status}: {content[:500]!r}")
    return content


if __name__ == "__main__":
    main()
