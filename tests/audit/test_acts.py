"""Each privileged operation leaves one entry, with who, what, which object, which members, from where."""

import json
import re

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts.hashers import md5_form
from accounts.models import Administrator, SecondFactor, User
from apikeys.models import ApiKeyToken
from channels_app.models import Channel
from channels_app.services import restore_channel
from core.audit.models import AuditEntry
from sites.models import Site
from sites.services import change_site
from tests.accounts.forms import file_part, upload
from tests.accounts.picture_files import plain, saved
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, log_in, reset, token_of
from tests.admin.pages.browsing import unrendered
from tests.audit.noting import noted, only
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world as shared_world

pytestmark = pytest.mark.django_db
ADDRESS = "192.0.2.7"


class World:
    """Something of each kind."""

    def __init__(self):
        self.site = SiteFactory(site_name="Harbour museum")
        self.channel = ChannelFactory(site=self.site, channel_name="News")
        self.sibling = ChannelFactory(site=self.site)
        self.content = ContentFactory(channel=self.channel, title="开放日")
        self.user = account_of("users", user_name="reader1")
        self.administrator = account_of("administrators", user_name="desk", is_superuser=False)

    def channel_path(self, rest=""):
        return f"/api/v1/channels/{self.site.pk}{rest}"

    def content_path(self, rest=""):
        return f"/api/v1/contents/{self.site.pk}/{self.channel.pk}{rest}"


@shared_world
def world():
    return World()


def approval(world):
    return {"siteId": world.site.pk, "contents": [{"channelId": world.channel.pk, "id": world.content.pk}]}


USER, ADMINISTRATOR = "accounts.user", "accounts.administrator"
CHANNEL, CONTENT = "channels_app.channel", "contents.content"
# What a key does: the call, the action, the kind of object, the members.
BY_KEYS = {
    "create a user": (
        lambda api, w, **o: api.post("/api/v1/users", {"userName": "ann", "password": PASSWORD}, **o),
        ("user.created", USER, []),
    ),
    "change a user": (
        lambda api, w, **o: api.put(
            f"/api/v1/users/{w.user.pk}", {"displayName": "读者", "mobile": "1", "qq": ""}, **o
        ),
        ("user.changed", USER, ["displayName", "mobile"]),
    ),
    "lock a user": (
        lambda api, w, **o: api.put(f"/api/v1/users/{w.user.pk}", {"isLockedOut": True}, **o),
        ("user.changed", USER, ["isLockedOut"]),
    ),
    "give a user a picture": (
        lambda api, w, **o: upload(api, w.user.pk, file_part(saved(plain(), "PNG")), **o),
        ("user.changed", USER, ["avatarUrl"]),
    ),
    "give a user an address of a picture": (
        lambda api, w, **o: api.put(f"/api/v1/users/{w.user.pk}", {"avatarUrl": "https://a.example/b.png"}, **o),
        ("user.changed", USER, ["avatarUrl"]),
    ),
    "change a user's password": (
        lambda api, w, **o: reset(api, "users", w.user, **o),
        ("user.password_changed", USER, []),
    ),
    "delete a user": (
        lambda api, w, **o: api.delete(f"/api/v1/users/{w.user.pk}", **o),
        ("user.deleted", USER, []),
    ),
    "create an administrator": (
        lambda api, w, **o: api.post("/api/v1/administrators", {"userName": "ann", "password": PASSWORD}, **o),
        ("administrator.created", ADMINISTRATOR, []),
    ),
    "change an administrator": (
        lambda api, w, **o: api.put(
            f"/api/v1/administrators/{w.administrator.pk}", {"email": "a@example.org", "userName": "desk"}, **o
        ),
        ("administrator.changed", ADMINISTRATOR, ["email"]),
    ),
    "change an administrator's password": (
        lambda api, w, **o: reset(api, "administrators", w.administrator, **o),
        ("administrator.password_changed", ADMINISTRATOR, []),
    ),
    "delete an administrator": (
        lambda api, w, **o: api.delete(f"/api/v1/administrators/{w.administrator.pk}", **o),
        ("administrator.deleted", ADMINISTRATOR, []),
    ),
    "create a channel": (
        lambda api, w, **o: api.post(w.channel_path(), {"parentId": w.channel.pk, "channelName": "Log"}, **o),
        ("channel.created", CHANNEL, []),
    ),
    "change a channel": (
        lambda api, w, **o: api.put(
            w.channel_path(f"/{w.channel.pk}"),
            {"channelName": "News", "indexName": "news", "isContentAddable": False, "berth": 4},
            **o,
        ),
        ("channel.changed", CHANNEL, ["indexName", "settings.berth", "settings.isContentAddable"]),
    ),
    "move a channel among its siblings": (
        lambda api, w, **o: api.post(w.channel_path(f"/{w.sibling.pk}/actions/move"), {"before": w.channel.pk}, **o),
        ("channel.moved", CHANNEL, ["taxis"]),
    ),
    "move a channel below another": (
        lambda api, w, **o: api.post(w.channel_path(f"/{w.channel.pk}/actions/move"), {"parentId": w.sibling.pk}, **o),
        ("channel.moved", CHANNEL, ["parentId", "taxis"]),
    ),
    "delete a channel": (
        lambda api, w, **o: api.delete(w.channel_path(f"/{w.channel.pk}"), **o),
        ("channel.trashed", CHANNEL, []),
    ),
    "approve contents": (
        lambda api, w, **o: api.post("/api/v1/contents/check", approval(w), **o),
        ("content.approved", CONTENT, []),
    ),
    "approve a content by a change": (
        lambda api, w, **o: api.put(w.content_path(f"/{w.content.pk}"), {"isChecked": True, "title": "x"}, **o),
        ("content.approved", CONTENT, []),
    ),
    "delete a content": (
        lambda api, w, **o: api.delete(w.content_path(f"/{w.content.pk}"), **o),
        ("content.trashed", CONTENT, []),
    ),
}


@pytest.mark.parametrize(("act", "expected"), BY_KEYS.values(), ids=list(BY_KEYS))
def test_an_act_by_a_key_leaves_one_entry(client_with_key, world, act, expected):
    api = client_with_key(name="news robot")
    with noted() as entries:
        answer = act(api, world, REMOTE_ADDR=ADDRESS)
    assert answer.status_code == 200, answer.content
    entry = only(entries)
    assert (entry.action, entry.object_type, entry.changed) == expected
    owner = ApiKeyToken.objects.get(public_part=api.token[5:13]).api_key.administrator
    assert (entry.actor_kind, entry.actor_name, entry.administrator_id) == ("key", owner.user_name, owner.pk)
    assert (entry.key_name, entry.address) == ("news robot", ADDRESS)
    assert entry.request_id == answer.headers["X-Request-Id"]


def test_an_entry_names_its_object_and_site(api, world):
    path = world.content_path(f"/{world.content.pk}")
    with noted() as entries:
        api.delete(path)
    entry = only(entries)
    assert (entry.object_id, entry.object_name, entry.site_id) == (str(world.content.pk), "开放日", world.site.pk)


def test_what_is_deleted_keeps_its_number_and_name(api, world):
    with noted() as entries:
        api.delete(f"/api/v1/users/{world.user.pk}")
    assert (only(entries).object_id, only(entries).object_name) == (str(world.user.pk), "reader1")


def test_each_of_several_contents_has_its_own_entry(api, world):
    other = ContentFactory(channel=world.channel)
    body = approval(world)
    body["contents"].append({"channelId": world.channel.pk, "id": other.pk})
    with noted() as entries:
        api.post("/api/v1/contents/check", body)
    assert {(entry.action, entry.object_id) for entry in entries} == {
        ("content.approved", str(pk)) for pk in (world.content.pk, other.pk)
    }


def test_the_contents_that_go_with_a_channel_are_counted(api, world):
    ChannelFactory(parent=world.channel)
    with noted() as entries:
        api.delete(world.channel_path(f"/{world.channel.pk}"))
    assert only(entries).details == {"channels": 2, "contents": 1}


def test_a_channel_comes_back_with_one_entry(api, world):
    api.delete(world.channel_path(f"/{world.channel.pk}"))
    with noted() as entries:
        restore_channel(world.site.pk, world.channel.pk)
    entry = only(entries)
    assert (entry.action, entry.object_name, entry.site_id) == ("channel.restored", "News", world.site.pk)
    assert (entry.details["channels"], entry.details["contents"]) == (1, 1)


def test_an_approval_that_is_withdrawn_is_told(api, world):
    path = world.content_path(f"/{world.content.pk}")
    api.put(path, {"isChecked": True})
    with noted() as entries:
        api.put(path, {"isChecked": False})
        api.put(path, {"isChecked": False})
    assert only(entries).action == "content.approval_withdrawn"


NOTHING = {
    "a user as it is": lambda api, w: api.put(f"/api/v1/users/{w.user.pk}", {"userName": "reader1", "email": ""}),
    "an administrator as it is": lambda api, w: api.put(
        f"/api/v1/administrators/{w.administrator.pk}", {"isLockedOut": False}
    ),
    "a channel as it is": lambda api, w: api.put(w.channel_path(f"/{w.channel.pk}"), {"channelName": "News"}),
    "a channel where it is": lambda api, w: api.post(
        w.channel_path(f"/{w.channel.pk}/actions/move"), {"before": w.sibling.pk}
    ),
    "an ordinary change of a content": lambda api, w: api.put(w.content_path(f"/{w.content.pk}"), {"title": "New"}),
    "a new content": lambda api, w: api.post(w.content_path(), {"title": "New", "isChecked": True}),
    "a read": lambda api, w: api.get(w.content_path(f"/{w.content.pk}")),
}


@pytest.mark.parametrize("call", NOTHING.values(), ids=list(NOTHING))
def test_what_changes_nothing_privileged_leaves_no_entry(api, world, call):
    with noted() as entries:
        assert call(api, world).status_code == 200
    assert entries == []


REFUSED = {
    "a weak password": lambda api, w: api.post("/api/v1/users", {"userName": "ann", "password": "1"}),
    "a name that is taken": lambda api, w: api.post("/api/v1/users", {"userName": "reader1", "password": PASSWORD}),
    "a user who is not there": lambda api, w: api.delete("/api/v1/users/999999"),
    "a content that is not there": lambda api, w: api.delete(w.content_path("/999999")),
    "the home channel": lambda api, w: api.delete(w.channel_path(f"/{w.site.pk}")),
    "below itself": lambda api, w: api.post(
        w.channel_path(f"/{w.channel.pk}/actions/move"), {"parentId": w.channel.pk}
    ),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=list(REFUSED))
def test_what_is_refused_leaves_no_entry(api, world, call):
    with noted() as entries:
        assert call(api, world).status_code in {400, 404}
    assert entries == []


def test_an_act_that_is_rolled_back_leaves_no_entry(api, world):
    with noted() as entries, transaction.atomic():
        assert api.delete(f"/api/v1/users/{world.user.pk}").status_code == 200
        transaction.set_rollback(True)
    assert entries == []
    assert User.objects.filter(pk=world.user.pk).exists()


def test_unlocking_by_a_change_tells_what_it_forgot(api, settings, world):
    settings.CMS_LOCKOUT = "forever"
    Administrator.objects.filter(pk=world.administrator.pk).update(is_locked_out=True, count_of_failed_login=5)
    with noted() as entries:
        api.put(f"/api/v1/administrators/{world.administrator.pk}", {"isLockedOut": False})
    assert only(entries).action == "administrator.unlocked"
    assert only(entries).changed == ["countOfFailedLogin", "isLockedOut"]


def test_other_members_of_a_change_that_unlocks_are_noted_apart(api, world):
    Administrator.objects.filter(pk=world.administrator.pk).update(is_locked_out=True)
    with noted() as entries:
        api.put(f"/api/v1/administrators/{world.administrator.pk}", {"isLockedOut": False, "displayName": "Desk 2"})
    assert [(entry.action, entry.changed) for entry in entries] == [
        ("administrator.unlocked", ["isLockedOut"]),
        ("administrator.changed", ["displayName"]),
    ]


# ---- administrators in the back end


@pytest.fixture
def desk():
    """A browser in which `root` has signed in."""
    browser = Client(REMOTE_ADDR=ADDRESS)
    browser.force_login(AdministratorFactory(user_name="root"))
    return browser


def test_changed_settings_of_a_site_are_named_by_member(desk, world):
    place = reverse("admin:cms_sites_site_change", args=[world.site.pk])
    form = unrendered(desk, place).context_data["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    sent = {name: value for name, value in values.items() if value is not None and value is not False}
    with noted() as entries:
        answer = desk.post(place, sent | {"site_name": "Harbour", "pageSize": 31})
        desk.post(place, sent | {"site_name": "Harbour", "pageSize": 31})
    assert answer.status_code == 302, answer.context["errors"]
    entry = only(entries)
    assert (entry.action, entry.changed) == ("site.changed", ["settings.pageSize", "siteName"])
    assert (entry.actor_kind, entry.actor_name, entry.address) == ("administrator", "root", ADDRESS)
    assert (entry.site_id, entry.request_id) == (world.site.pk, answer.headers["X-Request-Id"])
    assert entry.details == {"values": {"settings.pageSize": [30, 31], "siteName": [world.site.site_name, "Harbour"]}}


def test_values_are_kept_of_members_that_the_service_knows_and_cut(world):
    site = world.site
    site.settings = {"smsKey": "s3cret", "waterMarkFormatString": "x" * 500}
    site.parent = SiteFactory()
    with noted() as entries:
        change_site(site)
    entry = only(entries)
    assert "settings.smsKey" in entry.changed
    assert entry.details["values"] == {"settings.waterMarkFormatString": ["", "x" * 100 + "…"]}


def test_values_that_differ_behind_the_cut_are_left_out(world):
    site = world.site
    with noted() as entries:
        for end in ("a", "b"):
            site.settings = {"waterMarkFormatString": "x" * 100 + end}
            change_site(site)
    _first, second = entries
    assert second.changed == ["settings.waterMarkFormatString"]
    assert "values" not in second.details


def test_leaving_the_back_end_is_noted(desk):
    with noted() as entries:
        desk.post("/admin/logout/")
    assert (only(entries).action, only(entries).actor_name) == ("administrator.signed_out", "root")


def test_the_logout_of_the_api_is_noted_once(api, stranger, world):
    token = token_of(stranger, "administrators", world.administrator)
    with noted() as entries:
        for _ in range(2):
            api.post("/api/v1/administrators/actions/logout", headers={"X-SS-ADMIN-TOKEN": token})
    assert (only(entries).action, only(entries).object_name) == ("administrator.signed_out", "desk")


# ---- commands

COMMANDS = {
    "create_site": (lambda w: call_command("create_site", "Pier", "--site-dir", "pier"), "site.created", "Pier"),
    "reset_second_factor": (
        lambda w: [
            SecondFactor.objects.create(administrator=w.administrator, secret="x", last_step=0),
            call_command("reset_second_factor", "desk"),
        ],
        "administrator.second_factor_reset",
        "desk",
    ),
    "unlock_account": (lambda w: call_command("unlock_account", "desk"), "administrator.unlocked", "desk"),
    "unlock_account --user": (
        lambda w: call_command("unlock_account", "reader1", "--user"),
        "user.unlocked",
        "reader1",
    ),
    "createsuperuser": (
        lambda w: call_command("createsuperuser", interactive=False, user_name="ann", verbosity=0),
        "administrator.created",
        "ann",
    ),
    "check_tree --repair": (
        lambda w: [Channel.objects.filter(pk=w.channel.pk).update(taxis=99), call_command("check_tree", "--repair")],
        "site.tree_mended",
        "Harbour museum",
    ),
}


@pytest.mark.parametrize(("call", "action", "name"), COMMANDS.values(), ids=list(COMMANDS))
def test_an_act_by_a_command_leaves_one_entry(world, monkeypatch, capsys, request, call, action, name):
    command = request.node.callspec.id
    monkeypatch.setattr("sys.argv", ["manage.py", *command.split()])
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    with noted() as entries:
        call(world)
    entry = only(entries)
    assert (entry.action, entry.object_name) == (action, name)
    assert (entry.actor_kind, entry.details["command"]) == ("command", command.split()[0])
    assert (entry.address, entry.request_id, entry.key_name) == ("", "", "")


def test_an_import_tells_its_source(capsys):
    with noted() as entries:
        call_command("load_sample_site")
    entry = only(entries)
    counts = dict(re.findall(r"(channels|contents)=(\d+)", capsys.readouterr().out))
    assert entry.action == "site.imported"
    assert (entry.details["source"], entry.object_id) == ("sample_site", str(Site.objects.get().pk))
    assert {name: str(entry.details[name]) for name in counts} == counts


def test_changepassword_is_noted(world, monkeypatch, capsys):
    typed = iter([OTHER, OTHER])
    place = "django.contrib.auth.management.commands.changepassword.getpass.getpass"
    monkeypatch.setattr(place, lambda prompt: next(typed))
    with noted() as entries:
        call_command("changepassword", "desk")
    assert (only(entries).action, only(entries).actor_kind) == ("administrator.password_changed", "command")


# ---- secrets


def test_no_entry_holds_a_secret(client_with_key, world):
    api = client_with_key()
    browser = Client()
    token = token_of(api, "administrators", world.administrator)
    for act, _ in BY_KEYS.values():
        with transaction.atomic():
            act(api, world, headers={"X-SS-ADMIN-TOKEN": token})
            everything = json.dumps([*AuditEntry.objects.values()], default=str)
            for secret in secrets(api, world, token):
                assert secret not in everything
            transaction.set_rollback(True)
    log_in(api, "administrators", "an unknown user", "wrong-secret-1")
    browser.post("/admin/login/", {"username": "typed-name-1", "password": "wrong-secret-2"})
    everything = json.dumps([*AuditEntry.objects.values()], default=str)
    assert not re.search(r"wrong-secret|typed-name|somebody|argon2", everything)


def secrets(api, world, token):
    """Every secret of the world, as it is sent and as it is stored."""
    plain = [PASSWORD, OTHER, md5_form(PASSWORD), md5_form(OTHER), api.token, api.token[-38:], token]
    stored = [token.digest for token in ApiKeyToken.objects.all()]
    accounts = [*Administrator.objects.all(), *User.objects.all()]
    stamps = [text for one in accounts for text in (one.password, one.password_stamp, one.token_stamp)]
    return [secret for secret in [*plain, *stored, *stamps] if len(secret) > 2]
