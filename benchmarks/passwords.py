"""Measures what hashing a password costs, for the choice of its parameters (accounts.hashers).

    .venv/bin/python benchmarks/passwords.py

Milliseconds are medians of verifications in this process, one at a time and by turns; MiB is how much the process
grows at its peak, each way measured in a process of its own. The first row is what the service does; the others are
argon2id with other parameters, without the service's keyed MD5 (some microseconds), and Django's own hashers as they
come.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import databases

# Iterations and KiB of argon2id; the first is the service's, the others are of the OWASP cheat sheet and beyond.
ARGON2 = ((2, 19_456), (1, 47_104), (3, 12_288), (4, 9_216), (5, 7_168), (3, 65_536), (2, 102_400))
DJANGO = ("PBKDF2PasswordHasher", "Argon2PasswordHasher", "ScryptPasswordHasher")
PASSWORD = "harbour-21"
OURS = "the service's"


def main() -> None:
    """Measure all ways and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    databases.add_folder_option(parser)
    options = parser.parse_args()
    databases.open_service(f"sqlite:///{options.folder}/{databases.PREFIX}_passwords.sqlite3", options.folder)
    ways = find_ways()
    if options.memory_of:
        print(growth(ways[options.memory_of]))
        return
    print("| way | ms | MiB |\n|---|---:|---:|")
    for name, milliseconds in measure(ways, options.rounds).items():
        print(f"| {name} | {milliseconds:.0f} | {memory_of(name)} |")


def find_ways() -> dict[str, Callable[[], bool]]:
    """What verifies a password, by name; the stored form is made at the first call."""
    from argon2 import PasswordHasher, Type
    from django.contrib.auth import hashers

    from accounts.hashers import WirePasswordHasher

    def verifier(make: Callable[[], str], verify: Callable[[str], bool]) -> Callable[[], bool]:
        made: list[str] = []

        def run() -> bool:
            made.append(made[0] if made else make())
            return verify(made[0])

        return run

    ours = WirePasswordHasher()
    ways = {OURS: verifier(lambda: ours.encode(PASSWORD, ""), lambda stored: ours.verify(PASSWORD, stored))}
    for time_cost, memory_cost in ARGON2:
        argon2 = PasswordHasher(time_cost=time_cost, memory_cost=memory_cost, parallelism=1, type=Type.ID)
        ways[f"argon2id, t={time_cost}, {memory_cost / 1024:.0f} MiB"] = verifier(
            lambda argon2=argon2: argon2.hash(PASSWORD), lambda stored, argon2=argon2: argon2.verify(stored, PASSWORD)
        )
    for name in DJANGO:
        hasher = getattr(hashers, name)()
        ways[f"Django's {name}"] = verifier(
            lambda hasher=hasher: hasher.encode(PASSWORD, hasher.salt()),
            lambda stored, hasher=hasher: hasher.verify(PASSWORD, stored),
        )
    return ways


def measure(ways: dict[str, Callable[[], bool]], rounds: int) -> dict[str, float]:
    """Medians in milliseconds."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for verify in ways.values():
        assert verify()
    for _ in range(rounds):
        for name, verify in ways.items():
            begin = time.perf_counter()
            verify()
            taken[name].append((time.perf_counter() - begin) * 1000)
    return {name: statistics.median(times) for name, times in taken.items()}


def memory_of(name: str) -> str:
    """MiB by which a process of its own grows at its peak."""
    command = [sys.executable, __file__, "--memory-of", name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def growth(verify: Callable[[], bool]) -> int:
    """MiB by which this process has grown at its peak once a password is verified."""
    before = peak()
    verify()
    return round((peak() - before) / 1024)


def peak() -> int:
    """The most memory that this process has had, in KiB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
