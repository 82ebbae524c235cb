"""What pg_dump writes of the service's database, psql restores into another."""

import json
import shutil
import subprocess

import pytest

from tests.backup.places import Place, place
from tests.postgresql import HAS_POSTGRESQL, new_database

pytestmark = [
    pytest.mark.skipif(not HAS_POSTGRESQL, reason="dumps PostgreSQL"),
    pytest.mark.skipif(not shutil.which("pg_dump"), reason="PostgreSQL's programs are not here"),
]
_FOUND = """
import json
from django.db import connection
from search.query import match
from search.words import read_words
with connection.cursor() as cursor:
    cursor.execute(*match("content", read_words("标题 SEA")).ids())
    print(json.dumps(sorted(cursor.fetchall())))
"""


def dump_and_restore(source, target):
    dump = subprocess.run(["pg_dump", source], check=True, capture_output=True)
    command = ["psql", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", target]
    restored = subprocess.run(command, input=dump.stdout, capture_output=True)
    assert restored.returncode == 0, restored.stderr.decode()


def test_a_dump_is_restored_with_every_row_and_its_words(tmp_path):
    with place(tmp_path / "source", "postgresql") as source, new_database() as url:
        source.script("world")
        dump_and_restore(source.environment["CMS_DATABASE_URL"], url)
        target = Place(tmp_path / "target", url, migrate=False)
        assert target.rows() == source.rows()
        found = [one.manage("shell", "--verbosity", "0", "--command", _FOUND) for one in (source, target)]
        assert json.loads(found[0]) == json.loads(found[1]) != []
