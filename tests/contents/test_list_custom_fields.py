"""`POST /contents`: rules on members beyond those of the interface."""

import json

import pytest

from tests.assertions import assert_error
from tests.contents.asking import PATH, ask, found, titles
from tests.factories import ChannelFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.every_case

NAMES = [
    "colour",
    "it's",
    'say"x"',
    "back\\slash",
    "50%",
    "%s",
    "%(x)s",
    "a,b",
    "a.b",
    "a b",
    "a[0]",
    "$",
    "?",
    "{x}",
    "价格",
    "émile",
    "a'; DROP TABLE contents_content; --",
    "check_isadmin",
    "titleformatstring",
    "last_hits_date",
    "COALESCE(",
    "tab\there",
    "😀",
]


@world
def channel():
    return ChannelFactory()


def create(api, channel, title, **members):
    response = api.post(f"{PATH}/{channel.site_id}/{channel.pk}", {"title": title, **members})
    assert response.status_code == 200, response.content
    return response.json()["value"]


@pytest.mark.parametrize("name", NAMES)
def test_a_custom_field_of_any_name_is_a_column(api, channel, name):
    for title, value in [("a", "red"), ("b", "Green"), ("c", "")]:
        create(api, channel, title, **{name: value})
    create(api, channel, "d")
    for column, operator, value, expected in [
        (name, "=", "red", "a"),
        (name.upper(), "!=", "red", "bcd"),
        (f" {name} ", "In", "red, Green", "ab"),
        (name, "NotIn", "red", "bcd"),
        (name, "Like", "%GR%", "b"),
        (name, "NotLike", "%r%", "cd"),
        (name, ">", "Z", "a"),
        (name, "=", "", "cd"),
    ]:
        assert found(api, channel.site, (column, operator, value)) == expected, (column, operator, value)
    orders = [{"column": name, "desc": True}, {"column": "title", "desc": False}]
    assert titles(api, channel.site, orders=orders) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("sent,text", [
    (12, "12"),
    (-3, "-3"),
    (2**53, str(2**53)),
    (1.5, "1.5"),
    (True, "True"),
    (False, "False"),
    ("True", "True"),
    ("x'y\"z\\", "x'y\"z\\"),
    ("中文", "中文"),
    ("a\tb", "a\tb"),
])  # fmt: skip
def test_its_values_compare_as_their_text(api, channel, sent, text):
    record = create(api, channel, "a", field=sent)
    create(api, channel, "b", field="other")
    assert record["field"] == sent
    assert found(api, channel.site, ("field", "=", text)) == "a"
    assert found(api, channel.site, ("field", "In", text)) == ("a" if text else "")


@pytest.mark.parametrize("sent", [3.141592653589793, 0.1, 1e-5, -2.5e-10, 1e-300, 100.0, 1e18, -1e16])
def test_a_number_is_found_by_itself(api, channel, sent):
    answered = create(api, channel, "a", field=sent)["field"]
    create(api, channel, "b", field=answered * 2)
    assert found(api, channel.site, ("field", "=", answered)) == "a"
    assert found(api, channel.site, ("field", "!=", answered)) == "b"


@pytest.mark.parametrize("stored", [100, 100.0])
def test_a_whole_number_is_found_by_its_decimal_form(api, channel, stored):
    create(api, channel, "a", field=stored)
    assert found(api, channel.site, ("field", "=", 100.0)) == "a"


@pytest.mark.parametrize("sent", [[1, 2], {"z": 1, "a": [True]}, []])
def test_lists_and_objects_compare_as_compact_json(api, channel, sent):
    create(api, channel, "a", field=sent)
    assert found(api, channel.site, ("field", "=", json.dumps(sent, separators=(",", ":")))) == "a"


@pytest.mark.parametrize(("operator", "value", "expected"), [("=", "x", ""), ("IsNull", "true", ""), ("=", "{}", "b")])
def test_a_field_and_the_settings_as_a_whole(api, channel, operator, value, expected):
    create(api, channel, "a", field="x")
    create(api, channel, "b")
    rules = [("settingsXml", operator, value), ("field", "=", "x" if not expected else "")]
    assert found(api, channel.site, *rules) == expected


def test_a_field_and_the_settings_as_a_whole_in_addresses(api, channel):
    create(api, channel, "a", field="x", isChecked=True)
    place = f"siteId={channel.site_id}&scope=All&where=settingsXml = 'x' AND field = 'x'"
    assert api.get(f"{PATH}/{channel.site_id}?settingsXml=x&field=x").json()["count"] == 0
    assert api.get(f"/api/v1/stl/contents?{place}").json() == {"value": []}


def test_entries_of_settings_are_columns(api, channel):
    create(api, channel, "a", settingsXml=json.dumps({"check_username": "ada", "Width": 10}))
    create(api, channel, "b", settingsXml="check_username=bob&width=20")
    assert found(api, channel.site, ("check_username", "=", "ada")) == "a"
    assert found(api, channel.site, ("WIDTH", ">=", "20")) == "b"


def test_a_field_is_known_to_the_site_that_has_had_it(api, channel):
    create(api, channel, "a", field="x")
    other = SiteFactory()
    assert_error(ask(api, other, wheres=[{"column": "field", "value": "x"}]), 400, "unknown_column")
    assert_error(ask(api, other, orders=[{"column": "field", "desc": True}]), 400, "unknown_column")


def test_a_field_stays_known_when_its_contents_are_gone(api, channel):
    record = create(api, channel, "a", field="x")
    api.delete(f"{PATH}/{channel.site_id}/{channel.pk}/{record['id']}")
    assert found(api, channel.site, ("field", "=", "x")) == ""


def test_one_field_has_one_spelling(api, channel):
    assert create(api, channel, "a", VideoLength="1")["videoLength"] == "1"
    assert create(api, channel, "b", videolength="2")["videoLength"] == "2"
    assert create(api, channel, "c", settingsXml='{"VIDEOLENGTH":"3"}')["videoLength"] == "3"
    assert found(api, channel.site, ("VideoLength", ">", "0")) == "abc"


def test_pages_by_a_custom_field_do_not_overlap(api, channel):
    for title in "abcdef":
        create(api, channel, title, field="same")
    asked = {"orders": [{"column": "field", "desc": False}], "perPage": 2}
    pages = [ask(api, channel.site, page=page, **asked).json()["contents"] for page in (1, 2, 3)]
    assert [record["title"] for page in pages for record in page] == list("abcdef")


def test_many_rules_on_custom_fields_at_once(api, channel):
    create(api, channel, "a", **{"it's 50%": "x"})
    rule = ("it's 50%", "=", "x")
    orders = [{"column": "it's 50%", "desc": True}] * 50
    assert found(api, channel.site, *[rule] * 50, orders=orders) == "a"


@pytest.mark.parametrize("name", ["n" * 256, "ß" * 200, "ŉ" * 130])
def test_a_name_that_is_too_long_is_400(api, channel, name):
    # Some letters are two without their case.
    response = api.post(f"{PATH}/{channel.site_id}/{channel.pk}", {"title": "a", name: "x"})
    assert_error(response, 400, "invalid_value")
    assert titles(api, channel.site) == []


def test_the_number_of_custom_members_is_limited(api, channel):
    address = f"{PATH}/{channel.site_id}/{channel.pk}"
    many = {f"field{number}": number for number in range(500)}
    assert api.post(address, {"title": "a", **many}).status_code == 200
    assert_error(api.post(address, {"title": "a", "one": 1, **many}), 400, "too_many_entries")
    assert titles(api, channel.site) == ["a"]
