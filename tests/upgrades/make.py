"""Makes the stored databases of one commit, which later code must upgrade.

    git worktree add --detach /tmp/release COMMIT
    CMS_TEST_DATABASE_URL=postgres://… python -m tests.upgrades.make /tmp/release COMMIT

writes COMMIT.sqlite3.gz and COMMIT.sql.gz into this folder. It needs pg_dump.
"""

import gzip
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.backup.places import Place
from tests.postgresql import new_database

FOLDER = Path(__file__).parent


def main(checkout, name):
    with tempfile.TemporaryDirectory() as data:
        build(checkout, data, "")
        with sqlite3.connect(Path(data) / "db.sqlite3") as connection:
            connection.execute("VACUUM")
        with gzip.GzipFile(FOLDER / f"{name}.sqlite3.gz", "wb", mtime=0) as file:
            file.write((Path(data) / "db.sqlite3").read_bytes())
    with tempfile.TemporaryDirectory() as data, new_database() as url:
        build(checkout, data, url)
        dump = ["pg_dump", "--no-owner", "--no-privileges", "--inserts", url.replace("postgres://", "postgresql://")]
        text = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
        # Without the lines for psql, which no driver understands, and with functions that find each other.
        left_out = ("\\", "SELECT pg_catalog.set_config('search_path'")
        lines = (line for line in text.splitlines(keepends=True) if not line.startswith(left_out))
        with gzip.GzipFile(FOLDER / f"{name}.sql.gz", "wb", mtime=0) as file:
            file.write("".join(lines).encode())


def build(checkout, data, url):
    """Migrate and fill a database by the code of the checkout."""
    environment = Place(Path(data), url, migrate=False).environment
    for command in (["manage.py", "migrate", "--verbosity", "0"], [FOLDER / "fill.py"]):
        subprocess.run([sys.executable, *command], cwd=checkout, env=environment, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
