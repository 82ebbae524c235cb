"""The parameters of an stl request, read as the template tag reads its attributes."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from core.lib.errors import InvalidInput
from core.stl.attributes import Attributes


def attributes(query):
    return Attributes.of(QueryDict(query))


def test_names_are_read_in_any_letter_case():
    read = attributes("TYPE=title&siteid=5")
    assert read.text("type") == "title"
    assert read.signed("siteId") == 5
    assert "SiteID" in read
    assert "channelId" not in read


def test_nameless_members_are_ignored():
    assert list(attributes("1590000000000&=x&type=id").items()) == [("1590000000000", ""), ("type", "id")]
    assert list(attributes("=x").items()) == []


def test_repeated_parameters_are_joined_with_commas():
    assert attributes("upLevel=1&UPLEVEL=2").text("upLevel") == "1,2"
    assert attributes("upLevel=1&upLevel=2").integer("upLevel") == 0


def test_are_in_the_order_of_the_query():
    read = attributes("upLevel=2&parent=true&type=id&upLevel=3")
    assert list(read.items()) == [("uplevel", "2,3"), ("parent", "true"), ("type", "id")]
    assert list(read) == ["uplevel", "parent", "type"]


def test_can_be_made_of_pairs():
    assert Attributes.of([("type", "id"), ("", "x"), ("Type", "title")]).text("type") == "id,title"


def test_a_text_may_be_empty_or_absent():
    assert attributes("ellipsis=").text("ellipsis", "...") == ""
    assert attributes("").text("ellipsis", "...") == "..."
    assert attributes("leftText=+a+").text("leftText") == " a "


INTEGERS = [
    ("0", 0),
    ("7", 7),
    (" 7 ", 7),
    ("007", 7),
    ("+7", 7),
    ("abc", 0),
    ("", 0),
    ("1.5", 0),
    ("1 2", 0),
    ("٣", 0),
    ("0x10", 0),
    ("2147483647", 2147483647),
]


@pytest.mark.parametrize(
    ("value", "number"), [*INTEGERS, ("-1", 0), ("2147483648", 0), ("9" * 5000, 0), ("0" * 100_000 + "7", 7)]
)
def test_counts(value, number):
    assert Attributes.of([("wordNum", value)]).integer("wordNum", 1) == number


def test_an_absent_count_is_its_default():
    assert attributes("").integer("startNum", 1) == 1


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *INTEGERS,
        ("-3", -3),
        ("-007", -7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", 0),
        ("-9223372036854775809", 0),
        ("9" * 5000, 0),
        ("0" * 100_000 + "x", 0),
    ],
)
def test_ids(value, number):
    assert Attributes.of([("siteId", value)]).signed("siteId") == number


@pytest.mark.parametrize(
    ("query", "is_true"),
    [("b=true", True), ("b=%20TRUE%20", True), ("b=false", False), ("b=False", False), ("", "absent")]
    + [(f"b={value}", "unparsable") for value in ("1", "0", "yes", "", "true,true", "tru")],
)
def test_booleans_and_their_fallbacks(query, is_true):
    assert attributes(query).boolean("b", absent="absent", unparsable="unparsable") == is_true


def test_lists_of_names_are_trimmed_and_hold_no_empty_ones():
    assert attributes("tags=a,,+b+,&tags=c").names("tags") == ["a", "b", "c"]
    assert attributes("").names("tags") == []


@pytest.mark.parametrize("value", ["\0", "a\0b", "\ud800", "a\udfff"])
@pytest.mark.parametrize("read", [Attributes.text, Attributes.integer, Attributes.signed, Attributes.boolean])
def test_a_value_that_no_database_takes_is_refused_once_it_is_read(value, read):
    received = Attributes.of([("Type", value), ("other", "1")])
    assert received.integer("other") == 1
    with pytest.raises(InvalidInput, match=r"^Type must be a text without .*\.$") as refusal:
        read(received, "type")
    assert (refusal.value.code, refusal.value.members) == ("invalid_value", {"member": "Type"})


@given(value=st.text())
def test_nothing_else_is_refused(value):
    received = Attributes.of([("a", value)])
    if "\0" not in value:
        assert 0 <= received.integer("a") < 2**31
        assert abs(received.signed("a")) <= 2**63
        assert received.boolean("a") in (True, False)
