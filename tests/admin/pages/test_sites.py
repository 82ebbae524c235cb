"""The page of a site: who may change what (all members: tests/sites/test_site_admin.py)."""

import pytest

from sites.models import Site
from tests.admin.pages.browsing import listed, noted, place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, SiteFactory

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
    assert changed(highest, site, site_dir="new").status_code == 302
    assert Site.objects.get(pk=site.pk).site_dir == "new"
