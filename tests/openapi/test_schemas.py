"""What the schemas of requests allow is what the service reads."""

import re

import pytest

from accounts.serializers import AdministratorNameField, SiteIdsField, UserNameField
from channels_app.serializers import PathField, RuleField
from contents.wire.serializers import JoinedNamesField
from core.lib.errors import InvalidInput
from core.lib.folding import is_blank
from core.openapi.schemas import NOT_BLANK, SENT_DATE_TIME, sent_number
from core.rest.fields import DateTimeField, IntegerField

DATES = (
    *("0001-01-01 00:00:00", "1900-02-28", "2000-02-29 10:00", "2024-02-29", "2024-02-29T10:00:00+08:00"),
    *("2026-11-20 09:30:00.123Z", "2026-11-20T09:30:00-0530", "9999-12-31 23:59:59", "9999-12-31T23:59:59-12:00"),
    *("0000-12-31T15:54:17.000Z", "0001-01-01T00:00:00+14:00"),
)
NO_DATES = (
    *("", "0000-00-00", "0000-02-29", "1900-02-29", "2023-02-29", "2026-02-30", "2026-04-31", "2026-11-20 24:00"),
    *("2026-13-01", "2026-11-20 09:30+24:00", "20261120", "tomorrow"),
)
# A field, texts that it reads, and texts that it refuses.
TEXTS = (
    (AdministratorNameField(), ("root", "a b", "王"), ("", " root", "root ", "ro\x07ot", "ro\x85ot", "\u3000root")),
    (JoinedNamesField(), ("", "a", "a, b", "x" * 255 + "," + "y" * 255), ("x" * 256, "a," + "x" * 256)),
    (PathField(), ("", ".", "...", "@/news/a..b.html", "news/"), ("..", "a/../b", "a\\..", "a|b", "a<b", "a\x01b")),
    (
        RuleField(),
        ("", "/news/{@channelId}.html", "a|b/c.shtml", "./x.html"),
        ("/news", "../x.html", "a.html/", "<.x"),
    ),
    (SiteIdsField(), ("", "1", " 1 , 22 "), ("a", "1,,2", "1,", "1;2")),
    (UserNameField(), ("reader", "a@b.c"), ("", "a b", "a'b", "a|b", "a\u3000b", "a\x7fb")),
)
CASES = [
    (field, text, is_read)
    for field, read, refused in TEXTS
    for texts, is_read in ((read, True), (refused, False))
    for text in texts
]


def reads(field, value):
    """Whether the service reads the value."""
    try:
        field.read(value, "member")
    except InvalidInput:
        return False
    return True


@pytest.mark.parametrize("text", (*DATES, *NO_DATES))
def test_a_date_is_allowed_that_is_read(text):
    assert bool(re.search(SENT_DATE_TIME, text)) is reads(DateTimeField(), text) is (text in DATES)


@pytest.mark.parametrize(
    "field,text,is_read", CASES, ids=[f"{type(field).__name__} {text[:20]!r}" for field, text, _ in CASES]
)
def test_a_text_is_allowed_that_is_read(field, text, is_read):
    assert bool(re.search(field.pattern, text)) is reads(field, text) is is_read


@pytest.mark.parametrize("least,most", [(-(2**53) + 1, 2**53 - 1), (0, 9), (0, None), (None, None)])
def test_a_text_of_digits_is_within_the_bounds(least, most):
    field, schema = IntegerField(min_value=least, max_value=most), sent_number(least, most)
    for digits in range(1, 20):
        for text in ("9" * digits, "-" + "9" * digits, "+" + "9" * digits):
            assert not re.search(schema["pattern"], text) or reads(field, text), text
    assert re.search(schema["pattern"], "7")


def test_the_pattern_of_texts_refuses_what_the_service_calls_blank():
    letters = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]  # without surrogates
    assert [letter for letter in letters if bool(re.search(NOT_BLANK, letter)) == is_blank(letter)] == []
