"""The menu: what the administrator may see, by site, and where one is."""

import re
from html import unescape

import pytest
from django.contrib import admin
from django.urls import reverse

from accounts.models import GroupPlace
from accounts.roles import create_roles
from channels_app.models import TrashedChannel
from core.admin.menu import NARROW, SITE_COOKIE, WIDTH_COOKIE
from forms.models import Entry
from sites.models import Site, TrashedSite
from tests.admin.world import administrator_with, administrator_with_every_right
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
CONTENTS = "/admin/contents/content/"
SWITCH = "/admin/switch-site/"
CHANNELS = "/admin/channels_app/channel/"
_OF_SITE = "/?site__id__exact={site}"
SITE_PAGES = {
    "Contents": "/admin/contents/content" + _OF_SITE,
    "Media": "/admin/media_library/mediafile" + _OF_SITE,
    "Dead links": "/admin/contents/content/dead-links/{site}/",
    "Channels": CHANNELS + "site/{site}/",
    "Templates": "/admin/pages/template" + _OF_SITE,
    "Forms": "/admin/forms/form" + _OF_SITE,
    "Comments": "/admin/comments/comment" + _OF_SITE,
    "Content groups": "/admin/contents/contentgroup" + _OF_SITE,
    "Tags": "/admin/contents/contenttag" + _OF_SITE,
    "Changes": "/admin/contents/contentchange" + _OF_SITE,
    "Trash": "/admin/contents/trashedcontent" + _OF_SITE,
    "Custom fields": "/admin/contents/content/fields/{site}/",
    "Site settings": "/admin/cms_sites/site/{site}/change/",
}


class Menu:
    """The entries of the menu by title, the sites to change to by name, and what is marked, named or open."""

    def __init__(self, answer):
        page = answer.content.decode()
        text = page.partition('<nav id="menu"')[2].partition("</nav>")[0]
        switch = re.search(r'<details class="menu-sites">(.*?)</details>', text, re.DOTALL)
        self.others = self._links(switch[1]) if switch else {}
        self.has_search = switch is not None and 'name="q"' in switch[1]
        text = text.replace(switch[1], "") if switch else text
        self.entries, self.links = self._links(text), re.findall('<a [^>]*href="([^"]*)"', text)
        self.current = re.findall('<a [^>]*href="([^"]*)" aria-current="page"', text)
        named = re.search(r'class="menu-site".*?class="menu-label">(?:<span.*?</span>)?([^<]*)', page, re.DOTALL)
        self.site = named and unescape(named[1])
        self.titles = re.findall('class="menu-title[^"]*">([^<]*)', text)
        self.is_open = 'class="menu-administration" open' in text

    @staticmethod
    def _links(text):
        found = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', text, re.DOTALL)
        return {
            unescape(re.sub(r"<svg.*?</svg>|<span class=.menu-count.*?</span>|<.*?>", "", words)).strip(): url
            for url, words in found
        }


def menu(client, place="/admin/"):
    return Menu(client.get(place))


def at(site, *names):
    """The addresses of a site's entries."""
    return [SITE_PAGES[name].format(site=getattr(site, "pk", site)) for name in names]


def test_the_highest_rank_finds_every_page(highest):
    SiteFactory()
    links = menu(highest).links
    for model in admin.site._registry:
        page = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        # All lists of the trash share an entry, and entries that of forms.
        assert any(link.startswith(page) for link in links) or model in {TrashedChannel, TrashedSite, Entry}, page


def test_the_entries_stand_in_one_order_and_the_administration_in_groups(highest):
    site = SiteFactory(site_name="Harbour")
    shown = menu(highest)
    assert list(shown.entries)[:4] == ["Start", "Waiting for me", "My drafts", "Calendar"]
    assert shown.links[4:17] == at(site, *SITE_PAGES)
    assert list(shown.entries)[17:] == [
        *("Users", "User log", "Administrators", "Groups"),
        *("API keys", "Webhooks", "Deliveries of webhooks"),
        *("Sites", "Audit", "Jobs", "Restart"),
    ]
    assert shown.titles == ["Accounts", "Programs", "System"]


def test_a_single_site_is_named_and_several_can_be_changed_to(highest):
    first = SiteFactory(site_name="Harbour")
    shown = menu(highest)
    assert (shown.site, shown.others) == ("Harbour", {})
    second = SiteFactory(site_name="Lighthouse")
    shown = menu(highest)
    assert (shown.site, shown.has_search) == ("Harbour", False)
    assert shown.others == {"Harbour": at(first, "Contents")[0], "Lighthouse": at(second, "Contents")[0]}


@pytest.mark.parametrize("name", ["Contents", "Channels", "Templates", "Trash", "Custom fields", "Site settings"])
def test_another_site_opens_the_same_kind_of_page(highest, name):
    SiteFactory(site_name="Harbour")
    second, third = SiteFactory(site_name="Lighthouse"), SiteFactory(site_name="Valley")
    shown = menu(highest, *at(second, name))
    assert (shown.site, shown.current) == ("Lighthouse", at(second, name))
    assert shown.others["Valley"] == at(third, name)[0]


def test_the_site_of_the_last_page_stays_until_another_page_names_one(highest):
    SiteFactory(site_name="Harbour")
    second = SiteFactory(site_name="Lighthouse")
    assert menu(highest).site == "Harbour"
    for place in (*at(second, "Channels"), "/admin/", "/admin/accounts/user/", f"{CONTENTS}waiting/"):
        assert menu(highest, place).site == "Lighthouse"
    content = ContentFactory(channel=ChannelFactory(site=SiteFactory(site_name="Valley")))
    for place in (f"{CONTENTS}{content.pk}/change/", "/admin/"):
        assert menu(highest, place).site == "Valley"


@pytest.mark.parametrize("value", ["", "x", "0", "999999999999999999", "-1", "9" * 30])
def test_a_remembered_site_that_is_none_is_ignored(highest, value):
    SiteFactory(site_name="Harbour")
    highest.cookies[SITE_COOKIE] = value
    assert menu(highest).site == "Harbour"


def test_a_remembered_site_of_others_is_not_shown(client):
    own, foreign = SiteFactory(site_name="Lighthouse"), SiteFactory(site_name="Harbour")
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.pk)))
    client.cookies[SITE_COOKIE] = str(foreign.pk)
    shown = menu(client)
    assert (shown.site, shown.others) == ("Lighthouse", {})
    assert client.cookies[SITE_COOKIE].value == str(own.pk)


def test_who_may_add_sites_finds_the_way_with_one_site_too(client, highest):
    site = SiteFactory()
    assert menu(highest).entries["Sites"] == "/admin/cms_sites/site/"
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(site.pk)))
    assert "Sites" not in menu(client).entries
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=f"{site.pk},{SiteFactory().pk}"))
    assert "Sites" in menu(client).entries


_AUTHOR = ["Contents", "Media", "Dead links", "Content groups", "Tags", "Changes", "Trash"]
_EDITOR = ["Contents", "Media", "Dead links", "Channels", "Comments", "Content groups", "Tags", "Changes", "Trash"]
_BRANCH = ["Contents", "Media", "Dead links", "Channels", "Comments", "Changes", "Trash"]
_INTEGRATOR = ["Contents", "Media", "Channels", "Templates", "Content groups", "Tags", "Changes", "Trash"]


@pytest.mark.parametrize(
    ("role", "place", "work", "entries"),
    [
        ("Author", "", ["My drafts"], _AUTHOR),
        ("Editor", "", ["Waiting for me", "My drafts"], _EDITOR),
        ("Editor", "site", ["Waiting for me", "My drafts"], _EDITOR),
        ("Editor", "channel", ["Waiting for me", "My drafts"], _BRANCH),
        ("Chief editor", "", ["Waiting for me", "My drafts"], _EDITOR),
        ("Chief editor", "channel", ["Waiting for me", "My drafts"], _BRANCH),
        ("Site manager", "", ["Waiting for me", "My drafts"], [*SITE_PAGES]),
        ("Integrator", "", [], _INTEGRATOR),
    ],
)
def test_the_menu_is_built_alike_for_every_role_and_branch(client, role, place, work, entries):
    SiteFactory(site_name="Harbour")
    channel = ChannelFactory(site=SiteFactory(site_name="Lighthouse"))
    group = next(group for group, _is_new in create_roles("en") if group.name == role)
    if place:
        branch = channel.pk if place == "channel" else 0
        GroupPlace.objects.create(group=group, site_id=channel.site_id, channel_id=branch)
    person = AdministratorFactory(is_superuser=False)
    person.groups.add(group)
    client.force_login(person)
    shown, administration = menu(client), ["Sites"] if role == "Site manager" else []
    assert list(shown.entries) == ["Start", *work, "Calendar", *entries, *administration]
    assert list(shown.others) == ([] if place else ["Harbour", "Lighthouse"])
    site = channel.site_id if place else shown.links[len(work) + 2].rpartition("=")[2]
    assert shown.links[len(work) + 2 :][: len(entries)] == at(site, *entries)


def test_the_administration_is_open_where_one_is_and_where_there_is_nothing_else(client, highest):
    assert menu(highest).is_open  # without a site
    SiteFactory()
    assert not menu(highest).is_open
    assert menu(highest, "/admin/accounts/user/").is_open
    highest.cookies[WIDTH_COOKIE] = NARROW  # then it would cover the page
    shown = highest.get("/admin/accounts/user/")
    assert not Menu(shown).is_open
    assert b'class="menu-narrow"' in shown.content
    client.force_login(administrator_with("accounts.view_user"))
    shown = menu(client)
    assert (list(shown.entries), shown.site) == (["Start", "Users"], None)


def test_the_highest_rank_sees_every_site(highest):
    site = SiteFactory()
    links = menu(highest).links
    assert f"{CONTENTS}?site__id__exact={site.pk}" in links
    assert f"/admin/channels_app/channel/site/{site.pk}/" in links
    assert f"/admin/cms_sites/site/{site.pk}/change/" in links


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


@pytest.mark.parametrize(("number", "is_searched"), [(7, False), (8, True), (14, True)])
def test_of_many_sites_twelve_are_shown_with_a_search_for_all(highest, number, is_searched):
    for each in range(number):
        SiteFactory(site_name=f"Site {each:02}")
    shown = menu(highest)
    ways = {"All sites": SWITCH} if is_searched else {}
    assert {name: shown.others[name] for name in ways} == ways
    assert list(shown.others) == [*(f"Site {each:02}" for each in range(min(number, 12))), *ways]
    assert shown.has_search == is_searched


def test_the_site_of_the_page_is_among_those_shown(highest):
    sites = [SiteFactory(site_name=f"Site {number:02}") for number in range(14)]
    shown = menu(highest, *at(sites[13], "Templates"))
    assert shown.site == "Site 13"
    assert [*shown.others][-2:] == ["Site 13", "All sites"]
    assert shown.others["All sites"] == f"{SWITCH}?kind=pages.Template"


@pytest.mark.parametrize("rank", ["highest", "author", "limited"])
def test_the_search_finds_sites_that_one_sees_and_opens_the_only_one(client, rank):
    harbour, north, south = (SiteFactory(site_name=name) for name in ("Harbour", "North & sea", "South sea"))
    person = AdministratorFactory() if rank == "highest" else administrator_with("contents.view_content")
    if rank == "limited":
        GroupPlace.objects.create(group=person.groups.get(), site_id=north.pk, channel_id=0)
    client.force_login(person)
    found = client.get(SWITCH, {"q": " SEA", "kind": "contents.ContentTag"})
    if rank == "limited":
        assert found.headers["Location"] == at(north, "Tags")[0]
        assert at(harbour, "Contents")[0] not in client.get(SWITCH).content.decode()
        return
    page = found.content.decode().partition('<ul class="records">')[2]
    assert re.findall('<a href="([^"]*)">([^<]*)', page.partition("</ul>")[0]) == [
        (at(north, "Tags")[0], "North &amp; sea"),
        (at(south, "Tags")[0], "South sea"),
    ]
    assert client.get(SWITCH, {"q": "harb"}).headers["Location"] == at(harbour, "Contents")[0]
    assert "No site has this name." in client.get(SWITCH, {"q": "mountain"}).content.decode()


def test_the_search_shows_a_hundred_sites(highest):
    Site.objects.bulk_create(
        Site(pk=number, site_name=f"Site {number}", site_dir=f"s{number}") for number in range(500, 601)
    )
    page = highest.get(SWITCH, {"q": "Site"}).content.decode()
    assert (
        page.count("?site__id__exact=5") - page.partition('<ul class="records">')[0].count("?site__id__exact=5") == 100
    )
    assert "There are more sites." in page


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


WRITING = (
    "contents.view_content",
    "contents.add_content",
    "contents.change_content",
    "contents.approve1_content",
    "channels_app.view_channel",
)


@pytest.mark.parametrize("place", [f"{CONTENTS}waiting/", f"{CONTENTS}unfinished/"])
def test_one_entry_is_marked_for_who_may_not_look_at_sites(client, place):
    client.force_login(administrator_with(*WRITING))
    assert menu(client, place).current == [place]


def test_the_list_of_what_is_open_is_marked(highest):
    SiteFactory(site_name="Harbour")
    channel = ChannelFactory(site=SiteFactory(site_name="Lighthouse"))
    content, site = ContentFactory(channel=channel), channel.site_id
    for place in (f"{CONTENTS}{content.pk}/change/", f"{CONTENTS}?channel__id__exact={channel.pk}"):
        assert menu(highest, place).current == [f"{CONTENTS}?site__id__exact={site}"]
    (marked,) = menu(highest, f"/admin/channels_app/channel/{channel.pk}/change/").current
    assert marked.startswith("/admin/channels_app/channel/")
    assert str(site) in marked


def test_custom_fields_are_an_entry_of_their_site(highest):
    SiteFactory(site_name="Harbour")
    site = SiteFactory(site_name="Lighthouse").pk
    assert menu(highest, f"{CONTENTS}fields/{site}/").current == at(site, "Custom fields")


def test_who_may_only_see_the_settings_has_no_custom_fields_in_the_menu(client):
    site = SiteFactory()
    for rights, names in (
        (["cms_sites.view_site"], ["Site settings"]),
        (["cms_sites.change_site"], ["Custom fields", "Site settings"]),
    ):
        client.force_login(administrator_with(*rights))
        assert menu(client).links[1 : len(names) + 1] == at(site, *names)


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
