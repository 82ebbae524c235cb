"""`POST /contents`: Where entries that are groups of others."""

import pytest

from contents.lists.request import MAX_RULES
from contents.models import CustomField
from sites.models import Site
from tests.assertions import assert_error
from tests.contents.asking import ask, titles
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.every_case

A, B = ({"column": "title", "value": title} for title in "ab")
NOT_A = {"not": A}


@world
def site():
    """A site with the contents a, b and c, of which c alone is hot."""
    channel = ChannelFactory()
    for title in "abc":
        ContentFactory(channel=channel, title=title, is_hot=title == "c", author="x" if title == "a" else "")
    return channel.site


def found(api, site, *wheres, **body):
    return "".join(sorted(titles(api, site, wheres=list(wheres), **body)))


@pytest.mark.parametrize(("wheres", "expected"), [
    ([{"any": [A, B]}], "ab"),
    ([{"all": [A, B]}], ""),
    ([{"all": [NOT_A, {"not": B}]}], "c"),
    ([{"any": [A]}], "a"),
    ([NOT_A], "bc"),
    ([{"not": NOT_A}], "a"),
    ([{"not": {"any": [A, B]}}], "c"),
    ([{"not": {"all": [A, B]}}], "abc"),
    ([{"any": [A, {"all": [NOT_A, {"column": "isHot", "value": "True"}]}]}], "ac"),
    ([{"any": [A, B]}, NOT_A], "b"),
    ([A, {"any": [A, B]}], "a"),
    ([{"ANY": [A, B]}], "ab"),
    ([{"Not": {"All": [A]}}], "bc"),
    ([{"any": [A, B], "all": None, "column": None}], "ab"),
    ([{"any": None, "column": "title", "value": "b"}], "b"),
    ([{"any": [A, B], "remark": "ours"}], "ab"),
])  # fmt: skip
def test_groups_say_how_entries_hold_together(api, site, wheres, expected):
    assert found(api, site, *wheres) == expected


def test_a_group_holds_together_with_the_other_filters(api, site):
    assert found(api, site, {"any": [B, {"column": "title", "value": "c"}]}, hot=True) == "c"


def test_what_is_not_so_of_a_member_without_value_holds(api, site):
    # Null is neither equal nor unequal in SQL.
    hit = {"column": "lastHitsDate", "value": "2020-01-01"}
    assert found(api, site, {"not": hit}) == "abc"
    assert found(api, site, {"not": {"not": hit}}) == ""


def nested(entry, word, levels):
    for _ in range(levels):
        entry = {word: entry} if word == "not" else {word: [entry]}
    return entry


@pytest.mark.parametrize("word", ["any", "all", "not"])
def test_groups_are_nested_to_ten_levels(api, site, word):
    assert found(api, site, nested(A, word, 10)) == "a"
    body = assert_error(ask(api, site, wheres=[A, nested(A, word, 11)]), 400, "invalid_value")
    assert body["message"].startswith("wheres[1]" + (".not" if word == "not" else f".{word}[0]") * 10)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("column", ["navigationUrl", "colour"])
def test_ten_levels_of_the_longest_rules_are_followed(api, site, column, place):
    # As deep as a parser may have to look: the rule itself is a long expression.
    CustomField.objects.create(site=site, name="colour", folded_name="colour")
    Site.objects.filter(pk=site.pk).update(settings={"contentFilePathRule": "/{@year}/{@colour}{@lowerTitle}.html"})
    long, other = ({"column": column, "operator": word, "value": "%x%"} for word in ("NotLike", "Contains"))
    entry = long
    for _ in range(5):
        entries = [entry, long]
        entry = {"any": [{"all": [entries[place], entries[1 - place]]}, other]}
    assert found(api, site, entry) == "abc"
    assert found(api, site, nested(long, "not", 10)) == "abc"


def test_rules_are_counted_in_all_groups_together(api, site):
    most = MAX_RULES
    half = [A] * (most // 2)
    assert found(api, site, {"any": half}, {"all": [{"any": half}]}) == "a"
    for wheres in (
        [{"any": half}, {"not": {"any": half}}, A],
        [{"any": [A] * (most + 1)}],
        [nested({"any": [A] * (most + 1)}, "all", 9)],
        [{"any": [A] * 5000}],
        [A] * 5000,
    ):
        body = assert_error(ask(api, site, wheres=wheres), 400, "too_many_entries")
        assert str(most) in body["message"]


REFUSED = [
    ({"any": []}, "invalid_value", "wheres[0].any must be a list of at least one entry"),
    ({"all": []}, "invalid_value", "wheres[0].all"),
    ({"any": {}}, "invalid_value", "wheres[0].any must be a list of JSON objects"),
    ({"any": "x"}, "invalid_value", "wheres[0].any"),
    ({"any": [1]}, "invalid_value", "wheres[0].any"),
    ({"any": [[A]]}, "invalid_value", "wheres[0].any"),
    ({"not": []}, "invalid_value", "wheres[0].not must be a JSON object"),
    ({"not": [A]}, "invalid_value", "wheres[0].not"),
    ({"not": "x"}, "invalid_value", "wheres[0].not"),
    ({"not": True}, "invalid_value", "wheres[0].not"),
    ({"not": {}}, "missing_member", "wheres[0].not needs the member column"),
    ({"any": [A], "column": "title"}, "invalid_value", "wheres[0] has both any and column"),
    ({"any": [A], "value": "x"}, "invalid_value", "wheres[0]"),
    ({"any": [A], "all": [A]}, "invalid_value", "wheres[0] has both any and all"),
    ({"NOT": A, "Any": [A]}, "invalid_value", "wheres[0] has both Any and NOT"),
    ({"any": [A], "Any": [A]}, "duplicate_member", "wheres[0].any and wheres[0].Any"),
    ({"any": [A, A, {"column": "hits", "value": "x"}]}, "invalid_value", "wheres[0].any[2].value must be"),
    ({"any": [{"not": {"column": "nope", "value": "x"}}]}, "unknown_column", "wheres[0].any[0].not has"),
    ({"all": [A, {"column": "title", "operator": "~", "value": "x"}]}, "unknown_operator", "wheres[0].all[1] has"),
    ({"all": [A, {"column": "title"}]}, "missing_member", "wheres[0].all[1] needs the member value"),
    ({"all": [A, {"value": "x"}]}, "missing_member", "wheres[0].all[1] needs the member column"),
    ({"any": [{"column": 5, "value": "x"}]}, "invalid_value", "wheres[0].any[0].column must be a text"),
    ({"any": [{"column": "title", "value": []}]}, "invalid_value", "wheres[0].any[0].value must be a text"),
    ({"any": [{"column": "title", "value": "a", "Value": "b"}]}, "duplicate_member", "wheres[0].any[0].value"),
]


@pytest.mark.parametrize(("entry", "code", "named"), REFUSED)
def test_what_cannot_be_followed_is_400_and_named_by_its_place(api, entry, code, named):
    body = assert_error(ask(api, SiteFactory(), wheres=[entry]), 400, code)
    assert named in body["message"]
    assert body["member"]


def test_the_time_limit_holds_within_groups(api, site, settings):
    settings.CMS_STATEMENT_SECONDS = 0
    contains = {"column": "content", "operator": "Contains", "value": "a"}
    response = ask(api, site, wheres=[{"any": [contains] * 50}])
    # So few contents may be read before anybody looks at the clock.
    assert response.status_code == 200 or response.json()["code"] == "query_too_slow"
