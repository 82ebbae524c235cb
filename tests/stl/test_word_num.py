"""`wordNum`: a Chinese character is a word, an ASCII character half of one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.stl.truncation import _decode_beginning, cut_words, decode_html, encode_html


@pytest.mark.parametrize(
    ("text", "word_num", "shaped"),
    [
        ("中文测试标题", 2, "中文..."),
        ("中文", 2, "中文"),
        ("ab中文", 2, "ab中..."),
        ("a中国", 1, "a..."),
        ("Hello World", 4, "Hello..."),
        ("Hello World", 3, "Hello ..."),
        ("Hello World", 6, "Hello World"),
        ("HelloWorldFoo", 3, "..."),
        ("Hello!", 3, "Hello!"),
        ("12345678", 3, "123456..."),
        ("2024年第3季度报告", 4, "2024年第..."),
        ("2024年第3季度报告", 5, "2024年第3..."),
        ("雪山深处, 永远热泪盈眶的年轻", 4, "雪山深处..."),
        ("雪山深处, 永远热泪盈眶的年轻", 6, "雪山深处, 永..."),
        ("Django 框架入门", 5, "Django 框..."),
        ("abc中文", 2, "..."),
        ("中a文b", 2, "..."),
        ("中a文b", 3, "中a文b"),
        ("A&amp;B 公司", 3, "A&amp;B 公..."),
        ("A&B", 5, "A&amp;B"),
        ("<p>Hi & bye</p>", 3, "&lt;p&gt;Hi ..."),
    ],
)
def test_cuts_at_words(text, word_num, shaped):
    assert cut_words(text, word_num) == shaped


@pytest.mark.parametrize(("ellipsis", "shaped"), [("", "中文"), ("»", "中文»"), ("<i>", "中文<i>")])
def test_the_ellipsis_is_added_as_it_was_sent(ellipsis, shaped):
    assert cut_words("中文测试", 2, ellipsis) == shaped


@pytest.mark.parametrize("word_num", [0, -1])
def test_no_number_leaves_the_text_alone(word_num):
    assert cut_words("<b>&eacute;</b>", word_num) == "<b>&eacute;</b>"


@pytest.mark.parametrize(
    ("double", "single"),
    [("，", "a"), ("か", "한"), ("Ω", "€"), ("Я", "ñ"), ("·", "-"), ("—", "'"), ("“", '"'), ("é", "ç")],
)
def test_what_gbk_writes_with_two_bytes_counts_twice(double, single):
    assert decode_html(cut_words(double * 3, 2, "…")) == double * 2 + "…"
    assert decode_html(cut_words(single * 4, 2, "…")) == single * 4


@pytest.mark.parametrize(
    ("text", "word_num", "shaped"),
    [
        ("🙂🙂", 2, "&#128578;&#128578;"),
        ("🙂🙂", 1, "&#128578;..."),
        ("a🙂🙂", 1, "a..."),
        ("a🙂🙂", 2, "a&#128578;..."),
        ("ab🙂", 1, "ab..."),
        ("a𠀀b", 1, "a..."),
    ],
)
def test_a_character_beyond_16_bits_is_never_halved(text, word_num, shaped):
    assert cut_words(text, word_num) == shaped


def test_a_long_text_is_cut_at_the_same_place_as_a_short_one():
    text = "中，。！" * 3000
    assert cut_words(text, 10_003) == text[:10_003] + "..."
    assert cut_words(text, 12_000) == text
    assert cut_words(text, 10**9) == text


@pytest.mark.parametrize(
    ("encoded", "decoded"),
    [
        ("&lt;&gt;&amp;&quot;&apos;&#39;", "<>&\"''"),
        ("&eacute;&thetasym;&euro;&nbsp;", "éϑ€\xa0"),
        ("&#20013;&#x4E2D;&#X4e2d;&#128578;", "中中中🙂"),
        ("&amp;lt;", "&lt;"),
        # Without a semicolon, unknown, no character, or a name that only later versions of HTML know.
        ("&lt &copy &foo; &; &#; &#x;", "&lt &copy &foo; &; &#; &#x;"),
        (
            "&#0; &#55296; &#xDFFF; &#1114112; &#99999999999999999999;",
            "&#0; &#55296; &#xDFFF; &#1114112; &#99999999999999999999;",
        ),
        ("&NotEqualTilde; &LT;", "&NotEqualTilde; &LT;"),
        # Not the characters of Windows' code page, as browsers read it.
        ("&#150;", "\x96"),
        ("&&amp;&", "&&&"),
    ],
)
def test_entities_are_read_as_dotnet_reads_them(encoded, decoded):
    assert decode_html(encoded) == decoded


@given(
    st.lists(st.sampled_from(["a", " ", "&", "amp;", "&lt;", "&#20013;", "中", ";", "&#x" + "0" * 18 + "41;"])),
    st.integers(1, 30),
)
def test_the_beginning_is_decoded_as_in_the_whole(parts, number):
    text = "".join(parts)
    whole, beginning = decode_html(text), _decode_beginning(text, number)
    assert whole.startswith(beginning)
    assert len(beginning) >= number or beginning == whole


def test_no_more_of_a_long_text_is_decoded_than_needed():
    assert len(_decode_beginning("&lt;b&gt; word " * 100_000, 41)) < 200


def test_entities_are_written_as_dotnet_writes_them():
    assert encode_html("<>&\"'\x9f\xa0é\xffĀ中🙂") == "&lt;&gt;&amp;&quot;&#39;\x9f&#160;&#233;&#255;Ā中&#128578;"


@pytest.mark.parametrize(
    "hostile", ["&" * 100_000, "&#" * 100_000, "a" * 100_000, "<" * 100_000, "&#x" + "0" * 100_000]
)
def test_hostile_texts_are_shaped(hostile):
    assert len(cut_words(hostile, 10)) <= 20 * len("&quot;") + 3
    assert decode_html(cut_words(hostile, 10**6)) == hostile


def units(text):
    """The units of a text by their definition, one character at a time."""
    return sum(2 if character > "\uffff" else len(character.encode("gbk", "replace")) for character in text)


TEXTS = st.text(st.sampled_from("ab1 -&<中文。é한€🙂𠀀") | st.characters(codec="utf-8"))


@given(text=TEXTS, word_num=st.integers(1, 20))
def test_what_is_kept_is_a_beginning_within_the_limit(text, word_num):
    decoded = decode_html(text)
    shaped = cut_words(text, word_num, ellipsis="")
    kept = next(decoded[:end] for end in range(len(decoded), -1, -1) if encode_html(decoded[:end]) == shaped)
    assert units(kept) <= 2 * word_num
    assert (cut_words(text, word_num, ellipsis="…") == shaped) is (kept == decoded)
    if units(decoded) <= 2 * word_num:
        assert kept == decoded


def cut_by_the_book(text, word_num):
    """The steps of the original, one half of a surrogate pair at a time."""
    halves = text.encode("utf-16-le")
    characters = [halves[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(halves), 2)]
    taken, units, odd, limit, last = [], 0, False, 2 * word_num, ""

    def is_double(character):
        return len(character.encode("gbk", "replace")) == 2

    for character in characters:
        taken.append(character)
        units += 2 if is_double(character) else 1
        if is_double(character):
            if units >= limit:
                last = character
                break
        elif units == limit:
            odd = True
        elif units > limit:
            last = character
            break
        else:
            odd = not odd
    if odd and units > limit:
        taken.pop()
        if last.isalpha():
            end = len(taken)
            start = end
            while start > 1 and taken[start - 1].isalpha() and not is_double(taken[start - 1]):
                start -= 1
            taken = taken[: start - 1] if start < end else taken
    return "".join(taken).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


@given(text=TEXTS, word_num=st.integers(1, 12))
def test_cuts_where_the_steps_of_the_original_cut(text, word_num):
    decoded = decode_html(text)
    assert cut_words(text, word_num, "") == encode_html(cut_by_the_book(decoded, word_num))
