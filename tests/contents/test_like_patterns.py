"""Patterns of Like as SQLite's functions follow them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contents.rules.sqlite_functions import longest_run, matches, small

EVERY_LETTER = "".join(map(chr, range(0x110000)))


@given(st.text("ab\n", max_size=12), st.text("ab%_", max_size=8))
def test_a_pattern_is_what_the_regular_expression_of_its_form_is(text, pattern):
    form = "".join({"%": ".*", "_": "."}.get(letter, letter) for letter in pattern)
    assert matches(text, pattern) == (re.fullmatch(form, text, re.DOTALL) is not None)


@pytest.mark.parametrize("letter", "*?[]^$.\\({|+#-!'")
def test_nothing_else_has_a_meaning(letter):
    assert matches(f"a{letter}b", f"%{letter}_")
    assert not matches("acb", f"%{letter}_")


@pytest.mark.parametrize("place", [0, 1, 32_760, 32_765, 32_768, 65_530, 90_000])
def test_a_run_with_a_gap_is_found_wherever_it_stands(place):
    text = "x" * place + "harbour" + "x" * 1000
    assert matches(text, "%harb_ur%")
    assert matches(text, "%h_r%b_u%r_x%")
    assert not matches(text, "%harb_us%")


def test_small_letters_are_one_for_each_letter():
    assert list(small(EVERY_LETTER)) == [small(letter) for letter in EVERY_LETTER]


@pytest.mark.parametrize(("capital", "expected"), [("ÉCOLE", "école"), ("ΟΔΟΣ", "οδοσ"), ("İ", "i"), ("ẞ", "ß")])
def test_capitals_are_their_small_letters(capital, expected):
    assert small(capital) == expected


@pytest.mark.parametrize(("pattern", "length"), [("%", 0), ("ab%c%_def", 4), ("%abc", 3)])
def test_the_longest_run(pattern, length):
    assert longest_run(pattern) == length
