"""Where the pages of a site are, and what of a site the database refuses."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from channels_app.models import Channel
from sites.addresses import resolve
from sites.models import Site
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db
SEPARATED = {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/a//"}


@pytest.mark.parametrize("fields,expected", [
    ({"site_dir": "museum"}, "/museum"),
    ({"site_dir": "博物馆"}, "/博物馆"),
    ({"site_dir": "", "is_root": True}, ""),
    ({"site_dir": "root", "is_root": True}, ""),
    ({"site_dir": "museum", "settings": SEPARATED}, "https://m.example/a"),
    ({"site_dir": "", "is_root": True, "settings": SEPARATED}, "https://m.example/a"),
    ({"site_dir": "museum", "settings": SEPARATED | {"isSeparatedWeb": False}}, "/museum"),
    ({"site_dir": "museum", "settings": {"isSeparatedWeb": True}}, ""),
])  # fmt: skip
def test_a_site_has_an_address_of_its_folder_or_host(fields, expected):
    assert SiteFactory(**fields).web_url == expected


def stored(site):
    return Site.objects.get(pk=site.pk).web_url


@pytest.fixture
def family():
    """A site, one below it, and one below that."""
    top = SiteFactory(site_dir="a")
    middle = SiteFactory(site_dir="b", parent=top)
    return top, middle, SiteFactory(site_dir="c", parent=middle)


def test_a_site_below_another_stands_below_its_address(family):
    assert [stored(site) for site in family] == ["/a", "/a/b", "/a/b/c"]


@pytest.mark.parametrize("update_fields", [None, ["site_dir"], ["site_dir", "settings"]])
def test_a_new_folder_reaches_the_sites_below(family, update_fields):
    family[0].site_dir = "x"
    family[0].save(update_fields=update_fields)
    assert [stored(site) for site in family] == ["/x", "/x/b", "/x/b/c"]


def test_a_new_host_reaches_the_sites_below(family):
    family[0].settings = SEPARATED
    family[0].save(update_fields=["settings"])
    assert [stored(site) for site in family] == [
        "https://m.example/a", "https://m.example/a/b", "https://m.example/a/b/c",
    ]  # fmt: skip


def test_a_site_bears_the_number_of_its_home_channel():
    site = SiteFactory(site_name="Museum", home_name="Home", home={"index_name": "home"})
    channel = Channel.objects.get(pk=site.pk)
    assert (channel.site_id, channel.parent_id, channel.channel_name) == (site.pk, None, "Home")
    assert (channel.index_name, channel.taxis, channel.parents_path) == ("home", 1, "")
    assert site.table_name == f"siteserver_Content_{site.pk}"


@pytest.mark.parametrize("fields", [
    {"site_dir": "museum"},
    {"site_dir": "MUSEUM"},
    {"site_dir": ""},
    {"site_dir": "other", "is_root": True},
])  # fmt: skip
def test_the_database_refuses_what_would_stand_in_the_place_of_another(fields):
    SiteFactory(site_dir="museum")
    SiteFactory(site_dir="", is_root=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        SiteFactory(**fields)
    assert Site.objects.count() == Channel.objects.count() == 2


@pytest.mark.parametrize("address,expected", [
    ("@/a.png", "/museum/a.png"),
    ("~/a.png", "/a.png"),
    ("/a.png", "/a.png"),
    ("a.png", "a.png"),
    ("@a.png", "@a.png"),
    ("https://x.example/@/a.png", "https://x.example/@/a.png"),
    ("", ""),
])  # fmt: skip
def test_stored_addresses_become_ones_that_a_browser_follows(address, expected):
    assert resolve(address, "/museum") == expected


def test_a_site_that_was_read_before_its_parent_changed_gets_the_new_address():
    parent = SiteFactory(site_dir="above")
    child = SiteFactory(site_dir="below", parent=parent)
    stale = Site.objects.select_related("parent").get(pk=child.pk)
    parent.site_dir = "moved"
    parent.save()
    stale.site_dir = "renamed"
    stale.save()
    assert Site.objects.get(pk=child.pk).web_url == "/moved/renamed"


def test_sites_cannot_be_made_to_stand_below_each_other():
    one = SiteFactory(site_dir="one")
    other = SiteFactory(site_dir="other", parent=one)
    one.parent = other
    with pytest.raises(ValidationError, match="below itself"):
        one.save()
    assert Site.objects.get(pk=one.pk).parent is None
