"""The stl parameter `where` over contents: SQL finds what the same condition finds in memory."""

import json
from datetime import datetime

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contents.models import CustomField
from contents.rules.sql import MAX_PATTERN, Rules
from contents.wire.columns import BY_FOLDED_WIRE, Column
from core.lib.errors import InvalidInput
from core.rest import fields
from core.rest.rules import Rule
from core.stl.evaluation import compile_expression
from core.stl.where import MAX_DEPTH, MAX_RULES, parse_where
from tests.contents.asking import read
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.expressions import expressions
from tests.worlds import world

pytestmark = pytest.mark.every_case

CUSTOM = "it's 50%"
COLUMNS = BY_FOLDED_WIRE | {CUSTOM: Column(CUSTOM, CUSTOM, "", fields.read_text)}
TEXTS = ["", "a", "A", "ab", "B", "b%", "_a", "é", "É", "中文", "10", "9", "it's", 'x"\\', "a\nb", " a", "True"]
DATES = [datetime(2019, 12, 31, 23, 59, 59), datetime(2020, 1, 1), datetime(2020, 1, 1, 0, 0, 1)]


@world
def site():
    site = SiteFactory(site_dir="museum")
    CustomField.objects.create(site=site, name=CUSTOM, folded_name=CUSTOM.casefold())
    return site


def make(channel, custom=..., **members):
    if custom is not ...:
        members["settings_xml"] = json.dumps({CUSTOM: custom}, separators=(",", ":"))
    return ContentFactory(channel=channel, **members)


def found_in_database(site, expression):
    """The ids that the statement finds."""
    condition = Rules(site.pk).condition(expression)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.id FROM contents_content c LEFT JOIN contents_contentbody b ON b.content_id = c.id "
            f"JOIN cms_sites_site s ON s.id = c.site_id WHERE c.site_id = %s AND ({condition.sql}) ORDER BY c.id",
            (site.pk, *condition.params),
        )
        return [content_id for (content_id,) in cursor.fetchall()]


def found_in_memory(records, expression):
    """The ids of the records for which the expression holds."""
    test = compile_expression(expression, COLUMNS)
    return [record["id"] for record in records if test(record)]


def records_of(api, site):
    """The answered records of the site."""
    return read(api, site, orders=[{"column": "id", "desc": False}], perPage=1000)["contents"]


# ---- a table

CONTENTS = {
    "a": {
        "hits": 2,
        "author": "Zoo",
        "is_top": True,
        "last_hits_date": DATES[1],
        "content": "One Two",
        "custom": "red",
    },
    "b": {"hits": 10, "author": "apple", "link_url": "@/x.html", "add_date": DATES[0], "custom": True},
    "c": {"hits": 100, "author": "été", "last_hits_date": DATES[2], "summary": "it's 100%", "custom": 12},
    "d": {"hits": 10, "author": "", "group_name_collection": "g,h", "add_date": DATES[2]},
}


@pytest.mark.parametrize("text,expected", [
    ("Author = 'apple'", "b"),
    ("siteserver_Content.[AUTHOR] <> 'apple'", "acd"),
    ("author > 'apple'", "c"),
    ("author IS NULL", "d"),
    ("author IS NOT NULL", "abc"),
    ("lastHitsDate IS NULL", "bd"),
    ("lastHitsDate IS NOT NULL", "ac"),
    ("hits IS NULL OR isTop IS NULL OR addDate IS NULL", ""),
    ("hits IS NOT NULL AND isTop IS NOT NULL", "abcd"),
    ("author IN ('Zoo', 'été', 'nobody')", "ac"),
    ("author NOT IN ('Zoo', 'été')", "bd"),
    ("author LIKE 'z%'", "a"),
    ("author LIKE 'ZOO'", "a"),
    ("author LIKE 'ÉTÉ'", "c"),
    ("author LIKE 'zo'", ""),
    ("author LIKE '___'", "ac"),
    ("author LIKE ''", "d"),
    ("author NOT LIKE 'zoo'", "bcd"),
    ("summary LIKE '%it''s 100%'", "c"),
    ("content LIKE '%two'", "a"),
    ("content LIKE 'one two'", "a"),
    ("hits > 9", "bcd"),
    ("9 >= hits", "a"),
    ("hits BETWEEN 2 AND 10", "abd"),
    ("hits NOT BETWEEN 2 AND 10", "c"),
    ("hits IN (2, 100)", "ac"),
    ("hits LIKE '10'", "bd"),
    ("isTop = TRUE", "a"),
    ("isTop = 'False'", "bcd"),
    ("isTop LIKE 'true'", "a"),
    ("lastHitsDate = '2020-01-01'", "a"),
    ("lastHitsDate != '2020-01-01'", "bcd"),
    ("lastHitsDate > '0001-01-01'", "ac"),
    ("lastHitsDate LIKE '%'", "ac"),
    ("NOT lastHitsDate > '2020-01-01'", "abd"),
    ("lastHitsDate NOT BETWEEN '2020-01-01' AND '2021-01-01'", "bd"),
    ("addDate <= '2020-01-01 00:00:01'", "bd"),
    ("addDate LIKE '2019-12-31 23:59:59'", "b"),
    ("navigationUrl = '/museum/x.html'", "b"),
    ("groupNameCollection = 'g,h'", "d"),
    ("[it's 50%] = 'red'", "a"),
    ("[IT'S 50%] = TRUE OR [it's 50%] = 12", "bc"),
    ("[it's 50%] IS NULL", "d"),
    ("hits = 10 AND author = '' OR isTop = TRUE", "ad"),
    ("hits = 10 AND (author = '' OR isTop = TRUE)", "d"),
    ("NOT (hits = 10 OR isTop = TRUE)", "c"),
    ("NOT NOT hits = 10", "bd"),
    ("NOT (lastHitsDate > '2020-01-01' AND hits = 10)", "abcd"),
    ("title = ''' OR 1=1 --'", ""),
])  # fmt: skip
def test_the_database_finds_what_memory_finds(api, site, text, expected):
    channel = ChannelFactory(site=site)
    for title, members in CONTENTS.items():
        make(channel, title=title, **members)
    records = records_of(api, site)
    expression = parse_where(text)
    ids = found_in_memory(records, expression)
    assert "".join(record["title"] for record in records if record["id"] in ids) == expected
    assert found_in_database(site, expression) == ids


# ---- any contents, any expression

choose = st.sampled_from
TEXT_COLUMNS = ["author", "summary", "subTitle", "content", "tags"]
NUMBERS = ["hits", "sourceId"]
FLAGS = ["isTop", "isHot"]
WHEN = ["addDate", "lastHitsDate"]
PATTERNS = [
    "",
    "%",
    "a",
    "A%",
    "%b%",
    "_",
    "_%_",
    "%é",
    "É",
    "%_a%",
    "1%",
    "10",
    "%'%",
    "%\\",
    "%e",
    "20%",
    "%:0_",
    "/%",
]
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(["author", "summary", "sub_title", "content", "tags"], choose(TEXTS)),
        **dict.fromkeys(["hits", "source_id"], st.integers(0, 11)),
        **dict.fromkeys(["is_top", "is_hot"], st.booleans()),
        "add_date": choose(DATES),
        "last_hits_date": choose([None, *DATES]),
        "link_url": choose(["", "@/x.html", "~/x.html", "http://a/"]),
        "custom": choose(["red", "Red", "", 12, -1, True, False, None, "x'\"\\%"]),
    },
)
COMPARISONS = choose(["=", "!=", ">", ">=", "<", "<="])
RULES = st.one_of(
    st.builds(Rule, choose([*TEXT_COLUMNS, "navigationUrl", "SETTINGSXML", CUSTOM]), COMPARISONS, choose(TEXTS)),
    st.builds(Rule, choose(NUMBERS), COMPARISONS, st.integers(-1, 12).map(str)),
    st.builds(Rule, choose(FLAGS), COMPARISONS, choose(["True", "false"])),
    st.builds(Rule, choose(WHEN), COMPARISONS, choose(["0001-01-01", *map(str, DATES)])),
    st.builds(
        Rule,
        choose([*TEXT_COLUMNS, *NUMBERS, *FLAGS, *WHEN, "navigationUrl", CUSTOM]),
        choose(["Like", "NotLike"]),
        choose(PATTERNS),
    ),
)


@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(contents=st.lists(MEMBERS, max_size=6), chosen=st.lists(expressions(RULES), min_size=1, max_size=5))
def test_any_expression_means_the_same_in_the_database_and_in_memory(api, site, contents, chosen):
    with transaction.atomic():
        channel = ChannelFactory(site=site)
        for members in contents:
            make(channel, **members)
        records = records_of(api, site)
        for expression in chosen:
            assert found_in_database(site, expression) == found_in_memory(records, expression)
        transaction.set_rollback(True)


# ---- limits and refusals


@pytest.mark.parametrize("text", [
    " AND ".join(["NOT author LIKE '%x_é%'"] * MAX_RULES),
    f"hits IN ({','.join(map(str, range(MAX_RULES)))})",
    "NOT " * MAX_DEPTH + "hits = 0",
    "NOT (hits = 1 AND hits = 1 OR " * (MAX_DEPTH // 2) + "[it's 50%] = ''" + ")" * (MAX_DEPTH // 2),
    "(hits = 1 OR hits = 0 AND " * MAX_DEPTH + "navigationUrl LIKE '%é%' OR [it's 50%] = ''" + ")" * MAX_DEPTH,
    "(hits = 0 AND (hits = 1 OR " * (MAX_DEPTH // 2) + "[it's 50%] NOT LIKE '%É%'" + "))" * (MAX_DEPTH // 2),
])  # fmt: skip
def test_the_greatest_expressions_are_followed(site, text):
    content = ContentFactory(channel=ChannelFactory(site=site), hits=0)
    assert found_in_database(site, parse_where(text)) == [content.pk]


@pytest.mark.parametrize("text,code,message", [
    ("nonsense = 1", "unknown_column", "where has the unknown column nonsense"),
    ("trashed_at IS NULL", "unknown_column", "trashed_at"),
    ("author = 'x' OR NOT (hits = 1 AND c.version = 1)", "unknown_column", "version"),
    ("[id; DROP TABLE x] = 1", "unknown_column", "DROP"),
    ("HITS = 'x'", "invalid_value", "hits must be an integer"),
    ("hits = 2.5", "invalid_value", "hits must be an integer"),
    ("isTop = 1", "invalid_value", "isTop must be true or false"),
    ("addDate > 'yesterday'", "invalid_value", "addDate must be a date"),
    (f"author LIKE '{'x' * (MAX_PATTERN + 1)}'", "invalid_value", "author must be a pattern of at most 255 characters"),
])  # fmt: skip
def test_a_rule_that_cannot_be_followed_is_refused_as_in_memory(site, text, code, message):
    expression = parse_where(text)
    for follow in (
        lambda: Rules(site.pk).condition(expression),
        lambda: compile_expression(expression, COLUMNS),
    ):
        with pytest.raises(InvalidInput) as caught:
            follow()
        assert caught.value.code == code
        assert message in caught.value.message


def test_no_text_of_the_client_stands_in_the_statement(site):
    condition = Rules(site.pk).condition(parse_where("author = 'one' OR NOT (title LIKE 'two%')"))
    assert "one" not in condition.sql
    assert "two" not in condition.sql
    assert set(condition.params) == {"one", "two%"}
