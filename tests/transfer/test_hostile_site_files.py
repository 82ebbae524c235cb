"""What import_site refuses: each with a sentence that names the row, and nothing is left behind."""

import gzip
import hashlib
import io
import json
import random

import pytest
from django.core.management import CommandError, call_command

from tests.archives import forged, parts, written
from tests.transfer.site_files import bring_in, read, refusal, write

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_folder")]


_EXPORTED = []


@pytest.fixture
def any_file(request, tmp_path):
    """The file of a site, exported once: rows, names and manifests are checked before the site is compared with others.

    Of all but the first test the site itself is not there.
    """
    if not _EXPORTED:
        _EXPORTED.append(request.getfixturevalue("site_file").read_bytes())
    made = tmp_path / "any.tar"
    made.write_bytes(_EXPORTED[0])
    return made


def change(kind, place=0, /, **members):
    """What gives a row of the kind other values, and returns its place."""

    def act(held):
        row = held.rows[kind][place]
        for name, value in members.items():
            row[name] = value(row) if callable(value) else value
        return kind, held.rows[kind].index(row)

    return act


def without(kind, name):
    def act(held):
        held.rows[kind][0].pop(name)
        return kind, 0

    return act


def again(kind, place=0):
    """What puts a row into the file twice."""

    def act(held):
        held.rows[kind].insert(place + 1, dict(held.rows[kind][place]))
        return kind, place + 1

    return act


def too_deep(held):
    rows = held.rows["folder"]
    for number in range(len(rows), 9):
        rows.append(rows[-1] | {"id": 987654321 + number, "parent_id": rows[-1]["id"]})
    return "folder", 8


def inserted(line, kind="tag"):
    def act(held):
        held.rows[kind].insert(0, line)
        return kind, 0

    return act


WRONG = {
    "an object": (inserted(b"{}"), "It must be a list of 1 values."),
    "a number": (inserted(b"1"), "It must be a list of 1 values."),
    "no JSON": (inserted(b"{'a': 1}"), "It is not JSON: "),
    "no UTF-8": (inserted(b'["\xff"]'), "It is not JSON: "),
    "deep": (inserted(b"[" * 100_000), "It is not JSON: "),
    "lone surrogate": (inserted(b'["\\ud800"]'), "It is not JSON: "),
    "no site": (lambda held: held.rows["site"].clear() or ("field", 0), "The row of the site must come before it."),
    "another site": (change("site", id=987654321), "field id: The manifest names site "),
    "two sites": (again("site"), "The file has more than one site."),
    "field is missing": (without("content", "taxis"), "It must be a list of 37 values."),
    "unknown member": (change("content", is_new=True), "It must be a list of 37 values."),
    "number as text": (change("content", hits="7"), "field hits: It must be a whole number."),
    "flag as number": (change("content", is_top=1), "field is_top: It must be true or false."),
    "number as flag": (change("content", taxis=True), "field taxis: It must be a whole number."),
    "number beyond the column": (
        change("channel", parents_count=2**40),
        "field parents_count: 1099511627776 is outside",
    ),
    "number beyond 64 bits": (
        change("last_taxis", taxis=2**64 - 1),
        "field taxis: The number must fit into 64 bits.",
    ),
    "fraction": (change("content", taxis=1.5), "field taxis: It must be a whole number."),
    "null": (change("content", title=None), "field title: It must not be null."),
    "long text": (
        change("content", title="x" * 256),
        "field title: The text has 256 characters; at most 255 are allowed.",
    ),
    "long tag": (change("content", tags="a," + "x" * 300), "field an item of tags: The text has 300 characters"),
    "NUL": (change("body", text="a\0b"), "field text: It has a NUL character, which cannot be stored."),
    "no time": (
        change("content", add_date="yesterday"),
        "field add_date: It must be a time such as 2026-01-31T08:00:00, without a time zone.",
    ),
    "time zone": (
        change("content", add_date="2026-01-31T08:00:00Z"),
        "field add_date: It must be a time such as 2026-01-31T08:00:00, without a time zone.",
    ),
    "empty title": (change("content", title=""), "field title: It must not be empty."),
    "negative hits": (change("content", hits_by_day=-1), "field hits_by_day: It must not be negative."),
    "custom members": (change("content", settings_xml="[]"), "field settings_xml: It must be a JSON object as text."),
    "broken custom members": (
        change("content", settings_xml="{"),
        "field settings_xml: It must be a JSON object as text.",
    ),
    "unknown link type": (change("channel", link_type="Elsewhere"), "field link_type: It must be one of LinkToFirst"),
    "unknown kind of field": (change("field", kind="magic"), "field kind: It must be one of choice, date"),
    "setting out of range": (change("site", settings='{"pageSize": -5}'), "field settings: pageSize must be "),
    "setting of a channel": (
        change("channel", settings='{"transType": "5"}'),
        "field settings: transType must be ",
    ),
    "NUL in settings": (change("site", settings='{"own": ["a\\u0000"]}'), "field settings: They cannot be stored: "),
    "deep settings": (
        change("site", settings='{"a":' * 200 + "1" + "}" * 200),
        "field settings: They cannot be stored: ",
    ),
    "a large custom field": (
        change("content", settings_xml=json.dumps({"own": "x" * 65_536})),
        "own has 65538 bytes as JSON; a custom field may have at most 65536 (CMS_MAX_CUSTOM_FIELD_BYTES).",
    ),
    "a large custom field of the site": (
        change("site", settings=json.dumps({"own": "x" * 65_536})),
        "own has 65538 bytes as JSON",
    ),
    "settings as object": (change("site", settings={}), "field settings: It must be JSON as text."),
    "settings that are none": (change("site", settings="[]"), "field settings: They cannot be stored: "),
    "number 0": (change("site", id=0), "field id: It must be from 1 to 9007199254740991."),
    "large number": (change("content", -1, id=2**53), "field id: It must be from 1 to 9007199254740991."),
    "channel twice": (again("channel", 1), "is in the file twice."),
    "content twice": (again("content"), "contents must be in ascending order of ids."),
    "tag twice": (again("tag"), "is in the file twice."),
    "group twice": (again("group"), "is in the file twice."),
    "field in another letter case": (
        lambda held: again("field")(held) and change("field", 1, name="COLOUR")(held),
        "The custom field 'colour' is in the file twice.",
    ),
    "index name twice": (change("channel", 2, index_name="news", trashed_at=None), "is in the file twice."),
    "a last place twice": (again("last_taxis"), "is in the file twice."),
    "a last place elsewhere": (change("last_taxis", channel_id=987654321), "The file has no channel 987654321."),
    "a body twice": (again("body"), "Bodies must be in ascending order of content ids"),
    "a body of no content": (change("body", -1, content_id=987654321), "The file has no content 987654321."),
    "a time in another form": (change("content", add_date="2026-01-31"), "field add_date: It must be a time such as"),
    "no name": (change("channel", 1, channel_name=""), "field channel_name: It must not be empty."),
    "no parent": (change("channel", 1, parent_id=None), "The home channel must have the id of the site and no parent"),
    "parent elsewhere": (
        change("channel", 1, parent_id=987654321),
        "parent_id: Channel 987654321 must come before it.",
    ),
    "below itself": (change("channel", 1, parent_id=lambda row: row["id"]), "must come before it."),
    "home in the trash": (
        change("channel", trashed_at="2026-01-31T08:00:00"),
        "A channel in the trash cannot be the home channel",
    ),
    "present below the trash": (
        change("channel", 1, trashed_at="2026-01-31T08:00:00"),
        "A channel in the trash cannot be the home channel",
    ),
    "path": (
        change("channel", 1, parents_path="1;2"),
        "field parents_path: It must be comma-separated numbers.",
    ),
    "channel elsewhere": (change("content", channel_id=987654321), "channel_id: The file has no channel 987654321."),
    "a definition of a field twice": (again("definition"), "The definition of a field of the content 'colour' is"),
    "a definition of no owner": (change("definition", owner="page"), "field owner: It must be one of channel, content"),
    "choices that are no list": (change("definition", choices="{}"), "choices: It must be a list of pairs of texts."),
    "choices of other things": (change("definition", choices='[["a",1]]'), "It must be a list of pairs of texts."),
    "choices with NUL": (change("definition", choices='[["a","\\u0000"]]'), "It must be a list of pairs of texts."),
    "choices that are no JSON": (change("definition", choices="["), "It must be a list of pairs of texts."),
    "a template twice": (again("template"), "is in the file twice."),
    "a name of templates twice": (
        lambda held: again("template")(held) and change("template", 1, id=987654321)(held),
        "The ChannelTemplate 'Lists' is in the file twice.",
    ),
    "a second default": (
        lambda held: again("template")(held) and change("template", 1, id=987654321, name="Other")(held),
        "The default 'ChannelTemplate' is in the file twice.",
    ),
    "a kind of templates": (change("template", kind="Page"), "field kind: It must be one of ChannelTemplate, Content"),
    "version 0": (change("template", version=0), "field version: It must not be less than 1."),
    "a picture of no content": (change("picture", content_id=987654321), "The file has no content 987654321."),
    "an address of no content": (
        change("former_address", 1, content_id=987654321),
        "content_id: The file has no content 987654321.",
    ),
    "an address of no channel": (
        change("former_address", -1, channel_id=987654321),
        "channel_id: The file has no channel 987654321.",
    ),
    "an address of nothing": (
        change("former_address", 1, content_id=None),
        "It must have either a channel or a content.",
    ),
    "a folder twice": (again("folder"), "is in the file twice."),
    "a name of folders twice": (
        lambda held: (
            again("folder")(held) and change("folder", 1, id=987654321, name=lambda row: row["name"].upper())(held)
        ),
        "is in the file twice.",
    ),
    "a folder below itself": (change("folder", parent_id=lambda row: row["id"]), "must come before it."),
    "folders too deep": (too_deep, "parent_id: Folders can be nested to a depth of 8."),
    "a file of no folder": (change("file", folder_id=987654321), "folder_id: Folder 987654321 must come before it."),
    "a file elsewhere": (change("file", path="../36/a.png"), "path: It cannot be the path of a file of a site."),
    "a kind of files": (change("file", kind="page"), "field kind: It must be one of audio, document, image, other"),
    "a form twice": (again("form"), "is in the file twice."),
    "a form in another letter case": (
        lambda held: again("form")(held) and change("form", 1, id=987654321, name="CONTACT 联系")(held),
        "The name of a form 'contact 联系' is in the file twice.",
    ),
    "a field of no form": (change("form_field", form_id=987654321), "form_id: The file has no form 987654321."),
    "a field of a form twice": (change("form_field", 1, key="MAIL"), "'mail' is in the file twice."),
    "an unknown rule": (
        change("form_field", rules='[{"type":"Nonsense"}]'),
        "rules: It must be a list of rules of texts.",
    ),
    "choices of numbers": (change("form_field", choices="[1]"), "choices: It must be a list of texts."),
    "an entry of no form": (change("entry", form_id=987654321), "form_id: The file has no form 987654321."),
    "values with NUL": (change("entry", values='{"1":["a\\u0000"]}'), "values: It must be an object of texts, and of"),
    "a rule twice": (again("former_rule"), "is in the file twice."),
    "present in the trash": (change("content", trashed_at=None), "is in the trash, so it must be in the trash too."),
}


def damage(file, case):
    """Write the wrong row, and return its kind, its place and what the file then holds."""
    held = read(file)
    kind, place = WRONG[case][0](held)
    write(file, held)
    return kind, place, held


# With and without --dry-run rows are read in the same way.
@pytest.mark.parametrize("case", list(WRONG)[::8])
def test_a_dry_run_refuses_the_same(any_file, case):
    damage(any_file, case)
    options = (any_file, "--site-dir", "copy")
    assert refusal(*options, "--dry-run") == refusal(*options)


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_row_is_named_with_what_is_wrong(any_file, case):
    kind, place, held = damage(any_file, case)
    reason = WRONG[case][1]
    told = refusal(any_file, "--site-dir", "copy")
    assert "\n" not in told
    assert reason in told
    # The channel below it is refused instead of the changed one.
    number = place + 2 if case == "present below the trash" else place + 1
    label = held.manifest["tables"][list(held.rows).index(kind)]["label"]
    assert told.startswith((f"Row {number} of {label}:", f"Row {number} of {label},"))


@pytest.mark.parametrize(
    "name",
    [
        "SITE/../../secret_key",
        "/etc/passwd.txt",
        "SITE/upload/../../../x.txt",
        "SITE/upload\\..\\x.txt",
        "SITE/upload//x.txt",
        "SITE/upload/.hidden.txt",
        "SITE/upload/x\0.txt",
        "SITE/upload/" + "x" * 2000 + ".txt",
        "SITE/" + "a/" * 500 + "x.txt",
        "SITE/upload/no-extension",
        "",
        "avatars/ab/one.png",
        "sites/987654321/upload/a.png",
    ],
)
def test_a_file_stays_in_the_folder_of_its_site(any_file, name, media_folder):
    files = sorted(media_folder.parent.rglob("*"))
    held = read(any_file)
    held.files[name.replace("SITE", f"sites/{held.manifest['site']['id']}")] = b"evil"
    write(any_file, held)
    told = refusal(any_file, "--site-dir", "copy")
    assert "cannot be the name of a file of the site" in told or "in a place where it does not belong" in told
    assert sorted(media_folder.parent.rglob("*")) == files


def change_manifest(site_file, act):
    site_file.write_bytes(forged(site_file.read_bytes(), act))


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda manifest, members: manifest.update(format="1"), "The manifest of the archive cannot be read."),
        (lambda manifest, members: manifest.pop("format"), "The manifest of the archive cannot be read."),
        (lambda manifest, members: manifest.update(site=None), "The manifest of the archive cannot be read."),
        (lambda manifest, members: manifest.update(format=2), "The archive has format 2; this version of the"),
        (
            lambda manifest, members: manifest["tables"][8].update(rows=9),
            "rows of contents.content have changed since they",
        ),
        (
            lambda manifest, members: manifest["tables"].append(manifest["tables"][0]),
            "The tables of the archive differ",
        ),
        (lambda manifest, members: manifest["tables"].reverse(), "The tables of the archive differ from those"),
        (lambda manifest, members: manifest["tables"][0]["columns"].update(parent_id="integer"), "The tables of the"),
        (
            lambda manifest, members: manifest["tables"][0]["columns"].pop("settings"),
            "The tables of the archive differ",
        ),
        (
            lambda manifest, members: manifest["tables"][0].update(name="accounts_user"),
            "The tables of the archive differ",
        ),
        (lambda manifest, members: members.pop("tables/contents_contenttag/000001.jsonl.gz"), "000001.jsonl.gz is mis"),
        (lambda manifest, members: members.update({"extra": b""}), "there is data after its end"),
        (lambda manifest, members: members.pop("index/000001.jsonl.gz"), "files its manifest does not list"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(any_file, act, reason):
    change_manifest(any_file, act)
    assert reason in refusal(any_file, "--site-dir", "copy")


def test_a_file_of_later_tables_names_the_migrations(site_file):
    def act(manifest, members):
        manifest["migrations"].append("contents.9999_future")
        manifest["tables"][0]["columns"]["new"] = "text"

    change_manifest(site_file, act)
    assert "does not know contents.9999_future. Use the code that made it" in refusal(site_file, "--site-dir", "copy")


def test_a_file_of_earlier_tables_says_what_to_do(site_file):
    def act(manifest, members):
        manifest["migrations"].pop()
        manifest["tables"][0]["columns"].pop("settings")

    change_manifest(site_file, act)
    assert "Update the service it comes from, and export the site again." in refusal(site_file)


def test_a_file_of_other_migrations_with_the_same_tables_is_taken(site_file):
    change_manifest(site_file, lambda manifest, members: manifest["migrations"].append("accounts.9999_future"))
    assert bring_in(site_file, "--site-dir", "copy")[0]["numbers"] == "raised"


def test_the_same_file_twice_is_refused(site_file):
    members = parts(site_file.read_bytes())
    site_file.write_bytes(written([members[0], members[1], *members[1:]]))
    assert "twice" in refusal(site_file, "--site-dir", "copy")


def test_a_row_is_only_read_up_to_a_limit(site_file, monkeypatch):
    monkeypatch.setattr("core.archive.manifest.Manifest.most_of_a_row", 500_000)
    held = read(site_file)
    held.rows["body"][1]["text"] = "x" * 600_000
    write(site_file, held)
    assert "than a row or part may be" in refusal(site_file, "--site-dir", "copy")


def test_a_part_of_one_endless_row_is_refused(site_file, monkeypatch):
    monkeypatch.setattr("core.archive.manifest.Manifest.most_of_a_row", 500_000)
    bomb = gzip.compress(b"x" * 50_000_000)

    def act(manifest, members):
        members["tables/contents_contenttag/000001.jsonl.gz"] = bomb
        manifest["tables"][4]["sha256"] = hashlib.sha256(bomb).hexdigest()

    change_manifest(site_file, act)
    assert "than a row or part may be" in refusal(site_file, "--site-dir", "copy")


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"no file of a site\n", b"\x1f\x8b", b"\x1f\x8b\x08\x00rubbish", b"PK\x03"]
)
def test_another_file_is_refused(tmp_path, content):
    other = tmp_path / "other"
    other.write_bytes(content)
    assert refusal(other)


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_the_former_form_says_what_to_do(tmp_path, packed):
    lines = b'{"type":"header","format":"cms-site","version":1,"madeAt":"2026-03-01T09:30:00"}\n' * 20
    old = tmp_path / "old.ndjson"
    old.write_bytes(gzip.compress(lines) if packed else lines)
    told = refusal(old)
    assert told.startswith("This is a site file in the old format, JSON Lines")
    assert told.endswith("Export the site again with `export_site` of this version.")
    for command in ("restore", "verify_backup"):
        options = ["--replace", "--no-input"] if command == "restore" else []
        with pytest.raises(CommandError, match="in the old format"):
            call_command(command, str(old), *options)


def test_a_backup_is_no_file_of_a_site_and_the_other_way_round(site_file, tmp_path):
    backup = tmp_path / "backup.tar"
    call_command("backup", str(backup), stdout=io.StringIO())
    assert refusal(backup) == "This is a backup of a whole installation: restore it with `restore`."
    with pytest.raises(CommandError, match="This is a site file, not a backup: import it with `import_site`"):
        call_command("restore", str(site_file), "--replace", "--no-input")
    with pytest.raises(CommandError, match="This is a site file, not a backup"):
        call_command("verify_backup", str(site_file), "--against-database")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    assert "No such file" in refusal(tmp_path / "none.tar")


def test_a_file_that_was_cut_or_altered_anywhere_is_refused(site_file, tmp_path):
    data = site_file.read_bytes()
    other, chosen = tmp_path / "other", random.Random(7)
    # Most of the file is one picture.
    places = [*chosen.sample(range(len(data)), 15), *chosen.sample(range(len(data) - 60_000, len(data)), 25)]
    for place in places:
        other.write_bytes(data[:place])
        assert refusal(other, "--site-dir", "copy")
        altered = bytearray(data)
        altered[place] ^= 1 << chosen.randrange(8)
        other.write_bytes(altered)
        assert refusal(other, "--site-dir", "copy"), place


def test_something_behind_the_end_is_refused(site_file):
    site_file.write_bytes(site_file.read_bytes() + b"\n")
    assert refusal(site_file, "--site-dir", "copy") == "The archive is damaged at its end."


def test_a_file_without_a_site_is_refused(site_file):
    held = read(site_file)
    for rows in held.rows.values():
        rows.clear()
    write(site_file, held)
    assert refusal(site_file) == "The file has no site, or one without a home channel."
