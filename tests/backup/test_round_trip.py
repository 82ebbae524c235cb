"""A backup taken while others write, restored to either engine: every row, every file and every answer is the same."""

import gzip
import json
import tarfile

import pytest

from tests.backup.places import ENGINES, place

pytestmark = pytest.mark.large

_SIGN_IN = """
import json, sys
from django.test import Client
answers = [
    Client(SERVER_NAME="localhost").post(f"/api/v1/{path}/actions/login",
        json.dumps({"account": name, "password": password}), content_type="application/json").status_code
    for path, name, password in (("users", "reader1", "lantern7"), ("users", "reader1", "lantern8"),
        ("administrators", "root", "harbour-21"), ("administrators", "编辑", "harbour-22"))
]
print(json.dumps(answers))
"""
_NEXT_NUMBERS = """
import json
from accounts.models import User
from channels_app.models import Channel
from tests.factories import ContentFactory
channel = Channel.objects.get(index_name="news")
print(json.dumps([ContentFactory(channel=channel).pk, User.objects.create(user_name="next", password="!").pk]))
"""

_CHANGES = """
from accounts.models import User, UserLog
from contents.models import Content
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
Content.objects.filter(pk=3).update(title="Other", hits=7)
UserLog.objects.all().delete()
User.objects.create(pk=9999, user_name="more", password="!")
default_storage.delete(User.objects.exclude(avatar_file="").first().avatar_file)
default_storage.save("avatars/more.png", ContentFile(b"more"))
print("true")
"""


@pytest.fixture(scope="module", params=ENGINES)
def source(request, tmp_path_factory):
    """An installation with some of everything; `token` is that of a key."""
    with place(tmp_path_factory.mktemp("source"), request.param) as made:
        made.token = made.script("world")
        yield made


@pytest.fixture(scope="module")
def moving(source, tmp_path_factory):
    """A backup that was made while another process wrote."""
    path = tmp_path_factory.mktemp("moving") / "backup.tar"
    writer = source.begin("-m", "tests.backup.writer")
    assert writer.stdout.readline() == "under way\n"
    source.manage("backup", path)
    written, errors = writer.communicate("", timeout=60)
    assert writer.returncode == 0, errors
    source.written = json.loads(written)
    return path


@pytest.fixture(scope="module")
def resting(source, moving, tmp_path_factory):
    """A backup of the same, made when nobody wrote any more, and before anything was read."""
    path = tmp_path_factory.mktemp("resting") / "backup.tar"
    source.manage("backup", path)
    return path


@pytest.fixture(scope="module")
def known(source, resting):
    """What the source is like when the backup has been made: rows, files, answers, and the numbers that come next."""
    # The last use of the key, which the first of the answers notes, is told nowhere.
    return {"rows": source.rows(), "files": files_of(source), "answers": source.script("answers", source.token)} | {
        "numbers": evaluated(source, _NEXT_NUMBERS)
    }


@pytest.fixture(scope="module", params=ENGINES)
def target(request, source, known, resting, tmp_path_factory):
    """An installation into which the resting backup was restored, and what was `seen` there before tests change it."""
    with place(tmp_path_factory.mktemp("target"), request.param) as made:
        printed = made.manage("restore", resting)
        assert f"rows={count_rows(resting)} " in printed
        made.seen = {"rows": made.rows(), "files": files_of(made), "answers": made.script("answers", source.token)}
        made.seen["numbers"] = evaluated(made, _NEXT_NUMBERS)
        yield made


def evaluated(place, script):
    """What the script prints last, as JSON."""
    code, out, errors = place.run("manage.py", "shell", "--verbosity", "0", "--command", script)
    assert code == 0, errors
    return json.loads(out.splitlines()[-1])


def files_of(place):
    files = [path for name in ("media", "private") for path in (place.folder / name).rglob("*") if path.is_file()]
    return {path.relative_to(place.folder): path.read_bytes() for path in files}


def count_rows(path):
    with tarfile.open(path) as archive:
        return sum(table["rows"] for table in json.load(archive.extractfile("manifest.json"))["tables"])


def rows_of(path, table):
    """The rows of a table as the archive has them, by their columns."""
    with tarfile.open(path) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))
        columns = next(list(one["columns"]) for one in manifest["tables"] if one["name"] == table)
        parts = sorted(name for name in archive.getnames() if name.startswith(f"tables/{table}/"))
        lines = [line for name in parts for line in gzip.decompress(archive.extractfile(name).read()).splitlines()]
    return [dict(zip(columns, json.loads(line), strict=True)) for line in lines]


def test_it_is_of_one_moment_while_others_write(source, moving):
    users = {row["user_name"]: row["avatar_file"] for row in rows_of(moving, "accounts_user")}
    written = {name: file for name, file in users.items() if name.startswith("written")}
    contents = {row["title"] for row in rows_of(moving, "contents_content") if row["title"].startswith("written")}
    assert 20 <= len(written) <= source.written
    assert set(written) == contents
    # Each name that was given out until then, and none after it.
    assert set(written) == {f"written{number}" for number in range(1, len(written) + 1)}
    with tarfile.open(moving) as archive:
        assert {f"media/{file}" for file in users.values() if file} <= set(archive.getnames())


def test_every_row_is_the_same(known, target):
    rows, restored = known["rows"], target.seen["rows"]
    assert len(rows) > 300
    for key in rows.keys() | restored.keys():
        assert restored.get(key) == rows.get(key), key


def test_every_file_is_the_same(known, target):
    assert len(known["files"]) > 40
    assert target.seen["files"] == known["files"]


def test_every_answer_is_the_same(known, target):
    answers, restored = known["answers"], target.seen["answers"]
    good = [address for address, (status, _) in answers.items() if status == 200]
    assert len(good) > 200
    assert {address.partition("?")[0].split("/")[3] for address in good} >= {"channels", "contents", "stl", "users"}
    for address, answer in answers.items():
        assert restored[address] == answer, address


def test_what_follows_from_the_rows_is_right(target):
    assert target.manage("check_lists") == "The lists are correct."
    assert target.manage("check_media_uses") == "The uses are correct."
    assert target.manage("check_tree") == "The trees are correct."


def test_passwords_and_sign_ins_work(target):
    assert evaluated(target, _SIGN_IN) == [200, 400, 200, 200]


def test_the_next_numbers_are_those_that_would_have_come(known, target):
    assert target.seen["numbers"] == known["numbers"]


def test_verify_tells_the_differences(known, resting, target):
    evaluated(target, _CHANGES)
    code, out, _ = target.run("manage.py", "verify_backup", str(resting), "--against-database")
    lines = out.splitlines()
    assert code == 1
    assert "Responses of the API: " in out
    assert (
        "contents.content 3 differs in hits, title." in lines or "contents.content 3 differs in title, hits." in lines
    )
    assert "accounts.user 9999 is only in the database." in lines
    assert any(line.startswith("accounts.userlog") and line.endswith("only in the backup.") for line in lines)
    assert "The file avatars/more.png is only in the storage." in lines
    assert any(line.startswith("The file avatars/") and line.endswith("only in the backup.") for line in lines)
