"""The shaping of typed values, in the order of the original."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from core.lib.errors import InvalidInput
from core.stl import replacing
from core.stl.attributes import Attributes
from core.stl.text import (
    TextShape,
    break_double_blanks,
    choice_titles,
    clear_tags,
    cut_units,
    return_to_br,
    style_title,
)


def shaping(**values):
    return TextShape.of(Attributes.of([(name, str(value)) for name, value in values.items()]))


@pytest.mark.parametrize(
    ("text", "start", "length", "cut"),
    [
        ("abcdef", 2, 0, "cdef"),
        ("abcdef", 0, 3, "abc"),
        ("abcdef", 2, 3, "cde"),
        ("雪山深处", 1, 2, "山深"),
        ("abcdef", 4, 5, "abcdef"),
        ("abc", 0, 10, "abc"),
        ("abcdef", 6, 0, ""),
        ("abcdef", 7, 0, "abcdef"),
        ("abcdef", 2**31 - 1, 2**31 - 1, "abcdef"),
        ("abc", 0, 0, "abc"),
        # Two units for a character beyond 16 bits, and no half of one.
        ("🙂a", 2, 0, "a"),
        ("🙂a", 1, 0, "a"),
        ("🙂a", 0, 1, ""),
        ("a🙂b", 0, 3, "a🙂"),
        ("a🙂b", 0, 2, "a"),
        ("🙂🙂🙂", 1, 4, "🙂"),
        ("🙂", 3, 0, "🙂"),
    ],
)
def test_cuts_by_units_of_utf16(text, start, length, cut):
    assert cut_units(text, start, length) == cut


@pytest.mark.parametrize(
    ("text", "cleared"),
    [
        ("<p>你好<br/>世界</p>", "你好世界"),
        ("a<script>x=1</script>b", "ab"),
        ("<style>p{}</style>t", "p{}t"),
        ("a &lt;b&gt; c", "a &lt;b&gt; c"),
        ("1 < 2 and 3 > 2", "1  2"),
        ("x <y z", "x  z"),
        ("no < tag here", "no < tag here"),
        ("a<SCRIPT src='x'>1 < 2</Script >b", "ab"),
        ("a<script>1</script>b<script>2</script>c", "abc"),
        ("a<script>b", "ab"),
        ("a<script", "a"),
        ("a</script>b", "ab"),
        ("<p\nclass='a'>b</p>", "b"),
        ("a>b", "a>b"),
        ("<scr<script>x</script>ipt>alert</script>", "alert"),
        ("", ""),
    ],
)
def test_clears_tags(text, cleared):
    assert clear_tags(text) == cleared


@pytest.mark.parametrize(
    "hostile",
    ["<", "<script", "<script>", "</script", "<script></script ", "< ", "<a", "a<b>", "<script>\n"],
)
def test_hostile_markup_is_cleared(hostile):
    cleared = clear_tags(hostile * 100_000)
    assert len(cleared) <= len(hostile) * 100_000
    assert "<script" not in cleared


@pytest.mark.parametrize(
    ("text", "broken"),
    [("a\r\nb", "a<br />b"), ("a\n\nb\n", "a<br /><br />b"), (" a\rb ", "ab"), ("\n", "")],
)
def test_returns_become_line_breaks(text, broken):
    assert return_to_br(text) == broken


def test_returns_do_not_grow_without_limit(monkeypatch):
    monkeypatch.setattr(replacing, "MAX_RESULT", 20)
    with pytest.raises(InvalidInput, match=r"^The result of isReturnToBr would be longer than 20 characters\.$"):
        return_to_br("a" + "\n" * 10 + "b")


@pytest.mark.parametrize(
    ("text", "parameters", "shaped"),
    [
        ("Hello", {"isLower": True}, "hello"),
        ("Hello", {"isUpper": True}, "HELLO"),
        ("Hello", {"isLower": True, "isUpper": True}, "HELLO"),
        ("a&b", {"wordNum": 5, "isUpper": True}, "A&AMP;B"),
        ("a\nb", {"isReturnToBr": True, "isUpper": True}, "A<BR />B"),
        ("<b>Hello World</b>", {"isClearTags": True, "startIndex": 6}, "World"),
        ("第1章 开始", {"replace": r"/\d/", "to": "一", "wordNum": 2}, "第一..."),
        ("line1\nline2", {"isReturnToBr": True, "length": 7}, "line1<br />l"),
        ("中文测试", {"wordNum": 2, "ellipsis": ""}, "中文"),
        ("中文测试", {"wordNum": 2, "ellipsis": "»"}, "中文»"),
        # Replaced before tags are cleared, cut before words are counted.
        ("[b]a[/b]", {"replace": "[,]", "to": "<,>", "isClearTags": True}, "a"),
        ("ab中文", {"startIndex": 2, "wordNum": 1}, "中..."),
        ("<p></p>", {"isClearTags": True, "wordNum": 1}, ""),
        ("", {"replace": "//", "to": "a"}, ""),
        # A date's format is not for texts.
        ("Hello", {"formatString": "yyyy"}, "Hello"),
        ("Hello", {}, "Hello"),
    ],
)
def test_the_whole_pipeline(text, parameters, shaped):
    assert shaping(**parameters).shape(text) == shaped


@pytest.mark.parametrize(
    ("text", "left", "right", "surrounded"),
    [("新闻", "【", "】", "【新闻】"), ("新闻", "", "!", "新闻!"), ("", "【", "】", "")],
)
def test_surrounds_what_is_not_empty(text, left, right, surrounded):
    assert shaping(leftText=left, rightText=right).surround(text) == surrounded


def test_what_surrounds_is_not_shaped():
    shape = shaping(leftText="x-", rightText="-y", isUpper=True)
    assert shape.surround(shape.shape("abc")) == "x-ABC-y"
    shape = shaping(isClearTags=True, wordNum=4, isUpper=True, leftText="[", rightText="]")
    assert shape.surround(shape.shape("<b>Hello World</b>")) == "[HELLO...]"


def test_a_channel_surrounds_what_existed_before_shaping():
    shape = shaping(leftText="[", rightText="]", isClearTags=True)
    assert shape.surround(shape.shape_channel_text("<br>"), existed=True) == "[]"


@pytest.mark.parametrize(
    ("text", "parameters", "shaped"),
    [
        ("<b>ab</b>", {"isClearTags": True, "replace": "a", "to": "<i>"}, "<i>b"),
        ("中文测试", {"wordNum": 2}, "中文..."),
        ("他,她", {"replace": "他,她", "to": "who"}, "who"),
        ("Ab\nc", {"startIndex": 1, "length": 1, "isLower": True, "isUpper": True, "isReturnToBr": True}, "Ab\nc"),
        ("", {"wordNum": 1}, ""),
        ("a(b", {"replace": "(", "to": "-"}, "a-b"),
    ],
)
def test_bodies_of_contents_have_a_short_order(text, parameters, shaped):
    assert shaping(**parameters).shape_body(text) == shaped


@pytest.mark.parametrize(
    ("text", "parameters", "shaped"),
    [
        ("a", {"replace": "a", "to": "aa"}, "aaaa"),
        ("a中国", {"wordNum": 1}, "a...."),
        ("他,她", {"replace": "他,她", "to": "he"}, "he"),
        ("他她", {"replace": "他,她", "to": "he"}, "hehe"),
        ("abc", {"startIndex": 1}, "bc"),
        ("<i>a</i>", {"isClearTags": True, "isUpper": True}, "A"),
        ("<a", {"wordNum": 5}, "&lt;a"),
    ],
)
def test_texts_of_channels_are_shaped_twice(text, parameters, shaped):
    assert shaping(**parameters).shape_channel_text(text) == shaped


@pytest.mark.parametrize(
    ("text", "parameters", "shaped"),
    [
        ("a", {"replace": "a", "to": "aa"}, "aaaa"),
        ("a中国", {"wordNum": 1}, "a...."),
        # Tags are cleared in the second pass only, after words were encoded.
        ("<i>a", {"isClearTags": True, "wordNum": 9}, "&lt;i&gt;a"),
        ("<i>a", {"isClearTags": True}, "a"),
    ],
)
def test_the_index_of_a_channel_is_shaped_twice(text, parameters, shaped):
    assert shaping(**parameters).shape_channel_index(text) == shaped


# ---- fallbacks

ELSEWHERE, CONTENT, SUMMARY = {}, {"of_content": True}, {"of_content": True, "of_summary": True}


@pytest.mark.parametrize(
    ("query", "member", "elsewhere", "of_content", "of_summary"),
    [
        ("", "clears_tags", False, False, False),
        ("isClearTags=x", "clears_tags", False, True, True),
        ("isClearTags=", "clears_tags", False, True, True),
        ("isClearTags=TRUE", "clears_tags", True, True, True),
        ("", "returns_to_br", False, False, True),
        ("isReturnToBr=", "returns_to_br", False, False, True),
        ("isReturnToBr=1", "returns_to_br", False, True, True),
        ("isReturnToBr=false", "returns_to_br", False, False, False),
        ("isReturnToBr=true", "returns_to_br", True, True, True),
        ("", "lowers", False, False, False),
        ("isLower=", "lowers", True, True, True),
        ("isLower=false", "lowers", False, False, False),
        ("isUpper=1", "uppers", True, True, True),
        ("", "ellipsis", "...", "...", "..."),
        ("ellipsis=", "ellipsis", "", "", ""),
        ("", "separator", ",", ",", ","),
        ("separator=", "separator", "", "", ""),
        ("wordNum=-3", "word_num", 0, 0, 0),
        ("WORDNUM=3", "word_num", 3, 3, 3),
        ("formatString=yyyy", "format_string", "yyyy", "yyyy", "yyyy"),
    ],
)
def test_fallbacks_of_the_elements(query, member, elsewhere, of_content, of_summary):
    read = Attributes.of(QueryDict(query))
    shapes = [TextShape.of(read, **element) for element in (ELSEWHERE, CONTENT, SUMMARY)]
    assert [getattr(shape, member) for shape in shapes] == [elsewhere, of_content, of_summary]


def test_without_parameters_nothing_is_asked_for():
    assert TextShape.of(Attributes.of([])) == TextShape()


# ---- choice fields and titles


@pytest.mark.parametrize(
    ("parameters", "joined"),
    [({}, "红,蓝"), ({"separator": "、"}, "红、蓝"), ({"separator": " | "}, "红 | 蓝"), ({"separator": ""}, "红蓝")],
)
def test_choices_are_titles_in_the_order_of_the_items(parameters, joined):
    assert shaping(**parameters).join_choice("3,1", [("红", "1"), ("绿", "2"), ("蓝", "3")]) == joined


def test_choices_without_an_item_are_left_out():
    assert choice_titles(" 1 ,9", [(" 红 ", "1")]) == "红"
    assert choice_titles("", [("红", "1")]) == ""


@pytest.mark.parametrize(
    ("style", "title"),
    [
        ("False_False_False_", "t"),
        ("True_False_False_FF0000", '<strong><span style="color:#FF0000">t</span></strong>'),
        ("true_TRUE_True_", "<u><em><strong>t</strong></em></u>"),
        ("False_True_False_red", '<em><span style="color:#red">t</span></em>'),
        ('False_False_False_"><script>', "t"),
        ("True_False_False_#FF0000", "<strong>t</strong>"),
        ("False_False_False_ff0000\n", "t"),
        ("False_False_False_" + "f" * 21, "t"),
        ("True_True_True", "t"),
        ("True_False_False_FF_00", "t"),
        ("", "t"),
    ],
)
def test_the_stored_style_of_a_title(style, title):
    assert style_title("t", style) == title


def test_double_blanks_of_a_title_are_line_breaks():
    assert break_double_blanks("a  b c   d") == "a<br />b c<br /> d"


# ---- whatever is sent

TEXTS = st.text(st.sampled_from("aB1 <>&;/#\r\n中。é🙂𠀀") | st.characters(codec="utf-8"))
PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "replace": TEXTS | st.sampled_from(["/./", "/(.)/", "a,B", "/[^a]+/", "//"]),
        "to": TEXTS | st.sampled_from(["$1", "$&$&", "<p>"]),
        "isClearTags": st.sampled_from(["true", "false", ""]),
        "startIndex": st.integers(0, 9),
        "length": st.integers(0, 9),
        "wordNum": st.integers(0, 9),
        "isReturnToBr": st.booleans(),
        "isLower": st.booleans(),
        "isUpper": st.booleans(),
    },
)


@given(text=TEXTS, parameters=PARAMETERS)
def test_shaping_gives_a_text_or_refuses(text, parameters):
    try:
        shape = shaping(**parameters)
        shaped = [
            way(text) for way in (shape.shape, shape.shape_body, shape.shape_channel_text, shape.shape_channel_index)
        ]
    except InvalidInput as refusal:
        assert refusal.code in {"bad_pattern", "pattern_too_slow", "invalid_value"}
    else:
        # Half a surrogate pair cannot be encoded.
        "".join(shaped).encode()


@given(text=TEXTS)
def test_no_tag_is_left_by_clearing(text):
    cleared = clear_tags(text)
    assert not any(follower.strip() for follower in (part[:1] for part in cleared.split("<")[1:]))


@given(text=TEXTS, start=st.integers(0, 20), length=st.integers(0, 20))
def test_a_cut_is_a_part_of_the_text(text, start, length):
    assert cut_units(text, start, length) in text
