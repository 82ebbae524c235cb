"""The names of an answer's members."""

import pytest

from sql_sandbox.compiling.statement import camel_cased, member_names


@pytest.mark.parametrize(
    "name,member",
    [
        ("Id", "id"),
        ("ID", "id"),
        ("SiteName", "siteName"),
        ("IsRoot", "isRoot"),
        ("URL", "url"),
        ("IPAddress", "ipAddress"),
        ("Total_Count", "total_Count"),
        ("TOTAL_COUNT", "totaL_COUNT"),
        ("COUNT(*)", "counT(*)"),
        ("FOO bar", "foo bar"),
        ("count(*)", "count(*)"),
        ("_Id", "_Id"),
        ("Ämter", "ämter"),
        ("标题", "标题"),
        ("X", "x"),
        ("", ""),
    ],
)
def test_the_leading_capitals_are_lowered(name, member):
    assert camel_cased(name) == member


@pytest.mark.parametrize(
    "names,members",
    [
        (["Id", "ID", "id"], ("id", "id1", "id2")),
        (["Id", "iD"], ("id", "iD1")),
        (["Id", "Id", "Id1"], ("id", "id1", "id11")),
        (["Id1", "Id", "Id"], ("id1", "id", "id2")),
    ],
)
def test_a_member_that_another_column_has_gets_a_number(names, members):
    assert member_names(names) == members
