"""What each rank finds in the back end."""

import pytest

from tools.browser import LANGUAGES

HIDDEN = ["apikeys/apikey", "apikeys/apikey/add", "accounts/administrator", "auth/group", "operation/node"]
HIDDEN += ["audit/auditentry"]
ALL = [
    "start",
    "waiting",
    "drafts",
    "calendar",
    "contents",
    "media",
    "links",
    "channels",
    "templates",
    "forms",
    "comments",
    "groups",
]
ALL += ["tags", "changes", "trash", "fields", "settings", "administrators"]
_MAKE = """
from django.contrib.auth.models import Group, Permission
from accounts.models import Administrator
site = Administrator.objects.create_user("keeper", "harbour-21", site_id_collection="1")
ordinary = Administrator.objects.create_user("helper", "harbour-21")
group = Group.objects.create(name="Readers")
group.permissions.add(Permission.objects.get(codename="view_user"))
ordinary.groups.add(group)
"""


@pytest.fixture(scope="package")
def colleagues(desk):
    """A site administrator of the sample site, and an ordinary one whose group may look at users."""
    desk.installation.manage("shell", "--no-imports", "-c", _MAKE)
    return {"keeper": ALL, "helper": ["start", "administrators"]}


def icons_of_menu(page):
    """The icons of the entries, which are named alike in each language."""
    icons = page.eval_on_selector_all("#menu .menu-link use", "all => all.map(each => each.getAttribute('href'))")
    return [icon.removeprefix("#icon-") for icon in icons if icon != "#icon-narrow"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["keeper", "helper"])
def test_those_below_the_highest_rank_see_their_own_part(visit, sign_in, desk, colleagues, name, language):
    with visit(language) as page:
        sign_in(page, name, "harbour-21")
        page.goto("/admin/")
        assert icons_of_menu(page) == colleagues[name]
        for path in HIDDEN:
            assert page.request.get(f"/admin/{path}/").status == 404


def test_the_highest_rank_sees_everything(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/")
        assert icons_of_menu(page) == ALL
        for path in HIDDEN:
            assert page.request.get(f"/admin/{path}/").status == 200
