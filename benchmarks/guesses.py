"""Measures how many passwords 200 addresses can try for one account, and whether its owner can still sign in.

    .venv/bin/python benchmarks/guesses.py
    .venv/bin/python benchmarks/guesses.py --database postgres:///cms_benchmark_guesses

The server has its default settings and two workers with four threads each. Each attacker has its own address and sends
the next wrong password as soon as Retry-After allows. The owner signs in once a second from a known address, and every
ten seconds from a new address, where the first password is wrong. Another client pings the server.
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
    """Start the server, sign the owner in, run all clients and print the results."""
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
    """Delete the counters and known addresses of earlier runs."""
    from accounts.models import KnownAddress
    from core.models import SharedCounter

    KnownAddress.objects.all().delete()
    SharedCounter.objects.all().delete()


def run(port: int, addresses: int, seconds: float) -> None:
    """Run all clients for this number of seconds and print the results."""
    begin = time.monotonic()
    end = begin + seconds
    guesses: list[tuple[float, int, str]] = []
    known: list[tuple[float, bool]] = []
    new: list[float] = []
    pings: list[float] = []
    work = [(guess, port, f"203.0.{number // 250}.{number % 250}", end, guesses) for number in range(addresses)]
    work += [(own, port, end, known), (move, port, end, new), (ping, port, end, pings)]
    threads = [threading.Thread(target=action, args=arguments) for action, *arguments in work]
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
    """Format the number of durations with their median and 99th percentile in milliseconds."""
    if not taken:
        return "never"
    return f"{len(taken)} times, p50 {statistics.median(taken) * 1000:.0f} ms, p99 {quantile(taken, 99) * 1000:.0f} ms"


class Client:
    """A client with its own address."""

    code = ""  # error code of the last response, if any

    def __init__(self, port: int, address: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Content-Type": "application/json", "X-Forwarded-For": address}

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, float]:
        """Send a request; return the status and the Retry-After seconds, or 0 and 1 if the connection fails."""
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
        """Send a sign-in; return the status and the Retry-After seconds."""
        return self.ask("POST", LOGIN, json.dumps(body))

    def insist(self, body: dict[str, str], end: float) -> float | None:
        """Retry a sign-in as Retry-After allows; return the seconds until success, or None if it does not succeed."""
        begin = time.monotonic()
        while time.monotonic() < end:
            status, wait = self.sign_in(body)
            if status == 200:
                return time.monotonic() - begin
            time.sleep(wait)
        return None


def guess(port: int, address: str, end: float, guesses: list[tuple[float, int, str]]) -> None:
    """Send wrong passwords until the end."""
    client = Client(port, address)
    while (now := time.monotonic()) < end:
        status, wait = client.sign_in(wrong("flood0"))
        guesses.append((time.monotonic(), status, client.code))
        time.sleep(min(wait, max(0.0, end - now)))


def own(port: int, end: float, known: list[tuple[float, bool]]) -> None:
    """Sign in from the known address once a second."""
    client = Client(port, KNOWN)
    while time.monotonic() < end:
        if (taken := client.insist(RIGHT, end)) is not None:
            known.append((taken, True))
        time.sleep(1)


def move(port: int, end: float, new: list[float]) -> None:
    """Sign in from a new address every ten seconds, after a wrong password."""
    number = 0
    while time.monotonic() < end:
        client, number = Client(port, f"198.51.100.{number}"), number + 1
        client.sign_in(wrong("flood0"))
        if (taken := client.insist(RIGHT, end)) is not None:
            new.append(taken)
        time.sleep(min(10, max(0.0, end - time.monotonic())))


def ping(port: int, end: float, pings: list[float]) -> None:
    """Ping the server ten times a second."""
    client = Client(port, "192.0.2.2")
    while time.monotonic() < end:
        begin = time.monotonic()
        client.ask("GET", "/api/v1/ping")
        pings.append(time.monotonic() - begin)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
