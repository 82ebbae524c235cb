"""The pages of channels: the tree, a channel, and the way to the trash."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel
from tests.admin.pages.browsing import act, listed, place, told
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "channels_app_channel"


def test_channels_of_a_site_stand_in_the_order_of_the_tree(highest):
    site = SiteFactory()
    above, last = ChannelFactory(site=site), ChannelFactory(site=site)
    below = ChannelFactory(parent=above, channel_name="Log")
    ChannelFactory()
    assert listed(highest, PAGE, site__id__exact=site.pk)[1:] == [above, below, last]
    assert "— — Log" in highest.get(place(PAGE)).content.decode()


def test_the_list_of_channels_leads_to_the_trees(highest):
    sites = [SiteFactory(), SiteFactory()]
    page = highest.get(place(PAGE)).content.decode()
    for site in sites:
        assert f'<a href="{place(PAGE, "tree", site.pk)}" title="Tree of channels">{site}</a>' in page


def test_a_channel_goes_to_the_trash_with_what_it_holds(highest):
    top = ChannelFactory()
    ContentFactory(channel=ChannelFactory(parent=top))
    asked = highest.get(place(PAGE, "action", "trash"), {"ids": top.pk})
    assert "Total: 2 channels and 1 content item." in asked.content.decode()
    assert told(act(highest, PAGE, "trash", top))[0].startswith("1 channel was moved to the trash.")
    assert not Channel.objects.in_channel(top.pk).exists()
    assert top not in listed(highest, PAGE)
    assert_derived()


def test_a_channel_and_one_below_it_go_together(highest):
    top = ChannelFactory()
    below = ChannelFactory(parent=top)
    act(highest, PAGE, "trash", top, below)
    assert set(Channel.objects.filter(trashed_with_id=top.pk)) == {top, below}


def test_the_home_channel_stays(highest):
    home = Channel.objects.get(pk=SiteFactory().pk)
    answer = act(highest, PAGE, "trash", home)
    assert answer.status_code == 302
    assert Channel.objects.live().filter(pk=home.pk).exists()


@pytest.mark.parametrize("page", [PAGE, "channels_app_trashedchannel"])
def test_a_list_asks_the_same_whatever_its_length(highest, page):
    site = SiteFactory()
    for _ in range(20):
        ChannelFactory(site=site)
    if page != PAGE:
        act(highest, PAGE, "trash", *Channel.objects.filter(site=site, parent__isnull=False))
    with CaptureQueriesContext(connection) as queries:
        assert len(listed(highest, page)) >= 20
    assert len(queries) <= 30


def test_kinds_of_links_are_told_in_words(highest):
    ChannelFactory(link_type="NoLinkIfContentNotExistsAndLinkToFirstContent")
    assert "No link without content items, else to its first one" in highest.get(place(PAGE)).content.decode()
    highest.cookies["cms_language"] = "zh-hans"
    assert "无内容时不可链接，有内容时链接到第一篇内容" in highest.get(place(PAGE)).content.decode()
