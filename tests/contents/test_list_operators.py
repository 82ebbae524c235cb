"""`POST /contents`: the operators Between, IsNull, StartsWith, EndsWith and Contains."""

import re
from datetime import datetime
from pathlib import Path

import pytest

from contents.api.serializers import WhereSerializer
from contents.rules.sql import OPERATORS, WORDS
from tests.assertions import assert_error
from tests.contents.asking import ask, found, read, titles
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.every_case

PAGE = Path(__file__).resolve().parents[2] / "docs" / "lists.md"


def three(**fields):
    """Contents a, b and c of one site; each field is a triple of their values."""
    channel = ChannelFactory()
    for place, title in enumerate("abc"):
        ContentFactory(channel=channel, title=title, **{name: values[place] for name, values in fields.items()})
    return channel.site


@pytest.mark.parametrize(("column", "values", "value", "expected"), [
    ("hits", (1, 2, 3), "2,3", "bc"),
    ("hits", (1, 2, 3), " 1 , 1 ", "a"),
    ("hits", (1, 2, 3), "3,1", ""),
    ("hits", (2, 10, 100), "9,11", "b"),
    ("author", ("B", "a", "é"), "A,b", "ab"),
    ("author", ("B", "a", "é"), "a,a", "b"),
    ("add_date", tuple(datetime(2020, 1, day) for day in (1, 2, 3)), "2020-01-02,2020-01-03", "bc"),
    ("add_date", tuple(datetime(2020, 1, day, 12) for day in (1, 2, 3)), "2020-01-02,2020-01-03 11:59", "b"),
    ("last_hits_date", (None, datetime(2020, 1, 1), datetime(2021, 1, 1)), "0001-01-01,2020-06-01", "b"),
    ("is_hot", (False, True, False), "False,false", "ac"),
])  # fmt: skip
def test_between_includes_both_ends(api, column, values, value, expected):
    wire = re.sub("_(.)", lambda match: match[1].upper(), column)
    site = three(**{column: values})
    for operator in ("Between", "between", " BETWEEN "):
        assert found(api, site, (wire, operator, value)) == expected


@pytest.mark.parametrize("value", ["", ",", "1", "1,", ",1", "1,2,3", " , ", "a,b", "1,b", f"1,{2**63}"])
def test_between_needs_two_values_of_the_column(api, value):
    rule = {"column": "hits", "operator": "Between", "value": value}
    body = assert_error(ask(api, SiteFactory(), wheres=[rule]), 400, "invalid_value")
    assert body["message"].startswith("wheres[0].value must be")


@pytest.mark.parametrize(("rule", "expected"), [
    ({}, "a"),
    ({"value": None}, "a"),
    ({"value": "true"}, "a"),
    ({"value": " TRUE "}, "a"),
    ({"value": True}, "a"),
    ({"value": "false"}, "bc"),
    ({"value": False}, "bc"),
])  # fmt: skip
def test_is_null_tells_members_without_value(api, rule, expected):
    site = three(
        author=("", "x", " "), last_hits_date=(None, datetime(2020, 1, 1), datetime(2020, 1, 1)), content=("", "x", "y")
    )
    for column in ("author", "lastHitsDate", "content"):
        for operator in ("IsNull", "ISNULL"):
            assert titles(api, site, wheres=[{"column": column, "operator": operator, **rule}])[::-1] == list(expected)


@pytest.mark.parametrize("column", ["hits", "isTop", "addDate", "id", "title", "settingsXml", "navigationUrl"])
def test_what_always_has_a_value_is_never_null(api, column):
    site = three()
    assert found(api, site, (column, "IsNull", "true")) == ""
    assert found(api, site, (column, "IsNull", "false")) == "abc"


@pytest.mark.parametrize("value", ["", "yes", 1, "null"])
def test_is_null_is_true_or_false(api, value):
    rule = {"column": "author", "operator": "IsNull", "value": value}
    body = assert_error(ask(api, SiteFactory(), wheres=[rule]), 400, "invalid_value")
    assert body["message"] == "wheres[0].value must be true or false."


PARTS = [
    ("Startswith", "lib", "ab"),
    ("StartsWith", "LIB", "ab"),
    ("StartsWith", "y", ""),
    ("EndsWith", "y", "a"),
    ("EndsWith", "%", "b"),
    ("EndsWith", "_", ""),
    ("Contains", "brar", "a"),
    ("Contains", "%", "b"),
    ("Contains", "_", "c"),
    ("Contains", "100%", "b"),
    ("Contains", "É", "c"),
    ("Contains", "é_", "c"),
    ("StartsWith", "École", "c"),
    ("EndsWith", "\\", "c"),
    ("Contains", "!", "b"),
    ("Contains", "[", "c"),
    ("Contains", "*", ""),
    ("Contains", "'", "c"),
    ("Contains", "e", "c"),
]


@pytest.mark.parametrize(("operator", "value", "expected"), PARTS)
def test_a_part_is_looked_for_as_it_is_whatever_its_letter_case(api, operator, value, expected):
    texts = ("Library", "lib! 100%", "ÉCOLE_é_e['\\")
    assert found(api, three(author=texts), ("author", operator, value)) == expected
    assert found(api, three(content=texts), ("content", operator, value)) == expected


@pytest.mark.parametrize(("column", "operator", "value", "expected"), [
    ("hits", "StartsWith", "1", "ab"),
    ("hits", "EndsWith", "0", "b"),
    ("addDate", "StartsWith", "2020-01", "abc"),
    ("isHot", "Contains", "RU", "a"),
])  # fmt: skip
def test_a_part_is_that_of_the_text_form(api, column, operator, value, expected):
    site = three(hits=(1, 10, 2), add_date=(datetime(2020, 1, 1),) * 3, is_hot=(True, False, False))
    assert found(api, site, (column, operator, value)) == expected


@pytest.mark.parametrize("operator", ["StartsWith", "EndsWith", "Contains"])
def test_a_part_has_one_to_255_characters(api, operator):
    site = three(content=("%" * 255, "", ""))
    for letter in "%aé":
        assert found(api, site, ("content", operator, letter * 255)) == ("a" if letter == "%" else "")
        for value in ("", letter * 256):
            rule = {"column": "content", "operator": operator, "value": value}
            body = assert_error(ask(api, site, wheres=[rule]), 400, "invalid_value")
            assert body["message"] == "wheres[0].value must be a text of 1 to 255 characters."


@pytest.mark.parametrize(("rule", "expected"), [
    ({"operator": "IsNull"}, "cd"),
    ({"operator": "IsNull", "value": "false"}, "ab"),
    ({"operator": "Between", "value": "a,z"}, "a"),
    ({"operator": "StartsWith", "value": "R"}, "a"),
    ({"operator": "EndsWith", "value": "2"}, "b"),
    ({"operator": "Contains", "value": "E"}, "a"),
])  # fmt: skip
def test_they_hold_for_custom_fields_too(api, rule, expected):
    channel = ChannelFactory()
    for title, members in [("a", {"Colour": "red"}), ("b", {"colour": 12}), ("c", {"colour": ""}), ("d", {})]:
        assert api.post(f"/api/v1/contents/{channel.site_id}/{channel.pk}", {"title": title, **members})
    rule = {"column": "COLOUR", **rule}
    assert "".join(sorted(titles(api, channel.site, wheres=[rule]))) == expected


def test_a_refusal_the_description_and_the_page_name_every_operator(api):
    rule = {"column": "title", "operator": "?", "value": "x"}
    message = assert_error(ask(api, SiteFactory(), wheres=[rule]), 400, "unknown_operator")["message"]
    words = [operator.word for operator in OPERATORS.values() if operator.word != "!="] + ["!="]
    section = PAGE.read_text(encoding="utf-8").split("## Contents by rules")[1].split("\n## ")[0]
    for word in words:
        assert f" {word}" in message
        assert f"`{word}`" in section
    assert ", ".join(WORDS) in WhereSerializer.field_table()["operator"].help_text


def test_every_operator_is_bound(api):
    site = three(author=("it's", "%s", "x"))
    for operator in OPERATORS.values():
        value = "it's,it's" if operator.word == "Between" else "true" if operator.word == "IsNull" else "it's%"
        rule = {"column": "author", "operator": operator.word, "value": value}
        assert read(api, site, wheres=[rule])["totalCount"] in range(4)
