"""Creates a database with contents for the other benchmarks.

    .venv/bin/python benchmarks/dataset.py --contents 100000
    .venv/bin/python benchmarks/dataset.py --contents 1000000 --database sqlite:////tmp/cms_benchmark_1m.sqlite3

One site has the first-level channels Small, Medium and Large with exactly 20, 200 and 2,000 channels
below them, and News with none; their index names are the same words in lower case. News has 10 % of the
contents, the channels below Small 20 %, below Medium 30 %, below Large 40 %, evenly distributed. Bodies
are 2-5 KB of varied markup; 90 % of the contents are checked, 1 % top, 5 % recommend, 5 % hot, 2 %
colour. A content has 0-4 tags (half of them from eight common ones, the others rare: each on about 40
contents at any size) and 0-2 of twelve groups. Add dates span five years and are independent of ids. The
random seed is fixed: two runs create the same data. With --users, the script also creates users, with
most of their text fields filled in.

The script stores contents, bodies and LastTaxis with bulk_create and without the database's triggers,
which work row by row and would take hours for a million contents. It then fills the tables that the
triggers maintain (groups, tags, rows of lists and their counts) by the same rules, with one statement
per table.
"""

import argparse
import os
import random
import time
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

import databases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contents.models import Content

SEED = 20_260_101
BATCH = 1000  # rows per statement: 37 columns each stay below the limit of 65,535 parameters
COMMON_TAGS = [f"common{number}" for number in range(8)]
GROUPS = [f"Group {number}" for number in range(12)]
FIRST_DATE, DAYS = datetime(2021, 1, 1), 5 * 365
# For each first-level channel: number of children, number of children of each child, share of the
# contents.
TREES = {"Small": (4, 4, 0.2), "Medium": (8, 24, 0.3), "Large": (40, 49, 0.4), "News": (0, 0, 0.1)}
_STOCK = """
    the of and a to in is that for it as was with be by on not he his but at are this have from or had an
    they which one you were all her she there would their we him been has when who will no more if out so
    up said what its about than into them can only other time new some could these two may first then do
    city river market season library bridge council harbour garden museum station school festival weather
"""
_CHINESE_STOCK = """
    城市 河流 市场 季节 图书馆 大桥 会议 港口 花园 博物馆 车站 学校 节日 天气 开放 通知 关于 举行
    新闻 活动 建设 服务 发展 工作
"""
CHINESE_SHARE = 0.3  # of titles


class Texts:
    """Generates bodies and titles from a fixed stock of words; no two bodies are likely to be equal."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._words, self._chinese = chance, _STOCK.split(), _CHINESE_STOCK.split()
        self._paragraphs = [self._paragraph() for _ in range(2000)]

    def body(self) -> str:
        """Return 2-5 KB of markup."""
        size, parts = self._chance.randrange(2000, 5000), []
        while size > 0:
            parts.append(self._chance.choice(self._paragraphs))
            size -= len(parts[-1])
        return "\n".join(parts)

    def title(self) -> str:
        """Return some words, English or Chinese."""
        if self._chance.random() < CHINESE_SHARE:
            return "".join(self._chance.choices(self._chinese, k=self._chance.randrange(4, 10)))
        return " ".join(self._chance.choices(self._words, k=self._chance.randrange(4, 10))).capitalize()

    def _paragraph(self) -> str:
        words = " ".join(self._chance.choices(self._words, k=self._chance.randrange(20, 70)))
        number = self._chance.randrange(100_000)
        return self._chance.choice(
            (
                f"<p>{words}.</p>",
                f'<p class="lead">{words} &amp; {number}.</p>',
                f"<h2>{words[:40]}</h2><p>{words}</p>",
                f'<p><img src="@/upload/images/{number}.jpg" alt="{words[:20]}">{words}</p>',
                f'<ul><li>{words[:60]}</li><li>{words[60:]}</li></ul><a href="/a/{number}.html">{number}</a>',
            )
        )


def main() -> None:
    """Create the database and fill it."""
    options = read_options()
    url = options.database or os.environ.get("CMS_DATABASE_URL") or default_url(options.contents)
    databases.create(url, replace=options.replace)
    databases.open_service(url, options.folder)
    start = time.perf_counter()
    fill(options.contents, url)
    store_users(options.users)
    databases.settle(url)
    print(f"{databases.name_of(url)}: {describe()}; made in {time.perf_counter() - start:.0f} s")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contents", type=int, default=100_000, help="how many (default: %(default)s)")
    parser.add_argument("--users", type=int, default=0, help="how many (default: %(default)s)")
    parser.add_argument(
        "--database",
        help=f"address of the database, whose name begins with {databases.PREFIX} "
        "(default: CMS_DATABASE_URL, else one named for its size on this machine's PostgreSQL)",
    )
    parser.add_argument("--replace", action="store_true", help="drop a database that is there")
    databases.add_folder_option(parser)
    return parser.parse_args()


def default_url(contents: int) -> str:
    """Return the URL of the PostgreSQL database for this number of contents, such as cms_benchmark_100k."""
    size = f"{contents // 1_000_000}m" if contents >= 1_000_000 else f"{contents // 1000}k"
    return f"{databases.POSTGRESQL}{databases.PREFIX}_{size}"


def fill(contents: int, url: str) -> None:
    """Migrate an empty database and create the site, channels and contents."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    channels = make_channels()
    with connection.cursor() as cursor:
        if databases.is_sqlite(url):
            # After a crash, the file is created again, so it needs no fsync. The cache holds its pages in memory.
            cursor.execute("PRAGMA synchronous = OFF")
            cursor.execute("PRAGMA cache_size = -4000000")
        else:
            cursor.execute("SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'")
        switch_triggers(cursor, "DISABLE")
    store_contents(contents, make_contents(contents, channels))
    store_last_taxis()
    derive_lists()
    call_command("migrate", verbosity=0)  # reinstalls the dropped triggers
    with connection.cursor() as cursor:
        switch_triggers(cursor, "ENABLE")


def switch_triggers(cursor: Any, verb: str) -> None:
    """Disable or enable the triggers of contents and lists; on SQLite, drop them or do nothing."""
    from django.db import connection

    for table in ("contents_content", "contents_contentbody", "contents_listedcontent"):
        if connection.vendor == "postgresql":
            cursor.execute(f"ALTER TABLE {table} {verb} TRIGGER USER")
        elif verb == "DISABLE":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")


def make_channels() -> list[tuple[Any, float]]:
    """Create the channels; return channels for contents, each with its share."""
    from channels_app.models import Channel
    from channels_app.services import create_channel, create_site

    site = create_site("Benchmark", site_dir="benchmark")
    home = Channel.objects.get(pk=site.pk)
    taking = []
    for name, (second, third, share) in TREES.items():
        first = create_channel(home, name, index_name=name.lower())
        below = []
        for number in range(second):
            channel = create_channel(first, f"{name} {number}")
            below += [channel, *(create_channel(channel, f"{name} {number}.{leaf}") for leaf in range(third))]
        print(f"\r{name}: {len(below):,} channels below ", end="", flush=True)
        taking += [(channel, share / len(below or [first])) for channel in below or [first]]
    print()
    return taking


def make_contents(count: int, channels: list[tuple[Any, float]]) -> "Iterator[tuple[Content, str]]":
    """Yield unsaved contents with their bodies."""
    from contents.models import Content

    chance = random.Random(SEED)
    texts, taxis = Texts(chance), dict.fromkeys((channel.pk for channel, _ in channels), 0)
    rare_tags = max(1, count // 40)
    chosen = chance.choices([c for c, _ in channels], [share for _, share in channels], k=count)
    for channel in chosen:
        taxis[channel.pk] += 1
        checked, when = chance.random() < 0.9, FIRST_DATE + timedelta(seconds=chance.randrange(DAYS * 86_400))
        tags = {
            chance.choice(COMMON_TAGS) if chance.random() < 0.5 else f"rare{chance.randrange(rare_tags)}"
            for _ in range(chance.randrange(5))
        }
        content = Content(
            site_id=channel.site_id,
            channel_id=channel.pk,
            taxis=taxis[channel.pk],
            title=texts.title(),
            sub_title=texts.title(),
            summary=texts.title(),
            author=f"Author {chance.randrange(200)}",
            source=f"Source {chance.randrange(50)}",
            image_url=f"@/upload/images/{chance.randrange(100_000)}.jpg",
            add_user_name="editor",
            last_edit_user_name="editor",
            is_checked=checked,
            checked_level=0 if checked else chance.choice((-99, 1)),
            is_top=chance.random() < 0.01,
            is_recommend=chance.random() < 0.05,
            is_hot=chance.random() < 0.05,
            is_color=chance.random() < 0.02,
            hits=chance.randrange(10_000),
            tags=",".join(sorted(tags)),
            group_name_collection=",".join(sorted(set(chance.choices(GROUPS, k=chance.randrange(3))))),
            add_date=when,
            last_edit_date=when,
        )
        yield content, texts.body()


def store_contents(count: int, rows: "Iterator[tuple[Content, str]]") -> None:
    """Store contents and bodies in batches, and print the progress."""
    from django.db import transaction

    from contents.models import Content, ContentBody

    done, start = 0, time.perf_counter()
    while made := list(islice(rows, BATCH)):
        with transaction.atomic():
            Content.objects.bulk_create([content for content, _ in made])
            ContentBody.objects.bulk_create([ContentBody(content=content, text=body) for content, body in made])
        done += len(made)
        if done % 10_000:
            continue
        rate = done / (time.perf_counter() - start)
        print(f"\r{done:,} of {count:,} contents, {rate:,.0f}/s ", end="", flush=True)
    print()


def store_users(count: int) -> None:
    """Store users without usable passwords."""
    from accounts.models import User

    numbers = iter(range(count))
    while batch := list(islice(numbers, BATCH)):
        User.objects.bulk_create(make_user(number) for number in batch)


def make_user(number: int) -> Any:
    """Return an unsaved user; every third has the URL of a picture."""
    from accounts.models import User

    when = FIRST_DATE + timedelta(seconds=number * 37 % (DAYS * 86_400))
    return User(
        user_name=f"reader{number}",
        password="!",
        password_stamp=f"{number:022}",
        create_date=when,
        last_reset_password_date=when,
        last_activity_date=when if number % 5 else None,
        count_of_login=number % 100,
        is_checked=number % 10 > 0,
        is_locked_out=number % 50 == 0,
        display_name=f"读者 {number}",
        email=f"reader{number}@example.org",
        mobile=f"138{number:08}",
        avatar_url="" if number % 3 else f"https://pictures.example.org/{number}.png",
        organization=f"Organization {number % 100}",
        department=f"Department {number % 20}",
        position="Reader",
        address=f"Quay {number}",
        interests="Boats, lighthouses and the sea",
    )


def store_last_taxis() -> None:
    """Store the highest taxis of each channel, so that new contents follow the dataset."""
    from django.db.models import Max

    from contents.models import Content, LastTaxis

    rows = Content.objects.values_list("channel_id").annotate(last=Max("taxis"))
    LastTaxis.objects.bulk_create(LastTaxis(channel_id=channel, taxis=taxis) for channel, taxis in rows)


def derive_lists() -> None:
    """Fill groups, tags, lists and counts as the triggers would (contents/sql), then rebuild the indexes of lists."""
    from django.db import connection

    from contents.models import ListedContent

    start = time.perf_counter()
    with connection.schema_editor() as editor:
        for index in ListedContent._meta.indexes:
            editor.remove_index(ListedContent, index)
    with connection.cursor() as cursor:
        for statement in derivations(connection.vendor):
            cursor.execute("ANALYZE")
            cursor.execute(statement)
    with connection.schema_editor() as editor:
        for index in ListedContent._meta.indexes:
            editor.add_index(ListedContent, index)
    print(f"Lists and counts in {time.perf_counter() - start:.0f} s")


def derivations(vendor: str) -> "Iterator[str]":
    """Yield the statements that fill the derived tables from contents and channels."""
    from contents.lists.derived_tables import EXPRESSIONS

    keys, flags = EXPRESSIONS["keys"], EXPRESSIONS["flags"]
    facts = f"c.id, {keys('c')}"
    split = {
        "postgresql": "unnest(string_to_array(c.{}, ',')) AS names (value)",
        "sqlite": """json_each('["' || replace(c.{}, ',', '","') || '"]') AS names""",
    }[vendor]
    rows = f"SELECT 0 AS kind, a.ancestor_id AS owner_id, {facts} FROM contents_content c "
    rows += "JOIN channels_app_channelancestor a ON a.channel_id = c.channel_id"
    for kind, column, table, name, others, values in (
        (1, "group_name_collection", "contents_contentgroup", "group_name", ", taxis, description", ", 0, ''"),
        (2, "tags", "contents_contenttag", "tag_name", "", ""),
    ):
        named = f"contents_content c CROSS JOIN {split.format(column)}"
        given = f"c.{column} <> ''"
        yield (
            f"INSERT INTO {table} (site_id, {name}{others}) "
            f"SELECT DISTINCT c.site_id, names.value{values} FROM {named} WHERE {given} ORDER BY 1, 2"
        )
        rows += f" UNION ALL SELECT {kind}, n.id, {facts} FROM {named} "
        rows += f"JOIN {table} n ON n.site_id = c.site_id AND n.{name} = names.value WHERE {given}"
    columns = f"kind, owner_id, content_id, {keys()}"
    yield f"INSERT INTO contents_listedcontent ({columns}) {rows} ORDER BY 3, 1, 2"
    yield (
        "INSERT INTO contents_listedcount (kind, owner_id, flags, slot, contents) "
        f"SELECT kind, owner_id, {flags()}, 0, COUNT(*) FROM contents_listedcontent GROUP BY 1, 2, 3"
    )


def describe() -> str:
    """Return the numbers of contents, channels, rows in lists and users."""
    from accounts.models import User
    from channels_app.models import Channel
    from contents.models import Content, ListedContent

    return (
        f"{Content.objects.count():,} contents, {Channel.objects.count():,} channels, "
        f"{ListedContent.objects.count():,} rows in lists, {User.objects.count():,} users"
    )


if __name__ == "__main__":
    main()
