"""Measures searches by words, in the API and in the admin, with a thousand and a million contents.

    .venv/bin/python benchmarks/searches.py                     (creates missing databases)
    .venv/bin/python benchmarks/searches.py --sizes 1000 100000 --engines sqlite --keep

Bodies are 60 to 100 words of a vocabulary of 50,000 whose frequencies follow Zipf's law; one content in five is in
Chinese. The script makes up to 50,000 contents, has the service build their entries in the index, and then copies
contents and entries in the database, up to the size: each word has the same share of the contents at every size. On
PostgreSQL it drops the index for the copies and creates it again.

Requests run in this process through Django's test client, each once for each of several queries after a warm-up. The
figures are the median and the 95th percentile of the processor time, with that of PostgreSQL's process for the
connection, whose parallel workers are off. The growth is the ratio of these percentiles.
"""

import argparse
import io
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import accumulate
from typing import Any

import databases
import dataset
from admin_lists import administrator, processor_time

GENERATED = 50_000  # contents; the others are copies
VOCABULARY, PAIRS = 50_000, 3_000  # words, and Chinese ones of two characters
CHINESE_SHARE, TAGS, CHANNELS = 0.2, 300, 12
QUERIES, ROUNDS = 40, 2
CREATED = 200  # contents
GROWTH = 3.0
GOALS = {
    "two words": 50,
    "two words, second page": 50,
    "Chinese": 50,
    "a common word": 150,
    "two common words": 150,
    "a common Chinese word": 150,
    "suggestions": 10,
    "suggestions, two letters": 10,
    "suggestions, two words": 10,
}
_SYLLABLES = [first + vowel + last for first in "bdfghklmnprstvw" for vowel in "aeiou" for last in ("", "n", "r")]


def main() -> None:
    options = read_options()
    if options.measure:
        print(json.dumps(measure(options.measure, options)))
        return
    for engine in options.engines:
        found = {}
        for size in options.sizes:
            name = f"{databases.PREFIX}_search_{size}"
            server = f"sqlite:///{options.folder}/" if engine == "sqlite" else options.server
            url = f"{server}{name}{'.sqlite3' if engine == 'sqlite' else ''}"
            made = not databases.exists(url)
            command = [sys.executable, __file__, "--measure", url, "--folder", str(options.folder)]
            answer = subprocess.run([*command, "--sizes", str(size)], check=True, capture_output=True, text=True).stdout
            found[size] = json.loads(answer.splitlines()[-1])
            if made and not options.keep:
                databases.drop(url)
        print_table(engine, found)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 1_000_000])
    databases.add_measuring_options(parser)
    return parser.parse_args()


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


# ---- The contents


class Texts:
    """Words by Zipf's law: the most frequent ones are the shortest."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.words = self._distinct(VOCABULARY, lambda: "".join(chance.choices(_SYLLABLES, k=chance.randrange(1, 5))))
        self.pairs = self._distinct(PAIRS, lambda: "".join(chr(chance.randrange(0x4E00, 0x5800)) for _ in range(2)))
        self._shares = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
        self._of_pairs = self._shares[:PAIRS]

    def _distinct(self, count: int, make: Callable[[], str]) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < count:
            found[make()] = None
        return sorted(found, key=len)

    def some(self, least: int, most: int, *, chinese: bool) -> str:
        number = self._chance.randrange(least, most)
        if chinese:
            return "".join(self._chance.choices(self.pairs, cum_weights=self._of_pairs, k=number))
        return " ".join(self._chance.choices(self.words, cum_weights=self._shares, k=number))


def make_contents(count: int, channels: list[Any], texts: Texts, chance: random.Random) -> Iterator[tuple[Any, str]]:
    from contents.models import Content

    for number in range(count):
        channel, chinese = channels[number % len(channels)], chance.random() < CHINESE_SHARE
        when = dataset.FIRST_DATE + timedelta(seconds=chance.randrange(dataset.DAYS * 86_400))
        tags = {texts.words[1000 + int(TAGS * chance.random() ** 2)] for _ in range(chance.randrange(4))}
        content = Content(
            site_id=channel.site_id,
            channel_id=channel.pk,
            taxis=number + 1,
            title=texts.some(3, 9, chinese=chinese),
            author=f"Author {chance.randrange(200)}",
            is_checked=chance.random() < 0.9,
            tags=",".join(sorted(tags)),
            group_name_collection=chance.choice(["", "", *dataset.GROUPS]),
            add_date=when,
            last_edit_date=when,
        )
        paragraphs = (texts.some(30, 50, chinese=chinese) for _ in range(2))
        yield content, "".join(f"<p>{text}</p>" for text in paragraphs)


def fill(size: int, url: str) -> dict[str, float]:
    """Create contents and entries; return figures of the index."""
    from django.core.management import call_command
    from django.db import connection

    from channels_app.models import Channel
    from channels_app.services import create_channel, create_site
    from events.models import Numbering
    from search.models import SearchProgress

    call_command("migrate", verbosity=0)
    site = create_site("Benchmark", site_dir="benchmark")
    home = Channel.objects.get(pk=site.pk)
    channels = [create_channel(home, f"Channel {number}") for number in range(CHANNELS)]
    chance = random.Random(dataset.SEED)
    texts = Texts(chance)
    with connection.cursor() as cursor:
        if databases.is_sqlite(url):
            cursor.execute("PRAGMA synchronous = OFF")
            cursor.execute("PRAGMA cache_size = -2000000")
        else:
            cursor.execute("SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'")
        dataset.switch_triggers(cursor, "DISABLE")
        generated = min(size, GENERATED)
        dataset.store_contents(generated, make_contents(generated, channels, texts, chance))
        tell(f"{generated:,} contents")
        begun = processor_time()
        call_command("rebuild_search", quiet=True, kind=["content"], stdout=sys.stderr)
        figures = {"building, ms for each content": (processor_time() - begun) * 1000 / generated}
        tell(f"their entries: {figures}")
        copy(cursor, size // generated, generated)
        dataset.store_last_taxis()
        dataset.derive_lists()
        call_command("migrate", verbosity=0)  # reinstalls the dropped triggers
        dataset.switch_triggers(cursor, "ENABLE")
    # All contents have entries, although events were lost with the triggers.
    SearchProgress.objects.update(position=Numbering.objects.get().last_position)
    tell("lists")
    return figures


def copy(cursor: Any, times: int, distance: int) -> None:
    """Copy all contents with their bodies and entries."""
    from django.db import connection

    from contents.models import Content

    columns = [field.column for field in Content._meta.concrete_fields]
    moved = {"id": f"id + %s * {distance}", "taxis": f"taxis + %s * {distance}"}
    values = ", ".join(moved.get(name, name) for name in columns)
    first = Content.objects.order_by("pk").values_list("pk", flat=True)[0]
    last = first + distance
    if connection.vendor == "postgresql" and times > 1:
        cursor.execute("DROP INDEX search_words")
    for number in range(1, times):
        cursor.execute(
            f"INSERT INTO contents_content ({', '.join(columns)}) SELECT {values} FROM contents_content WHERE id < %s",
            [number, number, last],
        )
        cursor.execute(
            f"INSERT INTO contents_contentbody (content_id, text) SELECT content_id + %s * {distance}, text "
            "FROM contents_contentbody WHERE content_id < %s",
            [number, last],
        )
        cursor.execute(
            "INSERT INTO search_searchentry (kind, subject_id, words) "
            f"SELECT kind, subject_id + %s * {distance}, words FROM search_searchentry WHERE subject_id < %s "
            "AND kind = 'content' ORDER BY id",
            [number, last],
        )
        tell(f"copy {number}")
    if connection.vendor == "postgresql" and times > 1:
        begun = time.perf_counter()
        cursor.execute("CREATE INDEX search_words ON search_searchentry USING gin (words) WITH (fastupdate = off)")
        tell(f"the index of all entries: {time.perf_counter() - begun:.0f} s")
        for table in ("contents_content", "search_searchentry"):
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), MAX(id)) FROM {table}")


# ---- The requests


def measure(url: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the median and 95th percentile of each request, and the further figures."""
    is_new = not databases.exists(url)
    if is_new:
        databases.create(url, replace=False)
    databases.open_service(url, options.folder)
    from django.conf import settings
    from django.db import connection

    from search.following import followed_to

    figures = fill(options.sizes[0], url) if is_new else {}
    if is_new:
        databases.settle(url)
    settings.ALLOWED_HOSTS = ["testserver"]
    assert followed_to("content") is not None
    if not databases.is_sqlite(url):
        with connection.cursor() as cursor:
            cursor.execute("SET max_parallel_workers_per_gather = 0")
    found = {}
    for name, requests in requested().items():
        found[name] = percentiles(requests)
        tell(f"{name}: {found[name][0]:.1f} / {found[name][1]:.1f} ms")
    return {"requests": found, "figures": figures | measure_following() | sizes()}


def percentiles(requests: list[Callable[[], Any]]) -> tuple[float, float]:
    for act in requests[:3]:
        act()
    times = []
    for act in requests * ROUNDS:
        begun = processor_time()
        act()
        times.append((processor_time() - begun) * 1000)
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.95)]


def requested() -> dict[str, list[Callable[[], Any]]]:
    from django.test import Client
    from django.urls import reverse

    from sites.models import Site

    site = Site.objects.get().pk
    browser = Client()
    browser.force_login(administrator("benchmark", is_superuser=True))
    client, headers = authorized()
    listed = reverse("admin:contents_content_changelist")

    def ask(address: str, query: str, **more: Any) -> Callable[[], Any]:
        def act() -> Any:
            response = client.get(f"/api/v1/{address}", {"q": query, "siteId": site, **more}, headers=headers)
            assert response.status_code == 200, response.content[:300]
            return response.json()

        return act

    def look(query: str) -> Callable[[], Any]:
        def act() -> None:
            response = browser.get(listed, {"q": query})
            assert response.status_code == 200, response.content[:300]

        return act

    asked = queries()
    suggested = {name: asked.pop(name) for name in list(asked) if name.startswith("suggestions")}
    found = {name: [ask("search", query) for query in each] for name, each in asked.items()}
    found["two words, second page"] = [ask("search", query, skip=20) for query in asked["two words"]]
    found["admin list: a misspelled word"] = [look(query) for query in asked["a misspelled word"]]
    for kind in ("two words", "a common word"):
        found[f"{kind}, four facets"] = [ask("search", query, facets="channel,tag,group,year") for query in asked[kind]]
        found[f"{kind}, of a channel"] = [ask("search", query, channelId=site + 1) for query in asked[kind]]
        found[f"admin list: {kind}"] = [look(query) for query in asked[kind]]
    for name, each in suggested.items():
        found[name] = [ask("search/suggestions", query) for query in each]
    return found


def authorized() -> tuple[Any, dict[str, str]]:
    """Return a client, and the headers with a new API key."""
    from django.core.management import call_command
    from django.test import Client

    key = io.StringIO()
    call_command("create_api_key", f"search {time.time()}", "--scope", "Contents", stdout=key)
    return Client(), {"X-SS-API-KEY": key.getvalue().strip()}


def queries() -> dict[str, list[str]]:
    texts, chance = Texts(random.Random(dataset.SEED)), random.Random(7)
    from contents.models import Content

    first = Content.objects.order_by("pk").values_list("pk", flat=True)[0]
    some = chance.sample(range(first, first + min(1000, GENERATED)), 300)
    rows = list(Content.objects.filter(pk__in=some).order_by("pk").values_list("title", "body__text"))
    ranks = {word: rank for rank, word in enumerate(texts.words)}
    latin = [(title.split(), body.replace("<p>", " ").replace("</p>", " ").split()) for title, body in rows]
    latin = [(title, body) for title, body in latin if title[0].isascii()]
    chinese = [body[3:-4].split("</p><p>")[0] for title, body in rows if not title[0].isascii()]

    def pair(words: list[str]) -> str:
        return " ".join(chance.sample([word for word in words if ranks[word] >= 50], 2))

    def misspelled(word: str) -> str:
        place = chance.randrange(1, len(word) - 1)
        return f"{word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]}"

    long = [word for title, _ in latin for word in title if len(word) > 6]
    common = [word for word in texts.words[15:30] if len(word) > 1]
    return {
        "two words": [pair(body) for _, body in latin][:QUERIES],
        "Chinese": [text[start : start + 4] for text in chinese if (start := 2 * chance.randrange(10)) is not None][
            :QUERIES
        ],
        "a common word": common,
        "two common words": [" ".join(chance.sample(common, 2)) for _ in range(QUERIES // 2)],
        "a common Chinese word": texts.pairs[:10],
        "a misspelled word": [misspelled(word) for word in long][:QUERIES],
        "two misspelled words": [
            f"{misspelled(title[0])} {misspelled(title[1])}" for title, _ in latin if len(min(title[:2], key=len)) > 5
        ][:QUERIES],
        "an unknown word": [f"{word[::-1]}xq" for word in long][:QUERIES],
        "suggestions": [word[:4] for title, _ in latin for word in title if len(word) > 5][:QUERIES],
        "suggestions, two letters": [word[:2] for title, _ in latin for word in title if len(word) > 3][:QUERIES],
        "suggestions, two words": [f"{title[0]} {title[1][:3]}" for title, _ in latin][:QUERIES],
    }


# ---- Changes


def measure_following() -> dict[str, float]:
    """Return the times of creating a content, and of bringing the index up to date with it later."""
    from channels_app.models import Channel
    from events.numbering import number_new
    from search import following

    number_new()
    following.follow()
    client, headers = authorized()
    texts, chance = Texts(random.Random(dataset.SEED)), random.Random(8)
    channel = Channel.objects.filter(parents_count=1).order_by("pk")[0]
    begun = processor_time()
    for content, body in make_contents(CREATED, [channel], texts, chance):
        members = {"title": content.title, "content": body, "tags": content.tags, "isChecked": True}
        address = f"/api/v1/contents/{channel.site_id}/{channel.pk}"
        response = client.post(address, members, content_type="application/json", headers=headers)
        assert response.status_code == 200, response.content[:300]
    creating = processor_time() - begun
    number_new()
    begun = processor_time()
    while following.step("content"):
        pass
    followed = processor_time() - begun
    return {"creating a content, ms": creating * 1000 / CREATED, "its entry, later, ms": followed * 1000 / CREATED}


def sizes() -> dict[str, float]:
    from django.db import connection

    read = {
        "postgresql": "SELECT pg_relation_size('search_words'), pg_total_relation_size('search_searchentry')",
        "sqlite": "SELECT (SELECT SUM(length(block)) FROM search_words_data), "
        "(SELECT SUM(length(words)) FROM search_searchentry)",
    }
    with connection.cursor() as cursor:
        cursor.execute(read[connection.vendor])
        index, table = cursor.fetchone()
    return {"the index, MB": float(index) / 1e6, "entries, MB": float(table) / 1e6}


def print_table(engine: str, found: dict[int, dict[str, Any]]) -> None:
    numbers = sorted(found)
    print(f"\n### {engine}\n")
    print("| request | " + " | ".join(f"{size:,}: p50, p95 ms" for size in numbers) + " | growth | goal, ms |")
    print("|---|" + "---:|" * (len(numbers) + 2))
    for name in found[numbers[0]]["requests"]:
        each = [found[size]["requests"][name] for size in numbers]
        goal = GOALS.get(name)
        verdict = "" if goal is None else f"{goal} {'✓' if each[-1][1] <= goal else '✗'}"
        growth = each[-1][1] / each[0][1]
        cells = " | ".join(f"{middle:.1f}, {high:.1f}" for middle, high in each)
        print(f"| {name} | {cells} | {growth:.1f} {'✓' if growth <= GROWTH else '✗'} | {verdict} |")
    for name in found[numbers[-1]]["figures"]:
        print(f"{name}: " + ", ".join(f"{found[size]['figures'].get(name, 0):.2f}" for size in numbers), flush=True)


if __name__ == "__main__":
    main()
