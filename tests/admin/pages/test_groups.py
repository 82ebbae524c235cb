"""The pages of groups: what they offer, and what they never give."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.test import Client

from tests.admin.pages.browsing import act, noted, place
from tests.admin.world import administrator_with
from tests.factories import ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db
PAGE = "auth_group"


def permission(codename):
    return Permission.objects.get(codename=codename)


def offered(browser):
    form = browser.get(place(PAGE, "add")).context["adminform"].form
    return {subject: [words for _, words in rights] for subject, rights in form["permissions"].field.choices}


def test_only_what_means_something_is_offered_in_words(highest):
    assert offered(highest) == {
        "Users": ["See", "Approve", "Lock and unlock", "Delete", "Add", "Change", "Set a new password", "Export"],
        "User log": ["See"],
        "Sites": ["See", "Change attributes"],
        "Channels": ["See", "Move to the trash", "Change and move", "Add"],
        "Channels in the trash": ["Restore", "Delete permanently"],
        "Contents": [
            "See",
            "Approve at every level",
            "Change, move and submit",
            "Add and copy",
            "Move to the trash",
            "Approve up to level 1",
            "Approve up to level 2",
            "Approve up to level 3",
            "Approve up to level 4",
        ],
        "Contents in the trash": ["Restore", "Delete permanently"],
        "Comments": ["See", "Approve and mark as spam", "Delete"],
        "Media files": ["See", "Change", "Move to the trash and back", "Upload"],
        "Entries": ["See", "Reply and change the state", "Delete", "Export"],
        "Forms": ["See", "Delete", "Add", "Change"],
        "Templates": ["See", "Add, change and delete"],
    }


def test_a_group_allows_what_was_chosen_and_no_more_once_it_is_gone(highest):
    chosen = [permission("view_content").pk, permission("approve_content").pk]
    assert highest.post(place(PAGE, "add"), {"name": "editors", "permissions": chosen}).status_code == 302
    group = Group.objects.get()
    member, browser = administrator_with(), Client()
    member.groups.add(group)
    browser.force_login(member)
    content = ContentFactory()
    assert browser.get(place("contents_content")).status_code == 200
    assert act(browser, "contents_content", "trash", content).status_code == 404
    highest.post(place(PAGE, "change", group.pk), {"name": "editors", "permissions": chosen[:1]})
    assert act(browser, "contents_content", "approve", content).status_code == 404
    act(highest, PAGE, "delete", group)
    assert browser.get(place("contents_content")).status_code == 404
    assert [(entry.action, entry.changed) for entry in noted() if entry.action.startswith("group.")] == [
        ("group.created", []),
        ("group.changed", ["permissions"]),
        ("group.deleted", []),
    ]


@pytest.mark.parametrize(
    ("stored", "language", "name", "shown"),
    [
        ("en", "zh-hans", "Chief editor", "主编"),
        ("zh-hans", "en", "站点负责人", "Site manager"),
        ("en", "en", "Site manager", "Site manager"),
    ],
)
def test_roles_are_shown_in_the_language_of_the_reader(highest, stored, language, name, shown):
    call_command("create_roles", language=stored)
    group, own = Group.objects.get(name=name), Group.objects.create(name="Chief editors of Harbour")
    member = administrator_with()
    member.groups.set([group, own])
    highest.cookies["cms_language"] = language
    permissions = place("accounts_administrator", "permissions", member.pk)
    for address in (place(PAGE), place("accounts_administrator", "add"), permissions):
        page = highest.get(address).content.decode()
        assert shown in page and "Chief editors of Harbour" in page, address
        assert name == shown or name not in page.replace("Chief editors of Harbour", ""), address
    page = highest.get(place(PAGE, "change", group.pk)).content.decode()
    assert f"&rsaquo; {shown}" in page and f"<h2>{shown}</h2>" in page
    assert f'value="{name}"' in page  # as it is stored
    assert Group.objects.filter(name=name).exists()


@pytest.mark.parametrize("codename", ["delete_administrator", "add_group", "change_permission", "view_auditentry"])
def test_no_group_gets_rights_over_the_system(highest, codename):
    answer = highest.post(place(PAGE, "add"), {"name": "editors", "permissions": [permission(codename).pk]})
    assert answer.status_code == 200
    assert not Group.objects.exists()


def test_a_name_belongs_to_one_group(highest):
    Group.objects.create(name="editors")
    answer = highest.post(place(PAGE, "add"), {"name": "editors"})
    assert "Another group has this name." in answer.content.decode()


def test_a_copy_begins_with_the_rights_and_places_of_the_original(highest):
    call_command("create_roles", verbosity=0)
    original, channel = Group.objects.get(name="Author"), ChannelFactory()
    original.places.create(site_id=channel.site_id, channel_id=channel.pk)
    address = f"{place(PAGE, 'add')}?copy={original.pk}"
    form = highest.get(address).context["adminform"].form
    assert form.initial["name"] == "Copy of Author"
    sent = {name: form[name].value() for name in ("permissions", "is_limited", "branches")}
    assert highest.post(address, sent | {"name": "Author of News"}).status_code == 302
    copy = Group.objects.get(name="Author of News")
    assert set(copy.permissions.all()) == set(original.permissions.all())
    assert copy.places.get().channel_id == channel.pk
    assert Group.objects.filter(name="Author").exists()
    assert [entry.action for entry in noted()][-1] == "group.created"


def test_administrators_get_groups_by_what_the_roles_do(highest):
    call_command("create_roles", verbosity=0)
    Group.objects.get(name="Editor").permissions.clear()
    form = highest.get(place("accounts_administrator", "add")).context["adminform"].form
    words = [label for _value, label in form.fields["groups"].choices]
    assert words[0] == "Author: Writes and changes content items and submits them for approval."
    assert "Editor" in words
