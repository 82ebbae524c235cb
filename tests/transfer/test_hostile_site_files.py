"""What import_site refuses: each with a sentence that names the line, and nothing is left behind."""

import base64
import gzip
import json
import random

import pytest

from sites.models import Site
from tests.transfer.site_lines import bring_in, lines_of, refusal, rows_of, write
from transfer.whole_site import lines as lines_module

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_folder")]


def change(kind, place=0, /, **members):
    """What gives a line of the kind other members; None takes them away."""

    def act(lines):
        row = rows_of(lines, kind)[place]
        for name, value in members.items():
            row[name] = value(row) if callable(value) else value
        return row

    return act


def without(kind, name):
    return lambda lines: (row := rows_of(lines, kind)[0], row.pop(name))[0]


def again(kind, place=0):
    """What puts a line into the file twice."""

    def act(lines):
        row = rows_of(lines, kind)[place]
        lines.insert(lines.index(row) + 1, other := dict(row))
        return other

    return act


def inserted(line, before="site"):
    def act(lines):
        lines.insert(lines.index(rows_of(lines, before)[0]), line)
        return line

    return act


WRONG = {
    "no type": (inserted({}), "It is no JSON object with a type."),
    "a list": (inserted(b"[1]\n"), "It is no JSON object with a type."),
    "no JSON": (inserted(b"{'a': 1}\n"), "It is no JSON: "),
    "no UTF-8": (inserted(b'{"type":"tag","tagName":"\xff"}\n'), "It is no JSON: "),
    "deep": (inserted(b'{"type":' + b"[" * 100_000 + b"\n"), "It is no JSON: "),
    "lone surrogate": (inserted(b'{"type":"tag","tagName":"\\ud800"}\n'), "It is no JSON: "),
    "unknown type": (inserted({"type": "user"}), "A line of the type 'user' does not belong here."),
    "second header": (inserted({"type": "header"}), "A line of the type 'header' does not belong here."),
    "wrong order": (inserted({"type": "tag", "tagName": "x"}), "The site comes before it."),
    "row after its time": (
        lambda lines: lines.insert(-1, row := {"type": "tag", "tagName": "x"}) or row,
        "A line of the type 'tag' does not belong here.",
    ),
    "another format": (change("header", format="cms-world"), "This is no file of a site"),
    "later version": (
        change("header", version=2),
        "The file has version 2 of the format; this service",
    ),
    "no version": (change("header", version="1"), "member version: It must be a whole number from 1 on."),
    "two sites": (again("site"), "The file has a site already."),
    "member is missing": (without("content", "taxis"), "member taxis: It is missing."),
    "unknown member": (change("content", isNew=True), "isNew: Rows of the kind content have no such member."),
    "number as text": (change("content", hits="7"), "member hits: It must be a whole number."),
    "flag as number": (change("content", isTop=1), "member isTop: It must be true or false."),
    "number as flag": (change("content", taxis=True), "member taxis: It must be a whole number."),
    "number beyond the column": (change("channel", parentsCount=2**40), "field parentsCount: 1099511627776 is outside"),
    "number beyond 64 bits": (
        change("channel", lastTaxis=2**64 - 1),
        "member lastTaxis: It is a number beyond 64 bits.",
    ),
    "fraction": (change("content", taxis=1.5), "member taxis: It must be a whole number."),
    "null": (change("content", title=None), "member title: It must be a text."),
    "long text": (change("content", title="x" * 256), "field title: The text has 256 characters; 255 are allowed."),
    "long tag": (change("content", tags="a," + "x" * 300), "field an item of tags: The text has 300 characters"),
    "NUL": (change("content", body="a\0b"), "member body: It has a NUL character, which cannot be stored."),
    "no time": (change("content", addDate="yesterday"), "member addDate: It must be a time such as"),
    "time zone": (change("content", addDate="2026-01-31T08:00:00Z"), "member addDate: It must be a time such as"),
    "empty title": (change("content", title=""), "member title: It must not be empty."),
    "negative hits": (change("content", hitsByDay=-1), "The number of hits by day must not be negative."),
    "custom members": (change("content", settingsXml="[]"), "member settingsXml: It must be a JSON object as text."),
    "broken custom members": (
        change("content", settingsXml="{"),
        "member settingsXml: It must be a JSON object as text.",
    ),
    "unknown link type": (change("channel", linkType="Elsewhere"), "member linkType: It must be one of LinkToFirst"),
    "unknown kind of field": (change("field", kind="magic"), "member kind: It must be one of choice, date"),
    "setting out of range": (change("site", settings={"pageSize": -5}), "member settings: pageSize must be "),
    "setting of a channel": (
        change("channel", settings={"transType": "5"}),
        "member settings: transType must be ",
    ),
    "NUL in settings": (change("site", settings={"own": ["a\0"]}), "member settings: They cannot be stored: "),
    "deep settings": (
        change("site", settings=lambda row: json.loads('{"a":' * 200 + "1" + "}" * 200)),
        "member settings: They cannot be stored: ",
    ),
    "a number beyond 64 bits": (
        change("site", settings={"own": [{"a": 1e20}]}),
        "member settings: own holds a number beyond 64 bits; numbers are from -9223372036854775808 to ",
    ),
    "a number of a channel beyond 64 bits": (change("channel", settings={"own": 1e20}), "own holds a number beyond"),
    "a number of a content beyond 64 bits": (
        change("content", settingsXml='{"own":-1e19}'),
        "member settingsXml: own holds a number beyond 64 bits; ",
    ),
    "a large custom field": (
        change("content", settingsXml=json.dumps({"own": "x" * 65_536})),
        "own has 65538 bytes as JSON; a custom field has at most 65536 (CMS_MAX_CUSTOM_FIELD_BYTES).",
    ),
    "a large custom field of the site": (change("site", settings={"own": "x" * 65_536}), "own has 65538 bytes as JSON"),
    "settings as text": (change("site", settings="{}"), "member settings: It must be an object."),
    "number 0": (change("site", id=0), "member id: It must be from 1 to 9007199254740991."),
    "large number": (change("content", -1, id=2**53), "member id: It must be from 1 to 9007199254740991."),
    "channel twice": (again("channel", 1), "is in the file twice."),
    "content twice": (again("content"), "numbers of contents ascend."),
    "tag twice": (again("tag"), "is in the file twice."),
    "group twice": (again("group"), "is in the file twice."),
    "field in another letter case": (
        lambda lines: again("field")(lines).update(name="COLOUR") or rows_of(lines, "field")[1],
        "The custom field 'colour' is in the file twice.",
    ),
    "index name twice": (change("channel", 2, indexName="news", trashedAt=None), "is in the file twice."),
    "no name": (change("channel", 1, channelName="  "), "member channelName: It must not be empty."),
    "no parent": (change("channel", 1, parentId=None), "The home channel, which has no parent, is the one with"),
    "parent elsewhere": (change("channel", 1, parentId=987654321), "parentId: Channel 987654321 is not before it."),
    "below itself": (change("channel", 1, parentId=lambda row: row["id"]), "is not before it."),
    "home in the trash": (change("channel", trashedAt="2026-01-31T08:00:00"), "Neither the home channel nor one above"),
    "present below the trash": (change("channel", 1, trashedAt="2026-01-31T08:00:00"), "Neither the home channel nor"),
    "path": (
        change("channel", 1, parentsPath="1;2"),
        "member parentsPath: It must be numbers with commas between them.",
    ),
    "channel elsewhere": (change("content", channelId=987654321), "channelId: The file has no channel 987654321."),
    "present in the trash": (change("content", trashedAt=None), "is in the trash, and it is not."),
    "piece alone": (inserted({"type": "piece", "data": "QQ=="}), "No file is before it that it could belong to."),
    "file without its end": (change("file", -1, size=10_000_000), "are missing before it."),
    "file with more": (change("file", -1, size=5), "would have more than 5 bytes."),
    "negative size": (change("file", size=-1), "A file has a name and a size."),
    "no Base64": (change("piece", data="Ä"), "member data: It must be a text in Base64."),
    "empty piece": (change("piece", data=""), "A piece has some bytes of data and nothing else."),
    "number in place of a piece": (change("piece", data=7), "member data: It must be a text in Base64."),
}
# The lines that follow are refused instead of the changed one.
BESIDE = {"present below the trash", "file without its end", "file with more"}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_line_is_named_with_what_is_wrong(site_file, case):
    act, reason = WRONG[case]
    lines = lines_of(site_file)
    row = act(lines)
    number = next(number for number, line in enumerate(lines, start=1) if line is row)
    write(site_file, lines)
    told = refusal(site_file, "--site-dir", "copy")
    assert "\n" not in told
    assert reason in told
    assert told.startswith("Line " if case in BESIDE else (f"Line {number}:", f"Line {number},"))
    assert refusal(site_file, "--site-dir", "copy", "--dry-run") == told


@pytest.mark.parametrize(
    "name",
    [
        "../../secret_key",
        "/etc/passwd.txt",
        "upload/../../../x.txt",
        "upload\\..\\x.txt",
        "upload//x.txt",
        "upload/.hidden.txt",
        "upload/x\0.txt",
        "upload/" + "x" * 2000 + ".txt",
        "a/" * 500 + "x.txt",
        "upload/no-extension",
        "",
    ],
)
def test_a_file_stays_in_the_folder_of_its_site(site_file, name, media_folder):
    files = sorted(media_folder.parent.rglob("*"))
    lines = lines_of(site_file)
    rows_of(lines, "file")[0]["name"] = name
    write(site_file, lines)
    assert "cannot be the name of a file of a site." in refusal(site_file, "--site-dir", "copy")
    assert sorted(media_folder.parent.rglob("*")) == files


@pytest.mark.parametrize("number", [1.5, None, "7", []])
def test_a_size_is_a_whole_number(site_file, number):
    lines = lines_of(site_file)
    rows_of(lines, "file")[0]["size"] = number
    write(site_file, lines)
    assert "A file has a name and a size." in refusal(site_file, "--site-dir", "copy")


def test_a_line_is_only_read_up_to_a_limit(site_file, monkeypatch):
    monkeypatch.setattr(lines_module, "MOST_OF_A_LINE", 500_000)
    lines = lines_of(site_file)
    rows_of(lines, "content")[1]["body"] = "x" * 600_000
    write(site_file, lines)
    number = lines.index(rows_of(lines, "content")[1]) + 1
    assert refusal(site_file, "--site-dir", "copy") == f"Line {number}: It has more than 500000 bytes."


def test_a_file_of_one_endless_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "MOST_OF_A_LINE", 500_000)
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"x" * 50_000_000))
    assert refusal(bomb) == "Line 1: It has more than 500000 bytes."


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"no file of a site\n", b"\x1f\x8b", b"\x1f\x8b\x08\x00rubbish", b"PK\x03"]
)
def test_another_file_is_refused(tmp_path, content):
    other = tmp_path / "other"
    other.write_bytes(content)
    assert refusal(other)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    assert "No such file" in refusal(tmp_path / "none.ndjson")


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_was_cut_or_altered_anywhere_is_refused(site_file, tmp_path, packed):
    data = gzip.compress(site_file.read_bytes()) if packed else site_file.read_bytes()
    other, chosen = tmp_path / "other", random.Random(7)
    places = chosen.sample(range(len(data)), 25)
    for place in places:
        other.write_bytes(data[:place])
        assert refusal(other, "--site-dir", "copy")
    # The bytes of the packed form that no sum covers: its own time and system.
    for place in (place for place in places if not packed or place > 10):
        altered = bytearray(data)
        altered[place] ^= 1 << chosen.randrange(8)
        other.write_bytes(altered)
        assert refusal(other, "--site-dir", "copy"), place


def test_a_file_without_its_last_line_is_refused(site_file):
    site_file.write_bytes(site_file.read_bytes().rsplit(b"\n", 2)[0] + b"\n")
    assert refusal(site_file, "--site-dir", "copy").startswith("The file is cut off: its last line, ")


def test_something_behind_the_last_line_is_refused(site_file):
    count = len(lines_of(site_file))
    site_file.write_bytes(site_file.read_bytes() + b"\n")
    assert refusal(site_file, "--site-dir", "copy") == f"Line {count + 1}: Something stands behind the last line."


def test_another_sum_is_refused(site_file):
    data = site_file.read_bytes()
    site_file.write_bytes(data.replace(b'"First"', b'"Forst"'))
    assert "their counts or sum differ" in refusal(site_file, "--site-dir", "copy")


def test_a_file_without_a_site_is_refused(site_file):
    lines = lines_of(site_file)
    write(site_file, [lines[0], lines[-1]])
    assert refusal(site_file) == "The file has no site, or one without a home channel."


def test_pieces_may_be_of_any_size(site_file, media_folder):
    lines = lines_of(site_file)
    file = next(line for line in rows_of(lines, "file") if line["size"] == 6)
    place = lines.index(file) + 1
    data = base64.b64decode(lines[place]["data"])
    pieces = [{"type": "piece", "data": base64.b64encode(data[at : at + 1]).decode()} for at in range(6)]
    write(site_file, [*lines[:place], *pieces, *lines[place + 1 :]])
    told, _ = bring_in(site_file, "--site-dir", "copy")
    assert Site.objects.filter(pk=told["siteId"]).exists()
    stored = media_folder / "sites" / told["siteId"] / "upload" / "files" / "说明 1.txt"
    assert stored.read_bytes() == data
