"""Changes a function in one small way, and looks whether a test fails: `make mutation`.

Each mutant runs the tests that reach its line, the quick ones first. Left out are large tests, which run the service in
other processes. Ends with the share of killed mutants by area; survivors are printed on the way.
"""

import argparse
import sys
from collections import Counter

import pytest

from tools.mutation.mutants import AREAS, draw
from tools.mutation.running import KILLED, NOT_SWAPPED, TOO_SLOW, Runner

_TESTS = ["tests", "--ignore=tests/browser", "-m", "not large"]
# Plugins that do not work in a fork.
_PLUGINS = [
    option for name in ("xdist", "cov", "unraisableexception", "cacheprovider") for option in ("-p", f"no:{name}")
]


def main() -> int:
    parser = argparse.ArgumentParser("python -m tools.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"one of {', '.join(AREAS)}; all unless given")
    parser.add_argument("--sample", type=int, default=300, help="how many mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=400, help="for the tests of a mutant (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="at once (default: %(default)s)")
    arguments = parser.parse_args()
    if unknown := set(arguments.areas) - AREAS.keys():
        parser.error(f"There is no area {', '.join(sorted(unknown))}.")
    runner = Runner(
        draw(arguments.areas or list(AREAS), arguments.sample, arguments.seed), arguments.seconds, arguments.processes
    )
    status = pytest.main([*_TESTS, *_PLUGINS], plugins=[runner])
    counted = [
        (mutant.area, verdict == KILLED)
        for mutant, verdict in runner.verdicts
        if verdict not in {NOT_SWAPPED, TOO_SLOW}
    ]
    by_area, killed = Counter(area for area, _ in counted), Counter(area for area, is_killed in counted if is_killed)
    for area, count in sorted(by_area.items()):
        print(f"{area}: {killed[area]} of {count} killed")
    print(f"All: {killed.total()} of {len(counted)} killed; undecided: {len(runner.verdicts) - len(counted)}")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
