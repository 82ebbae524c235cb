"""The tree of a site's channels: what it shows, in how much, and who may see it."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.services import create_channel
from tests.admin.pages.browsing import place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "channels_app_channel"


def tree(browser, site, **query):
    return browser.get(place(PAGE, "tree", site.pk), query)


def shown(answer):
    """The names of the rows."""
    return re.findall(r'<tr [^>]*data-name="([^"]*)"', answer.content.decode())


def many(site, number):
    top = site.channels.get(parent=None)
    for count in range(number):
        create_channel(top, f"Pier {count}")


def test_a_small_tree_is_wholly_open(highest):
    site = SiteFactory(home_name="Harbour")
    above = ChannelFactory(site=site, channel_name="Ships")
    ChannelFactory(site=site, channel_name="Cranes")
    ChannelFactory(parent=above, channel_name="Tugs")
    ChannelFactory(channel_name="Elsewhere")
    assert shown(tree(highest, site)) == ["Harbour", "Ships", "Tugs", "Cranes"]


def test_a_channel_is_closed_and_opened_without_scripts(highest):
    site = SiteFactory(home_name="Harbour")
    above = ChannelFactory(site=site, channel_name="Ships")
    ChannelFactory(parent=above, channel_name="Tugs")
    opened = f"{site.pk},{above.pk}"
    assert shown(tree(highest, site, open=opened, turn=above.pk)) == ["Harbour", "Ships"]
    assert shown(tree(highest, site, open=site.pk, turn=above.pk)) == ["Harbour", "Ships", "Tugs"]
    assert shown(tree(highest, site, open="", turn="")) == ["Harbour"]


def test_a_row_tells_all_about_its_channel(highest):
    site = SiteFactory()
    channel = ChannelFactory(site=site, index_name="ships", link_type="NoLink")
    ContentFactory.create_batch(3, channel=channel)
    ContentFactory(channel=ChannelFactory(parent=channel))  # counts along, as in the list that the number leads to
    page = tree(highest, site).content.decode()
    row = page[page.index(f'id="c{channel.pk}"') :].partition("</tr>")[0]
    for text in (f">{channel.pk}<", ">ships<", ">No link<", ">4</a>", f"../../{channel.pk}/change/"):
        assert text in row


def test_what_goes_beyond_a_portion_waits_to_be_asked_for(highest):
    site = SiteFactory()
    many(site, 130)
    answer = tree(highest, site)
    assert len(shown(answer)) == 101
    assert "30 more here" in answer.content.decode()
    assert len(shown(tree(highest, site, open=site.pk, more=f"{site.pk}.600"))) == 131


def test_only_the_rows_below_one_channel_are_read(highest):
    site = SiteFactory()
    above = ChannelFactory(site=site)
    ChannelFactory(parent=above, channel_name="Tugs")
    rows = highest.get(place(PAGE, "rows", site.pk), {"open": above.pk, "below": above.pk})
    assert shown(rows) == ["Tugs"]
    assert 'data-level="3"' in rows.content.decode()


@pytest.mark.parametrize("words", ["tUG", "boats", "{id}"])
def test_a_search_finds_by_name_index_and_number_and_tells_the_way(highest, words):
    site = SiteFactory(home_name="Harbour")
    above = ChannelFactory(site=site, channel_name="Ships")
    found = ChannelFactory(parent=above, channel_name="Tugs", index_name="boats")
    answer = tree(highest, site, q=words.format(id=found.pk))
    assert shown(answer) == ["Tugs"]
    assert "Harbour › Ships" in answer.content.decode()


def test_a_search_without_a_result_says_so(highest):
    assert "No channel has this name" in tree(highest, SiteFactory(), q="50%_\\").content.decode()


@pytest.mark.parametrize(
    "query", ["open=x,9999999999999999999,-1,1.x", "open=1.99999999", "turn=x", "more=x", "below=9"]
)
def test_nonsense_in_the_address_does_no_harm(highest, query):
    site = SiteFactory()
    assert highest.get(f"{place(PAGE, 'tree', site.pk)}?{query}").status_code == 200
    assert highest.get(f"{place(PAGE, 'rows', site.pk)}?{query}").status_code == 200


def test_a_site_that_there_is_not_is_404(highest):
    for number in (0, 10**30):
        assert highest.get(f"/admin/channels_app/channel/site/{number}/").status_code == 404


def test_the_page_costs_the_same_whatever_the_site_holds(highest):
    small, large = SiteFactory(), SiteFactory()
    many(small, 2)
    many(large, 120)
    costs = []
    for site in (small, large):
        with CaptureQueriesContext(connection) as queries:
            answer = tree(highest, site)
        costs.append(len(queries))
        assert len(answer.content) < 200_000
    assert costs[0] == costs[1] < 20


def test_a_deep_tree_is_shown(highest):
    site = SiteFactory()
    channel = None
    for _ in range(40):
        channel = ChannelFactory(site=site) if channel is None else ChannelFactory(parent=channel)
    assert len(shown(tree(highest, site))) == 41


def test_a_site_administrator_sees_the_trees_of_own_sites_only(client):
    own, foreign = SiteFactory(), SiteFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.pk)))
    assert tree(client, own).status_code == 200
    for view in ("tree", "rows", "several", "address", "move"):
        assert client.get(place(PAGE, view, foreign.pk)).status_code == 404
        assert client.post(place(PAGE, view, foreign.pk)).status_code == 404


def test_who_may_look_only_is_offered_no_act(client):
    site = SiteFactory()
    ChannelFactory(site=site)
    client.force_login(administrator_with("channels_app.view_channel"))
    answer = tree(client, site)
    assert answer.status_code == 200
    page = answer.content.decode()
    assert not any(word in page for word in ("data-moves", "Add a channel", "checkbox", "actions/trash"))


def test_names_are_shown_as_text(highest):
    site = SiteFactory()
    ChannelFactory(site=site, channel_name='<b>"Tugs"</b>')
    page = tree(highest, site).content.decode()
    assert "<b>" not in page
    assert "&lt;b&gt;&quot;Tugs&quot;&lt;/b&gt;" in page


def test_the_list_of_all_channels_stays_within_reach(highest):
    site = SiteFactory()
    assert f"{place(PAGE)}?site__id__exact={site.pk}" in tree(highest, site).content.decode()


def test_a_channel_is_visited_on_the_website(highest):
    channel = ChannelFactory(link_url="https://harbour.example/tugs")
    answer = highest.get(place(PAGE, "visit", channel.pk))
    assert (answer.status_code, answer["Location"]) == (302, "https://harbour.example/tugs")


@pytest.mark.parametrize("fields", [{"link_type": "NoLink"}, {"link_url": "mailto:tugs@harbour.example"}])
def test_a_channel_that_leads_to_no_page_says_so(highest, fields):
    channel = ChannelFactory(**fields)
    answer = highest.get(place(PAGE, "visit", channel.pk), follow=True)
    assert answer.redirect_chain[-1][0] == place(PAGE, "change", channel.pk)
    assert ("links nowhere" in answer.content.decode()) == ("link_type" in fields)


def test_a_page_on_the_website_is_offered_where_there_is_one(highest):
    separated = {"isSeparatedWeb": True, "separatedWebUrl": "https://harbour.example"}
    for settings, is_offered in ({}, False), (separated, True):
        channel = ChannelFactory(site=SiteFactory(settings=settings))
        content = ContentFactory(channel=channel, is_checked=True)
        draft = ContentFactory(channel=channel, is_checked=False)
        shown = [tree(highest, channel.site), *(highest.get(page_of_record(one)) for one in (channel, content, draft))]
        offered = ["View on the website" in page.content.decode() for page in shown]
        assert offered == [is_offered, is_offered, is_offered, False]
    for record in (channel, content):
        answer = highest.get(page_of_record(record, "visit"))
        assert (answer.status_code, answer["Location"][:24]) == (302, "https://harbour.example/")


def test_the_pages_of_templates_are_a_website(highest):
    channel = ChannelFactory(site=SiteFactory(site_dir="pier"))
    channel.site.templates.create(kind="ChannelTemplate", name="T", is_default=True)
    assert "View on the website" in tree(highest, channel.site).content.decode()
    answer = highest.get(page_of_record(channel, "visit"))
    assert (answer.status_code, answer["Location"]) == (302, f"/pier/channels/{channel.pk}.html")


def page_of_record(record, view="change"):
    return place(record._meta.label_lower.replace(".", "_"), view, record.pk)


def test_a_site_without_an_address_says_so(highest):
    content = ContentFactory(is_checked=True)
    for record in content, content.channel:
        answer = highest.get(page_of_record(record, "visit"), follow=True)
        assert answer.redirect_chain == [(page_of_record(record), 302)]
        assert "separatedWebUrl" in answer.content.decode()
