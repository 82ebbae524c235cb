"""`POST /contents`: Where rules on every column, with every operator."""

from datetime import datetime

import pytest

from contents.lists.request import MAX_RULES
from contents.models import Content
from contents.rules.sql import MAX_IN_VALUES
from tests.assertions import assert_error
from tests.contents.asking import ask, found, read, titles
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.every_case

INTEGERS = {
    "taxis": "taxis",
    "sourceId": "source_id",
    "referenceId": "reference_id",
    "checkedLevel": "checked_level",
    "hits": "hits",
    "hitsByDay": "hits_by_day",
    "hitsByWeek": "hits_by_week",
    "hitsByMonth": "hits_by_month",
}
TEXTS = {
    "addUserName": "add_user_name",
    "lastEditUserName": "last_edit_user_name",
    "writingUserName": "writing_user_name",
    "groupNameCollection": "group_name_collection",
    "tags": "tags",
    "linkUrl": "link_url",
    "subTitle": "sub_title",
    "imageUrl": "image_url",
    "videoUrl": "video_url",
    "fileUrl": "file_url",
    "content": "content",
    "summary": "summary",
    "author": "author",
    "source": "source",
    "navigationUrl": "link_url",
}
DATES = {"lastEditDate": "last_edit_date", "lastHitsDate": "last_hits_date", "addDate": "add_date"}
FLAGS = {
    "isChecked": "is_checked",
    "isTop": "is_top",
    "isRecommend": "is_recommend",
    "isHot": "is_hot",
    "isColor": "is_color",
}
NUMBERS = {"id", "channelId", "siteId"}
OTHERS = {"title", "settingsXml"}


def test_every_field_of_a_content_is_a_column(api):
    content = ContentFactory()
    (record,) = read(api, content.site)["contents"]
    assert set(record) == {*INTEGERS, *TEXTS, *DATES, *FLAGS, *NUMBERS, *OTHERS}
    for column in record:
        for name in (column, column.upper(), f" {column[0].upper()}{column[1:]} "):
            value = record[column]
            rule = {"column": name, "value": "2020-01-01" if value is None else value}
            assert read(api, content.site, wheres=[rule])["totalCount"] == (0 if value is None else 1)


def three(**fields):
    """Contents a, b and c of one site; each field is a triple of their values."""
    site = SiteFactory()
    channel = ChannelFactory(site=site)
    for place, title in enumerate("abc"):
        ContentFactory(channel=channel, title=title, **{name: values[place] for name, values in fields.items()})
    return site


@pytest.mark.parametrize("column,name", INTEGERS.items())
def test_integers_compare_as_numbers(api, column, name):
    site = three(**{name: (2, 10, 100)})
    for operator, value, expected in [
        ("=", "10", "b"),
        ("=", " 10 ", "b"),
        ("=", 10, "b"),
        ("=", 10.0, "b"),
        ("=", "+10", "b"),
        ("!=", "10", "ac"),
        ("<>", "10", "ac"),
        (">", "9", "bc"),
        (">=", "10", "bc"),
        ("<", "10", "a"),
        ("<=", "10", "ab"),
        ("In", "2, 100", "ac"),
        ("In", 10, "b"),
        ("NotIn", "2,100,7", "b"),
        ("Like", "1%", "bc"),
        ("Like", "%0_%", "c"),
        ("NotLike", "1%", "a"),
        ("=", str(2**63 - 1), ""),
        (">", -(2**63), "abc"),
    ]:
        assert found(api, site, (column, operator, value)) == expected, (operator, value)


@pytest.mark.parametrize("name", ["source_id", "checked_level", "reference_id", "taxis"])
def test_integers_may_be_negative(api, name):
    column = next(wire for wire, of in INTEGERS.items() if of == name)
    site = three(**{name: (-99, -1, 0)})
    assert found(api, site, (column, "=", "-99")) == "a"
    assert found(api, site, (column, "<", 0)) == "ab"
    assert found(api, site, (column, "Like", "-%")) == "ab"


def test_ids_compare_as_numbers(api):
    content = ContentFactory(title="a")
    other = ContentFactory(title="b", channel=ChannelFactory(site=content.site))
    for column, value, expected in [
        ("id", content.pk, "a"),
        ("channelId", content.channel_id, "a"),
        ("siteId", content.site_id, "ab"),
    ]:
        assert found(api, content.site, (column, "=", str(value))) == expected
        assert found(api, content.site, (column, "In", str(value))) == expected
        assert found(api, content.site, (column, "<", value)) == ""
    assert found(api, content.site, ("ChannelId", "In", f"{content.channel_id} ,{other.channel_id}")) == "ab"
    assert found(api, content.site, ("siteId", "!=", content.site_id)) == ""


@pytest.mark.parametrize("column,name", TEXTS.items())
def test_texts_compare_by_code_point(api, column, name):
    site = three(**{name: ("Zoo", "apple", "été")})
    for operator, value, expected in [
        ("=", "apple", "b"),
        ("=", "Apple", ""),
        ("=", " apple", ""),
        ("!=", "apple", "ac"),
        (">", "apple", "c"),
        (">=", "apple", "bc"),
        ("<", "apple", "a"),
        ("<=", "apple", "ab"),
        ("In", "Zoo , été,", "ac"),
        ("In", "zoo", ""),
        ("NotIn", "Zoo,été", "b"),
        ("Like", "%o", "a"),
        ("Like", "z%", "a"),
        ("Like", "_p%", "b"),
        ("NotLike", "%O%", "bc"),
    ]:
        assert found(api, site, (column, operator, value)) == expected, (operator, value)


@pytest.mark.parametrize("column,name", DATES.items())
def test_dates_compare_as_moments(api, column, name):
    site = three(**{name: tuple(datetime(year, 5, 4, 3, 2, 1) for year in (999 + 1000, 2018, 2020))})
    for operator, value, expected in [
        ("=", "2018-05-04 03:02:01", "b"),
        ("=", "2018-05-04T03:02:01Z", "b"),
        ("=", "2018-05-04T03:02:01.999Z", "b"),
        ("=", "2018-05-04T05:02:01+02:00", "b"),
        ("=", "2018-05-04", ""),
        ("!=", "2018-05-04 03:02:01", "ac"),
        (">", "2018-05-04 03:02", "bc"),
        (">=", "2018-05-04", "bc"),
        (">", "0001-01-01 00:00:00", "abc"),
        ("<", "2018-05-05", "ab"),
        ("<=", "2018-05-04 03:02:01", "ab"),
        ("In", "2018-05-04 03:02:01, 2020-05-04T03:02:01", "bc"),
        ("NotIn", "2018-05-04 03:02:01", "ac"),
        ("Like", "2018-%", "b"),
        ("Like", "%-05-04 03:02:01", "abc"),
        ("NotLike", "2018%", "ac"),
    ]:
        assert found(api, site, (column, operator, value)) == expected, (operator, value)


def test_a_date_that_never_happened_differs_from_every_date(api):
    site = three(last_hits_date=(None, datetime(2018, 1, 1), datetime(2019, 1, 1)))
    for operator, value, expected in [
        ("=", "2018-01-01", "b"),
        ("!=", "2018-01-01", "ac"),
        ("<", "2020-01-01", "bc"),
        (">", "2000-01-01", "bc"),
        ("In", "2018-01-01", "b"),
        ("NotIn", "2018-01-01", "ac"),
        ("Like", "2018%", "b"),
        ("NotLike", "2018%", "ac"),
    ]:
        assert found(api, site, ("lastHitsDate", operator, value)) == expected, (operator, value)


@pytest.mark.parametrize("column,name", FLAGS.items())
def test_flags_compare_as_booleans(api, column, name):
    site = three(**{name: (True, False, True)})
    for operator, value, expected in [
        ("=", True, "ac"),
        ("=", "True", "ac"),
        ("=", "false", "b"),
        ("!=", "True", "b"),
        (">", False, "ac"),
        (">=", False, "abc"),
        ("<", True, "b"),
        ("<=", "False", "b"),
        ("In", "true,True", "ac"),
        ("In", "true,false", "abc"),
        ("NotIn", "True", "b"),
        ("Like", "t%", "ac"),
        ("Like", "%e", "abc"),
        ("NotLike", "%RU%", "b"),
    ]:
        assert found(api, site, (column, operator, value)) == expected, (operator, value)


def test_titles_and_settings_compare_as_texts(api):
    site = three(settings_xml=("{}", '{"a":"x"}', '{"b":"100%"}'))
    assert found(api, site, ("Title", ">=", "b")) == "bc"
    assert found(api, site, ("settingsXml", "=", "{}")) == "a"
    assert found(api, site, ("SettingsXml", "Like", '%"B"%')) == "c"


def test_the_page_address_is_a_column(api):
    site = SiteFactory(site_dir="museum")
    channel = ChannelFactory(site=site)
    plain = ContentFactory(channel=channel, title="a")
    for title, link in [("b", "https://example.org/x"), ("c", "@/news.html"), ("d", "~/news.html"), ("e", "/x")]:
        ContentFactory(channel=channel, title=title, link_url=link)
    for record in read(api, site)["contents"]:
        assert found(api, site, ("navigationUrl", "=", record["navigationUrl"])) == record["title"]
    assert found(api, site, ("NavigationUrl", "=", f"/museum/contents/{channel.pk}/{plain.pk}.html")) == "a"
    assert found(api, site, ("navigationUrl", "Like", "/MUSEUM/%")) == "ac"
    assert found(api, site, ("navigationUrl", "In", "/museum/news.html,/news.html")) == "cd"
    assert found(api, site, ("navigationUrl", "NotLike", "/%")) == "b"


def test_a_page_address_of_a_rule_with_characters_that_would_end_it(api):
    rule = "/a?b#c%2e({@contentId}#|x).html"
    site = SiteFactory(site_dir="museum", settings={"contentFilePathRule": rule})
    content = ContentFactory(title="a", channel=ChannelFactory(site=site))
    ContentFactory(title="b", channel=ChannelFactory(site=site, content_file_path_rule="/{@contentId}.html"))
    address = f"/museum/a%3Fb%23c%252e{content.pk}%23.html"
    assert address in [record["navigationUrl"] for record in read(api, site)["contents"]]
    assert found(api, site, ("navigationUrl", "=", address)) == "a"


def test_the_page_address_is_that_of_a_site_at_the_top(api):
    content = ContentFactory(title="a", channel=ChannelFactory(site=SiteFactory(site_dir="", is_root=True)))
    address = f"/contents/{content.channel_id}/{content.pk}.html"
    assert read(api, content.site)["contents"][0]["navigationUrl"] == address
    assert found(api, content.site, ("navigationUrl", "=", address)) == "a"


# ---- operators


@pytest.mark.parametrize("rule", [
    {"column": "author", "value": "x"},
    {"column": "author", "value": "x", "operator": None},
    {"column": "author", "value": "x", "operator": ""},
    {"column": "author", "value": "x", "operator": " = "},
])  # fmt: skip
def test_equal_is_the_default_operator(api, rule):
    site = three(author=("x", "y", "z"))
    assert titles(api, site, wheres=[rule]) == ["a"]


@pytest.mark.parametrize("operator", ["in", "IN", "In", " iN "])
def test_operators_are_read_in_any_letter_case(api, operator):
    site = three(author=("x", "y", "z"))
    assert found(api, site, ("AUTHOR", operator, "x,z")) == "ac"
    assert found(api, site, ("AUTHOR", "Not" + operator.strip(), "x,z")) == "b"


@pytest.mark.parametrize("value,expected", [
    ("x,z", "ac"),
    (" x , z ", "ac"),
    ("x", "a"),
    (",,x,,", "a"),
    ("", ""),
    (" , ", ""),
    ("x z", ""),
])  # fmt: skip
def test_in_takes_trimmed_values_between_commas(api, value, expected):
    site = three(author=("x", "y", "z"))
    assert found(api, site, ("author", "In", value)) == expected
    rest = "".join(sorted(set("abc") - set(expected)))
    assert found(api, site, ("author", "NotIn", value)) == rest


PATTERNS = [
    ("100%", "bc"),
    ("%\\%", "c"),
    ("\\%", ""),
    ("%'%", "a"),
    ('%"%', "a"),
    ("%[%", "a"),
    ("%*%", "b"),
    ("%?%", "b"),
    ("%]%", "a"),
    ("%^%", "a"),
    ("%#%", "c"),
    ("%", "abc"),
    ("%%", "abc"),
    ("_%", "abc"),
    ("%\n%", "b"),
    ("%;--%", ""),
]


@pytest.mark.parametrize("pattern,expected", PATTERNS)
def test_only_percent_and_underscore_have_a_meaning_in_like(api, pattern, expected):
    site = three(summary=("'\"[x]^", "100*\n?", "100\\#"))
    assert found(api, site, ("summary", "Like", pattern)) == expected
    rest = "".join(sorted(set("abc") - set(expected)))
    assert found(api, site, ("summary", "NotLike", pattern)) == rest


@pytest.mark.parametrize("pattern", ["%ÉCOLE%", "%École%", "%école%", "%ecOLE%"])
def test_like_ignores_letter_case_beyond_ascii(api, pattern):
    site = three(author=("Grande École", "GRANDE ÉCOLE", "ecole"))
    assert found(api, site, ("author", "Like", pattern)) == ("c" if "e" in pattern[1:2] else "ab")


@pytest.mark.parametrize("pattern", ["%СВЕТ", "%свет", "%Свет"])
def test_like_ignores_letter_case_in_other_scripts(api, pattern):
    site = three(author=("Новый свет", "НОВЫЙ СВЕТ", "мир"))
    assert found(api, site, ("author", "Like", pattern)) == "ab"


@pytest.mark.parametrize("value", [
    "it's", 'say "x"', "back\\slash", "50%", "%s", "{x}", "日本語", "😀", "a\nb", "-- x", "'; DROP TABLE x; --", "?",
])  # fmt: skip
def test_any_text_is_found_as_it_is(api, value):
    site = three(author=(value, "other", ""))
    assert found(api, site, ("author", "=", value)) == "a"
    assert found(api, site, ("author", "In", value)) == "a"
    assert found(api, site, ("author", "!=", value)) == "bc"
    assert found(api, site, ("author", "Like", f"%{value}%")) == "a"


def test_a_long_body_is_searched(api):
    site = three(content=("x" * 300_000 + "needle", "needle", "x"))
    assert found(api, site, ("content", "Like", "%NEEDLE")) == "ab"
    assert found(api, site, ("content", "=", "needle")) == "b"


def test_all_rules_hold_together_with_all_filters(api):
    site = three(author=("x", "x", "y"), hits=(1, 2, 3), is_hot=(True, True, False))
    assert found(api, site, ("author", "=", "x"), ("hits", ">", 1)) == "b"
    assert found(api, site, ("author", "=", "x"), hot=True) == "ab"
    assert found(api, site, ("author", "=", "x"), hot=False) == ""
    assert found(api, site, ("author", "=", "x"), ("author", "=", "y")) == ""


def test_numbers_and_booleans_count_as_their_text(api):
    site = three(author=("12", "True", "1.5"))
    for value, expected in [(12, "a"), (True, "b"), (1.5, "c"), (12.0, "a")]:
        assert found(api, site, ("author", "=", value)) == expected


def test_no_rules_are_no_rules(api):
    assert titles(api, three(), wheres=[], orders=[]) == ["c", "b", "a"]


# ---- refusals

REFUSED = [
    ({"column": "nonsense", "value": "1"}, "unknown_column", "nonsense"),
    ({"column": "", "value": "1"}, "unknown_column", "wheres[0]"),
    ({"column": "site_id", "value": "1"}, "unknown_column", "site_id"),
    ({"column": "trashed_at", "value": "1"}, "unknown_column", "trashed_at"),
    ({"column": "version", "value": "1"}, "unknown_column", "version"),
    ({"column": "id; DROP TABLE x", "value": "1"}, "unknown_column", "DROP"),
    ({"column": "title", "operator": "==", "value": "1"}, "unknown_operator", "=="),
    ({"column": "title", "operator": "Containing", "value": "1"}, "unknown_operator", "Containing"),
    ({"column": "title", "operator": "= 1 OR", "value": "1"}, "unknown_operator", "= 1 OR"),
    ({"columns": "Author", "operator": "=", "value": "张三"}, "missing_member", "columns"),
    ({"operator": "=", "value": "x"}, "missing_member", "column"),
    ({"column": None, "value": "x"}, "missing_member", "column"),
    ({"column": "title", "operator": "="}, "missing_member", "value"),
    ({"column": "title", "value": None}, "missing_member", "value"),
    ({}, "missing_member", "column"),
    ({"column": "title", "Column": "title", "value": "x"}, "duplicate_member", "Column"),
    ({"column": 1, "value": "x"}, "invalid_value", "column"),
    ({"column": "title", "operator": 1, "value": "x"}, "invalid_value", "operator"),
    ({"column": "title", "value": ["x"]}, "invalid_value", "value"),
    ({"column": "title", "value": {"x": 1}}, "invalid_value", "value"),
    ({"column": "title", "operator": "Like", "value": "x"}, "pattern_without_wildcard", "%"),
    ({"column": "title", "operator": "NotLike", "value": "_"}, "pattern_without_wildcard", "%"),
    ({"column": "title", "operator": "Like", "value": "%" * 1001}, "invalid_value", "wheres[0].value"),
    ({"column": "id", "value": "x"}, "invalid_value", "wheres[0].value"),
    ({"column": "id", "value": ""}, "invalid_value", "wheres[0].value"),
    ({"column": "id", "value": "1.5"}, "invalid_value", "wheres[0].value"),
    ({"column": "id", "value": 1.5}, "invalid_value", "wheres[0].value"),
    ({"column": "id", "value": True}, "invalid_value", "wheres[0].value"),
    ({"column": "id", "value": str(2**63)}, "invalid_value", "wheres[0].value"),
    ({"column": "id", "value": 1e300}, "invalid_value", "wheres[0].value"),
    ({"column": "id", "operator": "In", "value": "1,x"}, "invalid_value", "wheres[0].value"),
    ({"column": "hits", "value": "1 2"}, "invalid_value", "wheres[0].value"),
    ({"column": "isTop", "value": "yes"}, "invalid_value", "wheres[0].value"),
    ({"column": "isTop", "value": 1}, "invalid_value", "wheres[0].value"),
    ({"column": "addDate", "value": "yesterday"}, "invalid_value", "wheres[0].value"),
    ({"column": "addDate", "value": "2020-13-01"}, "invalid_value", "wheres[0].value"),
    ({"column": "addDate", "value": "2020-02-30T23:59:59-14:00"}, "invalid_value", "wheres[0].value"),
]


def test_a_misspelt_column_is_told_with_the_one_that_is_near(api):
    body = assert_error(ask(api, SiteFactory(), wheres=[{"column": "Auther", "value": "x"}]), 400, "unknown_column")
    assert "unknown column Auther (did you mean author?);" in body["message"]


@pytest.mark.parametrize("rule,code,named", REFUSED)
def test_a_rule_that_cannot_be_followed_is_400_and_named(api, rule, code, named):
    body = assert_error(ask(api, SiteFactory(), wheres=[rule]), 400, code)
    assert named in body["message"]


def test_the_refused_rule_is_named_by_its_place(api):
    rules = [{"column": "title", "value": "x"}, {"column": "hits", "value": "x"}]
    body = assert_error(ask(api, SiteFactory(), wheres=rules), 400, "invalid_value")
    assert body["message"].startswith("wheres[1].value")


def test_the_number_of_rules_is_limited(api):
    site = three()
    rule = {"column": "title", "value": "a"}
    assert titles(api, site, wheres=[rule] * MAX_RULES) == ["a"]
    assert_error(ask(api, site, wheres=[rule] * (MAX_RULES + 1)), 400, "too_many_entries")


def test_the_number_of_values_is_limited(api):
    site = three()
    limit = MAX_IN_VALUES
    assert found(api, site, ("title", "In", ",".join(["a"] * limit))) == "a"
    rule = {"column": "title", "operator": "In", "value": ",".join(["a"] * (limit + 1))}
    body = assert_error(ask(api, site, wheres=[rule]), 400, "invalid_value")
    assert body["message"] == f"wheres[0].value must be a list of at most {limit} values."


def test_the_greatest_number_of_values_in_the_greatest_number_of_rules_is_followed(api):
    site = three(hits=(1, 2, 3))
    rule = ("hits", "In", ",".join(map(str, range(2, MAX_IN_VALUES + 2))))
    assert found(api, site, *[rule] * MAX_RULES) == "bc"


def test_reading_changes_nothing(api):
    site = three()
    before = list(Content.objects.order_by("id").values())
    titles(api, site, wheres=[{"column": "title", "value": "'; DELETE FROM contents_content; --"}])
    assert list(Content.objects.order_by("id").values()) == before
