"""The menu: what the administrator may see, by site, and where one is."""

from html.parser import HTMLParser

import pytest
from django.contrib import admin
from django.urls import reverse

from tests.admin.world import administrator_with, administrator_with_every_right
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
CONTENTS = "/admin/contents/content/"


class Menu(HTMLParser):
    """The links of the menu by address, and which of them is marked as the present page."""

    def __init__(self, answer):
        super().__init__()
        self.links, self.current, self.open, self._inside = [], [], [], False
        self.feed(answer.content.decode())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self._inside |= attributes.get("id") == "menu"
        if self._inside and tag == "a":
            self.links.append(attributes["href"])
            self.current += [attributes["href"]] if "aria-current" in attributes else []
        if self._inside and tag == "details" and "open" in attributes:
            self.open.append(attributes["data-name"])

    def handle_endtag(self, tag):
        self._inside &= tag != "nav"


def menu(client, place="/admin/"):
    return Menu(client.get(place))


def test_the_highest_rank_finds_every_page(highest):
    SiteFactory()
    SiteFactory()
    links = menu(highest).links
    for model in admin.site._registry:
        page = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        assert any(link.startswith(page) for link in links), page


def test_the_highest_rank_sees_every_site(highest):
    site = SiteFactory()
    links = menu(highest).links
    assert f"{CONTENTS}?site__id__exact={site.pk}" in links
    assert f"/admin/channels_app/channel/site/{site.pk}/" in links
    assert f"/admin/cms_sites/site/{site.pk}/change/" in links


def test_who_may_add_sites_finds_the_way_with_one_site_too(client, highest):
    site = SiteFactory()
    assert "/admin/cms_sites/site/" in menu(highest).links
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(site.pk)))
    assert "/admin/cms_sites/site/" not in menu(client).links


def test_a_site_administrator_sees_their_sites_and_nothing_else(client):
    own, foreign = SiteFactory(), SiteFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.pk)))
    links = menu(client).links
    assert f"{CONTENTS}?site__id__exact={own.pk}" in links
    assert not any(str(foreign.pk) in link or "accounts" in link or "apikeys" in link for link in links)


def test_an_administrator_without_groups_is_told_that_there_is_nothing(client):
    client.force_login(AdministratorFactory(is_superuser=False))
    answer = client.get("/admin/")
    assert Menu(answer).links == ["/admin/"]
    assert "You do not have access to anything here yet." in answer.content.decode()


def test_of_many_sites_the_first_twelve_are_shown_and_a_way_to_all(highest):
    sites = [SiteFactory(site_name=f"Site {number:02}") for number in range(14)]
    links = menu(highest).links
    shown = [site.pk for site in sites if f"{CONTENTS}?site__id__exact={site.pk}" in links]
    assert shown == [site.pk for site in sites[:12]]
    assert "/admin/cms_sites/site/" in links


@pytest.mark.parametrize(
    ("place", "current"),
    [
        ("/admin/", ["/admin/"]),
        (CONTENTS + "?site__id__exact={site}", [CONTENTS + "?site__id__exact={site}"]),
        (CONTENTS, []),  # of no site
        ("/admin/cms_sites/site/{site}/change/", ["/admin/cms_sites/site/{site}/change/"]),
        ("/admin/accounts/user/", ["/admin/accounts/user/"]),
        ("/admin/accounts/userlog/", ["/admin/accounts/userlog/"]),
    ],
)
def test_the_present_page_is_marked_and_no_other(highest, place, current):
    site = SiteFactory(site_name="Harbour").pk
    SiteFactory(site_name="Lighthouse")
    shown = menu(highest, place.format(site=site))
    assert shown.current == [address.format(site=site) for address in current]


CHANNELS = "/admin/channels_app/channel/"
WRITING = (
    "contents.view_content",
    "contents.add_content",
    "contents.change_content",
    "contents.approve1_content",
    "channels_app.view_channel",
)


def test_who_may_not_look_at_sites_finds_the_entries_of_each_site(client):
    client.force_login(administrator_with(*WRITING))
    for site in (SiteFactory(site_name="Harbour").pk, SiteFactory(site_name="Lighthouse").pk):
        ways = [f"{CONTENTS}?site__id__exact={site}", f"{CHANNELS}site/{site}/"]
        assert [link for link in menu(client).links if link in ways] == ways
        for way in ways:
            shown = menu(client, way)
            assert shown.current == [way]
            assert f"site-{site}" in shown.open
    assert not {CONTENTS, CHANNELS} & set(menu(client).links)


@pytest.mark.parametrize("place", [f"{CONTENTS}waiting/", f"{CONTENTS}unfinished/"])
def test_one_entry_is_marked_for_who_may_not_look_at_sites(client, place):
    client.force_login(administrator_with(*WRITING))
    assert menu(client, place).current == [place]


def test_who_may_not_look_at_sites_finds_those_beyond_the_twelfth_by_lists_of_all(client):
    sites = [SiteFactory(site_name=f"Site {number:02}").pk for number in range(13)]
    client.force_login(administrator_with(*WRITING))
    assert {CONTENTS, CHANNELS} <= set(menu(client).links)
    assert menu(client, CHANNELS).current == [CHANNELS]
    assert menu(client, f"{CONTENTS}?site__id__exact={sites[12]}").current == [CONTENTS]
    assert menu(client, f"{CHANNELS}site/{sites[0]}/").current == [f"{CHANNELS}site/{sites[0]}/"]
    assert menu(client, f"{CONTENTS}waiting/").current == [f"{CONTENTS}waiting/"]


def test_the_list_of_what_is_open_is_marked(highest):
    SiteFactory(site_name="Harbour")
    channel = ChannelFactory(site=SiteFactory(site_name="Lighthouse"))
    content, site = ContentFactory(channel=channel), channel.site_id
    for place in (f"{CONTENTS}{content.pk}/change/", f"{CONTENTS}?channel__id__exact={channel.pk}"):
        assert menu(highest, place).current == [f"{CONTENTS}?site__id__exact={site}"]
    (marked,) = menu(highest, f"/admin/channels_app/channel/{channel.pk}/change/").current
    assert marked.startswith("/admin/channels_app/channel/")
    assert str(site) in marked


def test_custom_fields_are_among_the_settings_of_their_site(highest):
    SiteFactory(site_name="Harbour")
    site = SiteFactory(site_name="Lighthouse").pk
    assert menu(highest, f"{CONTENTS}fields/{site}/").current == [f"/admin/cms_sites/site/{site}/change/"]


def test_the_site_in_which_one_is_stands_open(highest):
    SiteFactory(site_name="Harbour")
    second = SiteFactory(site_name="Lighthouse").pk
    assert f"site-{second}" not in menu(highest).open
    assert f"site-{second}" in menu(highest, f"{CONTENTS}?site__id__exact={second}").open


@pytest.mark.parametrize("sites", [1, 14])
def test_the_menu_costs_four_statements_whatever_there_is(highest, sites, django_assert_max_num_queries):
    for _ in range(sites):
        SiteFactory()
    with django_assert_max_num_queries(7):  # with those of the session, the account and the bell
        highest.get("/admin/password_change/")


def test_a_popup_has_no_menu(highest):
    answer = highest.get("/admin/accounts/user/?_popup=1")
    assert b'id="menu"' not in answer.content


def test_names_of_sites_are_shown_as_text(highest):
    SiteFactory(site_name="<b>Harbour</b>")
    page = highest.get("/admin/").content.decode()
    assert "&lt;b&gt;Harbour&lt;/b&gt;" in page
    assert "<b>Harbour" not in page


@pytest.mark.parametrize("is_highest", [True, False])
@pytest.mark.parametrize("entry", ["waiting", "unfinished"])
def test_a_review_stands_below_the_list_from_which_one_comes(client, is_highest, entry):
    content = ContentFactory(is_checked=False)
    reviewer = AdministratorFactory() if is_highest else administrator_with_every_right()
    client.force_login(reviewer)
    assert menu(client, f"{CONTENTS}{content.pk}/review/?from={entry}").current == [f"{CONTENTS}{entry}/"]
