"""Who may see and do what with forms and entries: by site, branch and group, on every page."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client

from accounts.models import GroupPlace
from channels_app.models import Channel
from channels_app.services import trash_channel
from contents.services.trash import purge_channel
from forms.access import access_of
from forms.models import Entry, Form
from forms.notices import who_may_see
from tests.admin.browser_forms import posted_by
from tests.admin.pages.browsing import act, listed, noted, place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ENTRIES, FORMS = "forms_entry", "forms_form"
ALL = [f"forms.{right}_entry" for right in ("view", "change", "delete", "export")]
ALL += [f"forms.{right}_form" for right in ("view", "add", "change", "delete")]
KINDS = ("own branch", "below it", "other branch", "no branch", "own group", "other group", "gone branch", "other site")
OF_BRANCH = {"own branch", "below it", "own group"}
SEES = {
    "superuser": set(KINDS),
    "site administrator": set(KINDS) - {"other site"},
    "everywhere": set(KINDS) - {"other group"},
    "site": set(KINDS) - {"other group", "other site"},
    "branch": OF_BRANCH,
}


class World:
    """A form of each kind with an entry, and an administrator of each rank with all rights."""

    def __init__(self):
        self.site = site = SiteFactory(site_name="Harbour")
        self.own, other = ChannelFactory(site=site), ChannelFactory(site=site)
        self.group, strangers = Group.objects.create(name="Crew"), Group.objects.create(name="Strangers")
        channels = {"own branch": self.own.pk, "below it": ChannelFactory(parent=self.own).pk}
        channels |= {"other branch": other.pk, "own group": self.own.pk, "other group": self.own.pk}
        self.forms = {}
        for kind in KINDS:
            home = SiteFactory() if kind == "other site" else site
            channel = 2**40 if kind == "gone branch" else channels.get(kind)
            is_limited = kind.endswith("group")
            form = Form.objects.create(site=home, name=kind, channel_id=channel, is_limited=is_limited)
            if is_limited:
                form.groups.add(self.group if kind == "own group" else strangers)
            form.fields.create(key="name", label="Name")
            self.forms[kind] = form
        self.entries = {
            kind: Entry.objects.create(form=form, values={str(form.fields.get().pk): "ann@example.org"})
            for kind, form in self.forms.items()
        }

    def browser(self, rank, *rights):
        if rank == "superuser":
            person = AdministratorFactory()
        elif rank == "site administrator":
            person = AdministratorFactory(is_superuser=False, site_id_collection=str(self.site.pk))
        else:
            person = administrator_with(*(rights or ALL))
            person.groups.add(self.group)
            limit = {"site": 0, "branch": self.own.pk}.get(rank)
            if limit is not None:
                GroupPlace.objects.create(
                    group=person.groups.exclude(pk=self.group.pk).get(), site_id=self.site.pk, channel_id=limit
                )
        browser = Client()
        browser.force_login(person)
        return browser


@pytest.fixture
def world(db):
    return World()


def statuses(browser, entry):
    """What each page about the entry and its form answers to someone who may do nothing harmful by it."""
    form = {"form__id__exact": entry.form_id}
    listing = browser.get(place(ENTRIES), form)
    return {
        "list": "cl" in listing.context_data and list(listing.context_data["cl"].result_list) == [entry],
        "see": browser.get(place(ENTRIES, "change", entry.pk)).status_code == 200,
        "history": browser.get(place(ENTRIES, "history", entry.pk)).status_code == 200,
        "print": browser.get(place(ENTRIES, "print", entry.pk)).status_code == 200,
        "export": browser.get(f"{place(ENTRIES, 'export')}?form__id__exact={entry.form_id}").status_code == 200,
        "reply": browser.post(place(ENTRIES, "reply", entry.pk), {"reply": "", "seen": ""}).status_code == 302,
        "state": act(browser, ENTRIES, "spam", entry).status_code == 302,
        "form": browser.get(place(FORMS, "change", entry.form_id)).status_code == 200,
        "access": browser.get(place(FORMS, "access", entry.form_id)).status_code == 200,
        "delete": act(browser, ENTRIES, "delete", entry).status_code == 302,
        "delete form": act(browser, FORMS, "delete", entry.form).status_code == 302,
    }


@pytest.mark.parametrize("rank", SEES)
def test_forms_are_seen_by_branch_and_group(world, rank):
    browser = world.browser(rank)
    assert {form.name for form in listed(browser, FORMS)} == SEES[rank]
    offered = browser.get(place(ENTRIES)).context_data["links"]
    assert {name for name, _site, _address in offered} == SEES[rank]
    for kind, entry in world.entries.items():
        is_seen = kind in SEES[rank]
        assert set(statuses(browser, entry).values()) == {is_seen}, kind
        assert Form.objects.filter(pk=entry.form_id).exists() != is_seen, kind


# What each right allows besides seeing.
ALLOWED = {
    "forms.view_entry": set(),
    "forms.change_entry": {"reply", "state"},
    "forms.delete_entry": {"delete"},
    "forms.export_entry": {"export"},
    "forms.view_form": {"form"},
    "forms.change_form": {"form", "access"},
    "forms.delete_form": {"form", "delete form"},
}


@pytest.mark.parametrize("right", ALLOWED)
def test_each_right_is_one_of_its_own(world, right):
    browser = world.browser("branch", right)
    entry = world.entries["own branch"]
    if right.endswith("_form"):
        assert browser.get(place(ENTRIES)).status_code == 404
        found = {"form": True, "access": False, "delete form": False}
        found["access"] = browser.get(place(FORMS, "access", entry.form_id)).status_code == 200
        found["delete form"] = act(browser, FORMS, "delete", entry.form).status_code == 302
        found["form"] = found["delete form"] or browser.get(place(FORMS, "change", entry.form_id)).status_code == 200
    else:
        found = statuses(browser, entry)
        assert all(found.pop(view) for view in ("list", "see", "history", "print"))
    assert {view for view, is_open in found.items() if is_open} == ALLOWED[right]


def test_bulk_acts_leave_out_entries_of_others(world):
    browser = world.browser("branch")
    act(browser, ENTRIES, "delete", *world.entries.values())
    assert {entry.form.name for entry in Entry.objects.all()} == set(KINDS) - OF_BRANCH


def test_a_form_of_a_channel_that_is_deleted_stays_hidden(world):
    world.browser("superuser")
    other = Channel.objects.get(pk=world.forms["other branch"].channel_id)
    trash_channel(world.site.pk, other.pk)
    purge_channel(world.site.pk, other.pk)
    assert {form.name for form in listed(world.browser("branch"), FORMS)} == OF_BRANCH
    Group.objects.get(name="Strangers").delete()
    assert "other group" not in {form.name for form in listed(world.browser("site"), FORMS)}


def test_people_of_a_branch_add_forms_to_it(world):
    browser = world.browser("branch")
    address = f"{place(FORMS, 'add')}?site={world.site.pk}"
    answer = browser.post(address, posted_by(browser.get(address)) | {"name": "New"}, follow=True)
    assert answer.status_code == 200
    assert Form.objects.get(name="New").channel_id == world.own.pk
    assert browser.get(f"{place(FORMS, 'add')}?site={world.forms['other site'].site_id}").status_code == 404


def change(browser, form, **values):
    address = place(FORMS, "access", form.pk)
    return browser.post(address, posted_by(browser.get(address)) | values)


def test_the_access_is_stored_and_noted(world):
    form, browser = world.forms["no branch"], world.browser("superuser")
    answer = change(browser, form, channel=world.own.pk, is_limited="on", groups=[world.group.pk])
    assert answer.status_code == 302, answer.context_data["form"].errors
    form.refresh_from_db()
    assert access_of(form) == (world.own.pk, True, {world.group.pk})
    (note,) = noted("form.changed")
    assert set(note.changed) == {"channelId", "isLimited", "groups"}
    page = browser.get(place(FORMS, "access", form.pk))
    Form.objects.filter(pk=form.pk).update(channel_id=None)  # by another person
    answer = browser.post(place(FORMS, "access", form.pk), posted_by(page))
    assert answer.status_code == 200 and answer.context_data["form"].non_field_errors()
    assert len(noted("form.changed")) == 1


def test_people_of_a_branch_choose_their_channels_and_groups_only(world):
    form, browser = world.forms["own branch"], world.browser("branch")
    shown = browser.get(place(FORMS, "access", form.pk)).context_data["form"]
    assert [pk for pk, _name in shown.fields["channel"].choices] == [world.own.pk, world.forms["below it"].channel_id]
    assert "Strangers" not in str(shown.fields["groups"].choices)
    for values in (
        {"channel": 0},
        {"channel": world.forms["other branch"].channel_id},
        {"channel": world.own.pk, "is_limited": "on", "groups": []},
        {"channel": world.own.pk, "groups": [Group.objects.get(name="Strangers").pk]},
    ):
        assert change(browser, form, **values).context_data["form"].errors, values
    assert access_of(Form.objects.get(pk=form.pk)) == (world.own.pk, False, set())


def test_those_are_notified_who_see_the_entries(world):
    for rank, seen in SEES.items():
        _browser, person = world.browser(rank), get_user_model().objects.latest("pk")
        told = {kind for kind, form in world.forms.items() if who_may_see(form, [person])}
        assert told == seen, rank
