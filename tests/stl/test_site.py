"""`GET /stl/site`."""

import pytest

from sites.attributes import site_attributes
from tests.factories import SiteFactory
from tests.stl.asking import ask
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def site():
    return SiteFactory(
        site_name="Museum  of <b>Art</b>", site_dir="museum", table_name="model_Content", taxis=7,
        settings={"pageSize": 3, "motto": "Hello World", "opened": 1871, "isOpen": True, "halls": [1, 2], "none": None},
    )  # fmt: skip


def test_answers_the_whole_object(api, site):
    value = ask(api, "site", siteId=site.pk)
    assert list(value.items()) == [
        ("id", site.pk),
        ("siteDir", "museum"),
        ("siteName", "Museum  of <b>Art</b>"),
        ("tableName", "model_Content"),
        ("isRoot", False),
        ("parentId", 0),
        ("taxis", 7),
        ("attributes", site_attributes(site)),
    ]
    assert value["attributes"]["pageSize"] == 3
    assert "motto" not in value["attributes"]


def test_a_site_below_another_names_it(api, site):
    below = SiteFactory(parent=site, site_dir="hall")
    value = ask(api, "site", siteId=below.pk)
    assert (value["parentId"], value["attributes"]["webUrl"]) == (site.pk, "/museum/hall")


def test_text_attributes_do_nothing_to_the_object(api, site):
    plain = ask(api, "site", siteId=site.pk)
    assert ask(api, "site", siteId=site.pk, isUpper="true", leftText="<", wordNum=1, type="") == plain


@pytest.mark.parametrize("name,expected", [
    ("museum  of <B>art</B>", True),
    (" Museum  of <b>Art</b> ", True),
    ("Museum", False),
    ("", True),
    (" ", True),
])  # fmt: skip
def test_the_name_chooses_the_site(api, site, name, expected):
    other = SiteFactory()
    asked = site if not name.strip() else other
    value = ask(api, "site", siteId=asked.pk, siteName=name)
    assert (value is not None and value["id"] == site.pk) is expected
    if not expected:
        assert value is None


def test_the_name_beats_the_folder_and_the_folder_the_number(api, site):
    other = SiteFactory(site_name="Other", site_dir="other")
    assert ask(api, "site", siteId=other.pk, siteDir="museum")["id"] == site.pk
    assert ask(api, "site", siteId=other.pk, siteDir="nowhere") is None
    assert ask(api, "site", siteId=other.pk, siteDir="museum", siteName="Other")["id"] == other.pk


@pytest.mark.parametrize("kind,expected", [
    ("siteName", "Museum  of <b>Art</b>"),
    ("SITENAME", "Museum  of <b>Art</b>"),
    (" siteName ", "Museum  of <b>Art</b>"),
    ("siteUrl", "/museum"),
    ("siteDir", "museum"),
    ("tableName", "model_Content"),
    ("isRoot", "False"),
    ("parentId", "0"),
    ("taxis", "7"),
    ("motto", "Hello World"),
    ("MOTTO", "Hello World"),
    ("opened", "1871"),
    ("isOpen", "True"),
    ("halls", ""),
    ("none", ""),
    # Members of `attributes` have no text, as in the original.
    ("charset", ""),
    ("pageSize", ""),
    ("webUrl", ""),
    ("attributes", ""),
    ("settingsXml", ""),
    ("nothing", ""),
    ("__class__", ""),
])  # fmt: skip
def test_each_type_is_a_text(api, site, kind, expected):
    assert ask(api, "site", siteId=site.pk, type=kind) == expected


def test_the_id_is_a_text(api, site):
    assert ask(api, "site", siteId=site.pk, type="id") == str(site.pk)


def test_the_separate_host_is_the_address(api):
    site = SiteFactory(settings={"isSeparatedWeb": True, "separatedWebUrl": "https://m.example"})
    assert ask(api, "site", siteId=site.pk, type="siteUrl") == "https://m.example"


def test_the_text_is_that_of_the_named_site(api, site):
    SiteFactory(site_name="Other")
    assert ask(api, "site", siteId=site.pk, siteName="other", type="siteName") == "Other"
    assert ask(api, "site", siteId=site.pk, siteName="nowhere", type="siteName") is None


@pytest.mark.parametrize("query,expected", [
    ({"wordNum": 4}, "Hello..."),
    ({"wordNum": 4, "ellipsis": ""}, "Hello"),
    ({"startIndex": 6}, "World"),
    ({"length": 4}, "Hell"),
    ({"startIndex": 2, "length": 3}, "llo"),
    ({"startIndex": 20}, "Hello World"),
    ({"replace": "World", "to": "Moon"}, "Hello Moon"),
    ({"replace": "Hello,World", "to": "a,b"}, "a b"),
    ({"replace": "/(h)ello/", "to": "$1i"}, "Hi World"),
    ({"isLower": "true"}, "hello world"),
    ({"isUpper": "x"}, "HELLO WORLD"),
    ({"isLower": "true", "isUpper": "true"}, "HELLO WORLD"),
    ({"leftText": "[", "rightText": "]"}, "[Hello World]"),
    ({"isClearTags": "true"}, "Hello World"),
    ({"formatString": "yyyy"}, "Hello World"),
])  # fmt: skip
def test_text_attributes_shape_the_text(api, site, query, expected):
    assert ask(api, "site", query, siteId=site.pk, type="motto") == expected


def test_text_attributes_shape_the_name_too(api, site):
    assert ask(api, "site", siteId=site.pk, type="siteName", isClearTags="true") == "Museum  of Art"
    # What cannot be read means no, unlike on content.
    assert "<b>" in ask(api, "site", siteId=site.pk, type="siteName", isClearTags="x", isReturnToBr="x")


def test_no_text_is_not_surrounded(api, site):
    assert ask(api, "site", siteId=site.pk, type="nothing", leftText="[", rightText="]") == ""
