"""`replace` and `to`: a list, a pattern or a literal text."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lib.errors import InvalidInput
from core.stl import patterns, replacing
from core.stl.patterns import compile_pattern
from core.stl.replacing import replace_text


@pytest.mark.parametrize(
    ("text", "replace", "to", "replaced"),
    [
        ("他说她好", "他", "她", "她说她好"),
        ("他说她好", "他,她", "he,she", "he说she好"),
        ("他说她好", "他,她", "who", "who说who好"),
        ("他说她好", "他,她", "", "他说她好"),
        ("他说她好", "他,她,它", "a,b", "他说她好"),
        ("2018年5月", r"/\d+/", "#", "#年#月"),
        ("2018年5月", r"/(\d{4})年/", "$1-", "2018-5月"),
        ("Mr. Lee, mr lee", r"/mr\.?\s/", "", "Lee, lee"),
        ("ab a b", "/a b/", "x", "x a b"),
        ("aab", "/a{1,2}/", "x", "aab"),
        ("a/b", "/", "-", "-a-/-b-"),
        # A list: one after the other, not trimmed, an empty item is found nowhere.
        ("ab", "a,b", "b,c", "cc"),
        ("a, b", "a, b", "1,2", "1,2"),
        ("abc", "a,,c", "x", "xbx"),
        ("a,b", "a,b", ",x", ",x"),
        ("a|b", "a|b,c", "1,2", "1"),
        # Literal texts: letter case counts, signs of patterns mean nothing.
        ("aA.", "A", "b", "ab."),
        ("a.c(", "(", "$1", "a.c$1"),
        ("/a", "/a", "b", "b"),
        ("a", "", "b", "a"),
        ("", "a", "b", ""),
        ("", "//", "b", ""),
    ],
)
def test_replaces(text, replace, to, replaced):
    assert replace_text(text, replace, to) == replaced


@pytest.mark.parametrize(
    ("text", "replace", "to", "replaced"),
    [("他,她", "他,她", "who", "who"), ("aab", "/a{1,2}/", "x", "xb"), ("他她", "他,她", "he,she", "他她")],
)
def test_bodies_have_no_list_form(text, replace, to, replaced):
    assert replace_text(text, replace, to, lists=False) == replaced


@pytest.mark.parametrize(
    ("to", "replaced"),
    [
        ("[$1]", "<[a1]>"),
        ("[$2]", "<[1]>"),
        ("[$3]", "<[a]>"),
        ("[$0$&]", "<[a1a1]>"),
        ("[${1}2]", "<[a12]>"),
        ("[${word}]", "<[a]>"),
        ("[$01]", "<[a1]>"),
        ("[$$1]", "<[$1]>"),
        ("[$`]", "<[<]>"),
        ("[$']", "<[>]>"),
        ("[$_]", "<[<a1>]>"),
        # The last group of .NET's order, in which named groups come after all others.
        ("[$+]", "<[a]>"),
        # What names no group stays.
        ("[$9]", "<[$9]>"),
        ("[$12]", "<[$12]>"),
        ("[${12}]", "<[${12}]>"),
        ("[${nothing}]", "<[${nothing}]>"),
        ("[${]", "<[${]>"),
        ("[$]", "<[$]>"),
        ("[$a \\1]", "<[$a \\1]>"),
        ("[$" + "9" * 5000 + "]", "<[$" + "9" * 5000 + "]>"),
        ("[$" + "0" * 5000 + "1]", "<[$" + "0" * 5000 + "1]>"),
    ],
)
def test_replacements_of_patterns(to, replaced):
    assert replace_text("<a1>", r"/((?<word>[a-z])(\d))/", to) == replaced


def test_a_group_that_took_no_part_is_empty():
    assert replace_text("b", "/(a)?b/", "[$1]") == "[]"


def test_no_group_at_all_makes_the_last_one_the_match():
    assert replace_text("ab", "/b/", "[$+]") == "a[b]"


@pytest.mark.parametrize(
    ("pattern", "text", "replaced"),
    [
        # Letter case and line ends, unless the pattern says otherwise.
        ("A.B", "a\nb", "*"),
        ("(?-i)A", "aA", "a*"),
        ("(?-s)a.", "a\nab", "a\n*"),
        ("(?m)^a", "a\na", "*\n*"),
        ("^a", "a\na", "*\na"),
        ("(?-i:A)b", "aBAB", "aB*"),
        ("(?i-s:a.)", "a\nab", "a\n*"),
        # Blanks and comments.
        ("a # b\n c", "ac", "*"),
        ("(?-x)a b", "a b ab", "* ab"),
        ("(?-x:a b)c d", "a bcd", "*"),
        (r"a\ b", "a b", "*"),
        ("a(?#x)b", "ab", "*"),
        ("a +", "aa b", "* b"),
        # Repeats.
        ("a{2}", "aaa", "*a"),
        ("a{2,}?", "aaaa", "**"),
        ("<.+?>", "<a><b>", "**"),
        ("a{,2}", "a{,2}", "*"),
        ("a{e}", "a{e}", "*"),
        ("x{", "x{", "*"),
        ("aaab*", "aaa", "*"),
        ("aaab?", "aaab", "*"),
        ("aaa[bc]{0,2}d?", "aaa", "*"),
        ("aaab+", "aaabb", "*"),
        ("aaaaaaaaa", "a" * 19, "**a"),
        ("a*", "baac", "*b**c*"),
        # Sets.
        ("[a-c]", "abd", "**d"),
        ("[^a-c]", "abd", "ab*"),
        ("[]a]", "]a", "**"),
        ("[^]a]", "]ab", "]a*"),
        ("[a-z-[aeiou]]", "abe", "a*e"),
        ("[a-z-[^aeiou]]", "abe", "*b*"),
        ("[a-z-[b-y-[m]]]", "abmz", "*b**"),
        ("[-a]", "-a", "**"),
        ("[a-]", "-a", "**"),
        (r"[\d-]", "1-", "**"),
        (r"[\w\-.]", "a-.", "***"),
        ("[[:a]", "[:a", "***"),
        ("[ #]", " #", "**"),
        (r"[\x41-\u0043]", "abcd", "***d"),
        ("[a&&b]", "a&b", "***"),
        # Characters and classes.
        (r"\d", "1٣", "**"),
        (r"\w", "a中_-", "***-"),
        (r"\p{L}", "a1", "*1"),
        (r"\P{Lu}", "1", "*"),
        (r"\t\x41\u4e2d\cA\e\0", "\tA中\x01\x1b\0", "*"),
        (r"\/\.\*\\", "/.*\\", "*"),
        ("中文", "中文", "*"),
        # Places.
        (r"\bb", "b ab", "* ab"),
        (r"a\Z", "a\n", "*\n"),
        (r"a\z", "a\n", "a\n"),
        ("a$", "a\n", "*\n"),
        (r"\Aa", "aa", "*a"),
        ("a(?=b)", "abac", "*bac"),
        ("a(?!b)", "abac", "ab*c"),
        ("(?<=b)a", "aba", "ab*"),
        ("(?<!b)a", "aba", "*ba"),
        ("(?>a+)b", "aab", "*"),
        # Groups.
        (r"(a)\1", "aab", "*b"),
        (r"(?<x>a)(b)\2\1\k<x>\k'x'", "abABAA", "*"),
        ("(?'x'a)", "a", "*"),
        (r"(a)?(?(1)b|c)", "abc", "**"),
        (r"(?<x>a)?(?(x)b|c)", "abc", "**"),
        ("a|b", "ab", "**"),
    ],
)
def test_patterns_are_those_of_dotnet(pattern, text, replaced):
    assert replace_text(text, "/" + pattern + "/", "*", lists=False) == replaced


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", ")", "(a", "a)", "[", "[a", "[]", "*a", "a**", "a++", "(*)", "|+", "a{2}{3}", "{2}", "\\", "[\\"),
        *("[z-a]", r"[a-\d]", "[a-z-[b]c]", "[a-z-[b]"),
        *(r"\2(a)", r"\k<x>", "(?(1)a|b)", "(?(x)a|b)", r"(a)\12", "(?<1>a)", "(?<x-y>a)", "a(?i)b", "(?n)a"),
        *(r"\p{}", r"\p{Nothing}", r"\pL", r"\x4", r"\u12", r"\c1", r"\j"),
        *("a" * 1001, "(" * 51 + ")" * 51),
        # What only the library knows, and .NET does not.
        *("(?R)", "(?1)(a)", "(?&x)(?<x>a)", "(?P<x>a)", "(?r)a", "(?b)a", "(?|a|b)", "(?V1)a", "(?(DEFINE)a)"),
        *("(*FAIL)", r"\L<a>", r"\X", r"\K", r"\R", r"\N{DIGIT ONE}", r"\m", r"\h", r"\g<1>(a)"),
    ],
)
def test_refuses_a_bad_pattern(pattern):
    with pytest.raises(InvalidInput, match=r"^The pattern in replace .*\.$") as refusal:
        replace_text("aaa", f"/{pattern}/", "*", lists=False)
    assert (refusal.value.code, refusal.value.members) == ("bad_pattern", {"member": "replace"})


@pytest.mark.parametrize(
    "pattern",
    [
        "((a{1000}){1000}){1000}",
        "a{100000}",
        "a{999999999}",
        "(" * 20 + "a" + ")+" * 20,
        "(?:" * 40 + "ab" + "){1,5}" * 40,
        "(?=" * 40 + "a" + "){2}" * 40,
        "(a+)+" * 100 + "(((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+",
        "[a]{5000}",
        "(?:(?>ab){5000}){500}",
    ],
)
def test_refuses_a_pattern_that_grows_when_it_is_compiled(pattern):
    with pytest.raises(InvalidInput, match="quantifiers that repeat too much"):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "|".join(["ab"] * 300),
        "(a|" * 45 + "a" + ")" * 45,
        "(?<=" * 45 + "a" + ")" * 45,
        r"(?<=a{1,10000}b{1,10000})c",
        "(?:" * 45 + "ab" + ")*" * 45,
        "(ab){0,999999999}",
        "((a{1,1000}){1,1000}){1,1000}",
        "[" + "ßẞﬀﬁﬂ" * 100 + "]",
        "ſ" * 900,
    ],
)
def test_large_patterns_are_compiled(pattern):
    assert compile_pattern(pattern).expression.finditer("a") is not None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+b", "a" * 50_000 + "c"),
        ("(a|aa)+$", "a" * 50_000 + "b"),
        (r"(?=(a*)*b)c|(\w+)+!", "a" * 50_000 + "?"),
    ],
)
def test_refuses_a_pattern_that_takes_too_long(pattern, text):
    with pytest.raises(InvalidInput, match=r"\.$") as refusal:
        replace_text(text, f"/{pattern}/", "")
    assert refusal.value.code == "pattern_too_slow"


def test_refuses_a_pattern_on_a_text_that_is_too_long(monkeypatch):
    monkeypatch.setattr(replacing, "MAX_PATTERN_TEXT", 3)
    assert replace_text("aaa", "/b/", "") == "aaa"
    with pytest.raises(InvalidInput) as refusal:
        replace_text("aaaa", "/b/", "")
    assert refusal.value.code == "pattern_too_slow"


def test_refuses_a_pattern_whose_matches_take_too_long_to_replace(monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(replacing, "monotonic", lambda: next(clock))
    with pytest.raises(InvalidInput) as refusal:
        replace_text("aaaa", "/a/", "")
    assert refusal.value.code == "pattern_too_slow"


def test_refuses_a_list_with_too_many_items_for_the_text(monkeypatch):
    monkeypatch.setattr(replacing, "MAX_LIST_WORK", 10)
    assert replace_text("aaaaa", "b,c", "x") == "aaaaa"
    with pytest.raises(InvalidInput) as refusal:
        replace_text("aaaaa", "b,c,d", "x")
    assert refusal.value.code == "pattern_too_slow"


def test_long_literal_parts_of_a_pattern_are_broken_up():
    """The library searches for a literal text without a look at its clock."""
    expression = compile_pattern("s" + "k" * 900).expression.pattern
    assert max(run.count(r"\U") for run in expression.split(r"(?!\Z)")) <= 4


@pytest.mark.parametrize(
    ("replace", "to"),
    [
        ("a", "b" * 11),
        ("a,b", "aaaa,bbbb"),
        ("/a/", "$_"),
        ("/a/", "b" * 11),
        ("//", "b" * 10),
        ("/a/", "$`$'$&$1"),
    ],
)
def test_refuses_a_result_that_is_too_large(monkeypatch, replace, to):
    monkeypatch.setattr(replacing, "MAX_RESULT", 100)
    assert replace_text("a" * 4, replace, to)
    with pytest.raises(InvalidInput, match=r"^The result of replace would be longer than 100 characters\.$") as refusal:
        replace_text("a" * 99, replace, to)
    assert refusal.value.code == "result_too_large"


def test_a_long_text_may_still_become_shorter(monkeypatch):
    monkeypatch.setattr(replacing, "MAX_RESULT", 100)
    assert replace_text("a" * 1000, "a", "") == ""


def test_a_pattern_is_compiled_once():
    compile_pattern.cache_clear()
    replace_text("a", "/a/", "")
    replace_text("b", "/a/", "")
    assert compile_pattern.cache_info().misses == 1


PATTERNS = st.text(st.sampled_from(r"ab1()[]{}|\?*+.^$-,:=!<>'#xkdw中 ") | st.characters(codec="utf-8"), max_size=40)


@given(pattern=PATTERNS, to=st.text(st.sampled_from("$&12{}x_+'`,")), text=st.text(st.sampled_from("ab1 中\n🙂")))
def test_answers_or_refuses_whatever_is_sent(pattern, to, text):
    try:
        replaced = replace_text(text, f"/{pattern}/", to)
    except InvalidInput as refusal:
        assert refusal.code in {"bad_pattern", "pattern_too_slow"}
    else:
        replaced.encode()


PARTS = [*("(", "(?:", "(?=", "(?!", "(?<="), *")))ab.|*+?", "[ab]", "{2}", "{1,3}", "{0}", r"\1", r"\b"]


@given(parts=st.lists(st.sampled_from(PARTS), max_size=30))
def test_the_size_of_what_is_compiled_is_known_before(parts):
    try:
        compiled = compile_pattern("".join(parts))
    except InvalidInput:
        return
    assert len(compiled.expression.pattern) <= 20 * patterns.MAX_PATTERN
