"""Measures the cost of hashing a password, to choose its parameters (accounts.hashers).

    .venv/bin/python benchmarks/passwords.py

Milliseconds are medians of verifications in this process, one at a time, with all ways in turn. MiB is the growth of
peak memory, measured in a separate process for each way. The first row is the service's hasher; the others are argon2id
with other parameters, without the service's keyed MD5 (a few microseconds), and Django's own hashers with their default
parameters.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import databases

# Iterations and KiB of argon2id: the service's values first, then those of the OWASP cheat sheet and higher ones.
ARGON2 = ((2, 19_456), (1, 47_104), (3, 12_288), (4, 9_216), (5, 7_168), (3, 65_536), (2, 102_400))
DJANGO = ("PBKDF2PasswordHasher", "Argon2PasswordHasher", "ScryptPasswordHasher")
PASSWORD = "harbour-21"
OURS = "the service's"


def main() -> None:
    """Measure all ways and print the table."""
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
    """Return calls that verify a password, by name; the first call also hashes the password."""
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
    """Return the median time of each way in milliseconds."""
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
    """Return the growth of peak memory in a separate process, in MiB."""
    command = [sys.executable, __file__, "--memory-of", name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def growth(verify: Callable[[], bool]) -> int:
    """Verify a password; return the growth of this process's peak memory, in MiB."""
    before = peak()
    verify()
    return round((peak() - before) / 1024)


def peak() -> int:
    """Return the peak memory of this process, in KiB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
