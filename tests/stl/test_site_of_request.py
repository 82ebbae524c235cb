"""Which site a request means, and which sites a key reaches."""

import pytest

from sites.models import Site
from tests.assertions import assert_error
from tests.cases import each_once
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory, SiteFactory
from tests.stl.asking import ELEMENTS, MISSING, ask, names, path, refused
from tests.worlds import world

pytestmark = pytest.mark.django_db
# `sites` without parameters lists all of them.
OF_ONE_SITE = [element for element in ELEMENTS if element != "sites"]


@world
def root():
    """The root site; of three others one stands below another."""
    SiteFactory(site_name="First", site_dir="first", taxis=1)
    parent = SiteFactory(site_name="Museum", site_dir="museum", taxis=2)
    SiteFactory(site_name="Hall", site_dir="hall", taxis=3, parent=parent)
    return SiteFactory(site_name="Root", site_dir="", is_root=True, taxis=9)


@pytest.mark.parametrize("query,expected", [
    ({}, "Root"),
    ({"siteId": "abc"}, "Root"),
    ({"siteId": "0"}, "Root"),
    ({"siteId": "-3"}, "Root"),
    ({"siteId": ""}, "Root"),
    ({"siteId": "1.5"}, "Root"),
    ({"siteId": 10**30}, "Root"),
    ({"siteDir": "museum"}, "Museum"),
    ({"siteDir": "MUSEUM"}, "Museum"),
    ({"SITEDIR": " museum "}, "Museum"),
    ({"siteDir": "/museum/"}, "Museum"),
    ({"siteDir": "museum/hall"}, "Hall"),
    ({"siteDir": "museum\\hall"}, "Hall"),
    ({"siteDir": "hall"}, "Hall"),
    ({"siteDir": "museum", "siteId": "x"}, "Museum"),
    ({"siteDir": ""}, "Root"),
    ({"siteDir": " "}, "Root"),
])  # fmt: skip
def test_by_number_by_folder_or_the_root_site(api, root, query, expected):
    assert ask(api, "value", query, type="siteName") == expected


@pytest.mark.parametrize("written", ["{}", "0{}", " {} ", "+{}"])
def test_a_number_is_read_leniently(api, root, written):
    museum = Site.objects.get(site_name="Museum")
    assert ask(api, "value", {"siteId": written.format(museum.pk)}, type="siteName") == "Museum"


def test_the_number_beats_the_folder(api, root):
    museum = Site.objects.get(site_name="Museum")
    assert ask(api, "value", {"siteId": museum.pk, "siteDir": "first"}, type="siteName") == "Museum"
    assert ask(api, "value", {"siteId": museum.pk, "siteDir": "nowhere"}, type="siteName") == "Museum"


def test_without_a_root_site_it_is_the_first_one(api):
    SiteFactory(site_name="Second", taxis=2)
    SiteFactory(site_name="First", taxis=1)
    assert ask(api, "value", type="siteName") == "First"


@pytest.mark.parametrize("element", OF_ONE_SITE)
def test_without_any_site_it_is_400(api, element):
    refused(api, element, "site_not_found")


def test_without_any_site_the_list_is_empty(api):
    assert ask(api, "sites") == []


@each_once(
    ("element", ELEMENTS),
    ("query", [
    {"siteId": MISSING},
    {"siteId": 2**63 - 1},
    # The folder is not tried then.
    {"siteId": MISSING, "siteDir": "museum"},
    {"siteDir": "nowhere"},
    {"siteDir": "first/hall"},
    {"siteDir": "nowhere/museum"},
    {"siteDir": "mus_um"},
    {"siteDir": "%"},
]),
)  # fmt: skip
def test_an_unknown_site_is_400(api, root, element, query):
    body = refused(api, element, "site_not_found", query)
    assert body["member"] in query


# ---- keys


@pytest.mark.parametrize("element", ELEMENTS)
def test_needs_a_key_with_the_scope(client_with_key, stranger, element):
    content = ContentFactory()
    query = {"siteId": content.site_id}
    assert_error(stranger.get(path(element, query)), 401, "key_missing")
    for scopes in ("Contents,Channels,Administrators,Users,SQL,System", ""):
        assert_error(client_with_key(scopes=scopes).get(path(element, query)), 401, "scope_missing")
    for scopes in ("STL:read", "STL:write", "STL"):
        assert client_with_key(scopes=scopes).get(path(element, query)).status_code == 200


@pytest.mark.parametrize("element", ELEMENTS)
def test_the_key_comes_before_the_parameters(client_with_key, element):
    client = client_with_key(scopes="Contents")
    assert_error(client.get(path(element, siteId=MISSING, where="(", order="(")), 401, "scope_missing")


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_limited_key_reaches_its_own_sites_only(client_with_key, root, element):
    own, other = Site.objects.get(site_name="Museum"), Site.objects.get(site_name="First")
    client = client_with_key(scopes="STL", site_ids=str(own.pk))
    assert client.get(path(element, siteId=own.pk)).status_code == 200
    assert client.get(path(element, siteDir="museum")).status_code == 200
    for query in (
        {"siteId": other.pk},
        {"siteId": MISSING},
        {"siteId": other.pk, "siteDir": "museum"},
        {"siteDir": "first"},
        {"siteDir": "nowhere"},
        {"siteDir": "museum/hall"},
    ):
        assert_error(client.get(path(element, query)), 401, "site_not_allowed")


def test_a_limited_key_is_told_the_same_of_a_site_that_exists_and_one_that_does_not(client_with_key, root):
    own, other = Site.objects.get(site_name="Museum"), Site.objects.get(site_name="First")
    client = client_with_key(scopes="STL", site_ids=str(own.pk))
    for one, two in (({"siteId": other.pk}, {"siteId": MISSING}), ({"siteDir": "first"}, {"siteDir": "nowhere"})):
        messages = [
            assert_error(client.get(path("site", query)), 401)["message"].replace(str(*query.values()), "…")
            for query in (one, two)
        ]
        assert messages[0] == messages[1]


@pytest.mark.parametrize("element", OF_ONE_SITE)
def test_without_parameters_a_limited_key_needs_the_root_site(client_with_key, root, element):
    own = Site.objects.get(site_name="Museum")
    assert_error(client_with_key(scopes="STL", site_ids=str(own.pk)).get(path(element)), 401, "site_not_allowed")


def test_the_list_has_the_sites_of_the_key_only(client_with_key, root):
    first, hall = Site.objects.get(site_name="First"), Site.objects.get(site_name="Hall")
    client = client_with_key(scopes="STL", site_ids=f"{first.pk},{hall.pk},{MISSING}")
    assert names(client, "sites") == "First Hall"
    assert names(client, "sites", scope="All") == "First Hall"
    # Nor do the sites below one that is not reached.
    assert names(client, "sites", siteName="Museum") == "First Hall"
    assert names(client, "sites", where="siteName = 'Museum'") == ""


def test_a_name_of_a_site_that_is_not_reached_is_null(client_with_key, root):
    own = Site.objects.get(site_name="Museum")
    client = client_with_key(scopes="STL", site_ids=str(own.pk))
    for name in ("First", "Nowhere"):
        assert ask(client, "site", siteId=own.pk, siteName=name) is None
        assert ask(client, "site", siteId=own.pk, siteDir="museum", siteName=name) is None
        assert ask(client, "site", siteId=own.pk, siteName=name, type="siteUrl") is None
    assert ask(client, "site", siteId=own.pk, siteName="museum")["id"] == own.pk


def test_a_folder_beside_a_number_of_an_own_site_tells_nothing_of_others(client_with_key, root):
    own = Site.objects.get(site_name="Museum")
    client = client_with_key(scopes="STL", site_ids=str(own.pk))
    for folder in ("first", "nowhere"):
        assert ask(client, "site", siteId=own.pk, siteDir=folder) is None


def test_an_owner_below_the_highest_rank_limits_the_list(root):
    museum = Site.objects.get(site_name="Museum")
    owner = AdministratorFactory(is_superuser=False, site_id_collection=str(museum.pk))
    client = ApiClient(ApiKeyFactory(scopes="STL", administrator=owner).token)
    assert names(client, "sites") == "Museum"


@pytest.mark.parametrize("element,query", [
    ("channel", {"channelId": "{channel}"}),
    ("channel", {"channelId": "{channel}", "type": "channelName"}),
    ("content", {"contentId": "{content}"}),
    ("content", {"contentId": "{content}", "type": "title"}),
    ("a", {"channelId": "{channel}"}),
    ("a", {"contentId": "{content}"}),
    ("count", {"channelId": "{channel}"}),
])  # fmt: skip
def test_channels_and_contents_of_another_site_are_not_there(api, element, query):
    own, other = SiteFactory(), ContentFactory(is_checked=True)
    query = {name: text.format(channel=other.channel_id, content=other.pk) for name, text in query.items()}
    assert ask(api, element, query, siteId=own.pk) is None
    assert ask(api, element, query, siteId=other.site_id) is not None


@pytest.mark.parametrize("element", ["channels", "contents"])
def test_lists_around_a_channel_of_another_site_are_empty(api, element):
    own, other = SiteFactory(), ContentFactory(is_checked=True)
    assert ask(api, element, siteId=own.pk, channelId=other.channel_id, scope="All") == []
    assert len(ask(api, element, siteId=other.site_id, channelId=other.channel_id, scope="All")) == 1


# ---- addresses


@pytest.mark.parametrize("element", ELEMENTS)
def test_names_of_elements_and_parameters_have_any_letter_case(api, root, element):
    museum = Site.objects.get(site_name="Museum")
    expected = ask(api, element, siteId=museum.pk)
    for spelled in (element.upper(), element.title(), element + "/"):
        assert ask(api, spelled, SITEID=museum.pk) == expected


@pytest.mark.parametrize("element", ["", "sitesx", "navigation", "file", "contents/1", "site.json"])
def test_an_unknown_element_is_404(api, stranger, element):
    for client in (api, stranger):
        assert_error(client.get(f"/api/v1/stl/{element}"), 404, "route_not_found")


@each_once(
    ("element", ELEMENTS),
    ("method", ["POST", "PUT", "DELETE", "PATCH"]),
)
def test_elements_are_only_read(stranger, element, method):
    assert_error(stranger.send(method, path(element)), 405, "method_not_allowed")


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_key_in_the_query_and_a_nameless_member_are_no_parameters_of_the_element(stranger, root, element):
    token = ApiKeyFactory(scopes="STL").token
    assert ask(stranger, element, f"&?=&apikey={token}&1590000000000&unknown=x") == ask(ApiClient(token), element)
