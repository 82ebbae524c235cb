"""The settings text in both its forms, as a table."""

import pytest

from core.lib.settings_text import parse_settings_text


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("", {}),
        ("  \r\n", {}),
        ("a=1&b=2", {"a": "1", "b": "2"}),
        ("IsContentAddable=True", {"iscontentaddable": "True"}),
        ("a=", {"a": ""}),
        ("a&b=2", {"b": "2"}),
        ("=1&b=2", {"b": "2"}),
        ("a=1=2&b=3", {"a": "1", "b": "3"}),
        ("a=1/u0026b=2", {"a": "1", "b": "2"}),
        (
            "a=x_equals_y_and_z_question__quote__add__return__newline_",
            {"a": "x=y&z?'+\r\n"},
        ),
        ("_quote_a=1", {"'a": "1"}),
        ("a=_Equals_", {"a": "_Equals_"}),
        ("a=__equals__", {"a": "_=_"}),
        ("logo=@/upload/images/a.png&text=中文", {"logo": "@/upload/images/a.png", "text": "中文"}),
        ("{}", {}),
        ('{"pageSize": 30, "isCountHits": true}', {"pageSize": "30", "isCountHits": "True"}),
        ('{"a": null, "b": "x_and_y", "c": false}', {"a": "", "b": "x_and_y", "c": "False"}),
        ('{"a": ["图", 1], "b": {"c": 1.5}}', {"a": '["图", 1]', "b": '{"c": 1.5}'}),
        (' {"a": "1"} ', {"a": "1"}),
    ],
)
def test_reads_pairs_and_objects(text, entries):
    assert parse_settings_text(text) == entries


@pytest.mark.parametrize(
    "text",
    [
        "{a=1}",
        '{"a": }',
        '{"a": ' * 20_000 + "1" + "}" * 20_000,
        r'{"a": "\ud800"}',
        r'{"a": "\u0000"}',
        "a=\0",
    ],
)
def test_refuses_what_cannot_be_read_or_stored(text):
    with pytest.raises(ValueError, match=r"^The settings (are not|contain)"):
        parse_settings_text(text)
