"""Who may open what: each address of each page, each action and each object, as each rank."""

import re
from datetime import datetime

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import transaction
from django.test import Client
from django.urls import reverse

from channels_app.models import Channel
from comments.admin.comments import ACTIONS as COMMENT_ACTIONS
from contents.admin.actions.flags import FLAG_ACTS
from contents.models import MAX_LEVEL, Content, ContentChange
from core.admin.pages import BaseModelAdmin, offered_rights
from core.audit.models import AuditEntry
from core.lib.registrations import ADMIN_PAGES
from forms.admin.entry_actions import ACTIONS as ENTRY_ACTIONS
from media_library.models import MediaFile, MediaFolder
from pages.models import Template
from tests.accounts.signing_in import PASSWORD, account_of
from tests.admin.pages.browsing import UNRENDERED
from tests.admin.world import (
    administrator_with,
    administrator_with_every_right,
    other_records,
    site_records,
)
from tests.factories import AdministratorFactory
from tests.worlds import world as shared_world
from tools.packages import PACKAGES

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.usefixtures("remembered_people")]

HIGHEST, SITES, GROUPS = "the highest rank", "site administrators", "ordinary administrators"
# Whose each page is. A page that is not listed fails the test.
PAGES = {
    "accounts.administrator": {HIGHEST},
    "accounts.user": {HIGHEST, GROUPS},
    "accounts.userlog": {HIGHEST, GROUPS},
    "apikeys.apikey": {HIGHEST},
    "auth.group": {HIGHEST},
    "channels_app.channel": {HIGHEST, SITES, GROUPS},
    "channels_app.trashedchannel": {HIGHEST, SITES, GROUPS},
    "audit.auditentry": {HIGHEST},
    "jobs.job": {HIGHEST},
    "operation.node": {HIGHEST},
    "cms_sites.site": {HIGHEST, SITES, GROUPS},
    "cms_sites.trashedsite": {HIGHEST},
    "comments.comment": {HIGHEST, SITES, GROUPS},
    "contents.content": {HIGHEST, SITES, GROUPS},
    "contents.contentchange": {HIGHEST, SITES, GROUPS},
    "contents.contentgroup": {HIGHEST, SITES, GROUPS},
    "contents.contenttag": {HIGHEST, SITES, GROUPS},
    "contents.trashedcontent": {HIGHEST, SITES, GROUPS},
    "forms.entry": {HIGHEST, SITES, GROUPS},
    "forms.form": {HIGHEST, SITES, GROUPS},
    "media_library.mediafile": {HIGHEST, SITES, GROUPS},
    "pages.template": {HIGHEST, SITES, GROUPS},
    "webhooks.delivery": {HIGHEST, SITES},
    "webhooks.webhook": {HIGHEST, SITES},
}
ADDABLE = {
    "accounts.administrator",
    "accounts.user",
    "auth.group",
    "apikeys.apikey",
    "channels_app.channel",
    "contents.content",
    "contents.contentgroup",
    "forms.form",
    "media_library.mediafile",
    "pages.template",
    "webhooks.webhook",
}
CHANGEABLE = {
    "accounts.administrator",
    "accounts.user",
    "auth.group",
    "cms_sites.site",
    "channels_app.channel",
    "contents.contentgroup",
    "contents.contenttag",
    "contents.content",
    "forms.form",
    "media_library.mediafile",
    "pages.template",
}
# What the address of each of Django's own pages answers to GET and to POST on a record that is there to be seen;
# GONE: the same for a record that is not.
VIEWS = {
    "changelist": (200, 200),
    "add": (403, 403),
    "change": (200, 403),
    "delete": (403, 403),
    "history": (200, 200),
    "views": (302, 302),
    "columns": (302, 302),
}
# Answers of single pages that are others.
OTHERWISE = {
    **{(label, "add"): (200, 200) for label in ADDABLE},
    **{(label, "change"): (200, 200) for label in CHANGEABLE},
    ("apikeys.apikey", "change"): (200, 404),
    ("apikeys.apikey", "delete"): (200, 200),
    # Entries of the audit, and changes of contents, have no history but themselves.
    ("audit.auditentry", "history"): (404, 404),
    ("contents.contentchange", "history"): (404, 404),
    # A change leads to what it did.
    ("contents.contentchange", "change"): (302, 403),
    # The page asks, and goes back to the list when it is done.
    ("contents.contentgroup", "delete"): (200, 302),
    ("contents.contenttag", "delete"): (200, 302),
}
# What leads through the history of a content.
VERSIONS = {"compare", "compare_member", "past", "past_body", "past_member", "revert"}
# What leads to tables and from them.
TABLES = {"export", "import", "import_preview", "import_left_out"}
# What the form of a content calls.
WRITING = {"upload", "preview", "version", "unsaved", "fields", "links", "dead_links", "linked"}
# Addresses of single pages, which their own tests go through; here: that nobody else opens them.
OWN = {
    "accounts.administrator": {"password", "permissions"},
    "accounts.user": {"password", "picture"} | TABLES,
    "auth.group": {"places", "people"},
    "apikeys.apikey": {"edit", "operations", "rotate", "end", "end_legacy", "reset", "revoke", "delete"},
    "channels_app.channel": {"tree", "rows", "move", "several", "address", "visit", "copy", "undo_copy", "linked"},
    "audit.auditentry": {"export"},
    "jobs.job": {"cancel", "state"},
    "operation.node": {"restart", "state", "forget"},
    "cms_sites.site": {"add", "folder", "template", "copy", "export", "exported", "trash"},
    "cms_sites.trashedsite": {"restore", "purge"},
    "contents.content": {"tree", "calendar", "body", "visit", "waiting", "unfinished", "review", "draft", "shown"}
    | {"page", "share", "quick", "calendar_move"}
    | VERSIONS
    | TABLES
    | WRITING,
    "contents.contentgroup": {"rename"},
    "contents.contenttag": {"rename"},
    "contents.trashedcontent": {"body", "empty"} | VERSIONS,
    "forms.entry": {"reply", "file", "export", "import", "person", "print"},
    "forms.form": {"access", "import", "preview"},
    "media_library.mediafile": {"upload", "layout", "replace", "crop", "add_folder", "folder", "delete_folder"},
    "pages.template": {"check", "preview", "vocabulary", "channels", "compare", "past", "revert"},
    "webhooks.webhook": {"edit", "rotate", "test", "replay"},
}
HARMLESS = {
    (label, action.name)
    for label, actions in {
        "contents.content": FLAG_ACTS,
        "forms.entry": ENTRY_ACTIONS,
        "comments.comment": COMMENT_ACTIONS,
    }.items()
    for action in actions
    if action.is_harmless
}
# Acts: which ranks may do them, and the entry of the audit that tells that they were done.
ALL = {HIGHEST, SITES, GROUPS}
ACTIONS = {
    "accounts.administrator": {
        "lock": ({HIGHEST}, "administrator.changed"),
        "unlock": ({HIGHEST}, "administrator.unlocked"),
        "delete": ({HIGHEST}, "administrator.deleted"),
        "end-sessions": ({HIGHEST}, "administrator.sessions_ended"),
        "reset-second-factor": ({HIGHEST}, "administrator.second_factor_reset"),
    },
    "accounts.user": {
        "approve": ({HIGHEST, GROUPS}, "user.changed"),
        "lock": ({HIGHEST, GROUPS}, "user.changed"),
        "unlock": ({HIGHEST, GROUPS}, "user.unlocked"),
        "delete": ({HIGHEST, GROUPS}, "user.deleted"),
    },
    "auth.group": {"delete": ({HIGHEST}, "group.deleted")},
    "channels_app.channel": {"trash": (ALL, "channel.trashed"), "templates": (ALL, "channel.changed")},
    "channels_app.trashedchannel": {
        "restore": (ALL, "channel.restored"),
        "purge": ({HIGHEST, GROUPS}, "channel.purged"),
    },
    "comments.comment": {
        **dict.fromkeys(("show", "hide", "spam"), (ALL, "comment.changed")),
        "delete": (ALL, "comment.deleted"),
    },
    "contents.content": {
        "approve": (ALL, "content.approved"),
        "reject": (ALL, "content.rejected"),
        "withdraw": (ALL, "content.approval_withdrawn"),
        "schedule": (ALL, "content.scheduled"),
        "copy": (ALL, "copied"),
        "trash": (ALL, "content.trashed"),
        **dict.fromkeys(("hand-in", "add-group", "remove-group", "add-tags", "remove-tags"), (ALL, "changed")),
        **dict.fromkeys(("pin", "unpin", "recommend", "unrecommend"), (ALL, "changed")),
        **dict.fromkeys(("mark-hot", "unmark-hot", "colour", "uncolour"), (ALL, "changed")),
        "move": (ALL, "moved"),
    },
    "contents.trashedcontent": {
        "restore": (ALL, "content.restored"),
        "purge": ({HIGHEST, GROUPS}, "content.purged"),
    },
    "forms.entry": {
        **dict.fromkeys(("read", "approve", "take-back", "spam", "not-spam"), (ALL, "entry.changed")),
        "delete": (ALL, "entry.deleted"),
    },
    "forms.form": {"delete": (ALL, "form.deleted")},
    "media_library.mediafile": {
        "trash": (ALL, "media.trashed"),
        "restore": (ALL, "media.restored"),
        **dict.fromkeys(("into-folder", "add-tags", "remove-tags"), (ALL, "changed")),
    },
    "pages.template": {
        "duplicate": (ALL, "template.created"),
        "make-default": (ALL, "template.changed"),
        "delete": (ALL, "template.deleted"),
    },
    "webhooks.delivery": {"replay": ({HIGHEST, SITES}, "webhook.replayed")},
    "webhooks.webhook": {"delete": ({HIGHEST, SITES}, "webhook.deleted")},
}
# What the record must be for the action, and what its form is sent.
BEFORE = {
    "unlock": {"is_locked_out": True},
    "withdraw": {"is_checked": True},
    "hand-in": {"checked_level": -99},
    "unpin": {"is_top": True},
    "unrecommend": {"is_recommend": True},
    "unmark-hot": {"is_hot": True},
    "uncolour": {"is_color": True},
    "remove-group": {"group_name_collection": "front"},
    "remove-tags": {"tags": "front"},
    "not-spam": {"state": "spam"},
    "hide": {"state": "approved"},
    "take-back": {"state": "approved"},
    ("media_library.mediafile", "restore"): {"trashed_at": datetime(2026, 11, 1)},
}


def _below(content):
    return Channel.objects.live().get(parent=content.channel_id).pk


def _folder(file):
    return MediaFolder.objects.get_or_create(site_id=file.site_id, name="Press", parent=file.folder)[0].pk


FORMS = {
    "reject": lambda record: {"reasons": "Too long."},
    "move": lambda record: {"channel": _below(record)},
    "schedule": lambda record: {"publish_at": "2199-01-01T08:00"},
    "copy": lambda record: {"channel": _below(record)},
    "add-group": lambda record: {"new_group": "front"},
    "remove-group": lambda record: {"names": ["front"]},
    "add-tags": lambda record: {"names": "front"},
    "remove-tags": lambda record: {"names": ["front"]},
    "into-folder": lambda record: {"folder_id": _folder(record)},
    "templates": lambda record: {"channel_template_id": Template.objects.get(site=record.site_id).pk},
}
RANKS = ["highest", "own site", "foreign site", "no groups", "every right", "locked", "signed out"]
RENDERED = {"own site", "every right"}  # those of the highest rank are in test_headers.py


class World:
    """Records, and browsers in which administrators have signed in."""

    def __init__(self):
        self.own, self.foreign, self.others = site_records("own"), site_records("foreign"), other_records()
        self.entry = AuditEntry.objects.latest("pk")
        self.password = account_of("administrators").password

    def record(self, label, rank):
        """The record that the rank asks for."""
        if label == "audit.auditentry":
            return self.entry
        chosen = self.foreign if rank == "foreign site" else self.own
        return chosen.get(label) or self.others[label]

    def browser(self, rank):
        browser = Client(raise_request_exception=False)
        if rank == "signed out":
            return browser
        site = self.own["cms_sites.site"].pk
        make = {
            "highest": lambda: AdministratorFactory(password=self.password),
            "own site": lambda: AdministratorFactory(
                is_superuser=False, site_id_collection=str(site), password=self.password
            ),
            "foreign site": lambda: AdministratorFactory(is_superuser=False, site_id_collection=str(site)),
            "no groups": lambda: AdministratorFactory(is_superuser=False),
            "every right": administrator_with_every_right,
            "locked": AdministratorFactory,
        }
        administrator = make[rank]()
        browser.force_login(administrator)
        if rank == "locked":
            administrator.is_locked_out = True
            administrator.save()
        return browser


@shared_world
def world():
    return World()


AUDIENCE = {"highest": HIGHEST, "own site": SITES, "foreign site": SITES, "every right": GROUPS}


def sees_page(rank, label):
    return AUDIENCE.get(rank) in PAGES[label]


def is_at_the_door(rank, label):
    """Whether every address refuses the rank alike; another rank, refused in the same way, tries each of them."""
    alike = {"foreign site": "own site", "no groups": "every right"}
    return rank in {"locked", "signed out"} or (rank in alike and not sees_page(alike[rank], label))


def label_of(model):
    return model._meta.label_lower


def views_of(label):
    """The page's addresses by their names, without app and model, each with the names of what it needs."""
    page = next(page for model, page in admin.site._registry.items() if label_of(model) == label)
    prefix = f"{page.opts.app_label}_{page.opts.model_name}_"
    return {each.name.removeprefix(prefix): each.pattern.converters for each in page.get_urls() if each.name}


def address(label, view, *arguments):
    return reverse(f"admin:{label.replace('.', '_')}_{view}", args=arguments)


def statuses(browser, place, *, rendered=True):
    """What GET and POST answer; whatever they change is taken back."""
    found = []
    for ask in (browser.get, browser.post):
        with transaction.atomic():
            found.append(ask(place, **({} if rendered else {UNRENDERED: True})).status_code)
            transaction.set_rollback(True)
    return tuple(found)


def test_every_page_and_every_address_has_a_row():
    registered = {label_of(model) for model in admin.site._registry}
    assert registered == set(PAGES)
    for model, page in admin.site._registry.items():
        label = label_of(model)
        assert isinstance(page, BaseModelAdmin)
        assert set(views_of(label)) - set(VIEWS) - OWN.get(label, set()) - {"action", "undo"} == set(), label
        assert {act.name for act in page.admin_actions} == set(ACTIONS.get(label, {})), label


@pytest.mark.parametrize("label", PAGES)
def test_at_most_five_classes_of_ours_make_a_page(label):
    page = next(page for model, page in admin.site._registry.items() if label_of(model) == label)
    own = [kind.__name__ for kind in type(page).__mro__ if kind.__module__.split(".")[0] in PACKAGES]
    assert len(own) <= 5, own


@pytest.mark.usefixtures("without_frames")
@pytest.mark.parametrize("rank", RANKS)
def test_addresses(world, rank):
    browser = world.browser(rank)
    for label in PAGES:
        check_addresses(browser, label, rank, world.record(label, rank))


def check_addresses(browser, label, rank, record):
    views = {view: needed for view, needed in views_of(label).items() if view != "action"}
    if is_at_the_door(rank, label):
        views = {view: needed for view, needed in views.items() if view in {"changelist", "change"}}
    for view, needed in views.items():
        is_own = view not in VIEWS or view in OWN.get(label, ())
        if is_own and sees_page(rank, label):
            continue
        place = address(label, view, *([record.pk] * len(needed)))
        found = statuses(browser, place, rendered=rank in RENDERED)
        if rank in {"locked", "signed out"}:
            assert found == (302, 302), place
        elif not sees_page(rank, label):
            assert found == (404, 404), place
        else:
            assert found == expected(label, view, rank), place


def expected(label, view, rank):
    """What whoever sees the page gets by GET and by POST."""
    if rank == "foreign site" and view == "history":
        return 404, 404
    if rank == "foreign site" and view == "delete" and (label, view) in OTHERWISE:
        return 404, 404
    if rank == "foreign site" and view == "change":
        return 404, 404 if label in CHANGEABLE else 403
    return OTHERWISE.get((label, view), VIEWS[view])


@pytest.mark.parametrize("rank", RANKS)
def test_pages_for_newcomers_are_open_to_everybody_and_change_nothing(world, rank):
    browser = world.browser(rank)
    for place in ("/", "/api/docs/"):
        assert statuses(browser, place) == (200, 405), place


# Pages of no records: what they answer to GET and to POST, whatever the rank.
OF_EVERYONE = {
    "notifications": (200, 302),
    "notifications_unread": (200, 200),
    "notification_choices": (200, 200),
    "account": (200, 200),
    "account_picture": (200, 200),
    "account_second_factor": (200, 200),
    "account_sessions": (200, 200),
    "account_sign_ins": (200, 200),
    "account_permissions": (200, 200),
    "switch_site": (200, 200),
    "search": (200, 200),
    "notification_open": (404, 404),  # there is none, and those of others are not shown
    "components": (404, 404),  # of superusers
}


@pytest.mark.usefixtures("without_frames")
@pytest.mark.parametrize("rank", RANKS)
def test_pages_of_no_records_are_open_to_every_administrator(world, rank):
    assert OF_EVERYONE.keys() == ADMIN_PAGES.entries.keys()
    browser = world.browser(rank)
    for name, expected in OF_EVERYONE.items():
        found = statuses(browser, reverse(f"admin:{name}", args=[1] if name == "notification_open" else []))
        # Without kinds that concern them, there is nothing to choose, and the form is stored.
        nothing = name == "notification_choices" and rank == "no groups"
        expected = (200, 200) if name == "components" and rank == "highest" else expected
        assert found == ((302, 302) if rank in {"locked", "signed out"} else (200, 302) if nothing else expected), name


@pytest.mark.usefixtures("without_frames")
@pytest.mark.parametrize("rank", RANKS)
def test_actions(world, rank):
    browser = world.browser(rank)
    for label in ACTIONS:
        check_actions(browser, label, rank, world.record(label, rank))


def check_actions(browser, label, rank, record):
    for name, (audience, action) in list(ACTIONS[label].items())[: 1 if is_at_the_door(rank, label) else None]:
        found = do(browser, label, name, record)
        if rank in {"locked", "signed out"}:
            assert found == (302, 302, 302, None, []), (label, name)
        elif AUDIENCE.get(rank) in audience and rank != "foreign site":
            in_list = (302, None) if (label, name) in HARMLESS else (200, name)  # done, or asked
            assert found == (200, 302, *in_list, [(action, str(record.pk))]), (label, name)
        else:
            # A list without such an action, or such a record, comes back as it was.
            assert found == (404, 404, 302 if sees_page(rank, label) else 404, None, []), (label, name)


def query_of_list(label, name, record):
    """Return the query with which the list shows the record."""
    if label == "forms.entry":
        return f"?form__id__exact={record.form_id}"
    return "?trashed=1" if (label, name) == ("media_library.mediafile", "restore") else ""


def do(browser, label, name, record):
    """Return the statuses of the page and of the action, what the list offers, and what was done; then roll back."""
    with transaction.atomic():
        prepare(name, record)
        got = browser.get(address(label, "action", name), sent_with(name, record)).status_code
        with transaction.atomic():
            in_list = browser.post(
                address(label, "changelist") + query_of_list(label, name, record),
                {"action": name, "_selected_action": [record.pk]},
            )
            transaction.set_rollback(True)
        asked = getattr((in_list.context or {}).get("action"), "name", None)
        posted, done = post_action(browser, label, name, record)
        transaction.set_rollback(True)
    return got, posted, in_list.status_code, asked, done


def post_action(browser, label, name, record):
    """Post the action; return the status and its audit entries or traces. The change is rolled back."""
    with transaction.atomic():
        prepare(name, record)
        before = AuditEntry.objects.latest("pk").pk
        posted = browser.post(address(label, "action", name), sent_with(name, record)).status_code
        done = list(AuditEntry.objects.filter(pk__gt=before).order_by("pk").values_list("action", "object_id"))
        # The entry of a duplicate names the new record.
        done = [(action, str(record.pk) if action == "template.created" else pk) for action, pk in done]
        done = done or traces(record)
        transaction.set_rollback(True)
    return posted, done


def prepare(name, record):
    if values := BEFORE.get(name) or BEFORE.get((label_of(record), name)):
        type(record).objects.filter(pk=record.pk).update(**values)


def sent_with(name, record):
    return {"ids": str(record.pk), "own_password": PASSWORD} | FORMS.get(name, lambda record: {})(record)


def traces(record):
    """What tells of an act on a content that is not in the audit: its history, or the copy."""
    if isinstance(record, MediaFile):
        return [
            ("changed", str(pk))
            for pk in MediaFile.objects.filter(pk=record.pk, version__gt=record.version).values_list("pk", flat=True)
        ]
    if not isinstance(record, Content):
        return []
    changes = ContentChange.objects.filter(content=record).values_list("kind", "content_id")
    copies = Content.objects.filter(title=record.title).exclude(pk=record.pk)
    return [(kind, str(number)) for kind, number in changes] + [("copied", str(record.pk)) for _copy in copies]


def test_a_site_administrator_approves_trashes_and_restores(world):
    browser, content = world.browser("own site"), world.own["contents.content"]
    steps = [("contents.content", "approve"), ("contents.content", "trash"), ("contents.trashedcontent", "restore")]
    for label, name in steps:
        assert browser.post(address(label, "action", name), {"ids": str(content.pk)}).status_code == 302
        stored = Content.objects.get(pk=content.pk)
        assert stored.is_checked
        assert (stored.trashed_at is not None) == (name == "trash")


def test_lists_filters_and_searches_name_own_sites_only(world):
    browser, foreign = world.browser("own site"), world.foreign["cms_sites.site"].pk
    channel = world.foreign["channels_app.channel"].pk
    queries = [{}, {"q": "foreign"}, {"o": "1"}, {"site__id__exact": foreign}, {"site__id__exact": "x"}]
    labels = [label for label in PAGES if SITES in PAGES[label]]
    assert labels
    for label in labels:
        more = [{"channel__id__exact": channel}] if label == "contents.content" else []
        for query in queries[: 3 if label == "cms_sites.site" else 5] + more:
            answer = browser.get(address(label, "changelist"), query)
            assert answer.status_code == 200
            # Names of records; the search box and links repeat the word itself.
            assert not re.search("foreign (site|channel|content|gone)", answer.content.decode()), (label, query)


# Filters that somebody types, by which rows could be guessed that the list does not show.
TYPED = {
    "contents.content": ["channel__site__site_name", "site__settings__contains", "settings_xml__contains"],
    "channels_app.channel": ["parent__content__contains", "site__site_name__startswith", "contents__title"],
    "cms_sites.site": ["parent__site_name__startswith", "settings__contains", "children__pk"],
    "accounts.user": ["password__startswith", "token_stamp", "password_stamp__gt"],
    "accounts.administrator": ["password__startswith", "api_keys__name", "password__regex"],
}


def test_no_list_can_be_asked_about_what_it_does_not_offer(world):
    browser = world.browser("highest")
    for label, lookups in TYPED.items():
        for lookup in lookups:
            assert browser.get(address(label, "changelist"), {lookup: "a"}).status_code == 400, lookup


def test_no_list_can_be_keyed_by_another_column(world):
    browser = world.browser("highest")
    for label in TYPED:
        answer = browser.get(address(label, "changelist"), {"_to_field": "password", "_popup": "1"})
        assert answer.status_code == 400, label


@pytest.mark.parametrize("rank", RANKS)
def test_autocompletion_finds_own_sites_only(world, rank):
    browser = world.browser(rank)
    query = {"app_label": "contents", "model_name": "content", "field_name": "site"}
    answer = browser.get(reverse("admin:autocomplete"), query)
    if rank in {"highest", "every right"}:
        assert {each["text"] for each in answer.json()["results"]} == {"own site", "foreign site"}
    elif rank in {"own site", "foreign site"}:
        assert [each["text"] for each in answer.json()["results"]] == ["own site"]
    else:
        assert answer.status_code in {302, 403, 404}


@pytest.mark.parametrize("rank", RANKS)
def test_the_start_page_names_the_pages_of_the_rank(world, rank):
    answer = world.browser(rank).get(reverse("admin:index"))
    if rank in {"locked", "signed out"}:
        assert answer.status_code == 302
    else:
        named = {label_of(each["model"]) for app in answer.context["app_list"] for each in app["models"]}
        assert named == {label for label in PAGES if sees_page(rank, label)}


def every_right():
    found = sorted(offered_rights(admin.site))
    assert found
    return found


def test_every_right_that_groups_can_have_exists_and_concerns_a_page_of_theirs():
    pages = {label for label, audience in PAGES.items() if GROUPS in audience}
    for right in every_right():
        app_label, codename = right.split(".")
        assert Permission.objects.filter(content_type__app_label=app_label, codename=codename).count() == 1, right
        assert f"{app_label}.{codename.split('_')[1]}" in pages


def rights_to(page, act):
    """Each of the rights that allows the action; contents may be approved by levels."""
    levels = range(1, MAX_LEVEL) if (page.model, act.permission) == (Content, "approve") else ()
    return {page.codename(right) for right in (act.permission, *(f"approve{level}" for level in levels))}


@pytest.mark.usefixtures("without_frames")
def test_one_right_allows_one_thing(world):
    for right in every_right():
        browser = Client()
        browser.force_login(administrator_with(right))
        for label in ACTIONS:
            page = next(page for model, page in admin.site._registry.items() if label_of(model) == label)
            allowed = {act.name for act in page.admin_actions if page.by_groups and right in rights_to(page, act)}
            if not allowed and right not in {page.codename(each) for each in ("view", *page.rights)}:
                # No address of the page leads anywhere (test_addresses).
                assert browser.get(address(label, "changelist")).status_code == 404, (right, label)
                continue
            for name, (_, action) in ACTIONS[label].items():
                record = world.record(label, "")
                status, done = post_action(browser, label, name, record)
                assert done == ([(action, str(record.pk))] if name in allowed else []), (right, label, name)
                assert status == (302 if name in allowed else 404), (right, label, name)


@pytest.mark.parametrize(
    "right",
    ["accounts.delete_administrator", "accounts.view_administrator", "auth.change_group", "audit.view_auditentry"],
)
def test_rights_over_the_system_mean_nothing_for_groups(world, right):
    browser = Client()
    browser.force_login(administrator_with(right))
    labels = [label for label, audience in PAGES.items() if audience == {HIGHEST}]
    assert labels
    for label in labels:
        assert browser.get(address(label, "changelist")).status_code == 404


def test_a_site_administrator_with_groups_stays_within_the_sites(world):
    site = world.own["cms_sites.site"].pk
    browser = Client()
    browser.force_login(administrator_with_every_right(site_id_collection=str(site)))
    assert browser.get(address("accounts.user", "changelist")).status_code == 404
    foreign = world.foreign["contents.content"].pk
    assert browser.get(address("contents.content", "change", foreign)).status_code == 404


def test_a_site_administrator_of_sites_that_do_not_exist_sees_nothing(world):
    browser = Client()
    browser.force_login(AdministratorFactory(is_superuser=False, site_id_collection="x"))
    for label in PAGES:
        answer = browser.get(address(label, "changelist"))
        assert answer.status_code == (200 if SITES in PAGES[label] else 404)
        assert "own " not in answer.content.decode()
        assert "foreign " not in answer.content.decode()
