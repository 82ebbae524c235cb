"""Readers of SQLite and PostgreSQL, and of any database by a connection with recorded rows."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import psycopg
import pytest

from migration.sources import open_source
from migration.sources.source import SourceError
from tests.migration.installations.generated import generated_tables
from tests.migration.installations.small import small_tables
from tests.migration.installations.tables import columns_of, listed
from tests.migration.installations.version7 import as_version7
from tests.migration.installations.writers import write_postgresql, write_sqlite
from tests.migration.same_rows import assert_same_rows
from tests.postgresql import HAS_POSTGRESQL, new_database

TABLE = "siteserver_Content_1"
SHANGHAI = ZoneInfo("Asia/Shanghai")
on_postgresql = pytest.mark.skipif(not HAS_POSTGRESQL, reason="reads PostgreSQL")


@pytest.fixture
def sqlite_file(tmp_path):
    path = tmp_path / "a b%.sqlite"
    write_sqlite(as_version7(small_tables()), path)
    return path


@pytest.fixture
def postgresql_url():
    with new_database() as url:
        yield url


def open_file(path):
    return open_source(f"sqlite:///{str(path).replace('%', '%25')}", UTC)


def execute(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_reads_every_table_of_a_sqlite_file(tmp_path):
    tables = as_version7(generated_tables(contents=500, sites=2, shared=True))
    write_sqlite(tables, tmp_path / "installation.sqlite")
    with open_file(tmp_path / "installation.sqlite") as source:
        assert_same_rows(source, tables)


def test_reads_a_table_within_another(sqlite_file):
    with open_file(sqlite_file) as source:
        ids = [
            (site["id"], row["id"]) for site in source.rows("SiteServer_Site") for row in source.rows(site["tablename"])
        ]
    assert ids == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 7), (36, 1), (36, 2), (36, 3), (36, 6)]


def test_a_table_that_is_not_there_has_no_columns_and_rows(sqlite_file):
    with open_file(sqlite_file) as source:
        assert (source.columns("Other"), source.count("Other"), source.highest_id("Other")) == ([], 0, 0)
        assert list(source.rows("Other")) == []


def test_rows_come_by_their_ids(tmp_path):
    numbers = [*range(450, 0, -2), *range(1, 450, 2)]
    # SQLite keeps such a table in the order in which rows were written.
    rows = [{"Id": str(number)} for number in numbers]
    write_sqlite({"siteserver_Other": listed({"Id": "n"}, rows)}, tmp_path / "other.sqlite")
    with open_file(tmp_path / "other.sqlite") as source:
        assert [row["id"] for row in source.rows("siteserver_Other")] == sorted(numbers)


def test_a_sqlite_file_stays_as_it_is(sqlite_file):
    before = sqlite_file.read_bytes()
    with open_file(sqlite_file) as source:
        assert source.count(TABLE) == 6
        with pytest.raises(SourceError, match="attempt to write a readonly database"):
            source._execute(f"DELETE FROM {TABLE}", "The table")
    assert sqlite_file.read_bytes() == before
    assert [path.name for path in sqlite_file.parent.iterdir()] == [sqlite_file.name]


def test_neither_views_nor_virtual_tables_of_a_sqlite_file_are_read(sqlite_file):
    execute(sqlite_file, "CREATE VIEW own_view AS SELECT 1 AS Id", "CREATE VIRTUAL TABLE own_index USING fts5(Title)")
    with open_file(sqlite_file) as source:
        assert not {"own_view", "own_index"} & set(source.tables())


def test_texts_that_are_not_utf_8_and_blobs_are_read(sqlite_file):
    execute(
        sqlite_file, f"UPDATE {TABLE} SET Title = CAST(x'41ff' AS TEXT), SubTitle = x'42ff', Hits = 9e999 WHERE Id = 1"
    )
    with open_file(sqlite_file) as source:
        row = next(source.rows(TABLE))
    assert (row["title"], row["subtitle"], row["hits"]) == ("A\ufffd", "B\ufffd", float("inf"))


@pytest.mark.parametrize("data", [None, b"", b"no database" * 100])
def test_a_file_that_is_no_database_is_a_sentence(tmp_path, data):
    path = tmp_path / "database.sqlite"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(SourceError, match=r"There is no file|file is not a database|has no tables"), open_file(path):
        pass


@pytest.mark.parametrize("columns,reason", [("Title s50", "has no column Id"), ("Id t", "an Id that is not a number")])
def test_a_table_without_numbers_is_a_sentence(tmp_path, columns, reason):
    rows = [dict.fromkeys(columns_of(columns), "x")]
    write_sqlite({"siteserver_Other": listed(columns_of(columns), rows)}, tmp_path / "other.sqlite")
    with open_file(tmp_path / "other.sqlite") as source, pytest.raises(SourceError, match=reason):
        list(source.rows("siteserver_Other"))


def test_a_table_of_version_5_is_read_by_its_own_number(tmp_path):
    columns = columns_of("InputName s50, InputID i")
    rows = [dict(zip(columns, ("Name", number), strict=True)) for number in range(450, 0, -1)]
    write_sqlite({"siteserver_Input": listed(columns, rows)}, tmp_path / "old.sqlite")
    with open_file(tmp_path / "old.sqlite") as source:
        assert [row["inputid"] for row in source.rows("siteserver_Input")] == list(range(1, 451))


@on_postgresql
@pytest.mark.parametrize("version", [6, 7])
def test_reads_every_table_of_postgresql(postgresql_url, version):
    tables = generated_tables(contents=500, sites=2)
    tables = as_version7(tables) if version == 7 else tables
    write_postgresql(tables, postgresql_url, version=version, time_zone="Asia/Shanghai")
    with open_source(postgresql_url, SHANGHAI) as source:
        assert_same_rows(source, tables)


ZONES = [(SHANGHAI, 10), (UTC, 2), (timezone(timedelta(hours=-3, minutes=-30)), -1.5), (ZoneInfo("UTC"), 2)]


@on_postgresql
@pytest.mark.parametrize("time_zone,hour", ZONES)
def test_dates_of_postgresql_are_those_of_the_time_zone(postgresql_url, time_zone, hour):
    write_postgresql(small_tables(), postgresql_url, time_zone="Asia/Shanghai")
    with open_source(postgresql_url, time_zone) as source:
        (row,) = source.rows("siteserver_Config")
    assert row["updatedate"] == datetime(2019, 3, 1, 0, 20, 30) + timedelta(hours=hour)


@on_postgresql
@pytest.mark.parametrize("value", ["infinity", "-infinity", "0044-03-15 12:00:00 BC"])
def test_dates_of_postgresql_that_python_has_not_are_none(postgresql_url, value):
    write_postgresql(small_tables(), postgresql_url)
    with psycopg.connect(postgresql_url) as connection:
        connection.execute("UPDATE siteserver_config SET updatedate = %s", [value])
    with open_source(postgresql_url, SHANGHAI) as source:
        (row,) = source.rows("siteserver_Config")
    assert row["updatedate"] is None


@on_postgresql
def test_all_rows_of_postgresql_are_of_one_moment(postgresql_url):
    write_postgresql(small_tables(), postgresql_url)
    with open_source(postgresql_url, SHANGHAI) as source:
        with psycopg.connect(postgresql_url) as connection:
            connection.execute("DELETE FROM siteserver_content_1")
        assert source.count(TABLE) == len(list(source.rows(TABLE))) == 6
        with pytest.raises(SourceError, match="read-only transaction"):
            source._execute("DELETE FROM siteserver_content_1", "The table")


@on_postgresql
def test_two_spellings_of_a_table_are_a_sentence(postgresql_url):
    write_postgresql(small_tables(), postgresql_url, version=6)
    with psycopg.connect(postgresql_url) as connection:
        connection.execute(f'CREATE TABLE "{TABLE}" ("Id" int, id int)')
    with open_source(postgresql_url, SHANGHAI) as source:
        assert source.count("siteserver_content_36") == 4
        with pytest.raises(SourceError, match=f"{TABLE} and public.{TABLE.lower()} have the same name"):
            source.count(TABLE)


@on_postgresql
def test_two_spellings_of_a_column_are_a_sentence(postgresql_url):
    with psycopg.connect(postgresql_url) as connection:
        connection.execute('CREATE TABLE "siteserver_Other" ("Id" int, id int)')
    with open_source(postgresql_url, SHANGHAI) as source, pytest.raises(SourceError, match="two columns of the same"):
        list(source.rows("siteserver_Other"))


@on_postgresql
def test_an_unknown_database_of_postgresql_is_a_sentence(postgresql_url):
    reading = open_source(postgresql_url.rpartition("/")[0] + "/no_such_database", SHANGHAI)
    with pytest.raises(SourceError, match=r'cannot be opened: .*"no_such_database" does not exist'), reading:
        pass
