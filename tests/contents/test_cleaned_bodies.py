"""Bodies from the API with CMS_CLEAN_API_BODIES on: cleaned when they are made and changed, else left alone."""

import pytest
from django.db import connection

from contents.models import Content, ContentBody, ContentChange
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory

DIRTY = '<P onclick="x()">Tide</P><script>y()</script>'
CLEAN = "<p>Tide</p>"
DATA = '<img src="data:image/png;base64,AA">'


@pytest.fixture
def cleaning(settings):
    """The setting, on."""
    settings.CMS_CLEAN_API_BODIES = True


def create(api, **members):
    channel = ChannelFactory()
    return api.post(f"/api/v1/contents/{channel.site_id}/{channel.pk}", {"title": "Tide"} | members)


def address(content):
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"


def body_of(content):
    return ContentBody.objects.get(content=content).text


def test_a_body_stays_byte_for_byte_unless_the_setting_is_on(api):
    assert create(api, content=DIRTY).json()["value"]["content"] == DIRTY
    content = ContentFactory()
    assert api.put(address(content), {"content": DIRTY}).json()["value"]["content"] == DIRTY
    assert body_of(content) == DIRTY


def test_the_body_of_a_new_content_is_cleaned(api, cleaning):
    made = create(api, content=DIRTY, summary=DIRTY).json()["value"]
    assert made["content"] == CLEAN
    assert made["summary"] == DIRTY  # is text, and no markup
    assert body_of(Content.objects.get(pk=made["id"])) == CLEAN


def test_a_changed_body_is_cleaned(api, cleaning):
    content = ContentFactory(content="<p>Old</p>")
    assert api.put(address(content), {"CONTENT": DIRTY}).json()["value"]["content"] == CLEAN
    assert body_of(content) == CLEAN


def test_a_body_that_cleans_to_the_stored_one_changes_nothing(api, cleaning):
    content = ContentFactory(content=CLEAN, title="Tide")
    before = api.get(address(content)).json()["value"]
    after = api.put(address(content), {"content": DIRTY}).json()["value"]
    edit = {"lastEditDate", "lastEditUserName"}
    assert {name for name in before if before[name] != after[name]} <= edit
    assert body_of(content) == CLEAN
    assert not ContentChange.objects.exclude(body_before=None).exists()


@pytest.mark.parametrize("stored", [DIRTY, DATA])
def test_a_record_that_is_sent_back_keeps_the_body_that_was_stored_before(api, cleaning, stored):
    content = ContentFactory(content=stored)
    record = api.get(address(content)).json()["value"]
    answer = api.put(address(content), record | {"title": "Ebb"})
    assert answer.status_code == 200
    assert (answer.json()["value"]["title"], answer.json()["value"]["content"]) == ("Ebb", stored)


def test_a_body_that_is_sent_back_does_not_take_the_place_of_one_that_was_stored_since_it_was_read(api, cleaning):
    content = ContentFactory(content=DIRTY)
    record = api.get(address(content)).json()["value"]

    seen = []

    def change_meanwhile(execute, sql, params, many, context):
        seen.append("contents_contentbody" in sql)
        if seen.count(True) == 1 and not seen[-1]:  # the statement after the one that has read the body
            ContentBody.objects.update(text="<p>Ebb</p>")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(change_meanwhile):
        answer = api.put(address(content), record | {"title": "Slack water"}).json()["value"]
    assert (answer["title"], answer["content"]) == ("Slack water", "<p>Ebb</p>")
    assert body_of(content) == "<p>Ebb</p>"


@pytest.mark.parametrize(("body", "code"), [(DATA, "data_picture"), ("<div>" * 300, "nested_too_deeply")])
def test_a_body_that_cannot_be_cleaned_is_400_and_nothing_is_stored(api, cleaning, body, code):
    content = ContentFactory(content=CLEAN)
    assert_error(create(api, content=body), 400, code)
    assert_error(api.put(address(content), {"title": "Ebb", "content": body}), 400, code)
    assert Content.objects.count() == 1
    content.refresh_from_db()
    assert body_of(content) == CLEAN
    assert content.title != "Ebb"


def test_a_path_to_nothing_is_404_whatever_the_body(api, cleaning):
    content = ContentFactory()
    assert_error(api.put(f"{address(content)}0", {"content": DATA}), 404)
    assert_error(api.post(f"/api/v1/contents/{content.site_id}/0", {"title": "x", "content": DATA}), 404)


@pytest.mark.parametrize("body", ["", None])
def test_no_body_is_nothing_to_clean(api, cleaning, body):
    assert create(api, content=body).json()["value"]["content"] == ""
