"""The page of a site: who may change what (all members: tests/sites/test_site_admin.py)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.tree import read_tree
from contents.navigation.page_urls import read_addresses
from sites.models import Site
from sites.page_rules import CONTENT_RULE
from tests.admin.pages.browsing import listed, noted, place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.pages.sites import make_site
from transfer.admin.address_changes import change_of_site

pytestmark = pytest.mark.django_db
PAGE = "cms_sites_site"


def site_administrator(*sites):
    numbers = ",".join(str(site.pk) for site in sites)
    return AdministratorFactory(is_superuser=False, site_id_collection=numbers)


def changed(browser, site, **values):
    """The answer to the form of the site as it is, with the values."""
    form = browser.get(place(PAGE, "change", site.pk)).context["adminform"].form
    shown = {name: form[name].value() for name in form.fields}
    sent = {name: value for name, value in (shown | values).items() if value is not None and value is not False}
    return browser.post(place(PAGE, "change", site.pk), sent)


def asked(answer):
    """Return the effect on addresses that the page shows, and the confirmation; check that nothing was stored."""
    assert answer.status_code == 200
    form = answer.context["adminform"].form
    assert form.address_change.sentence in answer.content.decode()
    return form.address_change, form.confirmation


def test_a_site_administrator_changes_attributes_but_no_place(client):
    parent, site = SiteFactory(site_name="Harbour"), SiteFactory(site_dir="own")
    site.parent = parent
    site.save()
    client.force_login(site_administrator(site))
    text = client.get(place(PAGE, "change", site.pk)).content.decode()
    assert "Harbour" not in text
    answer = changed(client, site, pageSize=7, site_dir="other", parent="", taxis=9, is_root="on", table_name="x")
    assert answer.status_code == 302
    stored = Site.objects.get(pk=site.pk)
    assert stored.settings["pageSize"] == 7
    assert (stored.site_dir, stored.parent_id, stored.taxis, stored.is_root) == ("own", parent.pk, 0, False)
    (entry,) = noted("site.changed")
    assert entry.changed == ["settings.pageSize"]


def test_a_site_administrator_sees_own_sites_only(client):
    own, foreign = [SiteFactory(), SiteFactory()], SiteFactory()
    client.force_login(site_administrator(*own))
    assert set(listed(client, PAGE)) == set(own)
    assert client.get(place(PAGE, "change", foreign.pk)).status_code == 404
    assert client.post(place(PAGE, "change", foreign.pk), {"site_name": "x"}).status_code == 404


def test_a_group_may_see_sites_without_changing_them(client):
    site = SiteFactory()
    client.force_login(administrator_with("cms_sites.view_site"))
    assert client.get(place(PAGE, "change", site.pk)).status_code == 200
    assert client.post(place(PAGE, "change", site.pk), {"site_name": "x"}).status_code == 403


def test_the_form_of_a_site_offers_no_other_one(highest):
    page = highest.get(place(PAGE, "change", SiteFactory().pk)).content.decode()
    assert "_continue" in page
    assert "_addanother" not in page


def test_the_highest_rank_changes_the_folder(highest):
    site = SiteFactory()
    _change, confirmation = asked(changed(highest, site, site_dir="new"))
    assert Site.objects.get(pk=site.pk).site_dir == site.site_dir
    assert changed(highest, site, site_dir="new", confirmed=confirmation).status_code == 302
    assert Site.objects.get(pk=site.pk).site_dir == "new"


@pytest.mark.parametrize("settings,values,status", [
    ({}, {"contentFilePathRule": "/news/{@contentId}.html", "channelFilePathRule": "/{@channelId}/index.html"}, 301),
    ({"contentFilePathRule": "/{@channelId}/{@sequence}.html"}, {"contentFilePathRule": CONTENT_RULE}, 404),
    ({}, {"site_dir": "harbour"}, 404),
    ({}, {"isSeparatedWeb": "on", "separatedWebUrl": "https://m.example"}, 404),
])  # fmt: skip
def test_new_addresses_are_shown_before_they_are_stored(highest, settings, values, status):
    site = make_site(settings=settings)
    channel = ChannelFactory(site=site)
    content = ContentFactory(channel=channel, is_checked=True)
    ContentFactory(channel=channel)

    def addresses():
        return {
            read_tree(site.pk).channels[channel.pk]["navigationUrl"],
            *read_addresses(site.pk, {content.pk}).values(),
        }

    old = addresses()
    change, confirmation = asked(changed(highest, site, **values))
    assert addresses() == old
    assert changed(highest, site, **values, confirmed=confirmation).status_code == 302
    olds, news = (set(each) for each in zip(*change.examples, strict=True))
    assert old - addresses() <= olds
    assert addresses() - old <= news
    assert "2 content items" in change.sentence  # also the pending one, which has no page
    assert ("404" in change.afterwards) == (status == 404)
    assert {highest.get(address).status_code for address in old - addresses()} == {status}


def test_new_addresses_cost_the_same_with_more_contents(highest):
    channel = ChannelFactory()
    rule = "/{@channelId}/{@sequence}.html"
    after = Site(pk=channel.site_id, web_url="/moved", settings={"contentFilePathRule": rule})
    statements, numbers = [], []
    for count in (6, 12):
        ContentFactory.create_batch(count, channel=channel, is_checked=True)
        with CaptureQueriesContext(connection) as captured:
            change = change_of_site(Site.objects.get(pk=after.pk), after)
        statements.append(len(captured))
        # {@sequence} is the number of contents that were counted for it.
        numbers.append([new.rpartition("/")[2] for _old, new in change.examples if f"/{channel.pk}/" in new])
    assert statements[0] == statements[1] < 15
    assert numbers[0] == numbers[1]
    assert set(numbers[0]) <= {f"{number}.html" for number in range(1, 6)}


def test_examples_of_new_addresses_are_the_newest_contents(highest):
    channel = ChannelFactory()
    contents = ContentFactory.create_batch(7, channel=channel, is_checked=True)
    ContentFactory(channel=channel)
    change, _confirmation = asked(changed(highest, channel.site, contentFilePathRule="/{@contentId}.html"))
    newest = [f"/{channel.site.site_dir}/{content.pk}.html" for content in reversed(contents[2:])]
    assert [new for _old, new in change.examples] == newest


def test_new_addresses_of_the_sites_below_are_counted(highest):
    site = SiteFactory()
    ContentFactory(channel=ChannelFactory(site=SiteFactory(parent=site)))
    SiteFactory(parent=site, settings={"isSeparatedWeb": True, "separatedWebUrl": "https://m.example"})
    change, _confirmation = asked(changed(highest, site, site_dir="harbour"))
    assert "3 channels and 1 content item" in change.sentence
    assert "1 site below" in change.sentence


def test_a_confirmation_holds_for_what_was_shown_only(highest):
    site = SiteFactory()
    _change, first = asked(changed(highest, site, site_dir="one"))
    _change, second = asked(changed(highest, site, site_dir="two", confirmed=first))
    assert first != second
    assert changed(highest, site, site_dir="two", pageSize=7, confirmed=second).status_code == 302
    # The way back is another change.
    asked(changed(highest, site, site_dir=site.site_dir, confirmed=second))


def test_a_rule_that_no_page_follows_is_stored_at_once(highest):
    content = ContentFactory(channel=ChannelFactory(content_file_path_rule="/own/{@contentId}.html"))
    rule = "/news/{@contentId}.html"
    assert changed(highest, content.site, contentFilePathRule=rule, pageSize=7).status_code == 302
    assert Site.objects.get(pk=content.site_id).settings == {"contentFilePathRule": rule, "pageSize": 7}


def test_new_addresses_are_no_way_around_the_changes_of_others(highest):
    site = SiteFactory()
    _change, confirmation = asked(changed(highest, site, site_dir="new"))
    seen = highest.get(place(PAGE, "change", site.pk)).context["adminform"].form["seen"].value()
    changed(highest, site, pageSize=7)
    answer = changed(highest, site, site_dir="new", confirmed=confirmation, seen=seen, pageSize=30)
    form = answer.context["adminform"].form
    assert (form.theirs, form.address_change) == (["pageSize"], None)
    overwriting = {"seen": seen, "pageSize": 30, "site_dir": "new", "overwrite": form.accepted}
    page = changed(highest, site, **overwriting)
    asked(page)
    assert f'value="{form.accepted}" checked' in page.content.decode()
    assert changed(highest, site, **overwriting, confirmed=confirmation).status_code == 302
