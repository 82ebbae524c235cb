"""Measures how many passwords 200 addresses can try on one account, and whether its owner can still sign in.

    .venv/bin/python benchmarks/guesses.py
    .venv/bin/python benchmarks/guesses.py --database postgres:///cms_benchmark_guesses

The server has its default settings, and two workers with four threads each. Every guesser has an address of its own and
sends the next wrong password as soon as Retry-After allows. The owner signs in once a second from a known address, and
every ten seconds from a new one, there with a wrong password first. Another client pings the server.
"""

import argparse
import http.client
import json
import statistics
import threading
import time
from collections import Counter

import databases
from servers import Server
from sign_in_flood import LOGIN, RIGHT, prepare, quantile, wrong

KNOWN = "192.0.2.1"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"sqlite:///{databases.FOLDER}/{databases.PREFIX}_guesses.sqlite3")
    parser.add_argument("--addresses", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=60, help="default: %(default)s")
    databases.add_folder_option(parser)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    databases.open_service(options.database, options.folder)
    prepare()
    forget()
    server = Server("cms_api.wsgi", CMS_TRUSTED_PROXIES="127.0.0.1", CMS_LOG_LEVEL="CRITICAL")
    server._command += ["--threads", "4"]
    with server:
        assert Client(server.port, KNOWN).sign_in(RIGHT)[0] == 200
        run(server.port, options.addresses, options.seconds)


def forget() -> None:
    """No counts and no known addresses of an earlier run."""
    from accounts.models import KnownAddress
    from cms_api.models import SharedCount

    KnownAddress.objects.all().delete()
    SharedCount.objects.all().delete()


def run(port: int, addresses: int, seconds: float) -> None:
    """Let all of them work for so long, and print what happened."""
    begin = time.monotonic()
    end = begin + seconds
    guesses: list[tuple[float, int, str]] = []
    known: list[tuple[float, bool]] = []
    new: list[float] = []
    pings: list[float] = []
    work = [(guess, port, f"203.0.{number // 250}.{number % 250}", end, guesses) for number in range(addresses)]
    work += [(own, port, end, known), (move, port, end, new), (ping, port, end, pings)]
    threads = [threading.Thread(target=act, args=arguments) for act, *arguments in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{addresses} addresses, {seconds:g} s\n")
    print("| passwords tried after | s | number |\n|---|---:|---:|")
    for part in (0.05, 0.25, 0.5, 1):
        tried = sum(1 for at, status, _ in guesses if status == 400 and at - begin <= part * seconds)
        print(f"| | {part * seconds:.0f} | {tried} |")
    print(f"\nanswers to guesses: {dict(Counter(code for _, _, code in guesses))}")
    print(f"owner at a known address: {describe([taken for taken, _ in known])}")
    print(f"owner at a new address, after a wrong password: {describe(new)}")
    print(f"ping: {describe(pings)}")


def describe(taken: list[float]) -> str:
    """Number, median and tail in milliseconds."""
    if not taken:
        return "never"
    return f"{len(taken)} times, p50 {statistics.median(taken) * 1000:.0f} ms, p99 {quantile(taken, 99) * 1000:.0f} ms"


class Client:
    """Somebody at an address."""

    code = ""  # of the last refusal

    def __init__(self, port: int, address: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Content-Type": "application/json", "X-Forwarded-For": address}

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, float]:
        """Status and the seconds of Retry-After."""
        try:
            self._connection.request(method, path, body, self._headers)
            response = self._connection.getresponse()
            body = response.read()
            self.code = json.loads(body)["code"] if response.status >= 400 else ""
            return response.status, float(response.headers.get("Retry-After") or 0)
        except (http.client.HTTPException, OSError):
            self._connection.close()
            return 0, 1.0

    def sign_in(self, body: dict[str, str]) -> tuple[int, float]:
        """The same of a sign-in."""
        return self.ask("POST", LOGIN, json.dumps(body))

    def insist(self, body: dict[str, str], end: float) -> float | None:
        """The seconds until the sign-in succeeded, sent again whenever it may be; None if it did not."""
        begin = time.monotonic()
        while time.monotonic() < end:
            status, wait = self.sign_in(body)
            if status == 200:
                return time.monotonic() - begin
            time.sleep(wait)
        return None


def guess(port: int, address: str, end: float, guesses: list[tuple[float, int, str]]) -> None:
    """Send wrong passwords."""
    client = Client(port, address)
    while (now := time.monotonic()) < end:
        status, wait = client.sign_in(wrong("flood0"))
        guesses.append((time.monotonic(), status, client.code))
        time.sleep(min(wait, max(0.0, end - now)))


def own(port: int, end: float, known: list[tuple[float, bool]]) -> None:
    """Sign in from the known address."""
    client = Client(port, KNOWN)
    while time.monotonic() < end:
        if (taken := client.insist(RIGHT, end)) is not None:
            known.append((taken, True))
        time.sleep(1)


def move(port: int, end: float, new: list[float]) -> None:
    """Sign in from one new address after the other."""
    number = 0
    while time.monotonic() < end:
        client, number = Client(port, f"198.51.100.{number}"), number + 1
        client.sign_in(wrong("flood0"))
        if (taken := client.insist(RIGHT, end)) is not None:
            new.append(taken)
        time.sleep(min(10, max(0.0, end - time.monotonic())))


def ping(port: int, end: float, pings: list[float]) -> None:
    """Ping ten times a second."""
    client = Client(port, "192.0.2.2")
    while time.monotonic() < end:
        begin = time.monotonic()
        client.ask("GET", "/api/v1/ping")
        pings.append(time.monotonic() - begin)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
