"""Checks with OSV whether a pinned package is known to be vulnerable: `python -m tools.dependency_audit
requirements.txt …`.

Ends with 0 when each pin was looked up and none is known to be vulnerable, with 1 when one is, or was not looked up.
pip-audit itself ends with 0, and says that it knows of nothing, for packages that the service has not heard of.

Where the service cannot be reached it ends with 2; with --go-on with 0, after a note that nothing was looked up.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

_SECONDS = 600
_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[a-z0-9,-]+\])?==([^\s;\\]+)", re.MULTILINE)
# Endings of pip-audit's messages if the service is unreachable or fails.
_UNREACHABLE = re.compile(
    r"ConnectionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|ServiceError|5\d\d Server Error"
)


def pins(text):
    """The names of the pinned packages, as packages are compared, with their versions."""
    return {(re.sub(r"[-_.]+", "-", name).lower(), version) for name, version in _PIN.findall(text)}


def ask(path):
    """Exit code, answer (None without one) and words of pip-audit about a file of requirements."""
    # In tests the service is one of their own.
    address = ["--osv-url", os.environ["CMS_TEST_OSV_URL"]] if "CMS_TEST_OSV_URL" in os.environ else []
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--vulnerability-service", "osv", *address, "--disable-pip",
         "--require-hashes", "--requirement", path, "--format", "json", "--progress-spinner", "off", "--timeout", "10"],
        capture_output=True, text=True, timeout=_SECONDS,
    )  # fmt: skip
    try:
        return done.returncode, json.loads(done.stdout), done.stderr
    except ValueError:
        return done.returncode, None, done.stderr


def problems_of(path, answer):
    """A sentence for each pin that is known to be vulnerable, or was not looked up."""
    found = {
        (package["name"], package["version"]): package["vulns"]
        for package in answer["dependencies"]
        if "vulns" in package
    }
    for name, version in sorted(pins(Path(path).read_text(encoding="utf-8")) - found.keys()):
        yield f"{path}: {name} {version} was not looked up."
    for (name, version), known in found.items():
        for one in known:
            mended = ", ".join(one["fix_versions"]) or "no version yet"
            yield f"{path}: {name} {version} is vulnerable: {one['id']}, mended in {mended}."


def main(arguments):
    """The exit code, after printing the findings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--go-on", action="store_true")
    parser.add_argument("path", nargs="+")
    options = parser.parse_args(arguments)
    looked_up, problems = 0, []
    for path in options.path:
        _, answer, words = ask(path)
        if answer is None:
            if not _UNREACHABLE.search(words):
                print(words, file=sys.stderr)
                return 1
            told = words.strip().rsplit("\n", 1)[-1][:300]
            print(
                f"NOTHING WAS LOOKED UP: no dependency has been compared with known vulnerabilities. {told}",
                file=sys.stderr,
            )
            return 0 if options.go_on else 2
        problems += problems_of(path, answer)
        looked_up += len(answer["dependencies"])
    print("\n".join(problems) or f"{looked_up} pins were looked up, and none is known to be vulnerable.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
