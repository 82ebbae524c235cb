"""What integrators write is understood and answered, the same on every database."""

import json

import pytest

from tests.sql.asking import ask
from tests.sql.honest import HONEST, PAGING
from tests.sql.world import A

SITE = ["id", "siteName", "siteDir", "tableName", "isRoot", "parentId", "taxis", "settingsXml"]
KEYS = {"every site": None, "one site": (A,)}
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_box")]


def rows(statement, site_ids=None, **window):
    """The rows of a statement that is carried out to its end."""
    outcome = ask(statement, site_ids, **window)
    assert not outcome.is_refused, outcome
    assert not outcome.truncated
    return json.loads(outcome.rows)


def in_order(found):
    """The rows with their members as pairs, since the order of members counts, too."""
    return [list(row.items()) for row in found]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.statement[:90])
def test_honest_statements_get_their_rows(world, case, key):
    if case.every_site and KEYS[key]:
        pytest.skip("shows rows of other sites")
    assert in_order(rows(case.statement, KEYS[key])) == in_order(case.expected)


def test_the_sample_of_the_interface_shows_the_columns_of_the_site_table(world):
    found = rows("SELECT * FROM siteserver_Site")
    assert [list(row) for row in found] == [SITE] * 3
    assert found[0]["siteName"] == "Harbour 港口"
    assert set(found[0]["settingsXml"].split("&")) == {"charset=gb2312", "pagesize=30"}
    assert [row["isRoot"] for row in found] == ["True", "False", "False"]


def test_the_star_of_a_limited_key_has_the_rows_of_its_site(world):
    assert [row["id"] for row in rows("SELECT * FROM siteserver_Site", (A,))] == [A]


@pytest.mark.parametrize("key", KEYS)
def test_paging_over_settings_as_it_was_sent_to_the_original(world, key):
    found = rows(PAGING, KEYS[key])
    assert [(row["rownumber"], row["id"]) for row in found] == [
        (1, 106), (2, 105), (3, 104), (4, 103), (5, 102), (6, 101)]  # fmt: skip
    assert all(list(row)[:3] == ["rownumber", "id", "channelId"] for row in found)
    assert found[5]["title"] == "Harbour opens"
    assert json.loads(found[5]["settingsXml"])["noticeType"] == "gold"


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ({}, [107, 102, 105, 101, 103, 106, 104]),
        ({"total": 2}, [107, 102]),
        ({"start": 3}, [105, 101, 103, 106, 104]),
        ({"start": 2, "total": 2}, [102, 105]),
        ({"start": 99}, []),
        ({"order": (("hits", False), ("id", True))}, [104, 106, 103, 101, 105, 102, 107]),
        ({"order": (("Hits", False), ("ID", True)), "start": 2, "total": 3}, [106, 103, 101]),
    ],
    ids=repr,
)
def test_order_and_window_are_those_of_the_result(world, window, expected):
    statement = "SELECT Id, Hits FROM siteserver_Content_1 ORDER BY Hits DESC, Id"
    assert [row["id"] for row in rows(statement, **window)] == expected


def test_a_window_lies_within_the_limit_of_the_statement(world):
    statement = "SELECT TOP 3 Id FROM siteserver_Content_1 ORDER BY Id"
    assert [row["id"] for row in rows(statement, start=2, total=9)] == [102, 103]


def test_a_column_without_a_name_has_one(world):
    [row] = rows("SELECT COUNT(*), MAX(Hits) FROM siteserver_Content_1")
    assert list(row.values()) == [7, 100]
    assert all(row)


def test_columns_of_one_name_do_not_hide_each_other(world):
    [row] = rows(
        "SELECT s.Id, c.Id FROM siteserver_Site s JOIN siteserver_Channel c ON c.SiteId = s.Id WHERE c.Id = 12"
    )
    assert list(row.values()) == [1, 12]
