"""`GET /stl/sites`."""

import pytest

from sites.models import Site
from tests.factories import SiteFactory
from tests.stl.asking import ask, names, refused
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def sites():
    """The root site with two beside it, one of which has two below it, one of which has one below it."""
    made = {}
    for name, parent, taxis in [
        ("Art", "", 1), ("Books", "", 5), ("Annex", "Art", 3), ("Attic", "Art", 4), ("Box", "Attic", 2),
    ]:  # fmt: skip
        made[name] = SiteFactory(site_name=name, site_dir=name.lower(), parent=made.get(parent), taxis=taxis)
    made["Root"] = SiteFactory(site_name="Root", site_dir="", is_root=True, taxis=0)
    return made


def test_answers_every_site_as_its_own_object(api, sites):
    listed = ask(api, "sites")
    assert listed == [ask(api, "site", siteId=site["id"]) for site in listed]
    # The root site, by parent, the highest taxis first.
    assert names(api, "sites") == "Root Books Art Attic Annex Box"
    assert list(listed[0]) == ["id", "siteDir", "siteName", "tableName", "isRoot", "parentId", "taxis", "attributes"]
    assert listed[0]["isRoot"] is True


def test_a_number_or_a_folder_selects_one(api, sites):
    assert names(api, "sites", siteId=sites["Attic"].pk) == "Attic"
    assert names(api, "sites", siteDir="BOOKS") == "Books"
    assert names(api, "sites", siteId=sites["Attic"].pk, siteDir="books") == "Attic"
    for unread in ("0", "-1", "x", ""):
        assert names(api, "sites", siteId=unread) == "Root Books Art Attic Annex Box"


@pytest.mark.parametrize("scope,expected", [
    ("Self", "Root Books Art Attic Annex Box"),
    ("All", "Root Books Art Attic Annex Box"),
    ("all", "Root Books Art Attic Annex Box"),
    ("SelfAndChildren", "Root Books Art Attic Annex Box"),
    ("Children", "Books Art"),
    ("CHILDREN", "Books Art"),
    ("Descendant", "Books Art Attic Annex Box"),
    ("nonsense", "Root Books Art Attic Annex Box"),
    ("", "Root Books Art Attic Annex Box"),
])  # fmt: skip
def test_the_scope_means_what_it_does_in_the_original(api, sites, scope, expected):
    assert names(api, "sites", scope=scope) == expected
    # The number only has to be that of a site then.
    assert names(api, "sites", scope=scope, siteId=sites["Art"].pk) == expected


def test_a_named_site_stands_for_those_directly_below_it(api, sites):
    assert names(api, "sites", siteName="ART") == "Attic Annex"
    assert names(api, "sites", siteName="Art", scope="Descendant") == "Attic Annex"
    assert names(api, "sites", siteName="Box") == ""
    assert names(api, "sites", siteDir="art", scope="Descendant") == "Attic Annex"
    assert names(api, "sites", siteName="Attic", siteDir="art", scope="All") == "Box"


def test_an_unknown_name_is_ignored(api, sites):
    assert names(api, "sites", siteName="Nowhere") == "Root Books Art Attic Annex Box"
    assert names(api, "sites", siteName="Nowhere", scope="Children") == "Books Art"


@pytest.mark.parametrize("query,expected", [
    ({"totalNum": 2}, "Root Books"),
    ({"totalNum": 0}, "Root Books Art Attic Annex Box"),
    ({"totalNum": -1}, "Root Books Art Attic Annex Box"),
    ({"totalNum": "x"}, "Root Books Art Attic Annex Box"),
    ({"startNum": 3}, "Art Attic Annex Box"),
    ({"startNum": 0}, "Root Books Art Attic Annex Box"),
    ({"startNum": 3, "totalNum": 2}, "Art Attic"),
    ({"startNum": 7}, ""),
    ({"startNum": 10**30, "totalNum": 10**30}, "Root Books Art Attic Annex Box"),
])  # fmt: skip
def test_amounts(api, sites, query, expected):
    assert names(api, "sites", query) == expected


@pytest.mark.parametrize("where,expected", [
    ("SiteName LIKE 'A%'", "Art Attic Annex"),
    ("isRoot = 'False' AND ParentId = 0", "Books Art"),
    ("NOT (taxis BETWEEN 1 AND 4)", "Root Books"),
    ("siteDir IN ('box', 'art')", "Art Box"),
    ("siteName = 'none'", ""),
])  # fmt: skip
def test_a_condition_filters(api, sites, where, expected):
    assert names(api, "sites", where=where) == expected


@pytest.mark.parametrize("order,expected", [
    ("", "Root Books Art Attic Annex Box"),
    ("default", "Root Books Art Attic Annex Box"),
    ("siteName", "Annex Art Attic Books Box Root"),
    ("ORDER BY SiteName DESC", "Root Box Books Attic Art Annex"),
    ("parentId, taxis DESC", "Books Art Root Attic Annex Box"),
])  # fmt: skip
def test_orders(api, sites, order, expected):
    assert names(api, "sites", order=order) == expected


def test_a_random_order_has_every_site_once(api, sites):
    assert sorted(names(api, "sites", order="Random").split()) == sorted(names(api, "sites").split())


@pytest.mark.parametrize("query,code", [
    ({"where": "settings = 'x'"}, "unknown_column"),
    ({"where": "attributes = 'x'"}, "unknown_column"),
    ({"where": "1 = 1"}, "bad_where"),
    ({"where": "id = 1; DROP TABLE cms_sites_site"}, "bad_where"),
    ({"order": "Hits"}, "unknown_column"),
    ({"order": "id,"}, "bad_order"),
    ({"order": "(SELECT 1)"}, "bad_order"),
])  # fmt: skip
def test_a_bad_rule_is_400(api, sites, query, code):
    body = refused(api, "sites", code, query)
    assert body["member"] in query
    assert Site.objects.count() == 6


def test_types_and_text_attributes_do_nothing(api, sites):
    assert ask(api, "sites", type="siteName", isUpper="true", leftText="x") == ask(api, "sites")


def test_a_list_costs_the_same_whatever_its_length(api, django_assert_max_num_queries):
    SiteFactory()
    ask(api, "sites")
    with django_assert_max_num_queries(1):
        ask(api, "sites")
    for _ in range(5):
        SiteFactory()
    with django_assert_max_num_queries(1):
        assert len(ask(api, "sites")) == 6
