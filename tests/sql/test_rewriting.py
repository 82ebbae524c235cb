"""Statements that are written differently so that engines do less: the rows stay the same."""

import pytest

from tests.sql.running import ENGINE_NAMES, compiled, opened

# Conditions inside IN that speak of the rows outside: the ids that are expected.
HOISTED = [
    ("Id IN (SELECT c.Id FROM (SELECT Id FROM siteserver_Content) c WHERE ChannelId = 10)", [1, 2]),
    ("Id IN (SELECT c.Id FROM (SELECT Id FROM siteserver_Content) c WHERE ChannelId = 10 AND c.Id > 1)", [2]),
    ("Id IN (SELECT c.Id FROM (SELECT Id FROM siteserver_Content) c WHERE 1 = 1 AND ChannelId IN (20) AND Hits < 0)",
     [3]),
    # ChannelId is NULL in row 5: among no rows is false, and not among them is true.
    ("Id NOT IN (SELECT c.Id FROM (SELECT Id FROM siteserver_Content) c WHERE ChannelId = 10)", [3, 4, 5]),
    ("(Id IN (SELECT c.Id FROM (SELECT Id FROM siteserver_Content) c WHERE ChannelId = 10)) IS NULL", []),
    # One row, whatever the condition: there is a count of nothing.
    ("0 IN (SELECT COUNT(*) FROM siteserver_Channel c WHERE ChannelId = 10)", [3, 4, 5]),
    ("0 IN (SELECT COUNT(*) FROM siteserver_Channel c WHERE ChannelId = 10 GROUP BY c.ParentId)", []),
    # Conditions that speak of both sides stay where they are.
    ("Id IN (SELECT c.Id FROM siteserver_Content c WHERE c.ChannelId = o.ChannelId AND o.ChannelId = 20)", [3, 4]),
    ("10 IN (SELECT c.Id FROM siteserver_Channel c WHERE o.Hits > 0 OR c.Id = 30)", [1, 5]),
    ("10 IN (SELECT c.Id FROM siteserver_Channel c WHERE EXISTS (SELECT 1 FROM siteserver_Channel WHERE o.Id = 2))",
     [2]),
]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINE_NAMES)
@pytest.mark.parametrize(("condition", "expected"), HOISTED)
def test_a_condition_of_the_rows_outside_means_the_same_before_in(engine, condition, expected):
    with opened(engine) as database:
        rows = database.run(compiled(f"SELECT Id FROM siteserver_Content o WHERE {condition} ORDER BY Id", engine))
    assert [row[0] for row in rows] == expected


def test_a_sub_query_without_such_conditions_does_not_speak_of_the_rows_outside():
    statement = compiled(f"SELECT Id FROM siteserver_Content o WHERE {HOISTED[0][0]}")
    inside = statement.sql.split(" IN (", 1)[1].split(" ORDER ", 1)[0]
    assert '"t1"."channelid"' in statement.sql
    assert '"t1"' not in inside.split(" THEN ")[-1].split(")")[0]


IN_TWO_STEPS = 'INNER JOIN "v1" AS "t1" ON ("t1"."id" = '
# Sorted statements that answer bodies: ids in order, on both engines.
SORTED = [
    ("SELECT * FROM siteserver_Content ORDER BY Hits DESC", [5, 1, 2, 3, 4]),
    ("SELECT TOP 2 Id, Content FROM siteserver_Content ORDER BY AddDate DESC", [2, 1]),
    ("SELECT Id, Content FROM siteserver_Content WHERE ChannelId = 10 ORDER BY Title DESC LIMIT 1, 5", [1]),
    ("SELECT Id, LEN(Content) AS n FROM siteserver_Content ORDER BY LEN(Content) DESC, Id DESC LIMIT 3", [1, 5, 2]),
    ("SELECT Id, (SELECT ChannelName FROM siteserver_Channel WHERE Id = t.ChannelId) AS c, Content "
     "FROM siteserver_Content t WHERE EXISTS (SELECT 1 FROM siteserver_Channel WHERE Id = t.ChannelId) "
     "ORDER BY c, t.Id DESC", [2, 1, 4, 3]),
]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINE_NAMES)
@pytest.mark.parametrize(("statement", "expected"), SORTED)
def test_rows_with_bodies_come_in_their_order(engine, statement, expected):
    with opened(engine) as database:
        assert [row[0] for row in database.run(compiled(statement, engine))] == expected


@pytest.mark.parametrize(("statement", "_"), SORTED)
def test_sqlite_chooses_sorted_rows_by_number_before_it_reads_bodies(statement, _):
    assert IN_TWO_STEPS in compiled(statement).sql
    assert IN_TWO_STEPS not in compiled(statement, "postgresql").sql


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT Id, Title FROM siteserver_Content ORDER BY Hits",
        "SELECT Id, Content FROM siteserver_Content",
        "SELECT DISTINCT Content FROM siteserver_Content ORDER BY Content",
        "SELECT MAX(Content) AS m FROM siteserver_Content GROUP BY ChannelId ORDER BY m",
        "SELECT Content, ROW_NUMBER() OVER (ORDER BY Id) AS n FROM siteserver_Content ORDER BY n",
        "SELECT a.Content FROM siteserver_Content a JOIN siteserver_Content b ON a.Id = b.Id ORDER BY a.Id",
        "SELECT Id, Content FROM siteserver_Content UNION SELECT 1, 'x' ORDER BY 1",
    ],
)
def test_other_statements_are_written_in_one_step(statement):
    assert IN_TWO_STEPS not in compiled(statement).sql
