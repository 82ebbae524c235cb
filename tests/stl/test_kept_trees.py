"""Elements that try the kept channel tree first, and read it anew if it is outdated."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel
from sites.models import Site
from tests.factories import ChannelFactory, ContentFactory
from tests.stl.asking import ask

pytestmark = pytest.mark.django_db


@pytest.fixture
def content():
    channel = ChannelFactory(channel_name="News", index_name="news")
    return ContentFactory(channel=channel, title="a  b", is_checked=True, image_url="@/a.png")


def of_channel(api, content):
    return ask(api, "channel", siteId=content.site_id, channelIndex="news")


def of_content(api, content):
    return ask(api, "content", siteId=content.site_id, contentId=content.pk, channelIndex="news")


def title(api, content):
    return ask(api, "content", siteId=content.site_id, contentId=content.pk, type="title")


def rename(content):
    Channel.objects.filter(pk=content.channel_id).update(channel_name="Press")


def swap(content):
    """Another channel takes over the index name."""
    Channel.objects.filter(pk=content.channel_id).update(index_name="")
    ChannelFactory(site=content.site, index_name="news", channel_name="Other")


def trash(content):
    Channel.objects.filter(pk=content.channel_id).update(trashed_at="2020-01-01")


def break_titles(content):
    Site.objects.filter(pk=content.site_id).update(settings={"isContentTitleBreakLine": True})


@pytest.mark.parametrize("change", [rename, swap, break_titles])
@pytest.mark.parametrize("element", [of_channel, of_content, title])
def test_a_change_of_the_tree_is_in_the_next_response(api, content, element, change):
    before = element(api, content)
    change(content)
    after = element(api, content)
    Site.objects.filter(pk=content.site_id).update(taxis=9)  # draws another number, so that the tree is read anew
    element(api, content)
    assert element(api, content) == after
    expected = {(of_channel, rename), (of_channel, swap), (of_content, swap), (title, break_titles)}
    assert (after != before) == ((element, change) in expected)


@pytest.mark.parametrize("element", [of_channel, title])
def test_a_kept_tree_takes_no_statement_of_its_own(api, content, element):
    element(api, content)
    with CaptureQueriesContext(connection) as captured:
        element(api, content)
    assert len([query for query in captured if "treeversion" in query["sql"]]) == 1
    assert len(captured) == 1


def test_a_site_that_is_gone_is_refused_though_its_tree_is_kept(api, content):
    of_channel(api, content)
    missing = content.site_id
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM contents_contentbody")
        for table in ("contents_content", "contents_lasttaxis", "channels_app_channel"):
            cursor.execute(f"DELETE FROM {table}")
        cursor.execute("DELETE FROM channels_app_treeversion")
        cursor.execute("DELETE FROM cms_sites_site WHERE id = %s", (missing,))
        assert api.get(f"/api/v1/stl/channel?siteId={missing}&channelIndex=news").status_code == 400
