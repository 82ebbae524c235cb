"""The stl parameter `order`: what is read and what is refused where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lib.errors import InvalidInput
from core.rest.rules import OrderRule
from core.stl.where import MAX_CHARACTERS, MAX_COLUMNS, parse_order


def refusal(text):
    """The sentence that says why the text is refused."""
    with pytest.raises(InvalidInput) as caught:
        parse_order(text)
    assert caught.value.code == "bad_order"
    assert caught.value.members == {"member": "order"}
    return caught.value.message


@pytest.mark.parametrize("text,expected", [
    ("Taxis", [("Taxis", False)]),
    ("Taxis ASC", [("Taxis", False)]),
    ("Taxis DESC", [("Taxis", True)]),
    ("taxis desc,id", [("taxis", True), ("id", False)]),
    (" a , b dEsC , c AsC ", [("a", False), ("b", True), ("c", False)]),
    ("ORDER BY a DESC", [("a", True)]),
    ("order  by a", [("a", False)]),
    ("[a b] DESC", [("a b", True)]),
    ("`order`, \"desc\" desc", [("order", False), ("desc", True)]),
    ("c.a, [c].[b] DESC", [("a", False), ("b", True)]),
    ("[a]desc", [("a", True)]),
    ("价格", [("价格", False)]),
    ("and, null, where", [("and", False), ("null", False), ("where", False)]),
    ("a, a DESC", [("a", False), ("a", True)]),
])  # fmt: skip
def test_an_order_is_columns_with_directions(text, expected):
    assert parse_order(text) == [OrderRule(column, descending) for column, descending in expected]


COLUMN = "a column"
END = "ASC, DESC, a comma or the end"


@pytest.mark.parametrize("text,found,place,expected", [
    ("", None, 0, COLUMN),
    ("ORDER BY", None, 8, COLUMN),
    ("ORDER a", "a", 7, "BY"),
    ("BY a", "BY", 1, COLUMN),
    ("order", None, 5, "BY"),
    ("a,", None, 2, COLUMN),
    (",a", ",", 1, COLUMN),
    ("a,,b", ",", 3, COLUMN),
    ("a b", "b", 3, END),
    ("a ASC DESC", "DESC", 7, END),
    ("a DESC NULLS LAST", "NULLS", 8, END),
    ("a COLLATE x", "COLLATE", 3, END),
    ("1", "1", 1, COLUMN),
    ("'a'", "'a'", 1, COLUMN),
    ("RAND()", "(", 5, END),
    ("(a)", "(", 1, COLUMN),
    ("(SELECT 1)", "(", 1, COLUMN),
    ("CASE WHEN a = 1 THEN b END", "WHEN", 6, END),
    ("a; DROP TABLE x", ";", 2, END),
    ("a -- x", "--", 3, END),
    ("a LIMIT 1", "LIMIT", 3, END),
    ("-a", "-", 1, COLUMN),
    ("a + b", "+", 3, END),
    ("a.b.c", ".", 4, END),
    ("[]", "[]", 1, COLUMN),
])  # fmt: skip
def test_anything_else_is_refused_at_its_character(text, found, place, expected):
    stands = f"ends after character {place}" if found is None else f"has {found} at character {place}"
    assert refusal(text) == f"order {stands}, where {expected} is expected."


@pytest.mark.parametrize("text,message", [
    ("a, [b", "order has [ at character 4, which is not closed."),
    ("a\0", "order has U+0000 at character 2, which is not allowed."),
])  # fmt: skip
def test_what_cannot_be_read_is_refused(text, message):
    assert refusal(text) == message


def test_the_number_of_columns_is_limited():
    most = ",".join(["a"] * MAX_COLUMNS)
    assert len(parse_order(most)) == MAX_COLUMNS
    assert refusal(most + ",a") == f"order has too many columns at character 21; at most {MAX_COLUMNS} are allowed."


def test_the_length_is_limited():
    assert f"at most {MAX_CHARACTERS} characters" in refusal("a" * (MAX_CHARACTERS + 1))


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["a", "[b]", "t.", ",", "ASC", "DESC", "ORDER", "BY", "(", "'", "1"])).map(" ".join)
)
def test_any_text_is_read_or_refused(text):
    try:
        rules = parse_order(text)
    except InvalidInput as refused:
        assert refused.code == "bad_order"
        assert "character" in refused.message
    else:
        assert 1 <= len(rules) <= MAX_COLUMNS
