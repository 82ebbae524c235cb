"""The stl parameter `where`: what is read, what it means, and what is refused where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lib.errors import InvalidInput
from core.rest.rules import AllOf, AnyOf, Negation, Rule
from core.stl.where import IS_NULL, MAX_CHARACTERS, MAX_DEPTH, MAX_RULES, parse_where
from tests.stl.expressions import expressions, write

A, B, C = (Rule(name, "=", "1") for name in "abc")


def refusal(text):
    """The sentence that says why the text is refused."""
    with pytest.raises(InvalidInput) as caught:
        parse_where(text)
    assert caught.value.code == "bad_where"
    assert caught.value.members == {"member": "where"}
    return caught.value.message


@pytest.mark.parametrize("written,operator,turned", [
    ("=", "=", "="),
    ("!=", "!=", "!="),
    ("<>", "!=", "!="),
    (">", ">", "<"),
    (">=", ">=", "<="),
    ("<", "<", ">"),
    ("<=", "<=", ">="),
])  # fmt: skip
def test_a_comparison_is_read_in_either_direction(written, operator, turned):
    for blank in ("", " ", " \t\r\n\u3000"):
        assert parse_where(f"hits{blank}{written}{blank}5") == Rule("hits", operator, "5")
        assert parse_where(f"5{blank}{written}{blank}hits") == Rule("hits", turned, "5")


@pytest.mark.parametrize("written,value", [
    ("'x'", "x"),
    ("''", ""),
    ("'it''s'", "it's"),
    ("''''", "'"),
    ("''''''", "''"),
    ("N'中文'", "中文"),
    ("n'x'", "x"),
    ("N''", ""),
    ("'a\nb'", "a\nb"),
    ("'-- ; /* [x] \"y\" `z`'", '-- ; /* [x] "y" `z`'),
    ("'%s {0} \\'", "%s {0} \\"),
    ("'AND'", "AND"),
    ("'NULL'", "NULL"),
    ("0", "0"),
    ("10", "10"),
    ("007", "007"),
    ("-3", "-3"),
    ("+3", "+3"),
    ("1.50", "1.50"),
    ("-0.5", "-0.5"),
    ("TRUE", "True"),
    ("false", "False"),
    ("True", "True"),
])  # fmt: skip
def test_a_value_is_a_text_a_number_or_a_flag(written, value):
    assert parse_where(f"a = {written}") == Rule("a", "=", value)
    assert parse_where(f"{written} = a") == Rule("a", "=", value)


@pytest.mark.parametrize("written,column", [
    ("Title", "Title"),
    ("title", "title"),
    ("_x1", "_x1"),
    ("价格", "价格"),
    ("émile", "émile"),
    ("desc", "desc"),
    ("ıs", "ıs"),
    ("ıſ", "ıſ"),
    ("[Title]", "Title"),
    ("`Title`", "Title"),
    ('"Title"', "Title"),
    ("[a b'\"`]", "a b'\"`"),
    ("[and]", "and"),
    ("[a.b]", "a.b"),
    ("`50%`", "50%"),
    ("c.Title", "Title"),
    ("siteserver_Content.Title", "Title"),
    ("[siteserver_Content].[Title]", "Title"),
    ("`c`.\"Title\"", "Title"),
    ("c . Title", "Title"),
    ("c.[in]", "in"),
    ("N", "N"),
    ("n.N", "N"),
    ("Nx", "Nx"),
])  # fmt: skip
def test_a_column_may_be_quoted_and_have_its_table_before_it(written, column):
    assert parse_where(f"{written} = 1") == Rule(column, "=", "1")
    assert parse_where(f"1={written}") == Rule(column, "=", "1")
    assert parse_where(f"{written} IS NULL") == Rule(column, IS_NULL, "true")


LIST = AnyOf((Rule("a", "=", "1"), Rule("a", "=", "x"), Rule("a", "=", "True")))
SPAN = AllOf((Rule("a", ">=", "1"), Rule("a", "<=", "9")))


@pytest.mark.parametrize("text,expression", [
    ("a LIKE '%x_'", Rule("a", "Like", "%x_")),
    ("a like N'x'", Rule("a", "Like", "x")),
    ("a NOT LIKE '%x'", Rule("a", "NotLike", "%x")),
    ("a IN (1, 'x',TRUE)", LIST),
    ("a NOT IN(1,'x',true)", Negation(LIST)),
    ("a IN ('x')", Rule("a", "=", "x")),
    ("a NOT IN ('x')", Negation(Rule("a", "=", "x"))),
    ("a BETWEEN 1 AND 9", SPAN),
    ("a NOT BETWEEN '1' AND '9'", Negation(SPAN)),
    ("a IS NULL", Rule("a", IS_NULL, "true")),
    ("a IS NOT NULL", Negation(Rule("a", IS_NULL, "true"))),
    ("a between 1 and 9 and b = 1", AllOf((SPAN, B))),
    ("NOT a = 1", Negation(A)),
    ("NOT NOT a = 1", Negation(Negation(A))),
    ("NOT (a = 1)", Negation(A)),
    ("((a = 1))", A),
    ("a=1 AND b=1 AND c=1", AllOf((A, B, C))),
    ("a=1 OR b=1 OR c=1", AnyOf((A, B, C))),
    ("a=1 OR b=1 AND c=1", AnyOf((A, AllOf((B, C))))),
    ("a=1 AND b=1 OR c=1", AnyOf((AllOf((A, B)), C))),
    ("(a=1 OR b=1) AND c=1", AllOf((AnyOf((A, B)), C))),
    ("a=1 AND (b=1 AND c=1)", AllOf((A, AllOf((B, C))))),
    ("NOT a=1 AND b=1", AllOf((Negation(A), B))),
    ("NOT (a=1 AND b=1) OR NOT c=1", AnyOf((Negation(AllOf((A, B))), Negation(C)))),
    ("a=1 aNd(b=1)oR c=1", AnyOf((AllOf((A, B)), C))),
    ("a='1'AND b='1'", AllOf((A, B))),
    ("WHERE a = 1", A),
    (" where(a=1)", A),
    ("wHeRe a=1 or b=1", AnyOf((A, B))),
])  # fmt: skip
def test_a_condition_is_what_sql_means_by_it(text, expression):
    assert parse_where(text) == expression


VALUE = "a text in single quotes, a number, TRUE or FALSE"
START = "a column, a value, NOT or ("
END = "AND, OR or the end"


@pytest.mark.parametrize("text,found,place,expected", [
    ("a = 1;", ";", 6, END),
    ("a = 1; DROP TABLE x", ";", 6, END),
    ("a = 1 -- x", "--", 7, END),
    ("a = 1 /* x */", "/*", 7, END),
    ("/* x */ a = 1", "/*", 1, START),
    ("a = 1 # x", "#", 7, END),
    ("a = 1 UNION SELECT 1", "UNION", 7, END),
    ("a = (SELECT 1)", "(", 5, VALUE),
    ("a IN (SELECT 1)", "SELECT", 7, VALUE),
    ("a IN ()", ")", 7, VALUE),
    ("a IN (1,)", ")", 9, VALUE),
    ("a IN (1 2)", "2", 9, "a comma or )"),
    ("a IN 1", "1", 6, "("),
    ("a IN (b)", "b", 7, VALUE),
    ("EXISTS (SELECT 1)", "(", 8, "an operator"),
    ("SELECT * FROM x", "*", 8, "an operator"),
    ("LOWER(a) = 'x'", "(", 6, "an operator"),
    ("a = LOWER('x')", "LOWER", 5, VALUE),
    ("a = 1 + 1", "+", 7, END),
    ("a = 1-1", "-1", 6, END),
    ("a + 1 = 2", "+", 3, "an operator"),
    ("a = - 1", "-", 5, VALUE),
    ("a = --1", "--", 5, VALUE),
    ("a = b", "b", 5, VALUE),
    ('a = "b"', '"b"', 5, VALUE),
    ("a = NULL", "NULL", 5, VALUE),
    ("a = @x", "@", 5, VALUE),
    ("a = ?", "?", 5, VALUE),
    ("a = :x", ":", 5, VALUE),
    ("a = %s", "%", 5, VALUE),
    ("a = 1.5.2", "1.5.2", 5, VALUE),
    ("a = 1e5", "1e5", 5, VALUE),
    ("a=1AND b=1", "1AND", 3, VALUE),
    ("a = 0x41", "0x41", 5, VALUE),
    ("a = 5.", "5.", 5, VALUE),
    ("a = .5", ".", 5, VALUE),
    ("a = ٣", "٣", 5, VALUE),
    ("a = x'41'", "x", 5, VALUE),
    ("a == 1", "=", 4, VALUE),
    ("a => 1", ">", 4, VALUE),
    ("a !> 1", "!", 3, "an operator"),
    ("a <=> 1", ">", 5, VALUE),
    ("a REGEXP 'x'", "REGEXP", 3, "an operator"),
    ("a LIKE 5", "5", 8, "a pattern in single quotes"),
    ("a LIKE b", "b", 8, "a pattern in single quotes"),
    ("a LIKE 'x' ESCAPE '!'", "ESCAPE", 12, END),
    ("a LIKE 'x' || 'y'", "|", 12, END),
    ("'x' LIKE a", "LIKE", 5, "a comparison such as ="),
    ("5 IN (a)", "IN", 3, "a comparison such as ="),
    ("1 = 1", "1", 5, "a column"),
    ("'a' = 'a'", "'a'", 7, "a column"),
    ("1 < a < 3", "<", 7, END),
    ("TRUE OR a = 1", "OR", 6, "a comparison such as ="),
    ("a IS 1", "1", 6, "NULL or NOT NULL"),
    ("a IS NOT 1", "1", 10, "NULL"),
    ("a IS NOT DISTINCT FROM 1", "DISTINCT", 10, "NULL"),
    ("a NOT = 1", "=", 7, "LIKE, IN or BETWEEN"),
    ("a BETWEEN 1 OR 2", "OR", 13, "AND"),
    ("a BETWEEN 1, 2", ",", 12, "AND"),
    ("a BETWEEN b AND 2", "b", 11, VALUE),
    ("a", None, 1, "an operator"),
    ("a =", None, 3, VALUE),
    ("a = 1 AND", None, 9, START),
    ("a = 1 OR  ", None, 10, START),
    ("NOT", None, 3, START),
    ("(a = 1", None, 6, "AND, OR or )"),
    ("a = 1)", ")", 6, END),
    ("()", ")", 2, START),
    ("(a) = 1", ")", 3, "an operator"),
    ("(a, b) = 1", ",", 3, "an operator"),
    ("AND a = 1", "AND", 1, START),
    ("a = 1 b = 1", "b", 7, END),
    ("a = 1 AND OR b = 1", "OR", 11, START),
    ("a = 1 && b = 1", "&", 7, END),
    ("WHERE", None, 5, START),
    ("WHERE WHERE a = 1", "WHERE", 7, START),
    ("a = 1 WHERE b = 1", "WHERE", 7, END),
    ("a.b.c = 1", ".", 4, "an operator"),
    ("a. = 1", "=", 4, "a column"),
    (".a = 1", ".", 1, START),
    ("a.* = 1", "*", 3, "a column"),
    ("[] = 1", "[]", 1, START),
    ("[ ] = 1", "[ ]", 1, START),
    ("[a]b = 1", "b", 4, "an operator"),
    ("[a]]b] = 1", "]", 4, "an operator"),
    ("in = 1", "in", 1, START),
    ("2nd = 1", "2nd", 1, START),
    ("a = 1 " + "x" * 100, "x" * 20 + "…", 7, END),
    ("", None, 0, START),
    (" ", None, 1, START),
])  # fmt: skip
def test_anything_else_is_refused_at_its_character(text, found, place, expected):
    stands = f"ends after character {place}" if found is None else f"has {found} at character {place}"
    assert refusal(text) == f"where {stands}, where {expected} is expected."


@pytest.mark.parametrize("text,opened,place", [
    ("a = 'x", "'", 5),
    ("a = 'x''", "'", 5),
    ("a = 'x''y''", "'", 5),
    ("a = N'x", "N'", 5),
    ("a = 'x' AND b = 'y", "'", 17),
    ("[a = 1", "[", 1),
    ("`a = 1", "`", 1),
    ('c."a = 1', '"', 3),
])  # fmt: skip
def test_what_is_not_closed_is_refused_where_it_opens(text, opened, place):
    assert refusal(text) == f"where has {opened} at character {place}, which is not closed."


@pytest.mark.parametrize("letter,shown", [("\0", "U+0000"), ("\ud800", "U+D800"), ("\udfff", "U+DFFF")])
def test_a_letter_that_cannot_be_stored_is_refused(letter, shown):
    for before in ("", "a = '", "[a"):
        place = len(before) + 1
        assert refusal(before + letter) == f"where has {shown} at character {place}, which is not allowed."


# ---- limits


def test_the_length_is_limited():
    value = "x" * (MAX_CHARACTERS - len("a = ''"))
    assert parse_where(f"a = '{value}'") == Rule("a", "=", value)
    message = f"where is too long: it may have at most {MAX_CHARACTERS} characters."
    assert refusal(f"a = '{value}x'") == message
    assert refusal("(" * 1_000_000) == message


@pytest.mark.parametrize("most,more,named", [
    (" OR ".join(["a=1"] * MAX_RULES), " OR a=2", "2"),
    (f"a IN ({','.join('1' * (MAX_RULES - 1))}) AND a=1", " AND a IN (2)", "2"),
    (" OR ".join(["a BETWEEN 1 AND 1"] * (MAX_RULES // 2)), " OR 2 > a", "2"),
    (" OR ".join(["a IS NULL"] * MAX_RULES), " OR b IS NOT NULL", "NULL"),
    (" OR ".join(["a LIKE 'x'"] * MAX_RULES), " OR a NOT LIKE 'y'", "'y'"),
])  # fmt: skip
def test_the_number_of_comparisons_is_limited(most, more, named):
    assert parse_where(most)
    place = len(most) + more.index(named) + 1
    message = f"where has too many comparisons at character {place}; at most {MAX_RULES} are allowed."
    assert refusal(most + more) == message


@pytest.mark.parametrize("opening,closing,levels", [
    ("(", ")", 1),
    ("NOT ", "", 1),
    ("NOT(", ")", 2),
    ("(b=1 OR ", ")", 1),
])  # fmt: skip
def test_the_depth_is_limited(opening, closing, levels):
    most = MAX_DEPTH // levels
    assert parse_where(opening * most + "a=1" + closing * most)
    message = f"where is nested deeper than {MAX_DEPTH} levels at character {len(opening) * most + 1}."
    assert refusal(opening * (most + 1) + "a=1" + closing * (most + 1)) == message
    # As deep as the length lets it be.
    assert refusal((opening * MAX_CHARACTERS)[:MAX_CHARACTERS]) == message


# ---- any text

PIECES = [
    *["a", "b", "[c]", "`d`", '"e"', "t.", "1", "-2.5", "'x'", "N'y'", "TRUE", "(", ")", ",", "=", "<", ">=", " "],
    *["AND", "OR", "NOT", "LIKE", "IN", "BETWEEN", "IS", "NULL", "WHERE", ";", "--", "'", "[", "`", "%", "\0", "中"],
]  # fmt: skip


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))
def test_any_text_is_read_or_refused(text):
    try:
        expression = parse_where(text)
    except InvalidInput as refused:
        assert refused.code == "bad_where"
        assert "character" in refused.message
    else:
        assert parse_where(write(expression)) == expression


@given(st.lists(st.sampled_from(["(", "NOT ", ")", "a=1", " AND ", " OR "]), min_size=100, max_size=1000).map("".join))
def test_deep_nesting_is_read_or_refused(text):
    try:
        parse_where(text)
    except InvalidInput as refused:
        assert refused.code == "bad_where"


VALUES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
NAMES = VALUES.map(lambda text: text.replace("]", "")).filter(str.strip)
OPERATORS = st.sampled_from(["=", "!=", ">", ">=", "<", "<=", "Like", "NotLike"])


@given(expressions(st.builds(Rule, NAMES, OPERATORS, VALUES)))
def test_any_expression_can_be_written(expression):
    assert parse_where(write(expression)) == expression
    assert parse_where(f"where {write(expression)} ") == expression
