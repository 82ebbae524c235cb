"""The script of docs/from-siteserver.md, run as printed between real servers, and to and from the original."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from cms_client import Client, members_to_copy, where

from tests.client.faulty import Faulty, lose, pass_on
from tests.client.original import KEY
from tools.servers import ROOT, Installation

pytestmark = pytest.mark.large

PAGE = (ROOT / "docs" / "from-siteserver.md").read_text(encoding="utf-8")
SECTION = PAGE.split("\n## Moving contents with a script\n", 1)[1].split("\n## ", 1)[0]
# As the page says for SiteServer CMS as the new server.
TO_ORIGINAL = r"(, keep_level=True|    for number, referred .*\Z)"
(SCRIPT,) = re.findall(r"^```python\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
KEPT = ("title", "content", "addDate", "groupNameCollection", "tags", "author", "isChecked", "isTop", "hits", "summary")


def copy(source, source_key, target, target_key, *, script=SCRIPT):
    """Run the script, whose addresses and keys are those given; what it printed."""
    text = script.replace("http://old.example/api", source).replace("its key", source_key)
    text = text.replace("http://127.0.0.1:8000", target).replace("ssk1_…", target_key)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "client" / "src")}
    done = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def another(museum, folder):
    """Another installation with the sample site as it came."""
    shutil.copytree(museum.as_it_came, folder)
    installation = Installation(folder, administrator=False)
    installation.key = installation.manage("create_api_key", "mover", "--scope", "Contents")
    return installation


@pytest.fixture(scope="module")
def elsewhere(museum, tmp_path_factory):
    """Another installation with a channel 11 that has contents of its own, and its key."""
    return another(museum, tmp_path_factory.mktemp("elsewhere") / "data")


@pytest.fixture
def source(address, museum):
    """A client of the source, whose channel 11 has all that can go wrong."""
    client = Client(address, museum.key)
    for number in range(3):
        members = {
            "title": f"To be moved {number}",
            "berth": f"B {number}",
            "isChecked": number != 1,
            "checkedLevel": 0,
        }
        members |= {"addDate": f"2020-01-0{number + 1} 08:00:00", "groupNameCollection": "Piers,码头", "tags": "a,b"}
        members |= {"content": "<p>欢迎</p>", "isTop": number == 2, "hits": number, "referenceId": 0, "sourceId": -1}
        client.contents.create(1, 11, members)
    below = client.channels.create(1, {"parentId": 11, "channelName": "Below"})
    client.contents.create(1, below["id"], {"title": "Not to be moved"})
    yield client
    client.channels.delete(1, below["id"])
    for content in list(
        client.contents.iterate(1, 11, wheres={"column": "title", "operator": "Like", "value": "To be moved%"})
    ):
        client.contents.delete(1, 11, content["id"])
    client.close()


def direct(client):
    """The contents of channel 11 itself, in their order."""
    return [each for each in client.contents.iterate(1, 11) if each["channelId"] == 11]


def kept(content):
    return {name: content[name] for name in KEPT} | {"berth": content.get("berth")}


def test_contents_move_between_two_servers_once(source, address, museum, elsewhere):
    there = direct(source)
    with elsewhere.serve() as server, server.client(elsewhere.key) as new:
        before = direct(new)
        lines = copy(address, museum.key, server.address, elsewhere.key)
        assert lines == [f"{number} of {len(there)}" for number in range(1, len(there) + 1)]
        ids = {content["id"] for content in before}
        moved = [content for content in direct(new) if content["id"] not in ids]
        assert list(map(kept, moved)) == list(map(kept, there))
        assert [content["sourceId"] for content in moved] == [content["id"] for content in there]
        assert all(
            content["channelId"] == 11 and str(content["id"]) in content["navigationUrl"]
            for content in moved
            if not content["linkUrl"]
        )
        assert "Not to be moved" not in [content["title"] for content in new.contents.iterate(1)]
        # Again: nothing comes twice.
        assert copy(address, museum.key, server.address, elsewhere.key) == lines
        assert len(direct(new)) == len(before) + len(there)


def test_references_and_levels_are_kept(source, address, museum, tmp_path):
    created = [
        {"title": "To be moved: a reference", "isChecked": True, "checkedLevel": 2},
        {"title": "To be moved: another reference", "referenceId": 12},
        {"title": "To be moved: waits for the last level", "checkedLevel": 3},
    ]
    first, abroad, last = (source.contents.create(1, 11, members)["id"] for members in created)
    source.contents.update(1, 11, first, {"referenceId": last})  # which comes after it
    assert source.contents.list(1, wheres=where("id", "=", 12)).records[0]["channelId"] != 11
    installation = another(museum, tmp_path / "data")
    with installation.serve() as server, server.client(installation.key) as new:
        for _ in range(2):
            *_, told = copy(address, museum.key, server.address, installation.key)
            assert told == f"{abroad} refers to 12, which is not in the channel: the copy refers to nothing."
        copies = {each["sourceId"]: each for each in direct(new)}
    assert copies[first]["referenceId"] == copies[last]["id"]
    assert copies[abroad]["referenceId"] == 0
    levels = {each["id"]: (each["isChecked"], each["checkedLevel"]) for each in direct(source)}
    assert {number: (copies[number]["isChecked"], copies[number]["checkedLevel"]) for number in levels} == levels


def test_what_was_deleted_or_edited_meanwhile(source, address, museum, tmp_path):
    """What follows from the page: copies that are gone are made again, and the others stay as they are."""
    installation = another(museum, tmp_path / "data")
    with installation.serve() as server, server.client(installation.key) as new:
        copy(address, museum.key, server.address, installation.key)
        copies = [each for each in direct(new) if each["title"].startswith("To be moved")]
        for each in copies[:2]:
            new.contents.delete(1, 11, each["id"])
        for each in copies[1:]:
            source.contents.update(1, 11, each["sourceId"], {"summary": "edited"})
        copy(address, museum.key, server.address, installation.key)
        again = [each for each in direct(new) if each["title"].startswith("To be moved")]
    assert sorted(each["sourceId"] for each in again) == sorted(each["sourceId"] for each in copies)
    assert {each["sourceId"]: each["summary"] for each in again} == {
        copies[0]["sourceId"]: "",
        copies[1]["sourceId"]: "edited",
        copies[2]["sourceId"]: "",
    }


def test_answers_that_get_lost_make_no_content_twice(source, address, museum, tmp_path):
    installation = another(museum, tmp_path / "data")
    with installation.serve() as server, Faulty(server.address) as faulty:
        faulty.acts[:] = [pass_on, pass_on, lose]
        copy(address, museum.key, faulty.address, installation.key)
        with Client(faulty.address, installation.key) as new:
            copies = [content["sourceId"] for content in direct(new) if content["sourceId"] > 0]
    assert sorted(copies) == sorted(content["id"] for content in direct(source))


def test_contents_move_to_the_original_and_back(source, address, museum, original, elsewhere):
    there = direct(source)
    for _ in range(2):
        script = re.sub(TO_ORIGINAL, "", SCRIPT, flags=re.DOTALL)
        copy(address, museum.key, original.address, KEY, script=script)
    copies = sorted(original.contents.values(), key=lambda each: (each["isTop"], each["taxis"]), reverse=True)
    assert list(map(kept, copies)) == list(map(kept, there))
    assert [content["sourceId"] for content in copies] == [content["id"] for content in there]

    with elsewhere.serve() as server, server.client(elsewhere.key) as new:
        before = {content["id"] for content in direct(new)}
        for _ in range(2):
            copy(original.address, KEY, server.address, elsewhere.key)
        moved = [content for content in direct(new) if content["id"] not in before]
        assert list(map(kept, moved)) == list(map(kept, there))
        assert not [content for content in moved if {"adminId", "checkState", "sequence"} & set(content)]


@pytest.mark.parametrize(
    ("content", "approval"),
    [
        ({"isChecked": True, "checkedLevel": 0}, (True, 5)),
        ({"isChecked": "True"}, (True, 5)),
        ({"isChecked": "False", "checkedLevel": 2}, (False, 0)),
        ({"isChecked": False, "checkedLevel": -99}, (False, -99)),
        ({}, (False, 0)),
    ],
)
def test_approval_goes_with_a_content_and_levels_do_if_asked(content, approval):
    members = members_to_copy(content)
    assert (members["isChecked"], members["checkedLevel"]) == approval
    kept = members_to_copy(content, keep_level=True)
    assert (kept["isChecked"], kept["checkedLevel"]) == (approval[0], content.get("checkedLevel", 0))


def test_what_the_place_gives_a_content_stays_behind():
    content = {"id": 5, "siteId": 1, "channelId": 11, "taxis": 3, "navigationUrl": "/5.html", "sourceId": 2}
    content |= {"referenceId": 4, "settingsXml": "{}", "lastHitsDate": None, "berth": "B 3", "title": "Kept"}
    assert members_to_copy(content) == {"berth": "B 3", "title": "Kept", "isChecked": False, "checkedLevel": 0}


@pytest.mark.parametrize("never", [None, "", "0001-01-01 00:00:00", "1754-01-01 00:00:00"])
def test_a_content_that_was_never_added_is_copied_once(original, elsewhere, never):
    original.contents.clear()
    number = original.create(1, 11, {"title": "Without a date", "isChecked": True})["id"]
    original.contents[number]["addDate"] = never
    with elsewhere.serve() as server, server.client(elsewhere.key) as new:
        for _ in range(2):
            copy(original.address, KEY, server.address, elsewhere.key)
        copies = [each for each in direct(new) if each["title"] == "Without a date"]
        assert [each["addDate"] for each in copies] == ["1900-01-01 00:00:00"]
        new.contents.delete(1, 11, copies[0]["id"])
