"""The reader of MySQL, with a MariaDB of the tests' own and an account that may only read."""

from datetime import UTC, datetime

import pytest

from migration.sources import open_source
from migration.sources.source import SourceError
from tests.migration.installations.generated import generated_tables
from tests.migration.installations.small import small_tables
from tests.migration.installations.tables import ZERO_DATE
from tests.migration.installations.version7 import as_version7
from tests.migration.installations.writers import write_mysql
from tests.migration.same_rows import assert_same_rows

pytestmark = pytest.mark.large
OWN_SERVERS = True
TABLE = "siteserver_Content_1"


@pytest.fixture
def database(mariadb):
    """A new database with the small installation."""
    write_mysql(small_tables(), mariadb.url("small"))
    yield "small"
    mariadb.execute("DROP DATABASE small")


def open_database(mariadb, database):
    return open_source(mariadb.reading_url(database), UTC)


@pytest.mark.parametrize("version", [6, 7])
def test_reads_every_table(mariadb, version):
    tables = generated_tables(contents=1_000, sites=2, shared=version == 6)
    tables = as_version7(tables) if version == 7 else tables
    database = f"version{version}"
    write_mysql(tables, mariadb.url(database))
    with open_database(mariadb, database) as source:
        assert_same_rows(source, tables)


def test_zero_dates_are_none_and_other_kinds_plain_values(mariadb, database):
    mariadb.execute(
        "SET sql_mode = ''",
        f"ALTER TABLE {TABLE} ADD ADay date, ADD ABit bit(1), ADD ATime time, ADD SomeBytes blob",
        f"UPDATE {TABLE} SET AddDate = '{ZERO_DATE}', LastEditDate = '2019-00-00', ADay = '2020-02-29', ABit = b'1',"
        " ATime = '10:20:30', SomeBytes = '港' WHERE Id = 1",
        database=database,
    )
    with open_database(mariadb, database) as source:
        row = next(source.rows(TABLE))
    assert (row["adddate"], row["lasteditdate"], row["aday"]) == (None, None, datetime(2020, 2, 29))
    assert (row["abit"], row["atime"], row["somebytes"]) == (1, "10:20:30", "港")


def test_all_rows_are_of_one_moment(mariadb, database):
    with open_database(mariadb, database) as source:
        mariadb.execute(f"DELETE FROM {TABLE}", database=database)
        assert source.count(TABLE) == len(list(source.rows(TABLE))) == 6


def test_reads_a_table_within_another(mariadb, database):
    with open_database(mariadb, database) as source:
        ids = [
            (site["id"], row["id"]) for site in source.rows("siteserver_Site") for row in source.rows(site["tablename"])
        ]
    assert ids == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 7), (36, 1), (36, 2), (36, 3), (36, 6)]


def test_a_name_may_have_any_characters(mariadb, database):
    mariadb.execute(f"ALTER TABLE {TABLE} ADD `a``{{b}}%s 港` int DEFAULT 7", database=database)
    with open_database(mariadb, database) as source:
        assert next(source.rows(TABLE))["a`{b}%s 港"] == 7


def test_neither_an_unknown_database_nor_a_wrong_password_is_a_traceback(mariadb, database):
    for url, reason in [
        (mariadb.reading_url("unknown"), "Unknown database 'unknown'"),
        (mariadb.reading_url(database, "wrong"), "Access denied for user 'reader'"),
    ]:
        with pytest.raises(SourceError) as raised, open_source(url, UTC):
            pass
        assert f"on 127.0.0.1:{mariadb.port} cannot be opened: " in str(raised.value)
        assert reason in str(raised.value) and mariadb.PASSWORD not in str(raised.value)


def test_an_ended_connection_is_a_sentence(mariadb):
    write_mysql(generated_tables(contents=1_000, sites=1), mariadb.url("ended"))
    with open_database(mariadb, "ended") as source:
        rows = source.rows(TABLE)
        next(rows)
        for (number,) in mariadb.execute("SELECT id FROM information_schema.processlist WHERE user = 'reader'"):
            mariadb.execute(f"KILL {number}")
        with pytest.raises(SourceError, match=f"The table {TABLE} of the MySQL database ended on .* cannot be read: "):
            list(rows)


def test_an_account_without_rights_is_a_sentence(mariadb, database):
    mariadb.execute("CREATE OR REPLACE USER stranger", f"GRANT INSERT ON {database}.{TABLE} TO stranger")
    url = f"mysql://stranger@127.0.0.1:{mariadb.port}/{database}"
    with pytest.raises(SourceError, match="SELECT command denied"), open_source(url, UTC) as source:
        list(source.rows(TABLE))
