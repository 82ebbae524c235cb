import json
import shutil
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migration.sources import json_files, open_source
from migration.sources.backup_folder import BackupFolder
from migration.sources.source import SourceError
from tests.migration.installations.generated import generated_tables
from tests.migration.installations.small import small_tables
from tests.migration.installations.version6 import CONTENT
from tests.migration.installations.version7 import as_version7
from tests.migration.installations.writers import write_backup_folder
from tests.migration.same_rows import assert_same_rows

TABLE = "siteserver_Content_1"


@pytest.fixture
def folder(tmp_path):
    write_backup_folder(small_tables(), tmp_path / "backup")
    return tmp_path / "backup"


def read_all(folder, *on_problem, table=TABLE):
    with BackupFolder(folder, *on_problem) as source:
        return list(source.rows(table))


def titles(rows):
    return [row["title"] for row in rows]


def rewrite(path, change):
    """Write the value of the file again as the function returns it."""
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


@pytest.mark.parametrize("version", [6, 7])
def test_reads_every_table_of_a_version(tmp_path, version):
    tables = generated_tables(contents=2_300, sites=2)
    tables = as_version7(tables) if version == 7 else tables
    write_backup_folder(tables, tmp_path / "backup", version=version)
    with open_source(str(tmp_path / "backup"), UTC) as source:
        assert_same_rows(source, tables)


def test_the_fingerprint_is_that_of_the_installation(tmp_path, folder):
    shutil.copytree(folder, tmp_path / "copy")
    write_backup_folder(generated_tables(contents=10), tmp_path / "other")
    fingerprints = []
    for name in ("backup", "copy", "other"):
        with BackupFolder(tmp_path / name) as source:
            fingerprints.append(source.fingerprint)
    assert fingerprints[0] == fingerprints[1] != fingerprints[2]


def test_a_table_that_is_not_there_has_no_columns_and_rows(folder):
    with BackupFolder(folder) as source:
        assert (source.columns("Other"), source.count("Other"), source.highest_id("Other")) == ([], 0, 0)
        assert list(source.rows("Other")) == []


def test_finds_tables_without_a_list_of_them(folder):
    (folder / "_tables.json").unlink()
    (folder / "notes").mkdir()
    with BackupFolder(folder) as source:
        assert_same_rows(source, small_tables())


def test_reads_columns_from_rows_where_the_metadata_has_none(folder):
    path = folder / TABLE / "_metadata.json"
    rewrite(path, lambda metadata: {"rowFiles": metadata["rowFiles"]})
    with BackupFolder(folder) as source:
        assert source.columns(TABLE)[:3] == ["id", "channelid", "siteid"]
        assert source.count(TABLE) == len(list(source.rows(TABLE))) == 6


def test_a_row_has_every_column(folder):
    rewrite(folder / TABLE / "1.json", lambda rows: [{"id": row["id"]} for row in rows])
    assert read_all(folder)[0] == dict.fromkeys(map(str.casefold, CONTENT)) | {"id": 1}


def test_the_list_may_name_a_table_that_the_command_line_leaves_out(folder):
    rewrite(folder / "_tables.json", lambda names: [*names, "siteserver_Log"])
    with BackupFolder(folder) as source:
        assert "siteserver_log" not in source.tables()


def test_empty_texts_of_oracle_are_empty(folder):
    rewrite(folder / TABLE / "1.json", lambda rows: [row | {"subTitle": "_EMPTY_"} for row in rows])
    assert {row["subtitle"] for row in read_all(folder)} == {""}


def test_a_value_that_is_no_plain_one_is_json(folder):
    rewrite(folder / TABLE / "1.json", lambda rows: [row | {"subTitle": {"a": [1]}} for row in rows])
    assert read_all(folder)[0]["subtitle"] == '{"a":[1]}'


def test_a_byte_order_mark_is_skipped(folder):
    path = folder / TABLE / "1.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read_all(folder)) == 6


def test_reads_one_file_after_another(tmp_path):
    write_backup_folder(generated_tables(contents=1_500, sites=1), tmp_path)
    (tmp_path / "siteserver_Content_1" / "2.json").unlink()
    with BackupFolder(tmp_path) as source:
        rows = source.rows("siteserver_Content_1")
        assert sum(1 for _ in zip(range(500), rows, strict=False)) == 500
        with pytest.raises(SourceError, match=r"2\.json is missing"):
            next(rows)


BROKEN = [
    ("1.json", b"[{", "1.json is not valid JSON: "),
    ("1.json", b"{}", "1.json: The file does not contain a list of rows."),
    ("1.json", b"[" * 100_000, "1.json is not valid JSON: "),
    ("1.json", b"[[1]]", "1.json row 1: A row is not an object and was left out."),
    ("1.json", b'[{"id":1,"Id":2}]', "1.json row 1: A row has two values of one column and was left out."),
    ("1.json", b"[]", f"{TABLE}: A table has another number of rows than its metadata says."),
    ("1.json", b'[{"id":1,"title":"\xff"}]', "1.json: The file is not valid UTF-8"),
    ("_metadata.json", b"[]", "_metadata.json: The file does not contain an object."),
    ("_metadata.json", b'{"columns":{"a":1}}', "_metadata.json: The columns are not a list."),
    ("_metadata.json", b'{"rowFiles":[1]}', "_metadata.json: The file does not contain a list of names."),
    ("../_tables.json", b'"siteserver_Site"', "_tables.json: The file does not contain a list of names."),
    ("../_tables.json", b"[]", "has no tables of a SiteServer backup."),
    ("../_tables.json", b'["siteserver_Other"]', "siteserver_Other: The backup lists a table without a folder."),
]


@pytest.mark.parametrize("file,data,reason", BROKEN)
def test_names_the_file_that_is_broken(folder, file, data, reason):
    (folder / TABLE / file).write_bytes(data)
    with pytest.raises(SourceError) as raised:
        read_all(folder)
    assert reason in str(raised.value)


@pytest.mark.parametrize("name", ["../../secret.json", "/secret.json", "..", "", "a\\1.json", "c:1.json", "link.json"])
def test_reads_no_file_outside_the_folder(folder, name):
    secret = folder.parent / "secret.json"
    secret.write_text("[]")
    (folder / TABLE / "link.json").symlink_to(secret)
    rewrite(folder / TABLE / "_metadata.json", lambda metadata: metadata | {"rowFiles": [name]})
    with pytest.raises(SourceError, match=r"is not the name of a file|is a link to a file outside"):
        read_all(folder)


def test_reads_no_table_outside_the_folder(folder):
    shutil.move(folder / TABLE, folder.parent / TABLE)
    (folder / TABLE).symlink_to(folder.parent / TABLE)
    with pytest.raises(SourceError, match="is a link to a file outside the folder"):
        read_all(folder)


def test_reads_no_file_that_would_fill_the_memory(folder, monkeypatch):
    monkeypatch.setattr(json_files, "_LARGEST", (folder / TABLE / "1.json").stat().st_size - 1)
    with pytest.raises(SourceError, match=r"1\.json is larger than"):
        read_all(folder)


def test_goes_on_after_a_broken_row(folder):
    rewrite(folder / TABLE / "1.json", lambda rows: [rows[0], "broken", *rows[2:]])
    problems = []
    rows = read_all(folder, lambda *problem: problems.append(problem))
    assert [row["id"] for row in rows] == [1, 3, 4, 5, 7]
    assert problems == [("A row is not an object and was left out.", f"{TABLE}/1.json row 2")]


def test_tells_once_that_characters_were_replaced(folder):
    (folder / TABLE / "1.json").write_bytes(b'[{"id":1,"title":"tide \xff"}]' + b" " * 10)
    rewrite(folder / TABLE / "_metadata.json", lambda metadata: metadata | {"totalCount": 1})
    problems = []
    with BackupFolder(folder, lambda *problem: problems.append(problem)) as source:
        assert source.highest_id(TABLE) == 1
        assert titles(source.rows(TABLE)) == ["tide �"]
    assert problems == [("The file is not valid UTF-8; invalid characters were replaced.", f"{TABLE}/1.json")]


@given(
    st.binary()
    | st.recursive(st.none() | st.floats() | st.text(), st.lists).map(lambda value: json.dumps(value).encode())
)
def test_any_file_has_rows_or_a_reason(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp() / "any"
    (folder / "siteserver_Site").mkdir(parents=True, exist_ok=True)
    (folder / "siteserver_Site" / "_metadata.json").write_text('{"rowFiles":["1.json"]}')
    (folder / "siteserver_Site" / "1.json").write_bytes(data)
    try:
        read_all(folder, lambda *problem: None, table="siteserver_Site")
    except SourceError as error:
        assert "1.json" in str(error)
