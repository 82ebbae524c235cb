"""The installations for tests are such that a database of SiteServer can hold them."""

import pytest

from tests.migration.installations.generated import PLUGIN_TABLE, generated_tables
from tests.migration.installations.small import small_tables
from tests.migration.installations.sql_file import example_tables
from tests.migration.installations.version7 import as_version7

DUMP = """
CREATE TABLE siteserver_Other (
  `Id`       INT AUTO_INCREMENT,
  `Title`    varchar(50),
  `IsTop`    varchar(18),
  `AddDate`  datetime,
  `Body`     longtext,
  PRIMARY KEY (Id)
) ENGINE=InnoDB;

INSERT INTO siteserver_Other (Id, Title, IsTop, AddDate, Body)
VALUES (1, 'It''s (a, b)', NULL, '2019-03-01 10:20:30', '港;
口');
INSERT INTO siteserver_Other (Id, Title)
VALUES (-2, '');
"""


def tables_by_name():
    generated = generated_tables(contents=900, shared=True)
    own = {"small": small_tables(), "generated": generated}
    return own | {f"{name} of version 7": as_version7(tables) for name, tables in own.items()}


@pytest.mark.parametrize("tables", tables_by_name().values(), ids=list(tables_by_name()))
def test_rows_fit_into_their_columns(tables):
    for name, table in tables.items():
        rows = list(table.rows)
        assert len({row["Id"] for row in rows}) == len(rows), name
        for row in rows:
            assert row.keys() <= table.columns.keys(), name
            assert all(_fits(value, table.columns[column]) for column, value in row.items()), (name, row)


def _fits(value, kind):
    if value is None:
        return True
    if kind[0] == "s":
        return isinstance(value, str) and len(value) <= int(kind[1:])
    return isinstance(value, {"i": int, "b": bool}.get(kind, str))


def test_a_generated_installation_is_the_same_for_the_same_arguments():
    read = [[list(table.rows) for table in generated_tables(contents=300, seed=seed).values()] for seed in (1, 1, 2)]
    assert read[0] == read[1] != read[2]


@pytest.mark.parametrize("shared", [False, True])
def test_a_generated_installation_has_the_number_of_contents(shared):
    tables = generated_tables(contents=950, sites=3, shared=shared)
    counts = {name: sum(1 for _ in table.rows) for name, table in tables.items() if "ReferenceId" in table.columns}
    assert sum(counts.values()) == 950
    assert counts[PLUGIN_TABLE] == 95
    assert len(counts) == (3 if shared else 4)


def test_a_dump_becomes_tables(tmp_path):
    (tmp_path / "dump.sql").write_text(DUMP, encoding="utf-8")
    (table,) = example_tables(tmp_path / "dump.sql").values()
    assert table.columns == {"Id": "i", "Title": "s50", "IsTop": "f", "AddDate": "d", "Body": "t"}
    assert list(table.rows) == [
        {"Id": 1, "Title": "It's (a, b)", "IsTop": None, "AddDate": "2019-03-01 10:20:30", "Body": "港;\n口"},
        {"Id": -2, "Title": ""},
    ]
