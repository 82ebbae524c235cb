"""`navigationUrl` of contents that refer to another."""

from datetime import datetime

import pytest

from contents.models import Content
from tests.contents.asking import read
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db

NO_LINK = "javascript:;"


@world
def channel():
    return ChannelFactory(site=SiteFactory(site_dir="museum"))


def get(api, content):
    response = api.get(f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}")
    assert response.status_code == 200, response.content
    return response.json()["value"]["navigationUrl"]


def page(content, web_url="/museum"):
    return f"{web_url}/contents/{content.channel_id}/{content.pk}.html"


def assert_address(api, content, expected):
    assert get(api, content) == expected
    listed = {record["id"]: record["navigationUrl"] for record in read(api, content.site, perPage=1000)["contents"]}
    assert listed[content.pk] == expected
    if expected:
        where = [{"column": "navigationUrl", "value": expected}]
        assert content.pk in {
            record["id"] for record in read(api, content.site, perPage=1000, wheres=where)["contents"]
        }


@pytest.mark.parametrize("is_checked", [True, False])
def test_leads_to_a_content_of_the_same_site(api, channel, is_checked):
    target = ContentFactory(channel=ChannelFactory(site=channel.site), is_checked=is_checked)
    assert_address(api, ContentFactory(channel=channel, reference_id=target.pk), page(target))


def test_comes_before_a_link_of_its_own(api, channel):
    target = ContentFactory(channel=channel)
    content = ContentFactory(channel=channel, reference_id=target.pk, link_url="https://x.example/")
    assert_address(api, content, page(target))


def test_leads_nowhere_where_the_content_is_gone(api, channel):
    trashed = ContentFactory(channel=channel, trashed_at=datetime(2020, 1, 1), is_checked=True)
    for target in (trashed.pk, 2**53, 2**63 - 1):
        assert_address(api, ContentFactory(channel=channel, reference_id=target), NO_LINK)


@pytest.mark.parametrize("reference", [0, -1])
def test_no_number_is_no_reference(api, channel, reference):
    content = ContentFactory(channel=channel, reference_id=reference)
    assert_address(api, content, page(content))


@pytest.mark.parametrize("settings_xml,is_copy", [
    ('{"translateContentType":"ReferenceContent"}', True),
    ('{"translatecontenttype":"ReferenceContent"}', True),
    ('{"translateContentType":"referencecontent"}', True),
    ('{"translateContentType":"Reference"}', False),
    ('{"translateContentType":""}', False),
    ('{"translateContentType":null}', False),
    ('{"translateContentType":["ReferenceContent"]}', False),
])  # fmt: skip
def test_what_took_over_the_text_has_a_page_of_its_own(api, channel, settings_xml, is_copy):
    target = ContentFactory(channel=channel)
    content = ContentFactory(channel=channel, reference_id=target.pk, settings_xml=settings_xml)
    assert_address(api, content, page(content if is_copy else target))
    chained = ContentFactory(channel=channel, reference_id=content.pk)
    assert_address(api, chained, page(content if is_copy else target))
    linked = ContentFactory(channel=channel, reference_id=target.pk, settings_xml=settings_xml, link_url="/link")
    assert_address(api, linked, "/link" if is_copy else page(target))


@pytest.mark.parametrize("length,leads", [(1, True), (2, True), (7, True), (8, True), (9, False), (20, False)])
def test_a_chain_is_followed_up_to_a_limit(api, channel, length, leads):
    content = target = ContentFactory(channel=channel)
    for _ in range(length):
        content = ContentFactory(channel=channel, reference_id=content.pk)
    assert_address(api, content, page(target) if leads else NO_LINK)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_loop_leads_nowhere(api, channel, length):
    contents = [ContentFactory(channel=channel) for _ in range(length)]
    for place, content in enumerate(contents):
        Content.objects.filter(pk=content.pk).update(reference_id=contents[place - 1].pk)
    for content in contents:
        assert_address(api, content, NO_LINK)


def test_leads_nowhere_beyond_the_site(api, channel):
    target = ContentFactory(channel=ChannelFactory(site=SiteFactory(site_dir="other")), is_checked=True)
    assert_address(api, target, page(target, "/other"))
    assert_address(api, ContentFactory(channel=channel, reference_id=target.pk), NO_LINK)


def test_a_chain_leads_nowhere_beyond_the_site(api, channel):
    target = ContentFactory(channel=channel, is_checked=True)
    other = ChannelFactory(site=SiteFactory(site_dir="other"))
    middle = ContentFactory(channel=other, reference_id=target.pk, is_checked=True)
    near = ContentFactory(channel=channel, reference_id=middle.pk, is_checked=True)
    for content in (middle, near, ContentFactory(channel=channel, reference_id=near.pk)):
        assert_address(api, content, NO_LINK)


def test_create_update_and_delete_answer_the_address(api, channel):
    target = ContentFactory(channel=channel)
    place = f"/api/v1/contents/{channel.site_id}/{channel.pk}"
    made = api.post(place, {"title": "x", "referenceId": target.pk}).json()["value"]
    assert made["navigationUrl"] == page(target)
    path = f"{place}/{made['id']}"
    itself = Content.objects.get(pk=made["id"])
    for members, expected in [
        ({"referenceId": 0}, page(itself)),
        ({"referenceId": 2**50}, NO_LINK),
        ({"translateContentType": "ReferenceContent"}, page(itself)),
        ({"translateContentType": "Reference", "referenceId": target.pk}, page(target)),
        ({"referenceId": made["id"]}, NO_LINK),
    ]:
        assert api.put(path, members).json()["value"]["navigationUrl"] == expected, members
    assert api.delete(path).json()["value"]["navigationUrl"] == NO_LINK


def test_a_list_takes_as_many_statements_for_many_references_as_for_few(api, channel, django_assert_num_queries):
    other = ChannelFactory(site=channel.site, content_file_path_rule="/{@title}.html")

    def add(count):
        for place in range(count):
            target = ContentFactory(channel=(channel, other)[place % 2], is_checked=True)
            between = ContentFactory(channel=channel, reference_id=target.pk)
            ContentFactory(channel=channel, reference_id=between.pk)

    add(3)
    read(api, channel.site, perPage=1000)
    for more in (0, 47):
        add(more)
        with django_assert_num_queries(3):  # the list, what is referred to, and what that refers to
            read(api, channel.site, perPage=1000)
