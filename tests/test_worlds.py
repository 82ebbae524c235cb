"""Worlds of tests (tests/worlds.py): made once for tests in a row, and never changed by one of them."""

import pytest

from sites.models import Site
from tests.factories import SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
made = []  # in this process, which may have only some of the tests


@world
def site():
    made.append("site")
    return SiteFactory(site_name="Museum")


@world
def folder(site):
    made.append("folder")
    Site.objects.filter(pk=site.pk).update(site_dir="museum")
    return Site.objects.get(pk=site.pk)


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_takes_back_what_it_changes(site, turn):
    assert (site.site_name, Site.objects.get().site_name) == ("Museum", "Museum")
    site.site_name = "Changed"
    site.save()
    assert made == ["site"]


def test_a_world_is_within_those_that_it_needs(folder, site):
    assert (folder.site_dir, folder.pk) == ("museum", site.pk)
    assert made == ["site", "folder"]


def test_a_world_is_not_there_for_a_test_that_does_not_have_it():
    assert not Site.objects.exists()


def test_a_world_is_made_anew_after_that(site):
    assert Site.objects.get() == site
    assert made[-1] == "site"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", [1, 2])
def test_with_transactions_of_its_own_a_test_makes_its_worlds(folder, site, turn):
    assert (folder, site) == (Site.objects.get(), Site.objects.get())
    assert made[-2:] == ["site", "folder"]
