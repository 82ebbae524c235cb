"""What full_clean() says of a site: its settings, its folder, its place below another."""

import pytest
from django.core.exceptions import ValidationError

from sites.models import Site
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db


def problems(site):
    """The refusal of a site, by field."""
    with pytest.raises(ValidationError) as caught:
        site.full_clean()
    return caught.value.message_dict


def new_site(**fields):
    return Site(**({"id": 900, "site_name": "New", "site_dir": "new", "web_url": "/new"} | fields))


def test_a_sound_site_is_accepted():
    new_site(settings={"pageSize": 20, "logo": "@/logo.png"}, parent=SiteFactory()).full_clean()


def test_settings_are_checked_by_the_registry_beside_the_columns():
    assert problems(new_site(site_name="", settings={"pageSize": 0, "waterMarkPosition": 10})) == {
        "site_name": ["This field cannot be blank."],
        "settings": [
            "pageSize must be an integer from 1 to 10000.",
            "waterMarkPosition must be an integer from 1 to 9.",
        ],
    }


@pytest.mark.parametrize("folder", ["..", ".", "a/b", "a b", "a?b", "a\x7fb", "a\\b", "a&b"])
def test_a_folder_is_one_part_of_an_address(folder):
    reason = f'"{folder}" cannot be the folder of a site: a folder must be a single part of a URL.'
    assert problems(new_site(site_dir=folder)) == {"site_dir": [reason]}


@pytest.mark.parametrize("folder", ["api", "Admin", "STATIC", "media"])
def test_folders_of_the_service_are_refused_for_new_sites(folder):
    reason = f'The folder "{folder}" is reserved for the service; choose another one.'
    assert problems(new_site(site_dir=folder)) == {"site_dir": [reason]}


def test_folders_of_the_service_are_free_below_another_site_and_for_a_site_that_stands_there():
    new_site(site_dir="api", parent=SiteFactory()).full_clean()
    standing = SiteFactory(site_dir="admin")
    standing.full_clean()
    standing.site_dir = "api"
    assert list(problems(standing)) == ["site_dir"]


def test_a_folder_is_not_free_again_when_a_site_below_comes_up():
    below = SiteFactory(site_dir="api", parent=SiteFactory())
    below.parent = None
    assert list(problems(below)) == ["site_dir"]


@pytest.mark.parametrize("taken,asked", [("museum", "museum"), ("museum", "MUSEUM"), ("Übersee", "übersee")])
def test_a_taken_folder_is_refused_in_any_letter_case(taken, asked):
    owner = SiteFactory(site_dir=taken)
    assert problems(new_site(site_dir=asked)) == {"site_dir": [f'The folder "{asked}" belongs to site {owner.pk}.']}
    owner.site_dir = asked
    owner.full_clean()


def test_only_the_root_site_may_do_without_a_folder():
    assert problems(new_site(site_dir="")) == {"site_dir": ["Enter a folder; only the root site needs none."]}
    new_site(site_dir="", is_root=True, web_url="/").full_clean()


def test_a_site_below_itself_is_refused():
    top = SiteFactory()
    middle = SiteFactory(parent=top)
    bottom = SiteFactory(parent=middle)
    for parent in (top, middle, bottom):
        top.parent = parent
        assert problems(top) == {"parent": ["A site cannot be below itself."]}


def test_a_loop_among_other_sites_does_not_hold_the_search():
    one = SiteFactory()
    two = SiteFactory(parent=one)
    Site.objects.filter(pk=one.pk).update(parent=two)
    site = SiteFactory()
    site.parent_id = two.pk
    assert site._parent_problem() == ""


def test_an_unknown_parent_is_refused():
    assert list(problems(new_site(parent_id=999))) == ["parent"]


def test_the_root_site_stands_below_no_other():
    site = new_site(is_root=True, parent=SiteFactory())
    assert problems(site) == {"parent": ["The root site cannot have a parent."]}


def test_an_address_of_a_site_below_must_fit_too():
    site = SiteFactory(site_dir="a")
    SiteFactory(site_dir="b" * 200, parent=site)
    site.settings = {"isSeparatedWeb": True, "separatedWebUrl": "https://" + "x" * 1900}
    reason = "A URL of the site or of one below it would have 2109 characters; at most 2000 are allowed."
    assert problems(site) == {"site_dir": [reason]}
