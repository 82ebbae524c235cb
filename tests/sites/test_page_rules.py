"""Rules that name pages, without a database."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sites.page_rules import (
    LEFT_OUT,
    Choice,
    Token,
    clean,
    directory,
    fill,
    fill_wholly,
    lower,
    parse_rule,
    token_names,
)

VALUES = {"id": "7", "name": "A b", "empty": "", "slashes": "/x//y/", "rule": "{@id}(a|b)", "odd": "'a\"%\\\r\n\t:b"}


def look_up(name):
    return VALUES.get(name, "")


@pytest.mark.parametrize("rule,expected", [
    ("", "/"),
    ("/", "/"),
    ("a.html", "/a.html"),
    ("/a.html", "/a.html"),
    ("//a///b.html//", "/a/b.html/"),
    ("/{@id}.html", "/7.html"),
    ("{@ID}{@Id}", "/77"),
    ("/{@empty}/{@id}.html", "/7.html"),
    ("/{@unknown}.html", "/.html"),
    ("/{@slashes}/{@id}", "/x/y/7"),
    ("/{@name}.html", "/A b.html"),
    ("/{@rule}.html", "/{@id}(ab).html"),
    ("/{@odd}.html", "/ab.html"),
    ("/'\"%.html", "/'\"%.html"),
    ("/(a|b).html", "/a.html"),
    ("/(|b).html", "/b.html"),
    ("/(a|).html", "/a.html"),
    ("/(|).html", "/.html"),
    ("/(||c|d).html", "/c.html"),
    ("/({@empty}|{@id}).html", "/7.html"),
    ("/({@empty}|{@unknown}|).html", "/.html"),
    ("/({@empty}{@id}|b).html", "/7.html"),
    ("/(x{@empty}|b).html", "/x.html"),
    ("/({@name}|{@id})({@empty}|-{@id}).html", "/A b-7.html"),
    ("/(a).html", "/(a).html"),
    ("/().html", "/().html"),
    ("/a|b.html", "/a|b.html"),
    ("/(a|b.html", "/(a|b.html"),
    ("/a|b).html", "/a|b).html"),
    ("/((a|b)|c).html", "/(a|c).html"),
    ("/{@}.html", "/{@}.html"),
    ("/{id}.html", "/{id}.html"),
    ("/{@id.html", "/{@id.html"),
    ("/{@ id}.html", "/{@ id}.html"),
    ("/{@a-b}.html", "/{@a-b}.html"),
    ("/{{@id}}.html", "/{7}.html"),
    ("/@id.html", "/@id.html"),
])  # fmt: skip
def test_a_rule_gives_a_path(rule, expected):
    assert fill_wholly(parse_rule(rule), look_up) == expected


@pytest.mark.parametrize("rule,parts", [
    ("", ()),
    ("a", ("a",)),
    ("a{@B}c", ("a", Token("b"), "c")),
    ("{@A}{@b}", (Token("a"), Token("b"))),
    ("(a|{@B})", (Choice((("a",), (Token("b"),))),)),
    ("x(|y)z", ("x", Choice(((), ("y",))), "z")),
    ("{@STRASSE}{@straße}", (Token("strasse"), Token("strasse"))),
])  # fmt: skip
def test_a_rule_has_parts(rule, parts):
    assert parse_rule(rule) == parts


@pytest.mark.parametrize("rule,known,parts", [
    ("/a/{@id}/{@x}.html", {"id": "7"}, ("/a/7/", Token("x"), ".html")),
    ("{@id}{@x}", {"id": ""}, (Token("x"),)),
    ("({@id}|b)", {"id": ""}, ("b",)),
    ("({@id}|b)", {"id": "7"}, ("7",)),
    ("({@x}|{@id}|c)", {"id": "7"}, (Choice(((Token("x"),), ("7",))),)),
    ("({@x}|{@id}|c)", {"id": ""}, (Choice(((Token("x"),), ("c",))),)),
    ("({@id}|{@x})", {"id": ""}, (Choice(((Token("x"),),)),)),
    ("({@id}|{@id})", {"id": ""}, ()),
])  # fmt: skip
def test_what_is_not_known_yet_stays(rule, known, parts):
    assert fill(parse_rule(rule), known.get) == parts


@pytest.mark.parametrize("path,expected", [("", ""), ("/a.html", ""), ("/a/b.html", "/a"), ("/a/b/", "/a/b")])
def test_a_path_has_a_directory(path, expected):
    assert directory(path) == expected


def test_small_letters_are_those_of_ascii():
    assert lower("ABC xyz ÉİẞД 中") == "abc xyz ÉİẞД 中"


def test_values_lose_what_no_address_has():
    assert clean(f"a{LEFT_OUT}b/c 中😀&=.;") == "ab/c 中😀&=.;"


def test_the_tokens_of_a_rule_are_known():
    assert token_names(parse_rule("/{@A}/(x{@b}|{@C}|d).html")) == {"a", "b", "c"}


NAMES = ["id", "Name", "EMPTY", "slashes", "odd", "unknown", "rule"]
PIECES = st.sampled_from([*"(|)/{}@a.", "//", "{@", "%s", "'", "中", *(f"{{@{name}}}" for name in NAMES)])
RULES = st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=30)


@given(RULES, st.sets(st.sampled_from([name.casefold() for name in NAMES])))
def test_two_steps_give_what_one_step_gives(rule, known):
    parts = parse_rule(rule)
    first = fill(parts, lambda name: look_up(name) if name in known else None)
    assert fill_wholly(first, look_up) == fill_wholly(parts, look_up)
    assert token_names(first) <= token_names(parts) - known
    assert fill(first, lambda name: None) == first


@given(st.text(), st.dictionaries(st.text(max_size=5), st.text(max_size=5)))
def test_any_rule_gives_a_path(rule, values):
    path = fill_wholly(parse_rule(rule), lambda name: values.get(name, ""))
    assert path.startswith("/")
    assert "//" not in path


@given(RULES)
def test_a_filled_rule_has_no_empty_parts_and_no_two_texts_in_a_row(rule):
    filled = fill(parse_rule(rule), lambda name: look_up(name) if name != "id" else None)
    assert "" not in filled
    assert not any(isinstance(one, str) and isinstance(other, str) for one, other in pairwise(filled))
