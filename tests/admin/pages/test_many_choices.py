"""Nobody is cut off by many sites, channels and groups: whatever there is can be chosen on every page that asks."""

import re

import pytest

from channels_app.models import Channel
from contents.admin.actions import places
from contents.models import ContentGroup
from core.admin import picker
from sites.admin import site_filter
from sites.models import Site
from tests.admin.pages.browsing import listed, place
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.transfer import wizard
from tests.worlds import world

pytestmark = pytest.mark.django_db
LAST = "Quay 299"
_OPTION = re.compile(r'<option value="([^"]*)"[^>]*>([^<]*)</option>')


@world
def crowd():
    """300 sites and their home channels, without what a service would make besides; the last one by name."""
    numbers = range(10_000, 10_300)
    Site.objects.bulk_create(Site(pk=n, site_name=f"Quay {n - 10_000:03}", site_dir=f"quay{n}") for n in numbers)
    Channel.objects.bulk_create(Channel(pk=n, site_id=n, channel_name=f"Home {n}", taxis=1) for n in numbers)
    return Site.objects.get(site_name=LAST)


def select(page, name):
    """The list of that name: whether it is one to find in, and its choices by number."""
    tag, options = re.search(rf'<select name="{name}"([^>]*)>(.*?)</select>', page.content.decode(), re.DOTALL).groups()
    return "data-picker" in tag, dict(_OPTION.findall(options))


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (place("contents_content"), "site__id__exact"),
        (place("contents_contentgroup"), "site__id__exact"),
        (place("contents_trashedcontent"), "site__id__exact"),
        (place("channels_app_channel"), "site__id__exact"),
        (place("contents_content", "add"), "site"),
        (place("contents_content", "import"), "site__id__exact"),
        (place("channels_app_channel", "add"), "below"),
        (place("contents_contentgroup", "add"), "site"),
        (wizard.ADD, "parent"),
        (f"{wizard.ADD}?step=copy", "copy_from"),
    ],
)
def test_the_last_of_300_sites_can_be_chosen(highest, crowd, address, name):
    if name == "copy_from":
        highest.get(wizard.ADD)
        wizard.answer(highest, "place", site_name="Pier", site_dir="pier")
        wizard.answer(highest, "begin", begin="copy")
    is_found_by_typing, choices = select(highest.get(address), name)
    assert choices[str(crowd.pk)] == LAST
    assert is_found_by_typing
    assert len([value for value in choices if value]) >= 300


def test_the_pages_that_ask_for_a_site_lead_on(highest, crowd):
    ContentFactory(channel=Channel.objects.get(pk=crowd.pk), site=crowd)
    assert len(listed(highest, "contents_content", site__id__exact=crowd.pk)) == 1
    assert highest.get(place("contents_content", "import"), {"site__id__exact": crowd.pk}).status_code == 200
    assert "Add channel" in highest.get(place("channels_app_channel", "add"), {"below": crowd.pk}).content.decode()
    is_channel = highest.get(place("contents_content", "add"), {"site": crowd.pk})
    assert select(is_channel, "channel")[1][str(crowd.pk)] == f"Home {crowd.pk}"


def test_nobody_is_offered_a_foreign_site(client, crowd):
    own = [SiteFactory(site_name=f"Own {number:02}") for number in range(25)]
    numbers = ",".join(str(site.pk) for site in own)
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=numbers))
    for view, name in (("changelist", "site__id__exact"), ("add", "site"), ("import", "site__id__exact")):
        _is_long, choices = select(client.get(place("contents_content", view)), name)
        assert {value for value in choices.values() if value != "Any"} == {site.site_name for site in own}


def test_few_sites_stand_as_links_or_in_a_plain_list(highest):
    site = SiteFactory(site_name="Pier")
    SiteFactory(site_name="Quay")
    page = highest.get(place("channels_app_channel", "add")).content.decode()
    assert f'<a href="?below={site.pk}">Pier</a>' in page
    assert "<select" not in highest.get(place("contents_contentgroup")).content.decode()
    assert select(highest.get(place("contents_content")), "site__id__exact")[0] is False


def test_another_site_is_chosen_without_the_page_and_the_channel_of_the_one_before(highest, crowd):
    query = {"q": "pier", "site__id__exact": crowd.pk, "p": "2", "o": "1"}
    page = highest.get(place("contents_contentgroup"), query).content.decode()
    form = re.search(r'<form method="get" class="period">.*?</form>', page, re.DOTALL)[0]
    assert set(re.findall(r'type="hidden" name="([^"]*)"', form)) == {"q", "o"}
    assert f'<option value="{crowd.pk}" selected>' in form


def test_sites_beyond_a_page_are_told_of(highest, crowd, monkeypatch):
    monkeypatch.setattr(site_filter, "MAX", 200)
    last = place("contents_contentgroup")
    assert "Only the first sites are shown." in highest.get(last).content.decode()
    _is_long, choices = select(highest.get(last, {"site__id__exact": crowd.pk}), "site__id__exact")
    assert choices[str(crowd.pk)] == LAST


# ---- channels


def test_the_last_of_210_channels_can_be_chosen(highest):
    site = SiteFactory()
    home = Channel.objects.get(pk=site.pk)
    made = [ChannelFactory(parent=home, channel_name=f"Berth {number:03}") for number in range(210)]
    content = ContentFactory(channel=made[0])
    for view, query, name in (
        (["changelist"], {"site__id__exact": site.pk}, "channel__id__exact"),
        (["import"], {"site__id__exact": site.pk}, "channel"),
        (["add"], {"site": site.pk}, "channel"),
        (["action", "move"], {"ids": content.pk}, "channel"),
    ):
        is_found_by_typing, choices = select(highest.get(place("contents_content", *view), query), name)
        assert is_found_by_typing
        assert choices[str(made[-1].pk)].endswith("Berth 209")


# ---- groups


@pytest.fixture
def content():
    """A content of a site with 600 groups."""
    made = ContentFactory(group_name_collection="g599")
    groups = (ContentGroup(site=made.site, group_name=f"g{number:03}", taxis=number) for number in range(599))
    ContentGroup.objects.bulk_create(groups)
    ContentGroup.objects.get_or_create(site=made.site, group_name="g599", defaults={"taxis": 599})
    return made


def test_the_last_of_600_groups_can_be_chosen(highest, content):
    for page, name in (
        (highest.get(place("contents_content"), {"site__id__exact": content.site_id}), "group"),
        (highest.get(place("contents_content", "action", "add-group"), {"ids": content.pk}), "group"),
    ):
        is_found_by_typing, choices = select(page, name)
        assert (is_found_by_typing, choices["g599"], len(choices)) == (True, "g599", 601)
    form = highest.get(place("contents_content", "change", content.pk)).content.decode()
    assert form.count('type="checkbox" name="groups"') == 600
    assert "data-find=" in form


def test_a_group_beyond_the_list_is_named(highest, content, monkeypatch):
    monkeypatch.setattr(places, "MAX", 5)
    other = ContentFactory(channel=content.channel)
    sent = {"ids": other.pk, "new_group": "g500"}
    highest.post(place("contents_content", "action", "add-group"), sent)
    other.refresh_from_db()
    assert other.group_name_collection == "g500"
    assert ContentGroup.objects.filter(site=content.site_id, group_name="g500").count() == 1


def test_groups_of_more_sites_than_are_read_one_by_one_are_named(highest, crowd):
    page = highest.get(place("contents_content")).content.decode()
    assert '<input type="text" name="group"' in page
    assert '<select name="group"' not in page


def test_a_list_needs_no_search_up_to_a_hundred():
    few, many = (
        [(number, f"{number}") for number in range(count)]
        for count in (picker.MAX_UNSEARCHED, picker.MAX_UNSEARCHED + 1)
    )
    assert "data-picker" not in picker.Picker(choices=few).render("site", 1)
    assert 'data-picker="optional"' in picker.Picker(choices=many).render("site", 1)
