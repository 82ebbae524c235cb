"""Measures the processor time of ETags, and what a 304 saves.

    .venv/bin/python benchmarks/dataset.py --contents 10000 --database postgres:///cms_benchmark_10k
    .venv/bin/python benchmarks/etags.py --database postgres:///cms_benchmark_10k

The script passes whole requests to the WSGI application in this process, which includes all of the service but no
server, network or PostgreSQL. It sends each request in three ways: with a constant in place of the ETag, unchanged, and
with `If-None-Match`, which returns 304. The ways alternate, in reverse order every second round. Figures are medians of
processor time; shares are computed for each round.
"""

import argparse
import hashlib
import io
import os
import statistics
import time
from functools import partial
from typing import Any

import compare
import databases

OPERATIONS = ("get", "list20", "channel-tree", "stl-contents")
BATCH = 10  # requests per measurement
HEADS = ("request", "KB", "no tag µs", "tag µs", "tag costs", "304 µs", "304 / no tag")


def main() -> None:
    """Measure all requests and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_10k")
    parser.add_argument("--rounds", type=int, default=200, help="default: %(default)s")
    databases.add_folder_option(parser)
    options = parser.parse_args()
    os.environ["CMS_CONTENT_CACHE_BYTES"] = "0"  # the tag of a kept content costs nothing
    databases.open_service(options.database, options.folder)
    requests = make_requests(compare.issue_key())
    rounds: dict[str, list[tuple[float, float, float]]] = {name: [] for name in requests}
    for number in range(options.rounds):
        for name, request in requests.items():
            rounds[name].append(request.times(backwards=number % 2 > 0))
    print(f"| {' | '.join(HEADS)} |\n|---|" + "---:|" * (len(HEADS) - 1))
    for name, request in requests.items():
        print(row(name, request, rounds[name]))


class Request:
    """A request to send repeatedly; the constructor sends it once and keeps its ETag."""

    def __init__(self, line: str, key: str) -> None:
        method, address, body = line.split("\t")
        path, _, query = address.partition("?")
        self._body = body.encode()
        self._environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(self._body)),
            "HTTP_X_SS_API_KEY": key,
            "wsgi.url_scheme": "http",
        }
        status, headers, content = self._ask()
        assert status == "200 OK", (line, status, content)
        self.size, self._tag = len(content), headers["ETag"]

    def times(self, *, backwards: bool) -> tuple[float, float, float]:
        """Return the microseconds of a response without ETag, with ETag, and of a 304."""
        ways = [self.without_tag, self.time, partial(self.time, known=True)]
        taken = [way() for way in (reversed(ways) if backwards else ways)]
        plain, tagged, known = reversed(taken) if backwards else taken
        return plain, tagged, known

    def time(self, *, known: bool = False) -> float:
        """Return the processor time of one request in microseconds; with `known`, it sends the ETag and gets a 304."""
        further = {"HTTP_IF_NONE_MATCH": self._tag} if known else {}
        self._ask(**further)  # fills the caches
        begin = time.process_time()
        for _ in range(BATCH):
            status, _, _ = self._ask(**further)
        taken = time.process_time() - begin
        assert status == ("304 Not Modified" if known else "200 OK")
        return taken / BATCH * 1e6

    def without_tag(self) -> float:
        """Return the processor time of one request in microseconds, without computing ETags."""
        from cms_api.rest import conditional
        from contents.lists import fragments

        makers = conditional.tag_of, conditional.tag_of_bytes
        codes = [each.__code__ for each in makers]
        for each in makers:  # modules that import these functions by name see the change, too
            each.__code__ = _no_tag.__code__
        fragments.sha256, digesting = _no_digest, fragments.sha256  # type: ignore[assignment]
        try:
            return self.time()
        finally:
            for each, code in zip(makers, codes, strict=True):
                each.__code__ = code
            fragments.sha256 = digesting

    def _ask(self, **further: str) -> tuple[str, dict[str, str], bytes]:
        from cms_api.wsgi import application

        started: list[Any] = []
        environ = self._environ | further | {"wsgi.input": io.BytesIO(self._body), "wsgi.errors": io.StringIO()}
        answer = application(environ, lambda *given: started.append(given))
        content = b"".join(answer)
        answer.close()
        status, headers = started[0][:2]
        return status, dict(headers), content


def _no_tag(*_: Any) -> str:
    return '"-"'


_EMPTY = hashlib.sha256(b"")


def _no_digest(_: bytes) -> Any:
    return _EMPTY


def make_requests(key: str) -> dict[str, Request]:
    """Return one request for each operation."""
    return {each.name: Request(each.lines[0], key) for each in compare.make_operations() if each.name in OPERATIONS}


def row(name: str, request: Request, rounds: list[tuple[float, float, float]]) -> str:
    """Format a row of the table."""
    plain, tagged, known = (statistics.median(each) for each in zip(*rounds, strict=True))
    cost = statistics.median(second - first for first, second, _ in rounds)
    share = statistics.median((second - first) / first for first, second, _ in rounds)
    saved = statistics.median(third / first for first, _, third in rounds)
    cells = [f"{request.size / 1024:.0f}", f"{plain:.0f}", f"{tagged:.0f}", f"{cost:.0f} ({share:.1%})", f"{known:.0f}"]
    return f"| {name} | {' | '.join(cells)} | {saved:.2f} |"


if __name__ == "__main__":
    main()
