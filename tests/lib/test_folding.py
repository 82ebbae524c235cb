"""How names are compared, and which texts are blank."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lib.folding import FOLDED_LENGTH, MAX_FOLDED, blanks, doubled, fold, is_blank

TEXTS = st.text(st.characters(codec="utf-8"), max_size=300)


@pytest.mark.parametrize(
    "one,other",
    [
        ("Ärger", "ärger"),
        ("A\u0308rger", "ärger"),
        ("Straße", "STRASSE"),
        ("İnci", "inci"),
        ("i\u0307nci", "INCI"),
        ("ırmak", "IRMAK"),
        ("\u212aate", "kate"),
        ("ſun", "SUN"),
        ("ΟΔΟΣ", "οδος"),
        ("ａｄｍｉｎ", "ADMIN"),
        ("ad\u200bmin", "admin"),
        ("ad\u00admin", "admin"),
        ("①", "1"),
    ],
)
def test_spellings_of_one_name(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize("one,other", [("Ärger", "Arger"), ("海港", "海"), ("a b", "ab"), ("а", "a")])
def test_other_names(one, other):
    assert fold(one) != fold(other)


@given(TEXTS)
def test_a_folded_name_stays_the_same(text):
    folded = fold(text)
    assert fold(folded) == folded or len(folded) == MAX_FOLDED
    assert len(folded) <= MAX_FOLDED
    assert len(doubled(text)) <= FOLDED_LENGTH
    assert fold(doubled(text)) != doubled(text)  # no name folds to it
    assert bool(folded) == bool(text)


@given(TEXTS)
def test_letter_case_of_plain_letters_makes_no_difference(text):
    assert fold(text.swapcase()) == fold(text) or any(ord(letter) > 127 for letter in text)


def test_long_names_that_differ_at_their_end_are_not_equal():
    assert fold("\ufdfa" * 200 + "a") != fold("\ufdfa" * 200 + "b")


@pytest.mark.parametrize(
    "text",
    ["", " ", "\t\n", "\xa0", "\u3000", "\u200b", "\ufeff", "\u3164", "\u2800", "\x07\x1f", "\u2003\u200d \u2060"],
)
def test_blank_texts(text):
    assert is_blank(text)
    assert not is_blank(f"{text}海")


def test_all_blank_letters_are_listed():
    categories = {"Cc", "Cf", "Zs", "Zl", "Zp"}
    every = {chr(code) for code in range(1, 0x110000) if unicodedata.category(chr(code)) in categories}
    assert every <= set(blanks())
    assert all(map(is_blank, blanks()))
