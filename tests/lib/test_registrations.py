"""A registration that no shared part would read, or read wrongly, fails at the first use of any."""

import re

import pytest
from django.core.exceptions import ImproperlyConfigured

from accounts import registrations as of_accounts
from channels_app import registrations as of_channels
from core.lib.registrations import MENU, PERIODIC_TASKS, MenuItem, PeriodicTask, Registry, read_entries
from core.notifications.kinds import NOTIFICATIONS, NotificationKind

pytestmark = pytest.mark.any_database
ITEM = MenuItem("site", 80, "Trash", "trash")


def test_entries_come_from_all_apps_in_order():
    entries = read_entries()
    assert entries.keys() == Registry.known.keys()
    assert list(PERIODIC_TASKS.entries.items()) == list(entries["PERIODIC_TASKS"].items())
    assert list(entries["SUBJECTS"])[:2] == ["audit", "system"]
    assert MENU.entries["channels_app.TrashedChannel"] == ITEM
    assert all(type(kind) is NotificationKind for kind in NOTIFICATIONS.entries.values())


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("MENUS", {"channels_app.TrashedChannel": ITEM}, "channels_app.registrations.MENUS: there is no such registry"),
        ("MENU", {"a.B": ("site", 80, "Trash")}, "registrations.MENU['a.B'] is not of the type"),
        ("MENU", {"a.B": PeriodicTask(1.0, "a.b")}, "registrations.MENU['a.B'] is not of the type"),
        ("ACTIONS", {"channel.created": 1}, "registrations.ACTIONS['channel.created'] is not of the type"),
        ("MENU", {"accounts.User": ITEM}, "accounts.User']: another app has registered this key."),
        ("ERROR_MESSAGES", {"user_not_found": "Gone."}, "'user_not_found']: another app has registered this key."),
    ],
)
def test_a_wrong_registration_is_refused(monkeypatch, name, value, message):
    monkeypatch.setattr(of_channels, name, value, raising=False)
    with pytest.raises(ImproperlyConfigured, match=re.escape(message)):
        read_entries()


def test_private_and_other_names_are_free(monkeypatch):
    monkeypatch.setattr(of_accounts, "_PAGES", 1, raising=False)
    monkeypatch.setattr(of_accounts, "Pages", 1, raising=False)
    read_entries()


def test_an_entry_has_no_further_member():
    with pytest.raises(TypeError):
        MenuItem("site", 80, "Trash", "trash", "", "", "archive")
