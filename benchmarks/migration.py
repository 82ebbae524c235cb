"""Measures `manage.py migrate_siteserver`: a first run of a generated installation, and one without changes.

    CMS_DATABASE_URL=… CMS_DATA_DIR=… .venv/bin/python benchmarks/migration.py --contents 1000000

Writes the installation as a backup folder, or with --source to a database, once; later runs use it. Memory is the peak
of the command's process.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write(source: str, contents: int) -> None:
    sys.path.insert(0, str(ROOT))
    from tests.migration.installations import writers
    from tests.migration.installations.generated import generated_tables

    tables = generated_tables(contents=contents, sites=4, channels=200, users=1_000, administrators=20)
    if source.startswith("mysql://"):
        writers.write_mysql(tables, source)
    elif source.startswith("postgres://"):
        writers.write_postgresql(tables, source)
    else:
        writers.write_backup_folder(tables, Path(source))


def run(source: str) -> None:
    started = time.monotonic()
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "cms_api.settings"}
    command = [sys.executable, "manage.py", "migrate_siteserver", source, "--quiet"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    contents = re.search("^contents: (.*)$", done.stdout, re.MULTILINE)
    print(
        f"{seconds:.0f} s, {used.ru_utime + used.ru_stime:.0f} s CPU in all, at most {used.ru_maxrss // 1024} MB, ",
        end="",
    )
    print(f"status {done.returncode}: {contents[1] if contents else done.stderr[-500:]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contents", type=int, default=200_000)
    parser.add_argument("--source", default="", help="a folder or URL that is there already, or is written")
    parser.add_argument("--is-written", action="store_true", help="the source is there already")
    parser.add_argument("--runs", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = asked.source or f"{folder}/backup"
        if not asked.is_written:
            write(source, asked.contents)
        for _ in range(asked.runs):
            run(source)


if __name__ == "__main__":
    main()
