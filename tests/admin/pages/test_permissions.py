"""The pages “What may this person do?” and “What may I do?”."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.models import GroupPlace
from tests.admin.pages.browsing import place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "accounts_administrator"
OWN = "/admin/account/permissions/"


def shown(answer):
    """The rights by page: words → source → places."""
    return {
        page: {right.words: {name: list(places) for name, places in right.sources} for right in rights}
        for page, rights in answer.context["given"]
    }


def answers(answer):
    return {
        page: {each.words: (each.is_yes, each.reason) for each in rights} for page, rights in answer.context["answers"]
    }


def browser_of(person):
    browser = Client()
    browser.force_login(person)
    return browser


@pytest.fixture
def branch():
    return ChannelFactory(
        parent=ChannelFactory(site=SiteFactory(site_name="Harbour"), channel_name="News"), channel_name="Local"
    )


def limit(person, **limits):
    GroupPlace.objects.create(group=person.groups.get(), **limits)


def test_places_and_groups_are_named_by_right(highest, branch):
    person = administrator_with("contents.view_content", "contents.change_content")
    limit(person, site_id=branch.site_id, channel_id=branch.pk)
    limit(person, site_id=999)
    everywhere = administrator_with("contents.view_content", "contents.approve2_content").groups.get()
    person.groups.add(everywhere)
    group = person.groups.exclude(pk=everywhere.pk).get().name
    limited = ["Harbour › News › Local", "deleted site 999"]
    answer = highest.get(place(PAGE, "permissions", person.pk))
    found = shown(answer)
    assert found["Contents"] == {
        "See": {group: limited, everywhere.name: ["everywhere"]},
        "Change, move and submit": {group: limited},
        "Approve up to level 1": {everywhere.name: ["everywhere"]},
        "Approve up to level 2": {everywhere.name: ["everywhere"]},
    }
    assert found["Contents in the trash"] == {"See": found["Contents"]["See"]}
    # They belong to the whole site.
    assert found["Tags of contents"]["See"] == {group: ["deleted site 999"], everywhere.name: ["everywhere"]}
    assert "Users" in answer.context["closed"]


@pytest.mark.parametrize(
    ("fields", "source", "places"),
    [({"is_superuser": True}, "superuser", ["everywhere"]), ({}, "site administrator", ["Harbour"])],
)
def test_ranks_give_rights_without_groups(highest, branch, fields, source, places):
    fields = {"is_superuser": False, "site_id_collection": str(branch.site_id)} | fields
    found = shown(highest.get(place(PAGE, "permissions", AdministratorFactory(**fields).pk)))
    assert found["Templates"]["See"] == {source: places}
    assert ("Delete permanently" in found.get("Contents in the trash", {})) == (source == "superuser")
    assert ("Jobs" in found) == (source == "superuser")


def test_what_gives_all_rights_is_shown_once(highest, branch):
    for person, told in (
        (AdministratorFactory(), "superuser: everywhere"),
        (
            AdministratorFactory(is_superuser=False, site_id_collection=str(branch.site_id)),
            "site administrator: Harbour",
        ),
    ):
        page = highest.get(place(PAGE, "permissions", person.pk)).content.decode()
        assert f"<p>Every right below: {told}</p>" in page
        assert page.count(told) == 1
    several = administrator_with("contents.view_content")
    several.groups.add(administrator_with("contents.change_content").groups.get())
    page = highest.get(place(PAGE, "permissions", several.pk)).content.decode()
    assert "Every right below" not in page


def test_a_locked_account_may_do_nothing(highest):
    locked = administrator_with("contents.view_content", is_locked_out=True)
    answer = highest.get(place(PAGE, "permissions", locked.pk))
    assert "The account is locked." in answer.content.decode()
    assert "given" not in answer.context


def test_a_record_is_checked_with_reasons(highest, branch):
    person = administrator_with("contents.view_content", "contents.approve1_content")
    limit(person, site_id=branch.site_id, channel_id=branch.pk)
    group = person.groups.get().name
    inside = ContentFactory(channel=branch)
    ContentFactory(title="Elsewhere")
    address = place(PAGE, "permissions", person.pk)
    found = answers(highest.get(address, {"kind": "content", "q": inside.pk}))["Contents"]
    assert found["See"] == (True, group)
    assert found["Approve in the current state"] == (True, group)
    assert found["Change, move and submit"] == (False, "no group gives it")
    found = answers(highest.get(address, {"kind": "content", "q": "elsewhere"}))["Contents"]
    assert found["See"] == (False, f"{group}: only Harbour › News › Local")


def test_a_level_that_does_not_suffice_is_named(highest, branch):
    person = administrator_with("contents.approve1_content")
    branch.site.settings = {"isCheckContentLevel": True, "checkContentLevel": 2}
    branch.site.save()
    content = ContentFactory(channel=branch, checked_level=1)
    found = answers(highest.get(place(PAGE, "permissions", person.pk), {"q": content.pk}))["Contents"]
    assert found["Approve in the current state"] == (False, f"{person.groups.get()}: not in its current state")


@pytest.mark.parametrize(
    ("kind", "pages"),
    [("channel", ["Channels", "Contents"]), ("site", ["Sites", "Channels", "Contents", "Templates"])],
)
def test_a_channel_and_a_site_answer_for_what_they_contain(highest, branch, kind, pages):
    person = administrator_with("contents.add_content", "channels_app.change_channel")
    limit(person, site_id=branch.site_id, channel_id=branch.pk)
    record = branch if kind == "channel" else branch.site
    found = answers(highest.get(place(PAGE, "permissions", person.pk), {"kind": kind, "q": record.pk}))
    assert list(found) == pages
    assert found["Contents"]["Add and copy"][0] == found["Channels"]["Change and move"][0] == (kind == "channel")


def test_several_records_are_offered_and_none_is_said(highest):
    first, second = ContentFactory(title="Ferry early"), ContentFactory(title="Ferry late")
    address = place(PAGE, "permissions", AdministratorFactory().pk)
    assert [record for record, _place in highest.get(address, {"q": "ferry"}).context["found"]] == [second, first]
    assert "You see no such record." in highest.get(address, {"q": "tram"}).content.decode()


def test_everyone_sees_the_own_permissions_and_only_records_within_reach(branch):
    person = administrator_with("contents.view_content")
    limit(person, site_id=branch.site_id, channel_id=branch.pk)
    inside, outside = ContentFactory(channel=branch, title="Ferry"), ContentFactory(title="Ferry abroad")
    browser = browser_of(person)
    assert list(shown(browser.get(OWN))["Contents"]) == ["See"]
    assert browser.get(OWN, {"q": "ferry"}).context["record"] == inside
    assert "You see no such record." in browser.get(OWN, {"q": outside.pk}).content.decode()
    assert browser.get(place(PAGE, "permissions", AdministratorFactory().pk)).status_code == 404
    assert Client().get(OWN).status_code == 302


def test_an_account_without_groups_is_told_so():
    assert "No group gives this account a right." in browser_of(administrator_with()).get(OWN).content.decode()
    assert Group.objects.count() == 1
