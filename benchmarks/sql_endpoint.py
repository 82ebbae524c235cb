"""Measures what the sandbox of the SQL endpoint costs.

    .venv/bin/python benchmarks/dataset.py --contents 100000
    .venv/bin/python benchmarks/sql_endpoint.py
    .venv/bin/python benchmarks/sql_endpoint.py --database sqlite:////tmp/cms-benchmarks/cms_benchmark_100k.sqlite3

First the translation alone: reading and rewriting each of the statements below, many times in turn. Then the whole
box, without HTTP: a statement through the child process, its rows as JSON, against the bare statement, which is
written by hand over the real tables, run on a plain connection of this process and dumped by the same library. The
two alternate; medians of each, and the difference, which is what the box costs. On PostgreSQL the account that
reads is made first (set_up_sql_reader) and left in place.
"""

import argparse
import io
import random
import statistics
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import databases
import orjson

# A client's statement, and the same over the real tables; {channel} and {content} are numbers of the dataset.
PAIRS = {
    "one content": (
        "SELECT TOP 1 Id, Title, AddDate FROM siteserver_Content WHERE Id = '{content}'",
        "SELECT id, title, add_date FROM contents_content WHERE id = {content} AND trashed_at IS NULL",
    ),
    "sites": (
        "SELECT Id, SiteName, SiteDir FROM siteserver_Site",
        "SELECT id, site_name, site_dir FROM cms_sites_site",
    ),
    "a page of a channel": (
        "SELECT Id, Title, AddDate FROM siteserver_Content WHERE ChannelId = {channel} ORDER BY Taxis DESC LIMIT 0, 20",
        "SELECT id, title, add_date FROM contents_content WHERE channel_id = {channel} AND trashed_at IS NULL "
        "ORDER BY taxis DESC LIMIT 20",
    ),
    "channels with their parents": (
        "SELECT c.Id, c.ChannelName, p.ChannelName AS Above FROM siteserver_Channel c "
        "JOIN siteserver_Channel p ON p.Id = c.ParentId WHERE c.ParentId = {channel} OR c.Id = {channel}",
        "SELECT c.id, c.channel_name, p.channel_name FROM channels_app_channel c JOIN channels_app_channel p "
        "ON p.id = c.parent_id WHERE (c.parent_id = {channel} OR c.id = {channel}) AND c.trashed_at IS NULL",
    ),
}
# Further statements for the translation, in four dialects.
OTHERS = (
    "SELECT TOP 12 * FROM (SELECT ROW_NUMBER() OVER(ORDER BY AddDate DESC) AS rownumber, * FROM siteserver_Content "
    "WHERE id IN (SELECT id FROM (SELECT id, JSON_VALUE(CONVERT(VARCHAR(MAX), SettingsXml), N'lax $.noticeType') AS n "
    "FROM siteserver_Content) AS tmp WHERE ChannelId IN ('69', '70'))) temp WHERE rownumber > 0 ORDER BY AddDate DESC",
    "SELECT `ChannelId`, COUNT(*) AS n FROM `siteserver_Content` WHERE IFNULL(`Author`, '') <> '' GROUP BY `ChannelId` "
    "HAVING COUNT(*) > 3 ORDER BY n DESC LIMIT 5, 10",
    "SELECT [Title], LEN([Title]) AS [Length] FROM [siteserver_Content] WHERE [AddDate] > DATEADD(day, -7, GETDATE())",
    "WITH latest AS (SELECT Id, Title, ChannelId FROM siteserver_Content ORDER BY AddDate DESC LIMIT 50) "
    "SELECT c.ChannelName || ': ' || l.Title AS line FROM latest l JOIN siteserver_Channel c ON c.Id = l.ChannelId",
    "SELECT Id FROM siteserver_Content WHERE IsTop = 'True' UNION "
    "SELECT Id FROM siteserver_Content WHERE IsHot = 'True'",
    "SELECT c.ChannelName FROM siteserver_Channel c WHERE NOT EXISTS (SELECT 1 FROM siteserver_Content t WHERE "
    "t.ChannelId = c.Id AND t.Title LIKE '%harbour%')",
)
TRANSLATIONS = 300  # of each statement


def main() -> None:
    """Measure both and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_100k")
    parser.add_argument("--rounds", type=int, default=300)
    databases.add_folder_option(parser)
    options = parser.parse_args()
    databases.open_service(options.database, options.folder)
    prepare()
    places = find_places()
    print_translation([client.format(**places) for client, _ in PAIRS.values()] + list(OTHERS))
    print("\n| statement | bare ms | box ms | difference ms |\n|---|---:|---:|---:|")
    for name, (client, bare) in PAIRS.items():
        plain, boxed = measure(client.format(**places), bare.format(**places), options.rounds)
        print(f"| {name} | {plain:.2f} | {boxed:.2f} | {boxed - plain:.2f} |")


def prepare() -> None:
    """Make the account that reads, where the engine needs one."""
    from django.core.management import call_command

    call_command("set_up_sql_reader", stdout=io.StringIO())


def find_places() -> dict[str, int]:
    """Numbers of a channel with twenty contents or more, and of one of them."""
    from django.db.models import Count

    from contents.models import Content

    found = Content.objects.values("channel_id").annotate(n=Count("id")).filter(n__gte=20).order_by("n").first()
    content = Content.objects.filter(channel_id=found["channel_id"]).first()
    return {"channel": found["channel_id"], "content": content.pk}


def print_translation(statements: list[str]) -> None:
    """What reading and rewriting takes, over all statements."""
    from django.db import connection

    from cms_api.lib.sql_sandbox.catalogue import Catalogue
    from cms_api.lib.sql_sandbox.compiling.statement import compile_query
    from cms_api.lib.sql_sandbox.reading.statement import read_statement
    from cms_api.sql_endpoint.catalogue import CONTENTS, TABLES

    catalogue, now = Catalogue.of(TABLES, None, CONTENTS), datetime.now().replace(microsecond=0)

    def translate(statement: str) -> None:
        compile_query(read_statement(statement), catalogue, connection.vendor, now=now, max_rows=1000)

    todo = [statement for statement in statements for _ in range(TRANSLATIONS)]
    random.Random(1).shuffle(todo)
    times = sorted(timed(lambda statement=statement: translate(statement)) for statement in todo)
    shares = {f"p{share}": times[len(times) * share // 100] for share in (50, 95, 99)}
    print("| reading and rewriting | ms |\n|---|---:|")
    for name, taken in shares.items():
        print(f"| {name} of {len(statements)} statements | {taken:.2f} |")


def measure(client: str, bare: str, rounds: int) -> tuple[float, float]:
    """Medians in milliseconds: the bare statement, and the client's through the box."""
    from django.db import connection

    from cms_api.sql_endpoint.sandbox import run_statement

    def run_bare() -> bytes:
        with connection.cursor() as cursor:
            cursor.execute(bare)
            names = [column[0] for column in cursor.description]
            return orjson.dumps([dict(zip(names, row, strict=True)) for row in cursor.fetchall()])

    rows = orjson.loads(run_statement(client, None).rows)
    assert len(rows) == len(orjson.loads(run_bare())) > 0, client
    plain, boxed = [], []
    for _ in range(rounds):
        plain.append(timed(run_bare))
        boxed.append(timed(lambda: run_statement(client, None)))
    return statistics.median(plain), statistics.median(boxed)


def timed(act: Callable[[], Any]) -> float:
    """Milliseconds that the act takes."""
    begin = time.perf_counter()
    act()
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    main()
