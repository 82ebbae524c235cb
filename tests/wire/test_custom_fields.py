"""Values of custom fields: numbers that every database keeps, and a size that the operator chooses."""

import json

import pytest
from django.db import connection

from channels_app.models import Channel
from contents.models import Content
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db
RANGE = "numbers must be from -9223372036854775808 to 9223372036854775807."
BEYOND = ["1e20", "-1e19", "9223372036854775808.0", '[{"a":[1.7e308]}]']
WITHIN = '{"a":9223372036854775807,"b":-9223372036854775808,"c":[1e18,0.1,-5e-324]}'
# Which JSON no body may hold: stored by a version that accepted 1e20, as PostgreSQL writes it then.
OLD = '{"poison": 100000000000000000000, "deep": [{"a": -9223372036854775809}], "theme": "dark"}'
MAX = 2048


@pytest.fixture
def small_limit(settings):
    settings.CMS_MAX_CUSTOM_FIELD_BYTES = MAX


def store(record, text):
    """Give the record custom fields that no request could."""
    column = "settings" if isinstance(record, Channel) else "settings_xml"
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {record._meta.db_table} SET {column} = %s WHERE id = %s", [text, record.pk])
    return record


def make_channel():
    return ChannelFactory()


def make_content():
    return ContentFactory(title="Launch")


def address(record):
    if isinstance(record, Channel):
        return f"/api/v1/channels/{record.site_id}/{record.pk}"
    return f"/api/v1/contents/{record.site_id}/{record.channel_id}/{record.pk}"


def creation(record):
    """Where one like it is created, and what the body has to hold."""
    if isinstance(record, Channel):
        return f"/api/v1/channels/{record.site_id}", f'"parentId":{record.site_id},"channelName":"New"'
    return f"/api/v1/contents/{record.site_id}/{record.channel_id}", '"title":"New"'


def put(api, record, text):
    return api.generic("PUT", address(record), text, content_type="application/json")


def refuse(response, what):
    before = [list(model.objects.order_by("pk").values()) for model in (Channel, Content)]
    error = assert_error(response(), 400)
    assert [list(model.objects.order_by("pk").values()) for model in (Channel, Content)] == before
    assert error["member"] == what
    return error


each_record = pytest.mark.parametrize("make", [make_channel, make_content])


@each_record
@pytest.mark.parametrize("number", BEYOND)
def test_a_number_beyond_64_bits_is_refused(api, make, number):
    record = make()
    place, needed = creation(record)
    bodies = [("PUT", address(record), f'{{"poison":{number}}}'), ("POST", place, f'{{{needed},"poison":{number}}}')]
    for method, path, body in bodies:
        error = refuse(lambda: api.generic(method, path, body, content_type="application/json"), "poison")  # noqa: B023
        assert (error["code"], error["message"]) == (
            "invalid_value",
            f"poison contains a number beyond 64 bits; {RANGE}",
        )


@each_record
def test_numbers_of_64_bits_are_kept_and_changed(api, make):
    record = make()
    assert put(api, record, f'{{"figures":{WITHIN}}}').status_code == 200
    assert api.get(address(record)).json()["value"]["figures"] == json.loads(WITHIN)
    assert put(api, record, '{"figures":0}').json()["value"]["figures"] == 0


def test_settings_xml_takes_no_other_numbers(api):
    content, settings = make_content(), json.dumps('{"poison":1e20}')
    refuse(lambda: put(api, content, f'{{"settingsXml":{settings}}}'), "poison")


@each_record
def test_a_stored_number_beyond_64_bits_is_read_and_changed(api, make):
    record = store(make(), OLD)
    shown = api.get(address(record)).json()["value"]
    assert (shown["poison"], shown["deep"]) == (1e20, [{"a": -9223372036854775809.0}])
    assert put(api, record, '{"theme":"light"}').json()["value"]["poison"] == 1e20
    # What was answered may come back.
    assert put(api, record, '{"poison":1e20,"theme":"red"}').json()["value"]["theme"] == "red"
    refuse(lambda: put(api, record, '{"poison":1e21}'), "poison")
    assert put(api, record, '{"poison":0,"deep":[]}').json()["value"]["poison"] == 0


# ---- size


def of_size(count):
    """A JSON text of that many bytes, some of which are not ASCII."""
    return "馆" + "a" * (count - 5)


@each_record
@pytest.mark.usefixtures("small_limit")
def test_a_custom_field_has_a_largest_size(api, make):
    record = make()
    assert put(api, record, json.dumps({"note": of_size(MAX)})).status_code == 200
    error = refuse(lambda: put(api, record, json.dumps({"Note": of_size(MAX + 1)})), "note")
    assert error["code"] == "custom_field_too_large"
    assert error["message"] == (
        "note has 2049 bytes as JSON; a custom field may have at most 2048 (CMS_MAX_CUSTOM_FIELD_BYTES)."
    )
    place, needed = creation(record)
    body = f'{{{needed},"note":[{json.dumps(of_size(MAX))}]}}'
    refuse(lambda: api.generic("POST", place, body, content_type="application/json"), "note")


@each_record
@pytest.mark.usefixtures("small_limit")
def test_the_custom_fields_of_a_record_have_a_largest_size_together(api, make):
    record = make()
    for number in range(7):
        assert put(api, record, json.dumps({f"note{number}": of_size(MAX)})).status_code == 200
    error = refuse(lambda: put(api, record, json.dumps({"note7": of_size(MAX - 8), "note8": 1})), "note7")
    assert error["code"] == "custom_field_too_large"
    assert "together they may have at most 16384, 8 times CMS_MAX_CUSTOM_FIELD_BYTES." in error["message"]
    assert put(api, record, json.dumps({"note6": of_size(1000), "note7": of_size(MAX)})).status_code == 200


@each_record
@pytest.mark.usefixtures("small_limit")
def test_a_record_with_a_larger_custom_field_is_read_and_changed(api, make):
    large = of_size(20_000)
    record = store(make(), json.dumps({"note": large, "theme": "dark"}))
    assert api.get(address(record)).json()["value"]["note"] == large
    assert put(api, record, json.dumps({"note": large, "theme": "red"})).json()["value"]["theme"] == "red"
    refuse(lambda: put(api, record, '{"more":"of it"}'), "more")
    assert put(api, record, '{"note":"short","more":"of it"}').json()["value"]["note"] == "short"
