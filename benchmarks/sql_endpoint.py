"""Measures the cost of the SQL endpoint's sandbox.

    .venv/bin/python benchmarks/dataset.py --contents 100000
    .venv/bin/python benchmarks/sql_endpoint.py
    .venv/bin/python benchmarks/sql_endpoint.py --database sqlite:////tmp/cms-benchmarks/cms_benchmark_100k.sqlite3

The script first measures the translation alone: it parses and rewrites each statement below many times, in random
order. Then it measures the whole sandbox, without HTTP: it runs a statement in the child process and gets its rows as
JSON. For comparison, it runs a bare statement, written by hand for the real tables, on a plain connection of this
process and serialises the rows with the same library. The two alternate; the table shows the median of each and the
difference, which is the cost of the sandbox. On PostgreSQL, the script first creates the read-only account
(set_up_sql_reader) and does not remove it.
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

# A client's statement, and its equivalent for the real tables; {channel} and {content} are ids of the dataset.
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
# Additional statements for the translation, in four dialects.
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
    """Measure the translation and the sandbox, and print the tables."""
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
    """Create the read-only account, if the database engine needs one."""
    from django.core.management import call_command

    call_command("set_up_sql_reader", stdout=io.StringIO())


def find_places() -> dict[str, int]:
    """Return the ids of a channel with at least twenty contents and of one of its contents."""
    from django.db.models import Count

    from contents.models import Content

    found = Content.objects.values("channel_id").annotate(n=Count("id")).filter(n__gte=20).order_by("n").first()
    content = Content.objects.filter(channel_id=found["channel_id"]).first()
    return {"channel": found["channel_id"], "content": content.pk}


def print_translation(statements: list[str]) -> None:
    """Print the percentiles of the time to parse and rewrite the statements."""
    from django.db import connection

    from cms_api.sql_endpoint.catalogue import CONTENTS, TABLES
    from sql_sandbox.catalogue import Catalogue
    from sql_sandbox.compiling.statement import compile_query
    from sql_sandbox.reading.statement import read_statement

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
    """Return the median times of the bare statement and of the client's in the sandbox, in milliseconds."""
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
    """Return the duration of the call in milliseconds."""
    begin = time.perf_counter()
    act()
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    main()
