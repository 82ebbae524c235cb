"""Values in and out."""

import re

import pytest
from rest_framework.serializers import BaseSerializer

from contents.models import Content
from contents.wire.serializers import ContentSerializer
from core.rest.fields import BooleanField, DateTimeField, IntegerField
from core.rest.serializers import WireSerializer
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory
from tests.wire.addresses import creation, single

BOOLEANS = [
    (True, True),
    (False, False),
    ("True", True),
    ("False", False),
    ("true", True),
    ("false", False),
    ("TRUE", True),
    (" true ", True),
]
NO_BOOLEANS = ["yes", "1", "", 1, 0, 1.0, [], {}, [True]]

INTEGERS = [
    (37, 37),
    ("37", 37),
    (" 37 ", 37),
    ("+37", 37),
    ("037", 37),
    (-99, -99),
    ("-1", -1),
    (5.0, 5),
    (1e3, 1000),
    (0, 0),
    (2**63 - 1, 2**63 - 1),
    (-(2**63), -(2**63)),
    (str(2**63 - 1), 2**63 - 1),
]
NO_INTEGERS = [
    "three",
    "",
    "3.5",
    3.5,
    "1e3",
    "0x10",
    "1_000",
    "３７",
    True,
    [1],
    {},
    2**63,
    -(2**63) - 1,
    str(2**63),
    "9" * 40,
    1e30,
]

DATES = [
    ("2026-11-20 09:30:15", "2026-11-20 09:30:15"),
    ("2026-11-20 09:30", "2026-11-20 09:30:00"),
    ("2026-11-20", "2026-11-20 00:00:00"),
    (" 2026-11-20 ", "2026-11-20 00:00:00"),
    ("2026-11-20T09:30:15", "2026-11-20 09:30:15"),
    ("2026-11-20T09:30", "2026-11-20 09:30:00"),
    ("2026-11-20T09:30:15.1", "2026-11-20 09:30:15"),
    ("2026-11-20T09:30:15.999999999", "2026-11-20 09:30:15"),
    ("2026-11-20 09:30:15.123", "2026-11-20 09:30:15"),
    ("2026-11-20T09:30:15.123Z", "2026-11-20 17:30:15"),
    ("2026-11-20T09:30Z", "2026-11-20 17:30:00"),
    ("2026-11-20 09:30:15 Z", "2026-11-20 17:30:15"),
    ("2026-11-20T09:30:15+08:00", "2026-11-20 09:30:15"),
    ("2026-11-20T09:30:15+0800", "2026-11-20 09:30:15"),
    ("2026-11-20T09:30:15 -05:00", "2026-11-20 22:30:15"),
    ("2024-02-29 23:59:59", "2024-02-29 23:59:59"),
]
NO_DATES = [
    "yesterday",
    "",
    "20.11.2026",
    "11/20/2026",
    "2026-11",
    "2026-13-01",
    "2026-02-29",
    "2026-11-20 25:00",
    "2026-11-20 09:60",
    "2026-11-20 09:30:15+99:00",
    "2026-11-20T09",
    "0001-02-29T00:00:00Z",
    "0000-00-00 00:00:00",
    "２０２６-11-20",
    "2026-11-20 09:30:15; DROP TABLE",
    1590000000,
    True,
    {},
]


def created(api, **members):
    response = api.post(creation(ChannelFactory()), {"title": "Launch"} | members)
    assert response.status_code == 200, response.content
    return response.json()["value"]


@pytest.mark.parametrize(("sent", "answered"), BOOLEANS)
def test_booleans_are_read_as_json_and_as_text(api, sent, answered):
    record = created(api, isTop=sent, isChecked=sent)
    assert record["isTop"] is record["isChecked"] is answered


@pytest.mark.parametrize(("sent", "answered"), INTEGERS)
def test_integers_are_read_as_json_and_as_digits(api, sent, answered):
    record = created(api, sourceId=sent)
    assert (record["sourceId"], type(record["sourceId"])) == (answered, int)


@pytest.mark.parametrize(("sent", "answered"), DATES)
def test_dates_are_read_in_all_their_forms(api, settings, sent, answered):
    settings.TIME_ZONE = "Asia/Shanghai"
    assert created(api, addDate=sent)["addDate"] == answered


ZONES = ["UTC", "Asia/Shanghai", "America/New_York", "Pacific/Kiritimati"]
NEVER = [
    *("0001-01-01 00:00:00", "0001-01-01T00:00:00", "1754-01-01 00:00:00", "1754-12-31T23:59:59-12:00"),
    *("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+08:00", "0001-01-01T00:00:00.000-05:00"),
    *("0000-12-31T15:54:17.000Z", "0000-12-31", "0000-12-31T23:59:59-12:00"),
]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("sent", NEVER)
def test_a_date_that_never_happened_is_null_in_every_time_zone(api, settings, sent, zone):
    settings.TIME_ZONE = zone
    assert created(api, lastHitsDate=sent)["lastHitsDate"] is None


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("sent", ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-12:00", "9999-12-31 23:59:59"])
def test_the_end_of_the_calendar_is_a_date_in_every_time_zone(api, settings, sent, zone):
    settings.TIME_ZONE = zone
    assert created(api, addDate=sent)["addDate"].startswith("9999-12-31 ")


@pytest.mark.parametrize("zone", ZONES)
def test_filters_and_rules_read_never_and_the_end_of_the_calendar_in_every_time_zone(api, settings, zone):
    settings.TIME_ZONE = zone
    content = ContentFactory(is_checked=True)
    lists, last = f"/api/v1/contents/{content.site_id}", "9999-12-31T23:59:59-12:00"
    for never in ("0001-01-01T00:00:00Z", "0000-12-31T15:54:17.000Z"):
        assert api.get(f"{lists}?addDateFrom={never}&addDateTo={last}").json()["count"] == 1
        assert api.get(f"{lists}?addDateTo={never}").json()["count"] == 0
        rule = {"column": "addDate", "operator": "Between", "value": f"{never},{last}"}
        body = {"siteId": content.site_id, "wheres": [rule]}
        assert api.post("/api/v1/contents", body).json()["totalCount"] == 1


@pytest.mark.parametrize(
    ("member", "values", "expected"),
    [
        ("isTop", NO_BOOLEANS, "true or false"),
        ("sourceId", NO_INTEGERS, ""),
        ("addDate", NO_DATES, "a date and time such as 2026-11-20 09:30:00"),
        ("title", [5, True, ["a"], {"a": 1}], "a text"),
        ("Author", ["x" * 256], "a text of at most 255 characters, and has 256"),
        ("hits", [-1], "at least 0"),
        ("LinkUrl", ["javascript:alert(1)", " JaVa\tScript:x", "data:text/html,x"], "a URL without"),
    ],
)
def test_a_value_that_cannot_be_read_is_400_naming_the_member_as_it_was_sent(api, member, values, expected):
    content = ContentFactory(title="Launch")
    for value in values:
        body = {"title": "Launch"} | {member: value}
        for response in (api.post(creation(content.channel), body), api.put(single(content), body)):
            message = assert_error(response, 400, "invalid_value")["message"]
            assert message.startswith(f"{member} "), message
            assert expected in message
    (stored,) = Content.objects.all()
    assert (stored.title, stored.is_top, stored.source_id) == ("Launch", False, content.source_id)


def test_a_serializer_is_read_in_one_way():
    """DRF's own would accept what `read` refuses, such as a link that runs a script."""
    kinds = [WireSerializer]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert ContentSerializer in kinds
    assert not [kind for kind in kinds if issubclass(kind, BaseSerializer) or hasattr(kind, "is_valid")]


def test_records_are_answered_in_the_forms_of_the_interface(api):
    record = created(api)
    for name, field in ContentSerializer.field_table().items():
        wire = re.sub("_([a-z])", lambda match: match[1].upper(), name)
        value = record[wire]
        if isinstance(field, BooleanField):
            assert isinstance(value, bool), wire
        elif isinstance(field, IntegerField):
            assert type(value) is int, wire
        elif wire == "lastHitsDate":
            assert value is None
        elif isinstance(field, DateTimeField):
            assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", value), wire
        else:
            assert isinstance(value, str), wire


def test_markup_comes_back_byte_for_byte(api):
    markup = '<p style="a:\'b\'">\r\n\t&amp;&#39; 中文 𝒳 é é \u2028 <img src="@/upload/1.png"/></p>\x7f' * 1000
    record = created(api, content=markup)
    assert record["content"] == markup
    assert Content.objects.get(pk=record["id"]).body.text == markup


def test_text_is_not_trimmed(api):
    assert created(api, summary="  a \n")["summary"] == "  a \n"
