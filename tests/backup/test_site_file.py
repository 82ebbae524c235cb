"""A site taken from one installation to another of either engine, and back: every row, file and answer is the same."""

import json
import signal
import subprocess
import sys

import pytest

from tests.backup.places import ENGINES, place
from tests.transfer.site_files import read
from tools.servers import ROOT

pytestmark = pytest.mark.large

_KEY = """
import json
from accounts.models import Administrator
from apikeys.models import ApiKey
root = Administrator.objects.create_superuser("guest", "harbour-21")
print(json.dumps(ApiKey.objects.issue("guest", root, scopes="Channels:read,Contents:read,STL:read")[1]))
"""
_NEXT_NUMBERS = """
import json
from channels_app.models import Channel
from tests.factories import ChannelFactory, ContentFactory
print(json.dumps([ContentFactory(channel=Channel.objects.get(index_name="news")).pk, ChannelFactory().pk]))
"""
_FILL = """
import sys
from channels_app.models import Channel
from contents.models import Content, ContentBody
from tests.factories import SiteFactory
site = SiteFactory(site_dir="large")
for start in range(0, {count}, 500):
    made = Content.objects.bulk_create(
        Content(site=site, channel_id=site.pk, title=f"Title {{number}}", tags="sea", taxis=number)
        for number in range(start, start + 500)
    )
    ContentBody.objects.bulk_create(ContentBody(content=content, text="text " * 1000) for content in made)
"""
# What SQLite keeps of its file in memory is left out: it has limits of its own (cms_api.settings). `getrusage` would
# count the process that has started this one.
_MEASURED = """
import re, sys
import django
django.setup()
from django.core.management import call_command
from django.db.backends.signals import connection_created
def keep_little(connection, **others):
    if connection.vendor == "sqlite":
        connection.cursor().execute("PRAGMA mmap_size = 0")
        connection.cursor().execute("PRAGMA cache_size = -2000")
connection_created.connect(keep_little)
call_command(*sys.argv[1:], stdout=sys.stderr)
with open("/proc/self/status") as status:
    print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1]) // 1024)
"""
# Waits, with its rows in the transaction, for what never comes.
_STUCK = """
import sys
import django
django.setup()
from transfer.placement import Placement
from transfer.whole_site.checking import check
from transfer.whole_site.importing import import_site
class Stuck:
    rows = 0
    def begin(self, what, total=None):
        self.what = what
    def advance(self, number):
        if self.what == "rows":
            self.rows += number
            if self.rows > 200:
                print("under way", flush=True)
                sys.stdin.read()
    def end(self):
        pass
with open(sys.argv[1], "rb") as file:
    import_site(file, check(file, Stuck()), Placement("", True), Stuck(), "site")
"""
_MAX_MEGABYTES = 10


@pytest.fixture(scope="module", params=ENGINES)
def source(request, tmp_path_factory):
    """An installation with some of everything, and the file of its site as `file`."""
    with place(tmp_path_factory.mktemp("source"), request.param) as made:
        made.token = made.script("world")
        made.file = made.folder / "site.tar"
        made.manage("export_site", 1, made.file)
        yield made


@pytest.fixture(scope="module", params=ENGINES)
def target(request, source, tmp_path_factory):
    """A new installation into which the site was imported; `answers` are those before tests import more."""
    with place(tmp_path_factory.mktemp("target"), request.param) as made:
        assert "numbers=kept" in made.manage("import_site", source.file)
        made.answers = made.script("answers", evaluated(made, _KEY))
        yield made


def evaluated(place, script):
    """What the script prints last, as JSON."""
    code, out, errors = place.run("manage.py", "shell", "--verbosity", "0", "--command", script)
    assert code == 0, errors
    return json.loads(out.splitlines()[-1])


def files_of(place, site_id):
    folder = place.folder / "media" / "sites" / str(site_id)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_site_is_exported_again_as_the_same_file(source, target):
    again = target.folder / "again.tar"
    target.manage("export_site", 1, again)
    before, after = read(source.file), read(again)
    assert len(before.rows["content"]) > 60
    assert after.site == before.site
    assert [table["sha256"] for table in after.manifest["tables"]] == [
        table["sha256"] for table in before.manifest["tables"]
    ]


def test_every_file_is_the_same(source, target):
    assert len(files_of(source, 1)) > 40
    assert files_of(target, 1) == files_of(source, 1)


def test_every_answer_about_the_site_is_the_same(source, target):
    answers = source.script("answers", source.token)
    about = [
        address
        for address, (status, _) in answers.items()
        if status == 200
        and address.split("/")[3].split("?")[0].strip() in {"channels", "contents", "stl"}
        and "/schedule" not in address  # site files have none
    ]
    assert len(about) > 100
    for address in about:
        status, body = target.answers[address]
        assert (status, json.loads(body)) == (200, json.loads(answers[address][1])), address


def test_what_follows_from_the_rows_is_right(target):
    assert target.manage("check_lists") == "The lists are correct."
    assert target.manage("check_media_uses") == "The uses are correct."
    assert target.manage("check_tree") == "The trees are correct."
    said = json.loads(target.run("manage.py", "doctor", "--thorough", "--json")[1])
    found = {each["subject"]: each["findings"] for each in said["subjects"]}
    for subject in ("Lists of contents", "Channel trees", "Triggers", "Trash and history", "Audit"):
        assert found[subject] == [], subject


def test_a_copy_has_numbers_of_its_own(source, target):
    told = target.manage("import_site", source.file, "--site-dir", "copy")
    assert "numbers=raised" in told
    copy = int(told.split()[0].removeprefix("siteId="))
    assert files_of(target, copy) == files_of(source, 1)
    assert target.manage("check_lists") == "The lists are correct."
    assert target.manage("check_tree") == "The trees are correct."
    # The last test of a target: other rows have come by now.
    numbers = evaluated(target, _NEXT_NUMBERS.replace('index_name="news"', f'index_name="news", site={copy}'))
    lines = read(source.file)
    assert numbers[0] > 2 * len(lines.rows["content"])
    assert numbers[1] > copy + len(lines.rows["channel"]) - 1


def test_it_is_of_one_moment_while_others_write(source):
    path = source.folder / "moving.tar"
    writer = source.begin("-m", "tests.backup.writer")
    assert writer.stdout.readline() == "under way\n"
    source.manage("export_site", 1, path)
    written, errors = writer.communicate("", timeout=60)
    assert writer.returncode == 0, errors
    titles = {row["title"] for row in read(path).rows["content"] if row["title"].startswith("written")}
    assert 20 <= len(titles) <= json.loads(written)
    # Each that was written until then, and none after it.
    assert titles == {f"written{number}" for number in range(1, len(titles) + 1)}


@pytest.mark.parametrize("engine", ENGINES)
def test_an_import_that_is_killed_leaves_no_rows(source, engine, tmp_path):
    with place(tmp_path / "data", engine) as made:
        process = made.begin("-c", _STUCK, str(source.file))
        assert process.stdout.readline() == "under way\n"
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        code, _, errors = made.run("manage.py", "export_site", "1", str(tmp_path / "none.tar"))
        assert (code, errors) == (1, "CommandError: There is no site 1. Sites are: none.")
        # As if nothing had been: the same numbers, and files of the first try do no harm.
        assert "numbers=kept" in made.manage("import_site", source.file)
        assert files_of(made, 1) == files_of(source, 1)
        assert made.manage("check_lists") == "The lists are correct."


@pytest.mark.parametrize("engine", ENGINES)
def test_of_two_imports_at_once_each_has_numbers_of_its_own(source, engine, tmp_path):
    with place(tmp_path / "data", engine) as made:
        folders = ("one", "other")
        both = [made.begin("manage.py", "import_site", str(source.file), "--site-dir", folder) for folder in folders]
        told = [process.communicate(timeout=120) for process in both]
        assert [process.returncode for process in both] == [0, 0], told
        sites = {int(out.split()[0].removeprefix("siteId=")) for out, _ in told}
        assert sorted(out.split()[-1] for out, _ in told) == ["numbers=kept", "numbers=raised"]
        for site_id in sites:
            assert files_of(made, site_id) == files_of(source, 1)
        assert len(sites) == 2
        assert made.manage("check_lists") == "The lists are correct."


def test_goes_through_a_pipe(source, tmp_path):
    path = tmp_path / "piped.tar"
    with path.open("wb") as pipe:
        done = subprocess.run(
            [sys.executable, "manage.py", "export_site", "1", "-"],
            cwd=ROOT,
            env=source.environment,
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert done.returncode == 0
    assert done.stderr.startswith(b"siteId=1 rows=")
    assert len(read(path).rows["content"]) > 60
    with place(tmp_path / "data", "sqlite") as made:
        assert "numbers=kept" in made.manage("import_site", path)


def test_verify_reads_the_file_of_a_site_too(source):
    code, out, errors = source.run("manage.py", "verify_backup", str(source.file))
    assert (code, errors) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("All checksums and counts match: ")
    assert "Channel trees (check_tree): The trees are correct." in lines
    assert lines[-2].startswith("Responses of the API: requests=")
    assert lines[-2].endswith("problems=0")
    assert lines[-1].endswith(" differences=0")
    data = bytearray(source.file.read_bytes())
    data[len(data) // 2] ^= 1
    damaged = source.folder / "damaged.tar"
    damaged.write_bytes(data)
    code, _, errors = source.run("manage.py", "verify_backup", str(damaged))
    assert code == 1
    assert errors.startswith("CommandError: ")


@pytest.mark.large
@pytest.mark.parametrize("engine", ENGINES)
def test_the_memory_does_not_grow_with_the_site(engine, tmp_path):
    peaks = {}
    for count in (1000, 4000):
        file = tmp_path / f"{count}.tar"
        with place(tmp_path / f"from-{count}", engine) as made:
            code, _, errors = made.run("manage.py", "shell", "--verbosity", "0", "--command", _FILL.format(count=count))
            assert code == 0, errors
            exported = measured(made, "export_site", "1", str(file))
        with place(tmp_path / f"into-{count}", engine) as made:
            imported = measured(made, "import_site", str(file))
        assert len(read(file).rows["content"]) == count
        peaks[count] = exported, imported
    print(f"Megabytes at the most, exporting and importing: {peaks}")
    for small, large in zip(*peaks.values(), strict=True):
        assert large - small < _MAX_MEGABYTES, peaks


def measured(place, *arguments):
    """The most megabytes that a command has had in memory."""
    process = place.begin("-c", _MEASURED, *arguments)  # a fork would begin with the memory of another process
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return int(out)
