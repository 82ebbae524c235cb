"""What each ready-made role may do, everywhere, in one site or in one branch: each page, action and address.

The tables say what is expected; nothing here asks the rules themselves.
"""

from itertools import pairwise, product

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.test import Client

from accounts.admin.permissions import answers_on
from accounts.models import GroupPlace
from core.audit.models import AuditEntry
from tests.admin.test_ranks import (
    ACTIONS,
    OWN,
    PAGES,
    VERSIONS,
    VIEWS,
    address,
    post_action,
    statuses,
    views_of,
)
from tests.admin.world import branch_records, other_records, site_records
from tests.factories import AdministratorFactory
from tests.worlds import world as shared_world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database,
    pytest.mark.usefixtures("without_frames", "remembered_people"),
]

AUTHOR, EDITOR, CHIEF, MANAGER, INTEGRATOR = "Author", "Editor", "Chief editor", "Site manager", "Integrator"
LADDER = [AUTHOR, EDITOR, CHIEF, MANAGER]  # each may do what those before it may do
FLAGS = ("pin", "unpin", "recommend", "unrecommend", "mark-hot", "unmark-hot", "colour", "uncolour")
LABELS = ("add-group", "remove-group", "add-tags", "remove-tags")
NO_ONE = ""
# The first role of the ladder that may do each thing; a page that is not listed is closed to all of them.
NEEDS = {
    "contents.content": {
        "see": AUTHOR,
        "add": AUTHOR,
        "change": AUTHOR,
        "fields": MANAGER,
        **dict.fromkeys(("hand-in", "copy", "move", *FLAGS, *LABELS), AUTHOR),
        **dict.fromkeys(("approve", "reject", "withdraw", "schedule", "trash"), EDITOR),
    },
    "comments.comment": dict.fromkeys(("see", "change", "show", "hide", "spam", "delete"), EDITOR),
    "contents.trashedcontent": {"see": AUTHOR, "restore": EDITOR, "purge": MANAGER},
    "contents.contentchange": {"see": AUTHOR},
    "contents.contentgroup": {"see": AUTHOR, "add": AUTHOR, "change": AUTHOR},
    "contents.contenttag": {"see": AUTHOR, "change": AUTHOR},
    "channels_app.channel": {"see": EDITOR, "add": CHIEF, "change": CHIEF, "trash": CHIEF, "templates": CHIEF},
    "channels_app.trashedchannel": {"see": EDITOR, "restore": CHIEF, "purge": MANAGER},
    "cms_sites.site": {"see": MANAGER, "change": MANAGER},
    "media_library.mediafile": {
        **dict.fromkeys(("see", "add", "change", "into-folder", "add-tags", "remove-tags"), AUTHOR),
        **dict.fromkeys(("trash", "restore"), EDITOR),
    },
    "forms.entry": {"see": MANAGER, "change": MANAGER, "export": MANAGER}
    | dict.fromkeys(("read", "approve", "take-back", "spam", "not-spam", "delete"), MANAGER),
    "forms.form": dict.fromkeys(("see", "add", "change", "delete"), MANAGER),
    "pages.template": {"see": MANAGER, "add": MANAGER, "change": MANAGER}
    | dict.fromkeys(("duplicate", "make-default", "delete"), MANAGER),
}
INTEGRATOR_SEES = {
    "contents.content",
    "contents.trashedcontent",
    "contents.contentchange",
    "contents.contentgroup",
    "contents.contenttag",
    "channels_app.channel",
    "channels_app.trashedchannel",
    "media_library.mediafile",
    "pages.template",
}
# Records of a channel; the others of a site belong to the whole site.
IN_CHANNELS = {
    "comments.comment",
    "contents.content",
    "contents.trashedcontent",
    "contents.contentchange",
    "channels_app.channel",
    "channels_app.trashedchannel",
    "media_library.mediafile",
}
# Groups, tags, templates and settings of a site are within reach of those who have the right in the whole site.
EVERYWHERE, SITE, BRANCH = "everywhere", "in a site", "in a branch"
WHO = [
    *product([AUTHOR, EDITOR, CHIEF, MANAGER, INTEGRATOR], [EVERYWHERE]),
    # Places limit all rights alike, so there the role that has most of them.
    (MANAGER, SITE),
    (CHIEF, BRANCH),
]
OWN_BRANCH, OTHER_BRANCH, OTHER_SITE = "of the branch", "of another branch", "of another site"
# Which records each place covers: those in channels, and those of the site as a whole.
COVERS = {
    EVERYWHERE: ({OWN_BRANCH, OTHER_BRANCH, OTHER_SITE}, {OWN_BRANCH, OTHER_BRANCH, OTHER_SITE}),
    SITE: ({OWN_BRANCH, OTHER_BRANCH}, {OWN_BRANCH, OTHER_BRANCH}),
    BRANCH: ({OWN_BRANCH}, set()),
}


def may(role, label, what):
    """Whether the role may do it somewhere."""
    if role == INTEGRATOR:
        return what == "see" and label in INTEGRATOR_SEES
    needed = NEEDS.get(label, {}).get(what, NO_ONE)
    return needed != NO_ONE and LADDER.index(role) >= LADDER.index(needed)


def is_telling(role, place, label, *what):
    """Return true for the lowest role that may do one of these, and for the highest that may not.

    Each role of the ladder has the rights of those before it, so others add nothing.
    """
    needed = [NEEDS.get(label, {}).get(each, NO_ONE) for each in what]
    firsts = {LADDER.index(each) if each != NO_ONE else len(LADDER) for each in needed}
    return role == INTEGRATOR or place != EVERYWHERE or any(first - LADDER.index(role) in (0, 1) for first in firsts)


def is_inside(label, place, where):
    return where in COVERS[place][0 if label in IN_CHANNELS else 1]


class World:
    """Records of two branches of a site and of another site, and a person of each role and place."""

    def __init__(self):
        own, foreign = site_records("own"), site_records("foreign")
        other = branch_records(own["cms_sites.site"], "other")
        self.records = {OWN_BRANCH: own, OTHER_BRANCH: own | other, OTHER_SITE: foreign}
        self.others, self.entry = other_records(), AuditEntry.objects.latest("pk")
        call_command("create_roles", verbosity=0)
        self._places = {
            EVERYWHERE: None,
            SITE: {"site_id": own["cms_sites.site"].pk},
            BRANCH: {"site_id": own["cms_sites.site"].pk, "channel_id": own["channels_app.channel"].pk},
        }

    def record(self, label, where):
        return self.entry if label == "audit.auditentry" else self.records[where].get(label) or self.others[label]

    def browser(self, role, place):
        browser = Client(raise_request_exception=False)
        browser.force_login(self.person(role, place))
        return browser

    def person(self, role, place):
        group = Group.objects.get(name=role)
        if limit := self._places[place]:
            GroupPlace.objects.create(group=group, **limit)
        person = AdministratorFactory(is_superuser=False)
        person.groups.add(group)
        return person


@shared_world
def world():
    return World()


def test_every_page_and_every_action_that_groups_reach_has_a_row():
    closed = set(PAGES) - set(NEEDS)
    assert set(NEEDS) <= set(PAGES) and closed
    for label, needed in NEEDS.items():
        assert set(ACTIONS.get(label, {})) == set(needed) - {"see", "add", "change", "fields", "export"}, label
        assert set(ADDRESSES.get(label, {})) == OWN.get(label, set()), label


def test_each_role_of_the_ladder_has_the_rights_of_those_before_it(world):
    rights = [{each.pk for each in Group.objects.get(name=role).permissions.all()} for role in LADDER]
    assert all(fewer < more for fewer, more in pairwise(rights))


GONE = (404, 404)
# Where an address applies: to a record, to any part of its site, to the whole site; or it names none of these.
RECORD, PART, WHOLE, ANY = "record", "part", "whole", "any"
# Addresses of single pages: what they need, where they apply, and what GET and POST answer there.
ADDRESSES = {
    "contents.content": {
        **dict.fromkeys(
            VERSIONS - {"revert"} | {"body", "review", "shown", "version", "linked"}, ("see", RECORD, (200, 200))
        ),
        **dict.fromkeys(("draft", "visit"), ("see", RECORD, (302, 302))),
        **dict.fromkeys(("tree", "calendar", "export"), ("see", ANY, (200, 200))),
        **dict.fromkeys(("import_preview", "import_left_out"), ("change", ANY, (302, 302))),
        **dict.fromkeys(("import", "unfinished"), ("change", ANY, (200, 200))),
        "waiting": ("approve", ANY, (200, 200)),
        "calendar_move": ("see", ANY, (302, 404)),  # without a time
        "revert": ("change", RECORD, (200, 200)),
        "preview": ("change", PART, GONE),  # without a content or channel
        "unsaved": ("change", ANY, GONE),  # the same
        "page": ("see", RECORD, (200, 200)),
        "share": ("change", RECORD, (404, 200)),
        "quick": ("change", RECORD, (200, 200)),
        "upload": ("change", PART, (400, 400)),  # without a kind
        **dict.fromkeys(("links", "dead_links"), ("change", PART, (200, 200))),
        "fields": ("fields", WHOLE, (200, 200)),
    },
    "contents.trashedcontent": {
        "body": ("see", RECORD, (200, 200)),
        **dict.fromkeys(VERSIONS - {"past_body", "revert"}, ("see", RECORD, (302, 302))),  # versions are not kept there
        **dict.fromkeys(("past_body", "revert"), ("see", RECORD, GONE)),
        "empty": ("purge", ANY, (200, 302)),
    },
    "contents.contentgroup": {"rename": ("change", RECORD, (200, 302))},
    "contents.contenttag": {"rename": ("change", RECORD, (200, 302))},
    "channels_app.channel": {
        "tree": ("see", PART, (200, 302)),
        "rows": ("see", PART, (200, 200)),
        "linked": ("see", RECORD, (200, 200)),
        "visit": ("see", RECORD, (302, 302)),
        "move": ("change", PART, (404, 302)),
        "several": ("add", WHOLE, (200, 200)),
        "address": ("see", PART, GONE),  # without a channel
        "copy": ("add", RECORD, (200, 200)),
        "undo_copy": ("add", RECORD, GONE),  # without a job
    },
    "media_library.mediafile": {
        "layout": ("see", ANY, (302, 302)),
        "replace": ("change", RECORD, (200, 200)),
        "crop": ("change", RECORD, GONE),  # pictures only
        "add_folder": ("change", ANY, GONE),  # without a site
        "folder": ("change", RECORD, (200, 200)),
        "delete_folder": ("change", RECORD, (200, 302)),
        "upload": ("add", PART, (405, 400)),  # without a file
    },
    "cms_sites.site": {
        **dict.fromkeys(("add", "folder", "template"), ("see", ANY, (403, 403))),
        **dict.fromkeys(("copy", "export", "trash"), ("see", RECORD, (403, 403))),
        "exported": ("see", RECORD, GONE),  # without a job
    },
    "forms.entry": {
        "reply": ("change", RECORD, (302, 302)),
        "file": ("see", RECORD, GONE),  # without the number of a file
        "export": ("export", ANY, GONE),  # without a form
        "import": ("see", ANY, GONE),
        "person": ("see", ANY, (200, 200)),
        "print": ("see", RECORD, (200, 200)),
    },
    "forms.form": {
        "access": ("change", RECORD, (200, 200)),
        "import": ("add", ANY, (200, 200)),
        "preview": ("change", WHOLE, (404, 200)),
    },
    "pages.template": {
        "vocabulary": ("see", ANY, (200, 200)),
        **dict.fromkeys(("compare", "past"), ("see", RECORD, (200, 200))),
        "revert": ("change", RECORD, (200, 200)),
        "channels": ("change", RECORD, (200, 302)),
        **dict.fromkeys(("check", "preview"), ("change", WHOLE, GONE)),  # without a template
    },
}


def seen(role, place, label):
    """Whether the page is there at all."""
    return may(role, label, "see") and any(is_inside(label, place, where) for where in RECORDS)


RECORDS = [OWN_BRANCH, OTHER_BRANCH, OTHER_SITE]
CASES = [(role, place, where) for role, place in WHO for where in RECORDS if where == OWN_BRANCH or place != EVERYWHERE]


# Rights that decide on Django's own pages, in addition to seeing.
RIGHT_OF = {"change": "change", "delete": "change", "add": "add"}


@pytest.mark.parametrize(("role", "place", "where"), CASES)
def test_pages(world, role, place, where):
    browser = world.browser(role, place)
    for label in PAGES:
        record, needed = world.record(label, where), views_of(label)
        asked = set(VIEWS) & set(needed) - OWN.get(label, set())
        if not seen(role, place, label):
            asked = {"changelist"}  # the same door for all (test_ranks)
        if where != OWN_BRANCH:
            asked = {view for view in asked if needed[view]}
        for view in asked:
            if not is_telling(role, place, label, "see", RIGHT_OF.get(view, "see")):
                continue
            asked_at = address(label, view, *([record.pk] * len(needed[view])))
            found = statuses(browser, asked_at, rendered=False)  # test_ranks renders them
            assert found == expected(role, place, where, label, view), (label, view)


def expected(role, place, where, label, view):
    """What GET and POST answer on one of Django's own pages."""
    if not seen(role, place, label):
        return GONE
    inside, may_change = is_inside(label, place, where), may(role, label, "change")
    if view == "changelist":
        return 200, 200
    if view in {"views", "columns"}:
        return 302, 302
    if view == "add":
        return (200, 200) if may(role, label, "add") else (403, 403)
    if label == "contents.contentchange":
        return {"change": (302 if inside else 404, 403), "history": GONE, "delete": (403, 403)}[view]
    if view == "history":
        return (200, 200) if inside else GONE
    if label in {"contents.contentgroup", "contents.contenttag"}:
        # Their pages are for those who may change them; the one that deletes goes back to the list.
        done = {"change": (200, 200), "delete": (200, 302)}[view]
        return GONE if not inside else done if may_change else (403, 403)
    if label in {"comments.comment", "forms.entry"} and view == "change":
        return 200 if inside else 404, 403  # its page only shows
    if view == "change":
        return 200 if inside else 404, 403 if not may_change else 200 if inside else 404
    return 403, 403


@pytest.mark.parametrize(("role", "place", "where"), CASES)
def test_actions(world, role, place, where):
    browser = world.browser(role, place)
    for label, names in ACTIONS.items():
        record = world.record(label, where)
        for name, (_, entry) in names.items():
            if not is_telling(role, place, label, name):
                continue
            found = post_action(browser, label, name, record)
            if may(role, label, name) and is_inside(label, place, where):
                assert found == (302, [(entry, str(record.pk))]), (label, name)
            else:
                assert found == (404, []), (label, name)


@pytest.mark.parametrize(("role", "place", "where"), CASES)
def test_addresses_of_single_pages(world, role, place, where):
    browser = world.browser(role, place)
    for label, addresses in ADDRESSES.items():
        if not seen(role, place, label):
            continue
        record, needed = world.record(label, where), views_of(label)
        for view, (what, of, answers) in addresses.items():
            if (where != OWN_BRANCH and of == ANY) or not is_telling(role, place, label, what):
                continue
            found = statuses(browser, address(label, view, *arguments(needed[view], named(label, view, record))))
            allowed = may(role, label, what) and applies(label, place, where, of)
            refused = (403, 403) if view == "rename" and is_inside(label, place, where) else GONE
            assert found == (answers if allowed else refused), (label, view)


def named(label, view, record):
    return record.folder if label == "media_library.mediafile" and view.endswith("folder") else record


def arguments(needed, record):
    """What the address needs: the record, its site, or else the first of what there is."""
    known = {"pk": record.pk, "site_id": getattr(record, "site_id", record.pk), "key": "title"}
    return [known.get(name, 1) for name in needed]


def applies(label, place, where, of):
    if of == RECORD:
        return is_inside(label, place, where)
    if of == WHOLE:
        return where in COVERS[place][1]
    return of == ANY or place == EVERYWHERE or where != OTHER_SITE


# Rights that the tables above name after what they are for.
NAMED = {"view": "see", "delete": "trash"}


@pytest.mark.parametrize(("role", "place", "where"), CASES)
def test_the_page_of_permissions_says_the_same_of_a_record(world, role, place, where):
    person = world.person(role, place)
    for label in NEEDS:
        page, record = admin.site.get_model_admin(apps.get_model(label)), world.record(label, where)
        answers = answers_on(page, person, record)
        for right, answer in zip(page.asked_rights(record), answers, strict=True):
            what = right if right in NEEDS[label] else NAMED.get(right, right)
            allowed = may(role, label, what) and is_inside(label, place, where)
            assert answer.is_yes == allowed, (label, right)
            assert answer.reason
