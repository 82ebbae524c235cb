"""`fields`: the members that contents have in an answer."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.models import CustomField
from tests.assertions import assert_error
from tests.contents.asking import ask, query, read
from tests.factories import ChannelFactory, ContentFactory, SiteFactory


def place(content):
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}"


@pytest.fixture
def content(api):
    """A content with a body, a picture and the custom field colour."""
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"))
    CustomField.objects.create(site=channel.site, name="colour", folded_name="colour")
    return ContentFactory(
        channel=channel, title="a", content="body", image_url="@/a.png", is_hot=True, is_checked=True,
        settings_xml='{"colour":"red","size":3}',
    )  # fmt: skip


def by_post(api, content, fields):
    (record,) = read(api, content.site, fields=fields)["contents"]
    return record


def by_site_list(api, content, fields):
    (record,) = query(api, f"/api/v1/contents/{content.site_id}", fields=",".join(fields)).json()["value"]
    return record


def by_channel_list(api, content, fields):
    (record,) = query(api, place(content), FIELDS=" , ".join(fields)).json()["value"]
    return record


def by_get(api, content, fields):
    return query(api, f"{place(content)}/{content.pk}", Fields=",".join([*fields, ""])).json()["value"]


WAYS = [by_post, by_site_list, by_channel_list, by_get]
way = pytest.mark.parametrize("get", WAYS)


@way
def test_each_content_has_just_these_members_in_the_usual_order(api, content, get):
    record = get(api, content, ["title", "ID", " isHot ", "title"])
    assert list(record.items()) == [("id", content.pk), ("title", "a"), ("isHot", True)]


@way
def test_every_member_alone_is_that_of_the_whole_content(api, content, get):
    whole = by_get(api, content, [])
    assert {"content", "navigationUrl", "colour", "size"} <= whole.keys()
    CustomField.objects.create(site=content.site, name="size", folded_name="size")
    for name, value in whole.items():
        assert get(api, content, [name.upper()]) == {name: value}
    assert get(api, content, list(whole)) == whole
    assert list(get(api, content, [*whole][::-1])) == list(whole)


@way
def test_no_names_are_all_members(api, content, get):
    assert get(api, content, []) == by_get(api, content, [])


@pytest.mark.parametrize("more", [{"orders": [{"column": "content", "desc": True}]}, {"count": "none"}, {"cursor": ""}])
def test_they_go_together_with_what_else_is_asked(api, content, more):
    assert read(api, content.site, fields=["title"], **more)["contents"] == [{"title": "a"}]


@way
def test_a_custom_field_that_a_content_does_not_have_is_left_out(api, content, get):
    CustomField.objects.create(site=content.site, name="weight", folded_name="weight")
    assert get(api, content, ["weight", "colour"]) == {"colour": "red"}
    assert get(api, content, ["weight"]) == {}


@way
def test_a_setting_never_stands_for_a_member_of_the_interface(api, content, get):
    content.settings_xml = '{"colour":"red","title":"other","navigationUrl":"x"}'
    content.save()
    assert get(api, content, ["colour", "title"]) == {"title": "a", "colour": "red"}
    assert get(api, content, ["colour"]) == {"colour": "red"}


@pytest.mark.parametrize("name", ["nope", "site_id", "version", "trashedAt", "a;b", "x" * 5000, "size", "%s", "'"])
def test_an_unknown_name_is_400(api, content, name):
    for response in (
        ask(api, content.site, fields=["title", name]),
        query(api, f"/api/v1/contents/{content.site_id}", fields=f"title,{name}"),
        query(api, place(content), fields=name),
        query(api, f"{place(content)}/{content.pk}", fields=name),
    ):
        body = assert_error(response, 400, "unknown_column")
        assert name in body["message"]
        assert body["member"] == "fields"


@pytest.mark.parametrize("wrong", ["title", {"a": 1}, [1], [None], [["title"]], 5, True])
def test_anything_but_a_list_of_texts_is_400(api, content, wrong):
    assert_error(ask(api, content.site, fields=wrong), 400, "invalid_value")


def test_the_number_of_names_is_limited(api, content):
    many = [f"field{number}" for number in range(1001)]
    assert_error(ask(api, content.site, fields=many), 400, "too_many_entries")
    assert read(api, content.site, fields=["title"] * 5000)["contents"] == [{"title": "a"}]


def test_a_path_to_nothing_comes_before_an_unknown_name(api, content):
    for path in ("/api/v1/contents/0", "/api/v1/contents/0/0", f"{place(content)}/0", "/api/v1/contents/0/0/0"):
        assert_error(query(api, path, fields="nope"), 404)


def statements(api, content, **body):
    api.post("/api/v1/contents", {"siteId": content.site_id, **body})  # what is kept is read
    with CaptureQueriesContext(connection) as captured:
        read(api, content.site, **body)
    return [query["sql"] for query in captured]


def test_what_is_not_asked_for_is_not_read(api, content):
    (plain,) = statements(api, content)
    assert "contentbody" in plain
    (short,) = statements(api, content, fields=["title", "hits"])
    for name in ("contentbody", "settings_xml", "image_url", "link_url", "summary"):
        assert name in plain
        assert name not in short
    (with_address,) = statements(api, content, fields=["navigationUrl"])
    assert "contentbody" not in with_address
    assert "contentbody" in statements(api, content, fields=["content"])[0]


def test_a_custom_field_costs_one_statement_more(api, content):
    assert len(statements(api, content, fields=["title", "colour"])) == 2
