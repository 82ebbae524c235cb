"""Measures batches of contents: how many contents per second one client creates, changes, approves, moves and deletes.

    .venv/bin/python benchmarks/dataset.py --contents 10000 --database postgres:///cms_benchmark_10k
    .venv/bin/python benchmarks/batches.py --database postgres:///cms_benchmark_10k

The service runs as `make run` starts it; one client sends one batch after the other over one connection. Contents are
as in dataset.py: bodies of 2-5 KB, up to four tags and two groups. Each round creates a batch in the channel
News, changes title and body of its contents, approves them, moves them to another channel, and deletes them. `single`
creates contents one by one, for comparison. The first round is not counted. Figures are medians; brackets give the
slowest and fastest round. CPU time includes workers and PostgreSQL. A change is durable when the response arrives.
"""

import argparse
import http.client
import json
import random
import statistics
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import compare
import databases
import dataset
from servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADS = ("request", "contents/s", "ms per batch", "CPU µs per content", "KB sent", "KB received")
SINGLES = 100  # contents per round of `single`


def main() -> None:
    """Measure all requests and print the table."""
    options = read_options()
    databases.open_service(options.database, options.folder)
    from channels_app.models import Channel

    key = compare.issue_key()
    news, target = (Channel.objects.get(index_name=name) for name in ("news", "small"))
    rounds: dict[str, list[Measured]] = {}
    with Server("cms_api.wsgi", is_deployed=True) as server:
        client = Client(server, key, f"/api/v1/contents/{news.site_id}/{news.pk}")
        contents = sample()
        for number in range(options.rounds + 1):
            for name, measured in client.round(list(islice(contents, options.size)), target.pk, options.fields):
                if number:
                    rounds.setdefault(name, []).append(measured)
    print(f"| {' | '.join(HEADS)} |\n|---|" + "---:|" * (len(HEADS) - 1))
    for name, found in rounds.items():
        print(row(name, found))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_10k")
    parser.add_argument("--rounds", type=int, default=10, help="default: %(default)s")
    parser.add_argument("--size", type=int, default=500, help="contents per batch (default: %(default)s)")
    parser.add_argument("--fields", nargs="*", help="members that responses return (default: all)")
    databases.add_folder_option(parser)
    return parser.parse_args()


def sample() -> "Iterator[dict[str, Any]]":
    """Yield bodies of new contents, as dataset.py makes them."""
    chance = random.Random(dataset.SEED)
    texts = dataset.Texts(chance)
    while True:
        tags = {f"tag{chance.randrange(40)}" for _ in range(chance.randrange(5))}
        groups = {chance.choice(dataset.GROUPS) for _ in range(chance.randrange(3))}
        yield {
            "title": texts.title(),
            "subTitle": texts.title(),
            "summary": texts.title(),
            "author": f"Author {chance.randrange(200)}",
            "source": f"Source {chance.randrange(50)}",
            "imageUrl": f"@/upload/images/{chance.randrange(100_000)}.jpg",
            "tags": ",".join(sorted(tags)),
            "groupNameCollection": ",".join(sorted(groups)),
            "content": texts.body(),
        }


class Measured(NamedTuple):
    """The cost of one batch, or of several single requests."""

    contents: int
    seconds: float
    processor: float  # seconds
    sent: int  # bytes
    received: int


class Client:
    """One connection to the server."""

    def __init__(self, server: Server, key: str, path: str) -> None:
        self._server = server
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
        self._headers = {"Content-Type": "application/json", "X-SS-API-KEY": key}
        self._path = path

    def round(
        self, contents: list[dict[str, Any]], target: int, fields: list[str] | None
    ) -> "Iterator[tuple[str, Measured]]":
        """Send one batch of each kind."""
        further = {} if fields is None else {"fields": ["id", *fields]}
        size = len(contents)
        measured, (answer,) = self.send(size, "POST", "/batch", {"contents": contents} | further)
        yield "create", measured
        ids = [record["id"] for record in answer["contents"]]
        changes = [
            {"id": pk, "title": f"{each['title']}, again", "content": f"{each['content']}<p>again</p>"}
            for pk, each in zip(ids, contents, strict=True)
        ]
        yield "update", self.send(size, "PUT", "/batch", {"contents": changes} | further)[0]
        yield "check", self.send(size, "POST", "/batch/check", {"ids": ids, "reasons": "read"} | further)[0]
        yield "move", self.send(size, "POST", "/batch/move", {"ids": ids, "targetChannelId": target} | further)[0]
        source, self._path = self._path, f"{self._path.rpartition('/')[0]}/{target}"
        yield "delete", self.send(size, "POST", "/batch/delete", {"ids": ids} | further)[0]
        self._path = source
        yield "single", self.send(SINGLES, "POST", "", *contents[:SINGLES])[0]

    def send(self, contents: int, method: str, path: str, *bodies: dict[str, Any]) -> tuple[Measured, list[Any]]:
        """Send the bodies one after the other, and return the responses."""
        sent = [json.dumps(body, ensure_ascii=False).encode() for body in bodies]
        received = []
        used, begin = compare.processor_seconds(self._server), time.perf_counter()
        for body in sent:
            self._connection.request(method, self._path + path, body, self._headers)
            response = self._connection.getresponse()
            received.append(response.read())
            assert response.status == 200, (response.status, received[-1][:500])
        seconds = time.perf_counter() - begin
        used = compare.processor_seconds(self._server) - used
        sizes = [sum(map(len, texts)) for texts in (sent, received)]
        return Measured(contents, seconds, used, *sizes), [json.loads(text) for text in received]


def row(name: str, rounds: list[Measured]) -> str:
    """Return a row of the table."""
    rates = [each.contents / each.seconds for each in rounds]
    milliseconds = statistics.median(each.seconds * 1000 for each in rounds)
    used = statistics.median(each.processor / each.contents * 1e6 for each in rounds)
    sent, received = (statistics.median(each[place] for each in rounds) / 1000 for place in (3, 4))
    rate = f"{statistics.median(rates):,.0f} [{min(rates):,.0f}–{max(rates):,.0f}]"
    return f"| {name} | {rate} | {milliseconds:.0f} | {used:.0f} | {sent:,.0f} | {received:,.0f} |"


if __name__ == "__main__":
    main()
